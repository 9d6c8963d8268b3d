#include "library/streamlings.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "analysis/mistakes.h"
#include "analysis/overlap.h"
#include "course/profile_lookup.h"
#include "device/profile.h"
#include "exercise/launch.h"
#include "matchers/facts/intervals.h"
#include "matchers/facts/run_facts.h"
#include "matchers/facts/waiting_calls.h"
#include "matchers/overlapping.h"
#include "report/finding.h"
#include "report/text_layout.h"
#include "report/timeline/timeline_text.h"
#include "report/wording/names.h"
#include "report/wording/operation_names.h"
#include "report/wording/place_text.h"
#include "trace/recording_json.h"
#include "trace/run_control.h"

namespace streamlings {
namespace {

namespace fs = std::filesystem;

/// In the folder above that of this library: see cuda_compiler/compiler_program.h.
fs::path profiles_folder() {
  Dl_info library{};
  dladdr(reinterpret_cast<const void*>(&run_program), &library);
  return fs::canonical(library.dli_fname).parent_path() / "../share/streamlings/profiles";
}

trace::schedule_kind kind_of(schedule wanted) {
  switch (wanted) {
    case schedule::as_is:
      return trace::schedule_kind::as_is;
    case schedule::slow_copies:
      return trace::schedule_kind::slow_copies;
    case schedule::slow_kernels:
      return trace::schedule_kind::slow_kernels;
    case schedule::late_pageable:
      return trace::schedule_kind::late_pageable;
  }
  throw std::invalid_argument("a schedule that does not exist");
}

std::optional<operation::kind> kind_of(const trace::operation& recorded) {
  switch (recorded.kind) {
    case trace::operation_kind::kernel:
      return operation::kind::kernel;
    case trace::operation_kind::memset:
      return operation::kind::memset;
    case trace::operation_kind::host_function:
      return operation::kind::host_function;
    case trace::operation_kind::copy:
      break;
    default:
      return std::nullopt;
  }
  switch (trace::direction_of(recorded)) {
    case trace::copy_direction::host_to_device:
      return operation::kind::copy_to_device;
    case trace::copy_direction::device_to_host:
      return operation::kind::copy_to_host;
    case trace::copy_direction::device_to_device:
      return operation::kind::copy_on_device;
    case trace::copy_direction::host_to_host:
      return operation::kind::copy_on_host;
  }
  throw std::logic_error("a copy without a direction");
}

source_place place_of(const trace::recording& recording, const trace::location& where) {
  if (!where.is_known()) return {};
  return {recording.files.at(where.file).path, where.line};
}

std::vector<operation> operations_of(const trace::recording& recording) {
  std::vector<operation> operations;
  for (const trace::operation& recorded : recording.operations) {
    const auto kind = kind_of(recorded);
    if (!kind) continue;
    operations.push_back(
        {.id = recorded.id,
         .category = *kind,
         .name = *kind == operation::kind::kernel ? report::word_of(recorded) : "",
         .stream = recorded.stream,
         .device = recorded.device,
         .bytes = recorded.bytes,
         .start = recorded.start,
         .end = recorded.end,
         .issued_at = recorded.issued_by == 0
                          ? source_place{}
                          : place_of(recording, recording.call_at(recorded.issued_by).where)});
  }
  return operations;
}

std::vector<host_wait> host_waits_of(const analysis::part& whole) {
  std::vector<host_wait> waits;
  for (const trace::call_id id : matchers::waiting_calls(whole)) {
    const trace::host_call& call = whole.recording->call_at(id);
    waits.push_back({std::string(name_of(call)), call.thread, call.start, call.end,
                     place_of(*whole.recording, call.where)});
  }
  return waits;
}

std::vector<finding> findings_of(const trace::recording& recording, analysis::program_end end) {
  std::vector<finding> findings;
  for (const report::finding& found : report::findings_of(recording, analysis::mistakes_in(recording, end))) {
    const bool is_race = found.category == report::finding_category::race;
    findings.push_back(
        {is_race ? finding::kind::race : finding::kind::misuse, found.rule, found.title, found.message, {}});
    for (const report::source_place& place : found.places)
      findings.back().places.push_back({place.file, place.line});
  }
  return findings;
}

/// " (sum.cu:24, sum.cu:30)", without places that are not known.
std::string in_parentheses(const std::vector<source_place>& places) {
  std::string list;
  for (const source_place& place : places) {
    if (place.line == 0) continue;
    list += fmt::format("{}{}:{}", list.empty() ? "" : ", ", fs::path(place.file).filename().string(),
                        place.line);
  }
  return list.empty() ? "" : " (" + list + ")";
}

struct no_recording : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace

class run::implementation {
 public:
  implementation(std::string program, const device::profile& gpu, exercise::outcome outcome)
      : program_(std::move(program)) {
    observed_.runs.emplace_back().outcome = std::move(outcome);
    observed_.gpu = gpu;
    if (!this->outcome().recording) return;
    facts_.emplace(observed_, "");
    operations = operations_of(recording());
    waits = host_waits_of(facts_->part());
    findings = findings_of(recording(),
                           succeeded() ? analysis::program_end::by_itself : analysis::program_end::cut_short);
  }

