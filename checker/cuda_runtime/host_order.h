// host_order.h: what host threads and host functions pass on to each other through the objects that they
// release and acquire: mutexes, condition variables, atomics, threads themselves.
//
// Each passing-on becomes an edge of the recording. Not here: which calls release and acquire
// (interposed.cpp, interposed_waits.cpp, instrumentation.cpp).
//
//     order.release(unlocking, mutex);
//     order.acquire(locking, mutex);
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "cuda_runtime/host_threads.h"
#include "trace/recording.h"

namespace cuda_runtime {

/// Who released which object last, and what came of it.
class host_order {
 public:
  /// Edges go into `seen`. `flush` notes what the running thread has touched so far, before its step ends.
  host_order(trace::recording& recording, std::function<void()> flush) : recording_(recording), flush_(std::move(flush)) {}

  /// Whatever the thread did so far comes before what a thread does that later acquires the same object.
  void release(host_thread& by, const void* object);
  /// The same, for an object that several threads release together: what others released stays.
  void release_beside_others(host_thread& by, const void* object);
  /// What the thread does from now on comes after what was released with that object.
  void acquire(host_thread& by, const void* object);
  /// The thread begins with another host function, which has acquired nothing.
  void begin_host_function(const host_thread& by) { acquired_by_function_[by.id].clear(); }

 private:
  struct released {
    trace::operation_id by_operation = 0;
    trace::thread_id by = 0;
    trace::call_id after = 0;
    std::uint32_t step = 0;
  };
  static released released_now(host_thread& by);
  void pass_on(const released& from, std::vector<released>& to) const;

  trace::recording& recording_;
  std::function<void()> flush_;
  std::unordered_map<const void*, std::vector<released>> released_;
  // By thread: what the running host function has acquired, and passes on. The recording has no edge to a
  // host function, so what came before it is passed on together with it.
  std::map<trace::thread_id, std::vector<released>> acquired_by_function_;
};

}  // namespace cuda_runtime
