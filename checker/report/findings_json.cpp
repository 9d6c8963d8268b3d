#include "report/findings_json.h"

#include <nlohmann/json.hpp>

namespace report {
namespace {

constexpr int findings_version = 1;

/// Program output may hold bytes that are no UTF-8.
std::string as_text(const nlohmann::ordered_json& whole) {
  return whole.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json in_json(const std::vector<source_place>& places) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const source_place& place : places) {
    list.push_back({{"file", place.file}, {"line", place.line}});
    for (const source_place& caller : place.called_from)
      list.back()["called_from"].push_back({{"file", caller.file}, {"line", caller.line}});
  }
  return list;
}

}  // namespace

std::string findings_json(const std::vector<finding>& findings, const std::vector<standing>& standings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const finding& finding : findings) {
    list.push_back({{"category", name_of(finding.category)},
                    {"rule", finding.rule},
                    {"title", finding.title},
                    {"message", finding.message},
                    {"places", in_json(finding.places)}});
  }
  nlohmann::ordered_json whole{{"version", findings_version}, {"findings", std::move(list)}};
  for (const standing& standing : standings)
    whole["stood"].push_back({{"message", standing.message}, {"places", in_json(standing.places)}});
  return as_text(whole);
}

std::string no_findings_json(std::string_view error) {
  return as_text({{"version", findings_version}, {"error", error}});
}

}  // namespace report
