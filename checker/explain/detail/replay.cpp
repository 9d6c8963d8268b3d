#include "explain/detail/replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "device/host_model.h"

namespace explain {
namespace {

using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

/// One replay: host threads and GPUs take turns in the order of virtual time.
class player {
 public:
  player(const program& program, const device::profile& gpu)
      : program_(program),
        gpu_(gpu),
        schedule_(std::vector<device::profile>(device_count(), gpu),
                  {.start = nullptr,
                   .finish = [this](operation_id id) { finish(id); },
                   .run_kernel = [this](operation_id id) { return work_of(id); },
                   .run_host_function =
                       [this](operation_id id) {
                         schedule_.end_host_function(id, schedule_.now() + operation_of(id).length);
                       }},
                  {.copies = program.slower_copies, .kernels = 1}, program.connections) {
    for (const trace::stream& stream : program_.streams) schedule_.add_stream(stream);
    times_.start.resize(program_.operations.size());
    times_.end.resize(program_.operations.size());
    ids_.resize(program_.operations.size());
    is_over_.resize(program_.operations.size());
    step_end_.resize(program_.steps.size());
    for (std::uint32_t step = 0; step < program_.steps.size(); ++step) {
      host_thread& thread = threads_[program_.steps[step].thread];
      thread.steps.push_back(step);
    }
  }

  replay_times play() {
    for (;;) {
      host_thread* next = nullptr;
      for (auto& [id, thread] : threads_) {
        if (thread.next < thread.steps.size() && may_go_on(thread) &&
            (next == nullptr || thread.now < next->now))
          next = &thread;
      }
      const std::optional<nanoseconds> event = schedule_.next_time();
      if (next != nullptr && (!event || next->now < *event)) {
        schedule_.advance_to(next->now);
        go_on(*next);
      } else if (event) {
        schedule_.step();
      } else {
        break;
      }
    }
    for (std::size_t number = 0; number < program_.operations.size(); ++number) {
      if (!program_.operations[number].is_dropped && !is_over_[number]) times_.duration = nanoseconds::max();
    }
    return std::move(times_);
  }

 private:
  enum class call_phase { before, needing, staging, returning };

  struct host_thread {
    std::vector<std::uint32_t> steps;
    std::size_t next = 0;
    call_phase phase = call_phase::before;
    nanoseconds now{0};
    bool has_waited = false;  // in this phase
  };

  std::uint32_t device_count() const {
    std::uint32_t last = 0;
    for (const trace::stream& stream : program_.streams) last = std::max(last, stream.device);
    for (const program_operation& operation : program_.operations)
      last = std::max(last, operation.request.source_device);
    return last + 1;
  }

  const program_operation& operation_of(operation_id id) const {
    return program_.operations[numbers_[id - 1]];
  }

  bool is_complete(operation_number number) const {
    return program_.operations[number].is_dropped || is_over_[number];
  }
  bool are_complete(const std::vector<operation_number>& all) const {
    return std::all_of(all.begin(), all.end(), [&](operation_number number) { return is_complete(number); });
  }

  /// True when the next phase may begin. A thread that waited gets the time at which it may.
  bool may_go_on(host_thread& thread) {
    const program_step& step = program_.steps[thread.steps[thread.next]];
    bool may = true;
    nanoseconds released{0};
    if (thread.phase == call_phase::before) {
      for (const hand_over& hand_over : step.hand_overs) {
        if (hand_over.function != no_operation) {
          may = may && is_complete(hand_over.function);
          if (may) released = std::max(released, times_.end[hand_over.function]);
        } else {
          may = may && step_end_[hand_over.step].has_value();
          if (may) released = std::max(released, *step_end_[hand_over.step]);
        }
      }
      if (may && !step.hand_overs.empty()) thread.now = std::max(thread.now, released);
      return may;
    }
    if (thread.phase == call_phase::needing) {
      may = are_complete(step.needs);
    } else if (thread.phase == call_phase::staging) {
      may = !launches(step) || device::has_room_for_launch(gpu_, schedule_, step.device);
    } else {
      may = are_complete(step.waits) &&
            (!step.waits_until_staged || schedule_.is_staged(ids_[step.issues.back()]));
    }
    if (may && schedule_.now() > thread.now) {
      thread.now = schedule_.now();
      thread.has_waited = true;
    }
    return may;
  }

