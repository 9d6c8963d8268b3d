// exercise_child.h: the exercise program's end of the private channel.
//
// The channel is taken over before any constructor of the learner runs. Here: what the two tiny main objects
// (exercise_main.cpp, program_hook.cpp) call. Not here: what drive.cpp calls (exercise.h).
//
//     int main() { return exercise_child::run(&drive, &take_tools); }
#pragma once

#include <string_view>

#include "exercise/driver_tools.h"
#include "exercise/message.h"

namespace exercise_child {

/// The drive() of a lesson.
using drive_function = void (*)(const exercise::message& request, exercise::message& answer);

/// The take_tools() of a lesson.
using tools_function = void (*)(const exercise::driver_tools& tools);

/// The main of a lesson's exercise program: takes the requests, calls `drive` for each call, sends answers and recording, and
/// ends the process. Returns only without a checker on the other side: 2, after saying so on stderr.
int run(drive_function drive, tools_function take_tools);

/// For a program with its own main: sends the recording at normal exit, after the program's own static
/// destructors. Does nothing without a checker.
void send_recording_at_exit();

/// The trace::fatal_handler of a program that a checker started: ends the process after sending the recording so far,
/// if there is one, and the reason.
[[noreturn]] void fail(std::string_view kind, std::string_view sentence);

}  // namespace exercise_child
