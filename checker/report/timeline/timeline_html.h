// timeline_html.h: an HTML page with the interactive viewer of one or more runs, on one time scale.
//
// The page is one file and makes no request. Not here: the viewer itself (report/viewer/).
//
//     report::timeline_html("Lesson 03", {{.heading = "Yours", .recording = &yours}, {"The solution", &solved}});
#pragma once

#include <string>
#include <vector>

#include "trace/recording.h"

namespace report {

/// One run of the page.
struct page_run {
  std::string heading;
  const trace::recording* recording = nullptr;  ///< never null
  std::string part = "learner";                 ///< as for timeline_json()
};

/// `remark` is a sentence under the title, or "".
std::string timeline_html(const std::string& title, const std::string& remark,
                          const std::vector<page_run>& runs);

}  // namespace report
