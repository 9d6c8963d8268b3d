#include "cuda_compiler/compiler_flags.h"

#include <cstdlib>

#include "include/interposed_functions.h"

namespace cuda_compiler {
namespace {

using arguments = std::vector<std::string>;

void append(arguments& to, const arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

template <typename Names>
void add_for_each(arguments& to, const std::string& prefix, const Names& names) {
  for (const char* const name : names) to.push_back(prefix + name);
}

arguments instrumentation_flags(compiler_family family) {
  arguments flags = {
      // A call of a hook before each memory access. The hooks are the runtime library's; libtsan is never linked.
      "-fsanitize=thread",
  };
  // Otherwise small copies become plain moves that no hook sees (g++), or calls that --wrap does not catch;
  // math functions become instructions that nobody counts, and printf becomes a function that writes at once.
  add_for_each(flags, "-fno-builtin-", virtual_gpu::interposed_memory_functions);
  add_for_each(flags, "-fno-builtin-", virtual_gpu::interposed_heap_functions);
  add_for_each(flags, "-fno-builtin-", virtual_gpu::interposed_math_functions);
  add_for_each(flags, "-fno-builtin-", virtual_gpu::interposed_output_functions);
  if (family == compiler_family::gcc) {
    append(flags,
           {// A call for each executed block: how work is counted.
            "-fsanitize-coverage=trace-pc",
            // Volatile accesses get hooks of their own: a kernel that spins on one must let others run.
            "--param", "tsan-distinguish-volatile=1",
            // Nobody needs to know when a function begins and ends.
            "--param", "tsan-instrument-func-entry-exit=0",
            // What it warns of, fences, libtsan does not know; the hooks do.
            "-Wno-tsan",
            // Where variables are, nobody asks: a sixth of the time. Lines stay.
            "-fno-var-tracking"});
  } else {
    append(flags, {// The same for clang++, where the guard also counts the blocks of the program.
                   "-fsanitize-coverage=trace-pc-guard", "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm",
                   "-tsan-instrument-func-entry-exit=0",
                   // clang++ drops the hook of a read when the same address is written after it.
                   "-mllvm", "-tsan-instrument-read-before-write=1",
                   // The attribute of a kernel's body.
                   "-Wno-c++2b-extensions"});
  }
  return flags;
}

/// In a shuffle only the source lane must have set the variable, as in NVIDIA's own code. Without these flags
/// clang++ assumes that all lanes have. The option has another name since version 15.
arguments disable_noundef_flags(const std::string& version) {
  const std::string words = "clang version ";
  const std::size_t position = version.find(words);
  if (position == std::string::npos) return {};
  const bool is_older = std::atoi(version.c_str() + position + words.size()) < 15;
  return {"-Xclang", is_older ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis"};
}

}  // namespace

arguments cuda_flags() {
  return {"-D__CUDACC__",
          "-D__NVCC__",
          "-D__CUDACC_VER_MAJOR__=13",
          "-D__CUDACC_VER_MINOR__=0",
          "-D__CUDACC_VER_BUILD__=0",
          "-D__CUDACC_EXTENDED_LAMBDA__",
          "-D__CUDACC_RELAXED_CONSTEXPR__"};
}

/// -O1 is what the counted work is calibrated for; -g1 is enough for addr2line -i, inlined calls included.
/// Not position independent: code addresses are the same in every run. A call that ends a function returns to
/// it, as every other does: clang++ 19 jumps instead, and the line of the call is lost.
/// A value that was never set is the one warning that is worth its place in any program.
arguments code_flags(compiler_family family, const std::string& version) {
  // A stack guard tells of an index beyond a local array: kernels/crash.h.
  // Hooks are called at every access, so not by way of a jump. addr2line of binutils 2.40 puts lines of headers into the
  // main file when they are in DWARF 5.
  arguments flags = {"-O1",
                     "-g1",
                     "-gdwarf-4",
                     "-fno-pie",
                     "-fno-plt",
                     "-fno-optimize-sibling-calls",
                     "-fstack-protector-strong",
                     "-Wuninitialized"};
  append(flags, instrumentation_flags(family));
  append(flags, disable_noundef_flags(version));
  return flags;
}

arguments link_flags() {
  arguments flags = {"-no-pie", "-pthread"};
  add_for_each(flags, "-Wl,--wrap=", virtual_gpu::interposed_memory_functions);
  add_for_each(flags, "-Wl,--wrap=", virtual_gpu::interposed_file_functions);
  add_for_each(flags, "-Wl,--wrap=", virtual_gpu::interposed_heap_functions);
  add_for_each(flags, "-Wl,--wrap=", virtual_gpu::interposed_math_functions);
  add_for_each(flags, "-Wl,--wrap=", virtual_gpu::interposed_output_functions);
  add_for_each(flags, "-Wl,--wrap=", virtual_gpu::interposed_time_functions);
  return flags;
}

}  // namespace cuda_compiler
