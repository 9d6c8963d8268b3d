#include "checking/remarks.h"

#include <algorithm>
#include <string>

#include "analysis/misuse.h"
#include "report/mistake.h"
#include "report/wording/misuse_sentences.h"

namespace checking {
namespace {

bool leads_there(const report::criterion_result& criterion, const std::string& place) {
  // "x.cu:1" is not named by "x.cu:12".
  return criterion.verdict == report::criterion_verdict::fail &&
         (criterion.why.where + ',').find(place + ',') != std::string::npos;
}

/// Whether a failed criterion has that sentence, or is about what was not released and names the place.
bool tells_of(const report::criterion_result& criterion, const std::string& message,
              const std::string& place) {
  if (criterion.verdict != report::criterion_verdict::fail) return false;
  const std::string& observation = criterion.why.observation;
  const bool is_of_release = criterion.mistake == word_of(report::mistake::never_released) ||
                             criterion.mistake == word_of(report::mistake::wrong_release);
  return observation.find(message) != std::string::npos ||
         (is_of_release && observation.find('(' + place + ')') != std::string::npos);
}

bool tells_of_failed_call(const report::criterion_result& criterion) {
  return criterion.verdict == report::criterion_verdict::fail &&
         criterion.failure == report::run_verdict::cuda_error;
}

}  // namespace

std::vector<report::remark> remarks_on(const matchers::run_facts& run,
                                       const std::vector<report::criterion_result>& criteria) {
  const trace::recording& recording = run.recording();
  std::vector<report::remark> remarks;
  for (const analysis::misuse& misuse : analysis::find_misuse(run.part(), run.ordering())) {
    const std::vector<trace::location> places = analysis::places_of(recording, misuse);
    const auto own = std::find_if(places.begin(), places.end(),
                                  [&](const auto& where) { return recording.is_own(where); });
    if (own == places.end()) continue;
    const std::string place = recording.describe(*own);
    // A criterion names the first call that failed: those after it can follow from that.
    const bool is_follow_up = misuse.kind == analysis::misuse_kind::unchecked_error &&
                              std::any_of(criteria.begin(), criteria.end(), tells_of_failed_call);
    const std::string message = report::misuse_sentences(recording, misuse);
    const bool is_known = std::any_of(criteria.begin(), criteria.end(), [&](const auto& criterion) {
      return leads_there(criterion, place) || tells_of(criterion, message, place);
    });
    if (!is_known && !is_follow_up)
      remarks.push_back({std::string(report::title_of(recording, misuse)), message, place});
  }
  return remarks;
}

}  // namespace checking
