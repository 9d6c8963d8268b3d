#include "matchers/needless_waits.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/places.h"
#include "matchers/facts/waiting_calls.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

/// The device work of the part that was issued before an operation.
class work_before {
 public:
  work_before(const run_facts& run, const trace::operation& waiting) : run_(run), waiting_(waiting) {
    for (const trace::operation_id id : run.part().operations) {
      if (id < waiting.id && analysis::is_device_work(at(id).kind) && at(id).accesses) all_.push_back(id);
    }
  }

  /// The first for which it waits although that is in another stream and gives nothing that is needed; nullptr when there is
  /// none. What is needed and not waited for is another mistake.
  const trace::operation* first_needless() const {
    operation_ids needed{waiting_.id};
    std::set<trace::operation_id> known{waiting_.id};
    for (std::size_t i = 0; i < needed.size(); ++i) {
      for (const trace::operation_id id : all_) {
        if (id < needed[i] && analysis::share_data(at(id), at(needed[i])) && known.insert(id).second)
          needed.push_back(id);
      }
    }
    for (const trace::operation_id id : all_) {
      const bool is_elsewhere = at(id).stream != waiting_.stream;
      if (known.count(id) == 0 && is_elsewhere && run_.ordering().is_before(id, waiting_.id)) return &at(id);
    }
    return nullptr;
  }

  /// The record behind `needless` by which the operation waits for it; nullptr when it does so in another way.
  const trace::operation* record_behind(const trace::operation& needless) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& record = at(id);
      if (record.kind == trace::operation_kind::event_record && record.stream == needless.stream &&
          id > needless.id && run_.ordering().is_before(id, waiting_.id))
        return &record;
    }
    return nullptr;
  }

  /// An allocation between the two in the stream of the record, of memory that the operation uses; nullptr when there is none.
  const trace::operation* allocation_between(const trace::operation& needless,
                                             const trace::operation& record) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& allocation = at(id);
      if (allocation.kind == trace::operation_kind::allocate && allocation.stream == record.stream &&
          needless.id < id && id < record.id && allocation.accesses &&
          analysis::share_data(allocation, waiting_))
        return &allocation;
    }
    return nullptr;
  }

  /// The wait of the operation's stream for that record; nullptr when another stream waits for it.
  const trace::operation* wait_for(const trace::operation& record) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& wait = at(id);
      if (wait.kind == trace::operation_kind::event_wait && wait.stream == waiting_.stream &&
          wait.captured == record.id && id < waiting_.id)
        return &wait;
    }
    return nullptr;
  }

  /// The first operation behind that wait and before the own one that needs what is waited for; nullptr when there is none.
  const trace::operation* served_by(const trace::operation& wait, const trace::operation& needless) const {
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& other = at(id);
      if (other.stream == waiting_.stream && wait.id < id && id < waiting_.id && other.accesses &&
          analysis::share_data(needless, other))
        return &other;
    }
    return nullptr;
  }

  /// Whether it needs something of that stream.
  bool needs_work_of(trace::stream_id stream) const {
    return std::any_of(all_.begin(), all_.end(), [&](trace::operation_id id) {
      return at(id).stream == stream && analysis::share_data(at(id), waiting_);
    });
  }

 private:
  const trace::operation& at(trace::operation_id id) const { return run_.recording().operation_at(id); }

  const run_facts& run_;
  const trace::operation& waiting_;
  operation_ids all_;
};

