// Compiles and runs small programs against a stand-in for the runtime library that the test makes itself.
#include "cuda_compiler/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "processes/files.h"
#include "processes/object_cache.h"
#include "processes/run.h"

namespace cuda_compiler {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* stand_in_header = R"(
#pragma once
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
using cudaStream_t = struct stream_tag*;
using size_t = decltype(sizeof(0));
namespace virtual_gpu {
void hand_over(const char* name);
template <class Body, class... Others> void kernel(const char* name, Body* body, const Others&...) { hand_over(name); (*body)(); delete body; }
void launch(dim3 grid, dim3 block, size_t bytes = 0, cudaStream_t stream = nullptr);
template <class Shared> Shared& shared() { static Shared object; return object; }
void* dynamic_shared();
template <class... Parameters> bool know(const char*, void (*)(Parameters...)) { return true; }
const char* launches();
long hook_calls();
}
)";

/// Writes down "name grid block bytes;" of each launch, and counts the calls of the hooks of g++ and clang++.
constexpr const char* stand_in_library = R"(
#include "cuda_runtime.h"
#include <cstdio>
#include <cstring>
#include <string>
static std::string names, pending;
static long calls;
alignas(64) static char memory[4096];
namespace virtual_gpu {
void hand_over(const char* name) { pending = name; }
void launch(dim3 grid, dim3 block, size_t bytes, cudaStream_t) {
  names += pending + ' ' + std::to_string(grid.x * grid.y) + ' ' + std::to_string(block.x) + ' ' + std::to_string(bytes) + ';';
  pending = "nothing";
}
void* dynamic_shared() { return memory; }
const char* launches() { return names.c_str(); }
long hook_calls() { return calls; }
}
#define HOOK(name) extern "C" void name(void*) { ++calls; }
#define HOOKS(kind) HOOK(__tsan_##kind##1) HOOK(__tsan_##kind##2) HOOK(__tsan_##kind##4) HOOK(__tsan_##kind##8)
HOOKS(read) HOOKS(write) HOOKS(read_write) HOOKS(volatile_read) HOOKS(volatile_write)
HOOKS(unaligned_read) HOOKS(unaligned_write)
HOOK(__tsan_func_entry) HOOK(__tsan_func_exit)
extern "C" void __tsan_read_range(void*, size_t) {}
extern "C" void __tsan_write_range(void*, size_t) {}
extern "C" void __tsan_init() {}
extern "C" void __sanitizer_cov_trace_pc() {}
extern "C" void __sanitizer_cov_trace_pc_guard(unsigned*) {}
extern "C" void __sanitizer_cov_trace_pc_guard_init(unsigned*, unsigned*) {}
extern "C" void* __wrap_memcpy(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes); }
extern "C" void* __wrap_memmove(void* to, const void* from, size_t bytes) { return memmove(to, from, bytes); }
extern "C" int __wrap_puts(const char* text) { return puts(text); }
extern "C" void* __wrap__Znwm(size_t bytes) { return ::operator new(bytes); }
extern "C" void __wrap__ZdlPvm(void* memory, size_t) { ::operator delete(memory); }
extern "C" void __wrap__ZdlPv(void* memory) { ::operator delete(memory); }
extern "C" void* __wrap_memset(void* to, int value, size_t bytes) { return memset(to, value, bytes); }
)";

