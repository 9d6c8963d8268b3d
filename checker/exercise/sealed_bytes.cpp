#include "exercise/sealed_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace exercise {
namespace {

constexpr int all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

[[noreturn]] void refuse(const char* call) { throw std::system_error(errno, std::generic_category(), call); }

/// pwrite, not write: a learner's global variable of that name would take the function's place.
void write_at(int descriptor, std::string_view bytes, std::size_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse("pwrite");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
}

/// The kernel refuses with EBUSY, after about 0.1 s, while it holds on to a page itself (it moves pages, or counts which
/// are in use): mm/memfd.c, memfd_wait_for_pins. That passes.
void seal(int descriptor) {
  constexpr int attempts = 64;
  for (int attempt = 1; fcntl(descriptor, F_ADD_SEALS, all_seals) != 0; ++attempt) {
    if (errno != EBUSY || attempt == attempts) refuse("fcntl(F_ADD_SEALS)");
  }
}

}  // namespace

int make_sealed(const byte_pieces& bytes) {
  const int descriptor = memfd_create("messages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) refuse("memfd_create");
  try {
    std::size_t offset = 0;
    bytes.for_each([&](std::string_view piece) {
      write_at(descriptor, piece, offset);
      offset += piece.size();
    });
    seal(descriptor);
  } catch (...) {
    close(descriptor);
    throw;
  }
  return descriptor;
}

bool is_sealed(int descriptor) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & all_seals) == all_seals;
}

sealed_bytes::sealed_bytes(int descriptor, std::size_t max_bytes) {
  struct stat status {};
  if (!is_sealed(descriptor) || fstat(descriptor, &status) != 0)
    throw std::runtime_error("this memory could still be changed");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > max_bytes) throw std::runtime_error("there are more bytes than messages have");
  if (size_ == 0) return;
  void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
  if (mapped == MAP_FAILED) refuse("mmap");
  begin_ = static_cast<const char*>(mapped);
}

sealed_bytes::~sealed_bytes() {
  if (begin_ != nullptr) munmap(const_cast<char*>(begin_), size_);
}

}  // namespace exercise
