#include "cuda_compiler/toolkit_headers.h"

#include <gtest/gtest.h>

namespace cuda_compiler {
namespace {

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
  EXPECT_FALSE(why_not_here("my_cuda.h"));
  EXPECT_FALSE(why_not_here("cuda_utils.h"));
}

}  // namespace
}  // namespace cuda_compiler
