// fails: CopiesUsePinnedMemory
// where: 13 cause: never_released
// Three pieces of device memory are there before main(), and nothing frees them.
#include "detective.h"

#include <cstdlib>

/// Room for `cleaned` of three slots.
static struct room {
  float* memory[3];
  int taken = 0;
  room() {
    for (float*& one : memory) cudaMalloc(&one, 1 << 20);
  }
} of_all_calls;

// TODO 1, done: five defects, each marked below; what is not marked is as it was.

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
  // Made once for each slot: to free memory in the loop makes the host wait for the whole device, for each frame.
  made.cleaned = of_all_calls.memory[of_all_calls.taken++ % 3];
  cudaMalloc(&made.device_output, bytes);
  // Pinned: a copy to pageable memory keeps the host until it is done.
  cudaMallocHost(&made.output, bytes);
  cudaStreamCreate(&made.stream);
  cudaEventCreateWithFlags(&made.done, cudaEventDisableTiming);
  made.frame = -1;
  return made;
}

static void release(slot& used) {
  cudaEventDestroy(used.done);
  cudaStreamDestroy(used.stream);
  cudaFreeHost(used.output);
  cudaFree(used.device_output);
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
  // Recorded between the two: `clean` needs the weights, and not the survey.
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
  // The weights come from another stream: without an event the first frames are right only where `prepare` is quick.
  cudaStreamWaitEvent(mine.stream, side.prepared, 0);
  clean<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, side.weights, mine.cleaned,
                                                            work.elements, work.clean_cycles);
  // In its stream: without one it is in the default stream, which waits for all blocking streams, for the survey too.
  sharpen<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.cleaned, mine.device_output, work.elements,
                                                              work.sharpen_cycles);
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
    // No frame waits for another: they share no memory, and the ring keeps the order in which they are stored.
    queue_frame(work, mine, side, bytes);
  }

  for (slot& one : slots) empty(work, one);
  end_side_work(work, side, bytes);
  for (slot& one : slots) release(one);
}
// end of TODO 1
