#include "cuda_compiler/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace cuda_compiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The translation without line markers, and with single blanks.
std::string translated(std::string_view source) {
  const translation result = translate(source);
  EXPECT_TRUE(result.errors.empty()) << result.errors.front().construct;
  const std::string unmarked = std::regex_replace(result.text, std::regex("\n# [^\n]*"), "");
  return std::regex_replace(unmarked, std::regex("\\s+"), " ");
}

std::string construct_of(std::string_view source) {
  const translation result = translate(source);
  return result.errors.empty() ? "" : result.errors.front().construct;
}

/// The text of each line of the learner's file, as the compiler sees it, at its columns.
std::string line_seen_by_compiler(const std::string& text, int wanted) {
  std::string result;
  int line = 0;
  std::istringstream lines(text);
  for (std::string row; std::getline(lines, row);) {
    if (row.rfind("# ", 0) == 0) {
      line = std::stoi(row.substr(2));
      continue;
    }
    if (line++ != wanted) continue;
    result.resize(std::max(result.size(), row.size()), ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != ' ') result[i] = row[i];
    }
  }
  return result;
}

TEST(Translator, KernelBodyBecomesAClosure) {
  EXPECT_EQ(
      translated("__global__ void k(int n) { f(n); }"),
      " void k(int n) { ::virtual_gpu::kernel(\"k\", new auto([=] [[gnu::always_inline]] () mutable { f(n); }), &k, \"n\", n); }"
      " [[maybe_unused]] static const bool virtual_gpu_kernel_7 = ::virtual_gpu::know(\"k\", &k);");
}

TEST(Translator, PragmasInFrontOfTheFileStayInFront) {
  const std::string text = translate("#pragma first\n__global__ void k() {}\n").text;
  EXPECT_EQ(text.substr(0, 14), "#pragma first\n");
}

TEST(Translator, ALoopThatWaitsForTheClockMayBeTriedAgain) {
  const std::string loop = "void f(long n) { long w = 0; while (w < n) w = clock(); }";
  const std::string tries =
      "for (auto virtual_gpu_wait = ::virtual_gpu::wait_for_clock(w); virtual_gpu_wait.is_tried(); "
      "virtual_gpu_wait.end_try(w)) while (w < n)";
  EXPECT_THAT(translated("void wait_for_clock();\n" + loop), HasSubstr(tries));
}

TEST(Translator, HostCodeWithoutCudaIsLeftAsItIs) {
  EXPECT_THAT(translated("void f(long n) { while (clock() < n) ; }"), Not(HasSubstr("wait_for_clock")));
}

TEST(Translator, KernelsThatTheirNameDoesNotTellApartAreNotRegistered) {
  for (const char* source :
       {"template <class T> __global__ void k(T n) {}", "template <> __global__ void k(int n) {}",
        "__global__ void k(int n) {} __global__ void k(float n) {}"}) {
    EXPECT_THAT(translated(source), Not(HasSubstr("know("))) << source;
  }
}

TEST(Translator, InstancesOfAKernelsTemplateThatAreValuesAreMadeKnown) {
  const std::string kernel = "namespace n { template <class T, int N> __global__ void k(T n) {} } ";
  const auto use = [&](const std::string& statement) {
    const std::string text = translated(kernel + "void f() { " + statement + " }");
    return text.substr(text.find("f() { ") + 6);
  };
  EXPECT_EQ(use("g((void*)n::k<float, (2 > 1)>, a);"),
            "g((void*)::virtual_gpu::known(\"k\", n ::k<float, (2 > 1)>), a); }");
  EXPECT_EQ(use("p = &n::k<int, 4>;"), "p = ::virtual_gpu::known(\"k\", & n::k<int, 4>); }");
  EXPECT_THAT(use("n::k<int, 4><<<1, 1>>>(3);"), Not(HasSubstr("known(")));
  EXPECT_THAT(use("h<n::k<int, 4> >(3);"), Not(HasSubstr("known(")));
}

TEST(Translator, KernelDeclarationLosesOnlyItsQualifiers) {
  EXPECT_EQ(translated("static __global__ void __launch_bounds__(256, 2) k(int n);"),
            "static void k(int n);");
}

TEST(Translator, KernelNameIsFoundBehindTemplateReturnType) {
  EXPECT_THAT(translated("template <int N> __global__ enable_if_t<(N > 1)> k(int (*p)[N]) {}"),
              HasSubstr("kernel(\"k\""));
}

TEST(Translator, LaunchBecomesCallAndLaunch) {
  EXPECT_EQ(translated("void f() { k<<<g, b, 4, s>>>(x, y); }"),
            "void f() { k (x, y) , ::virtual_gpu::launch( g, b, 4, s) ; }");
}

