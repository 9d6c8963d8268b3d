// page_parts.h: the files of page/, as strings of the program.
#pragma once

#include <string_view>

namespace runner {

extern const std::string_view serve_html;
extern const std::string_view serve_css;
extern const std::string_view serve_script;

}  // namespace runner
