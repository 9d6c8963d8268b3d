// markdown_html.h: Markdown of the course as HTML, by cmark-gfm.
#pragma once

#include <string>
#include <string_view>

namespace runner {

/// HTML with tables, and without any markup of the text's own. Where cmark-gfm was not installed at configure time, the text
/// as it is, preformatted.
std::string markdown_html(std::string_view markdown);

}  // namespace runner
