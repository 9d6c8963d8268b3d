#include "harness/check_json.h"

#include <nlohmann/json.hpp>

namespace harness {

namespace {

using json = nlohmann::ordered_json;

// What a learner's program or a compiler prints need not be UTF-8; JSON has to be.
std::string text_of(const json& object) {
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string expectation_json(const expectation& expected, const report::result& result) {
  const std::string problem = difference(expected, result);
  return text_of({{"as_expected", problem.empty()},
                  {"expected", {{"must_fail", expected.must_fail}, {"may_fail", expected.may_fail}}},
                  {"difference", problem},
                  {"result", json::parse(report::to_json(result))}});
}

std::string rubric_json(const rubric& known) {
  json criteria = json::array();
  for (const criterion& each : known.criteria) {
    criteria.push_back({{"name", each.name}, {"points", each.points}, {"title", each.title}});
  }
  return text_of({{"criteria", criteria}, {"skeleton_fails", known.skeleton_fails}});
}

}  // namespace harness
