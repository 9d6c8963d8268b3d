#include "runner/learner/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processes/files.h"

namespace runner {
namespace {

using testing::ElementsAre;

class State : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "deeper" / "state.txt"; }
  processes::temporary_folder folder_;
};

TEST_F(State, WithoutAFileNothingIsDone) { EXPECT_EQ(load_state(file()), state{}); }

TEST_F(State, SavedStateIsReadBackEqual) {
  state state;
  state.current = "async_copy";
  state.done = {{"stream_basics", {"abc", "123"}}, {"pinned_memory", {"def", ""}}};
  state.hints_seen = {{"async_copy", {1, 3}}};
  save_state(file(), state);
  EXPECT_EQ(load_state(file()), state);
}

TEST_F(State, LinesItDoesNotKnowSurvive) {
  processes::write_whole(file(), "streak 12 days\ndone async_copy\nhints async_copy one\ncurrent a b\n");
  save_state(file(), load_state(file()));
  EXPECT_THAT(load_state(file()).unknown_lines,
              ElementsAre("streak 12 days", "done async_copy", "hints async_copy one", "current a b"));
}

TEST_F(State, LessonsItDoesNotKnowSurvive) {
  processes::write_whole(file(), "done lesson_of_the_future 123\n");
  save_state(file(), load_state(file()));
  EXPECT_EQ(load_state(file()).done.at("lesson_of_the_future").source_hash, "123");
}

TEST_F(State, SavingLeavesNoTemporaryFileBehind) {
  save_state(file(), {});
  const auto entries = std::filesystem::directory_iterator(file().parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

}  // namespace
}  // namespace runner
