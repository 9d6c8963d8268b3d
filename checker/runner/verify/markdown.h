// markdown.h: what a page of the course links to, and which sections it has.
//
// Not here: pictures (pictures.h) and hints (hints.h). What stands in code is never a link or a heading.
//
//     for (const runner::markdown_link& link : runner::links_in(text)) ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// Where a page leads to.
struct markdown_link {
  int line = 0;        ///< from 1
  std::string target;  ///< as written: "async_copy.h#lane", "https://..."
};

/// Targets of `[text](target)` and `![text](target)`, of `[name]: target` lines, and bare http:// and
/// https:// addresses, in order.
std::vector<markdown_link> links_in(std::string_view markdown);

/// The headings as written, with their marks: "# Asynchronous copies", "## The task".
std::vector<std::string> headings_in(std::string_view markdown);

}  // namespace runner
