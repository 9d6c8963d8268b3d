#include "real_gpu/runtime_call.h"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <algorithm>
#include <utility>

namespace real_gpu {
namespace {

handle number(const void* pointer) { return reinterpret_cast<handle>(pointer); }

/// Of functions that give something back: after a failure their outputs hold nothing, and may be missing.
template <describer describe>
void if_it_succeeded(const void* parameters, raw_call& into) {
  if (into.error_code == 0) describe(parameters, into);
}

/// Of functions with a parameter `stream`, and nothing else that matters.
template <typename Parameters>
void names_stream(const void* parameters, raw_call& into) {
  into.stream = number(static_cast<const Parameters*>(parameters)->stream);
}

/// Of synchronous copies and memsets: they work in the default stream.
void uses_default_stream(const void*, raw_call& into) { into.stream = legacy_stream; }

template <typename Parameters>
void names_event(const void* parameters, raw_call& into) {
  into.event = number(static_cast<const Parameters*>(parameters)->event);
}

std::optional<trace::copy_direction> direction_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return trace::copy_direction::host_to_host;
    case cudaMemcpyHostToDevice:
      return trace::copy_direction::host_to_device;
    case cudaMemcpyDeviceToHost:
      return trace::copy_direction::device_to_host;
    case cudaMemcpyDeviceToDevice:
      return trace::copy_direction::device_to_device;
    default:
      return std::nullopt;
  }
}

/// Of copies between two addresses.
template <typename Parameters>
void copy(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const Parameters*>(parameters);
  into.source = number(arguments->src);
  into.destination = number(arguments->dst);
  into.direction = direction_of(arguments->kind);
}

template <typename Parameters>
void copy_in_default_stream(const void* parameters, raw_call& into) {
  uses_default_stream(parameters, into);
  copy<Parameters>(parameters, into);
}

template <typename Parameters>
void copy_in_stream(const void* parameters, raw_call& into) {
  names_stream<Parameters>(parameters, into);
  copy<Parameters>(parameters, into);
}

void create_stream(cudaStream_t stream, unsigned int flags, int priority, raw_call& into) {
  into.did = effect::creates_stream;
  into.stream = number(stream);
  into.blocking = (flags & cudaStreamNonBlocking) != 0 ? trace::stream_blocking::non_blocking
                                                       : trace::stream_blocking::blocking;
  into.priority = priority;
}

void stream_create(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaStreamCreate_v3020_params*>(parameters);
  create_stream(*arguments->pStream, cudaStreamDefault, 0, into);
}

void stream_create_with_flags(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaStreamCreateWithFlags_v5000_params*>(parameters);
  create_stream(*arguments->pStream, arguments->flags, 0, into);
}

void stream_create_with_priority(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaStreamCreateWithPriority_v5050_params*>(parameters);
  create_stream(*arguments->pStream, arguments->flags, arguments->priority, into);
}

void stream_destroy(const void* parameters, raw_call& into) {
  names_stream<cudaStreamDestroy_v5050_params>(parameters, into);
  into.did = effect::destroys_stream;
}

void create_event(cudaEvent_t event, unsigned int flags, raw_call& into) {
  into.did = effect::creates_event;
  into.event = number(event);
  into.has_timing = (flags & cudaEventDisableTiming) == 0;
}

void event_create(const void* parameters, raw_call& into) {
  create_event(*static_cast<const cudaEventCreate_v3020_params*>(parameters)->event, cudaEventDefault, into);
}

void event_create_with_flags(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaEventCreateWithFlags_v3020_params*>(parameters);
  create_event(*arguments->event, arguments->flags, into);
}

void event_destroy(const void* parameters, raw_call& into) {
  names_event<cudaEventDestroy_v3020_params>(parameters, into);
  into.did = effect::destroys_event;
}

template <typename Parameters>
void event_record(const void* parameters, raw_call& into) {
  names_event<Parameters>(parameters, into);
  names_stream<Parameters>(parameters, into);
  into.did = effect::records_event;
}

void stream_wait_event(const void* parameters, raw_call& into) {
  names_event<cudaStreamWaitEvent_v3020_params>(parameters, into);
  names_stream<cudaStreamWaitEvent_v3020_params>(parameters, into);
  into.did = effect::waits_for_event;
}

