// exercise.h: the exercise program's half, as drive.cpp sees it. Included by one file of a program.
//
// drive.cpp reads scalars and buffers of the request by name, calls the learner's function, and puts the
// results into the answer. Expected values and seeds of the check never get here.
//
//     void drive(const exercise::message& request, exercise::message& answer) {
//       exercise::begin_learner();
//       scale(device_buffer, request.integer("elements"));
//       exercise::end_learner();
//       answer.set("output", std::vector<float>(host, host + n));
//     }
#pragma once

#include <string>
#include <string_view>

#include "exercise/calls.h"
#include "exercise/driver_tools.h"
#include "exercise/message.h"

namespace exercise {

/// No name that another file could declare.
static const driver_tools* tools = nullptr;

/// Which call of drive() this is.
static inline call current_call() { return tools->current_call(); }

/// Adds a mark to the recording: what is known of the run outside of CUDA at that point.
static inline void mark(const std::string& name) {
  if (tools != nullptr) tools->mark(name);
}

/// Mark a named part of the recording, such as "serial" (trace::mark "begin:serial", "end:serial").
static inline void begin_part(std::string_view name) { tools->mark("begin:" + std::string(name)); }
/// Ends the part of that name.
static inline void end_part(std::string_view name) { tools->mark("end:" + std::string(name)); }

/// Mark the learner's part of this call: "learner", or "learner (first call)".
static inline void begin_learner() { begin_part(part_name("learner", tools->current_call())); }
/// Ends the learner's part of this call.
static inline void end_learner() { end_part(part_name("learner", tools->current_call())); }

/// Gives a live stream (a cudaStream_t) the name that the contract has for it: pictures and reports call it
/// "lanes[0].stream" instead of "stream 2". No two streams of a run should have the same name.
static inline void name_stream(const void* stream, std::string_view name) {
  tools->name_stream(stream, name);
}
/// The same for memory: "`result` (pinned memory)".
static inline void name_memory(const void* begin, std::size_t bytes, std::string_view name) {
  tools->name_memory(begin, bytes, name);
}

}  // namespace exercise

void take_tools(const exercise::driver_tools& tools) { exercise::tools = &tools; }
