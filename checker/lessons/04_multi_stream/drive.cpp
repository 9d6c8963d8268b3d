// Feeds the functions of lesson 04 from a request, and hands back what they left in the sum.
#include "exercise/drive_kit.h"
#include "multi_stream.h"

using namespace exercise;

namespace {

constexpr int kernel_parts = 8;

std::size_t bytes_of(const vectors& work) { return static_cast<std::size_t>(work.elements) * sizeof(float); }

void copy_inputs(const vectors& work, cudaStream_t stream) {
  cudaMemcpyAsync(work.device_left, work.left, bytes_of(work), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(work.device_right, work.right, bytes_of(work), cudaMemcpyHostToDevice, stream);
}

void launch(const vectors& work, int elements, cudaStream_t stream, long long cycles) {
  add<<<blocks, threads_per_block, 0, stream>>>(work.device_left, work.device_right, work.device_sum, 0,
                                                elements, cycles);
}

/// The cycles for which the kernel takes `kernel_to_copies` times as long as the copies to the device. An
/// eighth of the work is measured: the kernel's length is proportional to its elements.
double calibrated_cycles(const vectors& work, double kernel_to_copies) {
  const cudaStream_t stream = work.streams[0];
  const double copies = median_milliseconds(stream, [&] { copy_inputs(work, stream); });
  return cycles_for(copies * kernel_to_copies / kernel_parts, 2'000, [&](long long cycles) {
    return median_milliseconds(stream, [&] { launch(work, work.elements / kernel_parts, stream, cycles); });
  });
}

/// The whole work, each step waited for: what overlap is measured against.
void do_serially(const vectors& work) {
  cudaMemcpy(work.device_left, work.left, bytes_of(work), cudaMemcpyHostToDevice);
  cudaMemcpy(work.device_right, work.right, bytes_of(work), cudaMemcpyHostToDevice);
  launch(work, work.elements, nullptr, work.cycles);
  cudaMemcpy(work.sum, work.device_sum, bytes_of(work), cudaMemcpyDeviceToHost);
}

/// A copy in each direction at the same time: how much they disturb each other.
void copy_both_ways(const vectors& work) {
  cudaMemcpyAsync(work.device_left, work.left, bytes_of(work), cudaMemcpyHostToDevice, work.streams[0]);
  cudaMemcpyAsync(work.sum, work.device_sum, bytes_of(work), cudaMemcpyDeviceToHost, work.streams[1]);
  cudaDeviceSynchronize();
}

/// One array in many copies, the streams in turn: what each copy costs beside its bytes.
void copy_in_pieces(const vectors& work) {
  constexpr int count = 16;
  for (int piece = 0; piece < count; ++piece) {
    const auto first = static_cast<std::int64_t>(work.elements) * piece / count;
    const auto last = static_cast<std::int64_t>(work.elements) * (piece + 1) / count;
    cudaMemcpyAsync(work.device_left + first, work.left + first, (last - first) * sizeof(float),
                    cudaMemcpyHostToDevice, work.streams[piece % max_streams]);
  }
  cudaDeviceSynchronize();
}

/// Each setting of the request in a part of its own, in the order of the file's own plan. Poison first: what
/// a setting leaves undone must not be there from the one before.
void sweep(const vectors& work, const workspace& space, const message& request, message& answer) {
  const plan own = make_plan(0);
  answer.set("sweep.chosen.streams", std::int64_t{own.streams});
  answer.set("sweep.chosen.chunks", std::int64_t{own.chunks});
  const auto& streams = request.values<std::int64_t>("sweep.streams");
  const auto& chunks = request.values<std::int64_t>("sweep.chunks");
  std::vector<std::int64_t> digests;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    space.poison(request);
    const plan tried{own.copy_engines, static_cast<int>(chunks[i]), static_cast<int>(streams[i]), own.order};
    part("sweep " + std::to_string(i), [&] { add_in_chunks(work, tried); });
    digests.push_back(digest(work.sum, bytes_of(work)));
    cudaDeviceSynchronize();
  }
  answer.set("sweep.digests", digests);
}

