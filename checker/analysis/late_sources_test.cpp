#include "analysis/late_sources.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace analysis {
namespace {

/// A copy of `source` to the device, in the part "learner".
struct copied_source : trace::recording_builder {
  trace::stream_id stream = create_stream();
  trace::memory source = allocate(trace::memory_kind::pinned, 64);
  trace::memory device = allocate(trace::memory_kind::device, 64);

  const trace::host_access* late_source(trace::operation_id copy) {
    mark("end:learner");
    return late_source_of(part_of(recording(), "learner"), recording().operation_at(copy),
                          trace::reads(source));
  }
};

TEST(LateSource, IsWrittenByTheHostOnlyBehindTheCopy) {
  copied_source program;
  program.host_writes(program.source);
  program.synchronize_device();
  program.mark("begin:learner");
  const auto copy = program.copy(program.source, program.device, program.stream);
  program.at_line(20).host_writes(program.source);
  const trace::host_access* const late = program.late_source(copy);
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->where.line, 20u);
}

TEST(LateSource, IsNoneThatHostOrDeviceHadWrittenBefore) {
  for (const bool is_by_host : {true, false}) {
    copied_source program;
    program.mark("begin:learner");
    if (is_by_host)
      program.host_writes(program.source);
    else
      program.launch("make", program.stream, {trace::writes(program.source)});
    const auto copy = program.copy(program.source, program.device, program.stream);
    program.host_writes(program.source);
    EXPECT_EQ(program.late_source(copy), nullptr);
  }
}

TEST(LateSource, IsNoneThatAThreadWithoutAnyCallYetHadWritten) {
  copied_source program;
  program.mark("begin:learner");
  program.on_thread(2);
  program.host_writes(program.source);
  const auto copy = program.copy(program.source, program.device, program.stream);
  program.host_writes(program.source);
  EXPECT_EQ(program.late_source(copy), nullptr);
}

TEST(LateSource, IsNoneThatOnlyTheCallerWrites) {
  copied_source program;
  program.host_writes(program.source);
  program.mark("begin:learner");
  const auto copy = program.copy(program.source, program.device, program.stream);
  EXPECT_EQ(program.late_source(copy), nullptr);
}

}  // namespace
}  // namespace analysis
