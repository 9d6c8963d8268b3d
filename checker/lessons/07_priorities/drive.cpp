// Feeds serve() of lesson 07 from a request, lets its requests arrive, and hands back output and replies.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "exercise/exercise.h"
#include "exercise/message.h"
#include "priorities.h"
#include "workload.h"

namespace {

// What next_request() and send_reply() work with: they have no argument for it.
std::chrono::nanoseconds pause_between_requests{0};
cudaEvent_t arrival;
const float* reply_memory;
int elements_of_a_request = 0;
std::vector<float> replies_sent;
bool is_judged = false;

std::string part_of_request(int r) { return "request " + std::to_string(r + 1); }

void next_request(int r) {
  host_work(pause_between_requests);
  if (is_judged) exercise::begin_part(part_of_request(r));
  cudaEventRecord(arrival, cudaStreamLegacy);
}

void send_reply(int r) {
  const std::size_t first = static_cast<std::size_t>(r) * elements_of_a_request;
  std::memcpy(replies_sent.data() + first, reply_memory + first, elements_of_a_request * sizeof(float));
  if (is_judged) exercise::end_part(part_of_request(r));
}

/// Nanoseconds from the first call to the end of what `enqueue` puts into the stream, as the host sees it:
/// the median of three.
template <typename Enqueue>
double nanoseconds_of(cudaStream_t stream, Enqueue enqueue) {
  double measured[3] = {};
  for (double& each : measured) {
    const auto begin = std::chrono::steady_clock::now();
    enqueue();
    cudaStreamSynchronize(stream);
    each = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }
  std::sort(measured, measured + 3);
  return measured[1];
}

double nanoseconds_of_request(const service& work, cudaStream_t stream, long long cycles) {
  const std::size_t bytes = work.request_elements * sizeof(float);
  return nanoseconds_of(stream, [&] {
    cudaMemcpyAsync(work.device_question, work.questions, bytes, cudaMemcpyHostToDevice, stream);
    answer<<<answer_blocks, answer_threads, 0, stream>>>(work.device_question, work.device_reply,
                                                         work.request_elements, cycles);
    cudaMemcpyAsync(work.replies, work.device_reply, bytes, cudaMemcpyDeviceToHost, stream);
  });
}

double nanoseconds_of_background(const service& work, cudaStream_t stream) {
  return nanoseconds_of(stream, [&] {
    process_tiles<<<work.tiles, tile_threads, 0, stream>>>(work.device_input, work.device_output,
                                                           work.elements, work.tile_elements, 0, work.tiles,
                                                           work.tile_cycles);
  });
}

struct calibration {
  double answer_cycles;
  double tile_cycles;
  double request_nanoseconds;     ///< of a request on an idle device
  double background_nanoseconds;  ///< of the background job on an idle device
};

/// Chooses the lengths of both kernels relative to a request whose kernel does nothing, as measured on this
/// device, and measures what each takes alone.
calibration calibrate(service work, double tile_to_request, double answer_to_request) {
  constexpr long long reference = 100'000;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  exercise::begin_part("calibration");
  nanoseconds_of_request(work, stream, 0);  // the first launch is slower
  const double shortest = nanoseconds_of_request(work, stream, 0);
  const double cycles_a_nanosecond = reference / (nanoseconds_of_request(work, stream, reference) - shortest);
  calibration found{};
  found.answer_cycles = std::floor(shortest * answer_to_request * cycles_a_nanosecond);
  found.tile_cycles = std::floor(shortest * tile_to_request * cycles_a_nanosecond);
  found.request_nanoseconds =
      nanoseconds_of_request(work, stream, static_cast<long long>(found.answer_cycles));
  work.tile_cycles = static_cast<long long>(found.tile_cycles);
  nanoseconds_of_background(work, stream);
  found.background_nanoseconds = nanoseconds_of_background(work, stream);
  exercise::end_part("calibration");
  cudaStreamDestroy(stream);
  return found;
}

/// The calibration of the plain run, when the request brings it, holds under every other schedule.
calibration calibration_for(const exercise::message& request, const service& work) {
  const double tile_to_request = request.number("tile_to_request");
  const double answer_to_request = request.number("answer_to_request");
  if (!request.has("calibrated.tile_cycles")) return calibrate(work, tile_to_request, answer_to_request);
  return {request.number("calibrated.answer_cycles"), request.number("calibrated.tile_cycles"),
          request.number("calibrated.request_nanoseconds"),
          request.number("calibrated.background_nanoseconds")};
}

/// Blocks of process_tiles that the device has room for at once.
int resident_blocks() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  return device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / tile_threads);
}

float* pinned_copy_of(const std::vector<float>& values) {
  float* memory;
  cudaMallocHost(&memory, values.size() * sizeof(float));
  std::memcpy(memory, values.data(), values.size() * sizeof(float));
  return memory;
}

