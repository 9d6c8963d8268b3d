#include "report/xml.h"

#include "report/text_layout.h"

namespace report {

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char byte : escaped(text)) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

}  // namespace report
