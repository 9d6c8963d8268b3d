#include "processes/run.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <optional>

#include "processes/descriptor.h"
#include "processes/files.h"
#include "processes/guardian.h"
#include "processes/process_tree.h"

namespace processes {
namespace {

/// One stream of the program.
struct captured_stream {
  pipe_ends pipe{};
  std::string text{};
  std::size_t dropped_bytes = 0;

  /// Takes what there is to read; closes the descriptor at the end of it. max_bytes 0: no limit.
  void take_some(std::size_t max_bytes) {
    std::array<char, 1 << 16> space;
    const ssize_t length = read(pipe.reader.number(), space.data(), space.size());
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (length <= 0) return pipe.reader.reset();
    const auto size = static_cast<std::size_t>(length);
    const std::size_t kept = max_bytes == 0 ? size : std::min(size, max_bytes - text.size());
    text.append(space.data(), kept);
    dropped_bytes += size - kept;
  }
};

/// For poll(): until then, or no limit.
int milliseconds_until(const std::optional<std::chrono::steady_clock::time_point>& deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
}

/// The program, and what ends it with all that it started. A sandbox has a guardian: bubblewrap that is killed while it sets up
/// leaves a process that waits for it for ever.
class running_program {
 public:
  explicit running_program(const start_options& options) {
    if (options.is_sandbox) {
      guardian_.emplace(options);
    } else {
      started_ = start(options);
    }
  }

  void end() {
    if (guardian_) return guardian_->stop();
    if (started_.error != 0) return;
    // A compiler's driver would leave its children running.
    kill(started_.id, SIGSTOP);
    signal_below(started_.id, SIGKILL);
    kill(started_.id, SIGKILL);
  }

  outcome result() {
    if (guardian_) return guardian_->read_outcome().value_or(outcome_from(SIGKILL, rusage{}));
    return started_.error != 0 ? outcome_of_failed_start(started_.error) : wait_for(started_.id);
  }

 private:
  std::optional<guardian> guardian_;
  started_program started_;
};

}  // namespace

outcome run(start_options options, capture streams, std::string_view input, run_limits limits) {
  descriptor input_file;
  if (!input.empty()) {
    input_file = memory_file(input);
    options.input = input_file.number();
  }
  captured_stream output{.pipe = make_pipe()};
  captured_stream errors;
  options.output = options.errors = output.pipe.writer.number();
  if (streams == capture::apart) {
    errors.pipe = make_pipe();
    options.errors = errors.pipe.writer.number();
  }
  if (streams == capture::output_only) options.errors = null_device;

  std::optional<std::chrono::steady_clock::time_point> deadline;
  if (limits.real_time.count() > 0) deadline = std::chrono::steady_clock::now() + limits.real_time;
  running_program program(options);
  output.pipe.writer.reset();
  errors.pipe.writer.reset();
  bool is_over_limit = false;
  while (output.pipe.reader.is_open() || errors.pipe.reader.is_open()) {
    std::array<pollfd, 2> watched{
        {{output.pipe.reader.number(), POLLIN, 0}, {errors.pipe.reader.number(), POLLIN, 0}}};
    const int ready = poll(watched.data(), watched.size(), milliseconds_until(deadline));
    if (ready < 0) continue;
    if (ready == 0) {
      is_over_limit = true;
      program.end();
      break;
    }
    if (watched[0].revents != 0) output.take_some(limits.output_bytes);
    if (watched[1].revents != 0) errors.take_some(limits.error_bytes);
  }
  outcome ended = program.result();
  ended.is_over_limit = is_over_limit;
  ended.output = std::move(output.text);
  ended.errors = std::move(errors.text);
  ended.dropped_output_bytes = output.dropped_bytes;
  ended.dropped_error_bytes = errors.dropped_bytes;
  return ended;
}

outcome run_tool(std::vector<std::string> arguments) {
  const std::string name = arguments.front();
  outcome ended = run({.arguments = std::move(arguments)});
  if (ended.start_error != 0)
    throw std::system_error(ended.start_error, std::generic_category(), "cannot run " + name);
  return ended;
}

}  // namespace processes