/// Every construct that is awkward to translate; main() compares what ran with what was written down.
constexpr const char* awkward_program = R"program(
extern "C" int strcmp(const char*, const char*);
extern "C" int puts(const char*);
int last_error() { return 0; }
#define CHECK(call) do { if ((call) != 0) __builtin_abort(); } while (0)
#define LAUNCH(kernel, n, ...) kernel<<<n, 1>>>(__VA_ARGS__)
struct output {};
template <class T> void operator<<(output&, T*) {}
namespace math {
template <typename T, int N = 4>
__global__ void __launch_bounds__(256, 2) scale(T* data, const T factor, int n = N) {
  __shared__ T tile[N][N + 1], sum;
  extern __shared__ T dynamic[];
  dynamic[0] = 1;
  tile[0][0] = factor; sum = tile[0][0] + dynamic[0];
  if (n > 100) return;
  data[0] = sum;
}
__device__ __forceinline__ float twice(float x) { return x + x; }
}
static __global__ void plain(int, float* __restrict__ out) { out[0] = math::twice(1.5f); }
__global__ void plain(double) {}
__global__ void declared(int* p, int n = 1'000);
__global__ void declared(int* p, int n) { p[0] = n; n = 2; }
extern "C" __global__ void c_name(const __grid_constant__ dim3 d) { (void)d; }
template <typename... A> __global__ void pack(int* out, A... a) { out[0] = (a + ... + 0); }
template <typename F> __global__ void __launch_bounds__(128) apply(F f, int n) { f(n); }
template <int N> inline __global__ void sized(int (*out)[N]) { (*out)[0] = N; }
template <> __global__ void sized<3>(int (*out)[3]) { (*out)[0] = 33; }
extern __shared__ __align__(16) unsigned char raw_bytes[];
__global__ void uses_raw(int* out) {
  int* words = reinterpret_cast<int*>(raw_bytes); words[0] = 5;
  extern __shared__ float table[][8];
  __shared__ alignas(32) volatile int flag; static __shared__ __align__(8) char text[8];
  __shared__ struct { int a, b; } pair;
  __shared__ float *pointers[4], *single;
  text[0] = 'a'; flag = 1; pair.a = 2; pointers[0] = table[1]; single = pointers[0];
  out[0] = words[0] + flag + pair.a + (table[1][2] > *single);
}
class worker {
 public:
  template <typename T> static void run(T* data, cudaStream_t stream) {
    math::template scale<T, 8><<<dim3(2, 2), 1 << 5 >> 1, sizeof(T) * 8, stream>>>(data, T(3), (void(), 2));
  }
  friend __global__ void friendly(int* out, worker w);
  __host__ __device__ worker() : value_{1}, other_(2) {}
  __device__ int get() const { return value_ + other_; }
 private:
  int value_, other_;
};
__global__ void friendly(int* out, worker w) { out[0] = w.get(); }
__device__ constexpr int limit = 5;
template <int... N> void folded() { (plain<<<1, N>>>(2.0), ...); (..., plain<<<2, N>>>(3.0)); }
void all(cudaStream_t s, bool yes) {
  float f[4]; double d[4]; int p[4], three[3]; output out;
  math::scale<<<1, limit>>>(f, 2.0f); if (f[0] != 3) __builtin_abort();
  math::scale<double><<<dim3(1), dim3(2), 0>>>(d, 1.0, 4); plain<<<1, 3>>>(1, f); plain<<<1, 4>>>(2.0);
  if (yes) declared<<<1, 5>>>(p); else declared<<<1, 6>>>(p, 3);
  if (p[0] != 1000) __builtin_abort();
  for (int i = 1; i < 3; ++i)
    pack<<<i, 7,
           0, s>>>(
        p, 1, (void(), 3), [] { return 4; }());
  if (p[0] != 8) __builtin_abort();
  CHECK((plain<<<1, 8>>>(1.0), last_error()));
  LAUNCH(declared, 3, p, 4);
  auto later = [=] { plain<<<1, 9, 0, s>>>(1.0); };
  later();
  int* q = p;
  apply<<<1, 10>>>([=] __device__ (int i) { q[0] = i; }, 3);
  apply<<<1, 11>>>([=] __host__ __device__ (int i) mutable -> void { q[1] = i; }, 4);
  yes ? plain<<<1, 12>>>(1.0) : ::plain<<<2, 12>>>(2.0);
  void (*pointer)(double) = plain;
  if (yes) (*pointer)<<<1, 13>>>(2.0);
  worker::run(d, s);
  c_name<<<1, 14>>>({1, 2, 3});
  uses_raw<<<1, 15>>>(p); if (p[0] != 8) __builtin_abort();
  sized<<<1, 16>>>(&three); if (three[0] != 33) __builtin_abort();
  friendly<<<1, 17>>>(p, worker()); if (p[0] != 3) __builtin_abort();
  folded<18, 19>();
  operator<<<int>(out, p);
}
template __global__ void math::scale<int, 2>(int*, const int, int);
int main() {
  all(nullptr, true);
  puts(virtual_gpu::launches());
  return virtual_gpu::hook_calls() > 0 ? 0 : 1;
}
)program";

