// Feeds process_batches() of lesson 03 from a request and hands back what it left in the output.
#include "async_copy.h"
#include "exercise/drive_kit.h"

using namespace exercise;

namespace {

std::chrono::nanoseconds host_task_length{0};

void host_task() { host_work(host_task_length); }

void copy_in(const batches& work, cudaStream_t stream) {
  cudaMemcpyAsync(work.lanes[0].device_input, work.input, work.elements * sizeof(float),
                  cudaMemcpyHostToDevice, stream);
}

void launch(const batches& work, cudaStream_t stream, long long cycles) {
  const lane& first = work.lanes[0];
  transform<<<work.blocks, threads_per_block, 0, stream>>>(first.device_input, first.device_output,
                                                           work.elements, cycles);
}

/// Chooses the lengths of kernel and host task relative to the copy of one batch, as measured on this device.
void calibrate(batches& work, const message& request, message& answer) {
  const double kernel_to_copy = request.number("kernel_to_copy");
  const double host_task_to_copy = request.number("host_task_to_copy");
  const cudaStream_t stream = work.lanes[0].stream;
  const auto milliseconds_of_kernel = [&](long long cycles) {
    return median_milliseconds(stream, [&] { launch(work, stream, cycles); });
  };
  const auto lengths =
      calibrated(request, answer, {"cycles", "host_task_nanoseconds", "kernel_nanoseconds"}, [&] {
        const double copy = median_milliseconds(stream, [&] { copy_in(work, stream); });
        return std::array{cycles_for(copy * kernel_to_copy, 20'000, milliseconds_of_kernel),
                          copy * host_task_to_copy * 1e6, copy * kernel_to_copy * 1e6};
      });
  work.cycles = static_cast<long long>(lengths[0]);
  host_task_length = std::chrono::nanoseconds(static_cast<long long>(lengths[1]));
}

/// What overlap is measured against: one batch, each step waited for, then a copy in each direction at the
/// same time, which disturb each other.
void one_after_another(const batches& work) {
  const std::size_t bytes = work.elements * sizeof(float);
  part("serial", [&] {
    cudaMemcpy(work.lanes[0].device_input, work.input, bytes, cudaMemcpyHostToDevice);
    launch(work, nullptr, work.cycles);
    cudaMemcpy(work.output, work.lanes[0].device_output, bytes, cudaMemcpyDeviceToHost);
  });
  part("duplex", [&] {
    copy_in(work, work.lanes[0].stream);
    cudaMemcpyAsync(work.output, work.lanes[1].device_output, bytes, cudaMemcpyDeviceToHost,
                    work.lanes[1].stream);
    cudaDeviceSynchronize();
  });
}

}  // namespace

void drive(const message& request, message& answer) {
  const std::vector<float>& input = request.values<float>("input");
  workspace space;
  batches work{};
  work.count = static_cast<int>(request.integer("batches"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.input = space.pinned(input, "input");
  work.output = space.pinned(input.size(), "output");
  work.blocks = blocks_for(work.elements, threads_per_block);
  work.host_task = &host_task;
  for (int i = 0; i < 2; ++i) {
    const std::string name = "lanes[" + std::to_string(i) + "].";
    work.lanes[i] = {space.stream(name + "stream"), space.device(work.elements, name + "device_input"),
                     space.device(work.elements, name + "device_output")};
  }

  calibrate(work, request, answer);
  if (is_calibration_run(request, "cycles")) one_after_another(work);
  space.poison(request);

  std::vector<float> output = input;  // a copy is fast, and nothing of it stays
  learner_part([&] {
    process_batches(work);
    std::memcpy(output.data(), work.output, output.size() * sizeof(float));  // at once, as the contract says
  });
  answer.set("output", output);
  cudaDeviceSynchronize();
}