verdict judge_dependencies(const run_facts& run, const operation_set& set) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id> waits = waiting_calls(run.part());
  for (const trace::operation_id id : members(run.part(), set)) {
    const trace::operation& waiting = recording.operation_at(id);
    if (!waiting.accesses || (!waits.empty() && waits.front() < waiting.issued_by)) continue;
    const work_before before(run, waiting);
    const trace::operation* const needless = before.first_needless();
    const trace::operation* const record = needless == nullptr ? nullptr : before.record_behind(*needless);
    if (record == nullptr) continue;
    report::evidence why;
    why.required = fmt::format("The {} wait for nothing that they do not need.", set.words);
    why.observation = fmt::format(
        "{} waits for {} ({}), and needs nothing of it: the event that it waits for was recorded behind it ({}).",
        report::capitalized(in_words(recording, waiting)), in_words(recording, *needless),
        place_of(recording, *needless), place_of(recording, *record));
    lead_to(why, recording, *record);
    why.read_next = "\"Recorded too late\" in the section \"The idea\" of the lesson's text.";
    const std::string in = report::stream_in_words(recording, record->stream);
    const std::string own = report::stream_in_words(recording, waiting.stream);
    const trace::operation* const wait = before.wait_for(*record);
    if (const trace::operation* const allocation = before.allocation_between(*needless, *record)) {
      const std::string place = place_of(recording, *allocation);
      why.observation += fmt::format(
          " It has to wait, because its memory is allocated in {}, behind that as well ({}): allocate the memory in {}, which "
          "uses it first.",
          in, place, own);
      report::lead_first_to(why, place);
      why.read_next =
          "cudaMallocAsync in the section \"The calls\" of the lesson's text: which stream is its last argument?";
    } else if (const trace::operation* const served =
                   wait == nullptr ? nullptr : before.served_by(*wait, *needless)) {
      const std::string place = place_of(recording, *served);
      why.observation += fmt::format(
          " What needs this wait{} is {}{}; what {} does next is kept back as well. {}",
          in_brackets(place_of(recording, *wait)), in_words(recording, *served), in_brackets(place), own,
          served->kind == trace::operation_kind::release
              ? fmt::format("Free the memory in {}: there it needs no wait.", in)
              : "Queue that before the wait, or in another stream.");
      lead_to(why, recording,
              std::vector{analysis::place_of_operation(recording, wait->id),
                          analysis::place_of_operation(recording, served->id),
                          analysis::place_of_operation(recording, record->id)});
      why.read_next =
          "The section \"The idea\" in the lesson's text: in which stream is what only follows the other's work?";
    } else if (!before.needs_work_of(record->stream)) {
      why.observation +=
          fmt::format(" {} needs nothing of {} there: which of the two has to wait for the other?",
                      report::capitalized(own), in);
      why.read_next =
          "cudaEventRecord and cudaStreamWaitEvent in the section \"The idea\" of the lesson's text: which stream waits, "
          "and for which?";
    }
    if (needless->end <= waiting.issued)
      why.observation += " On this device that may cost no time, on another it does.";
    return failed(run_verdict::no_overlap, mistake::needless_wait, why);
  }
  return recording.host_accesses ? passed() : passed("which data they need is not recorded");
}

/// The stream that the host waits for in the call; 0: for more than one. Of an event that was never recorded, nothing.
std::optional<trace::stream_id> stream_waited_for(const trace::recording& recording,
                                                  const trace::host_call& call) {
  switch (trace::traits_of(call.function).waits_for) {
    case trace::wait_target::stream:
      return call.stream;
    case trace::wait_target::event:
      if (call.captured == 0) return std::nullopt;
      return recording.operation_at(call.captured).stream;
    case trace::wait_target::device:
      return 0;
    default:
      return std::nullopt;
  }
}

verdict judge_waits_in(const run_facts& run, const std::string& part_name) {
  const trace::recording& recording = run.recording();
  std::set<trace::stream_id> awaited;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = recording.operation_at(id);
    // Not the driver's record in the default stream: on a GPU the learner's line stands for it.
    const bool is_work = !analysis::is_marker(operation.kind) && operation.issued_by != 0;
    if (is_work && recording.is_own(recording.call_at(operation.issued_by).where))
      awaited.insert(operation.stream);
  }
  if (awaited.empty()) return passed();  // it is what is asked first
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = recording.call_at(id);
    if (trace::effect_of(call) != trace::call_effect::synchronizes || call.error_code != 0) continue;
    const std::optional<trace::stream_id> stream = stream_waited_for(recording, call);
    if (!stream || awaited.count(*stream) != 0) continue;
    report::evidence why;
    why.required =
        fmt::format("In each {} the host waits for the stream of its work and for nothing else.", part_name);
    why.observation =
        fmt::format("{} waits for {}.", in_words(recording, call),
                    *stream == 0 ? "the whole device" : report::stream_in_words(recording, *stream));
    lead_to(why, recording, call.where);
    why.read_next = "cudaStreamSynchronize in the section \"The calls\" in the lesson's text.";
    return failed(run_verdict::requirement_missed, mistake::needless_wait, why);
  }
  return passed();
}

}  // namespace

matcher WaitsOnlyForWhatItNeeds(operation_set operations) {
  return {fmt::format("{} wait for nothing that they do not need", operations.words),
          [operations](const run_facts& run) { return judge_dependencies(run, operations); },
          reach::every_call};
}

matcher WaitsOnlyForItsOwnStreams(std::string part_name, int count) {
  return {
      fmt::format("in each {} the host waits only for streams with work of that {}", part_name, part_name),
      [part_name, count](const run_facts& run) {
        for (int i = 0; i < count; ++i) {
          const std::optional<run_facts> inner = inner_part(run, fmt::format("{} {}", part_name, i));
          if (!inner) return passed();  // PartsLast says so
          const verdict found = judge_waits_in(*inner, part_name);
          if (found.outcome != report::criterion_verdict::pass) return found;
        }
        return passed();
      }};
}

}  // namespace matchers
