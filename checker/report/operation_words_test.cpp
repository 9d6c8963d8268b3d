#include "report/operation_words.h"

#include <gtest/gtest.h>

namespace report {
namespace {

/// A learner's part with a copy from their own file and host_work() from another file.
trace::recording run_with_a_task() {
  trace::recording seen;
  seen.files = {"", "drive.cpp", "async_copy.cu"};
  const auto add = [&](const char* name, std::uint32_t file, std::uint32_t line) {
    trace::host_call& call = seen.calls.emplace_back();
    call.id = static_cast<trace::call_id>(seen.calls.size());
    call.name = name;
    call.where = {file, line};
  };
  add("cudaMalloc", 1, 10);
  add("cudaMemcpyAsync", 2, 18);
  add("host_work", 1, 29);
  add("host_work", 2, 20);
  add("host_work", 1, 40);
  seen.marks = {{"begin:learner", trace::nanoseconds{0}, 1, 0}, {"end:learner", trace::nanoseconds{0}, 4, 0}};
  return seen;
}

TEST(OperationWords, ACallIsToldWithItsPlace) {
  const trace::recording seen = run_with_a_task();
  EXPECT_EQ(in_words(seen, seen.call_at(2)), "cudaMemcpyAsync (async_copy.cu:18)");
  EXPECT_EQ(in_words(seen, seen.call_at(4)), "host_work (async_copy.cu:20)");
}

TEST(OperationWords, ATaskThatTheLearnersFunctionWasGivenHasNoPlaceToChange) {
  const trace::recording seen = run_with_a_task();
  EXPECT_EQ(in_words(seen, seen.call_at(3)), "host_work in a function that yours calls");
}

TEST(OperationWords, ATaskMayCallCudaAsWell) {
  trace::recording seen = run_with_a_task();
  seen.calls[3].name = "cudaEventRecord";
  seen.calls[3].where.file = 1;
  EXPECT_EQ(in_words(seen, seen.call_at(3)), "host_work in a function that yours calls");
}

TEST(OperationWords, OutsideOfTheLearnersPartEveryPlaceIsTold) {
  trace::recording seen = run_with_a_task();
  EXPECT_EQ(in_words(seen, seen.call_at(5)), "host_work (drive.cpp:40)");
  seen.marks.clear();
  EXPECT_EQ(in_words(seen, seen.call_at(3)), "host_work (drive.cpp:29)");
}

TEST(OperationWords, AStreamIsCalledByTheNameThatItWasGiven) {
  trace::recording seen;
  seen.streams.resize(3);
  seen.streams[0].kind = trace::stream_kind::legacy_default;
  seen.streams[1].name = "left_stream";
  EXPECT_EQ(stream_in_words(seen, 1), "the default stream");
  EXPECT_EQ(stream_in_words(seen, 2), "`left_stream`");
  EXPECT_EQ(stream_in_words(seen, 3), "stream 3");
}

}  // namespace
}  // namespace report
