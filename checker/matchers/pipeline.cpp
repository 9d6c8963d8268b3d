#include "matchers/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/overlap.h"
#include "matchers/facts/attainable_time.h"
#include "matchers/facts/code_text.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/operation_set.h"
#include "matchers/facts/stages.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "matchers/lengths.h"
#include "report/wording/cause_sentences.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;
using trace::nanoseconds;

/// The last call that asks about a device, in this call of the function or an earlier one; that about this device, where
/// there is one. nullptr when none asks.
const trace::host_call* question_to_device(const run_facts& run, std::uint32_t device) {
  const trace::host_call* about_it = nullptr;
  const trace::host_call* about_any = nullptr;
  for (const trace::call_id id : run.learner_calls_so_far()) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) != trace::call_effect::asks_about_device) continue;
    about_any = &call;
    if (call.asked_device.value_or(device) == device) about_it = &call;
  }
  return about_it != nullptr ? about_it : about_any;
}

/// "cudaDevAttrGpuOverlap": the attribute in the statement of that call; "" where the text of the file has none there.
std::string asked_attribute(const run_facts& run, const trace::host_call& question) {
  if (!run.recording().is_own(question.where)) return "";
  const std::string text = code_of(run.source().text);
  const std::size_t place = begin_of_code(text, static_cast<int>(question.where.line));
  const std::size_t end = std::min(text.find(';', place), text.size());
  constexpr std::string_view prefix = "cudaDevAttr";
  const std::size_t begin = text.find(prefix, place);
  if (begin >= end) return "";
  std::size_t behind = begin;
  while (behind < end && is_of_word(text[behind])) ++behind;
  return text.substr(begin, behind - begin);
}

/// The attribute that the last question names, where each of the questions names one, and none that of the copy engines; else "".
std::string only_other_attributes(const run_facts& run) {
  constexpr std::string_view of_engines = "cudaDevAttrAsyncEngineCount";
  std::string last;
  for (const trace::call_id id : run.learner_calls_so_far()) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) != trace::call_effect::asks_about_device) continue;
    last = asked_attribute(run, call);
    if (last.empty() || last == of_engines) return "";
  }
  return last;
}

/// What the plan and the device say, and what the device was asked.
std::string engines_in_words(std::int64_t answered, std::int64_t engines, bool asked,
                             const std::string& attribute) {
  const std::string numbers = fmt::format("The plan says {}, the device has {}", answered, engines);
  if (!asked) return numbers + ", and it was not asked.";
  return attribute.empty()
             ? numbers + ". It was asked, but for something else, or the plan does not say what it answered."
             : fmt::format("{}, and it was asked for {}.", numbers, attribute);
}

verdict judge_copy_engines(const run_facts& run, const std::string& planner, const std::string& name,
                           std::uint32_t device) {
  const std::vector<trace::device>& devices = run.recording().devices;
  const auto gpu =
      std::find_if(devices.begin(), devices.end(), [&](const auto& one) { return one.ordinal == device; });
  if (gpu == devices.end()) return not_observable("The recording does not say which device it ran on.");
  const auto engines = static_cast<std::int64_t>(gpu->copy_engines);
  const std::int64_t answered = run.answer().integer(name);
  const trace::host_call* const question = question_to_device(run, device);
  const bool asked_another = question != nullptr && question->asked_device.value_or(device) != device;
  const bool asked = question != nullptr && !asked_another;
  const report::measurement measured{asked ? std::to_string(answered) : "not asked", std::to_string(engines)};
  const std::string other = asked && answered == engines ? only_other_attributes(run) : "";
  if (asked && answered == engines && other.empty())
    return passed(fmt::format("{} on this device", engines), measured);
  report::evidence why;
  why.required = "The plan says how many copy engines the device has, and the device itself was asked.";
  why.observation = asked_another ? fmt::format("The plan is for device {}, and device {} was asked.", device,
                                                *question->asked_device)
                                  : engines_in_words(answered, engines, asked,
                                                     asked ? asked_attribute(run, *question) : "");
  if (!other.empty()) why.observation += " That the numbers agree here is luck.";
  why.where = question != nullptr ? run.recording().describe(question->where)
                                  : line_of_definition(run.source(), planner);
  why.read_next = "cudaDeviceGetAttribute in the section \"The calls\" in the lesson's text.";
  return failed(run_verdict::requirement_missed,
                asked ? mistake::wrong_copy_engines : mistake::device_not_asked, why, measured);
}

