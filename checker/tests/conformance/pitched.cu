// pitched.cu: memory in rows and slices: allocations with a pitch, 2D and 3D copies and memsets.
#include "conformance/gate.h"

using namespace conformance;

namespace {

constexpr std::size_t width = 100, height = 6, depth = 3;

/// A value that tells where it belongs.
unsigned char mark(std::size_t x, std::size_t y, std::size_t z = 0) {
  return static_cast<unsigned char>(x + 7 * y + 31 * z + 1);
}

struct pitched_plane {
  unsigned char* begin = nullptr;
  std::size_t pitch = 0;
  pitched_plane() { CHECK(cudaMallocPitch(&begin, &pitch, width, height)); }
};

}  // namespace

RULE(K6, "rows of pitched memory begin at multiples of a pitch that is at least their width",
     runtime_api("Memory Management", "cudaMallocPitch")) {
  for (const std::size_t row : {1, 100, 512, 513, 1000}) {
    void* begin = nullptr;
    std::size_t pitch = 0;
    CHECK(cudaMallocPitch(&begin, &pitch, row, 4));
    EXPECT(pitch >= row && pitch % 256 == 0 && pitch < row + 512);
    EXPECT_EQUAL(reinterpret_cast<std::size_t>(begin) % 256, 0u);
  }
}

RULE(K6, "pitched memory without rows is none", measured_on_h200) {
  void* begin = &begin;
  std::size_t pitch = 9;
  CHECK(cudaMallocPitch(&begin, &pitch, 0, 4));
  EXPECT(begin == nullptr);
  EXPECT_EQUAL(pitch, 0u);
  EXPECT_EQUAL(cudaMallocPitch(&begin, static_cast<std::size_t*>(nullptr), 4, 4), cudaErrorInvalidValue);
}