constexpr const char* launches_of_awkward_program =
    "scale 1 5 0;scale 1 2 0;plain 1 3 0;plain 1 4 0;declared 1 5 0;pack 1 7 0;pack 2 7 0;plain 1 8 "
    "0;declared 3 1 0;"
    "plain 1 9 0;apply 1 10 0;apply 1 11 0;plain 1 12 0;plain 1 13 0;scale 4 16 64;c_name 1 14 0;uses_raw 1 "
    "15 0;"
    "sized 1 16 0;friendly 1 17 0;plain 1 18 0;plain 1 19 0;plain 2 18 0;plain 2 19 0;";

class Compile : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = fs::temp_directory_path() / "compile-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    setenv("LC_ALL", "C", 1);
    directory_ = name;
    write("cuda_runtime.h", stand_in_header);
    write("lesson_prelude.h", "#include \"cuda_runtime.h\"\n");
    write("library.cpp", stand_in_library);
    write("lesson_main.cpp", "void drive(); int main() { drive(); }");
    run({"g++", "-shared", "-fPIC", path("library.cpp"), "-o", path("libvirtual_gpu.so")});
    run({"g++", "-c", path("lesson_main.cpp"), "-o", path("lesson_main.o")});
  }
  static void TearDownTestSuite() { fs::remove_all(directory_); }

  static std::string path(const std::string& name) { return directory_ / name; }
  static void write(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }
  static processes::outcome run(const std::vector<std::string>& command) {
    return processes::run({.arguments = command}, processes::capture::apart);
  }
  static bool has(const std::string& program) { return run({program, "--version"}).succeeded(); }

  /// Writes `source` to a.cu and compiles it.
  compile_result compile_text(const std::string& source, compile_options options = {}) {
    write("a.cu", source);
    if (options.compiler.empty()) options.compiler = "g++";
    options.virtual_include = options.library_directory = directory_;
    if (options.main == main_function::of_lesson) options.main_object = path("lesson_main.o");
    options.output = path("program");
    if (options.sources.empty()) options.sources = {path("a.cu")};
    fs::remove_all(path("temporary"));
    fs::create_directory(path("temporary"));
    return compile(options, path("temporary"));
  }

  static inline fs::path directory_;
};

TEST_F(Compile, AwkwardProgramRunsTheSameWithBothCompilers) {
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!has(compiler)) GTEST_SKIP() << compiler << " is not installed";
    const compile_result result = compile_text(awkward_program, {.compiler = compiler});
    ASSERT_EQ(result.status, compile_status::done) << compiler << '\n' << result.messages;
    const processes::outcome program = run({path("program")});
    EXPECT_TRUE(program.succeeded()) << compiler;
    EXPECT_EQ(program.output, std::string(launches_of_awkward_program) + '\n') << compiler;
  }
}

