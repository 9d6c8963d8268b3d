// Feeds serve() of lesson 07 from a request, lets its requests arrive, and hands back output and replies.
#include "exercise/drive_kit.h"
#include "priorities.h"

using namespace exercise;

namespace {

// What next_request() and send_reply() work with: they have no argument for it.
std::chrono::nanoseconds pause_between_requests{0};
cudaEvent_t arrival;
const std::vector<float>* questions_to_come;
float* question_memory;
const float* reply_memory;
int elements_of_a_request = 0;
std::vector<float> replies_sent;
noted_calls arrivals("next_request");
noted_calls replies("send_reply");

std::string part_of_request(int r) { return part_name("request " + std::to_string(r), current_call()); }

void next_request(int r) {
  if (!arrivals.note(r)) return;
  host_work(pause_between_requests);
  if (arrivals.count(r) == 1) {
    begin_part(part_of_request(r));
    const std::size_t first = static_cast<std::size_t>(r) * elements_of_a_request;
    std::memcpy(question_memory + first, questions_to_come->data() + first,
                elements_of_a_request * sizeof(float));
  }
  cudaEventRecord(arrival, cudaStreamLegacy);
}

void send_reply(int r) {
  if (!replies.note(r) || arrivals.count(r) == 0) return;  // no request of that number has arrived
  const std::size_t first = static_cast<std::size_t>(r) * elements_of_a_request;
  std::memcpy(replies_sent.data() + first, reply_memory + first, elements_of_a_request * sizeof(float));
  if (replies.count(r) == 1) end_part(part_of_request(r));
}

/// Nanoseconds from the first call to the end of what `enqueue` puts into the stream, as the host sees it:
/// the median of three.
template <typename Enqueue>
double median_nanoseconds(cudaStream_t stream, Enqueue enqueue) {
  return median_of_three([&] {
    return host_nanoseconds([&] {
      enqueue();
      cudaStreamSynchronize(stream);
    });
  });
}

double nanoseconds_of_request(const service& work, cudaStream_t stream, double cycles) {
  const std::size_t bytes = work.request_elements * sizeof(float);
  return median_nanoseconds(stream, [&] {
    cudaMemcpyAsync(work.device_question, work.questions, bytes, cudaMemcpyHostToDevice, stream);
    answer<<<answer_blocks, answer_threads, 0, stream>>>(
        work.device_question, work.device_reply, work.request_elements, static_cast<long long>(cycles));
    cudaMemcpyAsync(work.replies, work.device_reply, bytes, cudaMemcpyDeviceToHost, stream);
  });
}

double nanoseconds_of_background(const service& work, cudaStream_t stream, double cycles) {
  return median_nanoseconds(stream, [&] {
    process_tiles<<<work.tiles, tile_threads, 0, stream>>>(work.device_input, work.device_output,
                                                           work.elements, work.tile_elements, 0, work.tiles,
                                                           static_cast<long long>(cycles));
  });
}

/// Chooses the lengths of both kernels relative to a request whose kernel does nothing, as measured on this
/// device, and measures what a request and a wave of blocks of the background take alone. Returns nanoseconds of the latter.
double calibrate(service& work, double waves, const message& request, message& answer) {
  constexpr double reference = 100'000;
  const double tile_to_request = request.number("tile_to_request");
  const double answer_to_request = request.number("answer_to_request");
  const auto found = calibrated(
      request, answer,
      {"answer_cycles", "tile_cycles", "request_nanoseconds", "wave_nanoseconds", "answer_nanoseconds"}, [&] {
        workspace space;
        const cudaStream_t stream = space.stream();
        nanoseconds_of_request(work, stream, 0);  // the first launch is slower
        const double shortest = nanoseconds_of_request(work, stream, 0);
        const double cycles_a_nanosecond =
            reference / (nanoseconds_of_request(work, stream, reference) - shortest);
        const double answer_cycles = std::floor(shortest * answer_to_request * cycles_a_nanosecond);
        const double tile_cycles = std::floor(shortest * tile_to_request * cycles_a_nanosecond);
        const double request_alone = nanoseconds_of_request(work, stream, answer_cycles);
        nanoseconds_of_background(work, stream, tile_cycles);
        return std::array{answer_cycles, tile_cycles, request_alone,
                          nanoseconds_of_background(work, stream, tile_cycles) / std::ceil(waves),
                          shortest * answer_to_request};
      });
  work.answer_cycles = static_cast<long long>(found[0]);
  work.tile_cycles = static_cast<long long>(found[1]);
  return found[3];
}

/// Blocks of process_tiles that the device has room for at once.
int resident_blocks() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  return device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / tile_threads);
}

}  // namespace

void drive(const message& request, message& answer) {
  const std::vector<float>& input = request.values<float>("input");
  const std::vector<float>& questions = request.values<float>("questions");
  const double waves = request.number("waves");
  workspace space;
  service work{};
  work.elements = static_cast<int>(input.size());
  work.requests = static_cast<int>(request.integer("requests"));
  work.request_elements = static_cast<int>(questions.size()) / work.requests;
  work.resident_blocks = resident_blocks();
  work.tiles = static_cast<int>(work.resident_blocks * waves);
  work.tile_elements = (work.elements + work.tiles - 1) / work.tiles;
  work.input = space.pinned(input, "input");
  work.questions = question_memory = space.pinned(questions.size(), "questions");
  questions_to_come = &questions;
  work.output = space.pinned(input.size(), "output");
  work.replies = space.pinned(questions.size(), "replies");
  work.device_input = space.device(input.size(), "device_input");
  work.device_output = space.device(input.size(), "device_output");
  work.device_question = space.device(work.request_elements, "device_question");
  work.device_reply = space.device(work.request_elements, "device_reply");
  work.next_request = &next_request;
  work.send_reply = &send_reply;
  cudaEventCreateWithFlags(&arrival, cudaEventDisableTiming);
  reply_memory = work.replies;
  arrivals.begin(static_cast<std::size_t>(work.requests));
  replies.begin(static_cast<std::size_t>(work.requests));
  elements_of_a_request = work.request_elements;

  int least;
  int greatest;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  answer.set("greatest_priority", static_cast<std::int64_t>(greatest));
  answer.set("least_priority", static_cast<std::int64_t>(least));

  cudaMemcpy(work.device_input, work.input, input.size() * sizeof(float), cudaMemcpyHostToDevice);
  const double wave_nanoseconds = calibrate(work, waves, request, answer);
  pause_between_requests =
      std::chrono::nanoseconds(std::llround(wave_nanoseconds * request.number("pause_to_tile")));
  space.poison(request);
  fill(replies_sent, questions.size(), output_poison(request));

  std::vector<float> output = input;  // a copy is fast, and nothing of it stays
  learner_part([&] {
    serve(work);
    std::memcpy(output.data(), work.output, output.size() * sizeof(float));  // at once, as the contract says
  });
  answer.set("output", output);
  answer.set("tiles", std::int64_t{work.tiles});
  answer.set("replies", replies_sent);
  arrivals.answer_in(answer);
  replies.answer_in(answer);

  cudaDeviceSynchronize();
  cudaEventDestroy(arrival);
}
