#include "analysis/clock_store.h"

#include <gtest/gtest.h>

#include "analysis/limits.h"

namespace {

using analysis::clock_store;

TEST(ClockStore, ChangedVersionDiffersInOneEntry) {
  clock_store store(1000);
  const auto first = store.changed(0, 17, 3);
  store.seal();
  const auto second = store.changed(first, 900, 4);
  EXPECT_EQ(store.value(second, 17), 3u);
  EXPECT_EQ(store.value(second, 900), 4u);
  EXPECT_EQ(store.value(first, 900), 0u);
  EXPECT_EQ(store.value(0, 17), 0u);
}

TEST(ClockStore, EveryEntryOfEveryWidthHasItsOwnPlace) {
  for (const std::uint32_t entries : {1u, 7u, 8u, 9u, 64u, 65u, 512u, 513u}) {
    clock_store store(entries);
    clock_store::clock all = 0;
    for (std::uint32_t entry = 0; entry < entries; ++entry) all = store.changed(all, entry, entry + 1);
    for (std::uint32_t entry = 0; entry < entries; ++entry) EXPECT_EQ(store.value(all, entry), entry + 1);
  }
}

TEST(ClockStore, VersionIsChangedInPlaceUntilItIsSealed) {
  clock_store store(1000);
  auto version = store.changed(0, 0, 1);
  const std::size_t bytes = store.bytes();
  EXPECT_EQ(store.changed(version, 0, 2), version);
  EXPECT_EQ(store.bytes(), bytes);
  store.seal();
  EXPECT_NE(store.changed(version, 0, 3), version);
  EXPECT_EQ(store.value(version, 0), 2u);
}

TEST(ClockStore, RefusesMoreMemoryThanItMayTake) {
  clock_store store(1000, 1000);
  clock_store::clock version = 0;
  const auto fill = [&] {
    for (std::uint32_t entry = 0; entry < 1000; ++entry) version = store.changed(version, entry, 1);
  };
  EXPECT_THROW(fill(), analysis::too_large);
  EXPECT_LE(store.bytes(), 1000u);
}

}  // namespace
