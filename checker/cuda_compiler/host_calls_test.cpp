#include "cuda_compiler/host_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "cuda_compiler/translator.h"

namespace cuda_compiler {
namespace {

std::string first_error(const std::string& source) {
  const std::vector<translation_error> errors = translate("# 1 \"a.cu\"\n" + source).errors;
  return errors.empty() ? "" : std::to_string(errors[0].line) + ": " + errors[0].message;
}

TEST(HostCalls, AFunctionOfTheHostInAKernelIsAMistake) {
  EXPECT_EQ(
      first_error("int square(int x) { return x * x; }\n__global__ void k(int* p) {\n  *p = square(2);\n}"),
      "3: code for the device cannot call `square`, a function for the host (line 1): declare that as "
      "__host__ __device__");
  for (
      const char* source :
      {"static int f(int);\n__device__ int g(int x) { return 2 * f(x); }\nint f(int x) { return x; }",
       "namespace a { int f() { return 1; } __global__ void k() { f(); } }",
       "template <class T> __device__ T g(T x) { return f(x) + x; }\nT* f(int x) { return 0; }",
       "extern \"C\" { inline float f(float x) { return x; } }\nvoid host() { run(&f); f(1); }\n__global__ void "
       "k() { if (f(1)) return; }"}) {
    EXPECT_NE(first_error(source), "") << source;
  }
}

TEST(HostCalls, WhatMayBeForTheDeviceIsLeftAlone) {
  const std::string kernel = "\n__global__ void k(int* p) { *p = f(1); }";
  EXPECT_EQ(
      first_error("# 7 \"b.h\"\nint f() { return 1; }\n# 2 \"a.cu\"\n__device__ int g() { return f(); }"),
      "2: code for the device cannot call `f`, a function for the host (b.h:7): declare that as __host__ "
      "__device__");
  for (const char* source :
       {"__host__ __device__ int f(int x) { return x; }", "constexpr int f(int x) { return x; }",
        "template <class T> T f(T x) { return x; }", "int f(long x) { return 1; }\n__device__ int f(int x);",
        "int f(int x) { return x; }\nauto device = [] { auto f = [] __device__ (int x) { return x; }; };",
        "int f(int x) { return x; }\nstruct s { int f(int); };", "int f(int);",
        "#define f(x) x\nint f2(int x) { return x; }", "struct s { s(int); };\nusing f = s;",
        "# 1 \"/usr/h.h\" 3\nint f(int x) { return x; }\n# 9 \"a.cu\"",
        "int f(int x) { return x; }\n# 1 \"/usr/h.h\" 3\nint f(float);\n# 9 \"a.cu\""}) {
    EXPECT_EQ(first_error(source + kernel), "") << source;
  }
  const std::string host = "int f(int x) { return x; }\n";
  for (const char* device :
       {"__host__ __device__ int g() { return f(1); }", "__global__ void k() { int f(1); g(f); }",
        "template <class F> __global__ void k(F f) { f(1); }", "__global__ void k(int (*f)(int)) { f(1); }",
        "__global__ void k(const list& l) { for (auto f : l) f(1); }",
        "__device__ int s::g() { return f(1); }", "__global__ void k(s* p) { p->f(1), s::f(2); }",
        "void run() { g([] __device__ { return f(1); }); }", "__global__ void k() { decltype(f(1)) x; }",
        "void g() { f(1); }"}) {
    EXPECT_EQ(first_error(host + device), "") << device;
  }
  EXPECT_EQ(first_error("int pow(int b, int e) { return 1; }\n__global__ void k() { pow(2.0, 1.0); }"), "");
}

}  // namespace
}  // namespace cuda_compiler
