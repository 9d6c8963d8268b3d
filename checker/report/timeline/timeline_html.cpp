#include "report/timeline/timeline_html.h"

#include <fmt/format.h>

#include "report/picture_parts.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_json.h"
#include "report/wording/run_summary.h"
#include "report/xml.h"

namespace report {
namespace {

// The policy makes the browser itself refuse any request.
constexpr std::string_view head_format = R"(<!DOCTYPE html>
<html lang="en" class="timeline">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>{0}</title>
<style>
{2}{3}{4}</style>
</head>
<body>
<header>
<h1>{0}</h1>
<p>{1}</p>
</header>
<main class="timeline-viewer" data-whole-page>
<noscript>{5}</noscript>
)";

constexpr std::string_view tail_format = R"(</main>
<script>
{}</script>
</body>
</html>
)";

}  // namespace

std::string timeline_html(const std::string& title, const std::string& remark,
                          const std::vector<page_run>& runs) {
  std::string without_script = "<p>The timeline needs scripts to be allowed.</p>";
  std::string data;
  for (const page_run& run : runs) {
    const drawable_part drawable = part_to_draw(*run.recording, run.part);
    const std::string words =
        drawable.part ? fmt::format("{} in all, on {}; {}", duration_words(drawable.part->duration()),
                                    machine_words(*run.recording), overlap_words(*drawable.part))
                      : "No timeline: " + drawable.problem;
    without_script += fmt::format("<p>{}: {}.</p>", xml_escaped(run.heading), xml_escaped(words));
    data += fmt::format("<script type=\"application/json\">{}</script>\n",
                        timeline_json(*run.recording, {.part = run.part, .heading = run.heading}));
  }
  return fmt::format(head_format, xml_escaped(title), xml_escaped(remark), timeline_svg_css, viewer_css,
                     page_css, without_script) +
         data + fmt::format(tail_format, viewer_script);
}

}  // namespace report
