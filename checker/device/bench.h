// bench.h: a schedule for tests, on which operations are laid in a line each and looked at when all have
// ended.
//
// Not here: the profile (tiny_gpu.h).
//
//     bench on;
//     const auto first = on.kernel(on.stream(), 10);
//     on.run();
//     EXPECT_EQ(on.end(first), 10);
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "device/schedule.h"
#include "device/tiny_gpu.h"

namespace device {

class bench {
 public:
  explicit bench(profile gpu = tiny_gpu(), stress deviation = {})
      : bench(std::vector{std::move(gpu)}, deviation) {}
  explicit bench(std::vector<profile> gpus, stress deviation = {})
      : schedule_(std::move(gpus),
                  {.start = {},
                   .finish = [this](trace::operation_id id) { finish(id); },
                   .run_kernel = [this](trace::operation_id id) { return work_of(id); }},
                  deviation) {}
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  /// A new stream. Blocking ones are ordered with the legacy default stream, once there is one.
  trace::stream_id stream(trace::stream_blocking blocking = trace::stream_blocking::non_blocking,
                          int priority = 0, trace::stream_kind kind = trace::stream_kind::created,
                          std::uint32_t device = 0) {
    trace::stream added;
    added.id = ++streams_;
    added.device = device;
    added.kind = kind;
    added.blocking = blocking;
    added.priority = priority;
    schedule_.add_stream(added);
    return added.id;
  }
  trace::stream_id blocking_stream() { return stream(trace::stream_blocking::blocking); }
  trace::stream_id legacy_stream(std::uint32_t device = 0) {
    return stream(trace::stream_blocking::blocking, 0, trace::stream_kind::legacy_default, device);
  }

  /// From now on operations are issued at that time (ns).
  void at(long long time) { issued_ = nanoseconds(time); }

  /// A kernel whose blocks take that long (ns): one duration for all blocks, or one each.
  trace::operation_id kernel(trace::stream_id in, std::vector<long long> durations, kernel_shape shape = {}) {
    request what = new_request(trace::operation_kind::kernel, in);
    what.shape = shape;
    return enqueue(what, std::move(durations));
  }
  trace::operation_id kernel(trace::stream_id in, long long duration, kernel_shape shape = {}) {
    return kernel(in, std::vector{duration}, shape);
  }
  /// A kernel with a priority of its own.
  trace::operation_id urgent_kernel(trace::stream_id in, long long duration, kernel_shape shape,
                                    int priority) {
    request what = new_request(trace::operation_kind::kernel, in);
    what.shape = shape;
    what.priority = priority;
    return enqueue(what, {duration});
  }
  /// A kernel that waits for memory until the schedule is told otherwise.
  trace::operation_id waiting_kernel(trace::stream_id in, kernel_shape shape = {}) {
    return kernel(in, std::vector<long long>{}, shape);
  }
  trace::operation_id copy(trace::stream_id in, copy_route route, std::size_t bytes) {
    request what = new_request(trace::operation_kind::copy, in);
    what.route = route;
    what.bytes = bytes;
    return enqueue(what);
  }
  trace::operation_id prefetch(trace::stream_id in, copy_route route, std::size_t bytes) {
    request what = new_request(trace::operation_kind::prefetch, in);
    what.route = route;
    what.bytes = bytes;
    return enqueue(what);
  }
  trace::operation_id copy_in(trace::stream_id in, std::size_t bytes) {
    return copy(in, copy_route::host_to_device, bytes);
  }
  trace::operation_id copy_out(trace::stream_id in, std::size_t bytes) {
    return copy(in, copy_route::device_to_host, bytes);
  }
  /// A copy to the device from pageable memory, of which `staged_bytes` are to be staged once it runs.
  trace::operation_id pageable_copy_in(trace::stream_id in, std::size_t bytes, std::size_t staged_bytes) {
    request what = new_request(trace::operation_kind::copy, in);
    what.bytes = bytes;
    what.host_bandwidth = tiny_gpu().pageable_h2d_bandwidth;
    what.staged_bytes = staged_bytes;
    return enqueue(what);
  }
  /// A copy from the device to pageable memory.
  trace::operation_id pageable_copy_out(trace::stream_id in, std::size_t bytes) {
    request what = new_request(trace::operation_kind::copy, in);
    what.route = copy_route::device_to_host;
    what.bytes = bytes;
    what.host_bandwidth = tiny_gpu().pageable_d2h_bandwidth;
    return enqueue(what);
  }
  trace::operation_id memset(trace::stream_id in, std::size_t bytes) {
    request what = new_request(trace::operation_kind::memset, in);
    what.bytes = bytes;
    return enqueue(what);
  }
  trace::operation_id record(trace::stream_id in, bool has_timing = true) {
    request what = new_request(trace::operation_kind::event_record, in);
    what.has_timing = has_timing;
    return enqueue(what);
  }
  /// A wait for a record; 0: for an event that was never recorded.
  trace::operation_id wait(trace::stream_id in, trace::operation_id record) {
    request what = new_request(trace::operation_kind::event_wait, in);
    what.captured = record;
    return enqueue(what);
  }

