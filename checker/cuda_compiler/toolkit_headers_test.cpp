#include "cuda_compiler/toolkit_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cuda_compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ToolkitHeaders, IncludeThatFindsNothingIsReadFromBothCompilers) {
  const char* messages[] = {
      "In file included from a.cu:1:\nb.h:3:10: fatal error: cub/cub.cuh: No such file or directory\n",
      "In file included from a.cu:1:\nb.h:3:10: fatal error: 'cub/cub.cuh' file not found\n",
      "\x1b[01m\x1b[Kb.h:3:10:\x1b[m\x1b[K \x1b[01;31m\x1b[Kfatal error: \x1b[m\x1b[Kcub/cub.cuh: No such file or "
      "directory\n",
      "\x1b[1mb.h:3:10: \x1b[0m\x1b[0;1;31mfatal error: \x1b[0m\x1b[1m'cub/cub.cuh' file not found\x1b[0m\n"};
  for (const char* message : messages) {
    const auto missing = find_missing_header(message);
    ASSERT_TRUE(missing) << message;
    EXPECT_EQ(missing->file, "b.h");
    EXPECT_EQ(missing->line, 3);
    EXPECT_EQ(missing->header, "cub/cub.cuh");
  }
}

TEST(ToolkitHeaders, OtherErrorsAreNoMissingHeaders) {
  EXPECT_FALSE(find_missing_header("a.cu:3:10: error: expected ';'\n"));
}

TEST(ToolkitHeaders, OnlyHeadersOfCudaAreExplained) {
  EXPECT_EQ(why_not_here("cudaTypedefs.h"),
            "the driver API is not modelled; use the runtime API (cuda_runtime.h)");
  EXPECT_THAT(why_not_here("cuda_occupancy.h").value(), HasSubstr("cudaOccupancy"));
  EXPECT_FALSE(why_not_here("my_cuda.h"));
  EXPECT_FALSE(why_not_here("cuda_utils.h"));
}

TEST(ToolkitHeaders, NamesThatAreNotModelledAreExplainedBySubject) {
  EXPECT_THAT(why_not_known("cudaMallocArray", "cudaMallocAsync"), HasSubstr("CUDA arrays are not modelled"));
  EXPECT_THAT(why_not_known("cudaMemcpyToArray", "cudaMemcpyToSymbol"), Not(HasSubstr("cudaMemcpyToSymbol")));
  EXPECT_EQ(why_not_known("cudaThreadSynchronize", "cudaStreamSynchronize"),
            "it is deprecated; call cudaDeviceSynchronize");
  EXPECT_EQ(why_not_known("cudaThreadExit", ""), "it is deprecated; call cudaDeviceReset");
  EXPECT_THAT(why_not_known("__vadd4", ""), HasSubstr("SIMD intrinsics"));
  EXPECT_THAT(why_not_known("cuInit", ""), HasSubstr("driver API"));
  EXPECT_THAT(why_not_known("cudaGraphNodeParams", "cudaKernelNodeParams"),
              HasSubstr("such as cudaGraphAddKernelNode"));
  EXPECT_THAT(why_not_known("cudaGraphConditionalHandleCreate", "cudaGraphConditionalHandle"),
              HasSubstr("conditional nodes of graphs are not modelled"));
  EXPECT_THAT(why_not_known("cudaEventElapsedTimes", "cudaEventElapsedTime"),
              HasSubstr("near it is cudaEventElapsedTime"));
}

TEST(ToolkitHeaders, TheWrapperOfRangesPointsToTheirHeader) {
  EXPECT_THAT(why_not_here("nvtx3/nvtx3.hpp").value(), HasSubstr("nvtx3/nvToolsExt.h"));
}

}  // namespace
}  // namespace cuda_compiler
