// picture_parts.h: the contents of style sheets, and the script of the viewer: the files of viewer/, one behind the other.
#pragma once

#include <string_view>

namespace report {

extern const std::string_view sweep_svg_css;
extern const std::string_view timeline_svg_css;
extern const std::string_view viewer_css;
extern const std::string_view page_css;
extern const std::string_view viewer_script;

}  // namespace report
