// One kernel of 500 us, timed in six ways. Three of them are wrong.
#include <chrono>

#include "show.h"

using clock_type = std::chrono::steady_clock;

static double microseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

int main() {
  const show::device_memory device(1);
  const show::stream mine;
  const show::event begin;
  const show::event end;
  const long long cycles = show::cycles_of(500);
  const auto launch = [&] { show::work<<<1, 32, 0, mine>>>(device, 1, cycles); };

  clock_type::time_point start = clock_type::now();
  launch();
  CHECK(cudaStreamSynchronize(mine));
  std::printf("host clock, first launch in the program:     %7.1f us\n", microseconds_since(start));

  start = clock_type::now();
  launch();
  std::printf("host clock, nobody waits:                    %7.1f us  (the launch, not the kernel)\n",
              microseconds_since(start));
  CHECK(cudaStreamSynchronize(mine));

  start = clock_type::now();
  launch();
  CHECK(cudaStreamSynchronize(mine));
  std::printf("host clock, and a wait:                      %7.1f us\n", microseconds_since(start));

  CHECK(cudaEventRecord(begin, mine));
  launch();
  CHECK(cudaEventRecord(end, mine));
  CHECK(cudaEventSynchronize(end));
  std::printf("events in the stream of the kernel:          %7.1f us\n",
              1000 * show::milliseconds_between(begin, end));

  CHECK(cudaEventRecord(begin, nullptr));
  launch();
  CHECK(cudaEventRecord(end, nullptr));
  CHECK(cudaEventSynchronize(end));
  std::printf(
      "events in the default stream:                %7.1f us  (non-blocking streams are not waited for)\n",
      1000 * show::milliseconds_between(begin, end));
  CHECK(cudaStreamSynchronize(mine));

  CHECK(cudaEventRecord(begin, mine));
  launch();
  CHECK(cudaStreamSynchronize(mine));
  CHECK(cudaEventRecord(end, mine));
  CHECK(cudaEventSynchronize(end));
  std::printf("the end is recorded after the host's wait:   %7.1f us  (host and record included)\n",
              1000 * show::milliseconds_between(begin, end));
}
