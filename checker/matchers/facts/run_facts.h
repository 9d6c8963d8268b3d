// run_facts.h: everything that matchers ask about one part of one run, computed when it is first asked for and
// then shared by all matchers.
//
// Parts of one run share what does not depend on the part (the ordering, the names of operations). Copies are
// cheap and share everything; so do the facts of other calls and runs that everywhere() gives. The observations
// must outlive them.
//
//     const run_facts learner(observed, "learner");
//     learner.ordering().is_before(copy, kernel);
//     learner.of_part("timing").part().operations;
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "analysis/race_diagnosis.h"
#include "analysis/reasons.h"
#include "explain/explain.h"
#include "matchers/facts/attainable_time.h"
#include "matchers/facts/scheduled_run.h"
#include "report/wording/operation_names.h"

namespace matchers {

/// Where something has to hold.
enum class reach {
  judged_call,  ///< in the repeated call of the plain run, from which points and times come
  plain_run,  ///< in all calls of the plain run; on a real GPU, where the others have little work, in the repeated call
  every_call,  ///< in all calls, also on the second profile
  every_run,   ///< in all calls, also under the other schedules
};

/// A part of one call in one run, and what follows from it.
class run_facts {
 public:
  /// The part of that name of that call in the run of that number; "" is all of the run. Throws std::out_of_range when there is
  /// none, and std::bad_optional_access when the run was not recorded.
  run_facts(const observations& observed, std::string_view part_name, std::size_t run_number = 0,
            exercise::call call = exercise::call::repeated);
  /// Another part of the same call. Throws std::out_of_range when there is none.
  run_facts of_part(std::string_view part_name) const;
  /// The same part of another call of this run. Throws as of_part() does.
  run_facts of_call(exercise::call call) const;
  /// This part of this call in each run within the reach, this run first. Of runs on a real GPU, which are judged one by one,
  /// only this run. Throws as of_part() does.
  std::vector<run_facts> everywhere(reach within) const;

  exercise::call call() const { return call_; }
  /// Whether it is the run under the usual schedule and on the usual profile, or one on a real GPU.
  bool is_usual_run() const { return run_number_ == 0 || is_on_real_gpu(); }
  bool is_on_real_gpu() const { return run().gpu_number != 0; }
  /// "in the first call, in the run with copies ten times slower"; "" for the judged call of the plain run.
  std::string place_in_words() const;
  /// What came back from the calls before this one in the same process, the latest first.
  std::vector<std::pair<exercise::call, const exercise::message*>> earlier_answers() const;
  /// The calls that the learner's function made in this process, up to the end of this call, and before them those of their file that
  /// come before main(). Ascending.
  std::vector<trace::call_id> learner_calls_so_far() const;
  /// Whether the call came before main(), in the constructor of an object outside of all functions.
  bool is_before_main(const trace::host_call& call) const;

  const learner_source& source() const;
  /// Those of all runs; of runs on a real GPU, which are judged one by one, only of this one.
  std::vector<const trace::recording*> recordings() const;
  const trace::recording& recording() const;
  /// The profile of the recorded GPU; null when it is not known.
  const device::profile* gpu() const;
  /// The first note of that kind on a call of the part; nullptr when there is none.
  const trace::diagnostic* note(trace::diagnostic_kind kind) const;
  /// The same of these calls, ascending.
  const trace::diagnostic* note(trace::diagnostic_kind kind, const std::vector<trace::call_id>& calls) const;
  const analysis::part& part() const;
  /// What came back from this call.
  const exercise::message& answer() const;

  const report::operation_names& names() const;
  const analysis::ordering& ordering() const;
  /// Of the part, beside the learner's function where the recording marks it; nothing when the recording has no accesses.
  const std::optional<std::vector<analysis::race_diagnosis>>& races() const;
  const analysis::reasons& reasons() const;
  /// With a replay where the profile of the GPU is known.
  const explain::explanation& explanation() const;
  /// See explain::causes_that_delayed(). Computed with each call.
  std::vector<explain::cause_cost> causes_that_delayed(
      const std::vector<trace::operation_id>& operations) const;
  /// From the parts of calibration; throws as attainable_time() does.
  const attainable& calibration() const;

 private:
  struct part_cache;
  struct run_cache;
  struct check_cache;
  run_facts(std::shared_ptr<check_cache> check, std::size_t run_number, exercise::call call,
            std::string_view part_name);
  const scheduled_run& run() const;

  std::shared_ptr<check_cache> check_;
  std::size_t run_number_;
  exercise::call call_;
  std::string part_name_;
  std::shared_ptr<run_cache> run_;
  std::shared_ptr<part_cache> part_;
};

/// The part of that name within another; nullopt when it did not begin and end in it.
std::optional<run_facts> inner_part(const run_facts& outer, const std::string& name);

}  // namespace matchers
