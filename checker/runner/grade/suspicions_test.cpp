#include "runner/grade/suspicions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "processes/files.h"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string first_of(std::string_view source) {
  const auto found = suspicions_in(source);
  return found.empty() ? "" : found.front().name;
}

TEST(Suspicions, WhatAForgerNeedsIsNamedWithItsLine) {
  EXPECT_THAT(
      suspicions_in("int a;\nasm volatile(\"nop\");\nint b = open(\"/proc/self/mem\", 2);\nasm(\"\");\n"),
      ElementsAre(suspicion{2, "inline assembly"}, suspicion{3, "/proc"}));
  EXPECT_EQ(first_of("#include <sys/syscall.h>"), "a system call");
  EXPECT_EQ(first_of("long r = syscall (39);"), "a system call");
  for (const char* source : {"void f() { system(\"true\"); }", "if (::fork () == 0) return;",
                             "kill(getppid(), 9);", "std::system(text);", "execvp(name, words);"})
    EXPECT_EQ(first_of(source), "another process") << source;
  EXPECT_EQ(first_of("void* f = dlsym(nullptr, \"x\");"), "symbols looked up by name");
  EXPECT_EQ(first_of("auto* p = reinterpret_cast<char*>(0x7fff0000);"), "a number as an address");
  EXPECT_EQ(first_of("char* p = (unsigned char *)0x10000;"), "a number as an address");
  EXPECT_EQ(first_of("__attribute__((used, constructor)) void f();"), "a function that runs before main()");
  EXPECT_EQ(first_of("  # define cudaMalloc(p, n) mine(p, n)"), "a macro over a name of CUDA");
  EXPECT_EQ(first_of("extern \"C\" void __tsan_read4(void*);"), "a name of the checker");
}

TEST(Suspicions, CommentsAndOrdinaryCodeAreNone) {
  EXPECT_THAT(
      suspicions_in("// asm(\"nop\")\n/* syscall(1)\n /proc */\nint plasma(int x) { return x * 1000; }\n"),
      IsEmpty());
  EXPECT_THAT(
      suspicions_in("const char* text = \"// no comment\"; float* p = (float*)buffer;\nx = (a * b) * 1000;"),
      IsEmpty());
  EXPECT_THAT(
      suspicions_in("solar_system(1); planet.system(2); work->clone(); mine::kill(3); int system = 4;"),
      IsEmpty());
  EXPECT_THAT(suspicions_in("#define CHUNKS 4\n'"), IsEmpty());
}

TEST(Suspicions, LongLinesAreNoTrouble) {
  EXPECT_THAT(suspicions_in("asm" + std::string(1 << 20, ' ')), IsEmpty());
}

TEST(Suspicions, SolutionsHaveNone) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(STREAMLINGS_SOURCE_DIR "/solutions")) {
    if (entry.path().extension() != ".cu") continue;
    EXPECT_THAT(suspicions_in(processes::read_whole(entry.path())), IsEmpty()) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace runner
