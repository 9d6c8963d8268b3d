#include "trace/run_control.h"

#include <utility>

namespace trace {
namespace {

// Used before constructors and after destructors of the program.
constinit const run_control* current = nullptr;

}  // namespace

void set_run_control(run_control control) { current = new run_control(std::move(control)); }

const run_control* current_run_control() { return current; }

}  // namespace trace
