// picture_parts.h: the contents of the files of these names: style sheets and the script of the pictures.
#pragma once

#include <string_view>

namespace report {

extern const std::string_view sweep_svg_css;
extern const std::string_view timeline_svg_css;
extern const std::string_view timeline_page_css;
extern const std::string_view timeline_page_js;

}  // namespace report
