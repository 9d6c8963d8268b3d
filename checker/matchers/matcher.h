// matcher.h: GoogleMock's coat around a function from the facts of a run to a verdict.
//
//     matcher IsOrdered() {
//       return {"everything that touches the same bytes is in order", [](const run_facts& run) { ... }};
//     }
//     EXPECT_THAT(run(), IsOrdered());           // in a check.cpp
//     verdict found = IsOrdered().match(facts);  // anywhere
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "matchers/facts/run_facts.h"
#include "matchers/verdict.h"

namespace matchers {

/// What EXPECT_THAT looks at in a check.cpp: the facts of a part, and where the verdict on them is kept.
struct subject {
  run_facts facts;
  std::vector<verdict>* verdicts;
};

/// A question about a run. Values of this type are what a check.cpp calls Overlaps(...), IsOrdered(), ...
class matcher {
 public:
  using is_gtest_matcher = void;

  /// `description` is what holds for a run that passes: "copies run while kernels run".
  matcher(std::string description, std::function<verdict(const run_facts&)> judge,
          reach within = reach::plain_run);

  /// The verdict on these facts, or the first failure elsewhere within reach: then it says where.
  verdict match(const run_facts& run) const;

  /// Keeps the verdict, once however often GoogleMock asks, and explains a failure. True when it passed, is
  /// not observable, or is asked of a call that it does not reach.
  bool MatchAndExplain(const subject& judged, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  bool is_asked_of(const run_facts& run) const;

  std::string description_;
  std::function<verdict(const run_facts&)> judge_;
  reach reach_;
};

}  // namespace matchers
