// svg.h: the parts of SVG that every picture uses.
//
// Not here: what is drawn (timeline_svg.h, sweep_svg.h).
#pragma once

#include <string>
#include <string_view>

namespace report {

/// With at most one decimal, and none that is 0.
std::string svg_number(double value);

/// A `text` element of that class, ended by a newline; the text is escaped.
std::string svg_text(std::string_view css_class, double x, double y, std::string_view text);

/// How wide text of 12 px is in the widest of the fonts, about.
int svg_text_width(std::string_view text);

/// What stands around a picture.
struct svg_frame {
  std::string_view css_class;    ///< of the element
  int width = 0;                 ///< in units of the drawing, which are pixels when it is not scaled
  int height = 0;                ///< the same
  std::string_view heading;      ///< the title that a screen reader says
  std::string_view description;  ///< the picture in words
  std::string_view style;        ///< a style sheet
};

/// The element around a picture: paper, then `content`.
std::string svg_document(const svg_frame& frame, std::string_view content);

}  // namespace report
