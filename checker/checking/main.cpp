// streamlings-check FOLDER VERB ...: the check program of all lessons. STREAMLINGS_CHECKOUT comes from CMakeLists.txt.
#include <gmock/gmock.h>
#include <malloc.h>

#include "checking/check_main.h"

int main(int argument_count, char** arguments) {
  // Requests and answers are megabytes: their memory is used again, by all threads, and not asked for page by page.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_ARENA_MAX, 1);
  // Links GoogleMock in, whose matchers a check.cpp may use.
  GMOCK_FLAG_SET(verbose, "error");
  return checking::check_main(argument_count, arguments, STREAMLINGS_CHECKOUT);
}
