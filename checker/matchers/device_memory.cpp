#include "matchers/device_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/memory/held_memory.h"
#include "matchers/facts/words.h"

namespace matchers {
namespace {

using report::mistake;
using report::run_verdict;
using trace::allocation;
using trace::memory_kind;

verdict judge_frees(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  std::vector<allocation> made = made_by(run, calls, memory_kind::device);
  for (const allocation& memory : made_for_this_call(run, memory_kind::device)) {
    if (run.is_before_main(recording.call_at(memory.allocated_by))) made.push_back(memory);
  }
  for (const allocation& memory : made) {
    if (std::binary_search(calls.begin(), calls.end(), memory.freed_by)) continue;
    const trace::host_call& call = recording.call_at(memory.allocated_by);
    report::evidence why;
    why.required = "Whatever device memory your function makes, it frees.";
    why.observation = fmt::format("The {} of {} were not freed when your function returned.",
                                  megabytes(memory.bytes), in_words(recording, call));
    const auto times = std::count_if(made.begin(), made.end(), [&](const allocation& other) {
      return !std::binary_search(calls.begin(), calls.end(), other.freed_by) &&
             recording.call_at(other.allocated_by).where.is_same_line(call.where);
    });
    if (times > 1) why.observation += fmt::format(" This happened {} times on this line.", times);
    lead_to(why, recording, call.where);
    why.read_next = "What the contract says about memory.";
    return failed(run_verdict::requirement_missed, mistake::never_released, why);
  }
  return passed();
}

/// The first call of the learner's file that takes stream-ordered memory; nullptr when there is none.
const trace::host_call* first_from_a_pool(const trace::recording& recording) {
  for (const trace::operation& operation : recording.operations) {
    if (operation.kind != trace::operation_kind::allocate || operation.issued_by == 0) continue;
    const trace::host_call& call = recording.call_at(operation.issued_by);
    if (recording.is_own(call.where)) return &call;
  }
  return nullptr;
}

/// The last call of the part that has this effect; nullptr when none has.
const trace::host_call* last_with(const run_facts& run, trace::call_effect effect) {
  const trace::host_call* last = nullptr;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) == effect && call.error_code == 0) last = &call;
  }
  return last;
}

/// The first part of that name with a call that sets an attribute of a pool.
const trace::host_call* first_round_that_sets_a_pool(const run_facts& run, std::size_t rounds) {
  for (std::size_t round = 1; round <= rounds; ++round) {
    if (const auto* const call =
            last_with(run.of_part(fmt::format("round {}", round)), trace::call_effect::sets_pool))
      return call;
  }
  return nullptr;
}

verdict judge_release_threshold(const run_facts& run, const std::string& name, std::size_t bytes) {
  const trace::recording& recording = run.recording();
  const std::vector<std::int64_t>& thresholds = run.answer().values<std::int64_t>(name);
  const auto low = std::find_if(thresholds.begin(), thresholds.end(), [&](std::int64_t threshold) {
    return static_cast<std::uint64_t>(threshold) < bytes;
  });
  if (low == thresholds.end()) return passed();
  const auto round = static_cast<std::size_t>(low - thresholds.begin());
  report::evidence why;
  why.required =
      fmt::format("The pool keeps the {} that your function may have at a time.", megabytes(bytes));
  why.observation = fmt::format(
      "Its release threshold is {} bytes{}: what it holds beyond them a synchronization may give back.", *low,
      round == 0 ? "" : fmt::format(" after round {}", round));
  why.read_next = "cudaMemPoolAttrReleaseThreshold in the section \"The calls\" in the lesson's text.";
  if (round > 0) {
    why.observation += fmt::format(" prepare_pool() had left it at {}.", thresholds.front());
    if (const auto* const set =
            last_with(run.of_part(fmt::format("round {}", round)), trace::call_effect::sets_pool)) {
      why.observation += fmt::format(" {} changed it.", report::capitalized(in_words(recording, *set)));
      lead_to(why, recording, set->where);
    }
  } else if (const auto* const set = last_with(run, trace::call_effect::sets_pool)) {
    lead_to(why, recording, set->where);
    if (run.answer().integer(name + ".of_another_pool") != 0) {
      why.observation +=
          fmt::format(" {} sets that of another pool than the one that your function is given.",
                      report::capitalized(in_words(recording, *set)));
    }
  } else if (const auto* const later = first_round_that_sets_a_pool(run, thresholds.size() - 1)) {
    why.observation += fmt::format(" prepare_pool() sets nothing. {} comes in a round.",
                                   report::capitalized(in_words(recording, *later)));
    const std::string definition = line_of_definition(run.source(), "prepare_pool");
    why.where = (definition.empty() ? "" : definition + ", ") + recording.describe(later->where);
  } else {
    why.observation += " No call sets it.";
    why.where = line_of_definition(run.source(), "prepare_pool");
    if (const trace::host_call* const trim = last_with(run, trace::call_effect::trims_pool)) {
      why.observation += fmt::format(" {} only gives back once what the pool holds, and sets nothing.",
                                     report::capitalized(in_words(recording, *trim)));
      lead_to(why, recording, trim->where);
    }
    if (const trace::host_call* const first = first_from_a_pool(recording)) {
      why.observation +=
          fmt::format(" {} and those like it then take memory from the device again and again.",
                      report::capitalized(in_words(recording, *first)));
      why.where += (why.where.empty() ? "" : ", ") + recording.describe(first->where);
    }
  }
  return failed(run_verdict::requirement_missed, mistake::costly_calls, why);
}

