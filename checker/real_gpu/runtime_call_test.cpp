#include "real_gpu/runtime_call.h"

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

namespace real_gpu {
namespace {

template <typename Parameters>
raw_call described(const char* name, const Parameters& parameters, cudaError_t error = cudaSuccess) {
  raw_call call;
  call.error_code = error;
  describer_of(name)(&parameters, call);
  return call;
}

TEST(RuntimeCall, AnAllocationIsAtTheAddressThatCameBack) {
  int target = 0;
  void* memory = &target;
  const raw_call call = described("cudaMalloc", cudaMalloc_v3020_params{&memory, 64});
  EXPECT_EQ(call.did, effect::allocates);
  EXPECT_EQ(call.memory, reinterpret_cast<handle>(&target));
  EXPECT_EQ(call.bytes, 64u);
}

TEST(RuntimeCall, OutputsOfAFailedCallAreNotRead) {
  const cudaError_t failed = cudaErrorInvalidValue;
  EXPECT_EQ(described("cudaMalloc", cudaMalloc_v3020_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaMallocAsync", cudaMallocAsync_v11020_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaMallocHost", cudaMallocHost_v3020_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaMallocManaged", cudaMallocManaged_v6000_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaMallocPitch", cudaMallocPitch_v3020_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaHostAlloc", cudaHostAlloc_v3020_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaStreamCreate", cudaStreamCreate_v3020_params{}, failed).did, effect::none);
  EXPECT_EQ(described("cudaEventCreate", cudaEventCreate_v3020_params{}, failed).did, effect::none);
}

TEST(RuntimeCall, ACopyHasTheDirectionThatTheProgramGives) {
  cudaMemcpyAsync_v3020_params parameters{};
  parameters.kind = cudaMemcpyDeviceToHost;
  const raw_call call = described("cudaMemcpyAsync", parameters);
  EXPECT_EQ(call.direction, trace::copy_direction::device_to_host);
  EXPECT_EQ(call.stream, legacy_stream);
  parameters.kind = cudaMemcpyDefault;
  EXPECT_EQ(described("cudaMemcpyAsync", parameters).direction, std::nullopt);
}

TEST(RuntimeCall, ALaunchWithoutAConfigurationNamesNoStream) {
  const raw_call call =
      described("cudaLaunchKernelExC", cudaLaunchKernelExC_v11060_params{}, cudaErrorInvalidValue);
  EXPECT_EQ(call.stream, std::nullopt);
}

TEST(RuntimeCall, OnlyADeviceThatThereIsBecomesTheCurrentOne) {
  EXPECT_EQ(described("cudaSetDevice", cudaSetDevice_v3020_params{1}).device, 1u);
  EXPECT_EQ(described("cudaSetDevice", cudaSetDevice_v3020_params{99}, cudaErrorInvalidDevice).device, 0u);
}

}  // namespace
}  // namespace real_gpu
