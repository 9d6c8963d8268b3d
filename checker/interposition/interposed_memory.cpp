// interposed_memory.cpp: functions of the C library that read and write memory of their caller. What they touch is noted here,
// because no instrumentation sees it. All are wrapped (--wrap): libstdc++'s own calls are not noted.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "interposition/instrumentation.h"
#include "kernels/exported.h"

using trace::access_mode;

namespace {

using kernels::address;

void note(address code, const void* begin, std::size_t bytes, access_mode mode) {
  if (bytes > 0) interposition::note_access(code, reinterpret_cast<address>(begin), bytes, mode);
}

/// Up to the first difference, if there is one.
int compare(address code, const void* one, const void* other, std::size_t bytes) {
  const int result = std::memcmp(one, other, bytes);
  if (result != 0) {
    const auto* const begin = static_cast<const unsigned char*>(one);
    const auto* const difference =
        std::mismatch(begin, begin + bytes, static_cast<const unsigned char*>(other)).first;
    bytes = static_cast<std::size_t>(difference - begin) + 1;
  }
  note(code, one, bytes, access_mode::read);
  note(code, other, bytes, access_mode::read);
  return result;
}

std::size_t length_of(address code, const char* text, std::size_t max_bytes) {
  const std::size_t length = strnlen(text, max_bytes);
  note(code, text, std::min(length + 1, max_bytes), access_mode::read);
  return length;
}

/// The first so many bytes of the buffers.
void note_buffers(address code, const iovec* buffers, std::size_t bytes, access_mode mode) {
  for (const iovec* buffer = buffers; bytes > 0; ++buffer) {
    const std::size_t of_buffer = std::min(bytes, buffer->iov_len);
    note(code, buffer->iov_base, of_buffer, mode);
    bytes -= of_buffer;
  }
}

/// What a function says that it has read; none when it failed.
std::size_t done(ssize_t bytes) { return static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)); }

}  // namespace

#define CODE reinterpret_cast<address>(__builtin_return_address(0))

extern "C" {

EXPORTED void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  note(CODE, from, bytes, access_mode::read);
  note(CODE, to, bytes, access_mode::write);
  return std::memcpy(to, from, bytes);
}
EXPORTED void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  note(CODE, from, bytes, access_mode::read);
  note(CODE, to, bytes, access_mode::write);
  return std::memmove(to, from, bytes);
}
EXPORTED void* __wrap_memset(void* to, int value, std::size_t bytes) {
  note(CODE, to, bytes, access_mode::write);
  return std::memset(to, value, bytes);
}

EXPORTED int __wrap_memcmp(const void* one, const void* other, std::size_t bytes) {
  return compare(CODE, one, other, bytes);
}
EXPORTED int __wrap_bcmp(const void* one, const void* other, std::size_t bytes) {
  return compare(CODE, one, other, bytes);
}
EXPORTED std::size_t __wrap_strlen(const char* text) {
  return length_of(CODE, text, std::numeric_limits<std::size_t>::max());
}
EXPORTED std::size_t __wrap_strnlen(const char* text, std::size_t max_bytes) {
  return length_of(CODE, text, max_bytes);
}

// What comes from a file is known when it has come.
EXPORTED std::size_t __wrap_fread(void* buffer, std::size_t size, std::size_t count, std::FILE* file) {
  const std::size_t read_whole = std::fread(buffer, size, count, file);
  note(CODE, buffer, read_whole * size, access_mode::write);
  return read_whole;
}
EXPORTED ssize_t __wrap_read(int file, void* buffer, std::size_t bytes) {
  const ssize_t result = read(file, buffer, bytes);
  note(CODE, buffer, done(result), access_mode::write);
  return result;
}
EXPORTED ssize_t __wrap_pread(int file, void* buffer, std::size_t bytes, off_t offset) {
  const ssize_t result = pread(file, buffer, bytes, offset);
  note(CODE, buffer, done(result), access_mode::write);
  return result;
}
EXPORTED ssize_t __wrap_readv(int file, const iovec* buffers, int count) {
  const ssize_t result = readv(file, buffers, count);
  note_buffers(CODE, buffers, done(result), access_mode::write);
  return result;
}

EXPORTED std::size_t __wrap_fwrite(const void* buffer, std::size_t size, std::size_t count, std::FILE* file) {
  note(CODE, buffer, size * count, access_mode::read);
  return std::fwrite(buffer, size, count, file);
}
EXPORTED ssize_t __wrap_write(int file, const void* buffer, std::size_t bytes) {
  note(CODE, buffer, bytes, access_mode::read);
  return write(file, buffer, bytes);
}
EXPORTED ssize_t __wrap_pwrite(int file, const void* buffer, std::size_t bytes, off_t offset) {
  note(CODE, buffer, bytes, access_mode::read);
  return pwrite(file, buffer, bytes, offset);
}
EXPORTED ssize_t __wrap_writev(int file, const iovec* buffers, int count) {
  for (int number = 0; number < count; ++number)
    note(CODE, buffers[number].iov_base, buffers[number].iov_len, access_mode::read);
  return writev(file, buffers, count);
}

}  // extern "C"
