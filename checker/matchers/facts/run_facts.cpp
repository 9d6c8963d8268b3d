#include "matchers/facts/run_facts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
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
  std::map<std::string, std::shared_ptr<part_cache>, std::less<>> parts;
  std::optional<report::operation_names> names;
  std::optional<analysis::ordering> ordering;
  std::optional<attainable> calibration;
};

struct run_facts::check_cache {
  const observations& observed;
  std::map<std::size_t, std::shared_ptr<run_cache>> runs;  // by number
};

run_facts::run_facts(std::shared_ptr<check_cache> check, std::size_t run_number, exercise::call call,
                     std::string_view name)
    : check_(std::move(check)), run_number_(run_number), call_(call), part_name_(name) {
  std::shared_ptr<run_cache>& cached_run = check_->runs[run_number];
  if (!cached_run) cached_run = std::make_shared<run_cache>();
  run_ = cached_run;
  const std::string recorded_name = part_name_.empty() ? "" : exercise::part_name(part_name_, call_);
  std::shared_ptr<part_cache>& cached = run_->parts[recorded_name];
  if (!cached) cached = std::make_shared<part_cache>(analysis::part_of(recording(), recorded_name));
  part_ = cached;
}

run_facts::run_facts(const observations& observed, std::string_view part_name, std::size_t run_number,
                     exercise::call call)
    : run_facts(std::make_shared<check_cache>(check_cache{observed, {}}), run_number, call, part_name) {}

run_facts run_facts::of_part(std::string_view part_name) const {
  return {check_, run_number_, call_, part_name};
}

run_facts run_facts::of_call(exercise::call call) const { return {check_, run_number_, call, part_name_}; }

std::vector<run_facts> run_facts::everywhere(reach within) const {
  std::vector<run_facts> found{*this};
  if (within == reach::judged_call || within == reach::plain_run) return found;
  const observations& observed = check_->observed;
  for (std::size_t number = 0; number < observed.runs.size(); ++number) {
    const scheduled_run& other = observed.runs[number];
    const bool is_other_round = other.gpu_number != run().gpu_number;
    const bool is_too_far = within == reach::every_call && other.schedule != trace::schedule_kind::as_is;
    if (is_other_round || is_too_far) continue;
    const bool is_made = call_ != exercise::call::first || other.outcome.answers.contains(call_);
    if (is_made && number != run_number_) found.push_back({check_, number, call_, part_name_});
  }
  return found;
}

std::vector<const trace::recording*> run_facts::recordings() const {
  std::vector<const trace::recording*> found;
  for (const scheduled_run& one : check_->observed.runs) {
    if (one.gpu_number == run().gpu_number && one.outcome.recording) found.push_back(&*one.outcome.recording);
  }
  return found;
}

std::string run_facts::place_in_words() const {
  const bool is_of_learner = part_name_ == "learner" || part_name_.empty();
  std::string words = in_words(check_->observed, call_, is_of_learner ? "" : part_name_);
  if (!is_usual_run()) words += (words.empty() ? "" : ", ") + in_words(run());
  return words;
}

std::vector<std::pair<exercise::call, const exercise::message*>> run_facts::earlier_answers() const {
  std::vector<std::pair<exercise::call, const exercise::message*>> found;
  for (const auto& [call, answer] : run().outcome.answers) {
    if (call < call_) found.insert(found.begin(), {call, &answer});
  }
  return found;
}

bool run_facts::is_before_main(const trace::host_call& call) const {
  const std::vector<trace::mark>& marks = recording().marks;
  return !marks.empty() && call.id <= marks.front().after && recording().is_own(call.where);
}

std::vector<trace::call_id> run_facts::learner_calls_so_far() const {
  std::vector<trace::call_id> calls;
  for (const trace::host_call& call : recording().calls) {
    if (is_before_main(call)) calls.push_back(call.id);
  }
  for (const exercise::call call : exercise::all_calls) {
    if (call > call_ || (call != call_ && !run().outcome.answers.contains(call))) continue;
    const run_facts learner(check_, run_number_, call, "learner");
    const analysis::part& part = learner.part();
    calls.insert(calls.end(), part.calls.begin(), part.calls.end());
  }
  return calls;
}

const scheduled_run& run_facts::run() const { return check_->observed.runs.at(run_number_); }
const learner_source& run_facts::source() const { return check_->observed.source; }
const trace::recording& run_facts::recording() const { return run().outcome.recording.value(); }
const trace::diagnostic* run_facts::note(trace::diagnostic_kind kind) const {
  return note(kind, part().calls);
}
const trace::diagnostic* run_facts::note(trace::diagnostic_kind kind,
                                         const std::vector<trace::call_id>& calls) const {
  const auto& notes = recording().diagnostics;
  const auto found = std::find_if(notes.begin(), notes.end(), [&](const trace::diagnostic& note) {
    return note.kind == kind && std::binary_search(calls.begin(), calls.end(), note.call);
  });
  return found == notes.end() ? nullptr : &*found;
}

const analysis::part& run_facts::part() const { return part_->part; }
const exercise::message& run_facts::answer() const { return run().outcome.answer(call_); }

const report::operation_names& run_facts::names() const { return computed_once(run_->names, recording()); }

const analysis::ordering& run_facts::ordering() const { return computed_once(run_->ordering, recording()); }

const std::optional<std::vector<analysis::race_diagnosis>>& run_facts::races() const {
  if (!part_->races) {
    const std::vector<trace::mark>& marks = recording().marks;
    const std::string name = "begin:" + exercise::part_name("learner", call_);
    const bool has_learner_part =
        std::any_of(marks.begin(), marks.end(), [&](const trace::mark& mark) { return mark.name == name; });
    std::optional<analysis::part> function;
    if (has_learner_part) function = of_part("learner").part();
    if (function && (function->end < part().begin || part().end < function->begin)) {
      // A call of the learner's functions in another part: what lines of the user's have queued is theirs.
      function = part();
      std::erase_if(function->calls,
                    [&](trace::call_id id) { return !recording().is_own(recording().call_at(id).where); });
    }
    part_->races = analysis::diagnose_races(part(), ordering(), function);
  }
  return *part_->races;
}

const analysis::reasons& run_facts::reasons() const { return computed_once(part_->reasons, part()); }

const device::profile* run_facts::gpu() const {
  const std::optional<device::profile>& gpu = check_->observed.gpu;
  return gpu && run().profile.empty() ? &*gpu : nullptr;
}

const explain::explanation& run_facts::explanation() const {
  if (!part_->explanation) part_->explanation = explain::explanation_of(part(), gpu());
  return *part_->explanation;
}

std::vector<explain::cause_cost> run_facts::causes_that_delayed(
    const std::vector<trace::operation_id>& operations) const {
  return explain::causes_that_delayed(operations, part(), gpu(), explanation());
}

const attainable& run_facts::calibration() const {
  if (!run_->calibration) run_->calibration = attainable_time(recording());
  return *run_->calibration;
}

std::optional<run_facts> inner_part(const run_facts& outer, const std::string& name) {
  try {
    run_facts inner = outer.of_part(name);
    if (inner.part().begin >= outer.part().begin && inner.part().end <= outer.part().end) return inner;
  } catch (const std::out_of_range&) {
    // The mark is not there: what it stands for did not happen.
  }
  return std::nullopt;
}

}  // namespace matchers
