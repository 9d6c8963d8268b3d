#include "runner/grade/student_page.h"

#include <fmt/format.h>

#include <stdexcept>

#include "course/record.h"
#include "report/result.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_json.h"
#include "report/verdict_text.h"
#include "report/wording/place_text.h"
#include "report/xml.h"
#include "runner/grade/page_parts.h"
#include "runner/learner/lesson_check.h"

namespace runner {
namespace {

std::string as_html(const std::string& text) { return report::xml_escaped(report::escaped(text)); }

std::string verdict_class(const grade& one) { return one.has_passed ? "good" : one.points ? "bad" : "quiet"; }

std::string spaced_words(std::string word) {
  for (char& letter : word) letter = letter == '_' ? ' ' : letter;
  return word;
}

std::string evidence_html(const std::string& title, const report::evidence& why) {
  std::string parts;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) parts += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, text);
  };
  add("required", as_html(why.required));
  add("seen", as_html(why.observation));
  add("where", as_html(report::places_with_callers(why)) +
                   (why.quoted.empty() ? "" : "<br><code>" + as_html(why.quoted) + "</code>"));
  std::string values;
  for (const std::string& value : report::values_in_words(why))
    values += (values.empty() ? "<code>" : "<br><code>") + as_html(value) + "</code>";
  add("values", values);
  add("read next", as_html(why.read_next));
  return fmt::format("<dl class=\"evidence\"><h3>{}</h3>\n{}</dl>\n", as_html(title), parts);
}

std::string criteria_html(const report::result& record) {
  std::string rows, reasons;
  for (const report::criterion_result& criterion : record.criteria) {
    const bool has_passed = criterion.verdict == report::criterion_verdict::pass;
    const bool has_failed = criterion.verdict == report::criterion_verdict::fail;
    rows += fmt::format(
        "<tr><td class=\"verdict {}\">{}</td><td class=\"number\">{} of {}</td><td>{}<br><code class=\"quiet\">{}</code></td><td "
        "class=\"quiet\">{}</td></tr>\n",
        has_passed   ? "good"
        : has_failed ? "bad"
                     : "quiet",
        spaced_words(std::string(report::word_of(criterion.verdict))), has_passed ? criterion.points : 0,
        criterion.points, as_html(criterion.title), as_html(criterion.name), as_html(criterion.note));
  }
  for (const report::criterion_result* failed : report::failures_in_report_order(record))
    reasons += evidence_html(failed->title, failed->why);
  if (rows.empty()) return "";
  return "<div class=\"wide\"><table>\n<tr><th></th><th class=\"number\">Points</th><th>Criterion</th><th></th></tr>\n" +
         rows + "</table></div>\n" + reasons;
}

std::string output_html(const char* title, const std::string& text) {
  return text.empty()
             ? ""
             : fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", title, as_html(text));
}

std::string timeline_of_record(const report::result& record, const std::filesystem::path& folder,
                               const std::string& heading) {
  if (record.recording.empty()) return "";
  try {
    const trace::recording recording = load_recording(course::recording_file_of(folder));
    return fmt::format(
        "<div class=\"timeline-viewer\">\n<noscript><p>The timeline needs scripts to be allowed.</p></noscript>\n<script "
        "type=\"application/json\">{}</script>\n</div>\n",
        report::timeline_json(recording, {.heading = heading}));
  } catch (const std::exception&) {
    return "<p class=\"note\">The recording of this run cannot be read.</p>\n";
  }
}

std::string section_of_record(const grade& one, const results_folder& results, const std::string& heading) {
  const std::filesystem::path folder = results.record(one.key);
  try {
    const report::result record = report::load(course::result_file_of(folder));
    std::string html = criteria_html(record);
    if (record.criteria.empty()) html += evidence_html(report::words_of(record.verdict), record.why);
    for (const report::remark& remark : record.remarks)
      html += fmt::format("<p><b>{}</b> {} <span class=\"quiet\">{}</span></p>\n", as_html(remark.title),
                          as_html(remark.message), as_html(remark.where));
    html += output_html("What the compiler printed", record.compiler_output) +
            output_html("What the program printed", record.program_output);
    html += timeline_of_record(record, folder, heading);
    return html +
           fmt::format(
               "<p class=\"note\">The same inputs again: <code>./streamlings check {:02} --seed {}{}</code></p>\n",
               record.lesson, record.seed,
               record.profile.empty() || record.profile == trace::usual_profile
                   ? ""
                   : " --profile " + as_html(record.profile));
  } catch (const std::runtime_error&) {
    return "<p class=\"note\">The record of this check cannot be read.</p>\n";
  }
}

std::string score_remark(const gradebook& book, const student_grades& student, const scoring_rules& rules) {
  const score made = score_of(book, student, rules);
  std::string text = fmt::format("{} of {} points", student.points(), student.max());
  if (made.hundredths) text += fmt::format(", score {} per cent", score_words(*made.hundredths));
  if (made.late_days > 0)
    text += fmt::format(", {} {} late", made.late_days, made.late_days == 1 ? "day" : "days");
  return text + ".";
}

}  // namespace

std::string student_page(const gradebook& book, const student_grades& student, const scoring_rules& rules,
                         const results_folder& results) {
  std::string html =
      page_head(student.student, score_remark(book, student, rules), page_script::viewer) + "<main>\n";
  for (std::size_t i = 0; i < student.grades.size(); ++i) {
    const grade& one = student.grades[i];
    const std::string heading =
        fmt::format("Lesson {}: {}", book.lessons[i].two_digits(), book.lessons[i].title);
    html += fmt::format(
        "<h2>{}</h2>\n<p><b class=\"{}\">{}</b>{}{}</p>\n", as_html(heading), verdict_class(one),
        as_html(spaced_words(one.verdict)),
        one.points ? fmt::format(", {} of {} points", *one.points, max_points) : ", counts for nobody",
        one.detail.empty() ? "" : ": " + as_html(one.detail));
    if (!one.key.empty()) html += section_of_record(one, results, heading);
  }
  return html + "</main>\n" + page_tail(page_script::viewer);
}

}  // namespace runner
