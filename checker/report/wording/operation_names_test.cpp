#include "report/wording/operation_names.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace report {
namespace {

using trace::memory;
using trace::recording_builder;

struct names_of_operations : testing::Test {
  recording_builder program;
  trace::stream_id one = program.create_stream(), two = program.create_stream();
  memory host = program.allocate(trace::memory_kind::pinned, 64);
  memory device = program.allocate(trace::memory_kind::device, 64);

  std::string name(trace::operation_id id) const {
    return name_of(program.recording(), program.recording().operation_at(id));
  }
};

TEST_F(names_of_operations, CopiesAreNumberedByDirectionInAnyStream) {
  const auto upload = program.copy(host, device, one);
  const auto back = program.copy(device, host, one);
  const auto next = program.copy(host, device, two);
  EXPECT_EQ(name(upload), "H2D 1");
  EXPECT_EQ(name(back), "D2H 1");
  EXPECT_EQ(name(next), "H2D 2");
}

TEST_F(names_of_operations, KernelsAreNumberedByTheirShortName) {
  const auto first = program.launch("void scale<float>(float*)", one, {});
  const auto other = program.launch("add", one, {});
  const auto second = program.launch("scale", one, {});
  EXPECT_EQ(name(first), "scale 1");
  EXPECT_EQ(name(other), "add 1");
  EXPECT_EQ(name(second), "scale 2");
}

TEST_F(names_of_operations, AKernelIsNotTakenForSomethingElseOfItsName) {
  program.launch("H2D", one, {});
  EXPECT_EQ(name(program.copy(host, device, one)), "H2D 1");
}

TEST_F(names_of_operations, CountingBeginsAnewWithAPartButNotInsideOfOne) {
  program.copy(host, device, one);
  program.mark("begin:learner");
  const auto first = program.copy(host, device, one);
  program.mark("begin:request 1");
  const auto second = program.copy(host, device, one);
  program.mark("end:request 1");
  program.mark("end:learner");
  EXPECT_EQ(name(first), "H2D 1");
  EXPECT_EQ(name(second), "H2D 2");
}

TEST_F(names_of_operations, AllAtOnceAreTheSameAsOneByOne) {
  program.copy(host, device, one);
  program.mark("begin:learner");
  program.launch("scale", one, {});
  program.copy(host, device, two);
  program.mark("begin:inner");
  program.launch("scale", two, {});
  program.mark("end:inner");
  program.mark("end:learner");
  program.launch("scale", two, {});
  const operation_names names(program.recording());
  for (const trace::operation& operation : program.recording().operations)
    EXPECT_EQ(names.of(operation.id), name(operation.id));
}

}  // namespace
}  // namespace report