TEST(Translator, ShiftsAndTemplatesInTheConfigurationDoNotEndIt) {
  EXPECT_THAT(translated("void f() { k<a<b>><<<n >> 2, size<int, c<d>>()>>>(x); }"),
              HasSubstr("::virtual_gpu::launch( n >> 2, size<int, c<d>>())"));
}

TEST(Translator, LaunchInTheLastBranchOfAConditionalGetsParentheses) {
  EXPECT_THAT(translated("void f() { c ? k<<<1, 1>>>(1) : a::m<2><<<1, 1>>>(2); }"),
              HasSubstr(": ( a::m<2> (2) , ::virtual_gpu::launch( 1, 1))"));
}

TEST(Translator, ShiftOperatorWithTemplateArgumentsIsNoLaunch) {
  const std::string source = "void f() { operator<<<int>(a, b); }";
  EXPECT_EQ(translated(source), source);
}

TEST(Translator, StringsThatLookLikeLaunchesStay) {
  const std::string source = "auto a = \"k<<<1, 1>>>(x)\", b = R\"(__global__)\";";
  EXPECT_EQ(translated(source), source);
}

TEST(Translator, SharedVariablesBecomeMembersAndReferences) {
  const std::string text = translated("__global__ void k() { __shared__ float a[4][8], *b; }");
  EXPECT_THAT(text, HasSubstr("struct virtual_gpu_shared_1 { float a[4][8], *b; };"));
  EXPECT_THAT(text,
              HasSubstr("auto& a = virtual_gpu_shared_object_1.a; auto& b = virtual_gpu_shared_object_1.b;"));
}

TEST(Translator, DynamicSharedArrayBecomesAPointer) {
  EXPECT_THAT(translated("__global__ void k() { extern __shared__ __align__(16) float a[]; }"),
              HasSubstr("float * const a = static_cast<float *>(::virtual_gpu::dynamic_shared());"));
}

TEST(Translator, DynamicSharedArrayOfArraysKeepsItsBounds) {
  EXPECT_THAT(
      translated("__global__ void k() { extern __shared__ float a[][8]; }"),
      HasSubstr("float (* const a)[ 8 ] = static_cast<float (*)[ 8 ] >(::virtual_gpu::dynamic_shared());"));
}

TEST(Translator, DynamicSharedArrayOfTheNamespaceIsDeclaredWhereItIsUsed) {
  const std::string text =
      translated("extern __shared__ int a[]; __global__ void k() { a[0] = 1; } __global__ void m() {}");
  EXPECT_THAT(text, HasSubstr("[=] [[gnu::always_inline]] () mutable { int * const a = static_cast<int *>"));
  EXPECT_THAT(text,
              HasSubstr("kernel(\"m\", new auto([=] [[gnu::always_inline]] () mutable {}), &m, \"\"); }"));
}

TEST(Translator, DeviceFunctionsLoseTheirQualifiers) {
  EXPECT_EQ(translated("__host__ __device__ __forceinline__ int f(); auto g = [=] __device__ (int i) {};"),
            " inline __attribute__((always_inline)) int f(); auto g = [=] (int i) {};");
}

TEST(Translator, NoinlineInsideAnAttributeStays) {
  const std::string source = "__attribute__((__noinline__)) void f();";
  EXPECT_EQ(translated(source), source);
  EXPECT_EQ(translated("__noinline__ void f();"), "__attribute__((noinline)) void f();");
}

TEST(Translator, ConstexprDeviceVariableIsAllowed) {
  EXPECT_EQ(translated("__device__ constexpr int n = 4;"), " constexpr int n = 4;");
}

TEST(Translator, DeviceVariablesBecomeReferencesToMemoryOfTheDevice) {
  EXPECT_THAT(
      translated("__device__ int n = 2, *p;"),
      AllOf(HasSubstr("static int virtual_gpu_value_n = 2, *virtual_gpu_value_p ;"),
            HasSubstr(
                "; decltype(virtual_gpu_value_n)& n = ::virtual_gpu::on_device(\"n\", virtual_gpu_value_n);"),
            HasSubstr(
                "decltype(virtual_gpu_value_p)& p = ::virtual_gpu::on_device(\"p\", virtual_gpu_value_p);")));
  EXPECT_THAT(
      translated("__device__ __managed__ int n[4];"),
      HasSubstr("decltype(virtual_gpu_value_n)& n = ::virtual_gpu::managed(\"n\", virtual_gpu_value_n);"));
}

