// api_call.h: one call of the CUDA API, from its entry to its return: what every api_*.cpp function opens
// first.
//
//     cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
//       api_call call("cudaStreamSynchronize", __builtin_return_address(0));
//       const trace::stream* stream = call.stream(handle);
//       if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
//       call.run().wait_for_stream(*stream);
//       return call.done(cudaSuccess);
//     }
#pragma once

#include <string>
#include <string_view>

#include "cuda_runtime/runtime.h"

namespace cuda_runtime {

/// A call that has begun. Exactly one of done() and done_regardless() closes it.
class api_call {
 public:
  /// Lets the devices catch up with the host, opens the record of the call, and lets the host spend the
  /// call's cost.
  api_call(std::string_view name, const void* return_address) : api_call(name, return_address, name) {}
  /// The same; the profile knows its host time under another name.
  api_call(std::string_view name, const void* return_address, std::string_view cost);
  api_call(const api_call&) = delete;
  api_call& operator=(const api_call&) = delete;

  /// The runtime, whose open call this is.
  runtime& run() { return run_; }
  /// What the recording says of it.
  trace::host_call& record() { return run_.recording_.calls[id_ - 1]; }
  /// Its id in the recording.
  trace::call_id id() const { return id_; }
  /// False where the call may not be made: inside a host function, or while streams capture. Then the
  /// function does nothing but close the call, which gives it its error.
  bool is_permitted() const { return refusal_ == cudaSuccess; }

  /// The live stream or event of a handle, noted as the one that the call names; nullptr when there is none,
  /// which is explained, or when the call may not use it while streams capture. One that has been destroyed
  /// is noted too. The handles of default streams name those of the current device.
  const trace::stream* stream(cudaStream_t handle) { return stream(handle, run_.current_device()); }
  /// What the handle 0 names for the source file of the call, on that device.
  const trace::stream& default_stream(std::uint32_t device) { return *find(nullptr, device); }
  /// @copydoc stream
  const trace::event* event(cudaEvent_t handle);
  /// Tells the user something that is no error.
  void note(trace::diagnostic_kind kind, std::string sentence) {
    run_.note(kind, std::move(sentence), id_, record().where);
  }
  /// Names in the recording what the virtual GPU does not model, and closes the call with
  /// cudaErrorNotSupported.
  cudaError_t not_supported(const std::string& what) {
    note(trace::diagnostic_kind::not_supported, what + " not modelled by the virtual GPU");
    return done_regardless(cudaErrorNotSupported);
  }

  /// Says why the call is about to be refused, in a sentence for people; kept only if it then fails.
  void explain(std::string because);

  /// Closes the call: sets the error variable (queries' cudaErrorNotReady never enters it), notes the end,
  /// and gives back what the function returns: the argument, or the sticky error of a device that has failed.
  cudaError_t done(cudaError_t error);
  /// The same for functions that also work on a failed device.
  cudaError_t done_regardless(cudaError_t error);

 private:
  const trace::stream* stream(cudaStream_t handle, std::uint32_t device);
  const trace::stream* find(cudaStream_t handle, std::uint32_t device);

  runtime& run_;
  null_stream null_;
  trace::call_id id_ = 0;
  std::string_view name_;
  cudaError_t refusal_ = cudaSuccess;
  std::string because_;
};

}  // namespace cuda_runtime
