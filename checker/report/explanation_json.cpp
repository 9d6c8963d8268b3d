#include "report/explanation_json.h"

#include <iterator>
#include <nlohmann/json.hpp>

#include "report/wording/cause_sentences.h"
#include "report/wording/operation_names.h"
#include "report/wording/reason_sentences.h"

namespace report {

namespace {

using nlohmann::ordered_json;

std::string_view engine_word(analysis::engine engine) {
  static constexpr std::string_view words[] = {"copies_to_device", "copies_to_host", "kernels",
                                               "inside_device", "between_devices"};
  static_assert(std::size(words) == analysis::engine_count);
  return words[static_cast<int>(engine)];
}

ordered_json json_of(const operation_names& names, const analysis::link& link) {
  ordered_json result{{"operation", link.operation}, {"name", names.of(link.operation)}};
  if (!link.why) return result;
  result["why"] = sentence_of(names, link);
  result["waited_for_operation"] = link.why->constraint.operation;
  result["host_was_in_call"] = link.host_was_in;
  result["is_inferred"] = link.why->is_inferred;
  return result;
}

ordered_json json_of(const trace::recording& recording, const explain::explanation& why,
                     const explain::cause_cost& cost) {
  const double gap = static_cast<double>((why.took - why.floor).count());
  ordered_json result{{"cause", word_of(cost.cause)},
                      {"cost", cost.cost.count()},
                      {"where", recording.describe(cost.where)},
                      {"sentence", sentence_of(recording, cost)},
                      {"cure", cure_of(recording, cost)},
                      {"operation", cost.late},
                      {"behind_operation", cost.behind},
                      {"call", cost.call},
                      {"times", cost.times}};
  if (const std::string place = recording.describe(cost.needed_at); !place.empty())
    result["needed_at"] = place;
  if (why.is_replayed) {
    result["share"] = gap == 0 ? 0.0 : static_cast<double>(cost.cost.count()) / gap;
    result["saves_alone"] = cost.alone.count();
  }
  return result;
}

}  // namespace

std::string explanation_json(const trace::recording& recording, const explain::explanation& why) {
  ordered_json result{{"streamlings_explanation", explanation_format_version},
                      {"profile", recording.profile},
                      {"operations", why.operations},
                      {"explained_operations", why.explained_operations},
                      {"is_replayed", why.is_replayed},
                      {"replay_error", why.replay_error},
                      {"has_inferred_reasons", why.has_inferred_reasons},
                      {"begin", why.begin.count()},
                      {"took", why.took.count()},
                      {"attainable", why.attainable.count()},
                      {"floor", why.floor.count()},
                      {"unexplained", why.unexplained.count()}};
  result["causes"] = ordered_json::array();
  for (const explain::cause_cost& cost : why.causes)
    result["causes"].push_back(json_of(recording, why, cost));
  result["busy"] = ordered_json::object();
  for (int number = 0; number < analysis::engine_count; ++number)
    result["busy"][std::string(engine_word(static_cast<analysis::engine>(number)))] =
        why.busy[number].count();
  result["overlaps"] = ordered_json::array();
  for (const explain::engine_pair& pair : why.pairs) {
    result["overlaps"].push_back({{"first", engine_word(pair.first)},
                                  {"second", engine_word(pair.second)},
                                  {"both_busy", pair.both_busy.count()},
                                  {"fraction", pair.fraction},
                                  {"attainable_fraction", pair.attainable_fraction}});
  }
  const operation_names names(recording);
  result["critical_path"] = ordered_json::array();
  for (auto link = why.critical_path.rbegin(); link != why.critical_path.rend(); ++link)
    result["critical_path"].push_back(json_of(names, *link));
  result["idle_gaps"] = ordered_json::array();
  for (const analysis::idle_gap& gap : why.idle_gaps) {
    result["idle_gaps"].push_back({{"engine", engine_word(gap.where)},
                                   {"begin", gap.begin.count()},
                                   {"end", gap.end.count()},
                                   {"ended_by_operation", gap.ended_by},
                                   {"root", json_of(names, gap.root)}});
  }
  result["host_waits"] = ordered_json::array();
  for (const explain::host_wait& wait : why.host_waits) {
    const trace::host_call& call = recording.call_at(wait.call);
    ordered_json stored{{"call", name_of(call)},        {"where", recording.describe(call.where)},
                        {"times", wait.times},          {"needed", wait.needed},
                        {"later", wait.later},          {"partly", wait.partly},
                        {"waited", wait.waited.count()}};
    if (wait.saves) stored["saves"] = wait.saves->count();
    result["host_waits"].push_back(std::move(stored));
  }
  return result.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace report
