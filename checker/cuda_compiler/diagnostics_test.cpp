#include "cuda_compiler/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cuda_compiler {
namespace {

TEST(Diagnostics, ClosuresOfKernelsAreTakenOutOfNames) {
  EXPECT_EQ(
      without_internals("a.cu: In instantiation of 'scale(T*)::<lambda()> mutable [with T = float]':\n"),
      "a.cu: In instantiation of 'scale(T*) [with T = float]':\n");
  EXPECT_EQ(without_internals("a.cu: In lambda function:\na.cu:2:5: error: no\n"), "a.cu:2:5: error: no\n");
}

TEST(Diagnostics, FunctionIntoWhichABodyIsInlinedIsNotNamed) {
  const std::string ours =
      "'void virtual_gpu::run_body(own_arguments<Closure>) [with Closure = k(float*, int)]'";
  EXPECT_EQ(without_internals("In lambda function,\n    inlined from " + ours +
                              " at h.h:108:43:\na.cu:2:8: warning: s\n"
                              "a.cu: In function " +
                              ours + ":\na.cu:2:6: note: here\n"),
            "a.cu:2:8: warning: s\na.cu:2:6: note: here\n");
  EXPECT_EQ(
      without_internals(
          "In function 'int f(int)',\n    inlined from 'k(float*, int)::<lambda()> mutable' at a.cu:5:3,\n"
          "    inlined from " +
          ours + " at h.h:108:43:\na.cu:2:8: warning: s\n"),
      "In function 'int f(int)',\n    inlined from 'k(float*, int)' at a.cu:5:3:\na.cu:2:8: warning: s\n");
}

TEST(Diagnostics, LinesAboutOurTemplatesGoWithTheCodeBelowThem) {
  EXPECT_EQ(
      without_internals("h.h:9:2:   required from 'void virtual_gpu::kernel(Body)'\n    9 | code\n      | ^\n"
                        "a.cu:1:1: error: no\n"),
      "a.cu:1:1: error: no\n");
}

TEST(Diagnostics, SourceLineAndCaretFollowTheMessage) {
  const auto read = [](const std::string& name) -> std::optional<std::string> {
    if (name != "a.cu") return std::nullopt;
    return "first\n\tx = y;\n";
  };
  EXPECT_EQ(with_source_lines("a.cu:2:6: error: no y\nb.cu:1:1: note: there\n", read),
            "a.cu:2:6: error: no y\n\tx = y;\n\t    ^\nb.cu:1:1: note: there\n");
}

TEST(Diagnostics, TroubleOfTheMachineIsToldFromErrorsOfTheFile) {
  EXPECT_THAT(toolchain_failure("g++: fatal error: Killed signal terminated program cc1plus\n").value(),
              testing::StartsWith("The compiler was ended"));
  EXPECT_THAT(toolchain_failure("a.cu:1:2: warning: unused\n/tmp/a.s: Fatal error: can't write 11 bytes to "
                                "section .text of a.o: 'No space left on device'\n")
                  .value(),
              testing::StartsWith("The disk is full."));
  EXPECT_THAT(toolchain_failure("clang: error: unable to execute command: Executable \"ld\" doesn't exist!\n")
                  .value(),
              testing::HasSubstr("binutils"));
  EXPECT_THAT(toolchain_failure("g++: fatal error: cannot execute 'cc1': execvp: No such file\n").value(),
              testing::HasSubstr("packages gcc and g++"));
  EXPECT_EQ(toolchain_failure("a.cu:1:2: error: no y\n"), std::nullopt);
  EXPECT_EQ(toolchain_failure("a.cu:1:2: error: #error No space left on device\n"), std::nullopt);
  EXPECT_EQ(toolchain_failure("a.cu:1:2: error: expected ';'\n  puts(\"No space left on device\")\n"),
            std::nullopt);
  EXPECT_TRUE(
      toolchain_failure("cc1plus: fatal error: error writing to /tmp/a.s: No space left on device\n"));
  EXPECT_TRUE(toolchain_failure("/usr/bin/ld: final link failed: No space left on device\n"));
  EXPECT_TRUE(toolchain_failure("error: unable to open output file 'a.o': 'No space left on device'\n"));
}

TEST(Diagnostics, UndeclaredNamesOfTheApisAreListedOnceAndSlipsAreNot) {
  const auto of = [](const char* message) {
    std::string text;
    for (const undeclared_name& found : undeclared_api_names(message))
      text += found.file + ':' + std::to_string(found.line) + ' ' + found.name + ' ' + found.nearest + '\n';
    return text;
  };
  EXPECT_EQ(
      of("a.cu:5:44: error: 'cudaGraphConditionalHandle' has not been declared\n"
         "a.cu:9:5: error: 'cudaGraphConditionalHandle' was not declared in this scope\n"
         "a.cu:27:5: error: 'cudaGraphNodeParams' was not declared in this scope; did you mean 'cudaKernelNodeParams'?\n"
         "b.h:3:1: error: 'CUdevice' does not name a type\n"),
      "a.cu:5 cudaGraphConditionalHandle \na.cu:27 cudaGraphNodeParams cudaKernelNodeParams\nb.h:3 CUdevice \n");
  EXPECT_EQ(of("\x1b[1ma.cu:2:3: \x1b[0merror: use of undeclared identifier 'cuInit'\n"), "a.cu:2 cuInit \n");
  EXPECT_EQ(of("a.cu:2:3: error: unknown type name 'CUmodule'; did you mean 'module'?\n"),
            "a.cu:2 CUmodule module\n");
  EXPECT_EQ(of("a.cu:2:3: error: '__vadd4' was not declared in this scope\n"), "a.cu:2 __vadd4 \n");
  EXPECT_EQ(
      of("a.cu:2:3: error: 'cudaMemcpyAsyn' was not declared in this scope; did you mean 'cudaMemcpyAsync'?\n"
         "a.cu:3:3: error: 'cuts' was not declared in this scope\n"
         "a.cu:4:3: error: 'cudaStream_t' has no member 'x'\n"),
      "");
}

TEST(Diagnostics, AFieldThatIsGoneIsToldOnceAndWithoutOurDeclaration) {
  const std::string warning =
      "a.cu:3:81: warning: 'cudaDeviceProp::clockRate' is deprecated\n"
      "    3 | int main() { return p.clockRate; }\n"
      "      |                       ^~~~~~~~~\n";
  const std::string includers =
      "In file included from include/cuda_runtime_api.h:9,\n"
      "                 from <command-line>:\n";
  const std::string note =
      "driver_types.h:543:51: note: declared here\n"
      "  543 |   VIRTUAL_GPU_DROPPED(\"x\") int clockRate;\n"
      "      |                             ^~~~~~~~~\n";
  const std::string context = "a.cu: In function 'int main()':\n";
  EXPECT_EQ(without_internals(context + warning + includers + note + warning + note + warning + note),
            context + warning);
  const std::string other =
      "a.cu: In function 'int f()':\na.cu:4:81: warning: unused variable\n    4 | int unused;\n";
  EXPECT_EQ(without_internals(warning + includers + note + other), warning + other);
}

TEST(Diagnostics, NamesTheLinkerMissesAreListedOnce) {
  const char* message =
      "ld: a.o: in function `f':\na.cu:1: undefined reference to `scale(float*, int)'\n"
      "ld: a.cu:2: undefined reference to `scale(float*, int)'\nld: a.cu:3: undefined reference to `g'\n";
  EXPECT_EQ(undefined_names(message), (std::vector<std::string>{"scale(float*, int)", "g"}));
  EXPECT_EQ(repeated_names("b.o: multiple definition of `f()'; a.o: first defined here"),
            (std::vector<std::string>{"f()"}));
}

}  // namespace
}  // namespace cuda_compiler
