#include "report/wording/place_text.h"

#include <gmock/gmock.h>

#include "trace/recording_builder.h"

namespace report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlaceText, NamesTheLinesThatCall) {
  const auto text = [](const std::vector<std::string>& callers, bool is_chain = false) {
    return place_with_callers("a.cu:12", callers, is_chain);
  };
  EXPECT_EQ(text({}), "a.cu:12");
  EXPECT_EQ(text({"a.cu:25"}), "a.cu:12 (called from line 25)");
  EXPECT_EQ(text({"a.cu:31", "a.cu:25"}), "a.cu:12 (called from line 25 or 31)");
  EXPECT_EQ(text({"a.cu:1", "a.cu:2", "a.cu:3"}), "a.cu:12 (called from line 1, 2 or 3)");
  EXPECT_EQ(text({"a.cu:25", "b.cu:7"}), "a.cu:12 (called from a.cu:25 or b.cu:7)");
  EXPECT_EQ(text({"a.cu:31", "a.cu:25"}, true), "a.cu:12 (called from line 31, and that from line 25)");
  EXPECT_EQ(text({"a.cu:31", "b.cu:7"}, true), "a.cu:12 (called from a.cu:31, and that from b.cu:7)");
}

TEST(PlaceText, OfSeveralChainsNamesTheLinesOfAll) {
  trace::recording_builder program;
  program.at_line(12).called_from({25, 31}).synchronize_device();
  program.at_line(12).called_from({25, 31}).synchronize_device();
  program.at_line(12).called_from({25, 40}).synchronize_device();
  const auto where = [&](trace::call_id id) { return program.recording().call_at(id).where; };
  evidence why;
  lead_to(why, program.recording(), {where(1), where(2)});
  EXPECT_EQ(places_with_callers(why), "program.cu:12 (called from line 25, and that from line 31)");
  lead_to(why, program.recording(), {where(1), where(3)});
  EXPECT_EQ(places_with_callers(why), "program.cu:12 (called from line 25, 31 or 40)");
}

TEST(PlaceText, OfEvidenceIsThatOfEachPlace) {
  evidence why;
  why.where = "a.cu:12, a.cu:40";
  why.called_from = {{"a.cu:12", {"a.cu:25"}}};
  EXPECT_EQ(places_with_callers(why), "a.cu:12 (called from line 25), a.cu:40");
}

TEST(PlaceText, LeadsToTheCallOfTheOperation) {
  trace::recording_builder program;
  const trace::stream_id stream = program.create_stream();
  program.at_line(12).called_from({25, 31});
  const trace::operation_id kernel = program.launch("scale", stream);
  evidence why;
  why.where = "program.cu:3";
  why.called_from = {{"program.cu:3", {"program.cu:4"}}};
  lead_to(why, program.recording(), program.recording().operation_at(kernel));
  EXPECT_EQ(why.where, "program.cu:12");
  EXPECT_THAT(why.called_from,
              ElementsAre(called_place{"program.cu:12", {"program.cu:25", "program.cu:31"}, true}));
}

TEST(PlaceText, OfCallsInOneLineNamesAllTheirCallers) {
  trace::recording_builder program;
  const trace::stream_id stream = program.create_stream();
  for (const std::uint32_t caller : {25u, 31u, 25u}) {
    program.at_line(12).called_from({caller});
    program.synchronize_stream(stream);
  }
  program.at_line(13).called_from({40});
  program.synchronize_stream(stream);
  evidence why;
  why.where = "program.cu:12";
  add_callers_of_calls(why, program.recording(), {2, 3, 4, 5});
  EXPECT_THAT(why.called_from,
              ElementsAre(called_place{"program.cu:12", {"program.cu:25", "program.cu:31"}}));
  const evidence known = why;
  add_callers_of_calls(why, program.recording(), {5});
  EXPECT_EQ(why, known);
}

TEST(PlaceText, OfACallThatNoFunctionOfTheUsersMadeHasNoCallers) {
  trace::recording_builder program;
  program.synchronize_device();
  evidence why;
  lead_to(why, program.recording(), program.recording().call_at(1).where);
  EXPECT_EQ(why.where, "program.cu:1");
  EXPECT_THAT(why.called_from, IsEmpty());
}

TEST(PlaceText, InParenthesesHasNoneOfItsOwn) {
  trace::recording_builder program;
  program.at_line(12);
  program.synchronize_device();
  program.at_line(12).called_from({25, 31});
  program.synchronize_device();
  const trace::recording& recording = program.recording();
  EXPECT_EQ(place_and_callers(recording, recording.call_at(1).where), "program.cu:12");
  EXPECT_EQ(place_and_callers(recording, recording.call_at(2).where),
            "program.cu:12, called from line 25, and that from line 31");
  EXPECT_EQ(place_and_callers(recording, {}), "");
}

TEST(PlaceText, OfValuesHasTheirLines) {
  evidence why;
  why.values = {{4, "const int n = 3;"}, {12, "n += 1;"}};
  EXPECT_THAT(values_in_words(why), ElementsAre(" 4: const int n = 3;", "12: n += 1;"));
}

}  // namespace
}  // namespace report
