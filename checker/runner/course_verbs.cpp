#include "runner/command_line.h"
#include "runner/verbs.h"

namespace runner {

void add_course_verbs(parsing::command& program, const verb_words& words) {
  add_serve(program);
  add_sweep(program);
  add_profiles(program);
  add_doctor(program);
  add_calibrate(program);
  add_update(program);
  add_report_problem(program);
  add_completion(program);
  add_grade(program, words.behind_dashes);
  add_export(program);
  add_verify(program);
}

}  // namespace runner
