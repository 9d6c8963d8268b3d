#include "report/findings_json.h"

#include <nlohmann/json.hpp>

namespace report {
namespace {

constexpr int findings_version = 1;

/// Program output may hold bytes that are no UTF-8.
std::string as_text(const nlohmann::ordered_json& whole) {
  return whole.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string findings_json(const std::vector<finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const finding& finding : findings) {
    nlohmann::ordered_json places = nlohmann::ordered_json::array();
    for (const source_place& place : finding.places) {
      places.push_back({{"file", place.file}, {"line", place.line}});
      for (const source_place& caller : place.called_from)
        places.back()["called_from"].push_back({{"file", caller.file}, {"line", caller.line}});
    }
    list.push_back({{"category", name_of(finding.category)},
                    {"rule", finding.rule},
                    {"title", finding.title},
                    {"message", finding.message},
                    {"places", std::move(places)}});
  }
  return as_text({{"version", findings_version}, {"findings", std::move(list)}});
}

std::string no_findings_json(std::string_view error) {
  return as_text({{"version", findings_version}, {"error", error}});
}

}  // namespace report
