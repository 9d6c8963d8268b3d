#include "matchers/returns.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/places.h"
#include "matchers/facts/batch_way.h"
#include "matchers/facts/code_text.h"
#include "matchers/facts/given_calls.h"
#include "matchers/facts/memory/element_history.h"
#include "matchers/facts/memory/misplaced_pieces.h"
#include "matchers/facts/memory/overwritten_unread.h"
#include "matchers/facts/own_element.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/threads/left_threads.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "matchers/poison.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

bool is_same(float left, float right) {
  return std::bit_cast<std::uint32_t>(left) == std::bit_cast<std::uint32_t>(right);
}

struct difference {
  std::size_t first = 0;
  std::size_t count = 0;
};

difference compare(const std::vector<float>& expected, const std::vector<float>& found) {
  difference result;
  // Mostly nothing differs, and this is fast.
  if (std::memcmp(expected.data(), found.data(), expected.size() * sizeof(float)) == 0) return result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_same(expected[i], found[i])) continue;
    if (result.count++ == 0) result.first = i;
  }
  return result;
}

verdict broken_lesson(const std::string& problem) {
  return failed(run_verdict::infra_error, "",
                {"The exercise program hands back what the lesson asks for.", problem, "",
                 "This is a mistake of the lesson, not yours. Please report it."});
}

struct expected_buffer {
  std::string name;
  std::vector<float> values;
  batching batches;

  std::string place_of_element(std::size_t index) const {
    if (batches.elements == 0) return fmt::format("element {}", index);
    return fmt::format("element {} of {} {} (element {} of all)", index % batches.elements, batches.name,
                       index / batches.elements, index);
  }

  /// The batch of which the wrong elements from that index on have the values: one alone may have them by chance.
  std::optional<std::size_t> batch_with(const std::vector<float>& found, std::size_t index) const {
    if (batches.elements == 0) return std::nullopt;
    constexpr std::size_t compared = 16;
    const std::size_t batch_end =
        std::min(values.size(), index - index % batches.elements + batches.elements);
    const std::size_t end = std::min(batch_end, index + compared);
    for (std::size_t other = index % batches.elements; other < values.size(); other += batches.elements) {
      if (other == index) continue;
      std::size_t i = index;
      while (i < end && other + i - index < values.size() &&
             (is_same(found[i], values[i]) || is_same(found[i], values[other + i - index])))
        ++i;
      if (i == end) return other / batches.elements;
    }
    return std::nullopt;
  }

  /// Whether the wrong elements from that index on have values that belong elsewhere: one alone may have one by chance.
  bool are_of_other_places(const std::vector<float>& found, std::size_t index) const {
    std::size_t left = 8;
    for (std::size_t i = index; i < values.size() && left > 0; ++i) {
      if (is_same(found[i], values[i])) continue;
      --left;
      if (std::none_of(values.begin(), values.end(), [&](float one) { return is_same(one, found[i]); }))
        return false;
    }
    return true;
  }

