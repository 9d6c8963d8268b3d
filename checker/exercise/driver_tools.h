// driver_tools.h: what the library does for a driver.
//
// A driver gets them as an object and not by name: the learner's file is linked with the driver, and could declare a name and
// move the judged part. Not here: how a driver uses them (exercise.h).
#pragma once

#include <cstddef>
#include <string_view>

#include "exercise/calls.h"
#include "exercise/message.h"

namespace exercise {

/// Lives as long as the process.
class driver_tools {
 public:
  virtual call current_call() const = 0;
  /// Adds a trace::mark.
  virtual void mark(std::string_view name) const = 0;
  virtual void name_stream(const void* stream, std::string_view name) const = 0;
  virtual void name_memory(const void* begin, std::size_t bytes, std::string_view name) const = 0;

 protected:
  ~driver_tools() = default;
};

}  // namespace exercise

/// Defined where exercise.h is included.
void take_tools(const exercise::driver_tools& tools);
/// Written by each lesson (drive.cpp): feeds the contract from a request and fills the answer. Called once for each call.
void drive(const exercise::message& request, exercise::message& answer);
