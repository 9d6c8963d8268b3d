// exercise.h: the exercise program's half, as drive.cpp sees it.
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

#include <string_view>

#include "exercise/calls.h"
#include "exercise/message.h"

namespace exercise {

/// Which call of drive() this is.
call current_call();

/// Mark a named part of the recording, such as "serial" (trace::mark "begin:serial", "end:serial").
void begin_part(std::string_view name);
void end_part(std::string_view name);

/// Mark the learner's part of this call: "learner", or "learner (first call)".
void begin_learner();
void end_learner();

/// Gives a live stream (a cudaStream_t) the name that the contract has for it: pictures and reports call it
/// "lanes[0].stream" instead of "stream 2". No two streams of a run should have the same name.
void name_stream(const void* stream, std::string_view name);
/// The same for the memory that holds an address: "`result` (pinned memory)".
void name_memory(const void* address, std::string_view name);

}  // namespace exercise

/// Written by each lesson (drive.cpp): feeds the contract from a request and fills the answer. Called once for each call.
void drive(const exercise::message& request, exercise::message& answer);
