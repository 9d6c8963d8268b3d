#include "exercise/exercise_child.h"

namespace {

// Before the program's own constructors, so that the handler runs after its static destructors.
__attribute__((constructor(102))) void hook_exit() { exercise_child::send_recording_at_exit(); }

}  // namespace
