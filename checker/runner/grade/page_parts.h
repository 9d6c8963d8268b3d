// page_parts.h: the style sheet of the pages of a class, and what begins and ends each.
#pragma once

#include <string>
#include <string_view>

namespace runner {

/// Of pages.css.
extern const std::string_view pages_css;

/// Whether a page has the viewer of timelines, which is a script.
enum class page_script { none, viewer };

/// Everything before the content. The page makes no request.
std::string page_head(const std::string& title, const std::string& remark, page_script script);
/// Everything behind it.
std::string page_tail(page_script script);

}  // namespace runner