enum class issue_order { depth_first, breadth_first };

const char* words_of(issue_order order) {
  return order == issue_order::depth_first ? "chunk by chunk (depth first)" : "step by step (breadth first)";
}

// The first operation of an earlier stage that was queued after one of a later stage: what breaks the order
// by steps. 0: none does.
trace::operation_id first_step_back(const analysis::part& part) {
  stage reached = stage::copy_to_device;
  for (trace::operation_id id : staged_operations(part)) {
    const stage here = *stage_of(part.recording->operation_at(id));
    if (here < reached) return id;
    reached = here;
  }
  return 0;
}

// The chunk-by-chunk order is missed when everything goes in before anything comes back.
trace::operation_id first_copy_back_after_all_inputs(const analysis::part& part) {
  const operation_ids inputs = operations_of(part, stage::copy_to_device);
  const operation_ids outputs = operations_of(part, stage::copy_to_host);
  if (inputs.empty() || outputs.empty() || outputs.front() < inputs.back()) return 0;
  return outputs.front();
}

verdict judge_issue_order(const run_facts& run, issue_order order) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required = fmt::format("A plan that says so is queued {}.", words_of(order));
  why.read_next = "The two orders in the section \"The idea\" of the lesson's text.";
  const operation_ids launches = operations_of(run.part(), stage::kernel);
  if (launches.size() < 2) {
    why.observation = launches.empty()
                          ? "No kernel was queued."
                          : "Only one kernel was queued: with one chunk there is no order to choose.";
    if (launches.empty()) return failed(run_verdict::requirement_missed, mistake::no_kernels, why);
    lead_to(why, recording, recording.operation_at(launches.front()));
    return failed(run_verdict::requirement_missed, report::word_of(explain::cause::one_piece), why);
  }
  const bool is_breadth_first = order == issue_order::breadth_first;
  const trace::operation_id misplaced =
      is_breadth_first ? first_step_back(run.part()) : first_copy_back_after_all_inputs(run.part());
  if (misplaced == 0) return passed(fmt::format("{} kernels, {}", launches.size(), words_of(order)));
  const trace::operation& operation = recording.operation_at(misplaced);
  why.observation =
      report::capitalized(in_words(recording, operation)) +
      (is_breadth_first ? " was queued after work of a later step."
                        : " is the first copy back, and all copies to the device were queued before it.");
  const trace::operation_id misplaced_otherwise =
      is_breadth_first ? first_copy_back_after_all_inputs(run.part()) : first_step_back(run.part());
  if (misplaced_otherwise == 0) {
    why.observation +=
        fmt::format(" All was queued {}, as a plan of the other order asks for.",
                    words_of(is_breadth_first ? issue_order::depth_first : issue_order::breadth_first));
    why.read_next = "Where your function looks at the order of the plan that it is given.";
  }
  lead_to(why, recording, operation);
  return failed(run_verdict::requirement_missed, mistake::order_not_followed, why);
}

/// A kernel whose stream is not its turn, and what is known of whose turn it is.
struct stray_kernel {
  const trace::operation* kernel = nullptr;
  trace::stream_id due = 0;                  ///< of the first round: one that had no kernel yet
  const trace::operation* before = nullptr;  ///< of the first round: a kernel before it in its stream
};

/// The stream of the first kernel whose stream has none of the first `count` kernels; 0 when there is none.
trace::stream_id first_unused_stream(const trace::recording& recording, const operation_ids& kernels,
                                     std::size_t count) {
  std::set<trace::stream_id> used;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const trace::stream_id stream = recording.operation_at(kernels[i]).stream;
    if (i < count) used.insert(stream);
    if (i >= count && !used.contains(stream)) return stream;
  }
  return 0;
}

