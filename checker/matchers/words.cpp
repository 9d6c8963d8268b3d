#include "matchers/words.h"

#include <fmt/core.h>

#include <cmath>

#include "report/wording/cause_sentences.h"
#include "report/wording/reason_sentences.h"

namespace matchers {

std::string percent(double fraction) {
  // The small addend keeps 0.29 * 100 = 28.999... from reading as 28.
  return fmt::format("{} %", static_cast<int>(std::floor(fraction * 100 + 1e-9)));
}

std::string reason_to_wait(const run_facts& run, const trace::operation& operation) {
  return report::root_sentence_of(run.names(), run.reasons(), operation.id);
}

std::string line_that_held_back(const run_facts& run, const trace::operation& operation) {
  const trace::call_id call = run.reasons().root_of(operation.id).host_was_in;
  return call == 0 ? "" : run.recording().describe(run.recording().call_at(call).where);
}

cause_words costliest_cause(const run_facts& run) {
  const explain::explanation& why = run.explanation();
  if (why.causes.empty()) return {};
  const std::string sentence = report::sentence_of(run.recording(), why.causes.front());
  return {why.has_inferred_reasons ? "As far as the times tell: " + sentence : sentence,
          run.recording().describe(why.causes.front().where), report::word_of(why.causes.front().cause)};
}

}  // namespace matchers
