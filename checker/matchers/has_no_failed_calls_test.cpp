#include "matchers/has_no_failed_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

sample_run with_call(const std::string& name, int error_code, const std::string& error_name) {
  sample_run run;
  run.call(name, {0, 1}, 12);
  run.recording().calls.back().error_code = error_code;
  run.recording().calls.back().error_name = error_name;
  return run;
}

TEST(HasNoFailedCalls, PassesWhenEveryCallSucceeds) {
  sample_run run = with_call("cudaMemcpyAsync", 0, "");
  EXPECT_THAT(run.learner(), HasNoFailedCalls());
}

TEST(HasNoFailedCalls, NamesTheFirstCallThatFailedAndItsLine) {
  sample_run run = with_call("cudaMemcpyAsync", 1, "cudaErrorInvalidValue");
  run.call("cudaMemcpyAsync", {1, 2}, 13);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), HasNoFailedCalls()),
      "cudaMemcpyAsync returned cudaErrorInvalidValue (1), and the operation was not done.");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::cuda_error);
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:12");
}

TEST(HasNoFailedCalls, NotReadyIsAnAnswer) {
  sample_run run = with_call("cudaStreamQuery", 600, "cudaErrorNotReady");
  EXPECT_THAT(run.learner(), HasNoFailedCalls());
}

TEST(HasNoFailedCalls, AskingForTheLastErrorIsNoFailure) {
  sample_run run = with_call("cudaGetLastError", 9, "cudaErrorInvalidConfiguration");
  EXPECT_THAT(run.learner(), HasNoFailedCalls());
}

}  // namespace
}  // namespace matchers
