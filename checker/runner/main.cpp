// The program `streamlings`: the verbs that lessons are done with. For all others it becomes streamlings-all, which is
// built while the first lesson is read.
#include "runner/command_line.h"

int main(int argument_count, char** arguments) {
  return runner::run_program(argument_count, arguments, runner::add_lesson_verbs, "streamlings-all");
}
