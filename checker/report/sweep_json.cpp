#include "report/sweep_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace report {
namespace {

using nlohmann::ordered_json;

constexpr int version = 1;

/// {"streams": 4, "chunks": 8}
ordered_json json_of(const sweep& sweep, const setting& setting) {
  return {{sweep.parameters[0], setting[0]}, {sweep.parameters[1], setting[1]}};
}

setting setting_from(const sweep& sweep, const ordered_json& object) {
  return {object.at(sweep.parameters[0]).get<int>(), object.at(sweep.parameters[1]).get<int>()};
}

std::chrono::nanoseconds nanoseconds_from(const ordered_json& value) {
  return std::chrono::nanoseconds{value.get<std::int64_t>()};
}

sweep sweep_from(const ordered_json& object) {
  if (object.at("version") != version) throw std::runtime_error("a sweep of another version");
  sweep sweep;
  sweep.lesson = object.at("lesson");
  sweep.title = object.at("title");
  sweep.source = object.at("source");
  sweep.source_hash = object.at("source_hash");
  sweep.profile = object.at("profile");
  sweep.seed = object.at("seed");
  sweep.function = object.at("of");
  sweep.parameters = object.at("parameters");
  if (!object.at("chosen").is_null()) sweep.chosen = setting_from(sweep, object.at("chosen"));
  sweep.serial = nanoseconds_from(object.at("serial_ns"));
  sweep.attainable = nanoseconds_from(object.at("attainable_ns"));
  for (const ordered_json& point : object.at("points")) {
    sweep.points.push_back({setting_from(sweep, point), nanoseconds_from(point.at("time_ns")),
                            point.at("is_right").get<bool>()});
  }
  return sweep;
}

}  // namespace

std::string sweep_json(const sweep& sweep) {
  ordered_json points = ordered_json::array();
  for (const sweep_point& point : sweep.points) {
    ordered_json stored = json_of(sweep, point.setting);
    stored["time_ns"] = point.time.count();
    stored["is_right"] = point.is_right;
    points.push_back(std::move(stored));
  }
  const sweep_point* best = fastest_of(sweep);
  const ordered_json object{{"version", version},
                            {"lesson", sweep.lesson},
                            {"title", sweep.title},
                            {"source", sweep.source},
                            {"source_hash", sweep.source_hash},
                            {"profile", sweep.profile},
                            {"seed", sweep.seed},
                            {"of", sweep.function},
                            {"parameters", sweep.parameters},
                            {"chosen", sweep.chosen ? json_of(sweep, *sweep.chosen) : ordered_json()},
                            {"fastest", best ? json_of(sweep, best->setting) : ordered_json()},
                            {"serial_ns", sweep.serial.count()},
                            {"attainable_ns", sweep.attainable.count()},
                            {"points", std::move(points)}};
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

sweep sweep_from_json(std::string_view text) {
  try {
    return sweep_from(ordered_json::parse(text));
  } catch (const ordered_json::exception& reason) {
    throw std::runtime_error(std::string("not a sweep: ") + reason.what());
  }
}

}  // namespace report
