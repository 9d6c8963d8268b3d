#include "parsing/nvcc_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parsing {
namespace {

using testing::ElementsAre;

nvcc_option only_option(const std::vector<std::string>& words) {
  const std::vector<nvcc_option> options = read_nvcc_words(words);
  EXPECT_EQ(options.size(), 1u);
  return options.empty() ? nvcc_option{} : options.front();
}

std::vector<std::string> other_words(const std::vector<nvcc_option>& options) {
  std::vector<std::string> words;
  for (const nvcc_option& option : options) {
    if (option.meaning == nvcc_meaning::other) words.push_back(option.value);
  }
  return words;
}

TEST(NvccOptions, AValueIsBehindTheNameBehindAnEqualsSignOrTheNextWord) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-std=c++20"}, {"--std=c++20"}, {"-std", "c++20"}, {"--std", "c++20"}}) {
    const nvcc_option option = only_option(words);
    EXPECT_EQ(option.meaning, nvcc_meaning::standard);
    EXPECT_EQ(option.value, "c++20");
    EXPECT_EQ(option.words, words);
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-Ia/b"}, {"-I", "a/b"}, {"-I=a/b"}, {"--include-path", "a/b"}}) {
    EXPECT_EQ(only_option(words).meaning, nvcc_meaning::include_folder) << words.front();
    EXPECT_EQ(only_option(words).value, "a/b") << words.front();
  }
}

TEST(NvccOptions, AWholeNameCountsBeforeTheBeginningOfOne) {
  EXPECT_EQ(only_option({"-lineinfo"}).meaning, nvcc_meaning::no_effect);
  EXPECT_EQ(only_option({"-lm"}).meaning, nvcc_meaning::library);
  EXPECT_EQ(only_option({"-lm"}).value, "m");
  EXPECT_EQ(only_option({"-include", "a.h"}).meaning, nvcc_meaning::included_file);
  EXPECT_EQ(only_option({"-fmad=false"}).meaning, nvcc_meaning::no_effect);
  EXPECT_EQ(only_option({"-fopenmp"}).meaning, nvcc_meaning::host_word);
  EXPECT_EQ(only_option({"-DN=4"}).value, "N=4");
}

TEST(NvccOptions, OptimizationNeedsNoLevel) {
  EXPECT_THAT(other_words(read_nvcc_words({"-O", "a.cu"})), ElementsAre("a.cu"));
  EXPECT_EQ(only_option({"-O3"}).meaning, nvcc_meaning::no_effect);
}

TEST(NvccOptions, WhatIsRefusedSaysWhy) {
  EXPECT_EQ(only_option({"-ptx"}).meaning, nvcc_meaning::refused);
  EXPECT_FALSE(only_option({"-ptx"}).why.empty());
}

TEST(NvccOptions, FilesAndUnknownWordsAreLeft) {
  const std::vector<nvcc_option> options = read_nvcc_words(
      {"a.cu", "--fail-on", "race", "-gencode", "arch=compute_90,code=sm_90", "-o", "x", "--frobnicate"},
      {"-o"});
  EXPECT_THAT(other_words(options), ElementsAre("a.cu", "--fail-on", "race", "-o", "x", "--frobnicate"));
  ASSERT_EQ(options.size(), 7u);
  EXPECT_EQ(options[3].meaning, nvcc_meaning::no_effect);
  EXPECT_THAT(options[3].words, ElementsAre("-gencode", "arch=compute_90,code=sm_90"));
}

}  // namespace
}  // namespace parsing