TEST_F(Compile, ErrorInALaunchNamesTheLearnersLineAndColumn) {
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!has(compiler)) GTEST_SKIP() << compiler << " is not installed";
    const compile_result result = compile_text(
        "__global__ void k(int, int) {}\nvoid f() {\n  k<<<1,\n      missing_one>>>(1,\n          "
        "missing_two);\n}\n",
        {.compiler = compiler});
    EXPECT_EQ(result.status, compile_status::refused);
    EXPECT_THAT(result.messages, HasSubstr(path("a.cu") + ":4:7: error: "));
    EXPECT_THAT(result.messages, HasSubstr(path("a.cu") + ":5:11: error: "));
    EXPECT_THAT(result.messages, HasSubstr("          missing_two);\n"));
    EXPECT_THAT(result.messages, Not(HasSubstr("virtual_gpu")));
    EXPECT_THAT(result.messages, Not(HasSubstr("temporary")));
  }
}

TEST_F(Compile, DeclarationsThatDifferForHostAndDeviceAreRefusedWithTheirLine) {
  const processes::temporary_folder users;  // beside the CUDA headers of this test
  std::ofstream(users.path() / "own.h")
      << "#ifdef __CUDA_ARCH__\ntypedef float real;\n#else\ntypedef double real;\n#endif\n";
  std::ofstream(users.path() / "b.cu") << "#include \"own.h\"\n__global__ void k(int) {}\n";
  const compile_result result = compile_text("", {.sources = {users.path() / "b.cu"}});
  EXPECT_EQ(result.status, compile_status::unsupported);
  EXPECT_THAT(result.messages,
              HasSubstr((users.path() / "own.h").string() +
                        ":2: this use of __CUDA_ARCH__ is not supported by the virtual GPU: "));
}

TEST_F(Compile, ErrorInAKernelTemplateDoesNotSpeakOfClosures) {
  const compile_result result = compile_text(
      "template <class T> __global__ void k(T* p) {\n  p[0] = p * p;\n}\nvoid f(int* p) { k<<<1, 1>>>(p); "
      "}\n");
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_THAT(result.messages, HasSubstr(path("a.cu") + ":2:12: error: "));
  EXPECT_THAT(result.messages, Not(HasSubstr("lambda")));
}

TEST_F(Compile, WarningsArePassedOn) {
  const compile_result result = compile_text("int main() {\n#warning look here\n}\n");
  EXPECT_EQ(result.status, compile_status::done);
  EXPECT_THAT(result.messages, HasSubstr("look here"));
}

TEST_F(Compile, AUseOfWhatWasNeverSetIsWarnedOf) {
  const compile_result result = compile_text("int main() {\n  int never_set;\n  return never_set;\n}\n");
  EXPECT_EQ(result.status, compile_status::done) << result.messages;
  EXPECT_NE(result.messages.find("never_set"), std::string::npos) << result.messages;
}

TEST_F(Compile, UnsupportedConstructNamesFileAndLine) {
  const compile_result result = compile_text("\n__device__ void f() { asm(\"nop;\"); }\n");
  EXPECT_EQ(result.status, compile_status::unsupported);
  EXPECT_THAT(result.messages,
              HasSubstr(path("a.cu") + ":2: inline PTX (asm) is not supported by the virtual GPU: "));
}

TEST_F(Compile, HeaderOfAnotherLibraryComesWithTheNextStep) {
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!has(compiler)) GTEST_SKIP() << compiler << " is not installed";
    const compile_result result =
        compile_text("\n#include <some_library.h>\nint main() {}\n", {.compiler = compiler});
    EXPECT_EQ(result.status, compile_status::refused);
    EXPECT_EQ(result.messages,
              path("a.cu") +
                  ":2: error: <some_library.h> is not found: give its folder with -I, or install "
                  "what it comes with\n");
  }
}

constexpr const char* endless_template =
    "template <long N, long M> struct tree { static constexpr long v = tree<N - 1, 2 * M>::v + tree<N - 1, 2 * M + 1>::v; };\n"
    "template <long M> struct tree<0, M> { static constexpr long v = M; };\n"
    "int main() { return tree<40, 0>::v; }\n";

