#include "cuda_runtime/kernel_output.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

std::string written(kernel_output& output) {
  std::FILE* const file = std::tmpfile();
  output.write_to(file);
  std::string text(256, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(KernelOutput, IsWrittenOnceInOrder) {
  kernel_output output;
  output.add("one\n", 100);
  output.add("two\n", 100);
  EXPECT_FALSE(output.is_empty());
  EXPECT_EQ(written(output), "one\ntwo\n");
  EXPECT_TRUE(output.is_empty());
  EXPECT_EQ(written(output), "");
}

TEST(KernelOutput, AFullBufferLosesTheOldest) {
  kernel_output output;
  for (const char* text : {"one\n", "two\n", "six\n"}) output.add(text, 8);
  EXPECT_EQ(written(output), "two\nsix\n");
  EXPECT_EQ(output.lost(), 1u);
}

}  // namespace
}  // namespace cuda_runtime
