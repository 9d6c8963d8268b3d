// streamlings-check FOLDER VERB ...: the check program of all lessons. STREAMLINGS_CHECKOUT comes from CMakeLists.txt.
#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#include "checking/check_main.h"

namespace {

/// Requests and answers are megabytes: their memory is used again, by all threads, and comes in huge pages where the
/// system has them, not page by page.
void keep_memory_for_messages() {
  constexpr std::size_t heap_bytes = 256 << 20, huge_page_bytes = 2 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, heap_bytes);
  void* const first = std::malloc(huge_page_bytes);
  const auto heap =
      (reinterpret_cast<std::uintptr_t>(first) + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  madvise(reinterpret_cast<void*>(heap), heap_bytes, MADV_HUGEPAGE);
  std::free(first);
}

}  // namespace

int main(int argument_count, char** arguments) {
  keep_memory_for_messages();
  // Links GoogleMock in, whose matchers a check.cpp may use.
  GMOCK_FLAG_SET(verbose, "error");
  return checking::check_main(argument_count, arguments, STREAMLINGS_CHECKOUT);
}
