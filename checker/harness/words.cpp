#include "harness/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/explanation.h"
#include "analysis/part.h"
#include "analysis/reasons.h"
#include "harness/gpu_of_the_run.h"
#include "report/explanation_text.h"

namespace harness {

namespace {

// Whether that is a line of the lesson's own half, which the learner neither sees nor changes.
bool is_of_the_lesson(const trace::recording& seen, const trace::location& where) {
  return where.is_known() && std::filesystem::path(seen.files.at(where.file)).filename() == "drive.cpp";
}

// Whether what it holds up is issued by the lesson, such as the arrival of a request: that is given.
bool is_given(const trace::recording& seen, const analysis::cause_cost& cause) {
  if (cause.late == 0) return false;
  const trace::call_id issued_by = seen.operation_at(cause.late).issued_by;
  return issued_by != 0 && is_of_the_lesson(seen, seen.call_at(issued_by).where);
}

}  // namespace

std::string percent(double fraction) {
  // The small addend keeps 0.29 * 100 = 28.999... from reading as 28.
  return fmt::format("{} %", static_cast<int>(std::floor(fraction * 100 + 1e-9)));
}

std::string reason_to_wait(const analysis::part& part, const trace::operation& what) {
  return report::root_sentence_of(*part.seen, analysis::reasons(part), what.id);
}

std::string what_costs_most(const analysis::part& part, std::string& where) {
  const analysis::explanation why = analysis::explain(part, gpu_of_the_run());
  const auto found = std::find_if(why.causes.begin(), why.causes.end(),
                                  [&](const auto& each) { return !is_given(*part.seen, each); });
  if (found == why.causes.end()) return "";
  analysis::cause_cost first = *found;
  if (is_of_the_lesson(*part.seen, first.where)) first.where = {};
  where = part.seen->describe(first.where);
  const std::string sentence = report::sentence_of(*part.seen, first);
  return why.has_inferred_reasons ? "As far as the times tell: " + sentence : sentence;
}

}  // namespace harness
