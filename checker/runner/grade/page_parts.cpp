#include "runner/grade/page_parts.h"

#include <fmt/format.h>

#include "report/picture_parts.h"
#include "report/xml.h"

namespace runner {
namespace {

// The policy makes the browser itself refuse any request.
constexpr std::string_view results_head = R"(<!DOCTYPE html>
<html lang="en" class="timeline">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; {3}base-uri 'none'; form-action 'none'">
<title>{0}</title>
<style>
{2}</style>
</head>
<body class="results">
<header>
<h1>{0}</h1>
<p>{1}</p>
</header>
)";

}  // namespace

std::string page_head(const std::string& title, const std::string& remark, page_script script) {
  const bool has_viewer = script == page_script::viewer;
  std::string styles(report::timeline_svg_css);
  if (has_viewer) styles += report::viewer_css;
  styles += pages_css;
  return fmt::format(results_head, report::xml_escaped(title), report::xml_escaped(remark), styles,
                     has_viewer ? "script-src 'unsafe-inline'; " : "");
}

std::string page_tail(page_script script) {
  if (script == page_script::none) return "</body>\n</html>\n";
  return fmt::format("<script>\n{}</script>\n</body>\n</html>\n", report::viewer_script);
}

}  // namespace runner
