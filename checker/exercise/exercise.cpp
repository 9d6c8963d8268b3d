#include "exercise/exercise.h"

#include <string>

#include "trace/recorder.h"

namespace exercise {

void begin_part(std::string_view name) { trace::backend_recorder().mark("begin:" + std::string(name)); }
void end_part(std::string_view name) { trace::backend_recorder().mark("end:" + std::string(name)); }

void begin_learner() { begin_part("learner"); }
void end_learner() { end_part("learner"); }

void name_stream(const void* stream, std::string_view name) {
  trace::backend_recorder().name_stream(stream, name);
}
void name_memory(const void* address, std::string_view name) {
  trace::backend_recorder().name_memory(address, name);
}

}  // namespace exercise
