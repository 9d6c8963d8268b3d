// criterion.h: how a lesson's check.cpp states its rubric.
//
// A lesson is a class derived from checking::lesson_check with a static make_request(); each CRITERION is a
// member function of a class derived from it, judged with the assertions of GoogleTest. Points of a lesson
// sum to 100. Not here: what can be asked of a run (matchers/matchers.h).
//
//     CRITERION(AsyncCopy, CopiesOverlapKernels, 25, "copies run while kernels run") {
//       EXPECT_THAT(run(), Overlaps(copies(), kernels()).at_least(0.6));
//     }
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checking/default_stream.h"
#include "checking/random_values.h"
#include "checking/sweep_declaration.h"
#include "matchers/matcher.h"

namespace checking {

/// What a criterion looks at, and where its matchers leave their verdicts.
struct judged_run {
  const matchers::observations& observed;
  matchers::run_facts learner;  ///< of the learner's part of the call that is judged
  std::vector<matchers::verdict> verdicts{};
};

/// What a request asks for. In one process the function is called with the usual plan, again with the usual plan, which is
/// judged by all criteria, and with another plan: other sizes and numbers, for what holds in every call.
struct requested_work {
  /// How many times the work to ask for that suits the virtual GPU, whose kernels run on a CPU. It is 1 there,
  /// and always odd, so that odd sizes stay odd.
  std::int64_t scale = 1;
  bool is_of_other_plan = false;

  /// The scale of data of which more would cost a check on a GPU time and make its verdict no surer; `most` is odd.
  std::int64_t scale_up_to(std::int64_t most) const { return std::min(scale, most); }
  std::int64_t by_plan(std::int64_t usual, std::int64_t other) const {
    return is_of_other_plan ? other : usual;
  }
};

/// The base of every lesson's class. The derived class has
/// `static exercise::message make_request(random_values& values, const requested_work& work);`
class lesson_check {
 public:
  virtual ~lesson_check() = default;
  /// Judges one criterion.
  void judge(judged_run& judged);

 protected:
  /// The learner's part of the call, for EXPECT_THAT. The matcher knows in which other calls and runs it has to hold as well.
  matchers::subject run() const;
  /// Another part of the call. Throws std::out_of_range when there is none of that name.
  matchers::subject part(std::string_view name) const;
  /// What the exercise program answered to the call in the plain run.
  const exercise::message& answer() const;
  /// The request of the call.
  const exercise::message& request() const;

 private:
  virtual void body() = 0;

  judged_run* judged_ = nullptr;
};

/// One line of a rubric.
struct criterion {
  std::string name;   ///< "CopiesOverlapKernels"
  int points = 0;     ///< of the lesson's 100
  std::string title;  ///< "copies run while kernels run"
  std::function<std::unique_ptr<lesson_check>()> make_check{};
};

/// What a check.cpp says, in the order in which it says it.
struct rubric {
  /// Draws a request: sizes, parameters, inputs.
  std::function<exercise::message(random_values&, const requested_work&)> make_request;
  std::vector<criterion> criteria;
  std::vector<std::string> skeleton_fails;  ///< the first must fail on the skeleton, no others than these may
  std::string second_profile;  ///< all has to hold on it as well, but for times; "": on one profile only
  std::optional<sweep_declaration> sweep;               ///< when the lesson can be swept
  default_stream null_stream = default_stream::legacy;  ///< in the learner's file and in drive.cpp
  /// How many GPUs the lesson needs: the virtual GPU is there so often, and a machine with fewer cannot check on its own.
  std::uint32_t devices = 1;
  std::uint32_t virtual_devices = 1;  ///< how often the virtual GPU is there, when that is more

  /// nullptr when there is no criterion of that name.
  const criterion* find(const std::string& name) const;
};

/// The rubric that the macros below fill: that of the check.cpp in the same program or module.
rubric& own_rubric();

/// Used by CRITERION.
template <typename Lesson, typename Check>
bool add_criterion(std::string name, int points, std::string title) {
  own_rubric().make_request = &Lesson::make_request;
  own_rubric().criteria.push_back(
      {std::move(name), points, std::move(title), [] { return std::make_unique<Check>(); }});
  return true;
}

}  // namespace checking

/// A line of the rubric, with its points and its title. What follows is the body of a function.
#define CRITERION(Lesson, Name, points, title)                                \
  class Lesson##_##Name final : public Lesson {                               \
    void body() override;                                                     \
  };                                                                          \
  [[maybe_unused]] static const bool Name##IsRegistered =                     \
      checking::add_criterion<Lesson, Lesson##_##Name>(#Name, points, title); \
  void Lesson##_##Name::body()

/// SKELETON_FAILS("A", "B"): the criteria that fail on the pristine skeleton, the one that must fail first.
#define SKELETON_FAILS(...)                                          \
  [[maybe_unused]] static const bool SkeletonFailuresAreRegistered = \
      (checking::own_rubric().skeleton_fails = {__VA_ARGS__}, true)

/// SECOND_PROFILE("c1060"): the profile on which answers for one GPU only show.
#define SECOND_PROFILE(name)                                     \
  [[maybe_unused]] static const bool SecondProfileIsRegistered = \
      (checking::own_rubric().second_profile = (name), true)

/// NULL_STREAM(per_thread): the files of the lesson are compiled as with nvcc's --default-stream per-thread.
#define NULL_STREAM(meaning)                                  \
  [[maybe_unused]] static const bool NullStreamIsRegistered = \
      (checking::own_rubric().null_stream = checking::default_stream::meaning, true)

/// DEVICES(2): the lesson needs two GPUs of one kind.
#define DEVICES(count) \
  [[maybe_unused]] static const bool DevicesAreRegistered = (checking::own_rubric().devices = (count), true)

/// VIRTUAL_DEVICES(2): the virtual GPU is there twice, although one GPU is enough: for answers that know only the first.
#define VIRTUAL_DEVICES(count)                                     \
  [[maybe_unused]] static const bool VirtualDevicesAreRegistered = \
      (checking::own_rubric().virtual_devices = (count), true)

/// SWEEP({...}): what `streamlings sweep` can vary; see sweep_declaration.h.
#define SWEEP(...)                                       \
  [[maybe_unused]] static const bool SweepIsRegistered = \
      (checking::own_rubric().sweep = checking::sweep_declaration __VA_ARGS__, true)
