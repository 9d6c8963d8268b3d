#include "analysis/announcements.h"

#include <algorithm>

namespace analysis {
namespace {

bool touches_bytes(const trace::operation& operation) {
  return operation.kind != trace::operation_kind::host_function && operation.accesses &&
         !operation.accesses->empty();
}

class search {
 public:
  search(const trace::recording& recording, const ordering& order, const trace::operation& awaited,
         const trace::host_access& access)
      : recording_(recording), order_(order), awaited_(awaited), access_(access) {}

  std::optional<useless_wait> run() const {
    if (awaited_.issued_by == 0) return std::nullopt;
    const trace::operation* before = nullptr;  // in the stream of the operation
    trace::operation_id last = begin_of_part();
    for (const trace::operation& function : recording_.operations) {
      if (function.kind != trace::operation_kind::host_function || !is_by_the_same_thread(function)) continue;
      if (function.id > awaited_.id) {
        const bool is_elsewhere =
            function.stream != awaited_.stream && work_before(function, last) == nullptr;
        if (is_elsewhere && lets_go_on(function))
          return found(useless_wait_kind::announced_in_another_stream, function);
        break;
      }
      last = std::max(last, function.id);
      if (function.stream == awaited_.stream) before = &function;
    }
    if (before == nullptr || is_announced() || !lets_go_on(*before)) return std::nullopt;
    const trace::operation* const announced = work_before(*before, 0);
    if (announced == nullptr || touches_the_bytes(*announced)) return std::nullopt;
    return found(useless_wait_kind::announced_too_early, *before);
  }

 private:
  /// The last operation before the part in which the operation was issued: what the caller did there tells nothing.
  trace::operation_id begin_of_part() const {
    trace::operation_id last = 0;
    for (const trace::mark& mark : recording_.marks) {
      if (mark.name.starts_with("begin:") && mark.after_operation < awaited_.id)
        last = std::max(last, mark.after_operation);
    }
    return last;
  }

  static useless_wait found(useless_wait_kind kind, const trace::operation& function) {
    return {kind, function.issued_by, function.id};
  }

  bool is_by_the_same_thread(const trace::operation& function) const {
    return function.issued_by != 0 &&
           recording_.call_at(function.issued_by).thread == recording_.call_at(awaited_.issued_by).thread;
  }

  bool lets_go_on(const trace::operation& function) const {
    const host_point reader{access_.thread, access_.after, access_.step};
    return order_.is_before(function.id, reader) && !order_.is_before(awaited_.id, function.id);
  }

  /// The last operation ahead of the host function in its stream, behind `since`, that touches bytes; nullptr: none.
  const trace::operation* work_before(const trace::operation& function, trace::operation_id since) const {
    for (trace::operation_id id = function.id - 1; id > since; --id) {
      const trace::operation& work = recording_.operation_at(id);
      if (work.stream == function.stream && touches_bytes(work)) return &work;
    }
    return nullptr;
  }

  /// Whether a host function is the next work behind the operation in its stream.
  bool is_announced() const {
    for (trace::operation_id id = awaited_.id + 1; id <= recording_.operations.size(); ++id) {
      const trace::operation& next = recording_.operation_at(id);
      if (next.stream != awaited_.stream) continue;
      if (next.kind == trace::operation_kind::host_function) return true;
      if (touches_bytes(next)) return false;
    }
    return false;
  }

  bool touches_the_bytes(const trace::operation& work) const {
    return std::any_of(work.accesses->begin(), work.accesses->end(), [&](const trace::access& one) {
      return one.allocation == access_.access.allocation && one.bytes.overlaps(access_.access.bytes);
    });
  }

  const trace::recording& recording_;
  const ordering& order_;
  const trace::operation& awaited_;
  const trace::host_access& access_;
};

}  // namespace

std::optional<useless_wait> find_useless_announcement(const trace::recording& recording,
                                                      const ordering& order, const trace::operation& awaited,
                                                      const trace::host_access& access) {
  return search(recording, order, awaited, access).run();
}

}  // namespace analysis
