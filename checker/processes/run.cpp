#include "processes/run.h"

#include <poll.h>
#include <sys/mman.h>

#include <array>

#include "processes/descriptor.h"

namespace processes {
namespace {

/// A file in memory, to be read from its beginning.
descriptor file_with(std::string_view content) {
  descriptor file(memfd_create("input", MFD_CLOEXEC));
  while (!content.empty()) {
    const ssize_t length = write(file.number(), content.data(), content.size());
    if (length < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "memfd");
    if (length > 0) content.remove_prefix(static_cast<std::size_t>(length));
  }
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

/// Appends what there is to read; closes the descriptor at the end of it.
void read_some(descriptor& source, std::string& text) {
  std::array<char, 1 << 16> space;
  const ssize_t length = read(source.number(), space.data(), space.size());
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (length <= 0) return source.reset();
  text.append(space.data(), static_cast<std::size_t>(length));
}

}  // namespace

outcome run(start_options options, capture streams, std::string_view input) {
  descriptor input_file;
  if (!input.empty()) {
    input_file = file_with(input);
    options.input = input_file.number();
  }
  pipe_ends output = make_pipe();
  pipe_ends errors;
  options.output = options.errors = output.writer.number();
  if (streams == capture::apart) {
    errors = make_pipe();
    options.errors = errors.writer.number();
  }
  if (streams == capture::output_only) options.errors = null_device;

  const started_program started = start(options);
  if (started.error != 0) return outcome_of_failed_start(started.error);
  output.writer.reset();
  errors.writer.reset();
  std::string output_text;
  std::string error_text;
  while (output.reader.is_open() || errors.reader.is_open()) {
    std::array<pollfd, 2> watched{{{output.reader.number(), POLLIN, 0}, {errors.reader.number(), POLLIN, 0}}};
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[0].revents != 0) read_some(output.reader, output_text);
    if (watched[1].revents != 0) read_some(errors.reader, error_text);
  }
  outcome ended = wait_for(started.id);
  ended.output = std::move(output_text);
  ended.errors = std::move(error_text);
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
