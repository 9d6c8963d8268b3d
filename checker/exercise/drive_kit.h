// drive_kit.h: what the drivers of lessons share: memory and streams that have the names of the contract and
// free themselves, poison, and the time of a stream's work.
//
// A process calls drive() three times (calls.h), each time with memory and streams of its own. A driver includes
// this and its contract, nothing else. It is compiled with the learner's code, as C++17: by
// g++ and clang++ for the virtual GPU, by nvcc for a real one.
// Not here: parts and calibration (calibration.h), counted calls (noted_calls.h), request and answer (message.h), names (exercise.h).
//
//     exercise::workspace space;
//     work.input = space.pinned(request.values<float>("input"), "input");
//     work.device = space.device(work.elements, "device");
//     work.stream = space.stream("stream");
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "exercise/calibration.h"
#include "exercise/exercise.h"
#include "exercise/guarded_memory.h"
#include "exercise/message.h"
#include "exercise/noted_calls.h"

namespace exercise {

/// The value that outputs hold before the learner's part: what was never written is recognized by it.
inline float output_poison(const message& request) {
  return static_cast<float>(request.number("poison.output"));
}
/// The same for device memory.
inline float device_poison(const message& request) {
  return static_cast<float>(request.number("poison.device"));
}

/// What the learner's function returned, with CUDA's name for it where it has one.
inline void set_error(message& answer, const std::string& name, cudaError_t error) {
  answer.set(name, static_cast<std::int64_t>(error));
  const std::string named = cudaGetErrorName(error);
  if (named != "unrecognized error code") answer.set(name + ".name", named);
}

/// So many floats of one value. Copied in large pieces: accesses are observed, of each element or of whole pages.
inline std::vector<float> equal_floats(std::size_t count, float value) {
  const std::vector<float> piece(std::min<std::size_t>(count, 16'384), value);
  std::vector<float> all;
  all.reserve(count);
  while (all.size() < count) {
    const std::size_t added = std::min(piece.size(), count - all.size());
    all.insert(all.end(), piece.data(), piece.data() + added);
  }
  return all;
}
/// The same in a vector, which keeps its memory if that is large enough.
inline void fill(std::vector<float>& values, std::size_t count, float value) {
  const std::vector<float> all = equal_floats(count, value);
  values = all;
}

/// Copies `value` into so many floats of device memory.
inline void fill_device(float* memory, std::size_t elements, float value) {
  cudaMemcpy(memory, equal_floats(elements, value).data(), elements * sizeof(float), cudaMemcpyHostToDevice);
}

/// The memory and the streams of a driver. All are freed at the end of its scope, where the driver must have
/// waited for the device.
class workspace {
 public:
  workspace() = default;
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  ~workspace() {
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (const block& memory : blocks_) {
      if (memory.kind == kind::device) cudaFree(memory.begin);
    }
    for (const block& memory : blocks_) {
      if (memory.kind != kind::device) cudaFreeHost(memory.begin);
    }
  }

  /// A stream made with cudaStreamNonBlocking. Without a name, reports give it a number.
  cudaStream_t stream(const std::string& name = "", int priority = 0) {
    cudaStream_t made;
    if (priority == 0) {
      cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    } else {
      cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, priority);
    }
    if (!name.empty()) name_stream(made, name);
    streams_.push_back(made);
    return made;
  }

  /// So many floats of device memory. Without a name, reports describe it.
  float* device(std::size_t elements, const std::string& name) { return add(kind::device, elements, name); }

  /// So many floats of pinned memory, for an output.
  float* pinned(std::size_t elements, const std::string& name) { return add(kind::output, elements, name); }

  /// Pinned memory that holds these values, for an input: poison() leaves it as it is.
  float* pinned(const std::vector<float>& values, const std::string& name) {
    float* const memory = add(kind::input, values.size(), name);
    std::memcpy(memory, values.data(), values.size() * sizeof(float));
    return memory;
  }

  /// Plain memory that holds these values, for an array of the contract: an access past its end ends the program there.
  template <typename Value>
  Value* plain(const std::vector<Value>& values, const std::string& name) {
    const guarded_memory& memory = plain_.emplace_back(values.data(), values.size() * sizeof(Value));
    name_memory(memory.data(), memory.bytes(), name);
    return static_cast<Value*>(memory.data());
  }

  /// The name of the memory that begins there; "" when the workspace made none.
  std::string name_of(const float* begin) const {
    for (const block& memory : blocks_) {
      if (memory.begin == begin) return memory.name;
    }
    return "";
  }

  /// Fills outputs and device memory with the poison of the request, and waits for the device.
  void poison(const message& request) const {
    const auto largest = [this](workspace::kind wanted) {
      std::size_t elements = 0;
      for (const block& memory : blocks_) {
        if (memory.kind == wanted) elements = std::max(elements, memory.elements);
      }
      return elements;
    };
    const std::vector<float> outputs = equal_floats(largest(kind::output), output_poison(request));
    const std::vector<float> device_memory = equal_floats(largest(kind::device), device_poison(request));
    for (const block& memory : blocks_) {
      const std::size_t bytes = memory.elements * sizeof(float);
      if (memory.kind == kind::output) std::memcpy(memory.begin, outputs.data(), bytes);
      if (memory.kind == kind::device)
        cudaMemcpy(memory.begin, device_memory.data(), bytes, cudaMemcpyHostToDevice);
    }
    cudaDeviceSynchronize();
  }

 private:
  enum class kind { device, input, output };

  struct block {
    workspace::kind kind;
    float* begin;
    std::size_t elements;
    std::string name;
  };

  float* add(kind added, std::size_t elements, const std::string& name) {
    float* memory = nullptr;
    if (added == kind::device) {
      cudaMalloc(&memory, elements * sizeof(float));
    } else {
      cudaMallocHost(&memory, elements * sizeof(float));
    }
    if (!name.empty()) name_memory(memory, elements * sizeof(float), name);
    blocks_.push_back({added, memory, elements, name});
    return memory;
  }

  std::vector<cudaStream_t> streams_;
  std::vector<block> blocks_;  // in the order in which they were made
  std::deque<guarded_memory> plain_;
};

/// Milliseconds between two events around what `enqueue` puts into the stream: the median of three.
template <typename Enqueue>
float median_milliseconds(cudaStream_t stream, Enqueue enqueue) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const float median = median_of_three([&] {
    float milliseconds = 0;
    cudaEventRecord(begin, stream);
    enqueue();
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&milliseconds, begin, end);
    return milliseconds;
  });
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return median;
}

/// Says in the recording that the elements of the answer `result` from `first` on are taken out of the memory of that name now,
/// from its element `offset` on.
inline void note_source(const std::string& result, std::size_t first, const std::string& memory,
                        std::size_t offset = 0) {
  mark("source:" + result + ':' + std::to_string(first) + ':' + std::to_string(offset) + ':' + memory);
}

/// The part of this call that is judged.
template <typename Work>
void learner_part(Work work) {
  begin_learner();
  work();
  end_learner();
}

/// Another part of this call: check.cpp asks for it by that name.
template <typename Work>
auto part_of_call(std::string_view name, Work work) {
  return part(part_name(name, current_call()), work);
}

/// How many blocks of that many threads cover the elements.
inline int blocks_for(std::size_t elements, int threads) {
  return static_cast<int>((elements + threads - 1) / threads);
}

}  // namespace exercise
