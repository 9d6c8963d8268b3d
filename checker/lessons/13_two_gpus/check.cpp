// The rubric of lesson 13: two GPUs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// In lengths of the exchange of an edge, which fits behind the interior.
constexpr double edge_units = 1;
constexpr double interior_units = 1.5;

/// Both halves after all steps. `cells` has the neighbours at both outer ends, which stay as they are.
std::vector<float> advanced(std::vector<float> cells, std::size_t reach, std::int64_t steps) {
  std::vector<float> next = cells;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t i = reach; i + reach < cells.size(); ++i)
      next[i] = 2.0f * cells[i - reach] - cells[i + reach];
    std::swap(cells, next);
  }
  return {cells.begin() + static_cast<std::ptrdiff_t>(reach),
          cells.end() - static_cast<std::ptrdiff_t>(reach)};
}

/// The ghost cells of both halves, one after another: the cells next to the middle of the rod, of the right half and of the left.
std::vector<float> ghost_cells_of(const std::vector<float>& cells, std::size_t reach) {
  const auto middle = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 2);
  std::vector<float> ghosts(middle, middle + static_cast<std::ptrdiff_t>(reach));
  ghosts.insert(ghosts.end(), middle - static_cast<std::ptrdiff_t>(reach), middle);
  return ghosts;
}

/// Tells of a cell that is that of another step. `cells_after(step)`: what the buffer holds after so many steps.
template <typename CellsAfter>
std::function<std::optional<value_meaning>(std::size_t, float)> cells_of_steps(std::int64_t steps,
                                                                               line_of leads_to,
                                                                               CellsAfter cells_after) {
  return [=](std::size_t index, float value) -> std::optional<value_meaning> {
    for (std::int64_t step = steps - 1; step >= 0; --step) {
      if (cells_after(step)[index] != value) continue;
      return value_meaning{
          report::mistake::result_of_another_step,
          "That is the cell after step " + std::to_string(step) + " of " + std::to_string(steps) + ".",
          leads_to};
    }
    return std::nullopt;
  };
}

const operation_set edges{"kernels `compute_edge`",
                          [](const trace::operation& operation) { return operation.name == "compute_edge"; }};
const operation_set interiors{"kernels `compute_interior`", [](const trace::operation& operation) {
                                return operation.name == "compute_interior";
                              }};

class TwoGpus : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    // No multiple of a thread block. The values stay exact: a step makes them at most three times as large.
    const std::int64_t reach = work.scale * work.by_plan(100'003, 30'011);
    const std::int64_t cells = work.scale * work.by_plan(220'009, 80'021);
    request.set("reach", reach);
    // Odd: where `now` and `next` have changed places when a call ends, the next one must not begin so. Even: the results are in the
    // other buffer.
    request.set("steps", work.by_plan(7, 4));
    request.set("halves[0].device", work.by_plan(0, 1));
    request.set("blocks", work.by_plan(64, 48));
    request.set("cells", values.quarters(2 * cells + 2 * reach, -500, 500));
    request.set("edge_units", edge_units);
    request.set("interior_units", interior_units);
    request.set("unit_to_calls", 0.8);  // a step, of 2.5 units, takes twice as long as the calls that queue it
    poison::add_to(request);
    return request;
  }

 protected:
  std::size_t steps() const { return static_cast<std::size_t>(request().integer("steps")); }
  /// All kernels of one device, back to back.
  trace::nanoseconds kernels_alone() const {
    return trace::nanoseconds(
        std::llround(answer().number("calibrated.step_nanoseconds") * static_cast<double>(steps())));
  }
};

// Not judged: "Which device is current then does not matter." It leaves the choice to the function.

DEVICES(2);
SECOND_PROFILE("k20c");  // two of them have no access to each other's memory
SKELETON_FAILS("ExchangeRunsBesideTheInterior", "HostQueuesAllStepsBeforeWaiting",
               "AccessIsEnabledWherePossible");

// "Takes all cells of the rod through work.steps steps."
// "After each step, also the last, each half has the edge of the other in its ghost cells." The caller reads them after the last.
CRITERION(TwoGpus, EveryCellIsRight, 20, "every cell of both halves is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), SendsFromTo("edge", "ghost", "reach"));
  EXPECT_THAT(run(), Launches(2 * steps(), edges));
  EXPECT_THAT(run(), Launches(2 * steps(), interiors));
  const auto reach = static_cast<std::size_t>(request().integer("reach"));
  const std::vector<float> expected =
      advanced(request().values<float>("cells"), reach, request().integer("steps"));
  const auto after = [&](std::int64_t step) {
    return advanced(request().values<float>("cells"), reach, step);
  };
  const auto ghosts_after = [&](std::int64_t step) { return ghost_cells_of(after(step), reach); };
  const std::int64_t all_steps = request().integer("steps");
  EXPECT_THAT(run(), Returns("results", expected,
                             batching{.explain = cells_of_steps(all_steps, line_of::last_writer, after)}));
  EXPECT_THAT(run(),
              Returns("ghost_cells", ghost_cells_of(expected, reach),
                      batching{.explain = cells_of_steps(all_steps, line_of::last_writer, ghosts_after)}));
  EXPECT_THAT(run(), ComesFromTheDevice("results"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels(), request().integer("blocks")));  // threads_per_block
}

// "the edge needs the ghost cells that the other half has sent in the step before"
// "When it returns, these and work.results are complete."
CRITERION(TwoGpus, WorkIsOrderedAcrossDevices, 25,
          "whatever touches the same bytes is in order, on both devices") {
  EXPECT_THAT(part("learner_and_reader"), IsOrdered());
}

// "Called once, before advance_rod()." "Lets each device use the memory of the other where the devices can do that; some
// cannot." "No access is enabled before." "each device may use the memory of the other, where that is possible"
CRITERION(TwoGpus, AccessIsEnabledWherePossible, 15,
          "peer access is enabled where it is possible, and not asked for elsewhere") {
  EXPECT_THAT(part("connect"), HasNoFailedCalls());
  EXPECT_THAT(part("connect"), EnablesPeerAccess("peer_directions"));
}

// "copy both halves back side by side, and wait for both"
CRITERION(TwoGpus, HostQueuesAllStepsBeforeWaiting, 15, "the host queues all steps before it waits") {
  EXPECT_THAT(run(), QueuesAllWorkBeforeWaiting());
  EXPECT_THAT(run(), RunAtOnce(copies()).on_average_at_least(1.3));
}

// "the edge goes to the other half behind its kernel, while the interior is computed"
CRITERION(TwoGpus, ExchangeRunsBesideTheInterior, 25, "edges are exchanged while interiors are computed") {
  EXPECT_THAT(run(), Lasts(kernels()).at_most(1.25, kernels_alone()));
  EXPECT_THAT(run(), Overlaps(device_copies(), interiors).at_least(0.6));
  EXPECT_THAT(run(), WorkInFull(kernels()).together(2 * kernels_alone()));
  EXPECT_THAT(run(), WorksFor("edge_cycles", edges));
  EXPECT_THAT(run(), WorksFor("interior_cycles", interiors));
}

}  // namespace
