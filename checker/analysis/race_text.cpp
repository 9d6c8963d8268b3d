#include <cctype>

#include "analysis/races.h"

namespace analysis {
namespace {

std::string stream_text(const trace::recording& seen, trace::stream_id id) {
  switch (seen.stream_at(id).kind) {
    case trace::stream_kind::legacy_default:
      return "the legacy default stream";
    case trace::stream_kind::per_thread_default:
      return "the per-thread default stream";
    case trace::stream_kind::created:
      break;
  }
  return "stream " + std::to_string(id);
}

std::string in_parentheses(const trace::recording& seen, const trace::location& where) {
  return where.is_known() ? " (" + seen.describe(where) + ")" : "";
}

trace::location place_of_call(const trace::recording& seen, trace::call_id call) {
  return call == 0 ? trace::location{} : seen.call_at(call).where;
}

std::string copy_text(const trace::operation& copy) {
  if (!copy.source || !copy.destination) return "the copy";
  switch (trace::direction_of(copy)) {
    case trace::copy_direction::host_to_device:
      return "the host-to-device copy";
    case trace::copy_direction::device_to_host:
      return "the device-to-host copy";
    case trace::copy_direction::device_to_device:
      return "the device-to-device copy";
    case trace::copy_direction::host_to_host:
      return "the host-to-host copy";
  }
  return "the copy";
}

std::string operation_text(const trace::operation& operation) {
  switch (operation.kind) {
    case trace::operation_kind::kernel:
      return "kernel " + operation.name;
    case trace::operation_kind::copy:
      return copy_text(operation);
    case trace::operation_kind::memset:
      return "the memset";
    case trace::operation_kind::host_function:
      return "the host function";
    case trace::operation_kind::graph_launch:
    case trace::operation_kind::event_record:
      return "the event record";
    case trace::operation_kind::event_wait:
      return "the event wait";
  }
  return "the operation";
}

std::string host_text(const trace::host_access& access) {
  return access.thread <= 1 ? "the host" : "host thread " + std::to_string(access.thread);
}

std::string side_text(const trace::recording& seen, const race_side& side) {
  if (side.operation == 0) {
    const trace::host_access& access = seen.host_accesses->at(side.host_access);
    return host_text(access) + in_parentheses(seen, access.where);
  }
  const trace::operation& operation = seen.operation_at(side.operation);
  return operation_text(operation) + " in " + stream_text(seen, operation.stream) +
         in_parentheses(seen, place_of_call(seen, operation.issued_by));
}

std::string verb(trace::access_mode mode) {
  switch (mode) {
    case trace::access_mode::read:
      return "reads";
    case trace::access_mode::write:
      return "writes";
    case trace::access_mode::atomic:
      return "atomically updates";
  }
  return "touches";
}

bool is_one_byte(const race& found) { return found.bytes.end - found.bytes.begin == 1; }

std::string bytes_text(const trace::recording& seen, const race& found) {
  const std::string first = std::to_string(found.bytes.begin), last = std::to_string(found.bytes.end - 1);
  const std::string bytes = is_one_byte(found) ? "byte " + first : "bytes " + first + " to " + last;
  const trace::allocation& allocation = seen.allocation_at(found.allocation);
  const trace::location where = place_of_call(seen, allocation.allocated_by);
  const std::string place =
      where.is_known() ? " of " + seen.describe(where) : " " + std::to_string(allocation.id);
  switch (allocation.kind) {
    case trace::memory_kind::pageable:
      return bytes + " of the pageable allocation" + place;
    case trace::memory_kind::pinned:
      return bytes + " of the pinned allocation" + place;
    case trace::memory_kind::device:
      return bytes + " of the device allocation" + place;
    case trace::memory_kind::managed:
      return bytes + " of the managed allocation" + place;
  }
  return bytes;
}

/// What would order an operation after another, cheapest first.
std::string cure_between_streams(const trace::recording& seen, const race& found) {
  const trace::stream& one = seen.stream_at(seen.operation_at(found.first.operation).stream);
  const trace::stream& two = seen.stream_at(seen.operation_at(found.second.operation).stream);
  const std::string first = stream_text(seen, one.id), second = stream_text(seen, two.id);
  const auto is_exempt = [](const trace::stream& legacy, const trace::stream& other) {
    return legacy.kind == trace::stream_kind::legacy_default &&
           other.blocking == trace::stream_blocking::non_blocking;
  };
  const std::string reason =
      is_exempt(one, two) || is_exempt(two, one)
          ? " (a non-blocking stream and the legacy default stream do not wait for each other)"
          : "";
  return "Nothing makes " + second + " wait for " + first + reason +
         ". Issue both into the same stream, or record an event in " + first +
         " after the first one (cudaEventRecord) and let " + second + " wait for it before the second one" +
         " (cudaStreamWaitEvent).";
}

std::string cure_for_host_after(const trace::recording& seen, const race& found) {
  const trace::operation& operation = seen.operation_at(found.first.operation);
  const trace::host_access& access = seen.host_accesses->at(found.second.host_access);
  const std::string stream = stream_text(seen, operation.stream);
  const std::string before = access.where.is_known() ? "before " + seen.describe(access.where) : "first";
  return "Nothing makes " + host_text(access) + " wait for it: call cudaStreamSynchronize on " + stream +
         ", or cudaEventSynchronize on an event recorded after it, " + before + ".";
}

std::string cure_for_host_before(const trace::recording& seen, const race& found) {
  const trace::host_access& access = seen.host_accesses->at(found.first.host_access);
  const trace::call_id issued_by = seen.operation_at(found.second.operation).issued_by;
  const std::string issuer = issued_by == 0 ? "the thread that issues it"
                                            : "host thread " + std::to_string(seen.call_at(issued_by).thread);
  return "Nothing makes it start after " + host_text(access) + " is done: let " + issuer +
         " wait for that thread (a join, a mutex or an atomic flag) before it issues the operation.";
}

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

std::string describe(const trace::recording& seen, const race_side& side, const race& found) {
  return side_text(seen, side) + " " + verb(side.mode) + " " + bytes_text(seen, found);
}

std::string describe(const trace::recording& seen, const race& found) {
  const std::string both = capitalized(describe(seen, found.first, found)) + ", and " +
                           side_text(seen, found.second) + " " + verb(found.second.mode) +
                           (is_one_byte(found) ? " it. " : " them. ");
  if (found.first.operation == 0) return both + cure_for_host_before(seen, found);
  if (found.second.operation == 0) return both + cure_for_host_after(seen, found);
  return both + cure_between_streams(seen, found);
}

}  // namespace analysis
