// run_facts.h: everything that matchers ask about one part of one run, computed when it is first asked for and
// then shared by all matchers.
//
// Parts of one run share what does not depend on the part (the ordering, the names of operations). Copies are
// cheap and share everything. The observations must outlive them.
//
//     const run_facts learner(observed, "learner");
//     learner.ordering().is_before(copy, kernel);
//     learner.of_part("timing").part().operations;
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "analysis/race_diagnosis.h"
#include "analysis/reasons.h"
#include "explain/explain.h"
#include "matchers/attainable_time.h"
#include "matchers/scheduled_run.h"
#include "report/wording/operation_names.h"

namespace matchers {

/// A part of one run, what follows from it, and what came back from the other runs.
class run_facts {
 public:
  /// The part of that name of the run of that number; "" is all of it. Throws std::out_of_range when there is
  /// none, and std::bad_optional_access when the run was not recorded.
  run_facts(const observations& observed, std::string_view part_name, std::size_t run_number = 0);
  /// Another part of the same run. Throws std::out_of_range when there is none.
  run_facts of_part(std::string_view part_name) const;

  const trace::recording& recording() const;
  const analysis::part& part() const;
  /// What came back from this run.
  const exercise::message& answer() const;
  /// This run and the others, in the order in which they ran.
  const std::vector<scheduled_run>& all_runs() const;

  const report::operation_names& names() const;
  const analysis::ordering& ordering() const;
  /// Of the part, beside the learner's function where the recording marks it; nothing when the recording has no accesses.
  const std::optional<std::vector<analysis::race_diagnosis>>& races() const;
  const analysis::reasons& reasons() const;
  /// With a replay where the profile of the GPU is known.
  const explain::explanation& explanation() const;
  /// From the parts of calibration; throws as attainable_time() does.
  const attainable& calibration() const;

 private:
  struct part_cache;
  struct run_cache;
  run_facts(std::shared_ptr<run_cache> run, std::string_view part_name);

  std::shared_ptr<run_cache> run_;
  std::shared_ptr<part_cache> part_;
};

}  // namespace matchers
