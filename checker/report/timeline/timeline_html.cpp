#include "report/timeline/timeline_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/picture_parts.h"
#include "report/timeline/timeline_svg.h"
#include "report/wording/run_summary.h"
#include "report/xml.h"

namespace report {
namespace {

// The policy makes the browser itself refuse any request.
constexpr std::string_view head_format = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{0}</title>
<style>
{2}</style>
</head>
<body>
<header>
<h1>{0}</h1>
<p>{1}</p>
</header>
<div class="tools" hidden>
<button data-action="+" aria-label="Zoom in">+</button>
<button data-action="-" aria-label="Zoom out">&minus;</button>
<button data-action="0">Whole run</button>
<span class="keys"><kbd>wheel</kbd> <kbd>+</kbd> <kbd>-</kbd> zoom &nbsp; drag, <kbd>Shift</kbd> <kbd>&larr;</kbd> <kbd>&rarr;</kbd> move &nbsp;
<kbd>Tab</kbd> <kbd>&larr;</kbd> <kbd>&rarr;</kbd> <kbd>&uarr;</kbd> <kbd>&darr;</kbd> walk from span to span &nbsp; <kbd>Enter</kbd> fill the view &nbsp; <kbd>0</kbd> whole run</span>
</div>
<main>
)";

constexpr std::string_view tail_format = R"(</main>
<aside class="facts" aria-live="polite"><p>Point at a span, or walk to it with the keys, to see what it was, why it did not start earlier, and the line of your program. Arrows come from what it waited for.</p></aside>
<script>
{}</script>
</body>
</html>
)";

}  // namespace

std::string timeline_html(const std::string& title, const std::string& remark,
                          const std::vector<page_run>& runs) {
  trace::nanoseconds length{0};
  for (const page_run& run : runs) {
    const drawable_part drawable = part_to_draw(*run.recording, run.part);
    if (drawable.part) length = std::max(length, drawable.part->duration());
  }
  std::string page = fmt::format(head_format, xml_escaped(title), xml_escaped(remark), timeline_page_css);
  for (const page_run& run : runs) {
    page += fmt::format(
        "<section>\n<figure>\n{}</figure>\n</section>\n",
        timeline_svg(*run.recording, {.part = run.part, .heading = run.heading, .length = length}));
  }
  return page + fmt::format(tail_format, timeline_page_js);
}

}  // namespace report
