#include "matchers/run_facts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace matchers {

namespace {

template <typename Fact, typename... Arguments>
const Fact& computed_once(std::optional<Fact>& fact, const Arguments&... arguments) {
  if (!fact) fact.emplace(arguments...);
  return *fact;
}

}  // namespace

struct run_facts::part_cache {
  explicit part_cache(analysis::part of_recording) : part(std::move(of_recording)) {}

  const analysis::part part;
  std::optional<std::optional<std::vector<analysis::race_diagnosis>>> races;
  std::optional<analysis::reasons> reasons;  // refers to `part`
  std::optional<explain::explanation> explanation;
};

struct run_facts::run_cache {
  run_cache(const observations& observed_runs, const exercise::outcome& this_run)
      : observed(observed_runs), outcome(this_run) {}

  const observations& observed;
  const exercise::outcome& outcome;
  std::map<std::string, std::shared_ptr<part_cache>, std::less<>> parts;
  std::optional<report::operation_names> names;
  std::optional<analysis::ordering> ordering;
  std::optional<attainable> calibration;
};

run_facts::run_facts(std::shared_ptr<run_cache> run, std::string_view part_name) : run_(std::move(run)) {
  std::shared_ptr<part_cache>& cached = run_->parts[std::string(part_name)];
  if (!cached) cached = std::make_shared<part_cache>(analysis::part_of(recording(), part_name));
  part_ = cached;
}

run_facts::run_facts(const observations& observed, std::string_view part_name, std::size_t run_number)
    : run_facts(std::make_shared<run_cache>(observed, observed.runs.at(run_number).outcome), part_name) {}

run_facts run_facts::of_part(std::string_view part_name) const { return {run_, part_name}; }

const trace::recording& run_facts::recording() const { return run_->outcome.recording.value(); }
const analysis::part& run_facts::part() const { return part_->part; }
const exercise::message& run_facts::answer() const { return run_->outcome.answer; }
const std::vector<scheduled_run>& run_facts::all_runs() const { return run_->observed.runs; }

const report::operation_names& run_facts::names() const { return computed_once(run_->names, recording()); }

const analysis::ordering& run_facts::ordering() const { return computed_once(run_->ordering, recording()); }

const std::optional<std::vector<analysis::race_diagnosis>>& run_facts::races() const {
  if (!part_->races) {
    const std::vector<trace::mark>& marks = recording().marks;
    const bool has_learner_part = std::any_of(
        marks.begin(), marks.end(), [](const trace::mark& mark) { return mark.name == "begin:learner"; });
    std::optional<analysis::part> function;
    if (has_learner_part) function = of_part("learner").part();
    part_->races = analysis::diagnose_races(part(), ordering(), function);
  }
  return *part_->races;
}

const analysis::reasons& run_facts::reasons() const { return computed_once(part_->reasons, part()); }

const explain::explanation& run_facts::explanation() const {
  const std::optional<device::profile>& gpu = run_->observed.gpu;
  if (!part_->explanation) part_->explanation = explain::explanation_of(part(), gpu ? &*gpu : nullptr);
  return *part_->explanation;
}

const attainable& run_facts::calibration() const {
  if (!run_->calibration) run_->calibration = attainable_time(recording());
  return *run_->calibration;
}

}  // namespace matchers
