// stream_table.h: the streams that ever were, and the handles by which the program knows them.
//
// Not here: what is in a stream (device/schedule.h).
//
//     streams.create(&handle, device, trace::stream_blocking::blocking, 0, call.id());
//     const trace::stream* stream = streams.find(handle, device, null, thread);
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "cuda_runtime/handle_variables.h"
#include "device/schedule.h"
#include "include/cuda_runtime_api.h"
#include "trace/recording.h"

/// What a cudaStream_t points to: only the stream's id; what is known about it is in the recording.
struct CUstream_st {
  trace::stream_id id = 0;  ///< never repeats, unlike the handle
};

namespace cuda_runtime {

/// What the handle 0 names; each source file is compiled for one of them.
enum class null_stream { legacy_default, per_thread_default };

/// Streams by id and by handle. A stream is never moved: a call keeps hold of its stream while it waits, and
/// others make more.
class stream_table {
 public:
  /// Streams are made known to that schedule, which outlives the table.
  explicit stream_table(device::schedule& schedule) : schedule_(schedule) {}

  /// Makes the legacy default stream of a device; first of all, and in the order of the devices.
  void add_legacy_default(std::uint32_t device);
  /// Puts a new stream into the variable, on behalf of that call. `priority`: within the range of the GPU; smaller is more urgent.
  void create(cudaStream_t* variable, std::uint32_t device, trace::stream_blocking blocking, int priority,
              trace::call_id by);
  /// Ends the handle of a live stream; work in the stream goes on. @see CUDA Runtime API, cudaStreamDestroy
  void destroy(cudaStream_t handle, trace::call_id by);

  /// The live stream of a handle, else nullptr. Handles of default streams name those of `device` and of that
  /// thread; `null` says which of them the handle 0 is.
  const trace::stream* find(cudaStream_t handle, std::uint32_t device, null_stream null,
                            trace::thread_id thread);
  /// The stream that had the handle until it was destroyed, else nullptr.
  const trace::stream* find_destroyed(cudaStream_t handle) const;
  /// Live streams of a device, default streams apart.
  std::vector<cudaStream_t> created_on(std::uint32_t device) const;
  /// Gives a stream that the program made a name for reports; other handles are passed over.
  void name(cudaStream_t handle, std::string_view name);

  /// The stream of that id; it exists.
  const trace::stream& at(trace::stream_id id) const { return all_.at(id - 1); }
  /// All streams that ever were, by id from 1, destroyed ones too.
  const std::deque<trace::stream>& all() const { return all_; }

 private:
  trace::stream_id add(std::uint32_t device, trace::stream_kind kind, trace::stream_blocking blocking,
                       int priority, trace::call_id by);

  device::schedule& schedule_;
  std::deque<trace::stream> all_;
  std::deque<CUstream_st> objects_;
  std::map<cudaStream_t, trace::stream_id> handles_;  // of all that the program made
  handle_variables<cudaStream_t> variables_;
  std::map<std::pair<trace::thread_id, std::uint32_t>, trace::stream_id> per_thread_;  // thread and device
};

}  // namespace cuda_runtime
