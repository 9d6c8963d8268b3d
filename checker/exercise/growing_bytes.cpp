#include "exercise/growing_bytes.h"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace exercise {

growing_bytes::growing_bytes(growing_bytes&& other) noexcept
    : max_bytes_(other.max_bytes_),
      begin_(std::exchange(other.begin_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

growing_bytes::~growing_bytes() {
  if (begin_ != nullptr) munmap(begin_, max_bytes_);
}

void growing_bytes::append(std::string_view added) {
  if (added.size() > max_bytes_ - size_) throw std::length_error("more bytes arrived than can be taken");
  if (added.empty()) return;
  if (begin_ == nullptr) {
    void* const got =
        mmap(nullptr, max_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(got);
    madvise(begin_, max_bytes_, MADV_HUGEPAGE);
  }
  std::memcpy(begin_ + size_, added.data(), added.size());
  size_ += added.size();
}

}  // namespace exercise
