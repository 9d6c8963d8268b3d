#include "virtual_gpu/api_call.h"

#include <thread>

namespace virtual_gpu {
namespace {

/// After so many queries in a row that said "not ready" the host sleeps until something happens on the device: a loop
/// that polls for milliseconds would take millions of rounds.
constexpr int polls_most = 100;

const std::thread::id first_thread = std::this_thread::get_id();

}  // namespace

api_call::api_call(std::string_view name, const void* return_address) : run_(runtime::get()) {
  trace::host_call opened;
  opened.where = runtime::code_location(reinterpret_cast<address>(return_address));
  if (std::this_thread::get_id() != first_thread) {
    const std::string sentence = std::string(name) + ": the virtual GPU models CUDA calls from one host thread only";
    run_.note("not_supported", sentence, 0, opened.where);
    run_.fatal("fault", sentence);
  }
  run_.flush_host_accesses();
  run_.catch_up();
  opened.id = static_cast<trace::call_id>(run_.recording_.calls.size() + 1);
  opened.name = name;
  opened.thread = 1;
  opened.start = run_.now_;
  opened.end = run_.now_;
  run_.open_call_ = opened.id;
  run_.recording_.calls.push_back(std::move(opened));
  run_.spend(run_.gpu_.host_call(name));
}

const trace::stream* api_call::stream(cudaStream_t handle) {
  const trace::stream* const found = run_.stream(handle);
  if (found != nullptr) record().stream = found->id;
  return found;
}

const trace::event* api_call::event(cudaEvent_t handle) {
  const trace::event* const found = run_.event(handle);
  if (found != nullptr) record().event = found->id;
  return found;
}

cudaError_t api_call::done(cudaError_t error) {
  return done_regardless(run_.sticky_error() != cudaSuccess ? run_.sticky_error() : error);
}

cudaError_t api_call::done_regardless(cudaError_t error) {
  run_.catch_up();
  if (error == cudaErrorNotReady) {
    if (++run_.polls_ > polls_most) run_.skip_to_next_event();
  } else {
    run_.polls_ = 0;
    if (error != cudaSuccess) run_.set_last_error(error);
  }
  trace::host_call& closed = record();
  closed.end = run_.now_;
  closed.error_code = error;
  if (error != cudaSuccess) closed.error_name = cudaGetErrorName(error);
  return error;
}

}  // namespace virtual_gpu
