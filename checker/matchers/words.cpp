#include "matchers/words.h"

#include <fmt/core.h>

#include <algorithm>
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

namespace {

// To divide the work otherwise is the last resort: named first, it would hide what keeps whole pieces apart.
const explain::cause_cost& first_to_cure(const explain::explanation& why) {
  const auto found =
      std::find_if(why.causes.begin(), why.causes.end(), [&](const explain::cause_cost& cause) {
        return cause.cause != explain::cause::small_chunks && cause.cause != explain::cause::one_piece &&
               cause.cost * 20 >= why.took;
      });
  return found == why.causes.end() ? why.causes.front() : *found;
}

}  // namespace

cause_words costliest_cause(const run_facts& run) {
  const explain::explanation& why = run.explanation();
  if (why.causes.empty()) return {};
  const explain::cause_cost& cause = first_to_cure(why);
  const std::string sentence = report::sentence_of(run.recording(), cause);
  return {why.has_inferred_reasons ? "As far as the times tell: " + sentence : sentence,
          run.recording().describe(cause.where), report::word_of(cause.cause)};
}

}  // namespace matchers
