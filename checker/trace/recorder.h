// recorder.h: the interface between an exercise program and its backend.
//
// Each backend library defines backend_recorder(): linking chooses the backend.
//
//     ... the program runs ...
//     trace::recording recording = trace::backend_recorder().finish();
#pragma once

#include <cstddef>
#include <string_view>

#include "trace/recording.h"

namespace trace {

/// The recording of the running program.
class recorder {
 public:
  virtual ~recorder() = default;
  /// Adds a trace::mark.
  virtual void mark(std::string_view name) = 0;
  /// Gives a live stream a name for reports (trace::stream::name). A backend that keeps no names does nothing.
  virtual void name_stream(const void* /*handle*/, std::string_view /*name*/) {}
  /// Gives memory a name for reports (trace::allocation::name). Pageable memory is known from then on, also when no operation uses it.
  virtual void name_memory(const void* /*begin*/, std::size_t /*bytes*/, std::string_view /*name*/) {}
  /// Completes all enqueued work and returns the recording since the program began. Once only.
  virtual recording finish() = 0;
};

/// The recorder of the linked backend.
recorder& backend_recorder();

}  // namespace trace
