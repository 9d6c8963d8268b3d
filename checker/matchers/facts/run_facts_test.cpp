#include "matchers/facts/run_facts.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(RunFacts, AreComputedOnceForAllCopies) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  const run_facts learner = run.learner();
  const run_facts copy = learner;
  EXPECT_EQ(&learner.ordering(), &copy.ordering());
  EXPECT_EQ(&learner.reasons(), &copy.reasons());
  EXPECT_EQ(&learner.explanation(), &copy.explanation());
}

TEST(RunFacts, PartsOfOneRunShareWhatDoesNotDependOnThePart) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  const run_facts learner = run.learner();
  const run_facts whole = learner.of_part("");
  EXPECT_EQ(&learner.ordering(), &whole.ordering());
  EXPECT_NE(&learner.reasons(), &whole.reasons());
  EXPECT_EQ(&whole.reasons(), &learner.of_part("").reasons());
}

TEST(RunFacts, APartThatIsNotThereIsAnError) {
  sample_run run;
  EXPECT_THROW(run.learner().of_part("timing"), std::out_of_range);
}

}  // namespace
}  // namespace matchers
