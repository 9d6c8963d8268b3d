#include "exercise/unused_results.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

using trace::api_function;

/// Whether the failed call of the function on the last line of the text is marked.
bool is_unused(const std::string& text, api_function function = api_function::cudaMalloc) {
  std::string path = (std::filesystem::temp_directory_path() / "unused_results_XXXXXX").string();
  if (close(mkstemp(path.data())) != 0) throw std::runtime_error("no temporary file");
  std::ofstream(path) << text;
  trace::recording recording;
  recording.files = {{}, {path}};
  trace::host_call& call = recording.calls.emplace_back();
  call.id = 1;
  call.function = function;
  call.error_code = 1;
  call.where = {1, static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') + 1)};
  exercise::mark_unused_results(recording);
  std::filesystem::remove(path);
  return recording.calls.front().is_result_unused;
}

TEST(UnusedResults, StatementsOfTheirOwn) {
  EXPECT_TRUE(is_unused("int main() { cudaMalloc(&data, bytes);"));
  EXPECT_TRUE(
      is_unused("int main() {\n  int* data;  // of the device\n  cudaMalloc(&data, f(bytes));  // 1 KiB"));
  EXPECT_TRUE(is_unused("if (data == nullptr) cudaMalloc(&data, bytes);"));
  EXPECT_TRUE(is_unused("for (int i = 0; i < 4; ++i) cudaMalloc(&data[i], bytes);"));
  EXPECT_TRUE(is_unused("if (is_done) return; else cudaMalloc(&data, bytes);"));
  EXPECT_TRUE(is_unused("std::thread other([&] { cudaMalloc(&data, bytes); });"));
  EXPECT_TRUE(is_unused("cudaError_t error = cudaSuccess;\ncudaMalloc(&data,\n           bytes);"));
  EXPECT_TRUE(is_unused("int* data; cudaMalloc(&data, 4); if (cudaMallocHost(&data, 4)) return 1;"));
}

TEST(UnusedResults, ValuesThatSomethingTakes) {
  EXPECT_FALSE(is_unused("cudaError_t error = cudaMalloc(&data, bytes);"));
  EXPECT_FALSE(is_unused("cudaError_t error =\n  cudaMalloc(&data, bytes);"));
  EXPECT_FALSE(is_unused("CHECK(cudaMalloc(&data, bytes));"));
  EXPECT_FALSE(is_unused("if (cudaMalloc(&data, bytes)) return 1;"));
  EXPECT_FALSE(is_unused("{ return cudaMalloc(&data, bytes); }"));
  EXPECT_FALSE(is_unused("is_ok = is_ok && cudaMalloc(&data, bytes) == cudaSuccess;"));
  EXPECT_FALSE(is_unused("cudaMalloc(&data, bytes) == cudaSuccess || fail();"));
  EXPECT_FALSE(is_unused("for (; cudaMalloc(&data, bytes); bytes /= 2);"));
  EXPECT_FALSE(is_unused("(void)cudaMalloc(&data, bytes);"));
}

TEST(UnusedResults, ALineOfWhichNotAllCallsAreStatementsIsNotJudged) {
  EXPECT_FALSE(is_unused("cudaMalloc(&data, bytes); if (cudaMalloc(&more, bytes)) return 1;"));
}

TEST(UnusedResults, ALineWithoutTheCallIsNotJudged) {
  EXPECT_FALSE(is_unused("ALLOCATE(data, bytes);"));
  EXPECT_FALSE(is_unused("/* cudaMalloc(&data, bytes); */ allocate(\"cudaMalloc();\");"));
}

TEST(UnusedResults, LaunchesGiveNothing) {
  constexpr api_function launch = api_function::cudaLaunchKernel;
  EXPECT_TRUE(is_unused("scale<<<blocks, 4096>>>(data);", launch));
  EXPECT_TRUE(is_unused("; cudaLaunchKernel(scale, blocks, 256, arguments);", launch));
  EXPECT_FALSE(is_unused("error = cudaLaunchCooperativeKernel(scale, blocks, 256, arguments);", launch));
  EXPECT_FALSE(is_unused("CHECK(cudaLaunchKernelEx(&configuration, scale, data));", launch));
}

}  // namespace
