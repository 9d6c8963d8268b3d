#include "matchers/facts/batch_way.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "analysis/places.h"
#include "matchers/facts/own_element.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

bool touches(const trace::operation& operation, trace::allocation_id memory, trace::access_mode mode) {
  return operation.accesses &&
         std::any_of(operation.accesses->begin(), operation.accesses->end(),
                     [&](const trace::access& one) { return one.allocation == memory && one.mode == mode; });
}

bool writes_to(const trace::operation& operation, trace::allocation_id memory) {
  return touches(operation, memory, trace::access_mode::write) ||
         touches(operation, memory, trace::access_mode::atomic);
}

/// The only memory that the operation writes; 0 when there is none, or more than one.
trace::allocation_id written_by(const trace::operation& operation) {
  trace::allocation_id found = 0;
  for (const trace::access& access : *operation.accesses) {
    if (access.mode == trace::access_mode::read || access.allocation == found) continue;
    if (found != 0) return 0;
    found = access.allocation;
  }
  return found;
}

/// The first operation of the part behind `since` that touches the memory, where it only reads it; nullptr otherwise.
const trace::operation* next_reader(const run_facts& run, trace::allocation_id memory,
                                    trace::operation_id since) {
  for (const trace::operation_id id : run.part().operations) {
    if (id <= since) continue;
    const trace::operation& operation = run.recording().operation_at(id);
    if (operation.kind == trace::operation_kind::allocate) continue;
    if (writes_to(operation, memory)) return nullptr;
    if (touches(operation, memory, trace::access_mode::read)) return &operation;
  }
  return nullptr;
}

/// The memory of that name in the part; of several, the last: each call has its own.
trace::allocation_id memory_named(const run_facts& run, const std::string& name) {
  trace::allocation_id found = 0;
  for (const trace::allocation& allocation : run.recording().allocations) {
    const bool came_later = !run.part().calls.empty() && allocation.allocated_by > run.part().calls.back();
    if (allocation.name == name && !came_later) found = allocation.id;
  }
  return found;
}

}  // namespace

std::optional<batch_way> way_of_batch(const run_facts& run, std::int64_t batch) {
  const std::vector<filled_memory> all = memory_filled(run);
  const auto is_of_batch = [&](const filled_memory& one) { return one.item == batch; };
  const auto filled = std::find_if(all.begin(), all.end(), is_of_batch);
  if (filled == all.end() || std::count_if(all.begin(), all.end(), is_of_batch) != 1) return std::nullopt;
  const trace::allocation_id input = memory_named(run, filled->memory);
  const trace::operation* reader =
      input == 0 ? nullptr : next_reader(run, input, filled->taken->after_operation);
  if (reader == nullptr) return std::nullopt;
  const bool is_filled_anew = std::any_of(filled + 1, all.end(), [&](const filled_memory& later) {
    return later.memory == filled->memory && later.taken->after_operation < reader->id;
  });
  if (is_filled_anew) return std::nullopt;
  bool is_computed = false;
  while (reader != nullptr) {
    const trace::allocation_id written = written_by(*reader);
    if (written == 0) return std::nullopt;
    if (reader->kind == trace::operation_kind::kernel) {
      is_computed = true;
    } else if (reader->kind != trace::operation_kind::copy) {
      return std::nullopt;
    } else if (is_computed && trace::direction_of(*reader) == trace::copy_direction::device_to_host) {
      return batch_way{written, reader->id};
    }
    reader = next_reader(run, written, reader->id);
  }
  return std::nullopt;
}

std::optional<batch_elsewhere> why_not_there(const run_facts& run, const std::string& item_name,
                                             std::int64_t batch, const element_source& source) {
  const auto way = source.memory.empty() ? std::nullopt : way_of_batch(run, batch);
  if (!way) return std::nullopt;
  const trace::recording& recording = run.recording();
  const trace::operation& copy = recording.operation_at(way->copy);
  const std::string by =
      fmt::format("{}{}", in_words(recording, copy), in_brackets(place_of(recording, copy)));
  const std::string taker = in_brackets(recording.describe(source.taken->where));
  const trace::allocation_id taken_from = memory_named(run, source.memory);
  if (way->memory != taken_from) {
    const std::string& brought_to = recording.allocation_at(way->memory).name;
    const bool is_of_one_array = are_of_one_array(source.memory, brought_to);
    const std::string cause =
        is_of_one_array ? fmt::format("a number and memory that do not belong together, {} {} and `{}`",
                                      item_name, batch, source.memory)
                        : "the wrong number or the wrong memory";
    return batch_elsewhere{
        fmt::format(
            "The result of {} {} never was there: {} brings it to {}. So the call that took it out{} was given {}.",
            item_name, batch, by, report::allocation_in_words(recording, way->memory), taker, cause),
        source.taken->where, is_of_one_array};
  }
  if (copy.end > source.taken->time) {
    return batch_elsewhere{
        fmt::format(
            "The result of {} {} comes there only later, by {}: the call that took it out{} came too early.",
            item_name, batch, by, taker),
        source.taken->where};
  }
  const trace::operation* over = nullptr;
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& later = recording.operation_at(id);
    const bool is_over = later.start >= copy.end && later.end <= source.taken->time &&
                         id <= source.taken->after_operation && writes_to(later, taken_from);
    if (is_over && (over == nullptr || later.end >= over->end)) over = &later;
  }
  if (over == nullptr) return std::nullopt;
  return batch_elsewhere{
      fmt::format(
          "The result of {} {} was there before, brought by {}, but {}{} wrote over it before it was taken out{}.",
          item_name, batch, by, in_words(recording, *over), in_brackets(place_of(recording, *over)), taker),
      analysis::place_of_operation(recording, over->id)};
}

}  // namespace matchers
