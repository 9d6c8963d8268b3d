#include "processes/object_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace processes {
namespace {

namespace fs = std::filesystem;

class ObjectCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "cache-test-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    std::ofstream(directory_ / "made.o") << "machine code";
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST_F(ObjectCache, StoredObjectComesBackWithItsWarnings) {
  const object_cache cache(directory_ / "cache");
  cache.store("key", directory_ / "made.o", "a warning\n");
  std::string warnings;
  ASSERT_TRUE(cache.fetch("key", directory_ / "copy.o", warnings));
  EXPECT_EQ(warnings, "a warning\n");
  std::ifstream copy(directory_ / "copy.o");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(copy), {}), "machine code");
}

TEST_F(ObjectCache, UnknownKeyIsNotFound) {
  std::string warnings;
  EXPECT_FALSE(object_cache(directory_ / "cache").fetch("key", directory_ / "copy.o", warnings));
}

TEST_F(ObjectCache, DamagedEntryIsForgotten) {
  const object_cache cache(directory_ / "cache");
  for (const char* const ending : {".o", ".txt"}) {
    for (const char* const damage : {"", "machine cod", "other bytes!"}) {
      cache.store("key", directory_ / "made.o", "a warning\n");
      std::ofstream(directory_ / "cache" / (std::string("key") + ending), std::ios::trunc) << damage;
      std::string warnings;
      EXPECT_FALSE(cache.fetch("key", directory_ / "copy.o", warnings));
      EXPECT_TRUE(fs::is_empty(directory_ / "cache"));
    }
  }
}

TEST_F(ObjectCache, FindsTheObjectOfFilesThatAreAsTheyWere) {
  const object_cache cache(directory_ / "cache");
  const fs::path source = directory_ / "a source.cpp";
  std::ofstream(source) << "int a;";
  EXPECT_EQ(cache.key_of_unchanged("command"), "");
  cache.note_files("command", "key", {source, directory_ / "made.o"});
  EXPECT_EQ(cache.key_of_unchanged("command"), "key");
  EXPECT_EQ(cache.key_of_unchanged("another command"), "");
}

TEST_F(ObjectCache, AFileThatWasChangedOrRemovedIsNoticed) {
  const object_cache cache(directory_ / "cache");
  const fs::path source = directory_ / "a.cpp";
  const auto note = [&] {
    std::ofstream(source) << "int a;";
    cache.note_files("command", "key", {source});
    ASSERT_EQ(cache.key_of_unchanged("command"), "key");
  };
  note();
  fs::last_write_time(source, fs::last_write_time(source) + std::chrono::seconds(1));
  EXPECT_EQ(cache.key_of_unchanged("command"), "");
  note();
  std::ofstream(source, std::ios::app) << " ";
  EXPECT_EQ(cache.key_of_unchanged("command"), "");
  note();
  fs::remove(source);
  EXPECT_EQ(cache.key_of_unchanged("command"), "");
}

TEST_F(ObjectCache, OldestEntryGoesWhenThereAreTooMany) {
  const object_cache cache(directory_ / "cache");
  for (std::size_t i = 0; i < object_cache::max_entries; ++i) {
    const std::string key = "key" + std::to_string(i);
    cache.store(key, directory_ / "made.o", "");
    fs::last_write_time(directory_ / "cache" / (key + ".o"),
                        fs::file_time_type::clock::now() - std::chrono::hours(1000 - i));
  }
  cache.store("new", directory_ / "made.o", "");
  std::string warnings;
  EXPECT_FALSE(cache.fetch("key0", directory_ / "copy.o", warnings));
  EXPECT_TRUE(cache.fetch("key1", directory_ / "copy.o", warnings));
  EXPECT_TRUE(cache.fetch("new", directory_ / "copy.o", warnings));
}

}  // namespace
}  // namespace processes
