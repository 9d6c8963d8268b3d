// A program with its own main, for launch_test.cpp: does what its first argument names.

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "trace/recorder.h"

namespace {

struct late_bird {
  ~late_bird() { trace::backend_recorder().mark("begin:static destructor"); }
} late;

}  // namespace

int main(int count, char** arguments) {
  const std::string deed = count > 1 ? arguments[1] : "";
  trace::backend_recorder().mark("begin:main");
  if (deed == "_exit") _exit(4);
  if (deed == "exit") std::exit(5);
  if (deed == "crash") std::abort();
  return 3;
}
