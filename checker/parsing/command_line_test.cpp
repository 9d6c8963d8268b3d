#include "parsing/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parsing {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Optional;

constexpr int refused = 2;

/// What is printed while the program reads these words, and what comes of them.
struct reading {
  std::optional<int> status;
  std::string output;
  std::string errors;
};

reading read(command& program, std::vector<std::string> words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  reading result{program.run(std::move(words), refused), "", ""};
  result.output = testing::internal::GetCapturedStdout();
  result.errors = testing::internal::GetCapturedStderr();
  return result;
}

TEST(CommandLine, StoresValues) {
  command program("Draws.", "draw");
  bool is_wide = false;
  std::string output;
  std::filesystem::path folder;
  int copies = 1;
  std::optional<int> width;
  std::optional<std::uint64_t> seed;
  program.flag("--wide", is_wide, "");
  program.option("-o,--output", output, "");
  program.option("--folder", folder, "");
  program.option("--copies", copies, "");
  program.option("--width", width, "");
  program.option("--seed", seed, "");
  EXPECT_EQ(read(program, {"--wide", "-o", "a.svg", "--folder", "b", "--width", "80", "--seed",
                           "18446744073709551615"})
                .status,
            std::nullopt);
  EXPECT_TRUE(is_wide);
  EXPECT_EQ(output, "a.svg");
  EXPECT_EQ(folder, "b");
  EXPECT_EQ(copies, 1);
  EXPECT_THAT(width, Optional(80));
  EXPECT_THAT(seed, Optional(18446744073709551615u));
}

TEST(CommandLine, AnOptionWithManyValuesTakesOneAtATime) {
  command program("Compiles.", "compile");
  std::vector<std::string> folders, files;
  program.option("-I", folders, "");
  program.option("files", files, "");
  read(program, {"-I", "a", "x.cu", "-Ib", "y.cu"});
  EXPECT_THAT(folders, ElementsAre("a", "b"));
  EXPECT_THAT(files, ElementsAre("x.cu", "y.cu"));
}

TEST(CommandLine, OneWordCanHoldManyValues) {
  command program("Sweeps.", "sweep");
  std::vector<int> sizes;
  program.option("--sizes", sizes, "").separated_by(',');
  read(program, {"--sizes", "1,2,4"});
  EXPECT_THAT(sizes, ElementsAre(1, 2, 4));
}

TEST(CommandLine, AChoiceStoresWhatTheWordMeans) {
  enum class colour { red, blue };
  command program("Paints.", "paint");
  colour chosen = colour::red;
  program.choice("--colour", chosen, {{"red", colour::red}, {"blue", colour::blue}}, "");
  EXPECT_EQ(read(program, {"--colour", "blue"}).status, std::nullopt);
  EXPECT_EQ(chosen, colour::blue);
  const reading wrong = read(program, {"--colour", "green"});
  EXPECT_EQ(wrong.status, refused);
  EXPECT_THAT(wrong.errors, HasSubstr("--colour: green not in {red,blue}"));
}

TEST(CommandLine, RefusesValuesThatAnArgumentDoesNotAllow) {
  command program("Draws.", "draw");
  int width = 80;
  std::string format, name;
  program.option("--width", width, "").between(40, 1000);
  program.option("--format", format, "").one_of({"text", "svg"});
  program.option("--name", name, "").checked([](const std::string& text) {
    return text == "x" ? "not that one" : "";
  });
  EXPECT_THAT(read(program, {"--width", "5"}).errors,
              MatchesRegex("--width: Value 5 not in range .*40.*1000(.|\n)*"));
  EXPECT_THAT(read(program, {"--format", "pdf"}).errors, HasSubstr("--format: pdf not in {text,svg}"));
  EXPECT_THAT(read(program, {"--name", "x"}).errors, HasSubstr("--name: not that one"));
  EXPECT_EQ(read(program, {"--width", "50", "--format", "svg", "--name", "y"}).status, std::nullopt);
}

