#include "cuda_runtime/host_functions.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "cuda_runtime/host_threads.h"

namespace cuda_runtime {

using kernels::address;
using trace::operation_id;

namespace {

/// Assumed size of a variable whose address is passed to a host function: enough for an index, and for the beginning of
/// a structure.
constexpr std::size_t lent_bytes = 16;

/// The frame of the argument is gone when the thread has called CUDA from a frame above it since, or has ended.
bool is_argument_gone(const stream_function& function) {
  if (function.lender == nullptr) return false;
  return function.lender->state == host_thread::stage::ended ||
         kernels::address_of(function.argument) < function.lender->live_stack;
}

}  // namespace

host_functions::host_functions(const run_settings& settings, kernels::memory& memory, recording_log& log,
                               work_queue& work, host_threads& threads, host_order& order,
                               kernel_outputs& output, error_state& errors, std::function<void()> watch,
                               std::function<void()> forget_stack, std::function<void()> no_thread)
    : gpu_(settings.gpu),
      memory_(memory),
      log_(log),
      work_(work),
      threads_(threads),
      order_(order),
      output_(output),
      errors_(errors),
      watch_(std::move(watch)),
      forget_stack_(std::move(forget_stack)),
      no_thread_(std::move(no_thread)),
      drivers_(settings.devices, driver{.owner = this}) {}

void host_functions::start_driver(std::uint32_t device) {
  driver& runner = drivers_[device];
  if (runner.thread != nullptr) return;
  watch_();
  runner.thread = &threads_.add(threads_.current().now);
  runner.thread->device = device;
  runner.thread->state = host_thread::stage::waiting;
  if (!start_system_thread(&driver_thread, &runner)) no_thread_();
}

const host_thread* host_functions::lender_of(const void* argument) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const address end = kernels::address_of(lowest) + bytes;
  const address where = kernels::address_of(argument);
  if (where < kernels::address_of(__builtin_frame_address(0)) || where >= end) return nullptr;
  // The thread goes on using its frame, so who writes there while the function may read is of interest.
  memory_.use_pageable(where, lent_bytes);
  threads_.current().has_lent_stack = true;
  return &threads_.current();
}

void host_functions::add(const trace::stream& stream, stream_function function) {
  start_driver(stream.device);
  prepared_operation work;
  work.request.kind = trace::operation_kind::host_function;
  work.request.stream = stream.id;
  // On an H200 a slow function of cudaLaunchHostFunc held kernels of other streams, one of cudaStreamAddCallback did not.
  work.request.holds_kernels = function.function != nullptr;
  work.recorded.accesses.emplace();
  function.lender = lender_of(function.argument);
  function.known = std::make_shared<host_knowledge>(order_.release_to_host_function(threads_.current()));
  work.work = function;
  work_.issue(std::move(work));
}

void host_functions::run(operation_id id) {
  driver& runner = drivers_[log_.operation(id).device];
  runner.next = id;
  host_threads::start(*runner.thread,
                      work_.schedule().now() + nanoseconds(static_cast<std::int64_t>(gpu_.host_function)));
}

void* host_functions::driver_thread(void* self) {
  auto& runner = *static_cast<driver*>(self);
  host_threads::adopt(*runner.thread);
  runner.owner->run_all(runner);
  return nullptr;
}

bool host_functions::is_idle() const {
  return std::all_of(drivers_.begin(), drivers_.end(), [](const driver& runner) {
    return runner.thread == nullptr || runner.thread->host_function == 0;
  });
}

void host_functions::run_all(driver& self) {
  for (;;) {
    const operation_id id = std::exchange(self.next, 0);
    const stream_function function = work_.function_of(id);
    self.thread->host_function = id;
    order_.begin_host_function(*self.thread, function.known ? *function.known : host_knowledge());
    forget_stack_();
    if (is_argument_gone(function)) {
      log_.note(
          trace::diagnostic_kind::argument_of_host_function_gone,
          "a host function was given the address of a variable of a function that has returned since; it was not "
          "run: give it memory that lives until it has run",
          id);
    } else if (function.callback != nullptr) {
      output_.show(log_.operation(id).device);
      function.callback(function.stream, errors_.sticky(), function.argument);
    } else if (!errors_.has_failed()) {
      function.function(function.argument);
    }
    log_.flush_host_accesses(*self.thread);
    self.thread->host_function = 0;
    work_.schedule().end_host_function(id, self.thread->now);
    threads_.wait_on(&self, std::nullopt, "a host function");
  }
}

}  // namespace cuda_runtime