/// "The caller also tries plans of its own", in the order that the learner did not choose.
plan plan_of_the_caller(const plan& own, std::int64_t chunks, std::int64_t streams) {
  const bool is_depth_first = own.order == issue_order::depth_first;
  return {own.copy_engines, static_cast<int>(chunks), static_cast<int>(streams),
          is_depth_first ? issue_order::breadth_first : issue_order::depth_first};
}

void answer_plan(const std::string& name, const plan& chosen, message& answer) {
  answer.set(name + ".chunks", std::int64_t{chosen.chunks});
  answer.set(name + ".streams", std::int64_t{chosen.streams});
  answer.set(name + ".is_breadth_first", std::int64_t{chosen.order == issue_order::breadth_first});
}

/// The first elements, cut and queued by that plan: answers with the sum and the numbers of the plan.
void add_by_plan(const std::string& name, const plan& chosen, vectors work, const workspace& space,
                 const message& request, message& answer) {
  work.elements = static_cast<int>(request.integer("driver.elements_of_short_plans"));
  std::vector<float> sum(static_cast<std::size_t>(work.elements));
  space.poison(request);
  part_of_call(name, [&] {
    add_in_chunks(work, chosen);
    std::memcpy(sum.data(), work.sum, bytes_of(work));
  });
  note_source("sum with " + name, 0, space.name_of(work.sum));
  answer.set("sum with " + name, sum);
  answer_plan(name, chosen, answer);
  cudaDeviceSynchronize();
}

/// The caller's own plan is asked for about the last device. The work is on the first all the same.
int device_of_plan(bool is_of_caller) {
  int devices = 1;
  if (is_of_caller) cudaGetDeviceCount(&devices);
  return devices - 1;
}

}  // namespace

void drive(const message& request, message& answer) {
  workspace space;
  vectors work{};
  const std::vector<float>& left = request.values<float>("left");
  work.elements = static_cast<int>(left.size());
  work.left = space.pinned(left, "left");
  work.right = space.pinned(request.values<float>("right"), "right");
  work.sum = space.pinned(left.size(), "sum");
  work.device_left = space.device(left.size(), "device_left");
  work.device_right = space.device(left.size(), "device_right");
  work.device_sum = space.device(left.size(), "device_sum");
  for (int i = 0; i < max_streams; ++i) {
    work.streams[i] = space.stream("streams[" + std::to_string(i) + "]");
  }

  const double kernel_to_copies = request.number("kernel_to_copies");
  const bool is_calibrating = is_calibration_run(request, "cycles");
  work.cycles = static_cast<long long>(
      calibrated(request, answer, "cycles", [&] { return calibrated_cycles(work, kernel_to_copies); }));
  if (is_calibrating) {
    part("serial", [&] { do_serially(work); });
    part("duplex", [&] { copy_both_ways(work); });
    part("pieces", [&] { copy_in_pieces(work); });
  }
  if (request.has("sweep.streams")) return sweep(work, space, request, answer);

  std::vector<float> sum = left;  // a copy is fast, and nothing of it stays
  space.poison(request);
  plan own{};
  plan chosen{};
  const bool is_of_caller = request.has("chunks");
  const int device = device_of_plan(is_of_caller);
  learner_part([&] {
    own = make_plan(device);
    if (device != 0) cudaSetDevice(0);  // make_plan() may have made another one current
    chosen =
        is_of_caller ? plan_of_the_caller(own, request.integer("chunks"), request.integer("streams")) : own;
    add_in_chunks(work, chosen);
    std::memcpy(sum.data(), work.sum, bytes_of(work));  // at once, as the contract says
  });
  answer.set("sum", sum);
  answer.set("plan.device", std::int64_t{device});
  answer.set("plan.copy_engines", std::int64_t{chosen.copy_engines});
  answer_plan("plan", chosen, answer);
  cudaDeviceSynchronize();
  if (!is_of_caller) return;
  // Fewer chunks and streams than make_plan() would choose, and more; the second in the order of the file.
  const auto of_caller = [&](const std::string& name) {
    return plan_of_the_caller(own, request.integer(name + ".chunks"), request.integer(name + ".streams"));
  };
  add_by_plan("fewer chunks", of_caller("driver.fewer"), work, space, request, answer);
  plan more = of_caller("driver.more");
  more.order = own.order;
  add_by_plan("more chunks", more, work, space, request, answer);
}
