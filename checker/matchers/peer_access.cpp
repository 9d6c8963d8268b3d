#include "matchers/peer_access.h"

#include <fmt/core.h>

#include <cstdint>
#include <set>
#include <utility>

#include "matchers/facts/words.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

verdict judge_peer_access(const run_facts& run, const std::string& directions) {
  using trace::call_effect;
  const std::int64_t possible = run.answer().integer(directions);
  const trace::host_call* last = nullptr;
  std::set<std::uint32_t> enabled;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    const call_effect effect = trace::effect_of(call);
    const bool disables = effect == call_effect::disables_peer_access;
    const bool enables = effect == call_effect::enables_peer_access;
    if (!disables && !enables && effect != call_effect::asks_about_peer) continue;
    last = &call;
    if (call.error_code != 0) continue;
    if (enables) enabled.insert(call.device);
    if (disables) enabled.erase(call.device);
  }
  const auto found = static_cast<std::int64_t>(enabled.size());
  if (found >= possible) {
    return passed(possible == 0 ? "these devices cannot have access to each other"
                                : fmt::format("enabled on {} devices", found),
                  report::measurement{std::to_string(found), std::to_string(possible)});
  }
  report::evidence why;
  why.required = fmt::format("Each of the {} devices has access to the memory of the other.", possible);
  why.observation = fmt::format(
      "Access was enabled on {}. cudaDeviceEnablePeerAccess gives access to the device that is current, and in that direction only.",
      enabled.empty() ? "none" : fmt::format("device {} only", *enabled.begin()));
  if (last != nullptr) lead_to(why, run.recording(), last->where);
  why.read_next = "cudaDeviceEnablePeerAccess in the section \"The calls\" in the lesson's text.";
  return failed(report::run_verdict::requirement_missed, report::mistake::access_not_enabled, why,
                report::measurement{std::to_string(found), std::to_string(possible)});
}

}  // namespace

matcher EnablesPeerAccess(std::string directions) {
  return {"each device has access to the memory of the other, where that is possible",
          [directions = std::move(directions)](const run_facts& run) {
            return judge_peer_access(run, directions);
          },
          reach::every_call};
}

}  // namespace matchers
