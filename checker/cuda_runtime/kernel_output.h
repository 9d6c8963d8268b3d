// kernel_output.h: what kernels print: kept on the device until the host prints it.
//
// Here: the buffer of the device. Not here: when the host prints it (host_clock.h).
//
//     kernel_output output;
//     output.add("hello\n", 1 << 20);
//     output.write_to(stdout);
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <string>

namespace cuda_runtime {

/// The buffer of one device. @see CUDA Programming Guide, "Formatted Output"
class kernel_output {
 public:
  /// Adds what one call of printf gave to a buffer of that size. When it is full, the oldest go.
  void add(std::string printed, std::size_t max_bytes) {
    bytes_ += printed.size();
    lines_.push_back(std::move(printed));
    for (; bytes_ > max_bytes; ++lost_) {
      bytes_ -= lines_.front().size();
      lines_.pop_front();
    }
  }
  /// Empties the buffer into a file.
  void write_to(std::FILE* file) {
    for (const std::string& line : lines_) std::fwrite(line.data(), 1, line.size(), file);
    lines_.clear();
    bytes_ = 0;
  }
  /// Nothing to print.
  bool is_empty() const { return lines_.empty(); }
  /// Calls of printf whose output was lost because the buffer was full.
  std::size_t lost() const { return lost_; }

 private:
  std::size_t bytes_ = 0;
  std::size_t lost_ = 0;
  std::deque<std::string> lines_;
};

/// The buffers of all devices.
class kernel_outputs {
 public:
  kernel_output& of(std::uint32_t device) { return outputs_[device]; }
  /// Prints what the device's kernels printed; called where the documentation says that the host does so.
  void show(std::uint32_t device) { outputs_[device].write_to(stdout); }
  /// Of devices that were asked for.
  const std::map<std::uint32_t, kernel_output>& all() const { return outputs_; }

 private:
  std::map<std::uint32_t, kernel_output> outputs_;
};

}  // namespace cuda_runtime
