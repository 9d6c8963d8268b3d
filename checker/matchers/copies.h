// copies.h: matchers of what copies are for, and of what they read and write.
//
//     EXPECT_THAT(run(), CopiesNothingInVain());
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// What a copy brings is read before a later operation writes over all of it. Fails with requirement_missed, naming the copy
/// and what writes over it. Passes where the recording has no accesses, and says so in its note.
matcher CopiesNothingInVain();

/// What copies from one device to another read of memory that is a member of `NAME` ("halves[0].now") are elements from the answered
/// integer "NAME.FROM" on, at most as many as the integer `count` says, and what they write there are such from "NAME.TO" on. Fails
/// with wrong_answer, naming the copy. Passes where the recording has no accesses.
matcher SendsFromTo(std::string from, std::string to, std::string count);

}  // namespace matchers