TEST_F(Compile, CompilationBeyondItsTimeIsRefused) {
  const compile_result result =
      compile_text(endless_template, {.limits = {.cpu_time = std::chrono::seconds(1)}});
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_THAT(result.messages, HasSubstr("took more than 1 s of processor time"));
}

TEST_F(Compile, CompilationBeyondItsMemoryIsRefused) {
  const compile_result result =
      compile_text(endless_template, {.limits = {.memory_bytes = std::size_t{300} << 20}});
  EXPECT_EQ(result.status, compile_status::refused) << result.messages;
  EXPECT_THAT(result.messages, HasSubstr("took more than 300 MB of memory"));
}

TEST_F(Compile, OnlyRegularFilesAreIncluded) {
  ASSERT_EQ(mkfifo(path("pipe.h").c_str(), 0600), 0);
  write("header.h", "#include \"pipe.h\"\n");
  compile_result result = compile_text("\n#include \"header.h\"\nint main() {}\n");
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_THAT(result.messages, HasSubstr("header.h:1: error: " + path("pipe.h") + " is not a regular file"));
  result = compile_text("#include \"/dev/null\"\nint main() {}\n");
  EXPECT_THAT(result.messages, HasSubstr("a.cu:1: error: /dev/null is not a regular file"));
  result = compile_text("#define PIPE \"pipe.h\"\n#include PIPE\nint main() {}\n",
                        {.limits = {.real_time = std::chrono::seconds(1)}});
  EXPECT_EQ(result.status, compile_status::over_real_time);
  EXPECT_THAT(result.messages, HasSubstr("did not end within 1 s"));
  fs::remove(path("pipe.h"));
}

