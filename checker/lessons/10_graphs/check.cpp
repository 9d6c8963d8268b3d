// The rubric of lesson 10: CUDA graphs.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// No multiple of a thread block.
constexpr std::int64_t usual_elements = 1'001;
constexpr std::int64_t other_elements = 717;

// With one call for each operation: enough for a mean.
constexpr std::int64_t rounds_by_calls = 4;

// By round: it changes by less than 1 and comes back, or begins with another, changes in the second round, in the third, and a little
// in the last. Powers of two: only sums are rounded.
const std::vector<float> usual_factors{0.5f,  0.5f,  0.5f,  0.5f, 0.5f, 0.5f, 0.25f, 0.25f,
                                       0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.5f, 0.5f,  0.5f};
const std::vector<float> other_factors{0.25f,  0.5f,   0.125f, 0.125f, 0.125f, 0.125f, 0.125f,
                                       0.125f, 0.125f, 0.125f, 0.125f, 0.125f, 0.0625f};

/// What becomes of the element with that number in its piece.
float advanced(float value, float factor, std::int64_t launches, std::size_t element) {
  for (std::int64_t launch = 0; launch < launches; ++launch)
    value = factor * value + static_cast<float>(element % 10);
  return value;
}

std::vector<float> advanced(std::vector<float> values, const exercise::message& request) {
  const auto elements = static_cast<std::size_t>(request.integer("elements"));
  const std::size_t of_a_round = elements * static_cast<std::size_t>(request.integer("pieces"));
  const std::vector<float>& factors = request.values<float>("factors");
  const std::int64_t launches = request.integer("launches");
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = advanced(values[i], factors[i / of_a_round], launches, i % elements);
  return values;
}

/// The first round with a factor of the caller's.
std::vector<float> of_one_graph(const exercise::message& request) {
  const auto elements = static_cast<std::size_t>(request.integer("elements"));
  std::vector<float> values = request.values<float>("input");
  values.resize(elements * static_cast<std::size_t>(request.integer("pieces")));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = advanced(values[i], static_cast<float>(request.number("factor_of_one_graph")),
                         request.integer("launches"), i % elements);
  return values;
}

/// Tells of a result that has the factor of another round: of the nearest before that has it, else of the nearest behind.
std::optional<value_meaning> meaning_of(const exercise::message& request, std::size_t index, float value) {
  const auto elements = static_cast<std::size_t>(request.integer("elements"));
  const std::size_t round = index / (elements * static_cast<std::size_t>(request.integer("pieces")));
  const std::vector<float>& factors = request.values<float>("factors");
  const float input = request.values<float>("input")[index];
  for (std::size_t back = 1; back < factors.size(); ++back) {
    const std::size_t other = back <= round ? round - back : back;  // those before it, then those behind it
    if (factors[other] == factors[round] ||
        advanced(input, factors[other], request.integer("launches"), index % elements) != value)
      continue;
    return value_meaning{report::mistake::graph_not_updated,
                         "That is the result with another factor: that of round " + std::to_string(other) +
                             ", not that of round " + std::to_string(round) + "."};
  }
  return std::nullopt;
}

class Graphs : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(usual_elements, other_elements);
    const std::int64_t pieces = work.by_plan(3, 8);
    const std::vector<float>& factors = work.is_of_other_plan ? other_factors : usual_factors;
    const auto rounds = static_cast<std::int64_t>(factors.size());
    request.set("rounds", rounds);
    request.set("pieces", pieces);
    request.set("launches", work.by_plan(6, 5));
    request.set("elements", elements);
    request.set("factors", factors);
    request.set("input", values.quarters(rounds * pieces * elements, -500, 500));
    request.set("factor_of_one_graph", 2.0);  // that of no round
    request.set("driver.rounds_by_calls", rounds_by_calls);
    poison::add_to(request);
    return request;
  }

 protected:
  /// What the host spends on all rounds with one call for each operation.
  trace::nanoseconds by_calls() const {
    return host_time_in_calls(part("rounds by calls").facts) * request().integer("rounds") / rounds_by_calls;
  }
  /// An H200 needs 0.42 to 0.52 of it, from run to run; the calls of a recording cost more than those of a program.
  double allowed() const { return run().facts.recording().backend == "virtual" ? 0.5 : 0.65; }
};

SECOND_PROFILE("gtx1650s");
SKELETON_FAILS("OneGraphForAllRounds", "HostTimeIsSmall");

// "Takes each round through load(), the device, and store(), one after another." "May be called again."
// "where the factor is a new one, capture a round with it and update what you instantiated"
// "capture what queue_round() queues; the capture ends in the stream in which it began, and the other streams have to be joined
// to it by then" "A graph of one round with that factor; whoever calls it destroys it."
CRITERION(Graphs, EveryRoundIsRight, 25, "every round is right, also after an update") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), CallsOnceEach("load", "round"));
  EXPECT_THAT(run(), CallsOnceEach("store", "round"));
  EXPECT_THAT(run(),
              Returns("results", advanced(request().values<float>("input"), request()),
                      in_batches_of(request().integer("pieces") * request().integer("elements"), "round")
                          .explained_by([&](std::size_t index, float value) {
                            return meaning_of(request(), index, value);
                          })));
  EXPECT_THAT(run(), ComesFromTheDevice("output"));
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
  EXPECT_THAT(run(), LaunchesBlocksOf(128, kernels()));  // threads_per_block in graphs.h
  if (answer().integer("capture_round.graphs") == 1) {
    EXPECT_THAT(part("one graph"), Returns("of_one_graph", of_one_graph(request())));
  }
}

// "launch the graph in place of queuing the round, and wait for it"
// "Takes each round through load(), the device, and store(), one after another."
CRITERION(Graphs, RoundsAreOrdered, 25, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered());
}

// "Instantiates one graph, launches it once for each round, queues nothing beside it, and leaves no graph behind."
// "leave no graph behind"
// "Nothing runs."
// "before the first round, capture a round and instantiate its graph"
CRITERION(Graphs, OneGraphForAllRounds, 25, "all rounds go through one graph") {
  EXPECT_THAT(run(), LaunchesOneGraph().times(static_cast<std::size_t>(request().integer("rounds"))));
  EXPECT_THAT(run(), GivesAGraph("capture_round"));
  EXPECT_THAT(run(), DestroysItsGraphs());
  const std::int64_t launches_of_a_round = request().integer("pieces") * request().integer("launches");
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(request().integer("rounds") * launches_of_a_round),
                              kernels()));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), StepsWaitForNoLaterOne());
}

// "launch the graph in place of queuing the round, and wait for it"
// "where the factor is a new one, capture a round with it and update what you instantiated"
CRITERION(Graphs, HostTimeIsSmall, 25, "the host spends little time on a round") {
  EXPECT_THAT(run(), HostTimeInCalls().at_most(allowed(), by_calls()));
}

}  // namespace