RULE(Q1, "a 2D copy moves the rows and leaves what is between them",
     runtime_api("Memory Management", "cudaMemcpy2D")) {
  pitched_plane plane;
  unsigned char there[height * width], back[height * (width + 20)];
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) there[y * width + x] = mark(x, y);
  }
  std::memset(back, 0, sizeof(back));
  CHECK(cudaMemset(plane.begin, 0xEE, plane.pitch * height));
  CHECK(cudaMemcpy2D(plane.begin, plane.pitch, there, width, width, height, cudaMemcpyHostToDevice));
  unsigned char behind_row = 0;
  CHECK(cudaMemcpy(&behind_row, plane.begin + plane.pitch + width, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(behind_row, 0xEE);
  CHECK(cudaMemcpy2D(back, width + 20, plane.begin, plane.pitch, width, height, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(back[0], mark(0, 0));
  EXPECT_EQUAL(back[5 * (width + 20) + 99], mark(99, 5));
  EXPECT_EQUAL(back[width], 0);
}

RULE(Q2, "a 2D copy with a pitch smaller than its rows is refused, and one of nothing succeeds",
     runtime_api("Memory Management", "cudaMemcpy2D"),
     runtime_api("Data types", "cudaErrorInvalidPitchValue"), measured_on_h200) {
  pitched_plane plane;
  unsigned char host[height * width];
  EXPECT_EQUAL(cudaMemcpy2D(plane.begin, plane.pitch, host, width - 1, width, height, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue);
  EXPECT_EQUAL(cudaMemcpy2D(plane.begin, width - 1, host, width, width, height, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue);
  EXPECT_EQUAL(cudaMemcpy2D(plane.begin, 50, host, 50, width, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQUAL(
      cudaMemcpy2D(plane.begin, plane.pitch, host, width, width, height, static_cast<cudaMemcpyKind>(9)),
      cudaErrorInvalidMemcpyDirection);
}

RULE(Q3, "a 2D copy or memset that ends behind its memory is refused",
     runtime_api("Memory Management", "cudaMemcpy2D"), measured_on_h200) {
  pitched_plane plane;
  static unsigned char host[100 * width];
  EXPECT_EQUAL(cudaMemcpy2D(plane.begin, plane.pitch, host, width, width, height + 1, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemset2D(plane.begin, plane.pitch, 0, width, height + 1), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemset2D(plane.begin, width / 2, 0, width, 2), cudaErrorInvalidValue);
}

RULE(Q4, "a 2D memset sets the rows alone", runtime_api("Memory Management", "cudaMemset2D")) {
  pitched_plane plane;
  unsigned char result[2] = {};
  CHECK(cudaMemset(plane.begin, 1, plane.pitch * height));
  CHECK(cudaMemset2D(plane.begin, plane.pitch, 2, width, height));
  CHECK(cudaMemcpy(result, plane.begin + 3 * plane.pitch + width - 1, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result[0], 2);
  EXPECT_EQUAL(result[1], 1);
}

RULE(Q5, "an asynchronous 2D copy from pinned memory returns at once",
     runtime_api("API synchronization behavior", "Memcpy, asynchronous"),
     runtime_api("Memory Management", "cudaMemcpy2DAsync")) {
  cudaStream_t const stream = blocking_stream();
  pitched_plane plane;
  unsigned char* host = nullptr;
  CHECK(cudaMallocHost(&host, width * height));
  gate closed;
  closed.hold(stream);
  CHECK(cudaMemcpy2DAsync(plane.begin, plane.pitch, host, width, width, height, cudaMemcpyHostToDevice,
                          stream));
  CHECK(cudaMemset2DAsync(plane.begin, plane.pitch, 3, width, 1, stream));
  EXPECT_EQUAL(cudaStreamQuery(stream), cudaErrorNotReady);
  std::memset(host, 4, width * height);
  closed.release();
  CHECK(cudaStreamSynchronize(stream));
  unsigned char result[2] = {};
  CHECK(cudaMemcpy(&result[0], plane.begin, 1, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&result[1], plane.begin + plane.pitch, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result[0], 3);
  EXPECT_EQUAL(result[1], 4);
}

RULE(Q6, "a 3D copy moves a box, from a position to a position",
     runtime_api("Memory Management", "cudaMemcpy3D")) {
  cudaPitchedPtr volume{};
  CHECK(cudaMalloc3D(&volume, make_cudaExtent(width, height, depth)));
  EXPECT_EQUAL(volume.xsize, width);
  EXPECT_EQUAL(volume.ysize, height);
  static unsigned char there[depth][height][width], back[depth][height][width];
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) there[z][y][x] = mark(x, y, z);
    }
  }
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(there, width, width, height);
  copy.dstPtr = volume;
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  copy = {};
  copy.srcPtr = volume;
  copy.srcPos = make_cudaPos(10, 1, 1);
  copy.dstPtr = make_cudaPitchedPtr(back, width, width, height);
  copy.dstPos = make_cudaPos(0, 2, 0);
  copy.extent = make_cudaExtent(20, 2, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  EXPECT_EQUAL(back[0][2][0], mark(10, 1, 1));
  EXPECT_EQUAL(back[1][3][19], mark(29, 2, 2));
  EXPECT_EQUAL(back[0][2][20], 0);
  EXPECT_EQUAL(back[2][2][0], 0);
}

RULE(Q7, "a 3D copy of nothing succeeds, and one that does not fit is refused",
     runtime_api("Memory Management", "cudaMemcpy3D"), measured_on_h200) {
  cudaPitchedPtr volume{};
  CHECK(cudaMalloc3D(&volume, make_cudaExtent(width, height, depth)));
  static unsigned char host[(depth + 1) * (height + 1) * width];
  cudaMemcpy3DParms copy{};
  EXPECT_EQUAL(cudaMemcpy3D(&copy), cudaSuccess);
  copy.srcPtr = make_cudaPitchedPtr(host, width, width, height);
  copy.dstPtr = volume;
  copy.kind = cudaMemcpyHostToDevice;
  copy.extent = make_cudaExtent(width, height, depth + 1);
  EXPECT_EQUAL(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  copy.extent = make_cudaExtent(width, height + 1, depth);
  EXPECT_EQUAL(cudaMemcpy3D(&copy), cudaErrorInvalidPitchValue);
  EXPECT_EQUAL(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
}

RULE(Q8, "a 3D memset sets a box at the beginning of its memory",
     runtime_api("Memory Management", "cudaMemset3D")) {
  cudaPitchedPtr volume{};
  CHECK(cudaMalloc3D(&volume, make_cudaExtent(width, height, depth)));
  auto* const begin = static_cast<unsigned char*>(volume.ptr);
  unsigned char result[2] = {};
  CHECK(cudaMemset3D(volume, 1, make_cudaExtent(width, height, depth)));
  CHECK(cudaMemset3D(volume, 2, make_cudaExtent(10, 2, depth)));
  CHECK(cudaMemcpy(result, begin + volume.pitch * (2 * height + 1) + 9, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQUAL(result[0], 2);
  EXPECT_EQUAL(result[1], 1);
  EXPECT_EQUAL(cudaMemset3D(volume, 0, make_cudaExtent(width, height + 1, depth)), cudaErrorInvalidValue);
  EXPECT_EQUAL(cudaMemset3D(volume, 0, make_cudaExtent(volume.pitch + 1, height, depth)),
               cudaErrorInvalidValue);
}
