#include "runner/terminal/key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Key, LettersAreThemselves) {
  EXPECT_THAT(keys_in("n?"), ElementsAre(key{key_kind::character, 'n'}, key{key_kind::character, '?'}));
}

TEST(Key, CursorKeysAreKnownInBothModes) {
  EXPECT_THAT(keys_in("\x1b[A\x1bOB\x1b[5~"),
              ElementsAre(key{key_kind::up}, key{key_kind::down}, key{key_kind::page_up}));
}

TEST(Key, AnEscapeAloneIsTheEscapeKey) { EXPECT_THAT(keys_in("\x1b"), ElementsAre(key{key_kind::escape})); }

TEST(Key, AFunctionKeyIsNoLetter) { EXPECT_THAT(keys_in("\x1b[15~\x1b[1;5C"), IsEmpty()); }

TEST(Key, OtherAlphabetsAreNoKeys) { EXPECT_THAT(keys_in("\xc3\xa4"), IsEmpty()); }

TEST(Key, EnterAndBackspaceAreToldApartFromLetters) {
  EXPECT_THAT(keys_in("\r\x7f"), ElementsAre(key{key_kind::enter}, key{key_kind::backspace}));
}

}  // namespace
}  // namespace runner
