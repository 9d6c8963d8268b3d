#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "course/checkout.h"
#include "course/profile_lookup.h"
#include "processes/cannot_do.h"
#include "processes/files.h"
#include "runner/verbs.h"

namespace runner {
namespace {

std::string device_name(const course::checkout& checkout, const std::string& profile) {
  const std::filesystem::path file = checkout.profile(profile);
  try {
    return nlohmann::json::parse(processes::content_of(file).value_or("")).at("name");
  } catch (const nlohmann::json::exception& reason) {
    throw processes::cannot_do(file.string() + ": " + reason.what());
  }
}

int show_profiles(bool as_json) {
  const course::checkout checkout = course::checkout::open();
  const std::vector<std::string> names = course::profile_names(course::profiles_folder(checkout.root()));
  if (names.empty())
    throw processes::cannot_do(course::profiles_folder(checkout.root()).string() + " holds no profile.");
  nlohmann::ordered_json profiles = nlohmann::ordered_json::array();
  for (const std::string& name : names) {
    const std::string device = device_name(checkout, name);
    profiles.push_back({{"profile", name}, {"device", device}});
    if (!as_json) fmt::print("{:<12}  {}\n", name, device);
  }
  if (as_json) fmt::print("{}\n", profiles.dump(2));
  return 0;
}

}  // namespace

void add_profiles(parsing::command& program) {
  parsing::command& verb = program.verb("profiles", "The GPUs that the virtual GPU can be");
  verb.footer("Example: streamlings profiles");
  const auto as_json = std::make_shared<bool>(false);
  verb.flag("--json", *as_json, "The same as JSON");
  verb.does([as_json] { return show_profiles(*as_json); });
}

}  // namespace runner