float* pinned_memory(std::size_t elements) {
  float* memory;
  cudaMallocHost(&memory, elements * sizeof(float));
  return memory;
}

float* device_memory(std::size_t elements) {
  float* memory;
  cudaMalloc(&memory, elements * sizeof(float));
  return memory;
}

void poison_all(const service& work, float in_output, float on_device) {
  std::fill(work.output, work.output + work.elements, in_output);
  std::fill(work.replies, work.replies + work.requests * work.request_elements, in_output);
  const std::vector<float> poison(static_cast<std::size_t>(work.elements), on_device);
  cudaMemcpy(work.device_input, poison.data(), work.elements * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(work.device_output, poison.data(), work.elements * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(work.device_question, poison.data(), work.request_elements * sizeof(float),
             cudaMemcpyHostToDevice);
  cudaMemcpy(work.device_reply, poison.data(), work.request_elements * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

/// The first launch of a kernel loads its code, and each file that includes priorities.h has kernels of its
/// own. A call with short tiles gets that over with.
void warm_up(service work) {
  work.tile_cycles = 0;
  work.tiles = 1;
  work.tile_elements = work.elements;
  exercise::begin_part("warm-up");
  serve(work);
  cudaDeviceSynchronize();
  exercise::end_part("warm-up");
}

/// The names of the contract, for reports.
void name_all(const service& work) {
  exercise::name_memory(work.input, "input");
  exercise::name_memory(work.output, "output");
  exercise::name_memory(work.device_input, "device_input");
  exercise::name_memory(work.device_output, "device_output");
  exercise::name_memory(work.questions, "questions");
  exercise::name_memory(work.replies, "replies");
  exercise::name_memory(work.device_question, "device_question");
  exercise::name_memory(work.device_reply, "device_reply");
}

}  // namespace

void drive(const exercise::message& request, exercise::message& answer) {
  const std::vector<float>& input = request.values<float>("input");
  const std::vector<float>& questions = request.values<float>("questions");

  service work{};
  work.elements = static_cast<int>(input.size());
  work.requests = static_cast<int>(request.integer("requests"));
  work.request_elements = static_cast<int>(questions.size()) / work.requests;
  work.resident_blocks = resident_blocks();
  work.tiles = static_cast<int>(work.resident_blocks * request.number("waves"));
  work.tile_elements = (work.elements + work.tiles - 1) / work.tiles;
  float* const pinned_input = pinned_copy_of(input);
  float* const pinned_questions = pinned_copy_of(questions);
  work.input = pinned_input;
  work.questions = pinned_questions;
  work.output = pinned_memory(input.size());
  work.replies = pinned_memory(questions.size());
  work.device_input = device_memory(input.size());
  work.device_output = device_memory(input.size());
  work.device_question = device_memory(work.request_elements);
  work.device_reply = device_memory(work.request_elements);
  name_all(work);
  work.next_request = &next_request;
  work.send_reply = &send_reply;
  cudaEventCreateWithFlags(&arrival, cudaEventDisableTiming);
  reply_memory = work.replies;
  replies_sent.assign(questions.size(), static_cast<float>(request.number("poison.output")));
  elements_of_a_request = work.request_elements;

  int least;
  int greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  answer.set("greatest_priority", static_cast<std::int64_t>(greatest));

  cudaMemcpy(work.device_input, work.input, input.size() * sizeof(float), cudaMemcpyHostToDevice);
  const calibration found = calibration_for(request, work);
  answer.set("calibrated.answer_cycles", found.answer_cycles);
  answer.set("calibrated.tile_cycles", found.tile_cycles);
  answer.set("calibrated.request_nanoseconds", found.request_nanoseconds);
  answer.set("calibrated.background_nanoseconds", found.background_nanoseconds);
  work.answer_cycles = static_cast<long long>(found.answer_cycles);
  work.tile_cycles = static_cast<long long>(found.tile_cycles);
  warm_up(work);
  const double tile = found.background_nanoseconds / std::ceil(request.number("waves"));
  pause_between_requests = std::chrono::nanoseconds(std::llround(tile * request.number("pause_to_tile")));

  poison_all(work, static_cast<float>(request.number("poison.output")),
             static_cast<float>(request.number("poison.device")));
  std::fill(replies_sent.begin(), replies_sent.end(), static_cast<float>(request.number("poison.output")));

  std::vector<float> output(input.size());
  is_judged = true;
  exercise::begin_learner();
  serve(work);
  std::memcpy(output.data(), work.output, output.size() * sizeof(float));  // at once, as the contract says
  exercise::end_learner();
  answer.set("output", output);
  answer.set("replies", replies_sent);

  cudaDeviceSynchronize();
  cudaEventDestroy(arrival);
  for (float* memory : {work.device_input, work.device_output, work.device_question, work.device_reply}) {
    cudaFree(memory);
  }
  for (float* memory : {pinned_input, pinned_questions, work.output, work.replies}) cudaFreeHost(memory);
}