TEST(CommandLine, RefusesArgumentsThatDoNotGoTogether) {
  command program("Draws.", "draw");
  bool as_text = false, as_picture = false, is_wide = false;
  const argument text = program.flag("--text", as_text, "");
  const argument picture = program.flag("--picture", as_picture, "").excludes(text);
  program.flag("--wide", is_wide, "").needs(picture);
  EXPECT_EQ(read(program, {"--text", "--picture"}).status, refused);
  EXPECT_EQ(read(program, {"--text", "--wide"}).status, refused);
  EXPECT_EQ(read(program, {"--picture", "--wide"}).status, std::nullopt);
}

TEST(CommandLine, TheVerbThatIsGivenActs) {
  command program("Draws.", "draw");
  std::string file;
  command& circle = program.verb("circle", "Draw a circle");
  circle.option("file", file, "").required();
  circle.does([&] { return file == "a.svg" ? 7 : 8; });
  program.verb("line", "Draw a line").does([] { return 9; });
  EXPECT_THAT(read(program, {"circle", "a.svg"}).status, Optional(7));
  EXPECT_THAT(read(program, {"line"}).status, Optional(9));
  EXPECT_EQ(read(program, {}).status, std::nullopt);
  EXPECT_EQ(read(program, {"circle"}).status, refused);
}

TEST(CommandLine, RefusesToDoNothingWhereAVerbIsNeeded) {
  command program("Draws.", "draw");
  program.needs_verb();
  program.verb("line", "Draw a line").does([] { return 9; });
  EXPECT_THAT(read(program, {}).status, Optional(refused));
}

TEST(CommandLine, KeepsTheRestWhereAskedTo) {
  command program("Sweeps.", "sweep");
  std::vector<std::string> rest;
  command& verb = program.verb("sweep", "Sweep");
  verb.keeps_the_rest(rest);
  verb.does([] { return 0; });
  read(program, {"sweep", "--streams", "1..4"});
  EXPECT_THAT(rest, ElementsAre("--streams", "1..4"));
}

TEST(CommandLine, PassesOnWhatAVerbThrows) {
  command program("Draws.", "draw");
  program.verb("line", "Draw a line").does([]() -> int { throw std::runtime_error("no paper"); });
  EXPECT_THROW(program.run({"line"}, refused), std::runtime_error);
}

TEST(CommandLine, HelpNamesWhatIsNotHidden) {
  command program("Draws.", "draw");
  std::string file = "out.svg", secret;
  program.option("-o", file, "Write into this file").shows_default();
  program.option("--secret", secret, "Not shown").hidden();
  program.footer("Example: draw");
  const reading help = read(program, {"--help"});
  EXPECT_THAT(help.status, Optional(0));
  EXPECT_THAT(help.output, HasSubstr("Usage: draw [OPTIONS]"));
  EXPECT_THAT(help.output, ContainsRegex("-o TEXT.*out[.]svg"));
  EXPECT_THAT(help.output, HasSubstr("Example: draw"));
  EXPECT_THAT(help.output, testing::Not(HasSubstr("secret")));
}

TEST(CommandLine, TellsItsWordsForCompletion) {
  command program("Draws.", "draw");
  std::string format, lesson;
  program.option("lesson", lesson, "");
  program.option("-f,--format", format, "").one_of({"text", "svg"});
  program.verb("line", "Draw a line");
  const std::vector<argument_words> words = program.arguments();
  ASSERT_EQ(words.size(), 3u);
  EXPECT_THAT(words[0].names, ElementsAre("--help", "-h"));
  EXPECT_FALSE(words[0].takes_value);
  EXPECT_THAT(words[1].names, ElementsAre("lesson"));
  EXPECT_TRUE(words[1].is_positional);
  EXPECT_THAT(words[2].names, ElementsAre("--format", "-f"));
  EXPECT_THAT(words[2].choices, ElementsAre("text", "svg"));
  EXPECT_EQ(program.verbs().front()->name(), "line");
}

}  // namespace
}  // namespace parsing