verdict judge_allocations(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  const auto& used = run.part().operations;
  const auto is_own = [&](const allocation& memory) {
    if (std::binary_search(calls.begin(), calls.end(), memory.allocated_by)) return true;
    return memory.allocated_by != 0 && run.is_before_main(recording.call_at(memory.allocated_by)) &&
           std::any_of(used.begin(), used.end(),
                       [&](trace::operation_id id) { return uses(recording.operation_at(id), memory); });
  };
  const allocation* first = nullptr;
  std::size_t count = 0;
  std::size_t bytes = 0;  // of all that this line made
  for (const allocation& memory : recording.allocations) {
    if (!is_own(memory)) continue;
    if (first == nullptr) first = &memory;
    const trace::host_call& call = recording.call_at(memory.allocated_by);
    const trace::host_call& example = recording.call_at(first->allocated_by);
    if (call.function != example.function || call.where != example.where) continue;
    ++count;
    bytes += memory.bytes;
  }
  if (first == nullptr) return passed();
  const trace::host_call& made = recording.call_at(first->allocated_by);
  report::evidence why;
  why.required = "Your function does with the memory that it is given.";
  why.observation = fmt::format("{} made {} more{}.", in_words(recording, made), megabytes(bytes),
                                count == 1 ? "" : fmt::format(", in {} calls", count));
  lead_to(why, recording, made.where);
  why.read_next = "What the contract says about memory.";
  return failed(run_verdict::requirement_missed, mistake::memory_of_its_own, why);
}

verdict judge_written_memory(const run_facts& run, const operation_set& set) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : members(run.part(), set)) {
    const trace::operation& operation = recording.operation_at(id);
    if (!operation.accesses) continue;
    for (const trace::access& access : *operation.accesses) {
      const trace::allocation& memory = recording.allocation_at(access.allocation);
      if (access.mode == trace::access_mode::read || trace::is_stream_ordered(recording, memory)) continue;
      report::evidence why;
      why.required = fmt::format("The {} write into stream-ordered memory of your function.", set.words);
      why.observation = fmt::format("{} writes into {}.", report::capitalized(in_words(recording, operation)),
                                    report::allocation_in_words(recording, memory.id));
      lead_to(why, recording, operation);
      why.read_next = "cudaMallocAsync in the section \"The calls\" in the lesson's text.";
      return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
    }
  }
  return passed();
}

verdict judge_memory_of_kernels(const run_facts& run, const operation_set& set) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : members(run.part(), set)) {
    const trace::operation& kernel = recording.operation_at(id);
    if (!kernel.accesses) continue;
    for (const trace::access& access : *kernel.accesses) {
      const memory_kind kind = recording.allocation_at(access.allocation).kind;
      if (kind != memory_kind::pinned && kind != memory_kind::pageable) continue;
      report::evidence why;
      why.required =
          fmt::format("The {} work in device memory: the data go there, and back, in copies.", set.words);
      why.observation = fmt::format("{} {} {}.", report::capitalized(in_words(recording, kernel)),
                                    access.mode == trace::access_mode::read ? "reads" : "writes into",
                                    report::allocation_in_words(recording, access.allocation));
      lead_to(why, recording, analysis::place_of_operation(recording, id));
      why.read_next = "What the contract says about the way of the data: host, device, kernel, host.";
      return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
    }
  }
  return passed();
}

}  // namespace

matcher FreesDeviceMemory() {
  return {"frees the device memory that it makes", judge_frees, reach::every_call};
}

matcher KeepsInThePool(std::string threshold, std::size_t bytes) {
  return {fmt::format("the pool keeps {}", megabytes(bytes)),
          [threshold = std::move(threshold), bytes](const run_facts& run) {
            return judge_release_threshold(run, threshold, bytes);
          },
          reach::every_call};
}

matcher AllocatesNoMemory() { return {"allocates no memory", judge_allocations, reach::every_call}; }

matcher WorkInDeviceMemory(operation_set operations) {
  return {fmt::format("{} work in device memory", operations.words),
          [operations](const run_facts& run) { return judge_memory_of_kernels(run, operations); },
          reach::every_call};
}

matcher WriteIntoStreamOrderedMemory(operation_set operations) {
  return {fmt::format("{} write into stream-ordered memory", operations.words),
          [operations](const run_facts& run) { return judge_written_memory(run, operations); },
          reach::every_call};
}

}  // namespace matchers
