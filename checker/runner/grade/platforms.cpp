#include "runner/grade/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "course/record.h"
#include "report/result.h"
#include "report/text_layout.h"
#include "report/wording/place_text.h"
#include "report/xml.h"

namespace runner {
namespace {

using nlohmann::ordered_json;

/// A criterion, or a whole lesson that did not get so far.
struct platform_test {
  std::string lesson;  ///< "03"
  std::string slug;
  std::string name;
  std::string title;
  std::string verdict;  ///< of the run
  bool has_passed = false;
  bool is_decided = true;
  int points = 0;
  int max = 0;
  std::string message;
  std::string where;
};

std::optional<report::result> record_at(const results_folder& results, const std::string& key) {
  if (key.empty()) return std::nullopt;
  try {
    return report::load(course::result_file_of(results.record(key)));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::string message_of(const report::evidence& why) {
  std::string text;
  const auto add = [&](const char* name, const std::string& part) {
    if (!part.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", name, part);
  };
  add("required", why.required);
  add("seen", why.observation);
  add("where", report::places_with_callers(why));
  add("values", fmt::format("{}", fmt::join(report::values_in_words(why), "\n")));
  add("read next", why.read_next);
  return text;
}

std::vector<platform_test> tests_of(const course::lesson& lesson, const grade& one,
                                    const results_folder& results) {
  const platform_test of_lesson{.lesson = lesson.two_digits(),
                                .slug = lesson.slug,
                                .name = "Lesson",
                                .title = lesson.title,
                                .verdict = one.verdict,
                                .has_passed = one.has_passed,
                                .is_decided = one.points.has_value(),
                                .points = one.points.value_or(0),
                                .max = max_points,
                                .message = one.detail.empty() ? one.verdict : one.verdict + ": " + one.detail,
                                .where = one.where};
  const std::optional<report::result> record = record_at(results, one.key);
  if (!record) return {of_lesson};
  if (record->criteria.empty()) {
    platform_test whole = of_lesson;
    whole.message =
        message_of(record->why) + (record->compiler_output.empty() ? "" : "\n" + record->compiler_output);
    return {whole};
  }
  std::vector<platform_test> tests;
  for (const report::criterion_result& criterion : record->criteria) {
    platform_test test = of_lesson;
    test.name = criterion.name;
    test.title = criterion.title;
    test.has_passed = criterion.verdict == report::criterion_verdict::pass;
    test.is_decided = criterion.verdict != report::criterion_verdict::not_observable;
    test.points = test.has_passed ? criterion.points : 0;
    test.max = criterion.points;
    test.message = test.has_passed || !test.is_decided ? criterion.note : message_of(criterion.why);
    test.where = test.has_passed ? "" : criterion.why.where;
    if (!test.has_passed && test.is_decided) test.verdict = report::word_of(criterion.failure);
    tests.push_back(std::move(test));
  }
  return tests;
}

void for_each_test(const gradebook& book, const student_grades& student, const results_folder& results,
                   const std::function<void(const platform_test&)>& use) {
  for (std::size_t i = 0; i < student.grades.size(); ++i) {
    for (const platform_test& test : tests_of(book.lessons[i], student.grades[i], results)) use(test);
  }
}

/// For people: lines stay lines.
std::string clean(const std::string& text) { return report::escaped(text); }

std::string dumped(const ordered_json& made) {
  return made.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

/// "Lesson 03: Asynchronous copies"
std::string column_of(const course::lesson& lesson) {
  return fmt::format("Lesson {}: {}", lesson.two_digits(), lesson.title);
}

/// "" when nothing could be decided: the platform keeps what it has.
std::string points_field(const grade& one, const scoring_rules& rules) {
  return one.points ? std::to_string(counted_points(one, rules)) : "";
}

std::string feedback_on(const gradebook& book, const student_grades& student) {
  std::string text;
  for (std::size_t i = 0; i < student.grades.size(); ++i)
    text +=
        fmt::format("{}{}: {}", i == 0 ? "" : ", ", book.lessons[i].two_digits(), student.grades[i].verdict);
  return text;
}

std::string field_of(const csv_table& table, const std::vector<std::string>* row, std::string_view column) {
  const auto index = table.column({column});
  return row && index ? (*row)[*index] : "";
}

}  // namespace

std::string canvas_csv(const gradebook& book, const scoring_rules& rules, const csv_table& roster) {
  std::vector<std::string> header{"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
  std::vector<std::string> possible{"    Points Possible", "", "", "", ""};
  for (const course::lesson& lesson : book.lessons) {
    header.push_back(column_of(lesson));
    possible.push_back(std::to_string(max_points));
  }
  const auto login = roster.column({"sis login id"});
  std::string text = csv_line(header) + csv_line(possible);
  for (const student_grades& student : book.students) {
    const auto is_of_student = [&](const std::vector<std::string>& row) {
      return login && row[*login] == student.student;
    };
    const auto found = std::find_if(roster.rows.begin(), roster.rows.end(), is_of_student);
    const std::vector<std::string>* row = found == roster.rows.end() ? nullptr : &*found;
    std::vector<std::string> fields{row ? field_of(roster, row, "student") : student.student};
    for (const char* column : {"id", "sis user id"}) fields.push_back(field_of(roster, row, column));
    fields.push_back(student.student);
    fields.push_back(field_of(roster, row, "section"));
    for (const grade& one : student.grades) fields.push_back(points_field(one, rules));
    text += csv_line(fields);
  }
  return text;
}

std::string moodle_csv(const gradebook& book, const scoring_rules& rules) {
  std::vector<std::string> header{"username"};
  for (const course::lesson& lesson : book.lessons) header.push_back(column_of(lesson));
  header.insert(header.end(), {"score", "feedback"});
  std::string text = csv_line(header);
  for (const student_grades& student : book.students) {
    std::vector<std::string> fields{student.student};
    for (const grade& one : student.grades) fields.push_back(points_field(one, rules));
    fields.push_back(score_words(score_of(book, student, rules)));
    fields.push_back(feedback_on(book, student));
    text += csv_line(fields);
  }
  return text;
}

std::string gradescope_json(const gradebook& book, const student_grades& student, const scoring_rules& rules,
                            const results_folder& results) {
  ordered_json made{{"output", fmt::format("{} of {} points", student.points(), student.max())},
                    {"output_format", "text"}};
  ordered_json tests = ordered_json::array();
  int lesson_max = 0;
  for_each_test(book, student, results, [&](const platform_test& test) {
    ordered_json one{{"name", fmt::format("{} {}: {}", test.lesson, test.name, test.title)},
                     {"name_format", "text"}};
    if (test.is_decided) {
      one["score"] = test.points;
      one["max_score"] = test.max;
      one["status"] = test.has_passed ? "passed" : "failed";
    }
    one["output"] = clean(test.message);
    one["output_format"] = "text";
    tests.push_back(std::move(one));
    if (test.is_decided) lesson_max += test.max;
  });
  // It takes the place of the sum, so that weights, caps and lateness count.
  const score made_score = score_of(book, student, rules);
  made["score"] = made_score.hundredths ? *made_score.hundredths / 10000.0 * lesson_max : 0.0;
  made["tests"] = std::move(tests);
  return dumped(made);
}

std::string classroom_json(const gradebook& book, const student_grades& student,
                           const results_folder& results) {
  ordered_json tests = ordered_json::array();
  int max = 0;
  bool has_passed = true;
  for_each_test(book, student, results, [&](const platform_test& test) {
    ordered_json one{{"name", fmt::format("{} {}", test.lesson, test.name)},
                     {"status", !test.is_decided  ? "error"
                                : test.has_passed ? "pass"
                                                  : "fail"},
                     {"score", test.points},
                     {"message", test.has_passed ? "" : clean(test.message)},
                     {"test_code", test.title}};
    const std::size_t colon = test.where.find(':');
    if (colon != std::string::npos) {
      one["filename"] = fmt::format("lessons/{}_{}/{}", test.lesson, test.slug, test.where.substr(0, colon));
      one["line_no"] = std::atoi(test.where.c_str() + colon + 1);
    }
    tests.push_back(std::move(one));
    max += test.max;
    has_passed = has_passed && test.has_passed;
  });
  return dumped({{"version", 1},
                 {"status", has_passed ? "pass" : "fail"},
                 {"max_score", max},
                 {"tests", std::move(tests)}});
}

std::string junit_xml(const gradebook& book, const results_folder& results) {
  const auto attribute = [](const std::string& text) { return report::xml_escaped(text); };
  std::string suites;
  for (const student_grades& student : book.students) {
    std::string cases;
    int count = 0, failures = 0, errors = 0;
    for_each_test(book, student, results, [&](const platform_test& test) {
      ++count;
      const bool is_error = !test.has_passed && (!test.is_decided || test.name == "Lesson");
      failures += !test.has_passed && !is_error;
      errors += is_error;
      cases += fmt::format(
          "    <testcase classname=\"lesson{}.{}\" name=\"{}\">\n      <properties><property name=\"points\" value=\"{}\"/>"
          "<property name=\"max_points\" value=\"{}\"/></properties>\n",
          test.lesson, test.slug, attribute(test.name), test.points, test.max);
      if (!test.has_passed) {
        const char* element = is_error ? "error" : "failure";
        cases += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                             attribute(test.verdict), attribute(test.title), attribute(clean(test.message)));
      }
      cases += "    </testcase>\n";
    });
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}  </testsuite>\n",
        attribute(student.student), count, failures, errors, cases);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites + "</testsuites>\n";
}

std::string own_lines(std::string_view submitted, std::string_view skeleton) {
  const auto for_each_line = [](std::string_view text, const auto& use) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const std::size_t begin = line.find_first_not_of(" \t\r");
      if (begin != line.npos) use(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
    }
  };
  std::set<std::string_view> known;
  for_each_line(skeleton, [&](std::string_view line) { known.insert(line); });
  std::string own;
  for_each_line(submitted, [&](std::string_view line) {
    if (!known.contains(line)) own.append(line) += '\n';
  });
  return own;
}

std::vector<std::string> file_names_of(const gradebook& book) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const student_grades& student : book.students) {
    std::string name = student.student.substr(0, 100);
    // Not in the middle of a character.
    while (name.size() < student.student.size() && !name.empty() &&
           (static_cast<unsigned char>(student.student[name.size()]) & 0xC0) == 0x80)
      name.pop_back();
    std::replace_if(
        name.begin(), name.end(),
        [](char letter) {
          return std::string_view("/\\:*?\"<>|#%'`$&;").find(letter) != std::string_view::npos;
        },
        '_');
    if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, "_");
    std::string unique = name;
    for (int number = 2; !known.insert(unique).second; ++number) unique = fmt::format("{}_{}", name, number);
    names.push_back(unique);
  }
  return names;
}

}  // namespace runner