/// The first kernel whose stream is not its turn: so many kernels in a row are in different streams, and the next is in that of
/// the first of them. Nothing when all take turns, or one is in a default stream, which is another mistake.
std::optional<stray_kernel> out_of_turn(const trace::recording& recording, const operation_ids& kernels,
                                        std::size_t streams) {
  const bool are_all_created = std::all_of(kernels.begin(), kernels.end(), [&](trace::operation_id id) {
    return recording.stream_at(recording.operation_at(id).stream).kind == trace::stream_kind::created;
  });
  if (!are_all_created) return std::nullopt;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const trace::operation& kernel = recording.operation_at(kernels[i]);
    for (std::size_t back = 1; back <= std::min(i, streams); ++back) {
      const trace::operation& before = recording.operation_at(kernels[i - back]);
      const bool is_same = before.stream == kernel.stream;
      if (is_same == (back == streams)) continue;
      if (i >= streams) return stray_kernel{&kernel, recording.operation_at(kernels[i - streams]).stream};
      return stray_kernel{&kernel, first_unused_stream(recording, kernels, i), &before};
    }
  }
  return std::nullopt;
}

/// Which stream the kernel is in, and whose turn it is.
std::string turn_in_words(const trace::recording& recording, const stray_kernel& stray) {
  const std::string due = stray.due == 0 ? "another stream" : report::stream_in_words(recording, stray.due);
  const std::string place = fmt::format(
      "{} is in {}", report::capitalized(report::without_stream_in_words(recording, *stray.kernel)),
      report::stream_in_words(recording, stray.kernel->stream));
  if (stray.before == nullptr) return fmt::format("{}. It is the turn of {}.", place, due);
  return fmt::format(
      "{}, which has {} already. It is the turn of a stream that has no kernel yet, such as {}.", place,
      report::without_stream_in_words(recording, *stray.before), due);
}

/// Where the first byte lies that the kernel writes, in an array of the whole work; nothing when that is not known.
std::optional<std::size_t> place_of_chunk(const trace::operation& kernel) {
  if (!kernel.accesses) return std::nullopt;
  for (const trace::access& access : *kernel.accesses) {
    if (access.mode == trace::access_mode::write && !access.bytes.is_empty())
      return access.bytes.bounds().begin;
  }
  return std::nullopt;
}

/// The kernels in the order of the elements that they compute. None where these are not known, or where the streams are not those of
/// an array: chunk i takes `streams[i % count]`.
std::vector<const trace::operation*> kernels_of_chunks(const trace::recording& recording,
                                                       const operation_ids& kernels) {
  std::vector<std::pair<std::size_t, const trace::operation*>> chunks;
  for (const trace::operation_id id : kernels) {
    const trace::operation& kernel = recording.operation_at(id);
    const std::optional<std::size_t> place = place_of_chunk(kernel);
    if (!place || !recording.stream_at(kernel.stream).name.starts_with("streams[")) return {};
    chunks.emplace_back(*place, &kernel);
  }
  std::stable_sort(chunks.begin(), chunks.end(),
                   [](const auto& one, const auto& two) { return one.first < two.first; });
  std::vector<const trace::operation*> ordered;
  for (const auto& [place, kernel] : chunks) ordered.push_back(kernel);
  return ordered;
}

struct strayed_chunk {
  const trace::operation* kernel = nullptr;
  std::size_t index = 0;
  std::string own_stream{};
};

/// The first chunk whose kernel is not in the stream whose turn it is; nothing where that is not known.
std::optional<strayed_chunk> chunk_in_another_stream(const trace::recording& recording,
                                                     const operation_ids& kernels, std::size_t streams) {
  const std::vector<const trace::operation*> chunks = kernels_of_chunks(recording, kernels);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::string own = fmt::format("streams[{}]", i % streams);
    if (recording.stream_at(chunks[i]->stream).name != own) return strayed_chunk{chunks[i], i, own};
  }
  return std::nullopt;
}

/// The first copy whose data several kernels use, in a direction with fewer copies than there are kernels; nullptr when there is
/// none. Where it is not known what operations touch, the number decides.
const trace::operation* copy_of_several_chunks(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const operation_ids kernels = operations_of(run.part(), stage::kernel);
  for (const stage direction : {stage::copy_to_device, stage::copy_to_host}) {
    const operation_ids copies = operations_of(run.part(), direction);
    if (copies.size() >= kernels.size()) continue;
    for (const trace::operation_id id : copies) {
      const trace::operation& copy = recording.operation_at(id);
      const auto users = std::count_if(kernels.begin(), kernels.end(), [&](trace::operation_id kernel) {
        return analysis::share_data(copy, recording.operation_at(kernel));
      });
      const bool is_known = copy.accesses && !copy.accesses->empty();
      if (!is_known || users > 1) return &copy;
    }
  }
  return nullptr;
}

