// picture_parts.h: the style sheets and the script of the pictures, as the files of their names hold them.
#pragma once

#include <string_view>

namespace report {

extern const std::string_view sweep_svg_css;      ///< lines and points of a sweep, light and dark
extern const std::string_view timeline_svg_css;   ///< how lanes and spans look, light and dark
extern const std::string_view timeline_page_css;  ///< the page around the drawings, also on paper
extern const std::string_view timeline_page_js;   ///< zoom, keys, facts, arrows

}  // namespace report
