#include "exercise/exercise.h"

#include <string>

#include "exercise/exercise_child.h"
#include "trace/recorder.h"

namespace exercise {
namespace {

call current = call::repeated;

}  // namespace

call current_call() { return current; }
void begin_part(std::string_view name) { trace::backend_recorder().mark("begin:" + std::string(name)); }
void end_part(std::string_view name) { trace::backend_recorder().mark("end:" + std::string(name)); }

void begin_learner() { begin_part(part_name("learner", current)); }
void end_learner() { end_part(part_name("learner", current)); }

void name_stream(const void* stream, std::string_view name) {
  trace::backend_recorder().name_stream(stream, name);
}
void name_memory(const void* address, std::string_view name) {
  trace::backend_recorder().name_memory(address, name);
}

}  // namespace exercise

namespace exercise_child {

void begin_call(exercise::call next) { exercise::current = next; }

}  // namespace exercise_child
