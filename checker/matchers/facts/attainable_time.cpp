#include "matchers/facts/attainable_time.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "analysis/overlap.h"
#include "analysis/part.h"
#include "matchers/facts/stages.h"

namespace matchers {

namespace {

using trace::nanoseconds;

constexpr int max_chunks = 64;

nanoseconds run_time(const trace::recording& recording, trace::operation_id id) {
  return recording.operation_at(id).end - recording.operation_at(id).start;
}

trace::operation_id one_of(const analysis::part& part, stage wanted) {
  const auto found = operations_of(part, wanted);
  if (found.empty()) throw std::runtime_error("a part of the calibration has no " + in_words(wanted));
  return found.front();
}

// How much longer a copy takes while the other direction is busy; 1 where the two share an engine, because
// then they are never busy at the same time.
double slow_down(const trace::recording& recording, const analysis::part& serial,
                 const analysis::part& duplex) {
  double ratio = 1;
  for (stage direction : {stage::copy_to_device, stage::copy_to_host}) {
    const double alone = static_cast<double>(run_time(recording, one_of(serial, direction)).count());
    const double disturbed = static_cast<double>(run_time(recording, one_of(duplex, direction)).count());
    ratio = std::max(ratio, disturbed / alone);
  }
  return ratio;
}

nanoseconds cost_of_one_more(const trace::recording& recording, const analysis::part& serial,
                             const analysis::part& pieces) {
  const auto copies = operations_of(pieces, stage::copy_to_device);
  if (copies.size() < 2) throw std::runtime_error("the calibration did not copy in pieces");
  const nanoseconds whole = run_time(recording, one_of(serial, stage::copy_to_device));
  // A device need not take the streams' copies in the order in which they were issued.
  nanoseconds first = nanoseconds::max(), last = nanoseconds::min();
  for (const trace::operation_id id : copies) {
    first = std::min(first, recording.operation_at(id).start);
    last = std::max(last, recording.operation_at(id).end);
  }
  const nanoseconds in_pieces = last - first;
  return std::max(nanoseconds(0), (in_pieces - whole) / static_cast<int>(copies.size() - 1));
}

// What calibration measured of the work of the serial part; chunks and time are left open.
attainable calibrated(const trace::recording& recording, const analysis::part& serial) {
  const analysis::part duplex = analysis::part_of(recording, "duplex");
  attainable best;
  best.copy_engines =
      recording.devices.empty() ? 0 : static_cast<int>(recording.devices.front().copy_engines);
  best.serial = time_in_calls(serial);
  const nanoseconds to_device = length_of(serial, stage::copy_to_device);
  const nanoseconds to_host = length_of(serial, stage::copy_to_host);
  best.kernel = length_of(serial, stage::kernel);
  best.blocks = blocks_of(recording.operation_at(one_of(serial, stage::kernel)));
  if (best.copy_engines == 1) {
    best.to_device = to_device;
    best.to_host = to_host;
    best.physical_limit = std::max(to_device + to_host, best.kernel);
  } else {
    // The other direction disturbs at most for as long as it is busy itself.
    const double longer = slow_down(recording, serial, duplex) - 1;
    const auto disturbed = std::chrono::round<nanoseconds>(longer * std::min(to_device, to_host));
    best.to_device = to_device + disturbed;
    best.to_host = to_host + disturbed;
    best.physical_limit = std::max({to_device, best.kernel, to_host});
  }
  return best;
}

// Breadth first, which is the better order there: copies in, then copies back, with all kernels but the first and
// the last beside them. Bound by the copies, by the kernels, or by the last chunk.
nanoseconds time_with_one_copy_engine(nanoseconds to_device, nanoseconds kernel, nanoseconds to_host,
                                      int chunks) {
  return std::max({to_device + to_host, (to_device + to_host) / chunks + kernel,
                   to_device + (kernel + to_host) / chunks});
}

}  // namespace

attainable attainable_time(const trace::recording& recording) {
  const analysis::part serial = analysis::part_of(recording, "serial");
  attainable best = calibrated(recording, serial);
  best.per_copy = cost_of_one_more(recording, serial, analysis::part_of(recording, "pieces"));
  const int inputs = static_cast<int>(operations_of(serial, stage::copy_to_device).size());
  const int outputs = static_cast<int>(operations_of(serial, stage::copy_to_host).size());
  for (int chunks = 1; chunks <= max_chunks; ++chunks) {
    // The first copy of each array has its cost inside the measured length already.
    const nanoseconds to_device_in_chunks = best.to_device + (chunks - 1) * inputs * best.per_copy;
    const nanoseconds to_host_in_chunks = best.to_host + (chunks - 1) * outputs * best.per_copy;
    const nanoseconds time =
        best.copy_engines == 1
            ? time_with_one_copy_engine(to_device_in_chunks, best.kernel, to_host_in_chunks, chunks)
            : analysis::pipeline_time(to_device_in_chunks, best.kernel, to_host_in_chunks, chunks,
                                      nanoseconds(0));
    if (chunks == 1 || time < best.time) {
      best.time = time;
      best.chunks = chunks;
    }
  }
  return best;
}

attainable attainable_time_of_batches(const trace::recording& recording, int batches, int lanes) {
  attainable best = calibrated(recording, analysis::part_of(recording, "serial"));
  for (nanoseconds* length :
       {&best.serial, &best.to_device, &best.kernel, &best.to_host, &best.physical_limit}) {
    *length *= batches;
  }
  const nanoseconds one_engine = best.to_device + best.to_host;
  best.chunks = batches;
  best.time = best.copy_engines == 1
                  ? analysis::pipeline_time_with_lanes(one_engine, best.kernel, nanoseconds(0), batches,
                                                       lanes, nanoseconds(0))
                  : analysis::pipeline_time_with_lanes(best.to_device, best.kernel, best.to_host, batches,
                                                       lanes, nanoseconds(0));
  return best;
}

}  // namespace matchers