TEST_F(Compile, ThousandsOfErrorsAreCutWithASentence) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "int a" + std::to_string(i) + " = missing;\n";
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!has(compiler)) GTEST_SKIP() << compiler << " is not installed";
    const compile_result result = compile_text(text, {.compiler = compiler});
    EXPECT_EQ(result.status, compile_status::refused);
    EXPECT_LT(result.messages.size(), 100'000u);
    EXPECT_THAT(result.messages,
                ::testing::AnyOf(HasSubstr("-fmax-errors=100"), HasSubstr("too many errors")));
  }
  text.clear();
  for (int i = 0; i < 5'000; ++i) text += "#warning number " + std::to_string(i) + "\n";
  const compile_result result = compile_text(text + "int main() {}\n");
  EXPECT_EQ(result.status, compile_status::done);
  EXPECT_LT(result.messages.size(), 110'000u);
  EXPECT_THAT(result.messages, HasSubstr("The rest of the messages, "));
}

TEST_F(Compile, AMessageOfOneEndlessLineIsShownToItsLimit) {
  const std::string folder(120'000, 'a');
  const compile_result result = compile_text("int main() {}\n", {.include_directories = {folder}});
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_LT(result.messages.size(), 2'000u);
  EXPECT_THAT(result.messages, HasSubstr("error: aaaa"));
  EXPECT_THAT(result.messages, HasSubstr("aaa...\nThe rest of the messages, 117 KB, is left out.\n"));
}

TEST_F(Compile, DamagedObjectsOfTheCacheAreCompiledAgain) {
  const std::string text = "int main() {}\n";
  ASSERT_EQ(compile_text(text, {.cache = path("cache")}).status, compile_status::done);
  for (const char* const damage : {"", "not an object file"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path("cache"))) {
      if (entry.path().extension() == ".o") std::ofstream(entry.path(), std::ios::trunc) << damage;
    }
    const compile_result result = compile_text(text, {.cache = path("cache")});
    EXPECT_EQ(result.status, compile_status::done) << result.messages;
  }
}

TEST_F(Compile, ObjectsOfTheCacheThatCannotBeLinkedAreCompiledAgain) {
  const std::string text = "int main() {}\n";
  ASSERT_EQ(compile_text(text, {.cache = path("cache")}).status, compile_status::done);
  const processes::object_cache cache(path("cache"));
  write("bad.o", "not an object file");
  for (const fs::directory_entry& entry : fs::directory_iterator(path("cache"))) {
    if (entry.path().extension() == ".o") cache.store(entry.path().stem(), path("bad.o"), "");
  }
  const compile_result result = compile_text(text, {.cache = path("cache")});
  EXPECT_EQ(result.status, compile_status::done) << result.messages;
}

TEST_F(Compile, OwnMainInALessonIsFoundWithItsLine) {
  const compile_result result =
      compile_text("void drive() {}\n\nint main() {}\n", {.main = main_function::of_lesson});
  EXPECT_EQ(result.status, compile_status::own_main);
  EXPECT_THAT(result.messages, HasSubstr(path("a.cu") + ":3: "));
}

TEST_F(Compile, FunctionThatIsNowhereDefinedIsNamedInOneSentence) {
  const compile_result result = compile_text("void scale(float*, int);\nint main() { scale(nullptr, 3); }\n");
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_EQ(result.messages,
            path("a.cu") + ": scale(float*, int) is used, but none of the given files defines it\n");
}

TEST_F(Compile, FunctionOfTheContractThatTheLessonLacksIsAskedFor) {
  const compile_result result = compile_text(
      "void scale(float*, int);\nvoid drive() { scale(nullptr, 3); }\n", {.main = main_function::of_lesson});
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_EQ(result.messages, path("a.cu") +
                                 ": scale(float*, int) is missing: define it here, with the "
                                 "parameters of its declaration\n");
}

TEST_F(Compile, FunctionThatIsDefinedTwiceIsNamed) {
  write("b.cu", "void f() {}\nint main() {}\n");
  const compile_result result = compile_text("void f() {}\n", {.sources = {path("a.cu"), path("b.cu")}});
  EXPECT_EQ(result.status, compile_status::refused);
  EXPECT_EQ(result.messages, path("a.cu") + ": f() is defined more than once\n");
}

TEST_F(Compile, FilesOfOtherNamesAreHostCodeWithoutTheMacrosOfCuda) {
  write("host.cpp", "#ifdef __CUDACC__\n#error not for nvcc\n#endif\nstruct dim3 {};\nvoid helper() {}\n");
  const compile_result result = compile_text("void helper();\nint main() { helper(); }\n",
                                             {.sources = {path("a.cu"), path("host.cpp")}});
  EXPECT_EQ(result.status, compile_status::done) << result.messages;
}

TEST_F(Compile, ACompilerWithoutAnAssemblerIsNoErrorOfTheFile) {
  if (!has("g++")) GTEST_SKIP() << "g++ is not installed";
  write("without_as", "#!/bin/sh\ncompiler=$(command -v g++)\nPATH=/nowhere exec \"$compiler\" \"$@\"\n");
  fs::permissions(path("without_as"), fs::perms::owner_all);
  const compile_result result = compile_text("int main() {}\n", {.compiler = path("without_as")});
  EXPECT_EQ(result.status, compile_status::failed);
  EXPECT_THAT(result.messages, testing::StartsWith("The compiler does not find its assembler or its linker.\n"
                                                   "Install them (the package binutils)"));
}

TEST_F(Compile, ACompilerWithoutALinkerIsNoErrorOfTheFile) {
  if (!has("g++")) GTEST_SKIP() << "g++ is not installed";
  write("without_ld",
        "#!/bin/sh\ncompiler=$(command -v g++)\ncase \"$*\" in *--wrap*) PATH=/nowhere;; esac\n"
        "exec \"$compiler\" \"$@\"\n");
  fs::permissions(path("without_ld"), fs::perms::owner_all);
  const compile_result result = compile_text("int main() {}\n", {.compiler = path("without_ld")});
  EXPECT_EQ(result.status, compile_status::failed);
  EXPECT_THAT(result.messages, HasSubstr("binutils"));
}

TEST_F(Compile, ACompilerThatWasKilledIsNoErrorOfTheFile) {
  write(
      "killed",
      "#!/bin/sh\ncase \"$*\" in *c++-cpp-output*) echo 'g++: fatal error: Killed signal terminated program "
      "cc1plus' >&2; exit 1;; esac\nexec g++ \"$@\"\n");
  fs::permissions(path("killed"), fs::perms::owner_all);
  const compile_result result = compile_text("int main() {}\n", {.compiler = path("killed")});
  EXPECT_EQ(result.status, compile_status::failed);
  EXPECT_THAT(result.messages, HasSubstr("memory was full"));
}

TEST_F(Compile, AFullDiskIsNoErrorOfTheFile) {
  write("full", "#!/bin/sh\ncase \"$*\" in *-E*) exec g++ \"$@\" >/dev/full;; esac\nexec g++ \"$@\"\n");
  fs::permissions(path("full"), fs::perms::owner_all);
  const compile_result result = compile_text("int main() {}\n", {.compiler = path("full")});
  EXPECT_EQ(result.status, compile_status::failed);
  EXPECT_THAT(result.messages, testing::StartsWith("The disk is full.\nMake room"));
}

TEST_F(Compile, TheStandardIsThatOfTheOptions) {
  const std::string source = "static_assert(__cplusplus == 202002L);\nint main() {}\n";
  EXPECT_EQ(compile_text(source).status, compile_status::refused);
  EXPECT_EQ(compile_text(source, {.standard = "c++20"}).status, compile_status::done);
}

TEST_F(Compile, PerThreadDefaultStreamsAreAMacroAsWithNvcc) {
  const std::string source =
      "#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM\n#error legacy\n#endif\nint main() {}\n";
  EXPECT_EQ(compile_text(source).status, compile_status::refused);
  EXPECT_EQ(compile_text(source, {.null_stream = default_stream::per_thread}).status, compile_status::done);
}

TEST_F(Compile, MissingFileIsToldFromAMissingCompiler) {
  EXPECT_EQ(compile_text("", {.sources = {path("none.cu")}}).status, compile_status::missing_file);
  EXPECT_EQ(compile_text("", {.compiler = "no-such-compiler"}).status, compile_status::failed);
}

TEST_F(Compile, CachedObjectTakesThePlaceOfTheCompilerUnlessItIsDamaged) {
  write("counting", "#!/bin/sh\ncase \" $* \" in *\" -c \"*) echo compiled >>'" + path("count") +
                        "';; esac\nexec g++ \"$@\"\n");
  fs::permissions(path("counting"), fs::perms::owner_all);
  const compile_options options = {
      .compiler = path("counting"), .definitions = {"VALUE=1"}, .cache = directory_ / "cache"};
  const std::string source = "int main() { return VALUE; }\n";
  const auto compiled = [&] { return fs::exists(path("count")) ? fs::file_size(path("count")) : 0; };
  ASSERT_EQ(compile_text(source, options).status, compile_status::done);
  const auto once = compiled();
  EXPECT_GT(once, 0u);
  EXPECT_EQ(compile_text(source, options).status, compile_status::done);
  EXPECT_EQ(compiled(), once);
  for (const fs::directory_entry& entry : fs::directory_iterator(options.cache)) {
    if (entry.path().extension() == ".o") std::ofstream(entry.path()) << "not an object";
  }
  EXPECT_EQ(compile_text(source, options).status, compile_status::done);
  EXPECT_GT(compiled(), once);
  compile_options other = options;
  other.definitions = {"VALUE=2"};
  const auto before = compiled();
  EXPECT_EQ(compile_text(source, other).status, compile_status::done);
  EXPECT_GT(compiled(), before);
}

/// The stand-in header was compiled, and then changed: only who takes its text sees the change.
class CompiledHeaders : public Compile {
 protected:
  void SetUp() override {
    if (!has("g++")) GTEST_SKIP() << "g++ is not installed";
    compile_header();
    change_header("#error the text was taken\n");
  }
  void TearDown() override { write("cuda_runtime.h", stand_in_header); }

  static void change_header(const std::string& text) {
    write("cuda_runtime.h", std::string(stand_in_header) + text);
  }
  static void compile_header() {
    fs::create_directories(path("compiled"));
    const compile_options options{.compiler = "g++",
                                  .virtual_include = directory_,
                                  .makes_header = true,
                                  .output = path("compiled/cuda_runtime.h"),
                                  .sources = {path("cuda_runtime.h")}};
    const compile_result result = compile(options, directory_);
    ASSERT_EQ(result.status, compile_status::done) << result.messages;
  }
  compile_result compile_with_headers(const std::string& source, compile_options options = {}) {
    options.compiled_headers = path("compiled");
    return compile_text(source, options);
  }
};

TEST_F(CompiledHeaders, TakeThePlaceOfTheirText) {
  const compile_result result = compile_with_headers(awkward_program);
  ASSERT_EQ(result.status, compile_status::done) << result.messages;
  EXPECT_EQ(run({path("program")}).output, std::string(launches_of_awkward_program) + '\n');
}

TEST_F(CompiledHeaders, AreTakenWhereTheFirstWordIsTranslated) {
  EXPECT_EQ(compile_with_headers("__global__ void k() {}\nint main() {}\n").status, compile_status::done);
}

TEST_F(CompiledHeaders, AreNotTakenWithOtherOptions) {
  const auto uses_text = [](const compile_result& result) {
    return result.messages.find("the text was taken") != std::string::npos;
  };
  const std::string source = "int main() {}\n";
  EXPECT_TRUE(uses_text(compile_with_headers(source, {.standard = "c++20"})));
  EXPECT_TRUE(uses_text(compile_with_headers(source, {.host_words = {"-fsigned-char"}})));
  EXPECT_TRUE(uses_text(compile_with_headers(source, {.dependencies = {.file = path("list"), .name = ""}})));
  if (!has("clang++")) return;
  EXPECT_TRUE(uses_text(compile_with_headers(source, {.compiler = "clang++"})));
}

TEST_F(CompiledHeaders, AreNoForeignFileWhereAMacroOfTheirsIsDefined) {
  change_header("#ifdef CHOICE\n#endif\n");
  compile_header();
  change_header("#ifndef CHOICE\n#error the text was not taken\n#endif\n");
  const compile_result result =
      compile_with_headers("int main() {}\n", {.definitions = {"CHOICE"}, .readable = {path("a.cu")}});
  EXPECT_EQ(result.status, compile_status::done) << result.messages;
}

TEST_F(CompiledHeaders, AreNotTakenWhereHostAndDeviceSeeDifferentCode) {
  change_header("namespace virtual_gpu { inline bool is_in_kernel() { return true; } }\n");
  const processes::temporary_folder users;  // beside the CUDA headers of this test
  std::ofstream(users.path() / "b.cu") << "__host__ __device__ int side() {\n#ifdef __CUDA_ARCH__\n  return 1;\n#else\n"
                                          "  return 2;\n#endif\n}\nint main() {}\n";
  const compile_result result = compile_with_headers("", {.sources = {users.path() / "b.cu"}});
  EXPECT_EQ(result.status, compile_status::done) << result.messages;
}

TEST_F(CompiledHeaders, AreAPartOfTheKeysOfTheCache) {
  const compile_options options{.cache = directory_ / "cache_of_headers"};
  const std::string source = "#include <cstdio>\nint main() { std::puts(VALUE); }\n";
  for (const std::string value : {"first", "second"}) {
    change_header("#define VALUE \"" + value + "\"\n");
    compile_header();
    ASSERT_EQ(compile_with_headers(source, options).status, compile_status::done);
    EXPECT_EQ(run({path("program")}).output, value + '\n');
  }
}

}  // namespace
}  // namespace cuda_compiler
