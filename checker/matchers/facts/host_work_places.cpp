#include "matchers/facts/host_work_places.h"

#include <fmt/core.h>

#include <string_view>

#include "analysis/places.h"
#include "matchers/facts/operation_set.h"
#include "matchers/facts/words.h"

namespace matchers {

bool is_own_call(const run_facts& run, trace::call_id id) {
  const trace::host_call& call = run.recording().call_at(id);
  return trace::effect_of(call) != trace::call_effect::works_on_host && run.recording().is_own(call.where);
}

const trace::operation* host_function_around(const run_facts& run, const trace::host_call& work) {
  for (const trace::operation_id id : members(run.part(), host_functions())) {
    const trace::operation& function = run.recording().operation_at(id);
    if (function.start <= work.start && work.end <= function.end) return &function;
  }
  return nullptr;
}

std::string place_of_work(const run_facts& run, trace::call_id work, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::host_call& working = recording.call_at(work);
  const auto lead_to_line = [&](const trace::location& line) {
    if (why.where.empty()) lead_to(why, recording, line);
  };
  if (recording.leads_to_line(working.where)) {
    lead_to_line(working.where);
    return "at " + recording.describe(working.where);
  }
  if (const trace::operation* const function = host_function_around(run, working)) {
    lead_to_line(analysis::place_of_operation(recording, function->id));
    return "in " + in_words(recording, *function) + in_brackets(place_of(recording, *function));
  }
  if (const trace::location start = analysis::place_of_start(recording, working.thread);
      recording.leads_to_line(start)) {
    lead_to_line(start);
    return fmt::format("in the thread that {} starts", recording.describe(start));
  }
  const trace::host_call* beside = nullptr;
  std::string_view order;
  for (const trace::call_id id : run.part().calls) {
    if (!is_own_call(run, id) || (id > work && beside != nullptr)) continue;
    beside = &run.recording().call_at(id);
    order = id < work ? "after" : "before";
  }
  if (beside == nullptr) return "in a function that makes no call of CUDA, so there is no line to name";
  lead_to_line(beside->where);
  return fmt::format("{} {}", order, in_words(run.recording(), *beside));
}

}  // namespace matchers
