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

CRITERION(Sample, JudgesLengths, 0, "") {
  harness::file_lengths_judged();
  harness::file_note("by events");
}

CRITERION(Sample, FailsByLengths, 0, "") {
  harness::file_lengths_judged();
  harness::file_failure({report::run_verdict::too_slow, {"", "took too long", "", ""}});
  ADD_FAILURE();
}

CRITERION(Sample, ComparesWithCalibration, 0, "") {
  harness::file_compared_with_calibration();
  harness::file_note("1.2 times");
}

CRITERION(Sample, FailsWithoutEvidence, 5, "") { EXPECT_EQ(every_run().size(), 7u); }

void print(const std::vector<report::criterion_result>& results) {
  for (const report::criterion_result& each : results) {
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

harness::observations observed(std::int64_t seven) {
  harness::observations what;
  what.request.set("seven", seven);
  return what;
}

/// With a recording that says this.
harness::observations recorded(std::string kind, std::string message) {
  harness::observations what = observed(7);
  trace::recording& seen = what.runs.emplace_back().outcome.seen.emplace();
  seen.diagnostics.push_back({std::move(kind), std::move(message), 0, {}});
  return what;
}

/// The second round is another run, of the third run nothing was recorded, and the fourth one was not alone.
void evaluate_four_rounds() {
  harness::observations what[] = {observed(7), observed(8), recorded("not_recorded", "nothing was recorded"),
                                  recorded("other_work", "process 7 used the GPU")};
  std::size_t round = 0;
  harness::evaluate_rounds(
      9, [&] { return round < 4 ? &what[round++] : nullptr; },
      [&](std::vector<report::criterion_result> results) {
        fmt::print("round {}\n", round);
        print(results);
      });
}

}  // namespace

int main(int count, char**) {
  if (count > 1) {
    evaluate_four_rounds();
  } else {
    print(harness::evaluate(observed(7)));
  }
}
