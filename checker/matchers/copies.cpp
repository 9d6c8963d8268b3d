#include "matchers/copies.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "matchers/facts/words.h"

namespace matchers {

namespace {

/// What operations and the host do with one allocation.
struct uses {
  struct of_operation {
    const trace::operation* operation;
    const trace::access* access;
  };
  struct of_host {
    analysis::host_point point;
    const trace::access* access;
  };
  std::vector<of_operation> writes;  ///< in the order of issue
  std::vector<of_operation> reads;
  std::vector<of_host> host_reads;
};

using uses_of_memory = std::map<trace::allocation_id, uses>;

using report::mistake;
using report::run_verdict;

uses_of_memory uses_in(const run_facts& run) {
  uses_of_memory found;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (!operation.accesses) continue;
    for (const trace::access& access : *operation.accesses) {
      if (access.mode != trace::access_mode::write) found[access.allocation].reads.push_back({&operation, &access});
      if (access.mode != trace::access_mode::read) found[access.allocation].writes.push_back({&operation, &access});
    }
  }
  for (const trace::host_access& host : *run.recording().host_accesses) {
    const auto memory = found.find(host.access.allocation);
    if (memory == found.end() || host.access.mode == trace::access_mode::write) continue;
    memory->second.host_reads.push_back({{host.thread, host.after, host.step}, &host.access});
  }
  return found;
}

/// Whether the first set is one range, and lies in one range of the other.
bool lies_in(const trace::byte_set& inner, const trace::byte_set& outer) {
  const auto is_range = [](const trace::byte_set& set) {
    return set.bounds().end - set.bounds().begin == set.size_bytes();
  };
  return is_range(inner) && is_range(outer) && outer.bounds().begin <= inner.bounds().begin &&
         inner.bounds().end <= outer.bounds().end;
}

/// Whether something may read between the two writes what the first has written.
bool is_used_between(const run_facts& run, const uses& memory, const uses::of_operation& first,
                     const uses::of_operation& second) {
  const analysis::ordering& order = run.ordering();
  const trace::operation_id begin = first.operation->id, end = second.operation->id;
  return std::any_of(memory.reads.begin(), memory.reads.end(),
                     [&](const uses::of_operation& read) {
                       const trace::operation_id id = read.operation->id;
                       return id != begin && !order.is_before(id, begin) && (id == end || !order.is_before(end, id)) &&
                              read.access->bytes.overlaps(first.access->bytes);
                     }) ||
         std::any_of(memory.host_reads.begin(), memory.host_reads.end(), [&](const uses::of_host& read) {
           return !order.is_before(read.point, begin) && !order.is_before(end, read.point) &&
                  read.access->bytes.overlaps(first.access->bytes);
         });
}

/// A copy, and what writes over all that it brings before anything reads it.
struct vain_copy {
  const trace::operation* copy;
  const trace::operation* over_it;
};

std::vector<vain_copy> vain_copies(const run_facts& run) {
  std::vector<vain_copy> found;
  for (const auto& [allocation, memory] : uses_in(run)) {
    for (auto first = memory.writes.begin(); first != memory.writes.end(); ++first) {
      if (first->operation->kind != trace::operation_kind::copy) continue;
      const auto second = std::find_if(first + 1, memory.writes.end(), [&](const uses::of_operation& later) {
        return lies_in(first->access->bytes, later.access->bytes) &&
               run.ordering().is_before(first->operation->id, later.operation->id);
      });
      if (second != memory.writes.end() && !is_used_between(run, memory, *first, *second))
        found.push_back({first->operation, second->operation});
    }
  }
  return found;
}

verdict judge_vain_copies(const run_facts& run) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses) return passed("which bytes were used is not recorded");
  const std::vector<vain_copy> vain = vain_copies(run);
  if (vain.empty()) return passed();
  const auto [copy, over_it] = *std::min_element(
      vain.begin(), vain.end(), [](const vain_copy& a, const vain_copy& b) { return a.copy->id < b.copy->id; });
  report::evidence why;
  why.required = "What a copy brings is used before something else is written there.";
  why.observation = fmt::format("Nothing read what {} brought before {} wrote over it.", in_words(recording, *copy),
                                in_words(recording, *over_it));
  if (vain.size() > 1) why.observation += fmt::format(" {} copies are in vain like this one.", vain.size());
  lead_to(why, recording, *copy);
  why.read_next = "What the contract says about the way of the data, and how often each step is taken.";
  return failed(run_verdict::requirement_missed, mistake::copied_in_vain, why);
}

bool is_between_devices(const trace::recording& recording, const trace::operation& operation) {
  if (operation.kind != trace::operation_kind::copy || !operation.accesses) return false;
  std::set<std::uint32_t> devices;
  for (const trace::access& access : *operation.accesses) {
    const trace::allocation& memory = recording.allocation_at(access.allocation);
    if (memory.kind == trace::memory_kind::device) devices.insert(memory.device);
  }
  return devices.size() > 1;
}

/// "elements 10 to 19"
std::string elements_in_words(std::uint64_t first, std::uint64_t end) {
  return fmt::format("elements {} to {}", first, end - 1);
}

verdict judge_places(const run_facts& run, const std::string& from, const std::string& to,
                     const std::string& count) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& copy = recording.operation_at(id);
    if (!is_between_devices(recording, copy)) continue;
    for (const trace::access& access : *copy.accesses) {
      const bool is_read = access.mode == trace::access_mode::read;
      const std::string& memory = recording.allocation_at(access.allocation).name;
      const std::string& member = is_read ? from : to;
      const std::string first_of = memory.substr(0, memory.find('.') + 1) + member;
      if (!run.answer().has(first_of)) continue;
      const auto first = static_cast<std::uint64_t>(run.answer().integer(first_of));
      const std::uint64_t end = first + static_cast<std::uint64_t>(run.answer().integer(count));
      const trace::byte_range touched = access.bytes.bounds();
      if (first * sizeof(float) <= touched.begin && touched.end <= end * sizeof(float)) continue;
      report::evidence why;
      why.required = fmt::format(
          "What one device sends to another is read from `{}` on and written from `{}` on, `{}` elements.",
          from, to, count);
      why.observation =
          fmt::format("{} {} {} of `{}`. Its place there is {}: `{}` is {}.",
                      report::capitalized(in_words(recording, copy)), is_read ? "reads" : "writes",
                      elements_in_words(touched.begin / sizeof(float), touched.end / sizeof(float)), memory,
                      elements_in_words(first, end), first_of, first);
      lead_to(why, recording, copy);
      why.read_next = "What the contract says about the elements that are sent, and about where they go.";
      return failed(run_verdict::wrong_answer, mistake::wrong_argument, why);
    }
  }
  return passed();
}

}  // namespace

matcher SendsFromTo(std::string from, std::string to, std::string count) {
  return {fmt::format("what is sent goes from `{}` to `{}`", from, to),
          [=](const run_facts& run) { return judge_places(run, from, to, count); }, reach::every_call};
}

matcher CopiesNothingInVain() {
  return {"what each copy brings is used", judge_vain_copies, reach::every_call};
}

}  // namespace matchers
