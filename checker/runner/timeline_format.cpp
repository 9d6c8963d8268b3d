#include "runner/timeline_format.h"

#include <stdexcept>

#include "report/timeline/timeline_html.h"
#include "report/timeline/timeline_perfetto.h"
#include "report/timeline/timeline_svg.h"

namespace runner {

const std::vector<std::string>& timeline_formats() {
  static const std::vector<std::string> names{"text", "svg", "html", "perfetto"};
  return names;
}

std::string drawn_timeline(const std::string& format, const trace::recording& recording,
                           const std::string& heading, const report::timeline_options& look) {
  if (format == "text") return report::timeline_text(recording, look);
  if (format == "svg")
    return report::timeline_svg(recording, {.part = look.part, .heading = heading, .length = look.length});
  if (format == "html") {
    return report::timeline_html(heading, "",
                                 {{.heading = "Timeline", .recording = &recording, .part = look.part}});
  }
  if (format == "perfetto") return report::timeline_perfetto(recording, look.part);
  throw std::invalid_argument("no timeline format '" + format + "'");
}

}  // namespace runner