  /// Says where the value that was found at that index belongs; "" where that is not clear, or it is there by chance.
  value_meaning other_place_of(const std::vector<float>& found, std::size_t index) const {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < values.size(); ++place)
      if (is_same(values[place], found[index])) places.push_back(place);
    if (places.empty()) return {mistake::wrong_value, "No element should have that value."};
    if (!are_of_other_places(found, index)) return {mistake::wrong_value, ""};
    // Of several elements that should have that value by chance, one is as far away as the other wrong ones belong.
    for (const std::size_t other : places) {
      const std::size_t shifted = count_shifted(found, index, other);
      if (shifted == 0) continue;
      return {
          mistake::wrong_value,
          fmt::format(
              "That value belongs to {}. {} wrong elements are shifted alike: each belongs {} elements {}. The values are "
              "right, and their place is not.",
              place_of_element(other), shifted, other > index ? other - index : index - other,
              other > index ? "further on" : "before"),
          line_of::last_writer};
    }
    if (places.size() > 1) return {mistake::wrong_value, ""};
    return {mistake::wrong_value, fmt::format("That value belongs to {}.", place_of_element(places[0]))};
  }

  /// How many wrong elements are as far from their place as that one; 0 where any is not, or those of most cannot be in the result.
  std::size_t count_shifted(const std::vector<float>& found, std::size_t index, std::size_t other) const {
    constexpr std::size_t min_shifted = 3;  // chosen: fewer may be exchanged
    std::size_t wrong = 0, shifted = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_same(found[i], values[i])) continue;
      ++wrong;
      const std::size_t place = i + other - index;  // beyond the end too where it is before the begin
      if (place >= values.size()) continue;
      if (!is_same(found[i], values[place])) return 0;
      ++shifted;
    }
    return shifted >= min_shifted && 2 * shifted >= wrong ? shifted : 0;
  }

  /// The call before this one that gave the same wrong elements.
  std::optional<exercise::call> call_with_same(const run_facts& facts,
                                               const std::vector<float>& found) const {
    for (const auto& [call, answer] : facts.earlier_answers()) {
      if (!answer->has(name)) continue;
      const std::vector<float>& earlier = answer->values<float>(name);
      const std::size_t common = std::min(values.size(), earlier.size());
      bool is_same_where_wrong = true;
      for (std::size_t i = 0; i < common && is_same_where_wrong; ++i)
        is_same_where_wrong = is_same(found[i], values[i]) || is_same(found[i], earlier[i]);
      if (is_same_where_wrong) return call;
    }
    return std::nullopt;
  }

  /// What the value of what was found, wrong at that index, tells. `is_of_kernel`: a kernel is known to have made it.
  value_meaning meaning_of(const std::vector<float>& found, std::size_t index, bool is_of_kernel) const {
    const float value = found[index];
    if (is_same(value, poison::output)) {
      return {mistake::output_not_written, "That is what the output held before your function began."};
    }
    if (is_same(value, poison::device) && !is_of_kernel) {
      return {
          mistake::result_not_made,
          "That is what the device buffer held before your function began: it was copied back, and no kernel had written it "
          "by then."};
    }
    if (std::abs(value) >= poison::threshold) {
      return {mistake::input_not_copied, "It was computed from what a buffer held before it was filled."};
    }
    if (is_same(value, poison::fresh) && !is_of_kernel) {
      return {mistake::result_not_made,
              "That is what memory holds that nothing has written since its allocation."};
    }
    if (poison::is_of_fresh(value)) {
      return {mistake::input_not_copied,
              "It was computed from memory that nothing had written since its allocation."};
    }
    if (const auto other = batch_with(found, index)) {
      return {mistake::result_of_another_batch,
              fmt::format("That is the result of {} {}.", batches.name, *other)};
    }
    if (index < batches.held_before.size() && is_same(value, batches.held_before[index])) {
      return {mistake::output_not_written, "What was found stood in this place before your function began."};
    }
    if (const auto known = batches.explain ? batches.explain(index, value) : std::nullopt) return *known;
    return other_place_of(found, index);
  }

  /// Of batches from that number on which no operation wrote: begins with the loop that ended too early, where one is known.
  void tell_of_ended_loop(const run_facts& facts, const trace::location& place, std::size_t first,
                          report::evidence& why) const {
    const std::string loop = name_loop_around(facts, place, why);
    if (loop.empty()) return;
    const std::size_t count = values.size() / batches.elements;
    why.observation =
        fmt::format("{} ended after {} {} of 0 to {}: no operation wrote what comes behind that. {}",
                    report::capitalized(loop), batches.name, first - 1, count - 1, why.observation);
    bool may_be_rounded = false;  // whether it is what a division of the count leaves of it
    for (std::size_t parts = count - first + 1; parts <= first; ++parts)
      may_be_rounded |= count / parts * parts == first;
    const std::string division = may_be_rounded ? line_of_division(facts.source(), why) : "";
    if (division.empty()) return;
    why.observation += fmt::format(
        " Where the division at {} is rounded down, what it leaves over has to be done as well.", division);
    report::lead_first_to(why, division);
  }

  verdict judge(const run_facts& facts) const;
};

/// The call with that effect on executable graphs that is the last before the launch; the next one behind it, up to the next
/// launch of a graph, if its line is below that of the launch: it belongs to the same round and comes too late.
struct calls_around_launch {
  const trace::host_call* before = nullptr;
  const trace::host_call* behind = nullptr;
};

