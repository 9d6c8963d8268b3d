#include "runner/verify/done_table.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "parsing/pattern.h"

namespace runner {
namespace {

std::string seen_in_words(const report::criterion_result& criterion) {
  if (criterion.measured) return criterion.measured->value;
  return criterion.verdict == report::criterion_verdict::pass ? "yes" : "no";
}

}  // namespace

std::map<std::string, done_row> done_rows(const std::vector<report::criterion_result>& skeleton,
                                          const std::vector<report::criterion_result>& solution) {
  std::map<std::string, done_row> rows;
  for (const report::criterion_result& criterion : skeleton)
    rows[criterion.name].as_it_comes = seen_in_words(criterion);
  for (const report::criterion_result& criterion : solution) {
    rows[criterion.name].solved = seen_in_words(criterion);
    rows[criterion.name].required = criterion.measured ? criterion.measured->required : "yes";
  }
  return rows;
}

std::string with_measured_columns(std::string_view page, const std::map<std::string, done_row>& rows) {
  static const parsing::pattern of_a_criterion(R"(\| `(\w+)` \|.*)");
  static const parsing::pattern row(R"(\| `\w+` \|([^|]*)\|[^|]*\|[^|]*\|[^|]*\|)");
  std::istringstream lines{std::string(page)};
  std::string text;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto found = of_a_criterion.match(line);
    if (found && rows.count(found->at(1)) != 0) {
      const std::string& criterion = found->at(1);
      const done_row& measured = rows.at(criterion);
      const auto cells = row.match(line);
      if (!cells)
        throw std::runtime_error(fmt::format("Line {}: the row of {} has not the five cells of {}", number,
                                             criterion, done_table_head));
      line = fmt::format("| `{}` |{}| {} | {} | {} |", criterion, cells->at(1), measured.as_it_comes,
                         measured.solved, measured.required);
    }
    text += line + (lines.eof() ? "" : "\n");
  }
  return text;
}

}  // namespace runner
