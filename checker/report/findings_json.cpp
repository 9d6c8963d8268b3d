#include "report/findings_json.h"

#include <nlohmann/json.hpp>

namespace report {

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
  return nlohmann::ordered_json{{"findings", std::move(list)}}.dump(2) + "\n";
}

}  // namespace report
