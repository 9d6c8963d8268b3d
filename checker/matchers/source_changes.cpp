#include "matchers/source_changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

namespace matchers {

namespace {

struct code_line {
  std::size_t number = 0;  // in its file, from 1
  std::string text;        // without spaces
};

/// The lines that hold more than a comment. A "//" in a string ends its line too, in both files alike.
std::vector<code_line> code_lines(const std::string& source) {
  std::vector<code_line> found;
  std::istringstream lines(source);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.find("//"), line.size()));
    std::erase_if(line, [](unsigned char one) { return std::isspace(one) != 0; });
    if (!line.empty()) found.push_back({number, line});
  }
  return found;
}

/// The fewest lines to insert, delete or replace so that one text becomes another.
class line_changes {
 public:
  line_changes(const std::vector<code_line>& before, const std::vector<code_line>& after)
      : before_(before), after_(after), width_(after.size() + 1), fewest_((before.size() + 1) * width_) {
    for (std::size_t i = 0; i <= before.size(); ++i) {
      for (std::size_t j = 0; j <= after.size(); ++j) at(i, j) = fewest(i, j);
    }
  }

  std::size_t count() const { return fewest_.back(); }

  /// The number of the line at which, or before which, the change after that many is made. There are more than `allowed`.
  std::size_t line_beyond(std::size_t allowed) const {
    std::size_t i = before_.size(), j = after_.size();
    std::size_t line = after_.empty() ? 1 : after_.back().number;
    while (at(i, j) > allowed) {
      if (j > 0) line = after_[j - 1].number;
      if (i > 0 && j > 0 && at(i, j) == at(i - 1, j - 1) + (is_same(i, j) ? 0 : 1)) {
        --i, --j;
      } else if (j > 0 && at(i, j) == at(i, j - 1) + 1) {
        --j;
      } else {
        --i;
      }
    }
    return line;
  }

 private:
  /// Of the first `i` and `j` lines.
  std::size_t& at(std::size_t i, std::size_t j) { return fewest_[i * width_ + j]; }
  std::size_t at(std::size_t i, std::size_t j) const { return fewest_[i * width_ + j]; }
  bool is_same(std::size_t i, std::size_t j) const { return before_[i - 1].text == after_[j - 1].text; }

  std::size_t fewest(std::size_t i, std::size_t j) const {
    if (i == 0 || j == 0) return std::max(i, j);
    return std::min({at(i - 1, j - 1) + (is_same(i, j) ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1});
  }

  const std::vector<code_line>& before_;
  const std::vector<code_line>& after_;
  std::size_t width_;
  std::vector<std::size_t> fewest_;
};

verdict judge_changes(const run_facts& run, std::size_t allowed) {
  const learner_source& source = run.source();
  const std::vector<code_line> before = code_lines(source.as_it_comes);
  const std::vector<code_line> after = code_lines(source.text);
  const line_changes changes(before, after);
  const report::measurement measured =
      at_most(static_cast<double>(changes.count()), static_cast<double>(allowed), 0);
  if (changes.count() <= allowed)
    return passed(fmt::format("{} lines changed, allowed {}", changes.count(), allowed), measured);
  report::evidence why;
  why.required =
      fmt::format("No more than {} lines differ from the file as it comes, comments left out.", allowed);
  why.observation =
      fmt::format("{} lines differ. The line named here is the first beyond {}.", changes.count(), allowed);
  why.where = fmt::format("{}:{}", source.file_name, changes.line_beyond(allowed));
  why.read_next =
      "`./streamlings reset` keeps your file and starts again; `diff` shows what you have changed.";
  return failed(report::run_verdict::requirement_missed, report::mistake::too_many_changes, why, measured);
}

}  // namespace

matcher ChangesAtMost(std::size_t lines) {
  return {fmt::format("no more than {} lines are changed", lines),
          [lines](const run_facts& run) { return judge_changes(run, lines); }};
}

}  // namespace matchers
