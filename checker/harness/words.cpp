#include "harness/words.h"

#include <fmt/core.h>

#include <cmath>

#include "harness/waiting_calls.h"

namespace harness {

namespace {

std::string stream_in_words(const trace::recording& seen, trace::stream_id id) {
  switch (seen.stream_at(id).kind) {
    case trace::stream_kind::legacy_default:
      return "the default stream";
    case trace::stream_kind::per_thread_default:
      return "the per-thread default stream";
    case trace::stream_kind::created:
      break;
  }
  return fmt::format("stream {}", id);
}

std::string bytes_in_words(std::size_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string direction_in_words(const trace::operation& copy) {
  if (!copy.source || !copy.destination) return "";
  switch (trace::direction_of(copy)) {
    case trace::copy_direction::host_to_device:
      return " to the device";
    case trace::copy_direction::device_to_host:
      return " to the host";
    case trace::copy_direction::device_to_device:
      return " inside the device";
    case trace::copy_direction::host_to_host:
      return " from host to host";
  }
  return "";
}

std::string kind_in_words(const trace::operation& what) {
  switch (what.kind) {
    case trace::operation_kind::kernel:
      return "the kernel " + what.name;
    case trace::operation_kind::copy:
      return "the copy of " + bytes_in_words(what.bytes) + direction_in_words(what);
    case trace::operation_kind::memset:
      return "the memset of " + bytes_in_words(what.bytes);
    case trace::operation_kind::event_record:
      return "the event record";
    case trace::operation_kind::event_wait:
      return "the wait for an event";
    case trace::operation_kind::host_function:
      return "the host function";
    case trace::operation_kind::graph_launch:
      return "the graph launch";
    case trace::operation_kind::allocate:
      return "the allocation in stream order";
    case trace::operation_kind::release:
      return "the release in stream order";
    case trace::operation_kind::prefetch:
      return "the prefetch";
    case trace::operation_kind::attach:
      return "the attachment of managed memory";
  }
  return "the operation";
}

// The call in which the issuing thread last waited before it issued the operation, if it waited at all since
// the operation before.
const trace::host_call* wait_before_issue(const trace::recording& seen, const trace::operation& what) {
  if (what.issued_by == 0) return nullptr;
  const trace::thread_id thread = seen.call_at(what.issued_by).thread;
  for (trace::call_id id = what.issued_by - 1; id > 0; --id) {
    const trace::host_call& call = seen.call_at(id);
    if (call.thread == thread && host_waits_in(seen, call)) return &call;
  }
  return nullptr;
}

std::string host_issue_in_words(const trace::recording& seen, const trace::operation& what) {
  if (const trace::host_call* wait = wait_before_issue(seen, what)) {
    return fmt::format("The host had not issued it before, because it was waiting in {}.",
                       in_words(seen, *wait));
  }
  return "The host had not issued it before.";
}

}  // namespace

std::string percent(double fraction) {
  // The small addend keeps 0.29 * 100 = 28.999... from reading as 28.
  return fmt::format("{} %", static_cast<int>(std::floor(fraction * 100 + 1e-9)));
}

std::string in_words(const trace::recording& seen, const trace::operation& what) {
  return kind_in_words(what) + " in " + stream_in_words(seen, what.stream);
}

std::string in_words(const trace::recording& seen, const trace::host_call& what) {
  const std::string name = what.name == "cudaLaunchKernel" ? "the launch" : what.name;
  const std::string place = seen.describe(what.where);
  return place.empty() ? name : fmt::format("{} ({})", name, place);
}

std::string place_of(const trace::recording& seen, const trace::operation& what) {
  return what.issued_by == 0 ? "" : seen.describe(seen.call_at(what.issued_by).where);
}

std::string reason_to_wait(const trace::recording& seen, const trace::operation& what) {
  if (!what.waited_for || what.waited_for->empty()) return "";
  const trace::constraint& deciding = what.waited_for->front();
  if (deciding.kind == trace::constraint_kind::host_issue) return host_issue_in_words(seen, what);
  if (deciding.kind == trace::constraint_kind::staging) {
    return "Pageable host memory had to be staged by the CPU first.";
  }
  if (deciding.operation == 0) return "";
  const std::string other = in_words(seen, seen.operation_at(deciding.operation));
  switch (deciding.kind) {
    case trace::constraint_kind::stream_order:
      return fmt::format("It had to wait for {}, which is before it in the same stream.", other);
    case trace::constraint_kind::event:
      return fmt::format("It had to wait for an event, after {}.", other);
    case trace::constraint_kind::legacy_default:
      return fmt::format(
          "It had to wait for {}, because the default stream and blocking streams wait for each other.",
          other);
    case trace::constraint_kind::engine_busy:
      if (seen.operation_at(deciding.operation).kind == trace::operation_kind::host_function) {
        return fmt::format("It had to wait until {} returned.", other);
      }
      return fmt::format("Its copy engine was busy with {}.", other);
    case trace::constraint_kind::work_queue:
      return fmt::format("It sat behind {} in the same work queue of the hardware.", other);
    case trace::constraint_kind::no_room:
      return fmt::format("No multiprocessor had room for it beside {}.", other);
    case trace::constraint_kind::withheld_signal:
      return fmt::format(
          "What it had to wait for had ended, but this GPU signals that only after the last kernel issued in "
          "a row, {}.",
          other);
    case trace::constraint_kind::implicit_synchronization:
      return fmt::format(
          "It had to wait for {}: on this GPU all streams wait for memsets, allocations and copies inside "
          "the device.",
          other);
    case trace::constraint_kind::graph_edge:
      return fmt::format("It had to wait for {}, on which it depends in its graph.", other);
    case trace::constraint_kind::host_issue:
    case trace::constraint_kind::staging:
      break;
  }
  return "";
}

}  // namespace harness