/// CUPTI renamed its own struct for this function from version to version; the parameters are the same.
struct elapsed_time_parameters {
  float* milliseconds;
  cudaEvent_t start;
  cudaEvent_t end;
};

void event_elapsed_time(const void* parameters, raw_call& into) {
  into.event = number(static_cast<const elapsed_time_parameters*>(parameters)->end);
}

void allocate(const void* memory, std::size_t bytes, trace::memory_kind kind, raw_call& into) {
  into.did = effect::allocates;
  into.memory = number(memory);
  into.bytes = bytes;
  into.memory_kind = kind;
}

void device_memory(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaMalloc_v3020_params*>(parameters);
  allocate(*arguments->devPtr, arguments->size, trace::memory_kind::device, into);
}

void device_memory_in_stream(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaMallocAsync_v11020_params*>(parameters);
  allocate(*arguments->devPtr, arguments->size, trace::memory_kind::device, into);
  into.stream = number(arguments->hStream);
}

void device_memory_in_rows(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaMallocPitch_v3020_params*>(parameters);
  allocate(*arguments->devPtr, *arguments->pitch * arguments->height, trace::memory_kind::device, into);
}

void managed_memory(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaMallocManaged_v6000_params*>(parameters);
  allocate(*arguments->devPtr, arguments->size, trace::memory_kind::managed, into);
}

void pinned_memory(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaMallocHost_v3020_params*>(parameters);
  allocate(*arguments->ptr, arguments->size, trace::memory_kind::pinned, into);
}

void pinned_memory_with_flags(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaHostAlloc_v3020_params*>(parameters);
  allocate(*arguments->pHost, arguments->size, trace::memory_kind::pinned, into);
}

void registered_memory(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaHostRegister_v4000_params*>(parameters);
  allocate(arguments->ptr, arguments->size, trace::memory_kind::pinned, into);
}

void free_memory(const void* memory, raw_call& into) {
  into.did = effect::frees;
  into.memory = number(memory);
}

void free_device_memory(const void* parameters, raw_call& into) {
  free_memory(static_cast<const cudaFree_v3020_params*>(parameters)->devPtr, into);
}

void free_device_memory_in_stream(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaFreeAsync_v11020_params*>(parameters);
  free_memory(arguments->devPtr, into);
  into.stream = number(arguments->hStream);
}

void free_pinned_memory(const void* parameters, raw_call& into) {
  free_memory(static_cast<const cudaFreeHost_v3020_params*>(parameters)->ptr, into);
}

void unregister_memory(const void* parameters, raw_call& into) {
  free_memory(static_cast<const cudaHostUnregister_v4000_params*>(parameters)->ptr, into);
}

void launch_with_configuration(const void* parameters, raw_call& into) {
  const auto* arguments = static_cast<const cudaLaunchKernelExC_v11060_params*>(parameters);
  if (arguments->config != nullptr) into.stream = number(arguments->config->stream);
}

void launch_graph(const void* parameters, raw_call& into) {
  names_stream<cudaGraphLaunch_v10000_params>(parameters, into);
  into.did = effect::launches_graph;
}

template <typename Parameters, effect what>
void capture(const void* parameters, raw_call& into) {
  names_stream<Parameters>(parameters, into);
  into.did = what;
}

void set_device(const void* parameters, raw_call& into) {
  into.device =
      static_cast<std::uint32_t>(static_cast<const cudaSetDevice_v3020_params*>(parameters)->device);
}

