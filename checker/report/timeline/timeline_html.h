// timeline_html.h: an HTML page with the drawings of one or more runs on one time scale, with zoom, keys, facts and
// arrows.
//
// The page makes no request. Without its script the drawings are still there.
//
//     report::timeline_html("Lesson 03", {{.heading = "Yours", .recording = &yours}, {"The solution", &solved}});
#pragma once

#include <string>
#include <vector>

#include "trace/recording.h"

namespace report {

/// One drawing of the page.
struct page_run {
  std::string heading;
  const trace::recording* recording = nullptr;  ///< never null
  std::string part = "learner";                 ///< as for timeline_svg()
};

/// `remark` is a sentence under the title, or "".
std::string timeline_html(const std::string& title, const std::string& remark,
                          const std::vector<page_run>& runs);

}  // namespace report
