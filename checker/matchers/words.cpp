#include "matchers/words.h"

#include <fmt/core.h>

#include <cmath>

#include "analysis/part.h"
#include "analysis/reasons.h"
#include "explain/explain.h"
#include "matchers/gpu_of_the_run.h"
#include "report/wording/cause_sentences.h"
#include "report/wording/reason_sentences.h"

namespace matchers {

std::string percent(double fraction) {
  // The small addend keeps 0.29 * 100 = 28.999... from reading as 28.
  return fmt::format("{} %", static_cast<int>(std::floor(fraction * 100 + 1e-9)));
}

std::string reason_to_wait(const analysis::part& part, const trace::operation& what) {
  return report::root_sentence_of(report::operation_names(*part.seen), analysis::reasons(part), what.id);
}

std::string line_that_held_back(const analysis::part& part, const trace::operation& what) {
  const trace::call_id call = analysis::reasons(part).root_of(what.id).host_was_in;
  return call == 0 ? "" : part.seen->describe(part.seen->call_at(call).where);
}

std::string what_costs_most(const analysis::part& part, std::string& where) {
  const explain::explanation why = explain::explanation_of(part, gpu_of_the_run());
  if (why.causes.empty()) return "";
  where = part.seen->describe(why.causes.front().where);
  const std::string sentence = report::sentence_of(*part.seen, why.causes.front());
  return why.has_inferred_reasons ? "As far as the times tell: " + sentence : sentence;
}

}  // namespace matchers
