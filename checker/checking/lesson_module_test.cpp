#include "checking/lesson_module.h"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "processes/descriptor.h"
#include "processes/files.h"
#include "processes/run.h"

namespace checking {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// The module that a build makes of that text.
std::filesystem::path built_module(const processes::temporary_folder& folder, const std::string& text) {
  const std::filesystem::path source = folder.path() / "check.cpp";
  const std::filesystem::path object = folder.path() / "check.o";
  const std::filesystem::path module = folder.path() / "03_async_copy.so";
  std::ofstream(source) << text;
  const auto run = [](const std::vector<std::string>& command) {
    const processes::outcome done = processes::run({.arguments = command});
    EXPECT_EQ(done.exit_status, 0) << done.output;
  };
  run({STREAMLINGS_COMPILE_CHECK, STREAMLINGS_CXX, "-fPIC", "-o", object, "-c", source});
  run({STREAMLINGS_CXX, "-shared", "-o", module, object});
  return module;
}

TEST(LessonModule, ACheckThatDoesNotCompileStillBuildsAndSaysWhatTheCompilerSaid) {
  const processes::temporary_folder folder;
  const auto module = built_module(folder, "int points = no_such_name;\n");
  EXPECT_THAT([&] { load_rubric(module); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("check.cpp:1:14: error:"), HasSubstr("no_such_name"))));
}

TEST(LessonModule, AModuleThatUsesWhatTheProgramDoesNotHaveCannotBeLoaded) {
  const processes::temporary_folder folder;
  const auto module = built_module(
      folder, "void no_such_function();\nstruct user { user() { no_such_function(); } } user;\n");
  EXPECT_THAT([&] { load_rubric(module); }, ThrowsMessage<std::runtime_error>(HasSubstr("no_such_function")));
}

TEST(LessonModule, OneThatIsNotBuiltIsNamed) {
  EXPECT_THAT([] { load_rubric("/nowhere/03_async_copy.so"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("/nowhere/03_async_copy.so is missing")));
}

/// True when somebody waits for a lock of that file. @see proc(5), /proc/locks
bool is_waited_for(const std::filesystem::path& file) {
  struct stat status {};
  stat(file.c_str(), &status);
  const std::string end_of_name = ":" + std::to_string(status.st_ino) + " ";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find("-> FLOCK") != line.npos && line.find(end_of_name) != line.npos) return true;
  }
  return false;
}

TEST(LessonModule, OneThatTheStartScriptIsBuildingIsWaitedFor) {
  const processes::temporary_folder build;
  const std::filesystem::path lock = build.path() / ".lock";
  processes::write_whole(lock, "");
  processes::descriptor holder(open(lock.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(flock(holder.number(), LOCK_EX), 0);
  const auto module = build.path() / "lib" / "checks" / "03_async_copy.so";
  auto loaded = std::async(std::launch::async, [&] { load_rubric(module); });
  while (!is_waited_for(lock)) std::this_thread::yield();
  processes::write_whole(module, "no module");
  holder.reset();
  EXPECT_THAT([&] { loaded.get(); }, ThrowsMessage<std::runtime_error>(HasSubstr("cannot be loaded")));
}

TEST(LessonModule, OneWithoutARubricIsRefused) {
  const processes::temporary_folder folder;
  const auto module = built_module(folder, "int nothing = 0;\n");
  EXPECT_THAT([&] { load_rubric(module); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is not the check of a lesson")));
}

}  // namespace
}  // namespace checking