// The parameters of a function keep their places from version to version, or it gets another name.
constexpr std::pair<std::string_view, describer> describers[] = {
    {"cudaEventCreate", &if_it_succeeded<&event_create>},
    {"cudaEventCreateWithFlags", &if_it_succeeded<&event_create_with_flags>},
    {"cudaEventDestroy", &event_destroy},
    {"cudaEventElapsedTime", &event_elapsed_time},
    {"cudaEventQuery", &names_event<cudaEventQuery_v3020_params>},
    {"cudaEventRecord", &event_record<cudaEventRecord_v3020_params>},
    {"cudaEventRecordWithFlags", &event_record<cudaEventRecordWithFlags_v11010_params>},
    {"cudaEventSynchronize", &names_event<cudaEventSynchronize_v3020_params>},
    {"cudaFree", &free_device_memory},
    {"cudaFreeAsync", &free_device_memory_in_stream},
    {"cudaFreeHost", &free_pinned_memory},
    {"cudaGraphLaunch", &launch_graph},
    {"cudaHostAlloc", &if_it_succeeded<&pinned_memory_with_flags>},
    {"cudaHostRegister", &registered_memory},
    {"cudaHostUnregister", &unregister_memory},
    {"cudaLaunchCooperativeKernel", &names_stream<cudaLaunchCooperativeKernel_v9000_params>},
    {"cudaLaunchHostFunc", &names_stream<cudaLaunchHostFunc_v10000_params>},
    {"cudaLaunchKernel", &names_stream<cudaLaunchKernel_v7000_params>},
    {"cudaLaunchKernelExC", &launch_with_configuration},
    {"cudaMalloc", &if_it_succeeded<&device_memory>},
    {"cudaMallocAsync", &if_it_succeeded<&device_memory_in_stream>},
    {"cudaMallocHost", &if_it_succeeded<&pinned_memory>},
    {"cudaMallocManaged", &if_it_succeeded<&managed_memory>},
    {"cudaMallocPitch", &if_it_succeeded<&device_memory_in_rows>},
    {"cudaMemcpy", &copy_in_default_stream<cudaMemcpy_v3020_params>},
    {"cudaMemcpy2D", &copy_in_default_stream<cudaMemcpy2D_v3020_params>},
    {"cudaMemcpy2DAsync", &copy_in_stream<cudaMemcpy2DAsync_v3020_params>},
    {"cudaMemcpyAsync", &copy_in_stream<cudaMemcpyAsync_v3020_params>},
    {"cudaMemcpyFromSymbol", &uses_default_stream},
    {"cudaMemcpyFromSymbolAsync", &names_stream<cudaMemcpyFromSymbolAsync_v3020_params>},
    {"cudaMemcpyPeerAsync", &names_stream<cudaMemcpyPeerAsync_v4000_params>},
    {"cudaMemcpyToSymbol", &uses_default_stream},
    {"cudaMemcpyToSymbolAsync", &names_stream<cudaMemcpyToSymbolAsync_v3020_params>},
    {"cudaMemset", &uses_default_stream},
    {"cudaMemset2D", &uses_default_stream},
    {"cudaMemset2DAsync", &names_stream<cudaMemset2DAsync_v3020_params>},
    {"cudaMemsetAsync", &names_stream<cudaMemsetAsync_v3020_params>},
    {"cudaSetDevice", &if_it_succeeded<&set_device>},
    {"cudaStreamAddCallback", &names_stream<cudaStreamAddCallback_v5000_params>},
    {"cudaStreamBeginCapture", &capture<cudaStreamBeginCapture_v10000_params, effect::begins_capture>},
    {"cudaStreamCreate", &if_it_succeeded<&stream_create>},
    {"cudaStreamCreateWithFlags", &if_it_succeeded<&stream_create_with_flags>},
    {"cudaStreamCreateWithPriority", &if_it_succeeded<&stream_create_with_priority>},
    {"cudaStreamDestroy", &stream_destroy},
    {"cudaStreamEndCapture", &capture<cudaStreamEndCapture_v10000_params, effect::ends_capture>},
    {"cudaStreamQuery", &names_stream<cudaStreamQuery_v3020_params>},
    {"cudaStreamSynchronize", &names_stream<cudaStreamSynchronize_v3020_params>},
    {"cudaStreamWaitEvent", &stream_wait_event},
};

}  // namespace

bool uses_per_thread_stream(std::string_view name) {
  return name.find("_ptsz") != std::string_view::npos || name.find("_ptds") != std::string_view::npos;
}

std::string plain_function_name(std::string_view name) {
  for (const std::string_view mark : {"_ptsz", "_ptds"}) {
    if (const std::size_t place = name.find(mark); place != std::string_view::npos) {
      name = name.substr(0, place);
    }
  }
  if (const std::size_t version = name.rfind("_v"); version != std::string_view::npos) {
    const std::string_view digits = name.substr(version + 2);
    const bool is_number =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number) name = name.substr(0, version);
  }
  return std::string(name);
}

describer describer_of(std::string_view plain_name) {
  const auto found = std::find_if(std::begin(describers), std::end(describers),
                                  [&](const auto& describer) { return describer.first == plain_name; });
  return found == std::end(describers) ? nullptr : found->second;
}

}  // namespace real_gpu
