#include "matchers/announces_each_copy_back.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/ordering.h"
#include "matchers/findings.h"
#include "matchers/operation_set.h"
#include "matchers/words.h"

namespace matchers {

namespace {

using ids = std::vector<trace::operation_id>;

struct copy_back {
  trace::operation_id copy = 0;
  trace::operation_id of_later_work =
      0;  ///< the next copy back in its stream with a kernel in between; 0: none
};

bool is_copy_back(const trace::operation& operation) {
  return operation.kind == trace::operation_kind::copy && operation.source && operation.destination &&
         trace::direction_of(operation) == trace::copy_direction::device_to_host;
}

std::vector<copy_back> copies_back(const analysis::part& part) {
  std::map<trace::stream_id, ids> of_stream;
  for (trace::operation_id id : part.operations) of_stream[part.seen->operation_at(id).stream].push_back(id);
  std::vector<copy_back> found;
  for (const auto& [stream, operations] : of_stream) {
    trace::operation_id later = 0;  // the next copy back of work that is later than the operation at hand
    trace::operation_id same = 0;   // a copy back of the work at hand
    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
      const trace::operation& operation = part.seen->operation_at(*id);
      if (operation.kind == trace::operation_kind::kernel && same != 0) {
        later = same;
        same = 0;
      }
      if (!is_copy_back(operation)) continue;
      found.push_back({*id, later});
      same = *id;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const copy_back& left, const copy_back& right) { return left.copy < right.copy; });
  return found;
}

bool is_announced(const analysis::ordering& order, const copy_back& what, const ids& functions) {
  return std::any_of(functions.begin(), functions.end(), [&](trace::operation_id function) {
    return order.is_before(what.copy, function) &&
           (what.of_later_work == 0 || !order.is_before(what.of_later_work, function));
  });
}

}  // namespace

bool AnnouncesEachCopyBack::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<copy_back> copies = copies_back(part);
  const ids functions = members(part, host_functions());
  const analysis::ordering order(*part.seen);
  std::vector<copy_back> silent;
  std::copy_if(copies.begin(), copies.end(), std::back_inserter(silent),
               [&](const copy_back& each) { return !is_announced(order, each, functions); });
  const auto of_all = [&](std::size_t count) { return fmt::format("{} of {}", count, copies.size()); };
  if (!copies.empty()) file_measurement({of_all(copies.size() - silent.size()), of_all(copies.size())});
  if (silent.empty() && !copies.empty()) {
    file_note(fmt::format("{} copies, {} host functions", copies.size(), functions.size()));
    return true;
  }
  report::evidence why;
  if (copies.empty()) {
    why.seen = "Nothing was copied to the host.";
  } else {
    const trace::operation& first = part.seen->operation_at(silent.front().copy);
    why.seen = functions.empty() ? "There were no host functions at all."
                                 : fmt::format("No host function comes after {}, one of {} such copies.",
                                               in_words(*part.seen, first), copies.size());
    why.where = place_of(*part.seen, first);
  }
  why.required =
      "Each copy to the host is followed by a host function (cudaLaunchHostFunc) that says that the result "
      "has arrived.";
  why.read_next =
      "A host function runs after what was queued before it in its stream. Where must it be queued to come "
      "after the "
      "copy?";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void AnnouncesEachCopyBack::DescribeTo(std::ostream* out) const {
  *out << "a host function follows each copy to the host";
}

void AnnouncesEachCopyBack::DescribeNegationTo(std::ostream* out) const {
  *out << "some copy to the host is followed by no host function";
}

}  // namespace matchers
