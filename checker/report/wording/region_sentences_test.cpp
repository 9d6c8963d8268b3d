#include "report/wording/region_sentences.h"

#include <gmock/gmock.h>

#include "report/wording/sample_races.h"
#include "trace/recording_builder.h"

namespace report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::memory;
using trace::memory_kind;
using trace::recording_builder;

/// What the threads 1 and 2 did was in the region of line 12.
trace::recording within_region(const recording_builder& program) {
  trace::recording recording = program.recording();
  for (const std::uint32_t number : {0U, 1U}) {
    recording.region_threads.push_back(
        {.region = 1, .number = number, .thread = number + 1, .where = {recording.calls.front().where.file, 12}});
  }
  return recording;
}

/// A copy of thread 1 (line 20), for which that waits (line 21), into memory that thread 2 reads (line 30).
recording_builder result_of_another_thread() {
  recording_builder program;
  const trace::stream_id stream = program.create_stream();
  const memory device = program.allocate(memory_kind::device, 64);
  const memory host = program.allocate(memory_kind::pinned, 64);
  program.at_line(20).copy(device, host, stream);
  program.at_line(21).synchronize_stream(stream);
  program.on_thread(2);
  program.call_of(trace::api_function::cudaGetLastError);
  program.at_line(30).host_reads(host);
  return program;
}

TEST(RegionText, BehindTheWaitOfTheOtherThreadABarrierIsMissing) {
  EXPECT_THAT(text_of(within_region(result_of_another_thread())),
              AllOf(HasSubstr("and OpenMP thread 1 (program.cu:30) reads them. OpenMP thread 0 queues D2H 1, in "
                              "the parallel region of program.cu:12. OpenMP thread 0 waits for D2H 1 at program.cu:21, "
                              "which holds up no other thread"),
                    HasSubstr("`#pragma omp barrier`, or to the end of a loop without `nowait`, between that wait "
                              "and program.cu:30."),
                    Not(HasSubstr("cudaEventSynchronize"))));
}

TEST(RegionText, OutsideOfARegionThreadsAreHostThreads) {
  EXPECT_THAT(text_of(result_of_another_thread().recording()),
              AllOf(HasSubstr("host thread 2 (program.cu:30) reads them"), Not(HasSubstr("OpenMP"))));
}

TEST(RegionText, ThreadsThatWriteAtOneLineNeedACriticalRegion) {
  recording_builder program;
  program.create_stream();
  const memory buffer = program.allocate(memory_kind::pinned, 64);
  program.at_line(20).host_writes(buffer);
  program.on_thread(2);
  program.at_line(20).host_writes(buffer);
  EXPECT_THAT(text_of(within_region(program)),
              AllOf(HasSubstr("OpenMP thread 0 (program.cu:20) writes"), HasSubstr("`#pragma omp critical`"),
                    Not(HasSubstr("mutex"))));
}

TEST(RegionText, AnAccessBehindTheRegionIsTheHosts) {
  trace::recording recording = within_region(result_of_another_thread());
  recording.host_accesses->back().step = 7;
  for (trace::region_thread& part : recording.region_threads) part.last_step = 6;
  EXPECT_THAT(text_of(recording), HasSubstr("host thread 2 (program.cu:30) reads them"));
}

}  // namespace
}  // namespace report
