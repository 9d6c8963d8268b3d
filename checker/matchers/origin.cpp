#include "matchers/origin.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "matchers/facts/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;
using trace::operation_kind;

bool is_written(const trace::access& access) { return access.mode != trace::access_mode::read; }

/// Bytes that host code wrote, by itself or in a host function.
struct host_write {
  const trace::access* access = nullptr;
  trace::location where;
  analysis::host_point point;
  trace::operation_id function = 0;  ///< 0: a thread
};

class origin {
 public:
  origin(const run_facts& run, std::string name)
      : run_(run), recording_(run.recording()), name_(std::move(name)) {
    if (run_.part().calls.empty()) return;
    for (const trace::allocation& allocation : recording_.allocations) {
      const bool is_named = allocation.name == name_ || allocation.name.ends_with("]." + name_);
      const bool was_freed = allocation.freed_by != 0 && allocation.freed_by < run_.part().calls.front();
      const bool came_later = allocation.allocated_by > run_.part().calls.back();
      if (is_named && !was_freed && !came_later) memory_.push_back(allocation.id);
    }
  }

  verdict judge() const {
    if (!recording_.host_accesses) return passed("whether kernels made them is not recorded");
    if (memory_.empty()) return passed();
    bool is_any_written = false;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (!operation.accesses || operation.kind == operation_kind::host_function) continue;
      for (const trace::access& access : *operation.accesses) {
        if (!is_written(access) || !is_of_result(access)) continue;
        is_any_written = true;
        const bool remains_there =
            remains(access, [&](trace::operation_id later) { return run_.ordering().is_before(id, later); });
        if (remains_there && !is_made_by_a_kernel(operation)) return failed_at(operation);
      }
    }
    for (const host_write& write : host_writes()) {
      const bool remains_there = remains(*write.access, [&](trace::operation_id later) {
        return write.function != 0 ? run_.ordering().is_before(write.function, later)
                                   : run_.ordering().is_before(write.point, later);
      });
      if (!remains_there) continue;
      if (!is_copied_on(write)) return failed_at(write);
      is_any_written = true;
    }
    return is_any_written ? passed() : failed_without_operation();
  }

 private:
  bool is_of_result(const trace::access& access) const {
    return std::find(memory_.begin(), memory_.end(), access.allocation) != memory_.end();
  }

  /// The operation that last wrote what the copy reads; nullptr when none of the part did.
  const trace::operation* writer_of_source(const trace::operation& copy) const {
    const trace::operation* last = nullptr;
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& writer = recording_.operation_at(id);
      if (!writer.accesses || writer.end > copy.start || (last != nullptr && writer.end < last->end))
        continue;
      const bool writes_source =
          std::any_of(copy.accesses->begin(), copy.accesses->end(), [&](const trace::access& read) {
            return read.mode == trace::access_mode::read &&
                   std::any_of(writer.accesses->begin(), writer.accesses->end(),
                               [&](const trace::access& written) {
                                 return is_written(written) && written.allocation == read.allocation &&
                                        written.bytes.overlaps(read.bytes);
                               });
          });
      if (writes_source) last = &writer;
    }
    return last;
  }

  bool is_made_by_a_kernel(const trace::operation& operation) const {
    const trace::operation* made_by = &operation;
    while (made_by != nullptr && made_by->kind == operation_kind::copy) made_by = writer_of_source(*made_by);
    return made_by != nullptr && made_by->kind == operation_kind::kernel;
  }

  std::vector<host_write> host_writes() const {
    std::vector<host_write> found;
    const trace::call_id before = run_.part().calls.front() - 1;
    const trace::thread_id driver = recording_.calls.front().thread;
    for (const trace::host_access& access : *recording_.host_accesses) {
      // The caller fills the memory before the part; other threads are the learner's. What the caller writes meanwhile is its own.
      const bool is_in_part =
          access.thread != driver || (access.after >= before && access.after <= run_.part().calls.back());
      if (is_in_part && !recording_.is_external(access.where) && is_written(access.access) &&
          is_of_result(access.access))
        found.push_back({&access.access, access.where, {access.thread, access.after, access.step}});
    }
    for (const trace::operation_id id : run_.part().operations) {
      const trace::operation& operation = recording_.operation_at(id);
      if (operation.kind != operation_kind::host_function || !operation.accesses) continue;
      for (const trace::access& access : *operation.accesses) {
        if (is_written(access) && is_of_result(access)) found.push_back({&access, access.where, {}, id});
      }
    }
    return found;
  }

  /// Whether no operation writes the same bytes later.
  template <typename IsLater>
  bool remains(const trace::access& written, IsLater is_later) const {
    return std::none_of(
        run_.part().operations.begin(), run_.part().operations.end(), [&](trace::operation_id id) {
          const trace::operation& operation = recording_.operation_at(id);
          if (!operation.accesses || operation.kind == operation_kind::host_function) return false;
          const bool writes_the_same = std::any_of(
              operation.accesses->begin(), operation.accesses->end(), [&](const trace::access& access) {
                return is_written(access) && access.allocation == written.allocation &&
                       access.bytes.overlaps(written.bytes);
              });
          return writes_the_same && is_later(id);
        });
  }

  /// Whether the statement reads what a copy has brought from a kernel.
  bool is_copied_on(const host_write& write) const {
    if (write.function != 0) return false;
    const auto is_brought = [&](const trace::access& read) {
      return std::any_of(
          run_.part().operations.begin(), run_.part().operations.end(), [&](trace::operation_id id) {
            const trace::operation& copy = recording_.operation_at(id);
            if (copy.kind != operation_kind::copy || !copy.accesses ||
                !run_.ordering().is_before(id, write.point))
              return false;
            const bool writes_it =
                std::any_of(copy.accesses->begin(), copy.accesses->end(), [&](const trace::access& access) {
                  return is_written(access) && access.allocation == read.allocation &&
                         access.bytes.overlaps(read.bytes);
                });
            return writes_it && is_made_by_a_kernel(copy);
          });
    };
    return std::any_of(recording_.host_accesses->begin(), recording_.host_accesses->end(),
                       [&](const trace::host_access& access) {
                         return access.access.mode == trace::access_mode::read &&
                                access.thread == write.point.thread && access.after == write.point.after &&
                                access.where.is_same_line(write.where) && !is_of_result(access.access) &&
                                is_brought(access.access);
                       });
  }

  report::evidence because(std::string observation, std::string where) const {
    return {fmt::format("What is in `{}` when your function returns was made by a kernel.", name_),
            std::move(observation), std::move(where),
            "What the contract says about the way of the data: host, device, kernel, host."};
  }

  verdict failed_at(const host_write& write) const {
    const std::string line = recording_.is_own(write.where) ? recording_.describe(write.where) : "";
    return failed(run_verdict::requirement_missed, mistake::result_of_the_host,
                  because(fmt::format("Host code wrote `{}`{}, and no operation wrote there after that.",
                                      name_, line.empty() ? "" : " (" + line + ")"),
                          line));
  }

  verdict failed_at(const trace::operation& operation) const {
    const std::string line = place_of(recording_, operation);
    return failed(run_verdict::requirement_missed, mistake::result_of_the_host,
                  because(fmt::format("{}{} wrote `{}`, and no kernel had written what it brought.",
                                      report::capitalized(in_words(recording_, operation)),
                                      line.empty() ? "" : " (" + line + ")", name_),
                          line));
  }

  verdict failed_without_operation() const {
    return failed(
        run_verdict::requirement_missed, mistake::result_of_the_host,
        because(
            fmt::format(
                "No operation of your function wrote into `{}`: if its data are right, host code put them there.",
                name_),
            ""));
  }

  const run_facts& run_;
  const trace::recording& recording_;
  std::string name_;
  std::vector<trace::allocation_id> memory_;  ///< of this call
};

}  // namespace

matcher ComesFromTheDevice(std::string name) {
  return {fmt::format("'{}' comes from the device", name),
          [name = std::move(name)](const run_facts& run) {
            const origin of_result(run, name);
            return of_result.judge();
          },
          reach::every_call};
}

}  // namespace matchers
