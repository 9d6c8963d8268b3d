// vector_types.h: dim3 and CUDA's short vectors, written from the programming guide ("Built-in Vector Types").
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#define VIRTUAL_GPU_VECTORS(type, name, align2, align4)                                     \
  struct name##1 {                                                                          \
    type x;                                                                                 \
  };                                                                                        \
  struct alignas(align2) name##2 {                                                          \
    type x, y;                                                                              \
  };                                                                                        \
  struct name##3 {                                                                          \
    type x, y, z;                                                                           \
  };                                                                                        \
  struct alignas(align4) name##4 {                                                          \
    type x, y, z, w;                                                                        \
  };                                                                                        \
  inline name##1 make_##name##1(type x) { return {x}; }                                     \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }                          \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }               \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

VIRTUAL_GPU_VECTORS(signed char, char, 2, 4)
VIRTUAL_GPU_VECTORS(unsigned char, uchar, 2, 4)
VIRTUAL_GPU_VECTORS(short, short, 4, 8)
VIRTUAL_GPU_VECTORS(unsigned short, ushort, 4, 8)
VIRTUAL_GPU_VECTORS(int, int, 8, 16)
VIRTUAL_GPU_VECTORS(unsigned int, uint, 8, 16)
VIRTUAL_GPU_VECTORS(long, long, 16, 16)
VIRTUAL_GPU_VECTORS(unsigned long, ulong, 16, 16)
VIRTUAL_GPU_VECTORS(long long, longlong, 16, 16)
VIRTUAL_GPU_VECTORS(unsigned long long, ulonglong, 16, 16)
VIRTUAL_GPU_VECTORS(float, float, 8, 16)
VIRTUAL_GPU_VECTORS(double, double, 16, 16)

#undef VIRTUAL_GPU_VECTORS

// CUDA 13: the vectors of four 8-byte elements by their alignment.
#define VIRTUAL_GPU_ALIGNED_VECTOR(type, name, alignment)                                              \
  struct alignas(alignment) name##4_##alignment##a {                                                   \
    type x, y, z, w;                                                                                   \
  };                                                                                                   \
  inline name##4_##alignment##a make_##name##4_##alignment##a(type x, type y, type z, type w) { return {x, y, z, w}; }
#define VIRTUAL_GPU_ALIGNED_VECTORS(type, name)  \
  VIRTUAL_GPU_ALIGNED_VECTOR(type, name, 16)     \
  VIRTUAL_GPU_ALIGNED_VECTOR(type, name, 32)
VIRTUAL_GPU_ALIGNED_VECTORS(long, long)
VIRTUAL_GPU_ALIGNED_VECTORS(unsigned long, ulong)
VIRTUAL_GPU_ALIGNED_VECTORS(long long, longlong)
VIRTUAL_GPU_ALIGNED_VECTORS(unsigned long long, ulonglong)
VIRTUAL_GPU_ALIGNED_VECTORS(double, double)
#undef VIRTUAL_GPU_ALIGNED_VECTORS
#undef VIRTUAL_GPU_ALIGNED_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