  bool launches(const program_step& step) const {
    return !step.issues.empty() &&
           (program_.operations[step.issues.front()].request.kind == operation_kind::kernel ||
            program_.operations[step.issues.front()].request.kind == operation_kind::graph_launch);
  }

  void go_on(host_thread& thread) {
    const std::uint32_t number = thread.steps[thread.next];
    const program_step& step = program_.steps[number];
    const bool waited = std::exchange(thread.has_waited, false);
    const nanoseconds synchronize_return = device::wait_return_latency(gpu_);
    switch (thread.phase) {
      case call_phase::before:
        thread.now += step.pause + step.cost;
        thread.phase = call_phase::needing;
        break;
      case call_phase::needing:
        if (waited) thread.now += synchronize_return;
        thread.now += step.staging;
        thread.phase = call_phase::staging;
        break;
      case call_phase::staging:
        if (waited) thread.now += synchronize_return;
        schedule_.advance_to(thread.now);
        for (const operation_number number : step.issues) issue(number, thread.now);
        thread.phase = call_phase::returning;
        break;
      case call_phase::returning:
        thread.now += waited ? step.return_waited : step.return_at_once;
        if (step.holds_back_old_gpus && gpu_.implicit_synchronization) schedule_.implicit_sync(step.device);
        step_end_[number] = thread.now;
        thread.phase = call_phase::before;
        ++thread.next;
        break;
    }
  }

  void issue(operation_number number, nanoseconds now) {
    const program_operation& operation = program_.operations[number];
    if (operation.is_dropped) return;
    for (const operation_number number : operation.after) {
      if (ids_[number] == 0) continue;
      device::request wait;
      wait.kind = operation_kind::event_wait;
      wait.stream = operation.request.stream;
      wait.issued = now;
      wait.captured = ids_[number];
      schedule_.enqueue(wait);
      numbers_.push_back(no_operation);
    }
    device::request request = operation.request;
    request.issued = now;
    request.captured = operation.captured == no_operation ? 0 : ids_[operation.captured];
    request.graph_launch = operation.launch == no_operation ? 0 : ids_[operation.launch];
    for (const operation_number number : operation.edges) request.after.push_back(ids_[number]);
    ids_[number] = schedule_.enqueue(request);
    numbers_.push_back(number);
  }

  std::optional<device::kernel_work> work_of(operation_id id) const {
    const program_operation& kernel = operation_of(id);
    device::kernel_work work;
    const auto block = [&](nanoseconds length) {
      return device::block_work{.latency_cycles = static_cast<double>(length.count()) * gpu_.clock / 1e3};
    };
    if (kernel.blocks.size() == 1) {
      work.blocks = {block(kernel.blocks.front().duration)};
    } else {
      for (const trace::block_time& group : kernel.blocks)
        work.blocks.insert(work.blocks.end(), group.blocks, block(group.duration));
    }
    return work;
  }

  void finish(operation_id id) {
    const operation_number number = numbers_[id - 1];
    if (number == no_operation) return;
    const device::times& when = schedule_.times_of(id);
    times_.start[number] = when.start;
    times_.end[number] = when.end;
    is_over_[number] = true;
    if (analysis::is_device_work(program_.operations[number].request.kind))
      times_.duration = std::max(times_.duration, when.end);
  }

  const program& program_;
  const device::profile& gpu_;
  device::schedule schedule_;
  replay_times times_;
  std::vector<operation_id> ids_;          // by number; 0: not issued yet
  std::vector<operation_number> numbers_;  // by id - 1; no_operation: a wait that a cure put in
  std::vector<bool> is_over_;
  std::vector<std::optional<nanoseconds>> step_end_;
  std::map<trace::thread_id, host_thread> threads_;
};

}  // namespace

replay_times replay(const program& program, const device::profile& gpu) {
  return player(program, gpu).play();
}

}  // namespace explain
