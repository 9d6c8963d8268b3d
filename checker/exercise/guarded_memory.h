// guarded_memory.h: plain host memory that ends where no memory is, for arrays that a contract gives by pointer.
//
// An access past the end ends the program there, on each backend. What lies before the beginning, and pinned memory, is not guarded.
//
//     const guarded_memory factors(values.data(), values.size() * sizeof(float));
//     work.factors = static_cast<const float*>(factors.data());
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace exercise {

/// A copy of so many bytes.
class guarded_memory {
 public:
  guarded_memory(const void* values, std::size_t bytes)
      : bytes_(bytes), pages_(static_cast<char*>(std::aligned_alloc(page_bytes, bytes_before_guard() + page_bytes))) {
    std::memcpy(data(), values, bytes);
    mprotect(pages_ + bytes_before_guard(), page_bytes, PROT_NONE);
  }
  guarded_memory(const guarded_memory&) = delete;
  guarded_memory& operator=(const guarded_memory&) = delete;
  ~guarded_memory() {
    mprotect(pages_ + bytes_before_guard(), page_bytes, PROT_READ | PROT_WRITE);
    std::free(pages_);
  }

  void* data() const { return pages_ + bytes_before_guard() - bytes_; }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t page_bytes = 4096;
  std::size_t bytes_before_guard() const { return (bytes_ + page_bytes - 1) / page_bytes * page_bytes; }

  std::size_t bytes_;
  char* pages_;
};

}  // namespace exercise
