#include "report/figures.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/overlap.h"

namespace report {
namespace {

double nanoseconds_of(trace::nanoseconds time) { return static_cast<double>(time.count()); }

trace::nanoseconds summed_lengths(const trace::recording& recording,
                                  const std::vector<trace::operation_id>& operations) {
  trace::nanoseconds sum{0};
  for (const trace::operation_id id : operations)
    sum += recording.operation_at(id).end - recording.operation_at(id).start;
  return sum;
}

double count_of_pinned_buffers(const analysis::part& part) {
  const std::set<trace::call_id> calls(part.calls.begin(), part.calls.end());
  return static_cast<double>(std::count_if(
      part.recording->allocations.begin(), part.recording->allocations.end(),
      [&](const trace::allocation& memory) {
        return memory.kind == trace::memory_kind::pinned && calls.count(memory.allocated_by) != 0;
      }));
}

void add_kernels(figures& into, const trace::recording& recording,
                 const std::vector<trace::operation_id>& kernels) {
  const double lengths = nanoseconds_of(summed_lengths(recording, kernels));
  const double busy = nanoseconds_of(analysis::overlap(recording, kernels, kernels).first_busy);
  trace::nanoseconds first = recording.operation_at(kernels.front()).start;
  trace::nanoseconds last{0};
  for (const trace::operation_id id : kernels) {
    first = std::min(first, recording.operation_at(id).start);
    last = std::max(last, recording.operation_at(id).end);
  }
  const double span = nanoseconds_of(last - first);
  if (lengths <= 0 || span <= 0) return;
  into["kernels_at_once"] = lengths / busy;
  into["kernels_busy_percent"] = 100 * busy / span;
  into["kernel_lengths"] = span / (lengths / static_cast<double>(kernels.size()));
}

}  // namespace

figures figures_of(const analysis::part& part) {
  const trace::recording& recording = *part.recording;
  std::vector<trace::operation_id> work;
  std::vector<trace::operation_id> kernels;
  std::set<trace::stream_id> streams;
  for (const trace::operation_id id : part.operations) {
    const trace::operation& operation = recording.operation_at(id);
    if (!analysis::is_device_work(operation.kind)) continue;
    work.push_back(id);
    streams.insert(operation.stream);
    if (operation.kind == trace::operation_kind::kernel) kernels.push_back(id);
  }
  figures found{{"took_ms", nanoseconds_of(part.duration()) / 1e6},
                {"streams", static_cast<double>(streams.size())},
                {"pinned_buffers", count_of_pinned_buffers(part)}};
  const double one_after_another = nanoseconds_of(summed_lengths(recording, work));
  if (one_after_another > 0)
    found["serial_percent"] = 100 * nanoseconds_of(analysis::duration_of_work(part)) / one_after_another;
  if (!kernels.empty()) add_kernels(found, recording, kernels);
  return found;
}

}  // namespace report
