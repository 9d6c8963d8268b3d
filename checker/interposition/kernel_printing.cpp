// What kernels print, and assertions that fail in them; in host code the functions are those of the C library.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

#include "kernels/exported.h"
#include "kernels/kernel_run.h"

// The C library's own; <assert.h> declares it only without NDEBUG.
extern "C" [[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned int line,
                                           const char* function) noexcept;

namespace {

using kernels::kernel_run;

/// How many arguments a format prints; `*` takes one too.
int count_arguments(std::string_view format) {
  int count = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    for (++i; i < format.size() &&
              std::string_view("-+ #0123456789.*hlLzjt").find(format[i]) != std::string_view::npos;
         ++i) {
      if (format[i] == '*') ++count;
    }
    if (i < format.size() && format[i] != '%') ++count;
  }
  return count;
}

/// The kernel of `kernel(int)::<lambda()>`: the compilers take its body for a function of its own.
std::string without_closure(std::string_view function) {
  if (function.starts_with("auto ")) function.remove_prefix(5);
  return std::string(
      function.substr(0, std::min(function.find("::<lambda"), function.find("::(anonymous class)"))));
}

/// printf of a kernel: gives the number of arguments, -1 without a format, -2 when it cannot be printed.
/// @see CUDA C++ Programming Guide, "Formatted Output"
int print(kernel_run& kernel, const char* format, va_list arguments) {
  if (format == nullptr) return -1;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0) return -2;
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, arguments);
  text.pop_back();
  kernel.print(std::move(text));
  return count_arguments(format);
}

}  // namespace

extern "C" {

EXPORTED int __wrap_vprintf(const char* format, va_list arguments) {
  kernel_run* const kernel = kernel_run::current();
  return kernel != nullptr ? print(*kernel, format, arguments) : std::vprintf(format, arguments);
}

EXPORTED int __wrap_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __wrap_vprintf(format, arguments);
  va_end(arguments);
  return result;
}

// nvcc compiles neither of these two in a kernel; a program that compiles here shows its output at the right time.
EXPORTED int __wrap_puts(const char* text) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) return std::puts(text);
  kernel->print(std::string(text) + '\n');
  return 0;
}

EXPORTED int __wrap_putchar(int character) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) return std::putchar(character);
  kernel->print(std::string(1, static_cast<char>(character)));
  return character;
}

/// What assert() calls. In a kernel: the message that hardware gives, for each thread, and cudaErrorAssert.
[[noreturn]] EXPORTED void __wrap___assert_fail(const char* condition, const char* file, unsigned int line,
                                                const char* function) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel == nullptr) __assert_fail(condition, file, line, function);
  const dim3 block = kernel->running_block_index();
  const dim3 thread = kernel->running_thread_index();
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
               line, without_closure(function).c_str(), block.x, block.y, block.z, thread.x, thread.y,
               thread.z, condition);
  kernel->stop_thread({cudaErrorAssert, trace::diagnostic_kind::assertion,
                       kernel->running_thread_in_words() + ": assert(" + condition + ") failed",
                       reinterpret_cast<kernels::address>(__builtin_return_address(0))});
}

}  // extern "C"
