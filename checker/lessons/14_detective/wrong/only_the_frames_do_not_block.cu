// fails: WorkIsOrdered also: EveryFrameIsRight, FramesRunBesideTheSurvey
// where: 83 cause: default_stream_unordered
// Only the streams of the frames do not block: the launch without a stream still waits for the survey, and for no frame.
#include "detective.h"

#include <cstdlib>

static constexpr int slot_count = 3;

/// Memory for one frame, a stream to take it through the GPU, and an event for when it is done.
struct slot {
  float* input;          // the frame, for the copy to the device
  float* device_input;   // the frame on the device
  float* cleaned;        // what `clean` leaves for `sharpen`
  float* device_output;  // the finished frame on the device
  float* output;         // the finished frame, for store()
  cudaStream_t stream;
  cudaEvent_t done;
  int frame;  // the one it holds; -1: none
};

/// What all frames share: the weights, and the survey of them.
struct side_work {
  float* weights;
  float* survey;
  cudaStream_t stream;
  cudaEvent_t prepared;
};

static slot make_slot(std::size_t bytes) {
  slot made{};
  cudaMallocHost(&made.input, bytes);
  cudaMalloc(&made.device_input, bytes);
  cudaMalloc(&made.cleaned, bytes);
  cudaMalloc(&made.device_output, bytes);
  cudaMallocHost(&made.output, bytes);
  cudaStreamCreateWithFlags(&made.stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&made.done, cudaEventDisableTiming);
  made.frame = -1;
  return made;
}

static void release(slot& used) {
  cudaEventDestroy(used.done);
  cudaStreamDestroy(used.stream);
  cudaFreeHost(used.output);
  cudaFree(used.device_output);
  cudaFree(used.cleaned);
  cudaFree(used.device_input);
  cudaFreeHost(used.input);
}

/// Queues the weights, and the survey behind them. The survey takes long, and nobody waits for it before the end.
static side_work begin_side_work(const film& work, std::size_t bytes) {
  side_work begun{};
  cudaMalloc(&begun.weights, bytes);
  cudaMalloc(&begun.survey, bytes);
  cudaStreamCreate(&begun.stream);
  prepare<<<work.blocks, threads_per_block, 0, begun.stream>>>(begun.weights, work.gain, work.elements,
                                                               work.prepare_cycles);
  cudaEventCreateWithFlags(&begun.prepared, cudaEventDisableTiming);
  cudaEventRecord(begun.prepared, begun.stream);
  survey<<<survey_blocks, threads_per_block, 0, begun.stream>>>(begun.weights, begun.survey, work.elements,
                                                                work.survey_cycles);
  return begun;
}

static void end_side_work(const film& work, side_work& begun, std::size_t bytes) {
  cudaMemcpyAsync(work.survey, begun.survey, bytes, cudaMemcpyDeviceToHost, begun.stream);
  cudaStreamSynchronize(begun.stream);
  cudaEventDestroy(begun.prepared);
  cudaStreamDestroy(begun.stream);
  cudaFree(begun.survey);
  cudaFree(begun.weights);
}

/// Queues all that the device does with the frame in a slot.
static void queue_frame(const film& work, const slot& mine, const side_work& side, std::size_t bytes) {
  cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
  cudaStreamWaitEvent(mine.stream, side.prepared, 0);
  clean<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, side.weights, mine.cleaned,
                                                            work.elements, work.clean_cycles);
  sharpen<<<work.blocks, threads_per_block>>>(mine.cleaned, mine.device_output, work.elements, work.sharpen_cycles);
  cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  cudaEventRecord(mine.done, mine.stream);
}

/// Waits until the slot is free, and stores the frame that was in it.
static void empty(const film& work, slot& used) {
  if (used.frame < 0) return;
  cudaEventSynchronize(used.done);
  work.store(used.frame, used.output);
  used.frame = -1;
}

void process_film(const film& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  slot slots[slot_count];
  for (slot& one : slots) one = make_slot(bytes);
  side_work side = begin_side_work(work, bytes);

  for (int frame = 0; frame < work.frames; ++frame) {
    slot& mine = slots[frame % slot_count];
    empty(work, mine);
    mine.frame = frame;
    work.load(frame, mine.input);
    queue_frame(work, mine, side, bytes);
  }

  for (slot& one : slots) empty(work, one);
  end_side_work(work, side, bytes);
  for (slot& one : slots) release(one);
}