/// The first operation in a created stream that no kernel is in, where the kernels are in no more than so many; nullptr when there is
/// none.
const trace::operation* outside_of_kernels(const run_facts& run, const operation_ids& launches,
                                           std::size_t streams) {
  const trace::recording& recording = run.recording();
  std::set<trace::stream_id> of_kernels;
  for (const trace::operation_id id : launches) of_kernels.insert(recording.operation_at(id).stream);
  if (of_kernels.size() > streams) return nullptr;
  for (const trace::operation_id id : staged_operations(run.part())) {
    const trace::operation& operation = recording.operation_at(id);
    const bool is_created = recording.stream_at(operation.stream).kind == trace::stream_kind::created;
    if (is_created && of_kernels.count(operation.stream) == 0) return &operation;
  }
  return nullptr;
}

/// A kernel a chunk, and as many streams in use as there are in the plan, or chunks, which take turns.
verdict judge_numbers(const run_facts& run, std::int64_t chunks, std::int64_t streams) {
  const trace::recording& recording = run.recording();
  const operation_ids launches = operations_of(run.part(), stage::kernel);
  std::set<trace::stream_id> used;
  for (trace::operation_id id : staged_operations(run.part())) {
    const trace::stream& stream = recording.stream_at(recording.operation_at(id).stream);
    if (stream.kind == trace::stream_kind::created)
      used.insert(stream.id);  // a default stream is another mistake
  }
  const auto launched = static_cast<std::int64_t>(launches.size());
  const auto in_use = static_cast<std::int64_t>(used.size());
  const bool has_numbers = launched == chunks && in_use == std::min(streams, chunks);
  const std::optional<stray_kernel> stray =
      has_numbers ? out_of_turn(recording, launches, static_cast<std::size_t>(in_use)) : std::nullopt;
  const trace::operation* const whole = copy_of_several_chunks(run);
  const auto shifted = has_numbers && !stray && whole == nullptr && !used.empty()
                           ? chunk_in_another_stream(recording, launches, static_cast<std::size_t>(in_use))
                           : std::nullopt;
  if (launched < 2 || (has_numbers && !stray && whole == nullptr && !shifted)) return passed();
  report::evidence why;
  why.required = "The work is cut into the chunks of the plan, and the streams of the plan take turns.";
  if (const std::vector<trace::call_id> failing = failed_calls(run); !failing.empty()) {
    why.observation = "Some of the work of the plan is missing. " + failures_in_words(run);
    lead_to(why, recording, recording.call_at(failing.front()).where);
    why.read_next = "What the CUDA Runtime API manual says of the error.";
    return failed(run_verdict::requirement_missed, mistake::failed_call, why);
  }
  why.observation =
      fmt::format("The plan says chunks {}, streams {}. There were {} kernels, and {} streams in use.",
                  chunks, streams, launched, in_use);
  if (stray) why.observation = turn_in_words(recording, *stray);
  if (shifted) {
    why.observation = fmt::format("Chunk {} is in `{}`, where it is the turn of `{}`.", shifted->index,
                                  recording.stream_at(shifted->kernel->stream).name, shifted->own_stream);
  }
  if (has_numbers && whole != nullptr) {
    why.observation =
        fmt::format("{} is for several chunks: {} kernels were queued, and fewer copies in this direction.",
                    report::capitalized(in_words(recording, *whole)), launched);
  }
  const trace::operation* const outside =
      launched == chunks && !has_numbers
          ? outside_of_kernels(run, launches, static_cast<std::size_t>(std::min(streams, chunks)))
          : nullptr;
  if (outside != nullptr) {
    why.observation += fmt::format(" {} is the first in a stream without kernels.",
                                   report::capitalized(in_words(recording, *outside)));
  }
  const trace::operation* const example = has_numbers && whole != nullptr ? whole
                                          : shifted                       ? shifted->kernel
                                          : stray                         ? stray->kernel
                                                                          : outside;
  lead_to(why, recording, example != nullptr ? *example : recording.operation_at(launches.front()));
  why.read_next =
      "TODO 4 in the section \"The task\" of the lesson's text: chunk `index` takes stream `index % "
      "chosen.streams`.";
  const bool is_about_streams = launched == chunks && !(has_numbers && whole != nullptr);
  if (is_about_streams) why.values = lines_of_values(run.source(), value_of::stream, why);
  return failed(run_verdict::requirement_missed, mistake::plan_not_followed, why);
}

