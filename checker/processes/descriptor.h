// descriptor.h: an open file descriptor with an owner.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace processes {

/// Closes its descriptor at its end.
class descriptor {
 public:
  descriptor() = default;
  /// Takes over an open descriptor, or -1 for none.
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { reset(); }
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

/// The two ends of a pipe, both closed on exec.
struct pipe_ends {
  descriptor reader;
  descriptor writer;
};

/// Throws std::system_error when there is no descriptor left.
inline pipe_ends make_pipe() {
  std::array<int, 2> both{};
  if (pipe2(both.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {descriptor(both[0]), descriptor(both[1])};
}

}  // namespace processes