  /// A launch of a graph whose nodes are added right behind it with node().
  trace::operation_id graph(trace::stream_id in, std::size_t nodes) {
    request what = new_request(trace::operation_kind::graph_launch, in);
    what.nodes = nodes;
    return enqueue(what);
  }
  /// A kernel of that duration as a node.
  trace::operation_id node(trace::operation_id launch, trace::stream_id in, long long duration,
                           std::vector<trace::operation_id> after = {}, std::uint32_t branch = 0) {
    request what = new_request(trace::operation_kind::kernel, in);
    what.graph_launch = launch;
    what.after = std::move(after);
    what.branch = branch;
    return enqueue(what, {duration});
  }

  /// Lets everything happen.
  void run() {
    while (schedule_.step()) {
    }
  }
  void advance_to(long long time) { schedule_.advance_to(nanoseconds(time)); }
  void resume(trace::operation_id kernel, double cycles) {
    schedule_.resume_kernel(kernel, {{{0, cycles}}, 0});
  }
  const device::schedule& schedule() const { return schedule_; }
  bool step() { return schedule_.step(); }

  // Of an operation that has ended:
  long long start(trace::operation_id id) const { return ended_.at(id).start.count(); }
  long long end(trace::operation_id id) const { return ended_.at(id).end.count(); }
  const std::vector<trace::constraint>& reasons(trace::operation_id id) const {
    return ended_.at(id).waited_for;
  }
  /// The deciding constraint.
  const trace::constraint& reason(trace::operation_id id) const { return reasons(id).at(0); }
  /// All, in the order in which they ended.
  const std::vector<trace::operation_id>& order() const { return order_; }

 private:
  request new_request(trace::operation_kind kind, trace::stream_id in) {
    request what;
    what.kind = kind;
    what.stream = in;
    what.issued = issued_;
    what.call = ++calls_;
    return what;
  }

  trace::operation_id enqueue(const request& what, std::vector<long long> durations = {}) {
    const trace::operation_id id = schedule_.enqueue(what);
    durations_[id] = std::move(durations);
    return id;
  }

  std::optional<kernel_work> work_of(trace::operation_id id) {
    const std::vector<long long>& durations = durations_.at(id);
    if (durations.empty()) return std::nullopt;
    kernel_work work;
    for (const long long each : durations) work.blocks.push_back({0, static_cast<double>(each)});
    return work;
  }

  void finish(trace::operation_id id) {
    ended_[id] = schedule_.times_of(id);
    order_.push_back(id);
  }

  device::schedule schedule_;
  trace::stream_id streams_ = 0;
  trace::call_id calls_ = 0;
  nanoseconds issued_{0};
  std::map<trace::operation_id, std::vector<long long>> durations_;
  std::map<trace::operation_id, times> ended_;
  std::vector<trace::operation_id> order_;
};

}  // namespace device
