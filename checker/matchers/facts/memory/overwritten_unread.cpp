#include "matchers/facts/memory/overwritten_unread.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "analysis/places.h"
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

uses_of_memory uses_in(const run_facts& run) {
  uses_of_memory found;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (!operation.accesses) continue;
    for (const trace::access& access : *operation.accesses) {
      if (access.mode != trace::access_mode::write)
        found[access.allocation].reads.push_back({&operation, &access});
      if (access.mode != trace::access_mode::read)
        found[access.allocation].writes.push_back({&operation, &access});
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
                       return id != begin && !order.is_before(id, begin) &&
                              (id == end || !order.is_before(end, id)) &&
                              read.access->bytes.overlaps(first.access->bytes);
                     }) ||
         std::any_of(memory.host_reads.begin(), memory.host_reads.end(), [&](const uses::of_host& read) {
           return !order.is_before(read.point, begin) && !order.is_before(end, read.point) &&
                  read.access->bytes.overlaps(first.access->bytes);
         });
}

}  // namespace

std::vector<overwritten_write> overwritten_unread(const run_facts& run, trace::operation_kind kind) {
  std::vector<overwritten_write> found;
  if (!run.recording().host_accesses) return found;
  for (const auto& [allocation, memory] : uses_in(run)) {
    for (auto first = memory.writes.begin(); first != memory.writes.end(); ++first) {
      if (first->operation->kind != kind) continue;
      const auto second = std::find_if(first + 1, memory.writes.end(), [&](const uses::of_operation& later) {
        return lies_in(first->access->bytes, later.access->bytes) &&
               run.ordering().is_before(first->operation->id, later.operation->id);
      });
      if (second != memory.writes.end() && !is_used_between(run, memory, *first, *second))
        found.push_back({first->operation, second->operation, first->access});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const overwritten_write& one, const overwritten_write& other) {
                     return one.first->id < other.first->id;
                   });
  return found;
}

namespace {

/// Whether the operation reads, or writes, bytes of that access.
bool touches(const trace::operation& operation, const trace::access& access, bool writes) {
  return operation.accesses &&
         std::any_of(operation.accesses->begin(), operation.accesses->end(), [&](const trace::access& one) {
           const bool is_way = one.mode != (writes ? trace::access_mode::read : trace::access_mode::write);
           return is_way && one.allocation == access.allocation && one.bytes.overlaps(access.bytes);
         });
}

/// The first operation of the part that reads bytes of the access behind that one; nullptr when none does.
const trace::operation* first_reader_behind(const run_facts& run, const trace::operation& writer,
                                            const trace::access& written) {
  const trace::operation* first = nullptr;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& reader = run.recording().operation_at(id);
    if (!touches(reader, written, false) || !run.ordering().is_before(writer.id, id)) continue;
    if (first == nullptr || reader.start < first->start) first = &reader;
  }
  return first;
}

}  // namespace

std::optional<early_overwrite> overwritten_around(const run_facts& run, trace::operation_id kernel) {
  const trace::recording& recording = run.recording();
  const trace::operation& maker = recording.operation_at(kernel);
  for (const trace::operation_kind kind : {trace::operation_kind::copy, trace::operation_kind::kernel}) {
    const bool is_copy = kind == trace::operation_kind::copy;
    for (const auto& [first, over_it, written] : overwritten_unread(run, kind)) {
      const bool is_alike = first->kind == over_it->kind &&
                            (is_copy ? trace::direction_of(*first) == trace::direction_of(*over_it)
                                     : first->name == over_it->name && first->name == maker.name);
      const bool is_behind_it = over_it->id == kernel || run.ordering().is_before(over_it->id, kernel);
      const trace::operation* const reader = is_alike && is_behind_it && touches(maker, *written, !is_copy)
                                                 ? first_reader_behind(run, *over_it, *written)
                                                 : nullptr;
      if (reader == nullptr) continue;
      const std::string line = place_of(recording, *over_it), earlier_line = place_of(recording, *first);
      const bool is_one_line = line == earlier_line;
      return early_overwrite{
          fmt::format(
              "{} was used again too early: {}{} wrote over what {}{} had {} there{}, and only then {}{} read it.",
              report::capitalized(report::allocation_in_words(recording, written->allocation)),
              report::name_of(recording, *over_it), is_one_line ? "" : in_brackets(line),
              report::name_of(recording, *first), is_one_line ? "" : in_brackets(earlier_line),
              is_copy ? "brought" : "made", is_one_line && !line.empty() ? ", both at " + line : "",
              report::name_of(recording, *reader), in_brackets(place_of(recording, *reader))),
          {analysis::place_of_operation(recording, over_it->id),
           analysis::place_of_operation(recording, reader->id)}};
    }
  }
  return std::nullopt;
}

}  // namespace matchers
