// File: measure.cu. Measures one GPU and its host for a profile of the virtual GPU: prints one fact a line,
// `key value unit n=samples`. A value is the mean of the middle half of its samples; host times include
// whatever sandbox the host runs in. Takes half a minute and two and a half GiB of device memory.
// Not here: the judgement which fact becomes which number of a profile.
//     nvcc -O2 -std=c++17 -arch=native -o measure measure.cu && ./measure [section...]
// Sections: device host_calls links queues host_device arithmetic kernels copies distant peers; all without an argument.

#include <cstring>

#include "measure/arithmetic.cuh"
#include "measure/copies.cuh"
#include "measure/distant.cuh"
#include "measure/host_calls.cuh"
#include "measure/host_device.cuh"
#include "measure/kernels.cuh"
#include "measure/links.cuh"
#include "measure/peers.cuh"
#include "measure/queues.cuh"

namespace {

/// What the device says about itself.
void device() {
  cudaDeviceProp seen;
  CHECKED(cudaGetDeviceProperties(&seen, 0));
  int clock_kilohertz = 0, least = 0, greatest = 0, driver = 0, runtime = 0;
  CHECKED(cudaDeviceGetAttribute(&clock_kilohertz, cudaDevAttrClockRate, 0));
  CHECKED(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECKED(cudaDriverGetVersion(&driver));
  CHECKED(cudaRuntimeGetVersion(&runtime));
  std::printf("# %s\n", seen.name);
  const auto fact = [](const char* key, double value, const char* unit) {
    measure::report(key, value, unit, 1);
  };
  fact("compute_capability", seen.major + seen.minor / 10.0, "version");
  fact("driver_version", driver, "version");
  fact("runtime_version", runtime, "version");
  fact("multiprocessors", seen.multiProcessorCount, "count");
  fact("clock", clock_kilohertz / 1000.0, "MHz");
  fact("threads_per_multiprocessor", seen.maxThreadsPerMultiProcessor, "count");
  fact("blocks_per_multiprocessor", seen.maxBlocksPerMultiProcessor, "count");
  fact("threads_per_block", seen.maxThreadsPerBlock, "count");
  fact("warp_size", seen.warpSize, "count");
  fact("shared_memory_per_multiprocessor", double(seen.sharedMemPerMultiprocessor), "bytes");
  fact("shared_memory_per_block", double(seen.sharedMemPerBlock), "bytes");
  fact("shared_memory_per_block_optin", double(seen.sharedMemPerBlockOptin), "bytes");
  fact("registers_per_multiprocessor", seen.regsPerMultiprocessor, "count");
  fact("global_memory_mebibytes", double(seen.totalGlobalMem) / (1 << 20), "MiB");
  fact("second_level_cache", seen.l2CacheSize, "bytes");
  fact("copy_engines", seen.asyncEngineCount, "count");
  fact("priority_greatest", greatest, "level");
}

}  // namespace

int main(int count, char** arguments) {
  // Code is loaded before anything is timed: loading may wait for the device, and a closed gate stays closed.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const auto wanted = [&](const char* section) {
    for (int i = 1; i < count; ++i)
      if (std::strcmp(arguments[i], section) == 0) return true;
    return count < 2;
  };
  if (wanted("device")) device();
  // First of all, since what was freed and destroyed before is quickly made again.
  if (wanted("host_calls")) measure::host_calls();
  if (wanted("links")) measure::links();
  if (wanted("queues")) measure::queues();
  if (wanted("host_device")) measure::host_device();
  if (wanted("arithmetic")) measure::arithmetic();
  if (wanted("kernels")) measure::kernels();
  if (wanted("copies")) measure::copies();
  if (wanted("distant")) measure::distant();
  if (wanted("peers")) measure::peers();
  return 0;
}
