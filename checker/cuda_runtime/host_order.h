// host_order.h: what host threads and host functions pass on to each other through the objects that they
// release and acquire: mutexes, condition variables, atomics, threads themselves, and flags in pinned or managed memory that
// kernels read.
//
// Each passing-on becomes an edge of the recording (trace::host_edge), which the race detector reads in
// analysis/ordering_builder.cpp. Not here: which calls release and acquire (interposition/), what the device's work puts in
// order (analysis/).
//
//     order.release(unlocking, mutex);
//     order.acquire(locking, mutex);
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "cuda_runtime/host_threads.h"
#include "kernels/conflict_log.h"
#include "trace/recording.h"

namespace cuda_runtime {

/// Who released which object last, and what came of it.
class host_order {
 public:
  /// Edges go into `recording`. `flush` notes what the running thread has touched so far, before its step ends.
  host_order(trace::recording& recording, std::function<void()> flush)
      : recording_(recording), flush_(std::move(flush)) {}

  /// Whatever the thread did so far comes before what a thread does that later acquires the same object.
  void release(host_thread& by, const void* object);
  /// The same, for an object that several threads release together: what others released stays.
  void release_beside_others(host_thread& by, const void* object);
  /// What the thread does from now on comes after what was released with that object.
  void acquire(host_thread& by, const void* object);
  /// The same for a thread that begins, with what was released for it; `where` is the code that started it.
  void acquire_begin(host_thread& by, trace::location where);
  /// The same for all that a thread did which has ended; `where` is the code that waits for it.
  void acquire_end(host_thread& by, const host_thread& ended, trace::location where);
  /// The same as far as kernels released the object.
  void acquire_from_kernels(host_thread& by, const void* object);
  /// A kernel released the object while it ran: all that it does comes before.
  void release(trace::operation_id by, const void* object);
  /// The same for a kernel, all of it, that read the object.
  void acquire(trace::operation_id by, const void* object);
  /// The object passes on nothing any more.
  void forget(const void* object) { objects_.erase(object); }

  /// What comes before a host function that the thread issues now.
  host_knowledge release_to_host_function(host_thread& by);
  /// The thread begins with another host function.
  void begin_host_function(host_thread& by, const host_knowledge& issuer);

  /// Where the thread is; what it does after its next release is elsewhere.
  kernels::host_position position_of(host_thread& thread) const;
  /// Whether the thread is known to come after that: by objects, not by the device's work.
  bool is_over(const kernels::host_position& position, const host_thread& thread) const;

 private:
  struct released {
    trace::operation_id by_operation = 0;
    bool is_by_kernel = false;
    trace::thread_id by = 0;
    trace::call_id after = 0;
    std::uint32_t step = 0;
  };
  struct object_state {
    std::vector<released> releases;
    host_knowledge known;
  };
  released released_now(host_thread& by) const;
  host_knowledge known_after(host_thread& by);
  void add_edge(const released& from, host_thread& to);

  trace::recording& recording_;
  std::function<void()> flush_;
  std::unordered_map<const void*, object_state> objects_;
};

}  // namespace cuda_runtime