constexpr double next_to_nothing = 0.1;

struct pause {
  trace::operation_id ended_by = 0;
  nanoseconds begin{0};
  nanoseconds end{0};
  nanoseconds length() const { return end - begin; }
};

// The longest time, after its first operation, in which the stage had nothing to do although more was to come.
pause longest_pause(const analysis::part& part, stage paused) {
  operation_ids order = operations_of(part, paused);
  std::stable_sort(order.begin(), order.end(), [&](auto one, auto two) {
    return part.recording->operation_at(one).start < part.recording->operation_at(two).start;
  });
  pause longest;
  nanoseconds busy_until{0};
  for (trace::operation_id id : order) {
    const trace::operation& operation = part.recording->operation_at(id);
    if (id != order.front() && operation.start - busy_until > longest.length()) {
      longest = {id, busy_until, operation.start};
    }
    busy_until = std::max(busy_until, operation.end);
  }
  return longest;
}

stage busiest_stage(const attainable& best) {
  const nanoseconds longest = std::max({best.to_device, best.kernel, best.to_host});
  if (longest == best.to_device) return stage::copy_to_device;
  return longest == best.kernel ? stage::kernel : stage::copy_to_host;
}

// What kept the part from the attainable time: everything in one piece, a pause of the busiest stage, a late
// first kernel, one copy for several chunks, or, when it is none of these, too few or too many chunks. The word of the mistake.
std::string_view tell_what_took_long(const run_facts& run, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const attainable& best = run.calibration();
  const nanoseconds begin = run.part().begin;
  const operation_ids launches = operations_of(run.part(), stage::kernel);
  if (launches.size() < 2) {
    why.observation += " All of it is one chunk.";
    if (!launches.empty()) lead_to(why, recording, recording.operation_at(launches.front()));
    return report::word_of(explain::cause::one_piece);
  }
  const stage busiest = busiest_stage(best);
  const pause longest = longest_pause(run.part(), busiest);
  if (longest.length() > best.time / 20) {
    const trace::operation& late = recording.operation_at(longest.ended_by);
    why.observation +=
        fmt::format(" The {} take longest, so they should never pause; they did from {} to {}, before {}.",
                    in_words(busiest), duration_words(longest.begin - begin),
                    duration_words(longest.end - begin), in_words(recording, late));
    const std::string reason = reason_to_wait(run, late);
    if (!reason.empty()) why.observation += " " + reason;
    lead_to(why, recording, late);
    return report::word_of(mistake::pause);
  }
  const trace::operation& first = recording.operation_at(launches.front());
  lead_to(why, recording, first);
  if (static_cast<int>(launches.size()) >= best.chunks && first.start - begin > best.time / 3) {
    why.observation +=
        fmt::format(" No kernel ran before {}, although the copies of one chunk take far less.",
                    duration_words(first.start - begin));
    if (const std::string reason = reason_to_wait(run, first); !reason.empty())
      why.observation += " " + reason;
    return report::word_of(mistake::late_start);
  }
  if (const std::string failures = failures_in_words(run); !failures.empty()) {
    why.observation += " Some of the work is missing. " + failures;
    return report::word_of(mistake::failed_call);
  }
  if (const trace::operation* const whole = copy_of_several_chunks(run)) {
    why.observation +=
        fmt::format(" {} is for several chunks: it waits for all of them, or they wait for it.",
                    report::capitalized(in_words(recording, *whole)));
    lead_to(why, recording, *whole);
    return report::word_of(mistake::plan_not_followed);
  }
  why.observation += fmt::format(
      " It has {} kernels where {} chunks are best: with few chunks, the first copies in and the last copies out run alone; "
      "with many, the cost of each copy ({}) adds up.",
      launches.size(), best.chunks, duration_words(best.per_copy));
  return report::word_of(static_cast<int>(launches.size()) < best.chunks ? explain::cause::one_piece
                                                                         : explain::cause::small_chunks);
}

/// A launch of fewer blocks than all of the work had when it was measured, while the kernels take much longer together;
/// nullptr when there is none.
const trace::operation* launch_that_leaves_room(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const attainable& best = run.calibration();
  nanoseconds worked{0};
  const trace::operation* found = nullptr;
  for (const trace::operation_id id : operations_of(run.part(), stage::kernel)) {
    const trace::operation& kernel = recording.operation_at(id);
    worked += kernel.end - kernel.start;
    if (found == nullptr && blocks_of(kernel) < best.blocks) found = &kernel;
  }
  return 2 * worked > 3 * best.kernel ? found : nullptr;
}

