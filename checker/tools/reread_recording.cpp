// reread_recording FILE [BYTES]: prints the user CPU seconds of reading a recording and of writing it again. Fails
// when the written text is not the text that it read. For explain_cost.sh. Writes it to the file BYTES as it travels from an
// exercise program to the checker: for fuzz.sh.
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "trace/recording_bytes.h"
#include "trace/recording_json.h"

static double user_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) * 1e-6;
}

int main(int count, char** arguments) {
  if (count != 2 && count != 3) {
    std::cerr << "usage: reread_recording FILE [BYTES]\n";
    return 2;
  }
  std::ifstream file(arguments[1], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const double begin = user_seconds();
  const trace::recording recording = trace::read_json(text);
  const double after_reading = user_seconds();
  std::ostringstream again;
  trace::write_json(again, recording);
  const double after_writing = user_seconds();
  std::printf("%.3f %.3f\n", after_reading - begin, after_writing - after_reading);
  if (count == 3) {
    std::ofstream bytes(arguments[2], std::ios::binary);
    trace::write_bytes(bytes, recording);
    if (!(bytes << std::flush)) return 1;
  }
  return again.view() == text.view() ? 0 : 1;
}