calls_around_launch updates_around(const run_facts& facts, const trace::host_call& launch) {
  calls_around_launch found;
  for (const trace::call_id id : facts.part().calls) {
    const trace::host_call& call = facts.recording().call_at(id);
    const trace::call_effect effect = trace::effect_of(call);
    const bool is_update = effect == trace::call_effect::updates_instantiated_graph;
    if (id > launch.id && call.function == launch.function) break;
    if (id < launch.id && (is_update || effect == trace::call_effect::instantiates_graph))
      found.before = &call;
    const bool is_below = call.where.file == launch.where.file && call.where.line > launch.where.line;
    if (id > launch.id && is_update && is_below && found.behind == nullptr) found.behind = &call;
  }
  return found;
}

/// The calls from the launch of a graph to the next launch, `later`.
struct round_of_update {
  bool has_update = false;                     ///< the given update is among them
  const trace::host_call* captured = nullptr;  ///< ended the only capture before that update
  trace::call_id begin_of_capture = 0;
};

/// A graph comes from a capture when the call that gives it names a stream.
bool ends_capture(const trace::host_call& call) {
  return trace::effect_of(call) == trace::call_effect::creates_graph &&
         trace::traits_of(call.function).names == trace::named_object::stream;
}

round_of_update round_between(const run_facts& facts, const trace::host_call& update,
                              const trace::host_call& later) {
  round_of_update found;
  int captures = 0;
  for (const trace::call_id id : facts.part().calls) {
    const trace::host_call& call = facts.recording().call_at(id);
    if (id >= later.id) break;
    if (call.function == later.function) {
      found = {};
      captures = 0;
    }
    found.has_update = found.has_update || id == update.id;
    if (call.error_code != 0 || id > update.id) continue;
    if (trace::effect_of(call) == trace::call_effect::begins_capture) found.begin_of_capture = id;
    if (ends_capture(call)) found.captured = ++captures == 1 ? &call : nullptr;
  }
  return found;
}

/// Leads to the calls that gave the node its arguments: what made the node, and the last update of the executable graph before its
/// launch. The mistake says which comes first.
void tell_of_node(const run_facts& facts, const trace::operation& node, report::mistake found,
                  report::evidence& why) {
  const trace::recording& recording = facts.recording();
  const trace::host_call& launch = recording.call_at(recording.operation_at(node.graph_launch).issued_by);
  const auto [last, behind] = updates_around(facts, launch);
  if (last != nullptr) {
    why.observation += fmt::format(" Before {}, the executable graph was made or changed last by {}.",
                                   in_words(recording, launch), in_words(recording, *last));
  }
  const bool update_first = found == mistake::graph_not_updated;
  const bool is_late = update_first && behind != nullptr;
  std::vector<std::string> places;
  if (is_late) {
    why.observation += fmt::format(" {} comes only behind that launch.", in_words(recording, *behind));
    places = {recording.describe(behind->where), recording.describe(launch.where)};
  }
  const std::string made = recording.describe(analysis::place_of_operation(recording, node.id));
  const std::string updated = last == nullptr ? "" : recording.describe(last->where);
  places.insert(places.end(), {update_first ? updated : made, update_first ? made : updated});
  for (const std::string& place : report::places_in(why)) places.push_back(place);
  why.where.clear();
  std::set<std::string> known{""};
  for (const std::string& place : places) {
    if (known.insert(place).second) why.where += (why.where.empty() ? "" : ", ") + place;
  }
  const bool is_update =
      last != nullptr && trace::effect_of(*last) == trace::call_effect::updates_instantiated_graph;
  if (!update_first || !is_update || is_late) return;
  const round_of_update round = round_between(facts, *last, launch);
  if (round.captured != nullptr && node.defined_by != 0 && node.defined_by < round.begin_of_capture) {
    const auto outermost = [&](const trace::location& place) {
      const std::vector<std::string> callers = report::callers_of(recording, place);
      return callers.empty() ? recording.describe(place) : callers.back();
    };
    const std::string newer = outermost(round.captured->where);
    why.observation += fmt::format(
        " That update was given a graph captured earlier ({}). The graph captured last ({}) was given to no update.",
        outermost(analysis::place_of_operation(recording, node.id)), newer);
    if (known.insert(newer).second) why.where += ", " + newer;
  } else if (!round.has_update) {
    why.observation += " Between the launch before and this one nothing updated it.";
    const std::size_t known_places = report::places_in(why).size();
    name_condition_before(facts.source(), why, report::callers_of(recording, last->where));
    if (report::places_in(why).size() == known_places) return;
    // The update is right where it is made: what keeps it from being made comes first.
    why.observation +=
        " That kept the update away, although this round needs other arguments: look at what is compared there, and where it "
        "gets its value.";
    report::lead_first_to(why, report::places_in(why).back());
  }
}

