#include "explain/cause.h"

#include <stdexcept>

namespace explain {

std::string_view word_of(cause what) {
  switch (what) {
    case cause::default_stream:
      return "default_stream";
    case cause::one_stream:
      return "one_stream";
    case cause::synchronization:
      return "synchronization";
    case cause::synchronous_copy:
      return "synchronous_copy";
    case cause::pageable_memory:
      return "pageable_memory";
    case cause::memory_management:
      return "memory_management";
    case cause::host_function:
      return "host_function";
    case cause::event_recorded_again:
      return "event_recorded_again";
    case cause::event_recorded_late:
      return "event_recorded_late";
    case cause::needless_wait:
      return "needless_wait";
    case cause::shared_buffer:
      return "shared_buffer";
    case cause::issue_order:
      return "issue_order";
    case cause::shared_queue:
      return "shared_queue";
    case cause::no_room:
      return "no_room";
    case cause::small_chunks:
      return "small_chunks";
    case cause::one_piece:
      return "one_piece";
    case cause::host_busy:
      return "host_busy";
  }
  throw std::logic_error("a cause without a word");
}

}  // namespace explain
