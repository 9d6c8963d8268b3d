// The rubric of lesson 04: many streams.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exercise/message.h"
#include "matchers/asks_for_copy_engines.h"
#include "checking/criterion.h"
#include "matchers/matchers.h"
#include "matchers/queues_chunks.h"
#include "matchers/reaches_overlap_efficiency.h"

using namespace checking;
using namespace matchers;

namespace {

// Each of the three arrays is larger than 4 MiB, and the size is odd: two chunks already have a tail.
constexpr std::int64_t elements_at_least = 1'100'007;

std::vector<float> added(const std::vector<float>& left, const std::vector<float>& right) {
  std::vector<float> sum(left.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = 2.0f * left[i] + right[i] + static_cast<float>(i % 1000);
  }
  return sum;
}

class MultiStream : public lesson_check {
 public:
  static exercise::message make_request(random_values& values) {
    exercise::message request;
    const std::int64_t elements = elements_at_least * work_scale();
    request.set("left", values.quarters(elements, -500, 500));
    request.set("right", values.quarters(elements, -500, 500));
    request.set("kernel_to_copies", 0.75);  // length of the kernel, in lengths of both copies to the device
    poison::add_to(request);
    return request;
  }

 protected:
  // The learner's own plan, and the same with the other order.
  static issue_order planned_order() {
    return every_run().front().outcome.answer.integer("plan.is_breadth_first") ? issue_order::breadth_first
                                                                               : issue_order::depth_first;
  }
  static issue_order other_order() {
    return planned_order() == issue_order::depth_first ? issue_order::breadth_first
                                                       : issue_order::depth_first;
  }
  static analysis::part seen_in_other_order() { return analysis::part_of(*seen().seen, "other order"); }
};

SWEEP({.of = "add_in_chunks()",
       .parameters = {{{.name = "streams", .least = 1, .most = 16, .usual = {1, 2, 4, 8, 16}},
                       {.name = "chunks", .least = 1, .most = 256, .usual = {1, 2, 4, 8, 16, 32, 64}}}},
       .expected = [](const exercise::message& request) {
         const auto sum = added(request.values<float>("left"), request.values<float>("right"));
         return exercise::digest(sum.data(), sum.size() * sizeof(float));
       }});

SKELETON_FAILS("OverlapIsNearTheBest", "TheDeviceIsAsked", "HostQueuesAllWorkBeforeWaiting",
               "BothOrdersAreQueued");

CRITERION(MultiStream, EveryElementIsRight, 25, "every element of the sum is right, in both orders") {
  EXPECT_THAT(seen(), HasNoFailedCalls());
  EXPECT_THAT(seen_in_other_order(), HasNoFailedCalls());
  const auto expected = added(request().values<float>("left"), request().values<float>("right"));
  EXPECT_THAT(every_run(), Returns("sum", expected));
  EXPECT_THAT(every_run(), Returns("sum in other order", expected));
}

CRITERION(MultiStream, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(seen(), IsOrdered());
  EXPECT_THAT(seen_in_other_order(), IsOrdered());
}

CRITERION(MultiStream, TheDeviceIsAsked, 10, "the plan knows the copy engines of the device") {
  EXPECT_THAT(every_run().front(), AsksForCopyEngines("plan.copy_engines"));
}

CRITERION(MultiStream, HostQueuesAllWorkBeforeWaiting, 10, "the host queues all work before it waits") {
  EXPECT_THAT(seen(), QueuesAllWorkBeforeWaiting());
  EXPECT_THAT(seen_in_other_order(), QueuesAllWorkBeforeWaiting());
}

CRITERION(MultiStream, BothOrdersAreQueued, 10, "chunk by chunk and step by step, as the plan says") {
  EXPECT_THAT(seen(), QueuesChunks(planned_order()));
  EXPECT_THAT(seen_in_other_order(), QueuesChunks(other_order()));
}

CRITERION(MultiStream, OverlapIsNearTheBest, 25, "most of what overlap can gain is gained") {
  EXPECT_THAT(seen(), ReachesOverlapEfficiency().at_least(0.8));
}

}  // namespace
