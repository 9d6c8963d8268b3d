#include "exercise/settings.h"

#include <stdexcept>
#include <string>

#include "trace/words.h"

namespace exercise {

message message_of(const trace::backend_settings& settings) {
  message made;
  made.set("profile", settings.profile);
  made.set("schedule", std::string(trace::word_of(settings.schedule)));
  made.set("devices", std::int64_t{settings.devices});
  made.set("virtual_nanoseconds", std::int64_t{settings.virtual_time_limit.count()});
  made.set("processes_of_kernel", std::int64_t{settings.sharing.processes});
  made.set("min_part_nanoseconds", std::int64_t{settings.sharing.min_part.count()});
  return made;
}

trace::backend_settings settings_of(const message& settings) {
  const auto schedule = trace::value_of<trace::schedule_kind>(settings.text("schedule"));
  const std::int64_t devices = settings.integer("devices");
  const std::int64_t processes = settings.integer("processes_of_kernel");
  if (!schedule || devices < 1 || devices > 64 || processes < 1) throw std::runtime_error("settings that do not exist");
  return {settings.text("profile"), *schedule, static_cast<std::uint32_t>(devices),
          trace::nanoseconds(settings.integer("virtual_nanoseconds")),
          {static_cast<std::uint32_t>(processes), trace::nanoseconds(settings.integer("min_part_nanoseconds"))}};
}

}  // namespace exercise
