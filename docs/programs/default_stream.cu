// A kernel in one stream, one in the default stream, one in another stream: what waits for what?
//     default_stream [non-blocking]      (ordinary, "blocking" streams without it)
#include <cstring>

#include "show.h"

int main(int count, char** arguments) {
  const bool is_non_blocking = count > 1 && std::strcmp(arguments[1], "non-blocking") == 0;
  const unsigned flags = is_non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
  const show::device_memory device(3);
  const show::stream before(flags);
  const show::stream after(flags);
  const long long cycles = show::cycles_of(300);
  show::work<<<1, 1, 0, before>>>(device, 1, cycles);
  show::work<<<1, 1>>>(device + 1, 1, cycles);
  show::work<<<1, 1, 0, after>>>(device + 2, 1, cycles);
  CHECK(cudaDeviceSynchronize());
}
