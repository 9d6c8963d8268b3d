#include "matchers/destroys_its_streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "matchers/findings.h"
#include "matchers/words.h"

namespace matchers {

namespace {

bool is_in(const analysis::part& part, trace::call_id call) {
  return std::binary_search(part.calls.begin(), part.calls.end(), call);
}

}  // namespace

bool DestroysItsStreams::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  std::size_t created = 0;
  std::vector<const trace::stream*> left;
  for (const trace::stream& each : part.seen->streams) {
    if (each.kind != trace::stream_kind::created || !is_in(part, each.created_by)) continue;
    ++created;
    if (!is_in(part, each.destroyed_by)) left.push_back(&each);
  }
  if (created > 0 && left.empty()) {
    file_note(fmt::format("{} created, {} destroyed", created, created));
    return true;
  }
  report::evidence why;
  why.required =
      "Your function creates streams, and destroys each of them before it returns, on every way out.";
  if (created == 0) {
    why.seen = "It created no stream.";
    why.read_next = "cudaStreamCreate in the section \"The calls\" in the README of the lesson.";
  } else {
    const trace::host_call& first = part.seen->call_at(left.front()->created_by);
    why.seen = fmt::format(
        "{} of the {} streams it created still existed when it returned. The first is stream {}, from {}.",
        left.size(), created, left.front()->id, in_words(*part.seen, first));
    why.where = part.seen->describe(first.where);
    why.read_next =
        "The page of cudaStreamDestroy in the CUDA Runtime API manual: it returns at once, and work still "
        "queued is completed.";
  }
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void DestroysItsStreams::DescribeTo(std::ostream* out) const {
  *out << "streams are created, and every one of them is destroyed";
}

void DestroysItsStreams::DescribeNegationTo(std::ostream* out) const {
  *out << "no stream is created, or one is not destroyed";
}

}  // namespace matchers