/// Says of what was computed from untouched memory what was not brought, and leads to it.
void tell_of_input(const run_facts& facts, const element_history& history, report::evidence& why) {
  std::optional<missing_input> missing;
  if (!history.missing_input.empty()) {
    missing = missing_input{history.missing_input, {history.missing_place}};
  } else if (history.made_by != 0) {
    missing = input_late_behind(facts, history.made_by);
    if (!missing) missing = input_missing_behind(facts, history.made_by);
    if (!missing) missing = input_copied_early_behind(facts, history.made_by);
  }
  why.observation +=
      missing
          ? ' ' + missing->sentence
          : " Either nothing brought the kernel's input to its place, or the kernel ran before it had arrived, or what was copied there "
            "had not been made yet.";
  const bool leads_to_line = missing && std::any_of(missing->places.begin(), missing->places.end(),
                                                    [&](const trace::location& place) {
                                                      return facts.recording().leads_to_line(place);
                                                    });
  if (leads_to_line) lead_to(why, facts.recording(), missing->places);
}

/// Where all buffers of an element of the contract's array hold the same wrong batch, the call that took it out is wrong, and not the
/// work in between: leads to it.
void tell_of_taking(const run_facts& facts, const element_source& source, const element_history& history,
                    report::evidence& why) {
  const trace::recording& recording = facts.recording();
  const std::string element = element_of(source.memory);
  const std::string line = recording.describe(source.taken->where);
  if (element.empty() || line.empty() || history.made_by == 0 || history.came_late) return;
  const auto is_of_element = [&](const std::optional<std::vector<trace::access>>& accesses) {
    return accesses && std::all_of(accesses->begin(), accesses->end(), [&](const trace::access& access) {
             return element_of(recording.allocation_at(access.allocation).name) == element;
           });
  };
  // With what others share, such as one buffer for all threads, the data may have been another's before the kernel.
  const auto brings_to_element = [&](trace::operation_id id) {
    const trace::operation& copy = recording.operation_at(id);
    return copy.kind == trace::operation_kind::copy && copy.accesses &&
           std::any_of(copy.accesses->begin(), copy.accesses->end(), [&](const trace::access& access) {
             return element_of(recording.allocation_at(access.allocation).name) == element;
           });
  };
  const operation_ids& operations = facts.part().operations;
  const bool is_all_of_element =
      is_of_element(recording.operation_at(history.made_by).accesses) &&
      std::all_of(operations.begin(), operations.end(), [&](trace::operation_id id) {
        return !brings_to_element(id) || is_of_element(recording.operation_at(id).accesses);
      });
  if (!is_all_of_element) return;
  why.observation += fmt::format(
      " All of that is the work of `{}`: it was filled again before its turn, or the call that took the result out of there ({}) is "
      "given the wrong number or memory, or comes too late.",
      element, line);
  report::lead_first_to(why, line);
}

/// Where copies of one line, all of one length, end short of the last element by what a division leaves: says so, with the only line
/// of those which give the length its value that divides, and leads to that. Of `left` elements of `all`, behind the last copy.
void tell_of_rounded_length(const run_facts& facts, const trace::location& line, std::size_t left,
                            std::size_t all, report::evidence& why) {
  std::size_t copies = 0, bytes = 0;
  for (const trace::operation_id id : facts.part().operations) {
    const trace::operation& copy = facts.recording().operation_at(id);
    if (!analysis::place_of_operation(facts.recording(), id).is_same_line(line)) continue;
    if (copy.kind != trace::operation_kind::copy || (copies != 0 && copy.bytes != bytes)) return;
    ++copies;
    bytes = copy.bytes;
  }
  const std::size_t length = bytes / sizeof(float);
  if (copies < 2 || left >= length || copies * length != all - left || all / copies != length) return;
  why.observation +=
      fmt::format(" The {} copies of that line bring {} elements each, {} in all: {} / {}, rounded down.",
                  copies, length, all - left, all, copies);
  const std::string division = line_of_division(facts.source(), why);
  if (division.empty()) return;
  why.observation += fmt::format(" The division is at {}.", division);
  report::lead_first_to(why, division);
}

