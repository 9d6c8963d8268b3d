#include "cuda_runtime/api/api_call.h"

#include <algorithm>

#include "cuda_runtime/capture.h"
#include "cuda_runtime/api/per_thread_default_stream.h"

namespace cuda_runtime {
namespace {

/// After so many queries in a row that said "not ready" the host sleeps until something happens on the
/// device: a loop that polls for milliseconds would take millions of rounds.
constexpr int polls_most = 100;

/// What a host function may call: on an H200 these answered there, and all others with cudaErrorNotPermitted.
constexpr std::string_view permitted_in_host_functions[] = {
    "cudaGetLastError",      "cudaPeekAtLastError",  "cudaGetDeviceCount", "cudaEventQuery",
    "cudaRuntimeGetVersion", "cudaDriverGetVersion", "host_work"};

/// Those of them that the documentation allows too, or that are no CUDA: nothing to tell about.
bool is_harmless_in_host_functions(std::string_view name) {
  return name == "host_work" || name == "cudaEventQuery";
}

/// Where the frames began that were live when the function with that return address was called: behind the
/// place where the address is kept, which is above our own frame.
address live_stack_of_caller(address return_address) {
  const auto* word = static_cast<const address*>(__builtin_frame_address(0));
  while (*word != return_address) ++word;
  return reinterpret_cast<address>(word + 1);
}

}  // namespace

api_call::api_call(std::string_view name, const void* return_address, std::string_view cost)
    : run_(runtime::get()), null_(take_null_stream_of_caller()), name_(name) {
  trace::host_call opened;
  opened.where = runtime::code_location(reinterpret_cast<address>(return_address));
  host_thread* const thread = host_threads::self();
  if (thread == nullptr) {
    const std::string sentence =
        std::string(name) + ": this host thread was not made by pthread_create or std::thread";
    run_.note(trace::diagnostic_kind::not_supported, sentence, 0, opened.where);
    run_.fatal("fault", sentence);
  }
  if (thread->has_lent_stack)
    thread->live_stack = live_stack_of_caller(reinterpret_cast<address>(return_address));
  run_.flush_host_accesses();
  run_.catch_up();
  opened.id = static_cast<trace::call_id>(run_.recording_.calls.size() + 1);
  opened.function = trace::function_named(name);
  if (opened.function == trace::api_function::other) opened.other_name = name;
  opened.thread = thread->id;
  opened.device = thread->device;
  opened.start = thread->now;
  opened.end = thread->now;
  thread->open_call = opened.id;
  id_ = opened.id;
  run_.recording_.calls.push_back(std::move(opened));
  if (thread->host_function != 0) {
    const bool is_permitted =
        std::find(std::begin(permitted_in_host_functions), std::end(permitted_in_host_functions), name) !=
        std::end(permitted_in_host_functions);
    if (!is_permitted) refusal_ = cudaErrorNotPermitted;
  }
  if (thread->host_function != 0 && !is_harmless_in_host_functions(name)) {
    const std::string what =
        name == "cudaLaunchKernel" ? "a kernel was launched" : std::string(name) + " was called";
    run_.note(trace::diagnostic_kind::cuda_call_in_host_function,
              what + " by a host function; host functions must not call CUDA", id_, record().where);
  }
  if (is_permitted()) refusal_ = run_.captures().check_call(name, thread->id, run_.capture_mode(thread->id));
  if (name == "cudaLaunchKernel") {
    run_.take_turn_in_driver(run_.gpu_.host_call(cost));
  } else {
    run_.spend(run_.gpu_.host_call(cost));
  }
}

const trace::stream* api_call::stream(cudaStream_t handle, std::uint32_t device) {
  const trace::stream* const found = find(handle, device);
  if (found == nullptr || !is_permitted()) return found;
  const trace::thread_id thread = record().thread;
  refusal_ =
      run_.captures().check_stream(name_, *found, run_.streams().all(), thread, run_.capture_mode(thread));
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
  refusal_ = run_.captures().check_event(name_, found->id, thread, run_.capture_mode(thread));
  return is_permitted() ? found : nullptr;
}

void api_call::explain(std::string because) { because_ = std::move(because); }

cudaError_t api_call::done(cudaError_t error) {
  return done_regardless(run_.sticky_error() != cudaSuccess ? run_.sticky_error() : error);
}

cudaError_t api_call::done_regardless(cudaError_t error) {
  if (!is_permitted()) error = refusal_;
  run_.catch_up();
  host_thread& thread = run_.threads_->current();
  if (error == cudaErrorNotReady) {
    if (++thread.not_ready_answers > polls_most) run_.skip_to_next_event();
  } else {
    thread.not_ready_answers = 0;
    if (error != cudaSuccess) run_.set_last_error(error);
  }
  trace::host_call& closed = record();
  closed.end = thread.now;
  closed.error_code = error;
  if (error != cudaSuccess) closed.error_name = cudaGetErrorName(error);
  if (error != cudaSuccess && error != run_.sticky_error() && !because_.empty())
    run_.note(trace::diagnostic_kind::refused, std::move(because_), id_, closed.where);
  return error;
}

}  // namespace cuda_runtime
