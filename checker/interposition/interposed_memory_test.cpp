#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "cuda_runtime/runtime.h"

extern "C" {
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memmove(void* to, const void* from, std::size_t bytes);
void* __wrap_memset(void* to, int value, std::size_t bytes);
int __wrap_memcmp(const void* one, const void* other, std::size_t bytes);
int __wrap_bcmp(const void* one, const void* other, std::size_t bytes);
std::size_t __wrap_strlen(const char* text);
std::size_t __wrap_strnlen(const char* text, std::size_t max_bytes);
ssize_t __wrap_read(int file, void* buffer, std::size_t bytes);
ssize_t __wrap_write(int file, const void* buffer, std::size_t bytes);
ssize_t __wrap_readv(int file, const iovec* buffers, int count);
ssize_t __wrap_writev(int file, const iovec* buffers, int count);
}

namespace interposition {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Pinned memory that begins with "abcd" and ends in zeros.
class MemoryFunctions : public testing::Test {
 protected:
  MemoryFunctions() {
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocHost(&memory, 64), cudaSuccess);
    pinned = static_cast<char*>(std::memset(memory, 0, 64));
    std::memcpy(pinned, "abcd", 4);
    EXPECT_EQ(pipe(file.data()), 0);
  }
  ~MemoryFunctions() override {
    for (const int end : file) close(end);
    cudaFreeHost(pinned);
  }

  /// "read 0 to 4", "write 2 of 0 to 9" where there are gaps: the bytes of the pinned memory that are touched meanwhile.
  std::vector<std::string> touched_by(const std::function<void()>& function) {
    auto& run = cuda_runtime::runtime::get();
    run.log().flush_host_accesses(run.threads().current());
    const std::size_t before = run.log().host_accesses().size();
    function();
    run.log().flush_host_accesses(run.threads().current());
    std::vector<std::string> result;
    for (std::size_t i = before; i < run.log().host_accesses().size(); ++i) {
      const trace::access& access = run.log().host_accesses()[i].access;
      const trace::byte_range bytes = access.bytes.bounds();
      const bool has_gaps = access.bytes.size_bytes() < bytes.end - bytes.begin;
      result.push_back(std::string(access.mode == trace::access_mode::read ? "read " : "write ") +
                       (has_gaps ? std::to_string(access.bytes.size_bytes()) + " of " : "") +
                       std::to_string(bytes.begin) + " to " + std::to_string(bytes.end));
    }
    return result;
  }

  char* pinned = nullptr;
  std::array<int, 2> file{};
};

TEST_F(MemoryFunctions, CopyAndSetTheirBytes) {
  std::array<char, 4> other{};
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_memcpy(other.data(), pinned, 4), other.data()); }),
              ElementsAre("read 0 to 4"));
  EXPECT_EQ(other, (std::array<char, 4>{'a', 'b', 'c', 'd'}));
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_memmove(pinned + 1, pinned, 3), pinned + 1); }),
              ElementsAre("read 0 to 3", "write 1 to 4"));
  EXPECT_STREQ(pinned, "aabc");
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_memset(pinned + 2, 'x', 2), pinned + 2); }),
              ElementsAre("write 2 to 4"));
  EXPECT_STREQ(pinned, "aaxx");
  EXPECT_THAT(touched_by([&] { __wrap_memcpy(other.data(), pinned, 0); }), IsEmpty());
}

TEST_F(MemoryFunctions, CompareUpToTheFirstDifference) {
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_memcmp(pinned, "abcd", 4), 0); }),
              ElementsAre("read 0 to 4"));
  EXPECT_THAT(touched_by([&] { EXPECT_GT(__wrap_memcmp(pinned, "aaaa", 4), 0); }),
              ElementsAre("read 0 to 2"));
  EXPECT_THAT(touched_by([&] { EXPECT_NE(__wrap_bcmp("xbcd", pinned, 4), 0); }), ElementsAre("read 0 to 1"));
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_memcmp(pinned, "", 0), 0); }), IsEmpty());
}

TEST_F(MemoryFunctions, ReadATextUpToItsEnd) {
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_strlen(pinned), 4u); }), ElementsAre("read 0 to 5"));
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_strnlen(pinned, 3), 3u); }), ElementsAre("read 0 to 3"));
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_strnlen(pinned, 9), 4u); }), ElementsAre("read 0 to 5"));
}

TEST_F(MemoryFunctions, FillBuffersAsFarAsAFileGoes) {
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_write(file[1], pinned, 3), 3); }),
              ElementsAre("read 0 to 3"));
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_read(file[0], pinned + 8, 9), 3); }),
              ElementsAre("write 8 to 11"));
  EXPECT_STREQ(pinned + 8, "abc");
  std::array<iovec, 2> buffers{{{pinned, 4}, {pinned + 32, 8}}};
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_writev(file[1], buffers.data(), 1), 4); }),
              ElementsAre("read 0 to 4"));
  buffers[0].iov_len = 1;
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_readv(file[0], buffers.data(), 2), 4); }),
              ElementsAre("write 4 of 0 to 35"));
  EXPECT_STREQ(pinned + 32, "bcd");
  EXPECT_THAT(touched_by([&] { EXPECT_EQ(__wrap_read(-1, pinned, 4), -1); }), IsEmpty());
}

}  // namespace
}  // namespace interposition
