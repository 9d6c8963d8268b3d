// markdown.h: the links and headings of a page of the course.
//
// Code is skipped. Not here: pictures (pictures.h) and hints (hints.h).
//
//     for (const runner::markdown_link& link : runner::links_in(text)) ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A link of a page.
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