// What overlapped is not known then, only how long all of it took.
bool is_known_by_events(const trace::recording& recording) {
  return std::any_of(
      recording.diagnostics.begin(), recording.diagnostics.end(),
      [](const trace::diagnostic& note) { return note.kind == trace::diagnostic_kind::not_recorded; });
}

/// Leads from the number of chunks, or from streams that are too few, to the function that chose it.
void lead_to_plan(const run_facts& run, const std::string& planner, std::string_view found,
                  report::evidence& why) {
  const std::string line = planner.empty() ? "" : line_of_return(run.source(), planner);
  const bool is_of_chunks = found == report::word_of(explain::cause::one_piece) ||
                            found == report::word_of(explain::cause::small_chunks);
  if (line.empty() || !(is_of_chunks || found == report::word_of(explain::cause::one_stream))) return;
  why.observation += fmt::format(" {} chooses chunks, streams and order ({}).", planner, line);
  why.where = why.where.empty() ? line : is_of_chunks ? line + ", " + why.where : why.where + ", " + line;
}

verdict low_efficiency(const run_facts& run, double efficiency, double required, const std::string& planner) {
  const attainable& best = run.calibration();
  const run_verdict failure = efficiency < next_to_nothing ? run_verdict::no_overlap : run_verdict::too_slow;
  report::evidence why;
  why.required = fmt::format(
      "At least {} of what overlap can gain on this device: {} one step after another, {} at best, in {} chunks.",
      percent(required), duration_words(best.serial), duration_words(best.time), best.chunks);
  why.read_next =
      "The table of `./streamlings sweep`, and the section \"The surprise\" in the lesson's text.";
  if (staged_operations(run.part()).empty()) {
    why.observation = "There were no copies and no kernels.";
    return failed(failure, mistake::nothing_queued, why);
  }
  why.observation = fmt::format("Yours took {}, which gains {}.", duration_words(time_in_calls(run.part())),
                                efficiency > 0 ? percent(efficiency) : "nothing");
  if (is_known_by_events(run.recording())) {
    why.observation += " That is by events; what ran when is not known.";
    return failed(failure, "", why, at_least(efficiency, required));
  }
  if (const trace::operation* const small = launch_that_leaves_room(run)) {
    why.observation += fmt::format(
        " The kernels take much longer than all of the work in one launch of {} blocks, which is {}: {} has {}.",
        best.blocks, duration_words(best.kernel), in_words(run.recording(), *small), blocks_of(*small));
    lead_to(why, run.recording(), *small);
    return failed(failure, mistake::room_left_empty, why, at_least(efficiency, required));
  }
  std::string_view found = tell_what_took_long(run, why);
  if (found == report::word_of(mistake::plan_not_followed))
    return failed(failure, found, why, at_least(efficiency, required));
  const cause_words costliest = costliest_cause(run);
  if (!costliest.sentence.empty()) why.observation += " What costs most time in all: " + costliest.sentence;
  if (!costliest.mistake.empty()) found = costliest.mistake;
  if (costliest.where.is_known()) lead_to(why, run.recording(), costliest.where);
  lead_to_plan(run, planner, found, why);
  return failed(failure, found, why, at_least(efficiency, required));
}

std::size_t bytes_of(const analysis::part& part, stage direction) {
  std::size_t sum = 0;
  for (const trace::operation_id id : operations_of(part, direction))
    sum += part.recording->operation_at(id).bytes;
  return sum;
}

/// "0.4 MB less than needed was copied to the device", compared with the calibration; "" when nothing was left out.
std::string missing_bytes(const run_facts& run) {
  const analysis::part serial = analysis::part_of(run.recording(), "serial");
  for (const stage direction : {stage::copy_to_device, stage::copy_to_host}) {
    const std::size_t copied = bytes_of(run.part(), direction);
    const std::size_t needed = bytes_of(serial, direction);
    if (copied < needed) {
      return fmt::format("{} less than needed was copied to the {}", report::size_in_words(needed - copied),
                         direction == stage::copy_to_host ? "host" : "device");
    }
  }
  return "";
}

// What rounding and a calibration in the same run may add to what is attainable.
constexpr double beyond_attainable = 1.02;

