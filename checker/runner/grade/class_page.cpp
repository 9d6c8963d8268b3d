#include "runner/grade/class_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "report/xml.h"
#include "runner/grade/page_parts.h"

namespace runner {
namespace {

constexpr std::size_t shown_rows = 12;
constexpr std::size_t column_count = 10;
using counts_of_columns = std::array<std::size_t, column_count>;

std::string in_html(const std::string& text) { return report::xml_escaped(text); }

/// 0..9, 10..19, ..., 90..100.
std::size_t column_of_percent(int percent) {
  return std::min<std::size_t>(static_cast<std::size_t>(percent) / 10, column_count - 1);
}

std::string columns_svg(const counts_of_columns& counts, int width, int height, const std::string& label) {
  const std::size_t max_count = std::max<std::size_t>(1, *std::max_element(counts.begin(), counts.end()));
  const int step = width / static_cast<int>(column_count);
  const bool has_text = height > 60;
  const int base = has_text ? height - 18 : height - 1;
  const int room = has_text ? base - 16 : base;
  std::string svg = fmt::format(
      "<svg class=\"columns\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"{2}\">",
      width, height, in_html(label));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int tall =
        static_cast<int>((counts[i] * static_cast<std::size_t>(room) + max_count - 1) / max_count);
    const int x = static_cast<int>(i) * step;
    if (tall > 0)
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1\"/>", x + 1, base - tall,
                         step - 2, tall);
    if (has_text && counts[i] > 0)
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + step / 2, base - tall - 4, counts[i]);
    if (has_text)
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + step / 2, height - 4,
                         i + 1 == counts.size() ? "90–100" : fmt::format("{}–{}", i * 10, i * 10 + 9));
  }
  return svg + fmt::format("<line x1=\"0\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/></svg>", width, base, base);
}

std::string words_of_columns(const counts_of_columns& counts) {
  std::string words;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) words += fmt::format("{}{} from {}", words.empty() ? "" : ", ", counts[i], i * 10);
  }
  return words;
}

std::string section_of_scores(const gradebook& book, const scoring_rules& rules) {
  counts_of_columns counts{};
  std::vector<int> scores;
  for (const student_grades& student : book.students) {
    const score made = score_of(book, student, rules);
    if (made.hundredths) scores.push_back(*made.hundredths);
  }
  if (scores.empty()) return "";
  for (const int one : scores) ++counts[column_of_percent(one / 100)];
  std::sort(scores.begin(), scores.end());
  const int median = scores[scores.size() / 2];
  return fmt::format(
      "<h2>Scores</h2>\n<p class=\"note\">Per cent; half of the class has {} or more.</p>\n<div class=\"wide\">{}</div>\n",
      score_words(median), columns_svg(counts, 640, 150, "Scores: " + words_of_columns(counts)));
}

std::string section_of_lessons(const gradebook& book) {
  std::string rows;
  for (std::size_t i = 0; i < book.lessons.size(); ++i) {
    counts_of_columns counts{};
    std::vector<int> points;
    std::size_t handed_in = 0, passed = 0;
    for (const student_grades& student : book.students) {
      const grade& one = student.grades[i];
      handed_in += !one.file_hash.empty();
      passed += one.has_passed;
      if (!one.points || one.file_hash.empty()) continue;
      points.push_back(*one.points);
      ++counts[column_of_percent(*one.points)];
    }
    std::sort(points.begin(), points.end());
    rows += fmt::format(
        "<tr><td>{} {}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
        book.lessons[i].two_digits(), in_html(book.lessons[i].title), handed_in, passed,
        points.empty() ? "" : std::to_string(points[points.size() / 2]),
        columns_svg(counts, 120, 24, "Points: " + words_of_columns(counts)));
  }
  return "<h2>Lessons</h2>\n<div class=\"wide\"><table>\n<tr><th>Lesson</th><th class=\"number\">Handed in</th><th class=\"number\">"
         "Passed</th><th "
         "class=\"number\">Median points</th><th>Points, 0 to 100</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string section_of_criteria(const gradebook& book) {
  std::vector<failed_criterion> hardest = hardest_criteria(book);
  if (hardest.empty()) return "";
  hardest.resize(std::min(hardest.size(), shown_rows));
  std::string rows;
  for (const failed_criterion& one : hardest) {
    const std::size_t percent = one.failed * 100 / one.judged;
    rows += fmt::format(
        "<tr><td class=\"lesson\">{}</td><td>{}<br><code class=\"quiet\">{}</code></td><td class=\"number\">{} of {}</td><td><span "
        "class=\"track\"><span "
        "class=\"bar\" style=\"width:{}%\"></span></span></td></tr>\n",
        book.lessons[one.lesson].two_digits(), in_html(one.title), in_html(one.name), one.failed, one.judged,
        percent);
  }
  return "<h2>Hardest criteria</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"lesson\">Lesson</th><th>Criterion</th><th "
         "class=\"number\">Failed</th><th>Share</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string section_of_mistakes(const gradebook& book) {
  std::vector<common_mistake> commonest = commonest_mistakes(book);
  if (commonest.empty()) return "";
  commonest.resize(std::min(commonest.size(), shown_rows));
  std::string rows;
  for (const common_mistake& one : commonest) {
    std::string mistake = one.mistake.empty() ? "other" : one.mistake;
    std::replace(mistake.begin(), mistake.end(), '_', ' ');
    rows += fmt::format(
        "<tr><td class=\"lesson\">{}</td><td>{}<br><code class=\"quiet\">{}</code></td><td class=\"number\">{}</td><td><code>"
        "{}</code>{}</td></tr>\n",
        book.lessons[one.lesson].two_digits(), in_html(mistake), in_html(one.criterion), one.students,
        in_html(one.quoted),
        one.where.empty() ? "" : "<br><span class=\"quiet\">" + in_html(one.where) + "</span>");
  }
  return "<h2>Commonest mistakes</h2>\n<p class=\"note\">Each with the line of code that occurs most often.</p>\n<div "
         "class=\"wide\"><table>\n<tr><th class=\"lesson\">Lesson</th>"
         "<th>Mistake</th><th class=\"number\">Students</th><th>Line</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string cell_of_grade(const grade& one) {
  std::string verdict = one.verdict;
  std::replace(verdict.begin(), verdict.end(), '_', ' ');
  return fmt::format("<td class=\"number\">{}</td><td class=\"verdict {}\">{}</td>",
                     one.points ? std::to_string(*one.points) : "",
                     one.has_passed ? "good"
                     : one.points   ? "bad"
                                    : "quiet",
                     in_html(verdict));
}

