// recorder.h: the seam between an exercise program and the backend that it is linked with.
//
// Each backend library defines backend_recorder(); that one definition is how a backend is chosen.
//
//     ... the program runs ...
//     trace::recording recording = trace::backend_recorder().finish();
#pragma once

#include <string_view>

#include "trace/recording.h"

namespace trace {

/// What a backend does for whoever starts a program on it.
class recorder {
 public:
  virtual ~recorder() = default;
  /// Adds a trace::mark.
  virtual void mark(std::string_view name) = 0;
  /// Gives a live stream a name for reports (trace::stream::name). A backend that keeps no names does nothing.
  virtual void name_stream(const void* /*handle*/, std::string_view /*name*/) {}
  /// Gives the memory that holds an address a name for reports (trace::allocation::name). Pageable memory may be
  /// named before an operation uses it.
  virtual void name_memory(const void* /*address*/, std::string_view /*name*/) {}
  /// Lets everything enqueued so far run to its end and returns what happened since the program began. Once only.
  virtual recording finish() = 0;
};

/// The recorder of the linked backend.
recorder& backend_recorder();

}  // namespace trace
