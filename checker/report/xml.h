// xml.h: text inside SVG and HTML.
//
//     fmt::format("<title>{}</title>", report::xml_escaped(name));
#pragma once

#include <string>
#include <string_view>

namespace report {

/// The text as content or as the value of an attribute in double quotes; characters that XML does not allow
/// are escaped.
std::string xml_escaped(std::string_view text);

}  // namespace report
