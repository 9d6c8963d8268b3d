// The rubric of lesson 07: priorities.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// Waves of blocks of the background. The last one is half full: what the requests take finds its place there.
constexpr double usual_waves = 11.5;
constexpr double other_waves = 7.5;
constexpr std::size_t max_request_elements = 1'024;  // answer_blocks * answer_threads in priorities.h

std::vector<float> processed(const std::vector<float>& input) {
  std::vector<float> output(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) output[i] = 3.0f * input[i] + static_cast<float>(i % 1000);
  return output;
}

std::vector<float> answered(const std::vector<float>& questions, std::size_t request_elements) {
  std::vector<float> replies(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    replies[i] = 2.0f * questions[i] - static_cast<float>(i % request_elements % 10);
  }
  return replies;
}

const operation_set background{"background kernels", [](const trace::operation& operation) {
                                 return operation.name == "process_tiles";
                               }};
const operation_set answers{"answer kernels",
                            [](const trace::operation& operation) { return operation.name == "answer"; }};
// A question or a reply: the background copies far more at once.
const operation_set request_copies{"copies of the requests", [](const trace::operation& operation) {
                                     return operation.kind == trace::operation_kind::copy &&
                                            operation.bytes <= max_request_elements * sizeof(float);
                                   }};

class Priorities : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    // The tiles of the background do not divide its elements; a request leaves threads of its last block without
    // work.
    const std::int64_t elements = work.by_plan(200'003, 90'001);
    const std::int64_t request_count = work.by_plan(3, 2);
    const std::int64_t request_elements = work.by_plan(1'001, 777);
    request.set("input", values.quarters(elements, -500, 500));
    request.set("requests", request_count);
    request.set("questions", values.quarters(request_count * request_elements, -500, 500));
    request.set("waves", work.is_of_other_plan ? other_waves : usual_waves);
    request.set("tile_to_request",
                4.0);  // length of a tile, in lengths of a request whose kernel does nothing
    request.set("answer_to_request", 0.5);  // the same for the kernel of a request
    // From a reply to the next request, in lengths of a tile: a reply that is sent with the next one is late.
    request.set("pause_to_tile", 2.6);
    poison::add_to(request);
    return request;
  }

 protected:
  /// The background with nothing beside it.
  trace::nanoseconds background_alone() const {
    return measured("calibrated.wave_nanoseconds") * std::llround(std::ceil(request().number("waves")));
  }
  /// The worst that can be attained for a request: it arrives when all blocks have just begun.
  trace::nanoseconds attainable() const {
    return measured("calibrated.request_nanoseconds") + measured("calibrated.wave_nanoseconds");
  }
  std::int64_t request_count() const { return request().integer("requests"); }
  trace::nanoseconds measured(const char* name) const {
    return trace::nanoseconds(std::llround(answer().number(name)));
  }
};

SECOND_PROFILE("rtx3090");  // more levels of priority
SKELETON_FAILS("RequestsAreAnsweredInTime", "RequestsRunBesideTheBackground",
               "AnswersHaveTheGreatestPriority");

// "Runs the background job, and meanwhile takes each request with next_request(), answers it on the GPU and sends it with
// send_reply()." "May be called again."
CRITERION(Priorities, EveryElementIsRight, 15, "every element of the output and of all replies is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  const std::vector<float>& questions = request().values<float>("questions");
  const std::size_t request_elements = questions.size() / static_cast<std::size_t>(request_count());
  EXPECT_THAT(run(), Returns("replies", answered(questions, request_elements),
                             in_batches_of(request_elements, "request")));
  EXPECT_THAT(run(), CallsOnceEach("next_request", "request"));
  EXPECT_THAT(run(), CallsOnceEach("send_reply", "request"));
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(request_count()), answers));
  EXPECT_THAT(run(), LaunchesBlocksOf(1024, background));  // tile_threads in priorities.h
  EXPECT_THAT(run(), LaunchesBlocksOf(512, answers));      // answer_threads
  EXPECT_THAT(run(), Returns("output", processed(request().values<float>("input"))));
  EXPECT_THAT(run(), ComesFromTheDevice("output"));
  EXPECT_THAT(run(), ComesFromTheDevice("replies"));
  EXPECT_THAT(run(), CopiesNothingInVain());
}

// "When it returns, work.output is complete."
CRITERION(Priorities, WorkIsOrdered, 15, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered());
}

// "as many blocks as let an urgent block find a place soon" "answer in the urgent stream, and wait for nothing but that"
CRITERION(Priorities, RequestsAreAnsweredInTime, 30, "no request waits longer than for the blocks that run") {
  EXPECT_THAT(run(), PartsLast("request", request_count()).at_most(1.5, attainable()));
  EXPECT_THAT(run(), LaunchesABlockForEach("tiles", background));
  EXPECT_THAT(run(), WorkInFull(answers).in_every_launch(measured("calibrated.answer_nanoseconds")));
  EXPECT_THAT(run(), WorksFor("answer_cycles", answers));
  EXPECT_THAT(run(), WaitsOnlyForItsOwnStreams("request", request_count()));
}

// "Runs the background job, and meanwhile takes each request with next_request(), answers it on the GPU and sends it with
// send_reply()."
CRITERION(Priorities, RequestsRunBesideTheBackground, 15, "requests are answered while the background runs") {
  EXPECT_THAT(run(), Overlaps(answers, background).at_least(0.8));
}

CRITERION(Priorities, BackgroundIsNotHeldBack, 15, "the background takes hardly longer than alone") {
  EXPECT_THAT(run(), Lasts(background).at_most(1.25, background_alone()));
  EXPECT_THAT(run(), WorkInFull(background).together(background_alone()));
  EXPECT_THAT(run(), WorksFor("tile_cycles", background));
}

// "give the urgent stream the greatest priority of this device, the background the least, and let neither wait for the
// default stream" "answer in the urgent stream"
CRITERION(Priorities, AnswersHaveTheGreatestPriority, 10,
          "answers go first, the background last, and neither waits for the default stream") {
  EXPECT_THAT(run(), RunsAtPriority(answers, "greatest_priority"));
  EXPECT_THAT(run(), RunsAtPriority(request_copies, "greatest_priority"));
  EXPECT_THAT(run(), RunsAtPriority(background, "least_priority"));
  EXPECT_THAT(run(), WaitsForNoDefaultStream());
}

}  // namespace
