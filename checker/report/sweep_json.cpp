#include "report/sweep_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace report {
namespace {

using nlohmann::ordered_json;

constexpr int version = 1;

/// {"streams": 4, "chunks": 8}
ordered_json json_of(const sweep& seen, const setting& what) {
  return {{seen.parameters[0], what[0]}, {seen.parameters[1], what[1]}};
}

setting setting_from(const sweep& seen, const ordered_json& object) {
  return {object.at(seen.parameters[0]).get<int>(), object.at(seen.parameters[1]).get<int>()};
}

std::chrono::nanoseconds nanoseconds_from(const ordered_json& value) {
  return std::chrono::nanoseconds{value.get<std::int64_t>()};
}

sweep sweep_from(const ordered_json& object) {
  if (object.at("version") != version) throw std::runtime_error("a sweep of another version");
  sweep seen;
  seen.lesson = object.at("lesson");
  seen.title = object.at("title");
  seen.source = object.at("source");
  seen.source_hash = object.at("source_hash");
  seen.profile = object.at("profile");
  seen.seed = object.at("seed");
  seen.of = object.at("of");
  seen.parameters = object.at("parameters");
  if (!object.at("chosen").is_null()) seen.chosen = setting_from(seen, object.at("chosen"));
  seen.serial = nanoseconds_from(object.at("serial_ns"));
  seen.attainable = nanoseconds_from(object.at("attainable_ns"));
  for (const ordered_json& each : object.at("points")) {
    seen.points.push_back(
        {setting_from(seen, each), nanoseconds_from(each.at("time_ns")), each.at("is_right").get<bool>()});
  }
  return seen;
}

}  // namespace

std::string sweep_json(const sweep& seen) {
  ordered_json points = ordered_json::array();
  for (const sweep_point& each : seen.points) {
    ordered_json point = json_of(seen, each.setting);
    point["time_ns"] = each.time.count();
    point["is_right"] = each.is_right;
    points.push_back(std::move(point));
  }
  const sweep_point* best = fastest_of(seen);
  const ordered_json object{{"version", version},
                            {"lesson", seen.lesson},
                            {"title", seen.title},
                            {"source", seen.source},
                            {"source_hash", seen.source_hash},
                            {"profile", seen.profile},
                            {"seed", seen.seed},
                            {"of", seen.of},
                            {"parameters", seen.parameters},
                            {"chosen", seen.chosen ? json_of(seen, *seen.chosen) : ordered_json()},
                            {"fastest", best ? json_of(seen, best->setting) : ordered_json()},
                            {"serial_ns", seen.serial.count()},
                            {"attainable_ns", seen.attainable.count()},
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
