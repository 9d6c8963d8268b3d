// The program streamlings-probe-gpu: whether this machine's GPU can run lessons and be recorded, a fact a
// line:
//
//     ok|missing <TAB> topic <TAB> what was found <TAB> the cure, when one is needed
//
// An argument says how many GPUs lessons need; without one, 1.
// Exit status: 0 lessons can run (recorded or not), 1 they cannot; the last line then says why.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "real_gpu/other_work.h"

namespace {

void found(const char* topic, const std::string& message) {
  std::cout << "ok\t" << topic << '\t' << message << "\t\n";
}

void missing(const char* topic, const std::string& message, const std::string& cure) {
  std::cout << "missing\t" << topic << '\t' << message << '\t' << cure << '\n';
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string words_for(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

bool has_driver() {
  int driver = 0;
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    missing(
        "driver", "no NVIDIA driver was found",
        "install the driver of your GPU (on Ubuntu: sudo ubuntu-drivers install), then restart; in WSL 2, "
        "install it on Windows; in a container, start it with --gpus all");
    return false;
  }
  const std::string versions =
      "for CUDA " + version_text(driver) + "; the toolkit is CUDA " + version_text(runtime);
  if (driver / 1000 < runtime / 1000) {
    missing("driver", versions,
            "install a newer driver, or a toolkit of CUDA " + version_text(driver) + " or older");
    return false;
  }
  found("driver", versions);
  return true;
}

bool has_devices(int needed) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    missing("GPU", error == cudaSuccess ? "the driver knows no GPU" : words_for(error),
            "nvidia-smi shows what the driver sees; CUDA_VISIBLE_DEVICES must not hide the GPU");
    return false;
  }
  if (count < needed) {
    missing("GPU",
            "the lesson needs " + std::to_string(needed) + ", and there " + (count == 1 ? "is " : "are ") +
                std::to_string(count),
            "CUDA_VISIBLE_DEVICES must not hide any");
    return false;
  }
  cudaDeviceProp about;
  cudaGetDeviceProperties(&about, 0);
  found("GPU", std::string(about.name) + ", compute capability " + std::to_string(about.major) + "." +
                   std::to_string(about.minor));
  return true;
}

bool can_be_used() {
  int mode = cudaComputeModeDefault;
  cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0);
  if (mode == cudaComputeModeProhibited) {
    missing("compute mode", "prohibited: no program may use the GPU",
            "sudo nvidia-smi --compute-mode=DEFAULT");
    return false;
  }
  void* memory = nullptr;
  cudaError_t error = cudaMalloc(&memory, 1 << 20);
  if (error == cudaSuccess) error = cudaMemset(memory, 0, 1 << 20);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    missing("compute mode", words_for(error),
            mode == cudaComputeModeExclusiveProcess
                ? "another program has the GPU for itself; end it, or: sudo nvidia-smi --compute-mode=DEFAULT"
                : "end other programs that use the GPU (nvidia-smi lists them), then try again");
    return false;
  }
  found("compute mode", mode == cudaComputeModeDefault ? "shared by all programs" : "one program at a time");
  return true;
}

int record_count = 0;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *size = 1 << 20;
  *max_records = 0;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) ++record_count;
  std::free(buffer);
}

void CUPTIAPI ignore_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

/// Turns recording on as the recorder does. Before anything else uses the GPU.
CUptiResult start_recording(CUpti_SubscriberHandle& subscriber) {
  CUptiResult status = cuptiSubscribe(&subscriber, &ignore_call, nullptr);
  if (status == CUPTI_SUCCESS) status = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  if (status == CUPTI_SUCCESS) status = cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer);
  if (status == CUPTI_SUCCESS) status = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
  return status;
}

void report_recording(CUptiResult status) {
  if (status == CUPTI_SUCCESS) status = cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::uint32_t version = 0;
  cuptiGetVersion(&version);
  const std::string installed = "version " + std::to_string(version);
  if (status == CUPTI_SUCCESS && record_count > 0) return found("CUPTI", installed + " records");
  const char* text = "no records came";
  if (status != CUPTI_SUCCESS) cuptiGetResultString(status, &text);
  std::string cure = "lessons run, results are judged, and timelines are missing";
  if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    cure = "end the other profiler (nsys, ncu, a debugger), and unset CUDA_INJECTION64_PATH";
  } else if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    cure =
        "let everybody profile: put 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into "
        "/etc/modprobe.d/nvidia-profiling.conf and restart; or start streamlings as root";
  }
  missing("CUPTI", installed + ": " + text, cure);
}

void report_other_work(const real_gpu::other_work& watched) {
  const auto others = watched.disturbances();
  if (others.empty()) return found("other work", "none on this GPU");
  for (const trace::diagnostic& diagnostic : others) {
    missing("other work", diagnostic.message, "times are judged only on a GPU that does nothing else");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int needed_devices = count > 1 ? std::atoi(arguments[1]) : 1;
  const real_gpu::other_work watched;
  CUpti_SubscriberHandle subscriber = nullptr;
  const CUptiResult recording = start_recording(subscriber);
  if (!has_driver() || !has_devices(needed_devices) || !can_be_used()) return 1;
  report_recording(recording);
  report_other_work(watched);
  return 0;
}