TEST(Translator, ConstantVariablesAreReferencesThatAreNotConst) {
  EXPECT_THAT(
      translated("__constant__ float a[3] = {1};"),
      HasSubstr("decltype(virtual_gpu_value_a)& a = ::virtual_gpu::constant(\"a\", virtual_gpu_value_a);"));
}

TEST(Translator, StaticDeviceVariablesStayInTheirFile) {
  EXPECT_THAT(
      translated("static __device__ float a[3] = {1};"),
      HasSubstr(
          "static decltype(virtual_gpu_value_a)& a = ::virtual_gpu::on_device(\"a\", virtual_gpu_value_a);"));
}

TEST(Translator, DeviceVariablesOfOtherFilesBecomeKnownReferences) {
  EXPECT_THAT(translated("extern __device__ float a[3];"), HasSubstr("extern float (&a) [3];"));
}

TEST(Translator, DeviceVariableTemplatesAreErrorsByName) {
  EXPECT_EQ(construct_of("template <class T> __device__ T n;"), "a __device__ variable template");
  EXPECT_EQ(construct_of("extern \"C\" __device__ int n;"), "a __device__ variable with C linkage");
}

TEST(Translator, AssemblyIsAnErrorOnlyInDeviceCode) {
  EXPECT_EQ(construct_of("struct s { __device__ s() : a{1}, b(2) { asm(\"\"); } };"), "inline PTX (asm)");
  EXPECT_EQ(construct_of("auto l = [] __device__ { asm volatile(\"\"); };"), "inline PTX (asm)");
  EXPECT_EQ(construct_of("__device__ int f(); void g() { asm(\"nop\"); }"), "");
}

TEST(Translator, LaunchIsAnErrorOnlyInCodeForTheDeviceAlone) {
  EXPECT_EQ(construct_of("__global__ void k() { k<<<1, 1>>>(); }"),
            "a launch inside a kernel (dynamic parallelism)");
  EXPECT_EQ(construct_of("__host__ __device__ void f() { k<<<1, 1>>>(); }"), "");
}

TEST(Translator, TexturesSurfacesAndClustersAreErrors) {
  EXPECT_EQ(construct_of("void f(cudaTextureObject_t t);"), "a texture or surface (cudaTextureObject_t)");
  EXPECT_EQ(construct_of("float a = tex2D<float>(t, 1, 2);"), "a texture or surface (tex2D)");
  EXPECT_EQ(construct_of("void f() { surf2Dwrite(1, s, 2, 3); }"), "a texture or surface (surf2Dwrite)");
  EXPECT_EQ(construct_of("__global__ void __cluster_dims__(2) k() {}"), "__cluster_dims__");
  EXPECT_EQ(construct_of("texture<float, 2> image;"), "a texture or surface (texture)");
  EXPECT_EQ(construct_of("int texture, width; bool is_small = texture < 3 && width > 4;"), "");
  EXPECT_EQ(construct_of("int texture_width, text2D, tex;"), "");
}

/// The sentence about what CUDA does not allow; "" when all is well.
std::string mistake_in(std::string_view source) {
  const translation result = translate(source);
  if (result.errors.empty()) return "";
  EXPECT_EQ(result.errors.front().construct, "");
  return result.errors.front().message;
}

TEST(Translator, AKernelWithAResultIsAMistake) {
  for (const char* source :
       {"__global__ int k(int* p) { return 1; }", "__global__ void* k() { return 0; }",
        "static float __global__ __launch_bounds__(256) k() { return 1; }", "__global__ int k();"}) {
    EXPECT_EQ(mistake_in(source), "a __global__ function must return void") << source;
  }
  for (const char* source :
       {"int a; void __global__ k(int n) {}", "__global__ void __launch_bounds__(8) k() {}",
        "template <class T> __global__ std::enable_if_t<is_good<T>> k(T n) {}",
        "__global__ nothing k() {}"}) {
    EXPECT_EQ(mistake_in(source), "") << source;
  }
}

TEST(Translator, ALaunchWithoutANumberOfThreadsIsAMistake) {
  EXPECT_EQ(mistake_in("void f() { k<<<1>>>(p); }"),
            "a launch needs the number of blocks and the number of threads of each: <<<blocks, threads>>>");
  EXPECT_EQ(mistake_in("template <class... T> void f(T... sizes) { k<<<sizes...>>>(p); }"), "");
}

TEST(Translator, ExceptionsAreAMistakeInCodeForTheDeviceAlone) {
  EXPECT_EQ(mistake_in("__global__ void k() { throw 1; }"),
            "`throw` in code for the device: exceptions are for host code only");
  EXPECT_EQ(mistake_in("auto f = [] __device__ { try { g(); } catch (...) {} };"),
            "`try` in code for the device: exceptions are for host code only");
  EXPECT_EQ(mistake_in("__host__ __device__ void f() { throw 1; } void g() { try { f(); } catch (...) {} }"),
            "");
}

