// Feeds connect() and advance_rod() of lesson 13 from a request and hands back the cells of both halves.
#include "exercise/drive_kit.h"
#include "two_gpus.h"

using namespace exercise;

namespace {

bool can_access(int device, int other) {
  int is_possible = 0;
  cudaDeviceCanAccessPeer(&is_possible, device, other);
  return is_possible != 0;
}

template <typename Work>
void on_each_device(const rod& work, Work do_it) {
  for (int side = 0; side < 2; ++side) {
    cudaSetDevice(work.halves[side].device);
    do_it(work.halves[side], work.halves[1 - side]);
  }
}

void wait_for_both(const rod& work) {
  on_each_device(work, [](const half&, const half&) { cudaDeviceSynchronize(); });
}

/// Enabled for the calibration, so that all lengths follow from the faster way; disabled for the learner's part and after it.
void enable_access(const rod& work) {
  on_each_device(work, [](const half& mine, const half& other) {
    if (can_access(mine.device, other.device)) cudaDeviceEnablePeerAccess(other.device, 0);
  });
}

/// Who has not enabled it gets an error, which is nobody's.
void disable_access(const rod& work) {
  on_each_device(work, [](const half& mine, const half& other) {
    if (can_access(mine.device, other.device)) cudaDeviceDisablePeerAccess(other.device);
    cudaGetLastError();
  });
}

void exchange(const rod& work, const half& mine, const half& other) {
  cudaMemcpyPeerAsync(other.next + other.ghost, other.device, mine.next + mine.edge, mine.device,
                      static_cast<std::size_t>(work.reach) * sizeof(float), mine.exchange);
}

void launch_edge(const rod& work, const half& mine, long long cycles) {
  compute_edge<<<work.blocks, threads_per_block, 0, mine.compute>>>(mine.now, mine.next, mine.edge,
                                                                    work.reach, cycles);
}

void launch_interior(const rod& work, const half& mine, long long cycles) {
  compute_interior<<<work.blocks, threads_per_block, 0, mine.compute>>>(
      mine.now, mine.next, mine.interior, work.cells - work.reach, work.reach, cycles);
}

/// How long the calls of one step keep the host, both halves together.
double nanoseconds_of_calls(const rod& work) {
  return median_of_three([&] {
    const double length = host_nanoseconds([&] {
      on_each_device(work, [&](const half& mine, const half&) {
        cudaStreamWaitEvent(mine.compute, mine.sent, 0);
        launch_edge(work, mine, 0);
      });
      on_each_device(work, [&](const half& mine, const half& other) {
        cudaEventRecord(mine.edge_ready, mine.compute);
        cudaStreamWaitEvent(mine.exchange, mine.edge_ready, 0);
        exchange(work, mine, other);
        cudaEventRecord(mine.sent, mine.exchange);
        launch_interior(work, mine, 0);
      });
    });
    wait_for_both(work);
    return length;
  });
}

/// The length of what `enqueue` puts into the stream, without what the first of a row costs beside it.
template <typename Enqueue>
double milliseconds_in_a_row(cudaStream_t stream, Enqueue enqueue) {
  const auto of_row = [&](int count) {
    return median_milliseconds(stream, [&] {
      for (int i = 0; i < count; ++i) enqueue();
    });
  };
  return (of_row(5) - of_row(1)) / 4.0;
}

/// Cycles of both kernels and the length of both, in lengths of the exchange. These are longer where the calls of the host
/// would be what a step waits for.
std::array<double, 3> calibrate(const rod& work, double unit_to_calls, double edge_units,
                                double interior_units) {
  enable_access(work);
  const half& mine = work.halves[0];
  const double calls = nanoseconds_of_calls(work) / 1e6 * unit_to_calls;
  cudaSetDevice(mine.device);
  const double unit = std::max<double>(
      calls, milliseconds_in_a_row(mine.exchange, [&] { exchange(work, mine, work.halves[1]); }));
  const double edge = unit * edge_units;
  const double interior = unit * interior_units;
  const auto milliseconds_of = [&](auto launch) {
    return [&work, &mine, launch](long long cycles) {
      return milliseconds_in_a_row(mine.compute, [&] { launch(work, mine, cycles); });
    };
  };
  const double edge_cycles = cycles_for(edge, 20'000, milliseconds_of(&launch_edge));
  const double interior_cycles = cycles_for(interior, 20'000, milliseconds_of(&launch_interior));
  disable_access(work);
  return {edge_cycles, interior_cycles, (edge + interior) * 1e6};
}

/// The ghost cells of both halves after all steps, read in streams that wait for no other: what the learner did not wait for is
/// missed.
std::vector<float> read_ghost_cells(const rod& work, const std::array<cudaStream_t, 2>& readers,
                                    float poison) {
  std::vector<float> cells = equal_floats(2 * static_cast<std::size_t>(work.reach), poison);
  for (int side = 0; side < 2; ++side) {
    const half& mine = work.halves[side];
    const float* const last = work.steps % 2 == 0 ? mine.now : mine.next;
    cudaSetDevice(mine.device);
    note_source("ghost_cells", static_cast<std::size_t>(side) * work.reach,
                "halves[" + std::to_string(side) + "]." + (last == mine.now ? "now" : "next"), mine.ghost);
    cudaMemcpyAsync(cells.data() + static_cast<std::size_t>(side) * work.reach, last + mine.ghost,
                    work.reach * sizeof(float), cudaMemcpyDeviceToHost, readers[side]);
    cudaStreamSynchronize(readers[side]);
  }
  return cells;
}

/// The cells as they are at first: those of the neighbours too, the ones at the outer end also in the buffer for the next step.
void fill_halves(const rod& work, const std::vector<float>& cells) {
  for (int side = 0; side < 2; ++side) {
    const half& mine = work.halves[side];
    const std::size_t outer = side == 0 ? 0 : static_cast<std::size_t>(work.reach + work.cells);
    const float* const values = cells.data() + static_cast<std::size_t>(side) * work.cells;
    cudaMemcpy(mine.now, values, static_cast<std::size_t>(work.cells + 2 * work.reach) * sizeof(float),
               cudaMemcpyHostToDevice);
    cudaMemcpy(mine.next + outer, values + outer, static_cast<std::size_t>(work.reach) * sizeof(float),
               cudaMemcpyHostToDevice);
  }
  wait_for_both(work);
}

}  // namespace

void drive(const message& request, message& answer) {
  const std::vector<float>& cells = request.values<float>("cells");
  rod work{};
  work.reach = static_cast<int>(request.integer("reach"));
  work.cells = static_cast<int>((cells.size() - 2 * work.reach) / 2);
  work.steps = static_cast<int>(request.integer("steps"));
  work.blocks = static_cast<int>(request.integer("blocks"));
  const int left_device = static_cast<int>(request.integer("halves[0].device"));
  answer.set("reach", std::int64_t{work.reach});
  std::array<workspace, 2> spaces;
  std::array<cudaStream_t, 2> readers{};
  for (int side = 0; side < 2; ++side) {
    half& added = work.halves[side];
    const std::string name = "halves[" + std::to_string(side) + "].";
    const std::size_t elements = static_cast<std::size_t>(work.cells + 2 * work.reach);
    const bool is_left = side == 0;
    added.device = is_left ? left_device : 1 - left_device;
    cudaSetDevice(added.device);
    added.now = spaces[side].device(elements, name + "now");
    added.next = spaces[side].device(elements, name + "next");
    added.edge = is_left ? work.cells : work.reach;
    added.interior = is_left ? work.reach : 2 * work.reach;
    added.ghost = is_left ? work.reach + work.cells : 0;
    answer.set(name + "edge", std::int64_t{added.edge});
    answer.set(name + "ghost", std::int64_t{added.ghost});
    added.compute = spaces[side].stream(name + "compute");
    added.exchange = spaces[side].stream(name + "exchange");
    readers[side] = spaces[side].stream();
    cudaEventCreateWithFlags(&added.edge_ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&added.sent, cudaEventDisableTiming);
  }
  work.results = spaces[0].pinned(2 * static_cast<std::size_t>(work.cells), "results");

  const double unit_to_calls = request.number("unit_to_calls");
  const double edge_units = request.number("edge_units");
  const double interior_units = request.number("interior_units");
  const auto found = calibrated(request, answer, {"edge_cycles", "interior_cycles", "step_nanoseconds"},
                                [&] { return calibrate(work, unit_to_calls, edge_units, interior_units); });
  work.edge_cycles = static_cast<long long>(found[0]);
  work.interior_cycles = static_cast<long long>(found[1]);
  const bool is_possible = can_access(0, 1) && can_access(1, 0);
  answer.set("peer_directions", std::int64_t{is_possible ? 2 : 0});
  for (const workspace& space : spaces) space.poison(request);
  fill_halves(work, cells);
  cudaSetDevice(0);

  std::vector<float> results = equal_floats(2 * static_cast<std::size_t>(work.cells), 0);
  part_of_call("connect", [&] { connect(work.halves); });
  part_of_call("learner_and_reader", [&] {
    learner_part([&] {
      advance_rod(work);
      std::memcpy(results.data(), work.results,
                  results.size() * sizeof(float));  // at once, as the contract says
    });
    answer.set("results", results);
    answer.set("ghost_cells", read_ghost_cells(work, readers, output_poison(request)));
  });
  wait_for_both(work);
  disable_access(work);
  for (const half& mine : work.halves) {
    cudaEventDestroy(mine.edge_ready);
    cudaEventDestroy(mine.sent);
  }
}
