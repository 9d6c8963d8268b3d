#include "analysis/late_sources.h"

#include <algorithm>

namespace analysis {
namespace {

bool writes_to(const trace::access& written, const trace::access& read) {
  return written.mode != trace::access_mode::read && written.allocation == read.allocation &&
         written.bytes.overlaps(read.bytes);
}

}  // namespace

const trace::host_access* late_source_of(const part& part, const trace::operation& operation,
                                         const trace::access& read) {
  const trace::recording& recording = *part.recording;
  const bool is_of_part = std::binary_search(part.operations.begin(), part.operations.end(), operation.id) &&
                          operation.issued_by != 0;
  if (!is_of_part || !recording.host_accesses || read.mode != trace::access_mode::read) return nullptr;
  for (const trace::operation_id id : part.operations) {
    const auto& accesses = recording.operation_at(id).accesses;
    if (id < operation.id && accesses &&
        std::any_of(accesses->begin(), accesses->end(),
                    [&](const trace::access& access) { return writes_to(access, read); }))
      return nullptr;
  }
  const trace::thread_id caller = recording.calls.front().thread;
  const trace::host_access* first = nullptr;
  for (const trace::host_access& access : *recording.host_accesses) {
    // Other threads than the caller's are the function's, and may not have made a call yet.
    const bool is_before_part = access.thread == caller && access.after + 1 < part.calls.front();
    if (is_before_part || access.after > part.calls.back() || !writes_to(access.access, read)) continue;
    if (access.after < operation.issued_by) return nullptr;
    if (first == nullptr || access.after < first->after) first = &access;
  }
  return first;
}

}  // namespace analysis
