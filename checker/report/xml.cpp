#include "report/xml.h"

#include "report/text_layout.h"

namespace report {

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char byte : harmless(text)) {
    switch (byte) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped;
}

}  // namespace report
