// kernel_host.h: the interface of kernels to their runtime, which defines host().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "device/profile.h"
#include "kernels/memory.h"
#include "trace/recording.h"

namespace kernels {

/// The runtime as kernels and device functions see it.
class kernel_host {
 public:
  virtual const device::profile& gpu() const = 0;
  /// Host code, on any thread, touched those bytes at that place in the code.
  virtual void note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) = 0;
  /// Ends the program: host code called that function, which only kernels may.
  [[noreturn]] virtual void end_by_device_function(const char* function) = 0;
  /// Ends the program: it cannot go on.
  [[noreturn]] virtual void fatal(std::string_view kind, const std::string& sentence) = 0;

 protected:
  ~kernel_host() = default;
};

/// The one of this process; made at first use.
kernel_host& host();

}  // namespace kernels
