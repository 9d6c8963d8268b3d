#include "report/wording/race_words.h"

#include <algorithm>

#include "analysis/places.h"
#include "report/wording/names.h"

namespace report {

using analysis::race_actor;

std::string race_words::stream_of(const race_side& side) const {
  return stream_in_words(recording_, operation_of(side).stream);
}

std::string race_words::place_or(const race_side& side, std::string_view otherwise) const {
  const std::string place =
      recording_.describe(side.operation != 0 ? analysis::place_of_issue(recording_, side.operation)
                                              : analysis::place_of(recording_, side));
  return place.empty() ? std::string(otherwise) : place;
}

bool race_words::is_announcement() const {
  return race_.useless &&
         (race_.useless->kind == analysis::useless_wait_kind::announced_in_another_stream ||
          race_.useless->kind == analysis::useless_wait_kind::announced_too_early);
}

bool race_words::is_cured_there() const {
  return race_.useless && race_.useless->kind == analysis::useless_wait_kind::only_asked &&
         streams_to_wait_for().size() == 1;
}

std::string race_words::in_words_of(const std::vector<trace::stream_id>& streams) const {
  std::string words;
  for (const trace::stream_id stream : streams) {
    const bool is_last = stream == streams.back();
    words += (words.empty() ? "" : is_last ? " and " : ", ") + stream_in_words(recording_, stream);
  }
  return words;
}

std::vector<trace::stream_id> race_words::streams_to_wait_for() const {
  return race_.to == race_actor::caller ? race_.cause.streams : std::vector{operation_of(from_).stream};
}

bool race_words::is_in_same_part(trace::call_id one, trace::call_id other) const {
  return std::none_of(recording_.marks.begin(), recording_.marks.end(), [&](const trace::mark& mark) {
    return mark.name.starts_with("begin:") && (mark.after < one) != (mark.after < other);
  });
}

}  // namespace report
