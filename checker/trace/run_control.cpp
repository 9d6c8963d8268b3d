#include "trace/run_control.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace trace {
namespace {

// Used before constructors and after destructors of the program.
constinit const run_control* current = nullptr;

}  // namespace

std::uint32_t usable_cores() {
  const char* const limit = std::getenv("STREAMLINGS_THREADS");
  const int asked = limit != nullptr ? std::atoi(limit) : 0;
  return asked > 0 ? static_cast<std::uint32_t>(asked) : std::max(1U, std::thread::hardware_concurrency());
}

block_sharing sharing_for(std::size_t programs) {
  block_sharing result;
  result.processes =
      std::max(usable_cores() / static_cast<std::uint32_t>(std::max<std::size_t>(programs, 1)), 1U);
  if (const char* const bound = std::getenv("STREAMLINGS_MIN_PART_NS"))
    result.min_part = nanoseconds(std::atoll(bound));
  if (const char* const log = std::getenv("STREAMLINGS_SHARING_LOG")) result.log = log;
  return result;
}

cuda_variables cuda_variables_here() {
  const char* const queues = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  const char* const blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  const int number = queues != nullptr ? std::atoi(queues) : 0;
  return {number >= 1 && number <= 32 ? static_cast<std::uint32_t>(number) : 0,
          blocking != nullptr && std::string_view(blocking) == "1"};
}

void share_cores(std::size_t programs) {
  setenv("STREAMLINGS_THREADS", std::to_string(sharing_for(programs).processes).c_str(), 1);
}

void set_run_control(run_control control) { current = new run_control(std::move(control)); }

const run_control* current_run_control() { return current; }

}  // namespace trace
