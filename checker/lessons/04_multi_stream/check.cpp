// The rubric of lesson 04: many streams.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/criterion.h"
#include "exercise/message.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// Each of the three arrays is larger than 4.2 MB, and the size is a prime: any number of chunks leaves a tail. The chunks of the
// caller's own plan leave none.
constexpr std::int64_t usual_elements = 1'100'009;
constexpr std::int64_t other_chunks = 47;  // more than anybody would choose as a limit
constexpr std::int64_t other_elements = other_chunks * 8'511;

// Of two more plans of the caller's: a prime, and no fewer than the contract promises.
constexpr std::int64_t elements_of_short_plans = 65'539;

std::vector<float> added(const std::vector<float>& left, const std::vector<float>& right) {
  std::vector<float> sum(left.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = 2.0f * left[i] + right[i] + static_cast<float>(i % 1000);
  }
  return sum;
}

class MultiStream : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(usual_elements * work.scale_up_to(5), other_elements);
    request.set("left", values.quarters(elements, -500, 500));
    request.set("right", values.quarters(elements, -500, 500));
    request.set("kernel_to_copies", 0.75);  // length of the kernel, in lengths of both copies to the device
    if (work.is_of_other_plan) {            // the caller's own, in the order that the file does not choose
      request.set("chunks", other_chunks);
      request.set("streams", std::int64_t{11});
      request.set("driver.fewer.chunks", std::int64_t{5});  // less than anybody would choose
      request.set("driver.fewer.streams", std::int64_t{2});
      request.set("driver.more.chunks", std::int64_t{150});  // more
      request.set("driver.more.streams", std::int64_t{13});
      request.set("driver.elements_of_short_plans", elements_of_short_plans);
    }
    poison::add_to(request);
    return request;
  }

 protected:
  /// The plans of the caller's for the first elements, in the call that has them.
  std::vector<std::string> short_plans() const {
    if (!request().has("driver.fewer.chunks")) return {};
    return {"fewer chunks", "more chunks"};
  }
};

SWEEP({.function = "add_in_chunks()",
       .parameters = {{{.name = "streams", .min = 1, .max = 16, .usual = {1, 2, 4, 8, 16}},
                       {.name = "chunks", .min = 1, .max = 256, .usual = {1, 2, 4, 8, 16, 32, 64}}}},
       .expected = [](const exercise::message& request) {
         const auto sum = added(request.values<float>("left"), request.values<float>("right"));
         return exercise::digest(sum.data(), sum.size() * sizeof(float));
       }});

SECOND_PROFILE("c1060");  // one copy engine
VIRTUAL_DEVICES(2);       // whoever always asks the first does not know about the other
SKELETON_FAILS("EveryElementIsRight", "OverlapIsNearTheBest", "TheDeviceIsAsked",
               "HostQueuesAllWorkBeforeWaiting", "BothOrdersAreQueued");

// "Copies both vectors to the device, adds them there and copies the sum back, cut and queued as `chosen` says."
// "chunks that cover every element; the last one may be shorter"
CRITERION(MultiStream, EveryElementIsRight, 25, "every element of the sum is right, in both orders") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  auto expected = added(request().values<float>("left"), request().values<float>("right"));
  EXPECT_THAT(run(), Returns("sum", expected));
  EXPECT_THAT(run(), ComesFromTheDevice("sum"));
  expected.resize(elements_of_short_plans);
  for (const std::string& plan : short_plans())
    EXPECT_THAT(part(plan), Returns("sum with " + plan, expected));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels(), 40));  // threads_per_block and blocks in multi_stream.h
}

// "When it returns, work.sum is complete." "let the streams take turns, queue in the order of the plan, and wait at the end"
CRITERION(MultiStream, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered("plan"));
}

// "ask the device for its copy engines; choose chunks, streams and the order"
CRITERION(MultiStream, TheDeviceIsAsked, 10, "the plan knows the copy engines of the device") {
  EXPECT_THAT(run(), AsksForCopyEngines("make_plan", "plan.copy_engines", "plan.device"));
}

// "queue each step of one chunk in its stream, and wait for none of them"
// "let the streams take turns, queue in the order of the plan, and wait at the end"
CRITERION(MultiStream, HostQueuesAllWorkBeforeWaiting, 10, "the host queues all work before it waits") {
  EXPECT_THAT(run(), QueuesAllWorkBeforeWaiting());
}

// "Copies both vectors to the device, adds them there and copies the sum back, cut and queued as `chosen` says."
// "let the streams take turns, queue in the order of the plan, and wait at the end"
// "The caller also tries plans of its own, in both orders."
CRITERION(MultiStream, BothOrdersAreQueued, 10, "chunk by chunk and step by step, as the plan says") {
  EXPECT_THAT(run(), QueuesChunks("plan"));
  EXPECT_THAT(run(), UsesTheStreamsItIsGiven());
  for (const std::string& plan : short_plans()) EXPECT_THAT(part(plan), QueuesChunks(plan));
}

// "A good plan for the device of that number, which need not be the only one." "ask the device for its copy engines; choose chunks, streams and the order"
CRITERION(MultiStream, OverlapIsNearTheBest, 25, "most of what overlap can gain is gained") {
  EXPECT_THAT(run(), ReachesOverlapEfficiency{.planner = "make_plan"}.at_least(0.8));
  EXPECT_THAT(run(), WorksFor("cycles", kernels()));
}

}  // namespace
