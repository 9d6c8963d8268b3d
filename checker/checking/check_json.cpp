#include "checking/check_json.h"

#include <nlohmann/json.hpp>

namespace checking {

namespace {

using json = nlohmann::ordered_json;

// What a learner's program or a compiler prints need not be UTF-8; JSON has to be.
std::string text_of(const json& object) {
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json json_of(const sweep_declaration& sweep) {
  json parameters = json::array();
  for (const course::sweep_parameter& parameter : sweep.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"least", parameter.min},
                          {"most", parameter.max},
                          {"usual", parameter.usual}});
  }
  return {{"of", sweep.function}, {"parameters", parameters}};
}

}  // namespace

std::string expectation_json(const expectation& expected, const report::result& result) {
  const std::string problem = difference(expected, result);
  const report_target target = target_of(result, expected.must_fail);
  return text_of({{"as_expected", problem.empty()},
                  {"leads_to", {{"line", target.line}, {"cause", target.cause}}},
                  {"expected", {{"must_fail", expected.must_fail}, {"may_fail", expected.may_fail}}},
                  {"difference", problem},
                  {"result", json::parse(report::to_json(result))}});
}

std::string rubric_json(const rubric& rubric) {
  json criteria = json::array();
  for (const criterion& line : rubric.criteria) {
    criteria.push_back({{"name", line.name}, {"points", line.points}, {"title", line.title}});
  }
  json object{{"criteria", criteria}, {"skeleton_fails", rubric.skeleton_fails}};
  if (rubric.sweep) object["sweep"] = json_of(*rubric.sweep);
  return text_of(object);
}

}  // namespace checking