TEST(Translator, ReferencesOfAKernelReferToWhatTheyDid) {
  const auto captures = [](const std::string& parameters) {
    const std::string text = translate("__global__ void k(" + parameters + ") {}").text;
    const std::size_t open = text.find("[=");
    return text.substr(open, text.find(']', open) + 1 - open);
  };
  EXPECT_EQ(captures("int n, list& of"), "[=, &of]");
  EXPECT_EQ(captures("const list& __restrict__ a, int (&b)[4], T&... c"), "[=, &a, &b, &c...]");
  EXPECT_EQ(captures("map<int, int&> m = f(a & b), int* p = &q, void (*f)(int&), int&"), "[=]");
}

TEST(Translator, ErrorsNameFileAndLine) {
  const translation result =
      translate("# 1 \"dir/a.cu\"\n\ncudaTextureObject_t a;\ncudaSurfaceObject_t b;\n");
  ASSERT_EQ(result.errors.size(), 2U);
  EXPECT_EQ(result.errors[0].file, "dir/a.cu");
  EXPECT_EQ(result.errors[0].line, 2);
  EXPECT_EQ(result.errors[1].line, 3);
  EXPECT_EQ(result.text, "");
}

TEST(Translator, TokensOfALaunchOverSeveralLinesKeepLineAndColumn) {
  const std::string text =
      translate("# 1 \"a.cu\"\nvoid f() {\n  k<<<grid,\n      block>>>(first,\n               second);\n}\n")
          .text;
  EXPECT_THAT(text, HasSubstr("\n# 2 \"a.cu\"\n   , ::virtual_gpu::launch("));
  EXPECT_EQ(line_seen_by_compiler(text, 3).find("block"), 6U);
  EXPECT_EQ(line_seen_by_compiler(text, 3).find("(first,"), 14U);
  EXPECT_EQ(line_seen_by_compiler(text, 4).find("second)"), 15U);
}

TEST(Translator, CodeBehindASharedDeclarationKeepsItsColumn) {
  const std::string source = "__global__ void k() {\n  __shared__ int a; a = wrong;\n}\n";
  const std::string text = translate("# 1 \"a.cu\"\n" + source).text;
  EXPECT_THAT(text, HasSubstr("\n                    a = wrong;\n"));
}

TEST(Translator, MacroArgumentsGetBackTheirLineAndColumn) {
  const std::string original = "CHECK(f(1,\n        wrong,   2));\nint x;\n";
  const std::string preprocessed =
      "# 1 \"a.cu\"\ndo { int e = (f(1, wrong, 2)); g(e); } while (0);\n\nint x;\n";
  const std::string text = translate(preprocessed, [&](const std::string&) { return original; }).text;
  EXPECT_EQ(line_seen_by_compiler(text, 1).find("f(1"), 6U);
  EXPECT_EQ(line_seen_by_compiler(text, 2).find("wrong"), 8U);
  EXPECT_EQ(line_seen_by_compiler(text, 3), "int x;");
}

TEST(Translator, TextWithoutConstructsIsUnchanged) {
  const std::string source =
      "# 1 \"a.cu\"\n#pragma unroll\nint a = b >> 2;\n# 9 \"/usr/include/h.h\" 3\n\tstruct x { int y; } ;\n";
  EXPECT_EQ(translate(source).text, source);
}

TEST(Translator, PragmaInFrontOfAKernelStays) {
  EXPECT_THAT(translate("#pragma GCC unroll 4\n__global__ void k() {}").text,
              HasSubstr("#pragma GCC unroll 4\n"));
}

TEST(Translator, UnfinishedTextIsLeftToTheCompiler) {
  for (const char* source : {"__global__ void k() {", "__global__", "k<<<1, 1", "k<<<1, 1>>>(",
                             "__shared__ int", "__device__", "extern __shared__", "(__shared__;)",
                             "(__device__;)", "<<<", "} ) ] <<<>>>()", "__device__ operator", "R\"x("}) {
    EXPECT_THAT(translate(source).text, Not(HasSubstr("::virtual_gpu::kernel"))) << source;
  }
}

TEST(Translator, AParenthesisThatIsNotClosedAmongParametersIsLeftToTheCompiler) {
  EXPECT_THAT(translate("__global__ void k({(}, int& b) {}").text, HasSubstr("[=, &b]"));
}

}  // namespace
}  // namespace cuda_compiler
