#include "exercise/settings.h"

#include <optional>
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
  made.set("sharing_log", settings.sharing.log);
  made.set("reports_progress", std::int64_t{settings.reports_progress});
  if (settings.variables) {
    made.set("work_queues", std::int64_t{settings.variables->work_queues});
    made.set("launches_block", std::int64_t{settings.variables->launches_block});
  }
  return made;
}

trace::backend_settings settings_of(const message& settings) {
  const auto schedule = trace::value_of<trace::schedule_kind>(settings.text("schedule"));
  const std::int64_t devices = settings.integer("devices");
  const std::int64_t processes = settings.integer("processes_of_kernel");
  if (!schedule || devices < 1 || devices > 64 || processes < 1)
    throw std::runtime_error("settings that do not exist");
  std::optional<trace::cuda_variables> variables;
  if (settings.has("work_queues"))
    variables = {static_cast<std::uint32_t>(settings.integer("work_queues")),
                 settings.integer("launches_block") != 0};
  return {settings.text("profile"),
          *schedule,
          static_cast<std::uint32_t>(devices),
          trace::nanoseconds(settings.integer("virtual_nanoseconds")),
          {static_cast<std::uint32_t>(processes),
           trace::nanoseconds(settings.integer("min_part_nanoseconds")), settings.text("sharing_log")},
          settings.integer("reports_progress") != 0,
          variables};
}

message message_of(const trace::progress& progress) {
  message made;
  made.set("simulated", std::int64_t{progress.simulated.count()});
  made.set("kernel", progress.kernel);
  made.set("blocks_done", static_cast<std::int64_t>(progress.blocks_done));
  made.set("blocks", static_cast<std::int64_t>(progress.blocks));
  return made;
}

trace::progress progress_of(const message& progress) {
  return {trace::nanoseconds(progress.integer("simulated")), progress.text("kernel"),
          static_cast<std::uint64_t>(progress.integer("blocks_done")),
          static_cast<std::uint64_t>(progress.integer("blocks"))};
}

}  // namespace exercise
