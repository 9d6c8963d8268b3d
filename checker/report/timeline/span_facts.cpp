#include "report/timeline/span_facts.h"

#include <fmt/format.h>

#include "analysis/places.h"
#include "report/text_layout.h"
#include "report/wording/names.h"
#include "report/wording/reason_sentences.h"
#include "trace/words.h"

namespace report {
namespace {

using trace::operation_kind;

/// "4.0 MB, pinned to device".
std::string amount_of(const trace::operation& operation) {
  std::string words = size_in_words(operation.bytes);
  if (operation.source && operation.destination) {
    words += fmt::format(", {} to {} memory", trace::word_of(*operation.source),
                         trace::word_of(*operation.destination));
  }
  return words;
}

std::string rate_of(const trace::operation& operation) {
  // Bytes a nanosecond are gigabytes a second.
  return fmt::format("{:.3g} GB/s", static_cast<double>(operation.bytes) /
                                        static_cast<double>((operation.end - operation.start).count()));
}

/// "64 blocks of 256 threads", with the dimensions that are used.
std::string grid_of(const trace::operation& kernel) {
  const auto sizes = [](const std::array<std::uint32_t, 3>& size) {
    const std::size_t dimensions = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    return fmt::format("{}", fmt::join(size.begin(), size.begin() + dimensions, " x "));
  };
  return fmt::format("{} blocks of {} threads", sizes(kernel.grid), sizes(kernel.block));
}

}  // namespace

fact span_facts::time_of(const span& span) const {
  const std::string begin = duration_words(span.start - part_.begin);
  if (is_instant(span.activity)) return {"time", begin};
  return {"time", fmt::format("{} to {}, {} long", begin, duration_words(span.end - part_.begin),
                              duration_words(span.end - span.start))};
}

std::vector<fact> span_facts::of(const span& span) const {
  if (span.range != 0) return of_range(span);
  return span.call != 0 ? of_call(span) : of_operation(span);
}

std::vector<fact> span_facts::of_range(const span& span) const {
  const trace::recording& recording = *part_.recording;
  const trace::named_range& range = recording.ranges.at(span.range - 1);
  std::vector<fact> facts{{"what", std::string(look_of(span.activity).meaning)}, time_of(span)};
  if (!range.domain.empty()) facts.push_back({"domain", range.domain});
  if (!range.category.empty()) facts.push_back({"category", range.category});
  if (!range.payload.empty()) facts.push_back({"payload", range.payload});
  if (recording.is_own(range.where)) facts.push_back({"line", recording.describe(range.where)});
  return facts;
}

std::vector<fact> span_facts::of_call(const span& span) const {
  const trace::recording& recording = *part_.recording;
  const trace::host_call& call = recording.call_at(span.call);
  std::vector<fact> facts{{"what", std::string(look_of(span.activity).meaning)}, time_of(span)};
  if (call.stream != 0) facts.push_back({"stream", stream_in_words(recording, call.stream)});
  if (call.error_code != 0) facts.push_back({"returned", std::string(trace::error_name_of(call))});
  if (recording.is_own(call.where)) facts.push_back({"line", recording.describe(call.where)});
  return facts;
}

std::vector<fact> span_facts::of_operation(const span& span) const {
  const trace::recording& recording = *part_.recording;
  const trace::operation& operation = recording.operation_at(span.operation);
  std::vector<fact> facts{{"what", std::string(look_of(span.activity).meaning)}, time_of(span)};
  if (operation.kind == operation_kind::kernel) {
    facts[0].value = "kernel " + operation.name;
    if (operation.grid[0] != 0) facts.push_back({"grid", grid_of(operation)});
  }
  if (operation.bytes != 0) {
    facts.push_back({"bytes", amount_of(operation)});
    if (operation.end > operation.start) facts.push_back({"rate", rate_of(operation)});
  }
  facts.push_back({"stream", stream_in_words(recording, operation.stream)});
  if (operation.priority != 0) facts.push_back({"priority", std::to_string(operation.priority)});
  const std::string reason = root_sentence_of(names_, why_, span.operation);
  if (!reason.empty()) facts.push_back({"why not earlier", reason});
  const std::string place = recording.describe(analysis::place_of_operation(recording, span.operation));
  if (!place.empty()) facts.push_back({"line", place});
  return facts;
}

std::vector<trace::constraint> span_facts::waited_for(trace::operation_id id) const {
  const trace::operation& operation = part_.recording->operation_at(id);
  if (operation.waited_for) return *operation.waited_for;
  const std::optional<analysis::reason> inferred = why_.reason_of(id);
  return inferred ? std::vector{inferred->constraint} : std::vector<trace::constraint>{};
}

}  // namespace report
