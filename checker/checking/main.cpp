// streamlings-check FOLDER VERB ...: the check program of all lessons. STREAMLINGS_CHECKOUT comes from CMakeLists.txt.
#include <gmock/gmock.h>

#include "checking/check_main.h"

int main(int argument_count, char** arguments) {
  // Links GoogleMock in, whose matchers a check.cpp may use.
  GMOCK_FLAG_SET(verbose, "error");
  return checking::check_main(argument_count, arguments, STREAMLINGS_CHECKOUT);
}
