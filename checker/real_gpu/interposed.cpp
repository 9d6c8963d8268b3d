// The functions of the CUDA runtime that this library puts its own in front of, because CUPTI does not tell
// enough of them: host functions (when do they run?), launches (where are they?), and the calls that programs
// make most often between others that run (where are they, without the time that a walk up the stack takes?).
// Where CUPTI refuses, these are all that is recorded (unheard_call.h), so streams, copies and waits are here
// too. Programs are linked with the shared runtime, behind this library, so that the dynamic linker finds
// these first.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <memory>

#include "real_gpu/call_site.h"
#include "real_gpu/cupti_recorder.h"
#include "real_gpu/unheard_call.h"

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

raw_activity copy_of(const void* destination, const void* source, std::size_t bytes) {
  raw_activity work;
  work.kind = trace::operation_kind::copy;
  work.bytes = bytes;
  work.source = memory_kind_at(source);
  work.destination = memory_kind_at(destination);
  return work;
}

raw_activity kernel_of(const void* kernel, dim3 blocks, dim3 threads, std::size_t shared_memory) {
  raw_activity work;
  const char* name = nullptr;
  const recorder_at_work quiet;
  if (cudaFuncGetName(&name, kernel) == cudaSuccess && name != nullptr) work.name = name;
  work.grid = {blocks.x, blocks.y, blocks.z};
  work.block = {threads.x, threads.y, threads.z};
  work.shared_memory_bytes = shared_memory;
  return work;
}

/// Of a call that made that stream.
cudaError_t made_stream(unheard_call& call, cudaError_t error, const cudaStream_t* made, unsigned int flags,
                        int priority) {
  if (call.is_noted() && error == cudaSuccess) {
    call.about().did = effect::creates_stream;
    call.about().stream = reinterpret_cast<handle>(*made);
    call.about().blocking = (flags & cudaStreamNonBlocking) != 0 ? trace::stream_blocking::non_blocking
                                                                 : trace::stream_blocking::blocking;
    call.about().priority = priority;
  }
  return call.returned(error);
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
  unheard_call call("cudaLaunchHostFunc", __builtin_return_address(0), stream);
  const cudaError_t error = call.returned(launch(stream, &run_function, queued.get()));
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
  unheard_call call("cudaStreamAddCallback", __builtin_return_address(0), stream);
  const cudaError_t error = call.returned(add(stream, &run_callback, queued.get(), flags));
  if (error != cudaSuccess) return error;
  queued.release();  // freed where it runs
  cupti_recorder::get().host_function_queued(place);
  return error;
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  static auto* const copy = real_gpu::hidden<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaMemcpyAsync", __builtin_return_address(0), stream);
  if (call.is_noted()) call.queues(real_gpu::copy_of(destination, source, bytes));
  return call.returned(copy(destination, source, bytes, kind, stream));
}

cudaError_t CUDARTAPI cudaMemcpy(void* destination, const void* source, std::size_t bytes,
                                 cudaMemcpyKind kind) {
  static auto* const copy = real_gpu::hidden<decltype(cudaMemcpy)>("cudaMemcpy");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaMemcpy", __builtin_return_address(0), cudaStream_t{});
  if (call.is_noted()) call.queues(real_gpu::copy_of(destination, source, bytes));
  return call.returned(copy(destination, source, bytes, kind));
}

cudaError_t CUDARTAPI cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  static auto* const set = real_gpu::hidden<decltype(cudaMemsetAsync)>("cudaMemsetAsync");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaMemsetAsync", __builtin_return_address(0), stream);
  if (call.is_noted()) {
    real_gpu::raw_activity work;
    work.kind = trace::operation_kind::memset;
    work.bytes = bytes;
    work.destination = real_gpu::memory_kind_at(memory);
    call.queues(std::move(work));
  }
  return call.returned(set(memory, value, bytes, stream));
}

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* stream) {
  static auto* const create = real_gpu::hidden<decltype(cudaStreamCreate)>("cudaStreamCreate");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaStreamCreate", __builtin_return_address(0));
  return real_gpu::made_stream(call, create(stream), stream, cudaStreamDefault, 0);
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  static auto* const create =
      real_gpu::hidden<decltype(cudaStreamCreateWithFlags)>("cudaStreamCreateWithFlags");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaStreamCreateWithFlags", __builtin_return_address(0));
  return real_gpu::made_stream(call, create(stream, flags), stream, flags, 0);
}

cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  static auto* const create =
      real_gpu::hidden<decltype(cudaStreamCreateWithPriority)>("cudaStreamCreateWithPriority");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaStreamCreateWithPriority", __builtin_return_address(0));
  return real_gpu::made_stream(call, create(stream, flags, priority), stream, flags, priority);
}

cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  static auto* const destroy = real_gpu::hidden<decltype(cudaStreamDestroy)>("cudaStreamDestroy");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaStreamDestroy", __builtin_return_address(0), stream);
  call.about().did = real_gpu::effect::destroys_stream;
  return call.returned(destroy(stream));
}

cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
  static auto* const wait = real_gpu::hidden<decltype(cudaStreamSynchronize)>("cudaStreamSynchronize");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaStreamSynchronize", __builtin_return_address(0), stream);
  return call.returned(wait(stream));
}

cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  static auto* const wait = real_gpu::hidden<decltype(cudaDeviceSynchronize)>("cudaDeviceSynchronize");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaDeviceSynchronize", __builtin_return_address(0));
  return call.returned(wait());
}

cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  static auto* const wait = real_gpu::hidden<decltype(cudaEventSynchronize)>("cudaEventSynchronize");
  real_gpu::note_call_site(__builtin_return_address(0));
  real_gpu::unheard_call call("cudaEventSynchronize", __builtin_return_address(0));
  return call.returned(wait(event));
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

/// What it calls next, up to CUDA 12; the place is known already.
cudaError_t CUDARTAPI cudaLaunchKernel(const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                                       std::size_t shared_memory, cudaStream_t stream) {
  static auto* const launch =
      real_gpu::hidden<cudaError_t(const void*, dim3, dim3, void**, std::size_t, cudaStream_t)>(
          "cudaLaunchKernel");
  real_gpu::unheard_call call("cudaLaunchKernel", real_gpu::last_noted_site(), stream);
  if (call.is_noted()) call.queues(real_gpu::kernel_of(kernel, blocks, threads, shared_memory));
  return call.returned(launch(kernel, blocks, threads, arguments, shared_memory, stream));
}

/// The same from CUDA 13 on.
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments,
                                         std::size_t shared_memory, cudaStream_t stream) {
  static auto* const launch =
      real_gpu::hidden<cudaError_t(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t)>(
          "__cudaLaunchKernel");
  real_gpu::unheard_call call("cudaLaunchKernel", real_gpu::last_noted_site(), stream);
  if (call.is_noted()) call.queues(real_gpu::kernel_of(kernel, blocks, threads, shared_memory));
  return call.returned(launch(kernel, blocks, threads, arguments, shared_memory, stream));
}

}  // extern "C"
