// api_call.h: one call of the CUDA API, from its entry to its return.
//
//     EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
//       return api(api_function::cudaStreamSynchronize, [&](api_call& call) {
//         const trace::stream* stream = call.stream(handle);
//         if (stream == nullptr) return cudaErrorInvalidResourceHandle;
//         call.run().wait_for_stream(*stream);
//         return cudaSuccess;
//       });
//     }
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cuda_runtime/runtime.h"
#include "trace/api_functions.h"

namespace cuda_runtime {

/// What a function returns once a device has failed: the sticky error, or its own answer.
enum class failure_rule { refused, answered };

/// How a function differs from most.
struct call_options {
  std::string_view cost{};  ///< under which the profile has the call's host time; "": the function's name
  failure_rule after_failure = failure_rule::refused;
};

/// A call that has begun; close() ends it.
class api_call {
 public:
  /// Lets the devices catch up with the host, opens the record of the call, and lets the host spend the
  /// call's cost.
  api_call(trace::api_function function, const void* return_address, const call_options& options = {})
      : api_call(function, trace::name_of(function), return_address, options) {}
  /// A function without a row in the table.
  api_call(std::string_view name, const void* return_address)
      : api_call(trace::function_named(name), name, return_address, {}) {}
  api_call(const api_call&) = delete;
  api_call& operator=(const api_call&) = delete;

  /// The runtime, whose open call this is.
  runtime& run() { return run_; }
  /// What the recording says of it.
  trace::host_call& record() { return run_.log().call(id_); }
  /// Its id in the recording.
  trace::call_id id() const { return id_; }
  /// False where the call may not be made: inside a host function, or while streams capture. Then the
  /// function does nothing, and close() gives the error.
  bool is_permitted() const { return refusal_ == cudaSuccess; }

  /// The live stream or event of a handle, noted as the one that the call names; nullptr when there is none,
  /// which is explained, or when the call may not use it while streams capture. One that has been destroyed
  /// is noted too. The handles of default streams name those of the current device.
  const trace::stream* stream(cudaStream_t handle) { return stream(handle, run_.current_device()); }
  /// What the handle 0 names for the source file of the call, on that device.
  const trace::stream& default_stream(std::uint32_t device) { return *find(nullptr, device); }
  /// @copydoc stream
  const trace::event* event(cudaEvent_t handle);
  /// Whether a graph, an executable one or a node is live. If not, that is explained.
  bool holds(cudaGraph_t graph) { return is_held(graph, "graph"); }
  /// @copydoc holds(cudaGraph_t)
  bool holds(cudaGraphExec_t graph) { return is_held(graph, "executable graph"); }
  /// @copydoc holds(cudaGraph_t)
  bool holds(cudaGraphNode_t node) { return is_held(node, "node"); }
  /// The live memory pool of a handle; nullptr when there is none, which is explained.
  memory_pool* pool(cudaMemPool_t handle);
  /// Tells the user something that is no error.
  void note(trace::diagnostic_kind kind, std::string sentence) {
    run_.log().note(kind, std::move(sentence), id_, record().where);
  }
  /// Names in the recording what the virtual GPU does not model ("streams of another kind are"). Returns
  /// cudaErrorNotSupported, which the call then gives even after a failure.
  cudaError_t not_supported(const std::string& subject) {
    note(trace::diagnostic_kind::not_supported, subject + " not modelled by the virtual GPU");
    after_failure_ = failure_rule::answered;
    return cudaErrorNotSupported;
  }

  /// Puts a result where the caller asked for it, which is a write of the host.
  template <typename Result>
  void give(Result* out, Result result) {
    *out = result;
    note_result(out, sizeof result);
  }
  /// Notes that a result was put there.
  void note_result(const void* where, std::size_t bytes);

  /// Says why the call is about to be refused, in a sentence for people; kept only if it then fails.
  /// `about`: the memory that it is about, or 0.
  void explain(std::string because, trace::allocation_id about = 0);
  /// The same of an earlier call (0: none), which told of it or brought it about.
  void explain_by_call(std::string because, trace::call_id earlier);

  /// Sets the error variable (queries' cudaErrorNotReady never enters it) and notes the end. Returns what the
  /// function returns: the argument, the reason why the call was not permitted, or the sticky error of a
  /// device that has failed.
  cudaError_t close(cudaError_t error);

 private:
  api_call(trace::api_function function, std::string_view name, const void* return_address,
           const call_options& options);
  const trace::stream* stream(cudaStream_t handle, std::uint32_t device);
  const trace::stream* find(cudaStream_t handle, std::uint32_t device);

  template <typename Handle>
  bool is_held(Handle handle, std::string_view kind) {
    if (run_.graphs().holds(handle)) return true;
    explain_end(kind, run_.graphs().ended_by(handle));
    return false;
  }
  /// Says that what the call names has been destroyed by that call; 0: that it was never there.
  void explain_end(std::string_view kind, trace::call_id ended_by);

  runtime& run_;
  null_stream null_;
  trace::call_id id_ = 0;
  kernels::address code_ = 0;  // of the caller
  trace::api_function function_;
  failure_rule after_failure_;
  cudaError_t refusal_ = cudaSuccess;
  std::string because_;
  trace::location origin_{};  // of what is explained
};

/// What a function of the API does: opens the call, runs `body(call)` if the call is permitted, and closes it
/// with the error that the body returns. Inlined, so that the return address is the function's.
template <typename Body>
__attribute__((always_inline)) inline cudaError_t api(trace::api_function function,
                                                      const call_options& options, Body body) {
  api_call call(function, __builtin_return_address(0), options);
  return call.close(call.is_permitted() ? body(call) : cudaErrorNotPermitted);
}
/// api() for functions without options.
template <typename Body>
__attribute__((always_inline)) inline cudaError_t api(trace::api_function function, Body body) {
  return api(function, {}, body);
}

}  // namespace cuda_runtime
