#include "exercise/sealed_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace {

/// So often the kernel still holds on to a page of what is to be sealed.
int busy_answers = 0;

}  // namespace

/// Takes the place of the C library's.
extern "C" int fcntl(int descriptor, int command, ...) {
  if (command == F_ADD_SEALS && busy_answers > 0) {
    --busy_answers;
    errno = EBUSY;
    return -1;
  }
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  return static_cast<int>(syscall(SYS_fcntl, descriptor, command, argument));
}

namespace exercise {
namespace {

class SealedBytes : public testing::Test {
 protected:
  /// Sealed memory of these bytes.
  int sealed(std::string_view bytes) {
    byte_pieces pieces;
    pieces.add(bytes);
    return descriptor_ = make_sealed(pieces);
  }
  ~SealedBytes() override {
    busy_answers = 0;
    close(descriptor_);
  }

  int descriptor_ = -1;
};

TEST_F(SealedBytes, AreThePiecesOneBehindTheOther) {
  const auto large = std::make_shared<const std::string>(100'000, 'x');
  byte_pieces pieces;
  pieces.add("head");
  pieces.add(*large, large);
  descriptor_ = make_sealed(pieces);
  EXPECT_EQ(sealed_bytes(descriptor_).all(), "head" + *large);
}

TEST_F(SealedBytes, MayBeNone) { EXPECT_EQ(sealed_bytes(sealed("")).all(), ""); }

TEST_F(SealedBytes, StayWhenTheirDescriptorIsClosed) {
  const sealed_bytes bytes(sealed("abc"));
  close(descriptor_);
  EXPECT_EQ(bytes.all(), "abc");
}

TEST_F(SealedBytes, CannotBeChangedByAnybody) {
  EXPECT_TRUE(is_sealed(sealed("abc")));
  EXPECT_EQ(pwrite(descriptor_, "x", 1, 0), -1);
  EXPECT_EQ(ftruncate(descriptor_, 0), -1);
  EXPECT_EQ(mmap(nullptr, 3, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0), MAP_FAILED);
}

TEST_F(SealedBytes, AreNotReadFromWhatCouldChange) {
  descriptor_ = memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(descriptor_, 100), 0);
  EXPECT_FALSE(is_sealed(descriptor_));
  EXPECT_THROW(sealed_bytes{descriptor_}, std::runtime_error);
  ASSERT_EQ(fcntl(descriptor_, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW), 0);
  EXPECT_FALSE(is_sealed(descriptor_));  // it could become shorter under who reads
  EXPECT_FALSE(is_sealed(STDERR_FILENO));
  EXPECT_FALSE(is_sealed(-1));
}

TEST_F(SealedBytes, AreSealedOnceTheKernelLetsGoOfTheirPages) {
  busy_answers = 3;
  EXPECT_TRUE(is_sealed(sealed("abc")));
  EXPECT_EQ(busy_answers, 0);
}

TEST_F(SealedBytes, AreNoneWhenTheKernelNeverLetsGo) {
  busy_answers = std::numeric_limits<int>::max();
  EXPECT_THROW(sealed("abc"), std::system_error);
}

TEST_F(SealedBytes, AreNoMoreThanWasAgreed) {
  sealed("abcd");
  EXPECT_EQ(sealed_bytes(descriptor_, 4).all(), "abcd");
  EXPECT_THROW(sealed_bytes(descriptor_, 3), std::runtime_error);
}

}  // namespace
}  // namespace exercise
