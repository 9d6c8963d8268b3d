#include "matchers/facts/overwritten_handles.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/wording/names.h"

namespace matchers {

namespace {

std::optional<overwriting> overwriting_by(const trace::recording& recording, trace::call_id by,
                                          trace::call_id lost) {
  if (by == 0 || lost == 0) return std::nullopt;
  const overwriting found{&recording.call_at(by), &recording.call_at(lost)};
  if (!recording.is_own(found.by->where) || found.by->where.is_same_line(found.lost->where))
    return std::nullopt;
  return found;
}

template <typename Object>
std::optional<overwriting> first_overwriting_by(const trace::recording& recording,
                                                const std::vector<Object>& objects, trace::call_id by) {
  const auto lost = std::find_if(objects.begin(), objects.end(),
                                 [&](const Object& one) { return by != 0 && one.overwritten_by == by; });
  return lost == objects.end() ? std::nullopt : overwriting_of(recording, *lost);
}

}  // namespace

std::optional<overwriting> overwriting_of(const trace::recording& recording, const trace::event& lost) {
  return overwriting_by(recording, lost.overwritten_by, lost.created_by);
}

std::optional<overwriting> overwriting_of(const trace::recording& recording, const trace::stream& lost) {
  return overwriting_by(recording, lost.overwritten_by, lost.created_by);
}

std::optional<overwriting> overwriting_behind(const trace::recording& recording,
                                              const trace::host_call& use) {
  if (use.event != 0)
    return first_overwriting_by(recording, recording.events, recording.event_at(use.event).created_by);
  if (use.stream == 0 || recording.stream_at(use.stream).destroyed_by == 0) return std::nullopt;
  return first_overwriting_by(recording, recording.streams, recording.stream_at(use.stream).created_by);
}

std::string in_words(const trace::recording& recording, const overwriting& found) {
  return fmt::format(" {} put this {} into the variable that still held the one of {}.",
                     report::capitalized(report::in_words(recording, *found.by)),
                     found.by->event != 0 ? "event" : "stream", report::in_words(recording, *found.lost));
}

}  // namespace matchers
