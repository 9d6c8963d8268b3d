// Host functions, which a thread of the driver runs for each device, and the program's own threads.
#include <pthread.h>

#include <algorithm>
#include <utility>

#include "cuda_runtime/runtime.h"
#include "cuda_runtime/system_threads.h"

namespace cuda_runtime {

using trace::operation_id;
using trace::operation_kind;

/// Of a variable that a host function was given the address of, whose size nobody tells: chosen, enough for
/// an index, and for the beginning of a structure.
constexpr std::size_t lent_bytes_observed = 16;

void runtime::start_driver(std::uint32_t device) {
  driver& runner = drivers_[device];
  if (runner.thread != nullptr) return;
  runner.thread = &threads_->add(now());
  runner.thread->device = device;
  runner.thread->state = host_thread::stage::waiting;
  if (!start_system_thread(&driver_thread, &runner)) fatal("lesson_broken", "cannot start a thread");
}

const host_thread* runtime::lender_of(const void* argument) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const auto end = reinterpret_cast<address>(lowest) + bytes;
  const auto where = reinterpret_cast<address>(argument);
  if (where < reinterpret_cast<address>(__builtin_frame_address(0)) || where >= end) return nullptr;
  // The thread goes on using its frame, so who writes there while the function may read is of interest.
  memory_.use_pageable(where, lent_bytes_observed);
  threads_->current().has_lent_stack = true;
  return &threads_->current();
}

/// The frame of the argument is gone when the thread has called CUDA from a frame above it since, or has
/// ended.
bool runtime::is_argument_gone(const stream_function& of) {
  if (of.lender == nullptr) return false;
  return of.lender->state == host_thread::stage::ended ||
         reinterpret_cast<address>(of.argument) < of.lender->live_stack;
}

void runtime::add_host_function(const trace::stream& in, stream_function what) {
  start_driver(in.device);
  device::request request;
  request.kind = operation_kind::host_function;
  request.stream = in.id;
  // On an H200 a slow function of cudaLaunchHostFunc held kernels of other streams, one of
  // cudaStreamAddCallback did not.
  request.holds_kernels = what.function != nullptr;
  trace::operation described;
  described.accesses.emplace();
  payload needs;
  needs.function = what;
  needs.function.lender = lender_of(what.argument);
  issue(request, std::move(described), std::move(needs));
}

/// A host function's turn has come: the driver's thread takes it, after the time that waking it takes.
void runtime::run_host_function(operation_id id) {
  driver& runner = drivers_[recording_.operations[id - 1].device];
  runner.next = id;
  host_threads::start(*runner.thread,
                      schedule_->now() + nanoseconds(static_cast<std::int64_t>(gpu_.host_function)));
}

void* runtime::driver_thread(void* self) {
  auto& runner = *static_cast<driver*>(self);
  host_threads::adopt(*runner.thread);
  runner.owner->run_host_functions(runner);
  return nullptr;
}

bool runtime::has_idle_drivers() const {
  return std::all_of(drivers_.begin(), drivers_.end(), [](const driver& each) {
    return each.thread == nullptr || each.thread->host_function == 0;
  });
}

void runtime::run_host_functions(driver& self) {
  for (;;) {
    const operation_id id = std::exchange(self.next, 0);
    const stream_function work = payloads_.at(id).function;
    self.thread->host_function = id;
    order_->begin_host_function(*self.thread);
    if (is_argument_gone(work)) {
      const trace::call_id issued_by = recording_.operations[id - 1].issued_by;
      note(
          trace::diagnostic_kind::argument_of_host_function_gone,
          "a host function was given the address of a variable of a function that has returned since; it was "
          "not run: give it memory that lives until it has run",
          issued_by, recording_.call_at(issued_by).where);
    } else if (work.callback != nullptr) {
      show_kernel_output(device_of(id));
      work.callback(work.stream, sticky_error_, work.argument);
    } else if (sticky_error_ == cudaSuccess) {
      work.function(work.argument);
    }
    flush_host_accesses();
    self.thread->host_function = 0;
    schedule_->end_host_function(id, self.thread->now);
    threads_->wait_on(&self, std::nullopt);
  }
}

host_thread& runtime::add_thread() {
  host_thread& added = threads_->add(now());
  release(&added);
  return added;
}

void runtime::begin_thread(host_thread& as) {
  host_threads::adopt(as);
  acquire(&as);
}

void runtime::end_thread() {
  flush_host_accesses();
  release(host_threads::self());
  threads_->end_current();
}

}  // namespace cuda_runtime
