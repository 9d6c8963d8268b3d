#include "cuda_compiler/lesson_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "processes/files.h"

namespace cuda_compiler {
namespace {

namespace fs = std::filesystem;

std::optional<foreign_file> hidden_in(const std::string& source) {
  return find_hidden_reading(source, "# 1 \"/lesson.cu\"\n" + source, "/lesson.cu");
}

TEST(LessonFiles, TheFoldersOfTheCompilerAreRead) {
  const auto folders = system_folders_in(
      "#include \"...\" search starts here:\n /mine\n#include <...> search starts here:\n /opt/c++/v1\nEnd of search list.\n /no\n");
  EXPECT_EQ(folders, std::vector<fs::path>{"/opt/c++/v1"});
}

TEST(LessonFiles, ALinkIsJudgedByWhatItLeadsTo) {
  const processes::temporary_folder folder;
  fs::create_directories(folder.path() / "lesson");
  processes::write_whole(folder.path() / "solution.h", "");
  processes::write_whole(folder.path() / "lesson/contract.h", "");
  fs::create_symlink(folder.path() / "solution.h", folder.path() / "lesson/helper.h");
  const std::vector<fs::path> allowed{folder.path() / "lesson"};
  EXPECT_FALSE(first_foreign({folder.path() / "lesson/contract.h"}, allowed));
  EXPECT_FALSE(first_foreign({folder.path() / "lesson/../lesson/contract.h"}, allowed));
  EXPECT_EQ(first_foreign({folder.path() / "lesson/helper.h"}, allowed), folder.path() / "lesson/helper.h");
  EXPECT_TRUE(first_foreign({folder.path() / "lesson/../solution.h"}, allowed));
}

TEST(LessonFiles, TheLineOfAnIncludeIsThatOfTheFileItself) {
  const std::string text =
      "# 1 \"/lesson.cu\"\n# 1 \"<built-in>\"\n# 1 \"/lesson.cu\"\nint one;\n# 1 \"/a.h\" 1\nint two;\n"
      "# 1 \"/foreign.h\" 1\nint three;\n# 2 \"/a.h\" 2\n# 3 \"/lesson.cu\" 2\nint four;\n";
  EXPECT_EQ(line_of_include(text, "/lesson.cu", "/a.h"), 2);
  EXPECT_EQ(line_of_include(text, "/lesson.cu", "/foreign.h"), 2);
  EXPECT_EQ(line_of_include(text, "/lesson.cu", "/other.h"), 0);
}

TEST(LessonFiles, AskingForAPathIsReading) {
  EXPECT_EQ(hidden_in("int a;\n#if __has_include(\"../../solutions/x.cu\")\n#endif\n").value().line, 2);
  EXPECT_TRUE(hidden_in("#  if defined(X) || __has_include(</etc/passwd>)\n#endif\n"));
  EXPECT_TRUE(hidden_in("#if __has_include(NAME)\n#endif\n"));
  EXPECT_TRUE(hidden_in("#embed \"/etc/passwd\"\n"));
  EXPECT_FALSE(
      hidden_in("#if __has_include(<optional>)\n#endif\n#define embedding(x) x\n// __has_include(X)\n"));
}

TEST(LessonFiles, AssemblyWithADirectiveIsReading) {
  EXPECT_EQ(hidden_in("int a;\nasm(\".incbin \\\"x\\\"\");\n").value().line, 2);
  EXPECT_TRUE(hidden_in("void f() { __asm__ volatile(\"\\x2eincbin 'x'\"); }\n"));
  EXPECT_TRUE(hidden_in("asm(R\"(\n.include)\");\n"));
  EXPECT_FALSE(hidden_in("void f() { asm volatile(\"\" ::: \"memory\"); asm(\"pause\\n\\t\"); }\n"));
}

}  // namespace
}  // namespace cuda_compiler
