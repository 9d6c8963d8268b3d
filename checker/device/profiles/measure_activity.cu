// File: measure_activity.cu. What CUPTI's activity records say about durations and gaps: the same clock by
// which recordings of a real GPU are made. Each case is a chain enqueued behind a gate; printed as measure.cu
// prints. Not here: anything that needs no CUPTI (measure.cu).
//     nvcc -O2 -std=c++17 -arch=native -o measure_activity measure_activity.cu -lcupti && ./measure_activity
// (with -I and -L of the toolkit's extras/CUPTI where it is installed there)

#include <cupti.h>

#include <functional>

#include "measure/gate.cuh"

namespace {

struct operation {
  double begin_ns, end_ns;
};

std::vector<operation> seen;

void check_cupti(CUptiResult status, int line) {
  if (status == CUPTI_SUCCESS) return;
  const char* text = "";
  cuptiGetResultString(status, &text);
  std::fprintf(stderr, "line %d: %s\n", line, text);
  std::exit(1);
}
#define CHECKED_CUPTI(call) check_cupti((call), __LINE__)

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = 1 << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *most_records = 0;
}

template <class Activity>
void keep(const CUpti_Activity* record) {
  const auto* one = reinterpret_cast<const Activity*>(record);
  seen.push_back({double(one->start), double(one->end)});
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) keep<CUpti_ActivityKernel10>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) keep<CUpti_ActivityMemcpy6>(record);
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) keep<CUpti_ActivityMemset4>(record);
  }
  std::free(buffer);
}

/// The operations of one gated run after the gate, by begin.
std::vector<operation> recorded(cudaStream_t stream, const std::function<void()>& enqueue) {
  static measure::gate holding;
  seen.clear();
  holding.close(stream);
  enqueue();
  holding.open();
  CHECKED(cudaDeviceSynchronize());
  CHECKED_CUPTI(cuptiActivityFlushAll(1));
  std::sort(seen.begin(), seen.end(),
            [](const operation& a, const operation& b) { return a.begin_ns < b.begin_ns; });
  measure::require(seen.size() > 1, "no activity records came");
  return {seen.begin() + 1, seen.end()};
}

/// Prints durations and gaps of a chain in which `period` operations repeat.
void chain(const char* key, cudaStream_t stream, std::size_t period, const std::function<void()>& enqueue) {
  std::vector<std::vector<double>> durations(period), gaps(period);
  for (int sample = -1; sample < 7; ++sample) {
    const std::vector<operation> run = recorded(stream, [&] {
      for (int i = 0; i < 30; ++i) enqueue();
    });
    measure::require(run.size() == 30 * period, "operations are missing in the records");
    if (sample < 0) continue;
    for (std::size_t i = 2 * period; i + 1 < run.size(); ++i) {
      durations[i % period].push_back(run[i].end_ns - run[i].begin_ns);
      gaps[i % period].push_back(run[i + 1].begin_ns - run[i].end_ns);
    }
  }
  for (std::size_t i = 0; i < period; ++i) {
    const std::string which = std::string("activity.") + key + "." + std::to_string(i);
    measure::report(which + ".duration", measure::middle(durations[i]), "ns", durations[i].size());
    measure::report(which + ".gap_after", measure::middle(gaps[i]), "ns", gaps[i].size());
  }
}

}  // namespace

int main() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  CHECKED_CUPTI(cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    CHECKED_CUPTI(cuptiActivityEnable(kind));
  cudaStream_t stream, other;
  CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECKED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  constexpr std::size_t most_bytes = 16 << 20;
  char* const pinned = measure::noted_by_device<char>(most_bytes);
  char* const memory = measure::on_device<char>(most_bytes);
  char* const second = measure::on_device<char>(most_bytes);
  measure::stamps* const noted = measure::noted_by_device<measure::stamps>(1);
  cudaEvent_t timed, untimed, back;
  CHECKED(cudaEventCreate(&timed));
  CHECKED(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECKED(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));

  const auto empty = [&] { measure::nothing<<<1, 32, 0, stream>>>(); };
  const auto spin_in = [&](cudaStream_t where) { measure::spin<<<1, 1, 0, where>>>(20'000, noted); };
  const auto spin = [&] { spin_in(stream); };
  chain("empty", stream, 1, empty);
  chain("spin_20000", stream, 1, spin);
  chain("spin_record", stream, 1, [&] { spin(), CHECKED(cudaEventRecord(timed, stream)); });
  chain("spin_record_untimed", stream, 1, [&] { spin(), CHECKED(cudaEventRecord(untimed, stream)); });
  for (const cudaEvent_t event : {timed, untimed})
    chain(event == timed ? "spin_wait_timed" : "spin_wait_untimed", stream, 2, [&] {
      spin();
      CHECKED(cudaEventRecord(event, stream));
      CHECKED(cudaStreamWaitEvent(other, event, 0));
      spin_in(other);
      CHECKED(cudaEventRecord(back, other));
      CHECKED(cudaStreamWaitEvent(stream, back, 0));
    });
  for (const std::size_t bytes :
       {std::size_t(4096), std::size_t(64) << 10, std::size_t(1) << 20, most_bytes}) {
    const std::string size = "." + std::to_string(bytes);
    const auto up = [&] { CHECKED(cudaMemcpyAsync(memory, pinned, bytes, cudaMemcpyHostToDevice, stream)); };
    const auto down = [&] {
      CHECKED(cudaMemcpyAsync(pinned, memory, bytes, cudaMemcpyDeviceToHost, stream));
    };
    chain(("h2d" + size).c_str(), stream, 1, up);
    chain(("d2h" + size).c_str(), stream, 1, down);
    chain(("d2d" + size).c_str(), stream, 1,
          [&] { CHECKED(cudaMemcpyAsync(second, memory, bytes, cudaMemcpyDeviceToDevice, stream)); });
    chain(("memset" + size).c_str(), stream, 1, [&] { CHECKED(cudaMemsetAsync(memory, 1, bytes, stream)); });
    chain(("h2d_spin" + size).c_str(), stream, 2, [&] { up(), spin(); });
    chain(("d2h_spin" + size).c_str(), stream, 2, [&] { down(), spin(); });
    chain(("d2d_spin" + size).c_str(), stream, 2, [&] {
      CHECKED(cudaMemcpyAsync(second, memory, bytes, cudaMemcpyDeviceToDevice, stream));
      spin();
    });
    chain(("h2d_d2h" + size).c_str(), stream, 2, [&] { up(), down(); });
  }
  return 0;
}