std::string section_of_students(const gradebook& book, const scoring_rules& rules,
                                const std::vector<std::string>& links) {
  std::string head = "<tr><th>Student</th><th class=\"number\">Score</th>";
  for (const course::lesson& lesson : book.lessons)
    head += fmt::format("<th class=\"number\">{}</th><th></th>", lesson.two_digits());
  std::string rows;
  for (std::size_t i = 0; i < book.students.size(); ++i) {
    const student_grades& student = book.students[i];
    const score made = score_of(book, student, rules);
    const std::string name = in_html(student.student);
    rows += "<tr><td>" +
            (links.empty() ? name : fmt::format("<a href=\"{}\">{}</a>", in_html(links[i]), name)) + "</td>";
    rows += fmt::format("<td class=\"number\">{}</td>", score_words(made));
    for (const grade& one : student.grades) rows += cell_of_grade(one);
    rows += fmt::format("<td class=\"quiet\">{}</td></tr>\n", in_html(notes_of(book, student)));
  }
  return "<h2>Students</h2>\n<div class=\"wide\"><table>\n" + head + "<th></th></tr>\n" + rows +
         "</table></div>\n";
}

}  // namespace

std::vector<failed_criterion> hardest_criteria(const gradebook& book) {
  std::map<std::pair<std::size_t, std::string>, failed_criterion> found;
  for (const student_grades& student : book.students) {
    for (std::size_t i = 0; i < student.grades.size(); ++i) {
      for (const graded_criterion& criterion : student.grades[i].criteria) {
        if (criterion.verdict == report::criterion_verdict::not_observable) continue;
        failed_criterion& one =
            found.try_emplace({i, criterion.name}, failed_criterion{i, criterion.name, criterion.title})
                .first->second;
        ++one.judged;
        one.failed += criterion.verdict == report::criterion_verdict::fail;
      }
    }
  }
  std::vector<failed_criterion> hardest;
  for (auto& [place, one] : found) {
    if (one.failed > 0) hardest.push_back(std::move(one));
  }
  std::stable_sort(hardest.begin(), hardest.end(),
                   [](const auto& a, const auto& b) { return a.failed * b.judged > b.failed * a.judged; });
  return hardest;
}

std::vector<common_mistake> commonest_mistakes(const gradebook& book) {
  using line = std::pair<std::string, std::string>;  // quoted, where
  struct group {
    std::size_t students = 0;
    std::map<line, std::size_t> lines;
  };
  std::map<std::tuple<std::size_t, std::string, std::string>, group> found;
  for (const student_grades& student : book.students) {
    for (std::size_t i = 0; i < student.grades.size(); ++i) {
      for (const graded_criterion& criterion : student.grades[i].criteria) {
        if (criterion.verdict != report::criterion_verdict::fail) continue;
        group& one = found[{i, criterion.name, criterion.mistake}];
        ++one.students;
        if (!criterion.quoted.empty()) ++one.lines[{criterion.quoted, criterion.where}];
      }
    }
  }
  std::vector<common_mistake> commonest;
  for (const auto& [place, one] : found) {
    common_mistake& made = commonest.emplace_back(
        common_mistake{std::get<0>(place), std::get<1>(place), std::get<2>(place), one.students, "", ""});
    const auto commonest_line = std::max_element(
        one.lines.begin(), one.lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (commonest_line == one.lines.end()) continue;
    made.quoted = commonest_line->first.first;
    made.where = commonest_line->first.second;
  }
  std::stable_sort(commonest.begin(), commonest.end(),
                   [](const auto& a, const auto& b) { return a.students > b.students; });
  return commonest;
}

std::string class_page(const gradebook& book, const scoring_rules& rules,
                       const std::vector<std::string>& links) {
  const std::string remark =
      fmt::format("{} students, {} lessons.", book.students.size(), book.lessons.size());
  return page_head("Results of the class", remark, page_script::none) + "<main>\n" +
         section_of_scores(book, rules) + section_of_lessons(book) + section_of_criteria(book) +
         section_of_mistakes(book) + section_of_students(book, rules, links) + "</main>\n" +
         page_tail(page_script::none);
}

}  // namespace runner
