#include "real_gpu/other_work.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>

namespace real_gpu {
namespace {

using process_id = unsigned int;
constexpr unsigned int max_processes = 256;

// What is used of NVML, from its API reference: the toolkit does not always bring nvml.h.
using nvml_status = int;
using nvml_device = void*;
constexpr nvml_status nvml_success = 0;
constexpr nvml_status nvml_not_found = 6;

struct nvml_process {  // nvmlProcessInfo_t
  unsigned int pid;
  unsigned long long used_memory;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};

struct nvml_utilization {  // nvmlProcessUtilizationSample_t
  unsigned int pid;
  unsigned long long time;       // microseconds
  unsigned int multiprocessors;  // per cent, as are the others
  unsigned int memory;
  unsigned int encoder;
  unsigned int decoder;
};

/// NVML comes with the driver, so it is looked for only when the program runs.
class library {
 public:
  library() : opened_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    find("nvmlInit_v2", init_);
    find("nvmlShutdown", shutdown_);
    find("nvmlDeviceGetCount_v2", count_);
    find("nvmlDeviceGetHandleByIndex_v2", device_);
    find("nvmlDeviceGetComputeRunningProcesses_v3", processes_);
    find("nvmlDeviceGetProcessUtilization", utilization_);
    is_usable_ = opened_ != nullptr && is_complete_ && init_() == nvml_success;
  }
  ~library() {
    if (is_usable_) shutdown_();
    if (opened_ != nullptr) dlclose(opened_);
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  std::vector<nvml_device> devices() const {
    std::vector<nvml_device> found;
    unsigned int count = 0;
    if (!is_usable_ || count_(&count) != nvml_success) return found;
    for (unsigned int index = 0; index < count; ++index) {
      nvml_device device = nullptr;
      if (device_(index, &device) == nvml_success) found.push_back(device);
    }
    return found;
  }

  /// Processes that computed on the device since that time; nothing when the driver does not tell.
  std::optional<std::set<process_id>> computed_since(nvml_device device, unsigned long long time) const {
    std::vector<nvml_utilization> samples(max_processes);
    unsigned int count = max_processes;
    const nvml_status status = utilization_(device, samples.data(), &count, time);
    if (status == nvml_not_found) return std::set<process_id>();  // no sample since then
    if (status != nvml_success) return std::nullopt;
    std::set<process_id> found;
    for (unsigned int i = 0; i < std::min(count, max_processes); ++i) {
      if (samples[i].multiprocessors > 0) found.insert(samples[i].pid);
    }
    return found;
  }

  /// Processes that have a context on the device.
  std::set<process_id> users_of(nvml_device device) const {
    std::vector<nvml_process> running(max_processes);
    unsigned int count = max_processes;
    std::set<process_id> found;
    if (processes_(device, &count, running.data()) != nvml_success) return found;
    for (unsigned int i = 0; i < std::min(count, max_processes); ++i) found.insert(running[i].pid);
    return found;
  }

 private:
  template <typename Function>
  void find(const char* name, Function& into) {
    if (opened_ != nullptr) into = reinterpret_cast<Function>(dlsym(opened_, name));
    is_complete_ = is_complete_ && into != nullptr;
  }

  void* opened_ = nullptr;
  bool is_complete_ = true;
  bool is_usable_ = false;
  nvml_status (*init_)() = nullptr;
  nvml_status (*shutdown_)() = nullptr;
  nvml_status (*count_)(unsigned int* count) = nullptr;
  nvml_status (*device_)(unsigned int index, nvml_device* device) = nullptr;
  nvml_status (*processes_)(nvml_device device, unsigned int* count, nvml_process* into) = nullptr;
  nvml_status (*utilization_)(nvml_device device, nvml_utilization* into, unsigned int* count,
                              unsigned long long since) = nullptr;
};

}  // namespace

other_work::other_work() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  began_ =
      static_cast<unsigned long long>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

std::vector<trace::diagnostic> other_work::disturbances() const {
  const library nvml;
  std::set<process_id> others;
  const auto self = static_cast<process_id>(getpid());
  for (const nvml_device device : nvml.devices()) {
    const std::set<process_id> users = nvml.users_of(device);
    // In a container the driver may number processes otherwise than we do; then nothing can be told.
    if (users.count(self) == 0) continue;
    // A process that is gone by now has not disturbed this one for long: most often it was the run before.
    for (const process_id process : nvml.computed_since(device, began_).value_or(users)) {
      if (process != self && users.count(process) != 0) others.insert(process);
    }
  }
  std::vector<trace::diagnostic> found;
  for (const process_id process : others) {
    found.push_back({trace::diagnostic_kind::other_work,
                     "process " + std::to_string(process) + " used the GPU at the same time",
                     0,
                     {}});
  }
  return found;
}

}  // namespace real_gpu
