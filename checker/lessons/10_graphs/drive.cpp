// Feeds process_rounds() of lesson 10 from a request and hands back what it stored.
#include "exercise/drive_kit.h"
#include "graphs.h"

using namespace exercise;

namespace {

/// What load() and store() work with: the function pointers of the contract leave no room for it.
struct host_side {
  const workspace* space = nullptr;
  const pipeline* work = nullptr;
  const std::vector<float>* inputs = nullptr;
  std::vector<float> results;
  noted_calls loads{"load"};
  noted_calls stores{"store"};
};

host_side host;

/// First float of a piece among those of all rounds.
std::size_t first_of(int round, int index) {
  const std::size_t pieces_before = static_cast<std::size_t>(round) * host.work->piece_count + index;
  return pieces_before * host.work->elements;
}

void fill_inputs(int round) {
  for (int index = 0; index < host.work->piece_count; ++index) {
    std::memcpy(host.work->pieces[index].input, host.inputs->data() + first_of(round, index),
                host.work->elements * sizeof(float));
  }
}

void load(int round) {
  if (host.loads.note(round)) fill_inputs(round);
}

/// A round stored again is added to what it left the first time, so that it shows.
void store(int round) {
  if (!host.stores.note(round)) return;
  const bool is_first = host.stores.count(round) == 1;
  for (int index = 0; index < host.work->piece_count; ++index) {
    const float* const output = host.work->pieces[index].output;
    note_source("results", first_of(round, index), host.space->name_of(output));
    float* const to = host.results.data() + first_of(round, index);
    if (is_first) {
      std::memcpy(to, output, host.work->elements * sizeof(float));
    } else {
      for (int i = 0; i < host.work->elements; ++i) to[i] += output[i];
    }
  }
}

/// Queues the operations of a round, one call for each.
void queue_round(const pipeline& work) {
  const std::size_t bytes = work.elements * sizeof(float);
  for (int index = 0; index < work.piece_count; ++index) {
    const piece& mine = work.pieces[index];
    cudaMemcpyAsync(mine.values, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    for (int launch = 0; launch < work.launches; ++launch) {
      advance<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.values, work.elements, 1.0f);
    }
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(mine.output, mine.values, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
  }
}

/// Rounds with a call for each operation: what the check compares the learner's rounds with.
void take_rounds_by_calls(const pipeline& work, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    queue_round(work);
    cudaDeviceSynchronize();
  }
}

/// A capture that the learner's part leaves open would let every later call of the driver fail.
void end_open_captures(const pipeline& work) {
  for (const cudaStream_t stream : {work.upload, work.compute, work.download}) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream, &status);
    cudaGraph_t graph = nullptr;
    if (status != cudaStreamCaptureStatusNone) cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  cudaGetLastError();
}

/// The first round by a graph that the learner captures for a factor of the caller's. Nothing is launched where there is none.
void take_round_by_graph(const pipeline& work, const message& request, message& answer) {
  fill_inputs(0);
  part_of_call("one graph", [&] {
    const cudaGraph_t graph = capture_round(work, static_cast<float>(request.number("factor_of_one_graph")));
    end_open_captures(work);
    cudaGraphExec_t executable = nullptr;
    const bool is_there = graph != nullptr && cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess;
    answer.set("capture_round.graphs", std::int64_t{is_there});
    if (is_there) {
      cudaGraphLaunch(executable, work.upload);
      cudaStreamSynchronize(work.upload);
      cudaGraphExecDestroy(executable);
    }
    if (graph != nullptr) cudaGraphDestroy(graph);
  });
  const auto elements = static_cast<std::size_t>(work.elements);
  std::vector<float> results = equal_floats(elements * work.piece_count, 0);
  for (int index = 0; index < work.piece_count; ++index) {
    note_source("of_one_graph", index * elements, host.space->name_of(work.pieces[index].output));
    std::memcpy(results.data() + index * elements, work.pieces[index].output, elements * sizeof(float));
  }
  answer.set("of_one_graph", results);
}

}  // namespace

void drive(const message& request, message& answer) {
  workspace space;
  pipeline work{};
  work.rounds = static_cast<int>(request.integer("rounds"));
  work.piece_count = static_cast<int>(request.integer("pieces"));
  work.launches = static_cast<int>(request.integer("launches"));
  work.elements = static_cast<int>(request.integer("elements"));
  work.blocks = blocks_for(work.elements, threads_per_block);
  work.factors = space.plain(request.values<float>("factors"), "factors");
  work.upload = space.stream("upload");
  work.compute = space.stream("compute");
  work.download = space.stream("download");
  work.load = &load;
  work.store = &store;
  for (int index = 0; index < work.piece_count; ++index) {
    const std::string name = "pieces[" + std::to_string(index) + "].";
    piece& added = work.pieces[index];
    added.input = space.pinned(work.elements, name + "input");
    added.values = space.device(work.elements, name + "values");
    added.output = space.pinned(work.elements, name + "output");
    cudaEventCreateWithFlags(&added.event, cudaEventDisableTiming);
  }
  host.space = &space;
  host.work = &work;
  host.inputs = &request.values<float>("input");
  fill(host.results, host.inputs->size(), output_poison(request));
  host.loads.begin(static_cast<std::size_t>(work.rounds));
  host.stores.begin(static_cast<std::size_t>(work.rounds));

  space.poison(request);
  part_of_call("rounds by calls", [&] {
    take_rounds_by_calls(work, static_cast<int>(request.integer("driver.rounds_by_calls")));
  });
  space.poison(request);
  std::vector<float> results;
  learner_part([&] {
    process_rounds(work);
    results = host.results;  // at once, as the contract says: nothing here waits first
  });
  end_open_captures(work);
  answer.set("results", results);
  host.loads.answer_in(answer);
  host.stores.answer_in(answer);
  cudaDeviceSynchronize();
  space.poison(request);
  take_round_by_graph(work, request, answer);
  cudaDeviceSynchronize();
  for (int index = 0; index < work.piece_count; ++index) cudaEventDestroy(work.pieces[index].event);
}
