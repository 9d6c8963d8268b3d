#include "processes/content_hash.h"

#include <gtest/gtest.h>

namespace processes {
namespace {

// Values from the publication of FNV-1a.
TEST(ContentHash, IsTheSameEverywhere) {
  EXPECT_EQ(content_hash(""), "cbf29ce484222325");
  EXPECT_EQ(content_hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(content_hash("foobar"), "85944171f73967e8");
}

TEST(ContentHash, OneChangedByteChangesIt) { EXPECT_NE(content_hash("lesson 3"), content_hash("lesson 4")); }

TEST(CacheKey, DependsOnEveryPartAndItsBorders) {
  EXPECT_EQ(cache_key({"a", "bc"}), cache_key({"a", "bc"}));
  EXPECT_NE(cache_key({"a", "bc"}), cache_key({"ab", "c"}));
  EXPECT_NE(cache_key({"a", "bc"}), cache_key({"a", "bd"}));
  EXPECT_EQ(cache_key({}).size(), 32U);
}

}  // namespace
}  // namespace processes