  const exercise::outcome& outcome() const { return observed_.runs.front().outcome; }
  bool succeeded() const { return outcome().how == exercise::ending::finished && outcome().exit_status == 0; }
  const std::string& program() const { return program_; }
  /// Throws for a program that left no recording.
  const matchers::run_facts& facts() const {
    if (!facts_) throw no_recording(program_ + " left no recording. " + outcome().detail);
    return *facts_;
  }
  const trace::recording& recording() const { return facts().recording(); }

  std::vector<trace::operation_id> members(const operation_set& set) const {
    std::vector<trace::operation_id> ids;
    for (const operation& each : operations) {
      if (set.holds(each)) ids.push_back(static_cast<trace::operation_id>(each.id));
    }
    return ids;
  }
  matchers::operation_set internal(const operation_set& set) const {
    return {set.words, [ids = members(set)](const trace::operation& each) {
              return std::binary_search(ids.begin(), ids.end(), each.id);
            }};
  }

  std::vector<operation> operations{};
  std::vector<host_wait> waits{};
  std::vector<finding> findings{};

 private:
  std::string program_;
  matchers::observations observed_;
  std::optional<matchers::run_facts> facts_{};  // refers to observed_
};

namespace {

verdict verdict_of(const matchers::matcher& asked, const run& run) {
  const matchers::verdict found = asked.match(run.made().facts());
  if (found.outcome == report::criterion_verdict::pass) return {true, found.note};
  const std::string where =
      found.why.where.empty() ? "" : " Where: " + report::places_with_callers(found.why);
  return {false, found.why.observation + found.note + where};
}

verdict verdict_on(const run& run, finding::kind category) {
  std::string message;
  for (const finding& found : run.findings()) {
    if (found.category != category) continue;
    message += fmt::format("\n{}: {}{}\n  {}", category == finding::kind::race ? "race" : "misuse",
                           found.title, in_parentheses(found.places), found.message);
  }
  return {message.empty(), message};
}

operation_set of_kind(std::string words, std::vector<operation::kind> kinds) {
  return {std::move(words), [kinds = std::move(kinds)](const operation& each) {
            return std::find(kinds.begin(), kinds.end(), each.category) != kinds.end();
          }};
}

verdict judge_order(const run& run, const operation_set& first_set, const operation_set& second_set) {
  const std::vector<trace::operation_id> first = run.made().members(first_set),
                                         second = run.made().members(second_set);
  if (first.empty() || second.empty())
    return {false,
            fmt::format("there were no {} at all", first.empty() ? first_set.words : second_set.words)};
  const matchers::run_facts& facts = run.made().facts();
  const auto place_of = [&](trace::operation_id id) {
    return report::place_of(facts.recording(), facts.recording().operation_at(id));
  };
  for (const trace::operation_id late : second) {
    for (const trace::operation_id early : first) {
      if (early == late || facts.ordering().is_before(early, late)) continue;
      return {false,
              fmt::format("nothing puts {} before {}. Where: {}, {}", report::in_words(facts.names(), early),
                          report::in_words(facts.names(), late), place_of(early), place_of(late))};
    }
  }
  return {true, ""};
}

}  // namespace

operation_set copies() {
  return of_kind("copies", {operation::kind::copy_to_device, operation::kind::copy_to_host});
}
operation_set copies_to_device() {
  return of_kind("copies to the device", {operation::kind::copy_to_device});
}
operation_set copies_to_host() { return of_kind("copies to the host", {operation::kind::copy_to_host}); }
operation_set kernels() { return of_kind("kernels", {operation::kind::kernel}); }
operation_set kernels(std::string name) {
  std::string words = "kernels named " + name;
  return {std::move(words), [name = std::move(name)](const operation& each) {
            return each.category == operation::kind::kernel && each.name == name;
          }};
}
operation_set device_work() {
  operation_set all_but_host = of_kind("kernels, copies and memsets", {operation::kind::host_function});
  all_but_host.holds = [on_host = all_but_host.holds](const operation& each) { return !on_host(each); };
  return all_but_host;
}

bool run::succeeded() const { return made().succeeded(); }
int run::exit_status() const { return made().outcome().exit_status; }
const std::string& run::ending() const { return made().outcome().detail; }
const std::string& run::output() const { return made().outcome().output; }
const std::vector<operation>& run::operations() const { return made().facts(), made().operations; }
const std::vector<host_wait>& run::host_waits() const { return made().facts(), made().waits; }
const std::vector<finding>& run::findings() const { return made().facts(), made().findings; }
nanoseconds run::duration() const { return made().facts().part().duration(); }

double run::overlap(const operation_set& first, const operation_set& second) const {
  return analysis::overlap(made().recording(), made().members(first), made().members(second)).fraction();
}

double run::busy(const operation_set& operations) const {
  const auto times =
      matchers::united(matchers::running_times(made().recording(), made().members(operations)));
  if (times.empty() || times.back().second == times.front().first) return 0;
  return static_cast<double>(matchers::length(times).count()) /
         static_cast<double>((times.back().second - times.front().first).count());
}

bool run::is_before(const operation& first, const operation& second) const {
  return made().facts().ordering().is_before(static_cast<trace::operation_id>(first.id),
                                             static_cast<trace::operation_id>(second.id));
}

std::string run::timeline(int width) const {
  return report::timeline_text(made().recording(), {.part = "", .width = std::max(width, 40)});
}

void run::write_recording(const std::string& file) const {
  std::ofstream out(file, std::ios::binary);
  trace::write_json(out, made().recording());
  if (!(out << std::flush)) throw std::runtime_error(file + " cannot be written");
}

std::ostream& operator<<(std::ostream& out, const run& run) {
  out << "a run of " << fs::path(run.made().program()).filename().string();
  if (!run.made().outcome().recording) return out << " that left no recording";
  const auto number_of = [&](const operation_set& set) { return run.made().members(set).size(); };
  return out << fmt::format(" on {}: {} copies, {} kernels, {}", run.made().recording().profile,
                            number_of(copies()), number_of(kernels()),
                            report::duration_words(run.duration()));
}

run run_program(const std::string& program, const run_options& options) {
  exercise::launch_options launch;
  launch.program = fs::absolute(program);
  launch.arguments = options.arguments;
  launch.environment = options.environment;
  launch.backend.profile = course::find_profile(profiles_folder(), options.profile);
  launch.backend.schedule = kind_of(options.schedule);
  launch.backend.devices = options.devices;
  launch.backend.sharing = trace::sharing_for(1);
  launch.limits.cpu_time = options.time_limit;
  launch.limits.real_time = options.time_limit * 5;
  launch.limits.virtual_time = std::chrono::seconds{0};
  const device::profile gpu = device::load_profile(launch.backend.profile);
  exercise::outcome outcome = exercise::launch(launch);
  if (outcome.how == exercise::ending::could_not_start) throw std::runtime_error(outcome.detail);
  return run(std::make_shared<const run::implementation>(program, gpu, std::move(outcome)));
}

matcher::matcher(std::string description, std::function<verdict(const run&)> judge)
    : description_(std::move(description)), judge_(std::move(judge)) {}

verdict matcher::judge(const run& run) const try { return judge_(run); } catch (const no_recording& problem) {
  return {false, problem.what()};
}

bool matcher::MatchAndExplain(const run& run, std::ostream* explanation) const {
  const verdict found = judge(run);
  if (!found.passed && explanation != nullptr) *explanation << found.message;
  return found.passed;
}

void matcher::DescribeTo(std::ostream* out) const { *out << description_; }
void matcher::DescribeNegationTo(std::ostream* out) const { *out << "not: " << description_; }

matcher Succeeds() {
  return {"the program ends with exit status 0", [](const run& run) {
            const std::string status =
                run.exit_status() == 0 ? "" : fmt::format(" Exit status {}.", run.exit_status());
            return verdict{run.succeeded(),
                           fmt::format("{}{} It printed:\n{}", run.ending(), status, run.output())};
          }};
}

matcher HasNoRaces() {
  return {"whatever touches the same bytes is in order",
          [](const run& run) { return verdict_on(run, finding::kind::race); }};
}

matcher HasNoMisuse() {
  return {"CUDA is used as its documentation says",
          [](const run& run) { return verdict_on(run, finding::kind::misuse); }};
}

matcher IsBefore(operation_set first, operation_set second) {
  std::string words = fmt::format("{} are complete before {} start", first.words, second.words);
  return {std::move(words), [first = std::move(first), second = std::move(second)](const run& run) {
            return judge_order(run, first, second);
          }};
}

Overlaps::Overlaps(operation_set first, operation_set second)
    : first_(std::move(first)), second_(std::move(second)) {}

matcher Overlaps::at_least(double fraction) const {
  std::string words = fmt::format("{} run while {} run, for at least {:.0f} % of the shorter of the two",
                                  first_.words, second_.words, fraction * 100);
  return {std::move(words), [first = first_, second = second_, fraction](const run& run) {
            const auto asked = matchers::Overlaps(run.made().internal(first), run.made().internal(second));
            return verdict_of(asked.at_least(fraction), run);
          }};
}

KeepsBusy::KeepsBusy(operation_set operations) : operations_(std::move(operations)) {}

matcher KeepsBusy::at_least(double fraction) const {
  return {fmt::format("{} run for at least {:.0f} % of the time", operations_.words, fraction * 100),
          [set = operations_, fraction](const run& run) {
            return verdict_of(matchers::KeepsBusy(run.made().internal(set)).at_least(fraction), run);
          }};
}

matcher HostWaits::at_most(std::size_t times) const {
  return {fmt::format("the host waits at most {} times", times), [times](const run& run) {
            const std::vector<host_wait>& waits = run.host_waits();
            if (waits.size() <= times) return verdict{true, ""};
            const host_wait& extra = waits[times];
            return verdict{false, fmt::format("it waited {} times; the first that is too many is {}{}",
                                              waits.size(), extra.function, in_parentheses({extra.where}))};
          }};
}

}  // namespace streamlings
