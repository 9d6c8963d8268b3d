// A rubric whose criteria end in every possible way, evaluated and printed. Started by evaluate_test.cpp.
#include <fmt/core.h>

#include "checking/criterion.h"
#include "checking/evaluate.h"
#include "matchers/findings.h"
#include "matchers/matchers.h"

namespace {

class Sample : public checking::lesson_check {
 public:
  static exercise::message make_request(checking::random_values&) { return {}; }
};

CRITERION(Sample, Passes, 40, "") {
  matchers::file_note("measured 7");
  EXPECT_EQ(request().integer("seven"), 7);
}

CRITERION(Sample, FailsWithEvidence, 30, "") {
  matchers::file_failure({report::run_verdict::race_detected, {"", "two reads", "", ""}});
  ADD_FAILURE();
}

CRITERION(Sample, IsNotObservable, 20, "") { matchers::file_not_observable("cannot look"); }

CRITERION(Sample, TakesTheGraverOfTwoFailures, 5, "") {
  matchers::file_failure({report::run_verdict::no_overlap, {"", "nothing overlaps", "", ""}});
  matchers::file_failure({report::run_verdict::cuda_error, {"", "a call failed", "", ""}});
  ADD_FAILURE();
}

CRITERION(Sample, JudgesLengths, 0, "") {
  matchers::file_lengths_judged();
  matchers::file_note("by events");
}

CRITERION(Sample, FailsByLengths, 0, "") {
  matchers::file_lengths_judged();
  matchers::file_failure({report::run_verdict::too_slow, {"", "took too long", "", ""}});
  ADD_FAILURE();
}

CRITERION(Sample, ComparesWithCalibration, 0, "") {
  matchers::file_compared_with_calibration();
  matchers::file_note("1.2 times");
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

matchers::observations observed(std::int64_t seven) {
  matchers::observations what;
  what.request.set("seven", seven);
  return what;
}

/// With a recording that says this.
matchers::observations recorded(trace::diagnostic_kind kind, std::string message) {
  matchers::observations what = observed(7);
  trace::recording& seen = what.runs.emplace_back().outcome.seen.emplace();
  seen.diagnostics.push_back({kind, std::move(message), 0, {}});
  return what;
}

/// The second round is another run, of the third run nothing was recorded, and the fourth one was not alone.
void evaluate_four_rounds() {
  matchers::observations what[] = {observed(7), observed(8),
                                   recorded(trace::diagnostic_kind::not_recorded, "nothing was recorded"),
                                   recorded(trace::diagnostic_kind::other_work, "process 7 used the GPU")};
  std::size_t round = 0;
  checking::evaluate_rounds(
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
    print(checking::evaluate(observed(7)));
  }
}
