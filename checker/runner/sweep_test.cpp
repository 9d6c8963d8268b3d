// `streamlings sweep` with a stand-in check program, which takes 1000 * streams + chunks nanoseconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "runner/toy_course.h"

namespace runner {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto rubric =
    R"text({"criteria": [], "skeleton_fails": [], "sweep": {"of": "step()", "parameters": [
  {"name": "streams", "least": 1, "most": 40, "usual": [1, 2]},
  {"name": "chunks", "least": 1, "most": 400, "usual": [4]}]}})text";

// Called as: sweep --source FILE --record FOLDER --profile FILE --seed NUMBER --first A,B --second C,D
constexpr auto script = R"text(cd "$STREAMLINGS_ROOT"
if [ "$1" = criteria ]; then cat rubric.json; exit; fi
echo "$@" >> arguments.txt
points=
seconds=${13}
for first in $(echo "${11}" | tr , ' '); do
  second=${seconds%%,*}
  seconds=${seconds#*,}
  points="$points${points:+, }{\"streams\": $first, \"chunks\": $second, \"time_ns\": $((1000 * first + second)), \"is_right\": true}"
done
cat << END
{"version": 1, "lesson": 1, "title": "First steps", "source": "first_steps.cu", "source_hash": "$(cat hash.txt)",
 "profile": "teaching", "seed": 7, "of": "step()", "parameters": ["streams", "chunks"], "chosen": null,
 "serial_ns": 9000, "attainable_ns": 900, "points": [$points]
}
END
)text";

/// Lesson 01 has a sweep, lesson 02 has none.
class swept_course : public toy_course {
 public:
  swept_course() {
    write("rubric.json", rubric);
    write("hash.txt", "abc");
    install_check_script("01", script);
    install_check_script("02", "echo '{\"criteria\": [], \"skeleton_fails\": []}'\n");
  }
};

json points_of(const program_result& result) {
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return json::parse(result.output).at("points");
}

TEST(Sweep, TakesTheUsualValuesOfTheLesson) {
  const json points = points_of(swept_course().run("sweep 1 --json"));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1], (json{{"streams", 2}, {"chunks", 4}, {"time_ns", 2004}, {"is_right", true}}));
}

TEST(Sweep, NeedsNoFolderInTheCheckout) {
  const swept_course course;
  course.write(".streamlings/records/01-sweep", "no folder\n");
  EXPECT_EQ(points_of(course.run("sweep 1 --json")).size(), 2u);
  EXPECT_THAT(course.read("arguments.txt"),
              AllOf(HasSubstr("--record /"), Not(HasSubstr("records/01-sweep"))));
}

TEST(Sweep, TakesTheValuesThatAreAskedFor) {
  const json points = points_of(swept_course().run("sweep 1 --json --streams=3 --chunks 1..2,8"));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2].at("time_ns"), 3008);
}

TEST(Sweep, JoinsThePointsOfSeveralRunsInTheirOrder) {
  const swept_course toy;
  const json points = points_of(toy.run("sweep 1 --json --streams 1..40 --chunks 1..2"));
  ASSERT_EQ(points.size(), 80u);
  EXPECT_EQ(points[79].at("time_ns"), 40002);
  const std::string arguments = toy.read("arguments.txt");
  EXPECT_GT(std::count(arguments.begin(), arguments.end(), '\n'), 1);
}

TEST(Sweep, NamesTheOptimum) {
  EXPECT_THAT(swept_course().run("sweep 1 --streams 1..9").output, HasSubstr("Fastest: 1 stream, 4 chunks"));
}

TEST(Sweep, WritesADrawing) {
  const swept_course toy;
  toy.run("sweep 1 --format svg -o '" + (toy.root() / "sweep.svg").string() + "'");
  EXPECT_THAT(toy.read("sweep.svg"), HasSubstr("<title>2 streams, 4 chunks: 2 us</title>"));
}

TEST(Sweep, SweepsTheSolutionOnAnotherGpu) {
  const swept_course toy;
  toy.run("sweep 1 --solution --profile h200");
  EXPECT_THAT(toy.read("arguments.txt"), HasSubstr("solutions/01_first_steps/first_steps.cu"));
  EXPECT_THAT(toy.read("arguments.txt"), HasSubstr("h200.json"));
}

TEST(Sweep, ALessonWithoutParametersIsAnsweredWithThoseThatHave) {
  const program_result result = swept_course().run("sweep 2");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("lesson 02 has nothing to sweep"));
  EXPECT_THAT(result.errors, HasSubstr("01  First steps: --streams (1 to 40) and --chunks (1 to 400)"));
}

TEST(Sweep, MistakesOfUsageAreExplained) {
  const swept_course toy;
  const std::pair<const char*, const char*> mistakes[] = {
      {"--blocks 3", "cannot be swept by '--blocks'; it has --streams"},
      {"--streams 0..3", "streams of lesson 01 go from 1 to 40"},
      {"--streams", "--streams needs values"},
      {"--streams many", "'many' is no list"},
      {"--streams 1..40 --chunks 1..400", "16000 settings are too many"},
      {"stray", "cannot be swept by 'stray'"},
  };
  for (const auto& [arguments, answer] : mistakes) {
    const program_result result = toy.run(std::string("sweep 1 ") + arguments);
    EXPECT_EQ(result.exit_status, 2) << arguments;
    EXPECT_THAT(result.output, IsEmpty()) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(answer)) << arguments;
  }
  EXPECT_THAT(toy.read("arguments.txt"), IsEmpty());
}

TEST(Sweep, WhatStopsARunIsShownAndDecidesTheStatus) {
  const swept_course toy;
  toy.install_check_script("01",
                           "if [ $1 = criteria ]; then cat \"$STREAMLINGS_ROOT/rubric.json\"; exit; fi\n"
                           "echo 'it does not compile'; exit 1\n");
  const program_result result = toy.run("sweep 1 --streams 1..40");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("did not come to its end.\nit does not compile"));
}

TEST(Sweep, AFileThatChangesMeanwhileIsNotMixed) {
  const swept_course toy;
  toy.install_check_script(
      "01", std::string("date +%N | tr -d '\\n' >> \"$STREAMLINGS_ROOT/hash.txt\"\n") + script);
  const program_result result = toy.run("sweep 1 --streams 1..40");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("was changed while it was swept"));
}

}  // namespace
}  // namespace runner
