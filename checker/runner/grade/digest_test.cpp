#include "runner/grade/digest.h"

#include <gtest/gtest.h>

namespace runner {
namespace {

class Digest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_digests()) GTEST_SKIP() << "built without libsodium";
  }
};

TEST_F(Digest, Sha256IsThatOfTheStandard) {
  // FIPS 180-4, the example of one block.
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(Digest, AKeyedNumberDependsOnKeyAndMessage) {
  // printf 03 | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf secret | sha256sum | cut -d' ' -f1)
  EXPECT_EQ(keyed_number("secret", "03"), 0x5b580610225c0760u);
  EXPECT_NE(keyed_number("secret", "03"), keyed_number("secret", "04"));
  EXPECT_NE(keyed_number("secret", "03"), keyed_number("other", "03"));
}

TEST_F(Digest, SecretsDiffer) {
  EXPECT_EQ(random_secret().size(), 64U);
  EXPECT_NE(random_secret(), random_secret());
}

}  // namespace
}  // namespace runner
