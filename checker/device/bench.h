// bench.h: a schedule for tests: a line enqueues an operation, and its times are known when all have ended.
//
// Not here: the profile (tiny_gpu.h).
//
//     bench gpu;
//     const auto first = gpu.kernel(gpu.stream(), 10);
//     gpu.run();
//     EXPECT_EQ(gpu.end(first), 10);
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
  trace::stream_id stream_created_by(trace::call_id call) {
    const trace::stream added{
        .id = ++streams_, .blocking = trace::stream_blocking::non_blocking, .created_by = call};
    schedule_.add_stream(added);
    return added.id;
  }
  void destroy(trace::stream_id stream, trace::call_id by) { schedule_.destroy_stream(stream, by); }
  trace::stream_id blocking_stream() { return stream(trace::stream_blocking::blocking); }
  trace::stream_id legacy_stream(std::uint32_t device = 0) {
    return stream(trace::stream_blocking::blocking, 0, trace::stream_kind::legacy_default, device);
  }

  /// From now on operations are issued at that time (ns).
  void issue_at(long long time) { issued_ = nanoseconds(time); }

  /// A kernel whose blocks take that long (ns): one duration for all blocks, or one each.
  trace::operation_id kernel(trace::stream_id stream, std::vector<long long> durations,
                             kernel_shape shape = {}) {
    request request = new_request(trace::operation_kind::kernel, stream);
    request.shape = shape;
    return enqueue(request, std::move(durations));
  }
  trace::operation_id kernel(trace::stream_id stream, long long duration, kernel_shape shape = {}) {
    return kernel(stream, std::vector{duration}, shape);
  }
  /// A kernel with a priority of its own.
  trace::operation_id urgent_kernel(trace::stream_id stream, long long duration, kernel_shape shape,
                                    int priority) {
    request request = new_request(trace::operation_kind::kernel, stream);
    request.shape = shape;
    request.priority = priority;
    return enqueue(request, {duration});
  }
  /// A kernel that waits for memory until the schedule is told otherwise.
  trace::operation_id waiting_kernel(trace::stream_id stream, kernel_shape shape = {}) {
    return kernel(stream, std::vector<long long>{}, shape);
  }
  trace::operation_id copy(trace::stream_id stream, copy_route route, std::size_t bytes) {
    request request = new_request(trace::operation_kind::copy, stream);
    request.route = route;
    request.bytes = bytes;
    return enqueue(request);
  }
  /// A copy from that device to the other one of two.
  trace::operation_id copy_between(trace::stream_id stream, std::uint32_t source_device, std::size_t bytes) {
    request request = new_request(trace::operation_kind::copy, stream);
    request.route = copy_route::peer;
    request.source_device = source_device;
    request.bytes = bytes;
    return enqueue(request);
  }
  trace::operation_id prefetch(trace::stream_id stream, copy_route route, std::size_t bytes) {
    request request = new_request(trace::operation_kind::prefetch, stream);
    request.route = route;
    request.bytes = bytes;
    return enqueue(request);
  }
  trace::operation_id copy_in(trace::stream_id stream, std::size_t bytes) {
    return copy(stream, copy_route::host_to_device, bytes);
  }
  trace::operation_id copy_out(trace::stream_id stream, std::size_t bytes) {
    return copy(stream, copy_route::device_to_host, bytes);
  }
  /// A copy to the device from pageable memory, of which `staged_bytes` are to be staged once it runs.
  trace::operation_id pageable_copy_in(trace::stream_id stream, std::size_t bytes, std::size_t staged_bytes) {
    request request = new_request(trace::operation_kind::copy, stream);
    request.bytes = bytes;
    request.host_bandwidth = tiny_gpu().pageable_h2d_bandwidth;
    request.staged_bytes = staged_bytes;
    return enqueue(request);
  }
  /// A copy from the device to pageable memory.
  trace::operation_id pageable_copy_out(trace::stream_id stream, std::size_t bytes) {
    request request = new_request(trace::operation_kind::copy, stream);
    request.route = copy_route::device_to_host;
    request.bytes = bytes;
    request.host_bandwidth = tiny_gpu().pageable_d2h_bandwidth;
    return enqueue(request);
  }
  trace::operation_id memset(trace::stream_id stream, std::size_t bytes) {
    request request = new_request(trace::operation_kind::memset, stream);
    request.bytes = bytes;
    return enqueue(request);
  }
  trace::operation_id record(trace::stream_id stream, bool has_timing = true) {
    request request = new_request(trace::operation_kind::event_record, stream);
    request.has_timing = has_timing;
    return enqueue(request);
  }
  /// A wait for a record; 0: for an event that was never recorded.
  trace::operation_id wait(trace::stream_id stream, trace::operation_id record) {
    request request = new_request(trace::operation_kind::event_wait, stream);
    request.captured = record;
    return enqueue(request);
  }

  /// A launch of a graph whose nodes are added right behind it with node().
  trace::operation_id graph(trace::stream_id stream, std::size_t nodes) {
    request request = new_request(trace::operation_kind::graph_launch, stream);
    request.nodes = nodes;
    return enqueue(request);
  }
  /// A kernel of that duration as a node.
  trace::operation_id node(trace::operation_id launch, trace::stream_id stream, long long duration,
                           std::vector<trace::operation_id> after = {}, std::uint32_t branch = 0) {
    request request = new_request(trace::operation_kind::kernel, stream);
    request.graph_launch = launch;
    request.after = std::move(after);
    request.branch = branch;
    return enqueue(request, {duration});
  }

  void run() {
    while (schedule_.step()) {
    }
  }
  void advance_to(long long time) { schedule_.advance_to(nanoseconds(time)); }
  void resume(trace::operation_id kernel, double cycles) {
    schedule_.resume_kernel(kernel, {.blocks = {{0, cycles}}});
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
  request new_request(trace::operation_kind kind, trace::stream_id stream) {
    request request;
    request.kind = kind;
    request.stream = stream;
    request.issued = issued_;
    request.call = ++calls_;
    return request;
  }

  trace::operation_id enqueue(const request& request, std::vector<long long> durations = {}) {
    const trace::operation_id id = schedule_.enqueue(request);
    durations_[id] = std::move(durations);
    return id;
  }

  std::optional<kernel_work> work_of(trace::operation_id id) {
    const std::vector<long long>& durations = durations_.at(id);
    if (durations.empty()) return std::nullopt;
    kernel_work work;
    for (const long long duration : durations) work.blocks.push_back({0, static_cast<double>(duration)});
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
