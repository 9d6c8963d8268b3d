#include "matchers/copies.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using trace::access_mode;

class Copies : public ::testing::Test {
 protected:
  static constexpr trace::allocation_id pinned = 1, device = 2;

  Copies() { run.recording().host_accesses.emplace(); }
  trace::operation_id bring_back(int line) {
    const trace::operation_id copy = run.copy_to_host(sample_run::lane[0], {200, 300}, line);
    run.touches(copy, device, access_mode::read);
    run.touches(copy, pinned, access_mode::write);
    return copy;
  }
  void upload(int line) {
    const trace::operation_id copy = run.copy_to_device(sample_run::lane[0], {0, 100}, line);
    run.touches(copy, pinned, access_mode::read);
    run.touches(copy, device, access_mode::write);
  }
  void compute(int line) {
    const trace::operation_id kernel = run.kernel(sample_run::lane[0], {100, 200}, line);
    run.touches(kernel, device, access_mode::read);
    run.touches(kernel, device, access_mode::write);
  }
  verdict judged() { return CopiesNothingInVain().match(run.learner()); }

  sample_run run;
};

TEST_F(Copies, OneAfterEachKernelOfWhichTheLastCountsFail) {
  compute(10);
  bring_back(11);
  compute(12);
  bring_back(13);
  EXPECT_EQ(judged().mistake, "copied_in_vain");
  EXPECT_THAT(judged().why.where, HasSubstr(":11"));
  EXPECT_THAT(judged().why.observation, HasSubstr("D2H 1"));
  EXPECT_THAT(judged().why.observation, HasSubstr("D2H 2"));
}

TEST_F(Copies, TheSameInputTwiceFails) {
  upload(10);
  upload(11);
  compute(12);
  EXPECT_THAT(judged().why.where, HasSubstr(":10"));
}

TEST_F(Copies, WhatAKernelReadsBetweenPasses) {
  upload(10);
  compute(11);
  upload(12);
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
}

TEST_F(Copies, WhatTheHostReadsBetweenPasses) {
  bring_back(10);
  run.call("cudaStreamSynchronize", {200, 300}, 11, sample_run::lane[0]);
  run.host_reads(pinned, 12);
  bring_back(13);
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
}

TEST_F(Copies, ThePiecesOfOneResultPass) {
  const trace::operation_id first = bring_back(10);
  const trace::operation_id second = bring_back(11);
  auto& accesses = run.recording().operations;
  accesses[first - 1].accesses->back().bytes = trace::byte_set::range(0, 8);
  accesses[second - 1].accesses->back().bytes = trace::byte_set::range(8, 8);
  EXPECT_EQ(judged().outcome, report::criterion_verdict::pass);
}

TEST_F(Copies, WithoutAccessesThatIsSaid) {
  bring_back(10);
  bring_back(11);
  run.recording().host_accesses.reset();
  EXPECT_EQ(judged().note, "which bytes were used is not recorded");
}

/// A copy from the memory of one device to that of another, of 4 elements, of buffers that the contract cuts into edge and ghost.
class Exchange : public Copies {
 protected:
  Exchange() {
    run.recording().allocations.at(device - 1).name = "halves[0].now";
    trace::allocation other = run.recording().allocations.at(device - 1);
    other.id = static_cast<trace::allocation_id>(run.recording().allocations.size() + 1);
    other.device = 1;
    other.name = "halves[1].next";
    run.recording().allocations.push_back(other);
    for (const auto& [name, first] : {std::pair("halves[0].edge", 8),
                                      {"halves[0].ghost", 0},
                                      {"halves[1].edge", 4},
                                      {"halves[1].ghost", 12},
                                      {"reach", 4}})
      run.answer().set(name, std::int64_t{first});
  }
  verdict sent(std::uint64_t from, std::uint64_t to) {
    const trace::operation_id copy = run.copy_to_device(sample_run::lane[0], {0, 100}, 12);
    const auto bytes_from = [](std::uint64_t element) { return trace::byte_set::range(element * 4, 16); };
    run.recording().operations.at(copy - 1).accesses = {
        {device, access_mode::read, bytes_from(from)},
        {static_cast<trace::allocation_id>(run.recording().allocations.size()), access_mode::write,
         bytes_from(to)}};
    return SendsFromTo("edge", "ghost", "reach").match(run.learner());
  }
};

TEST_F(Exchange, FromTheEdgeToTheGhostPasses) {
  EXPECT_EQ(sent(8, 12).outcome, report::criterion_verdict::pass);
}

TEST_F(Exchange, ToTheGhostOfTheSenderFailsAndNamesBothPlaces) {
  const verdict found = sent(8, 0);
  EXPECT_EQ(found.mistake, "wrong_argument");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "writes elements 0 to 3 of `halves[1].next`. Its place there is elements 12 to 15: `halves[1].ghost` is 12."));
}

TEST_F(Exchange, FromElsewhereFails) {
  EXPECT_THAT(sent(4, 12).why.observation, HasSubstr("reads elements 4 to 7 of `halves[0].now`."));
}

}  // namespace
}  // namespace matchers
