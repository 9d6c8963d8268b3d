#include "matchers/calls_no_cuda_in_host_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(CallsNoCudaInHostFunctions, PassesWhenNothingWasNoted) {
  sample_run run;
  run.host_function(run.lane[0], {0, 10}, 13);
  EXPECT_THAT(run.learner(), CallsNoCudaInHostFunctions());
}

TEST(CallsNoCudaInHostFunctions, NamesTheCallThatWasNoted) {
  sample_run run;
  run.host_function(run.lane[0], {0, 10}, 13);
  const trace::call_id call = run.call("cudaMemcpyAsync", {5, 6}, 21);
  run.recording().calls[call - 1].error_code = 800;
  run.recording().calls[call - 1].error_name = "cudaErrorNotPermitted";
  run.recording().diagnostics.push_back(
      {trace::diagnostic_kind::cuda_call_in_host_function, "no", call, {1, 21}});
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), CallsNoCudaInHostFunctions()),
      "A host function called cudaMemcpyAsync, which answered cudaErrorNotPermitted and did nothing.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:21");
}

TEST(CallsNoCudaInHostFunctions, TheErrorIsEnough) {
  sample_run run;
  run.recording().calls[run.call("cudaStreamQuery", {5, 6}, 21) - 1].error_code = 800;
  EXPECT_THAT(run.learner(), testing::Not(CallsNoCudaInHostFunctions()));
}

TEST(CallsNoCudaInHostFunctions, OtherDiagnosticsAndOtherPartsDoNotCount) {
  sample_run run;
  const trace::call_id call = run.call("cudaMalloc", {5, 6}, 21);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::use_after_free, "", call, {}});
  run.recording().diagnostics.push_back({trace::diagnostic_kind::cuda_call_in_host_function, "", 0, {}});
  EXPECT_THAT(run.learner(), CallsNoCudaInHostFunctions());
}

}  // namespace
}  // namespace matchers
