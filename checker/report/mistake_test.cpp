#include "report/mistake.h"

#include <gtest/gtest.h>

namespace report {
namespace {

TEST(MistakeWords, AreKnownWhateverNamesThem) {
  EXPECT_EQ(word_of(mistake::host_waits_early), "host_waits_early");
  for (const char* word : {"failed_call", "room_left_empty", "one_stream", "buffer_reused", "stream_order"})
    EXPECT_TRUE(is_mistake_word(word)) << word;
  EXPECT_FALSE(is_mistake_word("bad_luck"));
  EXPECT_FALSE(is_mistake_word(""));
}

TEST(MistakeWords, AreAboutValuesOrAboutTheOrderOfTheWork) {
  for (const char* word :
       {"wrong_value", "input_not_copied", "wrong_argument", "failed_call", "buffer_reused", "one_stream"})
    EXPECT_TRUE(is_about_values(word)) << word;
  for (const char* word : {"host_waits_early", "stream_order", "result_not_awaited", "needless_wait", ""})
    EXPECT_FALSE(is_about_values(word)) << word;
}

}  // namespace
}  // namespace report
