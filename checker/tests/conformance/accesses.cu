// accesses.cu: kernels reach memory in every way that C++ has, and a way that leads where nothing is fails.
//
// On the virtual GPU this is also the test of the instrumentation: both compilers link each construct only
// when the library has the hook that it calls, and a fault is found only when the hook gets the access.
#include <cstdint>
#include <cstring>
#include <new>

#include "conformance/gate.h"

using namespace conformance;

namespace {

struct __attribute__((packed)) packed_values {
  char first;
  short small;
  int middle;
  long long large;
  char last;
};

struct bit_fields {
  unsigned int low : 5;
  unsigned int middle : 20;
  unsigned int high : 7;
};

struct shape {
  __device__ virtual int sides() const { return 0; }
  int extra = 1;
};
struct square : shape {
  __device__ int sides() const override { return 4; }
};

struct large {
  int number[100];
};

/// A way to read and write memory. Each is tried on good memory, and on an address where there is none.
struct way {
  const char* name;
  void (*launch)(unsigned char* memory);
};

#define WAY(name, statement) \
  __global__ void name(unsigned char* memory) { statement; }

template <typename Value>
__device__ Value& at(unsigned char* memory) {
  return *reinterpret_cast<Value*>(memory);
}

template <typename Value>
__global__ void read_plainly(unsigned char* memory) {
  if (at<Value>(memory) == Value{77}) __nanosleep(1);
}
template <typename Value>
__global__ void write_plainly(unsigned char* memory) {
  at<Value>(memory) = Value{5};
}
template <typename Value>
__global__ void add_plainly(unsigned char* memory) {
  at<Value>(memory) += Value{5};
}
template <typename Value>
__global__ void read_volatile(unsigned char* memory) {
  if (at<volatile Value>(memory) == Value{77}) __nanosleep(1);
}
template <typename Value>
__global__ void write_volatile(unsigned char* memory) {
  at<volatile Value>(memory) = Value{5};
}
template <typename Vector>
__global__ void copy_vector(unsigned char* memory) {
  at<Vector>(memory + 64) = at<Vector>(memory);
}
template <typename Value>
__global__ void update_atomically(unsigned char* memory) {
  Value& value = at<Value>(memory);
  atomicAdd(&value, Value{1});
}
template <typename Value>
__global__ void update_bits(unsigned char* memory) {
  Value& value = at<Value>(memory);
  atomicAnd(&value, Value{1});
  atomicOr(&value, Value{2});
  atomicXor(&value, Value{3});
}
template <typename Value>
__global__ void compare_and_exchange(unsigned char* memory) {
  Value& value = at<Value>(memory);
  atomicExch(&value, atomicCAS(&value, Value{0}, Value{1}));
  atomicMin(&value, Value{0});
  atomicMax(&value, Value{9});
}
WAY(read_packed, packed_values& value = at<packed_values>(memory); value.last = value.first; value.small++;
    value.middle = value.small; value.large = value.middle)
WAY(copy_floats_of_three, at<float3>(memory + 12) = at<float3>(memory))
WAY(write_bit_fields, at<bit_fields>(memory).middle = 3; at<bit_fields>(memory).high++)
WAY(call_virtually, shape* const made = new (memory) square; made->extra = made->sides())
WAY(copy_by_memcpy, memcpy(memory, memory + 64, 7); memcpy(memory + 1, memory + 128, 48))
WAY(fill_by_memset, memset(memory, 1, 3); memset(memory + 3, 2, 200))
WAY(copy_structure, at<large>(memory + sizeof(large)) = at<large>(memory))
WAY(fence, __threadfence(); at<int>(memory) = 1; __threadfence_block(); __threadfence_system())
WAY(load_with_hint, if (__ldg(&at<int>(memory)) == 77) __nanosleep(1))

#define ENTRY(name)                                              \
  {                                                              \
#name, [](unsigned char* memory) { name<<<1, 1>>>(memory); } \
  }
#define ENTRIES_OF_NUMBER(type)                                                    \
  ENTRY(read_plainly<type>), ENTRY(write_plainly<type>), ENTRY(add_plainly<type>), \
      ENTRY(read_volatile<type>), ENTRY(write_volatile<type>)
const way ways[] = {
    ENTRIES_OF_NUMBER(signed char),
    ENTRIES_OF_NUMBER(short),
    ENTRIES_OF_NUMBER(int),
    ENTRIES_OF_NUMBER(long long),
    ENTRIES_OF_NUMBER(float),
    ENTRIES_OF_NUMBER(double),
    ENTRY(copy_vector<char3>),
    ENTRY(copy_vector<uchar4>),
    ENTRY(copy_vector<short3>),
    ENTRY(copy_vector<int2>),
    ENTRY(copy_vector<int3>),
    ENTRY(copy_vector<float4>),
    ENTRY(copy_vector<double2>),
    ENTRY(copy_vector<longlong3>),
    ENTRY(copy_vector<ulonglong4>),
    ENTRY(update_atomically<int>),
    ENTRY(update_atomically<unsigned int>),
    ENTRY(update_atomically<unsigned long long>),
    ENTRY(update_atomically<float>),
    ENTRY(update_atomically<double>),
    ENTRY(update_bits<int>),
    ENTRY(update_bits<unsigned long long>),
    ENTRY(compare_and_exchange<int>),
    ENTRY(compare_and_exchange<unsigned long long>),
    ENTRY(read_packed),
    ENTRY(copy_floats_of_three),
    ENTRY(write_bit_fields),
    ENTRY(call_virtually),
    ENTRY(copy_by_memcpy),
    ENTRY(fill_by_memset),
    ENTRY(copy_structure),
    ENTRY(fence),
    ENTRY(load_with_hint),
};

/// What the device says after the way was tried, in a process of its own: a failed device stays failed.
cudaError_t error_of(const way& tried, bool on_good_memory) {
  int answer[2];
  if (pipe(answer) != 0) return cudaErrorUnknown;
  const pid_t child = fork();
  if (child == 0) {
    void* memory = reinterpret_cast<void*>(std::uintptr_t{1} << 12);  // nothing is there
    cudaError_t error = on_good_memory ? cudaMalloc(&memory, 4096) : cudaSuccess;
    if (error == cudaSuccess && on_good_memory) error = cudaMemset(memory, 0, 4096);
    if (error == cudaSuccess) tried.launch(static_cast<unsigned char*>(memory));
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (write(answer[1], &error, sizeof error) < 0) std::_Exit(1);
    std::_Exit(0);
  }
  close(answer[1]);
  cudaError_t error = cudaErrorUnknown;
  if (read(answer[0], &error, sizeof error) != sizeof error) error = cudaErrorUnknown;
  close(answer[0]);
  waitpid(child, nullptr, 0);
  return error;
}

}  // namespace

