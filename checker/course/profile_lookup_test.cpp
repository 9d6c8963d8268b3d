#include "course/profile_lookup.h"

#include <gtest/gtest.h>

#include "processes/cannot_do.h"
#include "processes/files.h"

namespace course {
namespace {

TEST(Profile, AShortNameComesBeforeAFile) {
  const processes::temporary_folder root;
  const auto own = root.path() / "own.json";
  processes::write_whole(profiles_folder(root.path()) / "h200.json", "");
  processes::write_whole(own, "");
  EXPECT_EQ(find_profile(profiles_folder(root.path()), "h200"), profiles_folder(root.path()) / "h200.json");
  EXPECT_EQ(find_profile(profiles_folder(root.path()), own.string()), own);
  EXPECT_EQ(profile_names(profiles_folder(root.path())), std::vector<std::string>{"h200"});
  EXPECT_THROW(find_profile(profiles_folder(root.path()), "h300"), processes::cannot_do);
}

}  // namespace
}  // namespace course
