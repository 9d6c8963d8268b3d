// criterion.h: how a lesson's check.cpp states its rubric.
//
// A lesson is a class derived from checking::lesson_check with a static make_request(); each CRITERION is a
// GoogleTest test of that class with points and a title. Points of a lesson sum to 100. Not here: the
// matchers (matchers.h).
//
//     CRITERION(AsyncCopy, CopiesOverlapKernels, 25, "copies run while kernels run") {
//       EXPECT_THAT(seen(), Overlaps(copies(), kernels()).at_least(0.6));
//     }
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "checking/random_values.h"
#include "checking/sweep_declaration.h"
#include "matchers/scheduled_run.h"

namespace checking {

/// The base of every lesson's fixture. The derived class has
/// `static exercise::message make_request(checking::random_values& values);`.
class lesson_check : public testing::Test {
 public:
  /// What the criteria look at from now on; must outlive their evaluation. nullptr: nothing, and they are
  /// skipped.
  static void look_at(const matchers::observations* what);
  /// How much work a request should ask for; before make_request is called.
  static void set_work_scale(std::int64_t scale);

 protected:
  /// Skips the criterion while there is nothing to look at.
  void SetUp() override;
  /// How many times the work of the virtual GPU, whose kernels run on a CPU: 1 there. An odd number, so that
  /// odd sizes stay odd.
  static std::int64_t work_scale();
  /// The learner's part of the plain run.
  static const analysis::part& seen();
  /// What came back under each schedule, the plain run first.
  static const std::vector<matchers::scheduled_run>& every_run();
  /// The request that all runs were fed from.
  static const exercise::message& request();
};

/// One line of a rubric.
struct criterion {
  std::string name;   ///< "CopiesOverlapKernels"
  int points = 0;     ///< of the lesson's 100
  std::string title;  ///< "copies run while kernels run"
};

/// The rubric of the lesson this program checks, in the order of check.cpp.
struct rubric {
  /// Draws the request of a check: sizes, parameters, inputs.
  std::function<exercise::message(random_values&)> make_request;
  std::vector<criterion> criteria;          ///< in the order of check.cpp
  std::vector<std::string> skeleton_fails;  ///< the first must fail on the skeleton, no others than these may
  std::optional<sweep_declaration> sweep;   ///< when the lesson can be swept

  /// The criterion of that name, or nullptr.
  const criterion* find(const std::string& name) const;
};

/// The rubric that the macros of this program's check.cpp have registered.
const rubric& registered_rubric();

/// Used by the macros below. Each returns true.
bool register_criterion(criterion what, std::function<exercise::message(random_values&)> make_request);
/// The same for SKELETON_FAILS.
bool register_skeleton_failures(std::initializer_list<const char*> names);
/// The same for the declaration of a sweep.
bool register_sweep(sweep_declaration what);

}  // namespace checking

/// A test of GoogleTest that is also a line of the rubric, with its points and its title.
#define CRITERION(Lesson, Name, points, title)                                     \
  [[maybe_unused]] static const bool Name##IsRegistered =                          \
      checking::register_criterion({#Name, points, title}, &Lesson::make_request); \
  TEST_F(Lesson, Name)

/// SKELETON_FAILS("A", "B"): the criteria that fail on the pristine skeleton, the one that must fail first.
#define SKELETON_FAILS(...)                                          \
  [[maybe_unused]] static const bool SkeletonFailuresAreRegistered = \
      checking::register_skeleton_failures({__VA_ARGS__})

/// SWEEP({...}): what `streamlings sweep` can vary; see sweep_declaration.h.
#define SWEEP(...) \
  [[maybe_unused]] static const bool SweepIsRegistered = checking::register_sweep(__VA_ARGS__)
