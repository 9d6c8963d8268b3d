// The functions of the CUDA runtime that this library puts its own in front of, because CUPTI does not tell
// enough of them: host functions (when do they run?), launches (where are they?), and the calls that programs
// make most often between others that run (where are they, without the time that a walk up the stack takes?).
// Programs are linked with the shared runtime, behind this library, so that the dynamic linker finds these
// first.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <memory>

#include "real_gpu/call_site.h"
#include "real_gpu/cupti_recorder.h"

namespace real_gpu {
namespace {

/// The function of the runtime that ours hides.
template <typename Function>
Function* hidden(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What runs instead of a function given to a stream.
struct host_function {
  std::size_t place = 0;
  cudaHostFn_t function = nullptr;
  cudaStreamCallback_t callback = nullptr;
  void* argument = nullptr;
};

/// Notes the times of a host function, also when it ends by an exception.
class host_function_times {
 public:
  explicit host_function_times(std::size_t place) : place_(place) {
    cupti_recorder::get().host_function_began(place_);
  }
  ~host_function_times() { cupti_recorder::get().host_function_ended(place_); }
  host_function_times(const host_function_times&) = delete;
  host_function_times& operator=(const host_function_times&) = delete;

 private:
  std::size_t place_;
};

void CUDART_CB run_function(void* argument) {
  const std::unique_ptr<host_function> queued(static_cast<host_function*>(argument));
  const host_function_times times(queued->place);
  queued->function(queued->argument);
}

void CUDART_CB run_callback(cudaStream_t stream, cudaError_t status, void* argument) {
  const std::unique_ptr<host_function> queued(static_cast<host_function*>(argument));
  const host_function_times times(queued->place);
  queued->callback(stream, status, queued->argument);
}

}  // namespace
}  // namespace real_gpu

extern "C" {

cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  using namespace real_gpu;
  static auto* const launch = hidden<decltype(cudaLaunchHostFunc)>("cudaLaunchHostFunc");
  note_call_site(__builtin_return_address(0));
  if (function == nullptr) return launch(stream, function, argument);
  const std::size_t place = cupti_recorder::get().add_host_function();
  auto queued = std::make_unique<host_function>(host_function{place, function, nullptr, argument});
  const cudaError_t error = launch(stream, &run_function, queued.get());
  if (error != cudaSuccess) return error;
  queued.release();  // freed where it runs
  cupti_recorder::get().host_function_queued(place);
  return error;
}

cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                            void* argument, unsigned int flags) {
  using namespace real_gpu;
  static auto* const add = hidden<decltype(cudaStreamAddCallback)>("cudaStreamAddCallback");
  note_call_site(__builtin_return_address(0));
  if (callback == nullptr) return add(stream, callback, argument, flags);
  const std::size_t place = cupti_recorder::get().add_host_function();
  auto queued = std::make_unique<host_function>(host_function{place, nullptr, callback, argument});
  const cudaError_t error = add(stream, &run_callback, queued.get(), flags);
  if (error != cudaSuccess) return error;
  queued.release();  // freed where it runs
  cupti_recorder::get().host_function_queued(place);
  return error;
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  static auto* const copy = real_gpu::hidden<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
  real_gpu::note_call_site(__builtin_return_address(0));
  return copy(destination, source, bytes, kind, stream);
}

cudaError_t CUDARTAPI cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  static auto* const set = real_gpu::hidden<decltype(cudaMemsetAsync)>("cudaMemsetAsync");
  real_gpu::note_call_site(__builtin_return_address(0));
  return set(memory, value, bytes, stream);
}

cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  static auto* const record = real_gpu::hidden<decltype(cudaEventRecord)>("cudaEventRecord");
  real_gpu::note_call_site(__builtin_return_address(0));
  return record(event, stream);
}

cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  static auto* const query = real_gpu::hidden<decltype(cudaEventQuery)>("cudaEventQuery");
  real_gpu::note_call_site(__builtin_return_address(0));
  return query(event);
}

cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream) {
  static auto* const query = real_gpu::hidden<decltype(cudaStreamQuery)>("cudaStreamQuery");
  real_gpu::note_call_site(__builtin_return_address(0));
  return query(stream);
}

cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  static auto* const wait = real_gpu::hidden<decltype(cudaStreamWaitEvent)>("cudaStreamWaitEvent");
  real_gpu::note_call_site(__builtin_return_address(0));
  return wait(stream, event, flags);
}

/// What nvcc makes of `<<<...>>>` calls this first, at the place of the launch.
unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t shared_memory,
                                     CUstream_st* stream) {
  static auto* const push =
      real_gpu::hidden<unsigned(dim3, dim3, std::size_t, CUstream_st*)>("__cudaPushCallConfiguration");
  real_gpu::note_call_site(__builtin_return_address(0));
  return push(blocks, threads, shared_memory, stream);
}

}  // extern "C"
