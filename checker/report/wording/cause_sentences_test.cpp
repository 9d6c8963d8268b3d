#include "report/wording/cause_sentences.h"

#include <gmock/gmock.h>

#include "trace/recording_builder.h"

namespace report {
namespace {

TEST(ExplanationSentences, TwoOperationsThatReadTheSameAreNotTakenForOne) {
  trace::recording recording;
  recording.streams = {{.id = 1}};
  for (trace::operation_id id : {1, 2}) {
    recording.operations.push_back(
        {.id = id, .kind = trace::operation_kind::kernel, .stream = 1, .name = "transform"});
  }
  explain::cause_cost cause;
  cause.cause = explain::cause::one_stream;
  cause.late = 2;
  cause.behind = 1;
  EXPECT_THAT(sentence_of(recording, cause),
              testing::StartsWith("The kernel transform 2 in stream 1 could not start before the kernel "
                                  "transform 1 in stream 1 ended: both are in the same stream"));
}

TEST(ExplanationSentences, WorkInOnePieceMayHaveOtherDataBesideIt) {
  trace::recording recording;
  recording.streams = {{.id = 1}};
  recording.operations = {{.id = 1, .kind = trace::operation_kind::kernel, .stream = 1, .name = "transform"}};
  explain::cause_cost cause;
  cause.cause = explain::cause::one_piece;
  cause.late = 1;
  EXPECT_THAT(sentence_of(recording, cause),
              testing::EndsWith("no other step on the same data can overlap with it."));
}

TEST(ExplanationSentences, TheCureOfASynchronousCopyIsTheAsynchronousFormOfThatCall) {
  trace::recording_builder program;
  program.call_of(trace::api_function::cudaMemcpyToSymbol);
  explain::cause_cost cause;
  cause.cause = explain::cause::synchronous_copy;
  EXPECT_THAT(cure_of(program.recording(), cause), testing::StartsWith("Use cudaMemcpyAsync with a stream"));
  cause.call = 1;
  EXPECT_THAT(cure_of(program.recording(), cause),
              testing::StartsWith("Use cudaMemcpyToSymbolAsync with a stream"));
}

TEST(ExplanationSentences, AWaitForWhatNothingInTheRecordingReadsMayHaveAReader) {
  trace::recording_builder program;
  const trace::stream_id stream = program.create_stream();
  explain::cause_cost cause;
  cause.cause = explain::cause::synchronization;
  cause.unread = program.copy(program.allocate(trace::memory_kind::device, 4096),
                              program.allocate(trace::memory_kind::pinned, 4096), stream);
  EXPECT_THAT(cure_of(program.recording(), cause),
              testing::HasSubstr(
                  "Nothing in the recording reads what the copy D2H 1 of 4.1 KB to the host in stream"));
  cause.unread = 0;
  EXPECT_THAT(cure_of(program.recording(), cause),
              testing::Not(testing::HasSubstr("Nothing in the recording")));
}

}  // namespace
}  // namespace report