verdict expected_buffer::judge(const run_facts& facts) const {
  const std::vector<float>* found = nullptr;
  try {
    found = &facts.answer().values<float>(name);
  } catch (const exercise::missing_name& missing) {
    return broken_lesson(missing.what());
  }
  if (found->size() != values.size()) {
    return broken_lesson(
        fmt::format("'{}' has {} elements instead of {}.", name, found->size(), values.size()));
  }
  const difference wrong = compare(values, *found);
  if (wrong.count == 0) return passed(fmt::format("{} elements", values.size()));
  const float value = (*found)[wrong.first];
  const bool is_tail = wrong.first > 0 && wrong.first + wrong.count == values.size();
  const auto source = source_of_element(facts, name, wrong.first);
  const element_history history =
      source ? history_of(facts, *source) : history_of(facts, name, (wrong.first + 1) * sizeof(float) - 1);
  value_meaning meaning = meaning_of(*found, wrong.first, history.made_by != 0);
  if (is_same(value, poison::device) && history.is_never_made)
    meaning.sentence = "No kernel made it: that is what the device buffer held before your function began.";
  if (meaning.mistake == mistake::input_not_copied && history.is_left_out)
    meaning = {mistake::output_not_written, "That stood there before your function began."};
  const bool may_be_kept =
      meaning.mistake == mistake::wrong_value || meaning.mistake == mistake::result_of_another_batch;
  if (const auto earlier = may_be_kept ? call_with_same(facts, *found) : std::nullopt) {
    meaning = {mistake::result_of_another_call,
               fmt::format("That is what the {} of your function gave for this place, for other data: {}",
                           *earlier == exercise::call::first ? "first call" : "call before",
                           history.made_by == 0
                               ? "it was kept."
                               : "what it was made from does not come from the data of this call.")};
  }
  const auto elsewhere =
      meaning.mistake == mistake::result_of_another_batch && source
          ? why_not_there(facts, batches.name, static_cast<std::int64_t>(wrong.first / batches.elements),
                          *source)
          : std::nullopt;
  const auto overwritten =
      meaning.mistake == mistake::result_of_another_batch && !elsewhere && history.made_by != 0
          ? overwritten_around(facts, history.made_by)
          : std::nullopt;
  if (overwritten) {
    meaning.sentence += ' ' + overwritten->sentence;
  } else if (meaning.mistake == mistake::result_of_another_batch && !elsewhere) {
    meaning.sentence +=
        " Its input was read again, it was put into the wrong place, or a buffer was used again before, or copied after, its turn.";
  }
  report::evidence why;
  why.required = "Every element of the result is right, under every legal schedule of the GPU.";
  why.observation = fmt::format(
      "{} of {} elements of `{}`{} are wrong. The first is {}: found {}, expected {}.{}{}", wrong.count,
      values.size(), name, is_tail ? ", all at the end," : "", place_of_element(wrong.first), value,
      values[wrong.first], meaning.sentence.empty() ? "" : " ", meaning.sentence);
  const bool are_batches_left_out = history.is_left_out && is_tail && !source && batches.elements != 0 &&
                                    wrong.first % batches.elements == 0;
  const bool came_too_late = meaning.mistake == mistake::output_not_written && history.was_brought;
  if (came_too_late) why.observation += " The right value came too late: the output had been read by then.";
  const bool is_of_its_input =
      meaning.mistake == mistake::wrong_value || meaning.mistake == mistake::result_of_another_batch;
  const std::string taken_at = source ? facts.recording().describe(source->taken->where) : "";
  if (is_of_its_input && !taken_at.empty() && !source->memory.empty())
    why.observation += fmt::format(" It was taken from `{}` ({}).", source->memory, taken_at);
  if (elsewhere) why.observation += ' ' + elsewhere->sentence;
  // Then what else was there does not matter.
  const bool is_in_other_element = elsewhere && elsewhere->is_in_other_element;
  const bool is_after_another = elsewhere && !is_in_other_element && history.sentence.starts_with("It ");
  if (is_after_another || (overwritten && history.sentence.starts_with("It "))) {
    why.observation += " What was found" + history.sentence.substr(std::string_view("It").size());
  } else if (!history.sentence.empty() && !is_in_other_element && !(elsewhere && history.came_late)) {
    why.observation += ' ' + history.sentence;
  }
  why.observation += history.left_by;
  // Of what is right and in the wrong place it does not matter what it was made from.
  if (is_of_its_input && !is_in_other_element && meaning.leads_to != line_of::last_writer)
    why.observation += history.inputs;
  if (history.sentence.empty() && is_same(value, poison::output))
    why.observation += " Its copy had not arrived when it was read, or was never made.";
  if (came_too_late || meaning.leads_to == line_of::last_writer) {
    lead_to(why, facts.recording(), history.last_place);
  } else {
    lead_to(why, facts.recording(), history.places);
  }
  if (history.nearest != 0) {
    const std::string misplaced = tell_of_misplaced_pieces(facts, history.nearest, why);
    if (!misplaced.empty()) why.observation += ' ' + misplaced;
  }
  if (are_batches_left_out && !history.places.empty())
    tell_of_ended_loop(facts, history.places.front(), wrong.first / batches.elements, why);
  if (history.is_left_out && is_tail && !source && !history.places.empty())
    tell_of_rounded_length(facts, history.places.front(), wrong.count, values.size(), why);
  if (meaning.mistake == mistake::output_not_written) {
    if (const trace::thread_id left = thread_left_by(facts))
      tell_of_left_thread(facts.recording(), facts.source(), left, why);
  }
  if (is_of_its_input && history.made_by == 0 && !taken_at.empty()) report::lead_first_to(why, taken_at);
  if (elsewhere) {
    const std::string place = facts.recording().describe(elsewhere->place);
    report::lead_first_to(why, place);
    // Or the number is wrong.
    if (is_in_other_element) lead_to_choice(facts.source(), value_of::statement, "memory", why);
    report::lead_first_to(why, place);
  } else if (overwritten) {
    lead_to(why, facts.recording(), overwritten->places);
  } else if (meaning.mistake == mistake::result_of_another_batch && source) {
    tell_of_taking(facts, *source, history, why);
  }
  if (history.made_by != 0) {
    const trace::operation& maker = facts.recording().operation_at(history.made_by);
    const bool is_of_its_arguments =
        meaning.mistake == mistake::graph_not_updated || meaning.mistake == mistake::wrong_value;
    if (maker.graph_launch != 0 && is_of_its_arguments) tell_of_node(facts, maker, meaning.mistake, why);
  }
  if (meaning.mistake == mistake::input_not_copied) tell_of_input(facts, history, why);
  if (meaning.mistake == mistake::result_of_another_step) name_condition_before(facts.source(), why);
  const bool is_of_other_work =
      meaning.mistake == mistake::graph_not_updated || meaning.mistake == mistake::result_of_another_step;
  const bool is_of_order = history.came_late || history.was_brought;
  why.read_next =
      is_tail && !is_of_other_work && !is_of_order
          ? (history.is_left_out
                 ? "How the work is cut: do the pieces reach the last element?"
                 : "How the work is cut: do the pieces reach the last element, and is the last of them "
                   "waited for?")
      : history.has_too_few_threads
          ? "The number of blocks of that launch: is there a thread for each element?"
      : history.came_late
          ? "A stream, an event or a wait of the host puts work in order. Without one, right data are luck."
          : "The section \"The task\" in the lesson's text, and what the contract says about the data.";
  verdict wrong_data = failed(run_verdict::wrong_answer, meaning.mistake, why);
  wrong_data.is_explained = elsewhere.has_value() || overwritten.has_value();
  return wrong_data;
}

}  // namespace

batching in_batches_of(std::size_t elements, std::string name) { return {elements, std::move(name)}; }

matcher Returns(std::string name, std::vector<float> expected, batching batches) {
  const auto buffer = std::make_shared<const expected_buffer>(
      expected_buffer{std::move(name), std::move(expected), std::move(batches)});
  return {fmt::format("'{}' holds the expected {} elements under every schedule", buffer->name,
                      buffer->values.size()),
          [buffer](const run_facts& facts) {
            verdict found = buffer->judge(facts);
            found.found_in = basis::data;
            return found;
          },
          reach::every_run};
}

}  // namespace matchers
