// The program `streamlings-all`: every verb.
#include "runner/command_line.h"

int main(int argument_count, char** arguments) {
  const auto add_verbs = [](parsing::command& program, const runner::verb_words& words) {
    runner::add_lesson_verbs(program, words);
    runner::add_course_verbs(program, words);
  };
  return runner::run_program(argument_count, arguments, add_verbs, "");
}
