#include "checking/real_gpu.h"

#include <fmt/core.h>

#include <string_view>

#include "processes/files.h"
#include "processes/run.h"

namespace checking {

namespace {

// Lines of streamlings-probe-gpu: "missing", topic, what was found and the cure, between tabs.
std::string last_thing_missing(std::string_view facts) {
  constexpr std::string_view missing = "missing\t";
  const std::size_t line = facts.rfind(missing);
  if (line == std::string_view::npos) return "streamlings-probe-gpu did not say why";
  std::string_view rest = facts.substr(line + missing.size());
  rest = rest.substr(0, rest.find('\n'));
  const auto next_field = [&] {
    const std::size_t end = std::min(rest.find('\t'), rest.size());
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return field;
  };
  const std::string_view topic = next_field();
  const std::string_view found = next_field();
  return fmt::format("{}: {} ({})", topic, found, next_field());
}

}  // namespace

std::string why_no_gpu(std::uint32_t devices) {
  constexpr std::string_view not_built = STREAMLINGS_WHY_NO_REAL_GPU;
  if (!not_built.empty()) return fmt::format("this checkout was built without a real GPU: {}", not_built);
  const processes::outcome probed = processes::run_tool(
      {processes::sibling_program("streamlings-probe-gpu").string(), std::to_string(devices)});
  return probed.exit_status == 0 ? "" : last_thing_missing(probed.output);
}

}  // namespace checking
