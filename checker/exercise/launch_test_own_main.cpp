// A program with its own main, for launch_test.cpp: does what its first argument names.

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "exercise/exercise.h"

namespace {

struct late_bird {
  ~late_bird() { exercise::begin_part("static destructor"); }
} late;

}  // namespace

int main(int count, char** arguments) {
  const std::string deed = count > 1 ? arguments[1] : "";
  exercise::begin_part("main");
  if (deed == "_exit") _exit(4);
  if (deed == "exit") std::exit(5);
  if (deed == "crash") std::abort();
  return 3;
}