verdict judge_efficiency(const run_facts& run, double required, const std::string& planner) {
  const attainable& best = run.calibration();
  if (best.serial - best.time < best.serial / 10) {
    return not_observable("On this device overlap gains next to nothing for this work.",
                          run_verdict::not_measurable);
  }
  const nanoseconds actual = time_in_calls(run.part());
  const double efficiency = analysis::overlap_efficiency(best.serial, actual, best.time);
  // Kernels that do less than they are asked to gain what overlap cannot.
  if (verdict full = WorkInFull(kernels()).together(best.kernel).match(run);
      full.outcome == report::criterion_verdict::fail && !operations_of(run.part(), stage::kernel).empty())
    return full;
  if (staged_operations(run.part()).empty() || efficiency < required)
    return low_efficiency(run, efficiency, required, planner);
  const report::measurement measured = at_least(efficiency, required);
  if (const std::string missing = missing_bytes(run); !missing.empty())
    return not_observable(fmt::format("not all of the work was done, {}", missing), run_verdict::pass,
                          measured);
  if (efficiency > beyond_attainable || actual < best.physical_limit) {
    return not_observable(
        "More was gained than can be gained: what ran is not the work that was measured, or its order is missing.",
        run_verdict::inconclusive, measured);
  }
  return passed(
      fmt::format("{:.2f}, required {:.2f}: {} instead of {}{}", efficiency, required, duration_words(actual),
                  duration_words(best.serial), is_known_by_events(run.recording()) ? ", by events" : ""),
      measured);
}

}  // namespace

matcher AsksForCopyEngines(std::string planner, std::string name, std::string device) {
  return {"asks the device for its copy engines and answers with their number as " + name,
          [planner, name, device](const run_facts& run) {
            return judge_copy_engines(run, planner, name,
                                      static_cast<std::uint32_t>(run.answer().integer(device)));
          },
          reach::every_call};
}

matcher QueuesChunks(std::string plan) {
  return {"cuts and queues as the plan says",
          [plan](const run_facts& run) {
            const auto answered = [&](const char* field) { return run.answer().integer(plan + field); };
            const verdict numbers = judge_numbers(run, answered(".chunks"), answered(".streams"));
            if (numbers.outcome == report::criterion_verdict::fail) return numbers;
            const bool by_steps = answered(".is_breadth_first") != 0;
            return judge_issue_order(run, by_steps ? issue_order::breadth_first : issue_order::depth_first);
          },
          reach::every_call};
}

std::optional<strayed_step> step_out_of_turn(const run_facts& run, trace::operation_id step,
                                             const std::string& plan) {
  if (step == 0) return std::nullopt;
  const trace::recording& recording = run.recording();
  const trace::operation& operation = recording.operation_at(step);
  const auto chunks = kernels_of_chunks(recording, operations_of(run.part(), stage::kernel));
  const auto streams = static_cast<std::size_t>(run.answer().integer(plan + ".streams"));
  const bool is_as_planned = std::cmp_equal(chunks.size(), run.answer().integer(plan + ".chunks"));
  const std::string& name = recording.stream_at(operation.stream).name;
  if (streams == 0 || !is_as_planned || !name.starts_with("streams[")) return std::nullopt;
  const auto is_of_step = [&](const trace::operation* kernel) {
    return kernel->id == step ||
           (stage_of(operation) != stage::kernel && analysis::share_data(operation, *kernel));
  };
  const auto found = std::find_if(chunks.begin(), chunks.end(), is_of_step);
  if (found == chunks.end() || std::any_of(found + 1, chunks.end(), is_of_step)) return std::nullopt;
  const auto chunk = static_cast<std::size_t>(found - chunks.begin());
  const std::string own = fmt::format("streams[{}]", chunk % streams);
  return name == own ? std::nullopt : std::optional(strayed_step{chunk, own});
}

matcher ReachesOverlapEfficiency::at_least(double fraction) const {
  return {fmt::format("gains at least {} of what overlap can gain", percent(fraction)),
          [fraction, chosen_by = planner](const run_facts& run) {
            verdict found = judge_efficiency(run, fraction, chosen_by);
            found.found_in = basis::lengths;
            found.compares_with_calibration = true;
            return found;
          },
          reach::judged_call};  // the plan of another call is not the learner's
}

}  // namespace matchers
