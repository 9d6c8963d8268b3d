// Two threads, each with a kernel and a wait of its own; neither names a stream.
#include <thread>

#include "show.h"

int main() {
  const show::device_memory device(2);
  const long long cycles = show::cycles_of(300);
  const auto take = [&](int index) {
    show::work<<<1, 32>>>(device + index, 1, cycles);
    CHECK(cudaStreamSynchronize(0));
  };
  std::thread first(take, 0);
  std::thread second(take, 1);
  first.join();
  second.join();
}
