#include "matchers/facts/threads/early_returns.h"

#include <fmt/format.h>

#include "report/wording/names.h"

namespace matchers {

void name_early_return(const trace::recording& recording, report::evidence& why) {
  for (const trace::diagnostic& note : recording.diagnostics) {
    if (note.kind != trace::diagnostic_kind::woken_without_notification || !recording.is_own(note.where))
      continue;
    const std::string place = recording.describe(note.where);
    why.observation += fmt::format(" In that run {} ({}).", note.message, place);
    if (why.where.find(place) == std::string::npos)
      why.where = place + (why.where.empty() ? "" : ", ") + why.where;
    return;
  }
}

}  // namespace matchers
