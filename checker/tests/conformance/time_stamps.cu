// time_stamps.cu: when events with timing are reached while a copy engine works for another stream, as an H200 does it; the
// documentation promises none of it.
#include "conformance/gate.h"

using namespace conformance;

namespace {

constexpr std::size_t large = 64 << 20;  // more than a millisecond
constexpr std::size_t small = 64 << 10;

struct memory {
  char* host = nullptr;
  char* device = nullptr;
  memory() {
    CHECK(cudaMallocHost(&host, large));
    CHECK(cudaMalloc(&device, large));
  }
};

void copy(const memory& where, std::size_t bytes, cudaMemcpyKind direction, cudaStream_t stream) {
  const bool is_up = direction == cudaMemcpyHostToDevice;
  CHECK(cudaMemcpyAsync(is_up ? where.device : where.host, is_up ? where.host : where.device, bytes,
                        direction, stream));
}

/// Records an event in an idle stream while an engine makes a large copy in that direction for another one, and lets a third
/// stream wait for the event. How long before the end of the copy the third one goes on, in milliseconds.
float milliseconds_before_the_end(cudaStream_t stream, cudaMemcpyKind direction, unsigned flags) {
  static const memory other;
  cudaStream_t const copying = non_blocking_stream();
  cudaStream_t const third = non_blocking_stream();
  cudaEvent_t const event = new_event(flags);
  cudaEvent_t const goes_on = new_event();
  cudaEvent_t const end = new_event();
  copy(other, small, direction, copying);
  CHECK(cudaDeviceSynchronize());
  copy(other, large, direction, copying);
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(third, event, 0));
  CHECK(cudaEventRecord(goes_on, third));
  CHECK(cudaEventRecord(end, copying));
  CHECK(cudaDeviceSynchronize());
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, goes_on, end));
  return milliseconds;
}

bool waits_for_the_engine(cudaStream_t stream, cudaMemcpyKind direction, unsigned flags = 0) {
  return milliseconds_before_the_end(stream, direction, flags) < 0.2F;
}

}  // namespace

RULE(E14, "a time stamp behind a copy comes when the engine of that copy has done with another stream's",
     measured_on_h200) {
  const memory own;
  for (const cudaMemcpyKind direction : {cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice}) {
    cudaStream_t const stream = non_blocking_stream();
    copy(own, small, direction, stream);
    EXPECT_EQUAL(waits_for_the_engine(stream, direction), true);
  }
}

RULE(E14, "the engine of the other direction holds up no time stamp", measured_on_h200) {
  const memory own;
  cudaStream_t const up = non_blocking_stream();
  copy(own, small, cudaMemcpyHostToDevice, up);
  EXPECT_EQUAL(waits_for_the_engine(up, cudaMemcpyDeviceToHost), false);
  cudaStream_t const down = non_blocking_stream();
  copy(own, small, cudaMemcpyDeviceToHost, down);
  EXPECT_EQUAL(waits_for_the_engine(down, cudaMemcpyHostToDevice), false);
}

RULE(E14, "a time stamp behind a kernel, a memset or nothing waits for no copy engine", measured_on_h200) {
  cudaStream_t const empty = non_blocking_stream();
  EXPECT_EQUAL(waits_for_the_engine(empty, cudaMemcpyDeviceToHost), false);
  cudaStream_t const launching = non_blocking_stream();
  store<<<1, 1, 0, launching>>>(device_word(), 1);
  EXPECT_EQUAL(waits_for_the_engine(launching, cudaMemcpyDeviceToHost), false);
  cudaStream_t const setting = non_blocking_stream();
  const memory own;
  CHECK(cudaMemsetAsync(own.device, 0, small, setting));
  EXPECT_EQUAL(waits_for_the_engine(setting, cudaMemcpyHostToDevice), false);
}

RULE(E14, "an event without timing waits for no copy engine", measured_on_h200) {
  const memory own;
  cudaStream_t const stream = non_blocking_stream();
  copy(own, small, cudaMemcpyDeviceToHost, stream);
  EXPECT_EQUAL(waits_for_the_engine(stream, cudaMemcpyDeviceToHost, cudaEventDisableTiming), false);
}
