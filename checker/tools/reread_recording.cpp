// reread_recording FILE: what reading a recording costs, and writing it again: "READING WRITING", seconds of
// user CPU time. Fails when what it writes is not what it read. For explain_cost.sh.
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "trace/recording_json.h"

static double user_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) * 1e-6;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: reread_recording FILE\n";
    return 2;
  }
  std::ifstream file(arguments[1], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const double begin = user_seconds();
  const trace::recording seen = trace::read_json(text);
  const double is_read = user_seconds();
  std::ostringstream again;
  trace::write_json(again, seen);
  const double is_written = user_seconds();
  std::printf("%.3f %.3f\n", is_read - begin, is_written - is_read);
  return again.view() == text.view() ? 0 : 1;
}
