// A rubric whose criteria end in every possible way, evaluated and printed. Started by evaluate_test.cpp.
#include <fmt/core.h>

#include "harness/evaluate.h"
#include "harness/findings.h"
#include "harness/matchers.h"

namespace {

class Sample : public harness::lesson_check {
 public:
  static exercise::message make_request(harness::random_values&) { return {}; }
};

CRITERION(Sample, Passes, 40, "") {
  harness::file_note("measured 7");
  EXPECT_EQ(request().integer("seven"), 7);
}

CRITERION(Sample, FailsWithEvidence, 30, "") {
  harness::file_failure({report::run_verdict::race_detected, {"", "two reads", "", ""}});
  ADD_FAILURE();
}

CRITERION(Sample, IsNotObservable, 20, "") { harness::file_not_observable("cannot look"); }

CRITERION(Sample, TakesTheGraverOfTwoFailures, 5, "") {
  harness::file_failure({report::run_verdict::no_overlap, {"", "nothing overlaps", "", ""}});
  harness::file_failure({report::run_verdict::cuda_error, {"", "a call failed", "", ""}});
  ADD_FAILURE();
}

CRITERION(Sample, FailsWithoutEvidence, 5, "") { EXPECT_EQ(every_run().size(), 1u); }

}  // namespace

int main() {
  harness::observations what;
  what.request.set("seven", std::int64_t{7});
  for (const report::criterion_result& each : harness::evaluate(what)) {
    fmt::print("{} {} {}", each.name, each.points, report::word_of(each.verdict));
    if (each.verdict != report::criterion_verdict::fail) {
      fmt::print(" '{}'\n", each.note);
    } else if (each.name == "FailsWithoutEvidence") {
      fmt::print(" {}\n", report::word_of(each.failure));
    } else {
      fmt::print(" {} '{}'\n", report::word_of(each.failure), each.why.seen);
    }
  }
}
