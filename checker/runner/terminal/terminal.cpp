#include "runner/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace runner {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_terminal(output_stream stream) {
  return isatty(stream == output_stream::standard ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

bool can_watch() {
  return isatty(STDIN_FILENO) == 1 && is_terminal(output_stream::standard) && environment("TERM") != "dumb" &&
         !environment("TERM").empty();
}

int report_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<int>(size.ws_col, 40, 120);
}

report::colour report_colour() {
  const bool is_wanted = is_terminal(output_stream::standard) && environment("NO_COLOR").empty() &&
                         environment("TERM") != "dumb";
  return is_wanted ? report::colour::on : report::colour::off;
}

}  // namespace runner
