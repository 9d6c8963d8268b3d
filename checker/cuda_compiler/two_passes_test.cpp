#include "cuda_compiler/two_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace cuda_compiler {
namespace {

/// The merged text without line markers, and with single blanks.
std::string merged(const std::string& device, const std::string& host) {
  const merged_passes result = merge_passes(device, host);
  EXPECT_TRUE(result.errors.empty()) << result.errors.front().line;
  const std::string unmarked = std::regex_replace(result.text, std::regex("\n# [^\n]*"), "");
  return std::regex_replace(unmarked, std::regex("\\s+"), " ");
}

int line_refused(const std::string& device, const std::string& host) {
  const merged_passes result = merge_passes("# 1 \"a.cu\"\n" + device, "# 1 \"a.cu\"\n" + host);
  return result.errors.empty() ? 0 : result.errors.front().line;
}

TEST(TwoPasses, WhatIsTheSameStays) {
  const std::string same = "# 1 \"a.cu\"\n__device__ int f() { return 1; }\nint main() { return 0; }\n";
  EXPECT_EQ(merge_passes(same, same).text, same);
}

TEST(TwoPasses, AHostFunctionHasTheBodyOfTheHost) {
  EXPECT_EQ(merged("int f() { return 1; } int g();", "int f() { return 2; } int g();"),
            "int f() { return 2; } int g();");
}

TEST(TwoPasses, DeviceFunctionsAndKernelsHaveTheBodyOfTheDevice) {
  EXPECT_EQ(merged("__device__ int f() { return 1; }", "__device__ int f() { return 2; }"),
            "__device__ int f() { return 1; }");
  EXPECT_EQ(merged("__global__ void k() { a(); }", "__global__ void k() { }"),
            "__global__ void k() { a(); }");
}

TEST(TwoPasses, AFunctionOfBothDecidesWhenItRuns) {
  EXPECT_EQ(
      merged("template <class T> __host__ __device__ int f() { return 1; }",
             "template <class T> __host__ __device__ int f() { return 2; }"),
      "template <class T> __host__ __device__ int f() { if (::virtual_gpu::is_in_kernel()) { return 1; } else { return 2; } } ");
}

TEST(TwoPasses, MembersAndNamespacesAreLookedInto) {
  EXPECT_EQ(merged("namespace n { struct s { int a = 1; int f() const { return 1; } }; int g(); }",
                   "namespace n { struct s { int a = 1; int f() const { return 2; } }; int g(); }"),
            "namespace n { struct s { int a = 1; int f() const { return 2; } }; int g(); }");
}

TEST(TwoPasses, ADeviceFunctionThatOnlyTheHostSeesIsLeftOut) {
  EXPECT_EQ(merged("int a; int b;", "int a; __device__ double atomicAdd(double* p) { return *p; } int b;"),
            "int a; int b;");
  EXPECT_EQ(merged("int a; __device__ int f() { return 1; } int b;", "int a; int b;"),
            "int a; __device__ int f() { return 1; } int b;");
}

TEST(TwoPasses, AHostFunctionThatOnlyTheHostSeesIsThere) {
  EXPECT_EQ(merged("int a; int b;", "int a; int f() { return 1; } int b;"),
            "int a; int f() { return 1; } int b;");
}

TEST(TwoPasses, EachBodyHasItsLines) {
  const merged_passes result =
      merge_passes("# 1 \"a.cu\"\nint f() {\n\nreturn 1;\n}\n",
                   "# 1 \"a.cu\"\nint f() {\n# 5 \"a.cu\"\nreturn 2;\n}\nint last;\n");
  EXPECT_THAT(result.errors, testing::SizeIs(1));  // the variable is the host's alone
  const merged_passes both = merge_passes("# 1 \"a.cu\"\nint f() {\n\nreturn 1;\n}\nint last;\n",
                                          "# 1 \"a.cu\"\nint f() {\n# 5 \"a.cu\"\nreturn 2;\n}\nint last;\n");
  EXPECT_THAT(both.text, testing::HasSubstr("# 5 \"a.cu\"\nreturn 2;"));
  EXPECT_THAT(both.text, testing::HasSubstr("# 4 \"a.cu\"\n\nint last;"));
}

TEST(TwoPasses, WhatCannotBeTwoThingsIsRefused) {
  EXPECT_EQ(line_refused("int a;\nconst int n = 1;\n", "int a;\nconst int n = 2;\n"), 2);
  EXPECT_EQ(line_refused("struct s { int a; };", "struct s { long a; };"), 1);
  EXPECT_EQ(line_refused("constexpr int f() { return 1; }", "constexpr int f() { return 2; }"), 1);
  EXPECT_EQ(line_refused("__host__ __device__ int f(int);", "__host__ __device__ int f(long);"), 1);
  EXPECT_EQ(line_refused("", "\n__global__ void k() {}"), 2);
  EXPECT_EQ(
      line_refused("void f() { g([] __device__ { a(); }); }", "void f() { g([] __device__ { b(); }); }"), 1);
}

}  // namespace
}  // namespace cuda_compiler
