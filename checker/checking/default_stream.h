// default_stream.h: the meaning of the stream handle 0 in the files of a lesson.
#pragma once

namespace checking {

/// Which stream the handle 0 names. @see CUDA Programming Guide, "Default Stream"
enum class default_stream {
  legacy,     ///< the one default stream of the device
  per_thread  ///< that of the calling host thread
};

}  // namespace checking
