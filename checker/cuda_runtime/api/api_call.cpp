#include "cuda_runtime/api/api_call.h"

#include <algorithm>

#include "cuda_runtime/api/per_thread_default_stream.h"
#include "cuda_runtime/capture.h"

namespace cuda_runtime {
namespace {

/// After so many queries in a row that said "not ready" the host sleeps until the next event of the device: a
/// loop that polls for milliseconds would take millions of rounds.
constexpr int max_polls = 100;

/// Where the frames began that were live when the function with that return address was called: behind the place where the address is
/// kept, which is above its variables, such as `variable_end`. It reads between variables, so the sanitizer has to look away.
__attribute__((no_sanitize("address"))) address live_stack_above(const void* variable_end,
                                                                 address return_address) {
  const auto* word = static_cast<const address*>(variable_end);
  while (*word != return_address) ++word;
  return reinterpret_cast<address>(word + 1);
}

}  // namespace

api_call::api_call(trace::api_function function, std::string_view name, const void* return_address,
                   const call_options& options)
    : run_(runtime::get()),
      null_(take_null_stream_of_caller()),
      code_(reinterpret_cast<address>(return_address)),
      function_(function),
      after_failure_(options.after_failure) {
  if (kernels::kernel_run* const kernel = kernels::kernel_run::current())
    kernel->depend_on_order("a block calls the CUDA runtime");
  trace::host_call opened;
  opened.where = run_.log().call_location(code_);
  host_thread* const thread = host_threads::self();
  if (thread == nullptr) {
    const std::string sentence =
        std::string(name) + ": this host thread was not made by pthread_create or std::thread";
    run_.log().note(trace::diagnostic_kind::not_supported, sentence, 0, opened.where);
    run_.fatal("fault", sentence);
  }
  if (thread->has_lent_stack) thread->live_stack = live_stack_above(this + 1, code_);
  run_.settle_volatile_read();
  run_.log().flush_host_accesses(*thread);
  run_.clock().catch_up();
  opened.id = static_cast<trace::call_id>(run_.log().recording().calls.size() + 1);
  opened.function = function;
  if (function == trace::api_function::other) opened.other_name = std::string(name);
  opened.waited_for.emplace();
  opened.thread = thread->id;
  opened.device = thread->device;
  opened.start = thread->now;
  opened.end = thread->now;
  thread->open_call = opened.id;
  id_ = opened.id;
  run_.log().recording().calls.push_back(std::move(opened));
  const trace::api_function_traits& traits = trace::traits_of(function);
  const bool is_launch = traits.effect == trace::call_effect::launches_kernel;
  const trace::host_function_rule rule = traits.in_host_functions;
  if (thread->host_function != 0 && rule != trace::host_function_rule::allowed) {
    if (rule == trace::host_function_rule::refused) refusal_ = cudaErrorNotPermitted;
    run_.log().note(trace::diagnostic_kind::cuda_call_in_host_function,
                    (is_launch ? "a kernel was launched" : std::string(name) + " was called") +
                        " by a host function; host functions must not call CUDA",
                    id_, record().where);
  }
  if (is_permitted()) refusal_ = run_.captures().check_call(function, thread->id);
  const nanoseconds cost = run_.gpu().host_call(options.cost.empty() ? name : options.cost);
  if (is_launch) {
    run_.clock().take_turn_in_driver(cost);
  } else {
    run_.clock().spend(cost);
  }
}

const trace::stream* api_call::stream(cudaStream_t handle, std::uint32_t device) {
  const trace::stream* const found = find(handle, device);
  if (found == nullptr || !is_permitted()) return found;
  const trace::thread_id thread = record().thread;
  refusal_ = run_.captures().check_stream(function_, *found, run_.streams().all(), thread);
  return is_permitted() ? found : nullptr;
}

const trace::stream* api_call::find(cudaStream_t handle, std::uint32_t device) {
  const trace::stream* const found = run_.streams().find(handle, device, null_, record().thread);
  const trace::stream* const named = found != nullptr ? found : run_.streams().find_destroyed(handle);
  if (named != nullptr) record().stream = named->id;
  if (found == nullptr)
    explain(named != nullptr ? "the stream has been destroyed" : "this is no stream that CUDA made");
  return found;
}

const trace::event* api_call::event(cudaEvent_t handle) {
  const trace::event* const found = run_.events().find(handle);
  const trace::event* const named = found != nullptr ? found : run_.events().find_destroyed(handle);
  if (named != nullptr) record().event = named->id;
  if (found == nullptr)
    explain(named != nullptr ? "the event has been destroyed" : "this is no event that CUDA made");
  if (found == nullptr || !is_permitted()) return found;
  const trace::thread_id thread = record().thread;
  refusal_ = run_.captures().check_event(function_, found->id, thread);
  return is_permitted() ? found : nullptr;
}

void api_call::explain(std::string because, trace::allocation_id about) {
  because_ = std::move(because);
  origin_ = run_.log().allocated_at(about);
}

void api_call::explain_by_call(std::string because, trace::call_id earlier) {
  because_ = std::move(because);
  origin_ = earlier == 0 ? trace::location{} : run_.log().call(earlier).where;
}

void api_call::explain_end(std::string_view kind, trace::call_id ended_by) {
  const bool is_with_graph =
      ended_by != 0 && kind == "node" &&
      trace::effect_of(run_.log().call(ended_by)) == trace::call_effect::destroys_graph;
  explain_by_call(ended_by == 0 ? "this is no " + std::string(kind) + " that CUDA made"
                                : "the " + std::string(kind) + " has been destroyed" +
                                      (is_with_graph ? " with its graph" : ""),
                  ended_by);
}

memory_pool* api_call::pool(cudaMemPool_t handle) {
  memory_pool* const found = run_.pools().find(handle);
  if (found == nullptr) explain_end("memory pool", run_.pools().destroyed_by(handle));
  return found;
}

void api_call::note_result(const void* where, std::size_t bytes) {
  if (run_.is_shared())
    run_.note_plain_access(code_, kernels::address_of(where), bytes, kernels::touch_kind::write);
}

cudaError_t api_call::close(cudaError_t error) {
  const bool has_failed = after_failure_ == failure_rule::refused && run_.errors().sticky() != cudaSuccess;
  if (has_failed) error = run_.errors().sticky();
  if (!is_permitted()) error = refusal_;
  run_.clock().catch_up();
  host_thread& thread = run_.threads().current();
  if (error == cudaErrorNotReady) {
    if (++thread.not_ready_answers > max_polls) run_.clock().skip_to_next_event();
  } else {
    thread.not_ready_answers = 0;
    if (error != cudaSuccess) run_.errors().set_last(error);
  }
  trace::host_call& closed = record();
  closed.end = thread.now;
  closed.error_code = error;
  const bool is_wait = trace::effect_of(closed) == trace::call_effect::synchronizes;
  if (is_wait && error == cudaSuccess && closed.waited_for->empty())  // nothing was left to wait for
    run_.clock().note_wait({.kind = trace::constraint_kind::completion, .until = closed.start});
  if (error != cudaSuccess) closed.error_name = cudaGetErrorName(error);
  if (error != cudaSuccess && error != run_.errors().sticky() && !because_.empty())
    run_.log().note({trace::diagnostic_kind::refused, std::move(because_), id_, closed.where, origin_});
  return error;
}

}  // namespace cuda_runtime