RULE(F1, "each way of reaching memory works on memory of the device",
     programming_guide("C++ language extensions", "memory space specifiers"), measured_on_h200) {
  for (const way& listed : ways) {
    if (error_of(listed, true) != cudaSuccess) fail(__FILE__, __LINE__, std::string(listed.name) + " failed");
  }
}

RULE(F1, "each way of reaching memory fails with an illegal address where nothing is",
     runtime_api("Data types", "cudaErrorIllegalAddress")) {
  for (const way& listed : ways) {
    const cudaError_t error = error_of(listed, false);
    if (error != cudaErrorIllegalAddress) {
      fail(__FILE__, __LINE__, std::string(listed.name) + " gave " + cudaGetErrorName(error));
    }
  }
}

namespace {
__global__ void read_misaligned(const unsigned char* memory, int* out) {
  *out = *reinterpret_cast<const int*>(memory + 2);
}
}  // namespace

RULE(F2, "a number that is not at a multiple of its size is a misaligned address",
     runtime_api("Data types", "cudaErrorMisalignedAddress")) {
  unsigned char* memory = nullptr;
  CHECK(cudaMalloc(&memory, 64));
  read_misaligned<<<1, 1>>>(memory, reinterpret_cast<int*>(memory) + 8);
  EXPECT_EQUAL(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
}
