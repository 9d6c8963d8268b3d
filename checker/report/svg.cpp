#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text_layout.h"
#include "report/xml.h"

namespace report {

std::string svg_number(double value) { return fmt::format("{}", std::round(value * 10) / 10); }

std::string svg_text(std::string_view css_class, double x, double y, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", css_class, svg_number(x),
                     svg_number(y), xml_escaped(text));
}

int svg_text_width(std::string_view text) {
  constexpr double letter = 7.4, more_for_a_wide_one = 3.6;
  constexpr std::string_view wide_letters = "mwMW";
  const auto wide = std::count_if(text.begin(), text.end(), [&](char letter) {
    return wide_letters.find(letter) != std::string_view::npos;
  });
  return static_cast<int>(
      std::ceil(letter * width_of(text) + more_for_a_wide_one * static_cast<double>(wide)));
}

std::string svg_document(const svg_frame& frame, std::string_view content) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{0}\" role=\"img\" viewBox=\"0 0 {1} {2}\" "
      "width=\"{1}\" height=\"{2}\">\n<title>{3}</title>\n<desc>{4}</desc>\n<style>\n{5}</style>\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{6}</svg>\n",
      frame.css_class, frame.width, frame.height, xml_escaped(frame.heading), xml_escaped(frame.description),
      frame.style, content);
}

}  // namespace report
