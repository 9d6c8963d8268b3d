#include "matchers/facts/memory/misplaced_pieces.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/places.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

const trace::access* write_of(const trace::operation& copy) {
  if (copy.kind != trace::operation_kind::copy || !copy.accesses) return nullptr;
  const auto write = std::find_if(copy.accesses->begin(), copy.accesses->end(), [](const trace::access& one) {
    return one.mode == trace::access_mode::write;
  });
  return write == copy.accesses->end() ? nullptr : &*write;
}

}  // namespace

std::string tell_of_misplaced_pieces(const run_facts& run, trace::operation_id copy, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::access* const own = write_of(recording.operation_at(copy));
  const trace::location line = analysis::place_of_operation(recording, copy);
  if (own == nullptr || !recording.leads_to_line(line)) return "";
  trace::byte_set written;
  std::size_t count = 0, bytes = 0;
  for (const trace::operation_id id : run.part().operations) {
    const trace::access* const write = write_of(recording.operation_at(id));
    if (write == nullptr || write->allocation != own->allocation ||
        !analysis::place_of_operation(recording, id).is_same_line(line))
      continue;
    ++count;
    bytes += write->bytes.size_bytes();
    written.merge(write->bytes);
  }
  const bool has_right_lengths = bytes == recording.allocation_at(own->allocation).bytes;
  if (!has_right_lengths || written.size_bytes() == bytes) return "";
  const std::string place = recording.describe(line);
  std::string sentence = fmt::format(
      "The {} copies of {} are together as long as {}, and overlap all the same: their lengths fit, and where they begin does not.",
      count, place, report::allocation_in_words(recording, own->allocation));
  if (const auto begin = begin_of_copy_at(run.source(), place)) {
    sentence += fmt::format(" They begin at `{}`, which is computed at {}.", begin->name, begin->line);
    report::lead_first_to(why, begin->line);
  }
  return sentence;
}

}  // namespace matchers
