// recording_builder.h: for tests: small recordings, call by call.
//
// Each function is one statement of a program "program.cu": it appends the host call and the work that it issues, on
// the current host thread (1 at first) and on the line set by at_line(), else the next one. The legacy default stream
// of device 0 is stream 1.
//
//     recording_builder program;
//     const auto stream = program.create_stream();
//     const auto buffer = program.allocate(memory_kind::device, 4096);
//     program.launch("scale", stream, {writes(buffer)});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace/recording.h"

namespace trace {

/// Bytes [offset, offset + length) of an allocation.
struct memory {
  allocation_id allocation = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

access reads(memory bytes);
access writes(memory bytes);
access updates_atomically(memory bytes);
/// The part [offset, offset + length) of an allocation.
memory slice(memory whole, std::uint64_t offset, std::uint64_t length);

/// A kernel as a node of a graph; `after` are the places, from 0, of the nodes on which it depends.
struct graph_kernel {
  std::string name{};
  std::vector<std::size_t> after{};
  std::vector<access> accesses{};
};

enum class waiting { synchronous, asynchronous };
enum class answer { complete, not_ready };

class recording_builder {
 public:
  recording_builder();

  stream_id legacy_stream(std::uint32_t device = 0);
  stream_id per_thread_stream();
  stream_id create_stream(stream_blocking blocking = stream_blocking::blocking);
  void destroy_stream(stream_id stream);
  event_id create_event();
  memory allocate(memory_kind kind, std::uint64_t bytes);
  void free(memory block);
  /// cudaMallocAsync.
  memory allocate_from_pool(stream_id stream, std::uint64_t bytes);
  /// Moves managed memory to the device.
  operation_id prefetch(memory block, stream_id stream);
  /// cudaFreeAsync.
  operation_id free_to_pool(memory block, stream_id stream);

  operation_id launch(const std::string& kernel, stream_id stream, std::vector<access> accesses = {});
  /// cudaMemcpy (in the legacy stream) or cudaMemcpyAsync.
  operation_id copy(memory from, memory to, stream_id stream, waiting how = waiting::asynchronous);
  operation_id set(memory block, stream_id stream, waiting how = waiting::asynchronous);
  operation_id launch_host_function(stream_id stream, std::vector<access> accesses = {});
  /// cudaGraphLaunch; gives the operations of the nodes. The launch is the operation before the first.
  std::vector<operation_id> launch_graph(stream_id stream, const std::vector<graph_kernel>& nodes);
  operation_id record(event_id event, stream_id stream);
  operation_id wait(stream_id stream, event_id event);

  void synchronize_stream(stream_id stream);
  void synchronize_event(event_id event);
  void synchronize_device();
  void query_stream(stream_id stream, answer reply);
  void query_event(event_id event, answer reply);

  void host_reads(memory bytes);
  void host_writes(memory bytes);

  /// What follows is done by that host thread, on that device, on that line (one statement only).
  void on_thread(thread_id thread) { thread_ = thread; }
  void on_device(std::uint32_t device) { device_ = device; }
  recording_builder& at_line(std::uint32_t line);
  /// The next statement is in a function that those lines call, the innermost first.
  recording_builder& called_from(const std::vector<std::uint32_t>& lines);
  /// What follows stands in that file.
  void in_file(const std::string& path);
  /// From now on what threads do is divided into steps (host_edge), as the virtual GPU does; without
  /// it each thread stays in step 0.
  void divide_into_steps() { divides_into_steps_ = true; }
  /// `from` lets `to` go on, here and now.
  void pass(thread_id from, thread_id to);
  void pass_from_host_function(operation_id function, thread_id to);
  void pass_to_host_function(thread_id from, operation_id function);
  /// The host function touches that, after all that was passed to it and by it so far.
  void touch(operation_id function, access touched);
  void mark(const std::string& name);
  /// A call of which only the function matters.
  void call_of(api_function function) { call(function); }
  /// The last call has failed with that code.
  void fail_last_call(int error_code, const std::string& error_name = "");
  /// As fail_last_call(), and nothing takes what the call returns.
  void fail_last_call_unused(int error_code);

  const trace::recording& recording() const { return recording_; }

 private:
  host_call& call(api_function function);
  operation& issue(api_function function, operation_kind kind, stream_id stream);
  location next_place();
  call_id last_call_of(thread_id thread) const;
  stream_id add_stream(stream_kind kind, stream_blocking blocking);
  void add_host_access(access access);

  trace::recording recording_;
  std::vector<operation_id> last_record_;  // by event id - 1
  thread_id thread_ = 1;
  std::map<thread_id, std::uint32_t> steps_;
  std::map<operation_id, std::uint32_t> steps_of_functions_;
  bool divides_into_steps_ = false;
  std::uint32_t device_ = 0;
  std::uint32_t line_ = 0;
  std::uint32_t file_ = 1;
  std::uint32_t callers_ = 0;  // of the next statement
};

}  // namespace trace
