// math_functions.h: the mathematical functions and intrinsics that CUDA has beside those of <math.h>.
//
// In a kernel each call is charged by its name from the profile; the approximate intrinsics (__sinf, ...)
// give the correctly rounded value of the function, which hardware only comes close to. Functions that the
// hardware does in an instruction or two (fabs, fma, floor, min, ...) are not charged. @see CUDA Math API
// Reference Manual
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <math.h>
#include <stdlib.h>

extern "C" {

#define VIRTUAL_GPU_MATH_1(name)  \
  double name(double x) noexcept; \
  float name##f(float x) noexcept;
VIRTUAL_GPU_MATH_1(rsqrt)
VIRTUAL_GPU_MATH_1(rcbrt)
VIRTUAL_GPU_MATH_1(sinpi)
VIRTUAL_GPU_MATH_1(cospi)
VIRTUAL_GPU_MATH_1(erfinv)
VIRTUAL_GPU_MATH_1(erfcinv)
VIRTUAL_GPU_MATH_1(erfcx)
VIRTUAL_GPU_MATH_1(normcdf)
VIRTUAL_GPU_MATH_1(normcdfinv)
VIRTUAL_GPU_MATH_1(cyl_bessel_i0)
VIRTUAL_GPU_MATH_1(cyl_bessel_i1)
#undef VIRTUAL_GPU_MATH_1

void sincospi(double x, double* sine, double* cosine) noexcept;
void sincospif(float x, float* sine, float* cosine) noexcept;
double rhypot(double x, double y) noexcept;
float rhypotf(float x, float y) noexcept;
double norm3d(double x, double y, double z) noexcept;
float norm3df(float x, float y, float z) noexcept;
double norm4d(double x, double y, double z, double w) noexcept;
float norm4df(float x, float y, float z, float w) noexcept;
double rnorm3d(double x, double y, double z) noexcept;
float rnorm3df(float x, float y, float z) noexcept;
double rnorm4d(double x, double y, double z, double w) noexcept;
float rnorm4df(float x, float y, float z, float w) noexcept;
double norm(int dimensions, const double* vector) noexcept;
float normf(int dimensions, const float* vector) noexcept;
double rnorm(int dimensions, const double* vector) noexcept;
float rnormf(int dimensions, const float* vector) noexcept;

// Approximations.
float __sinf(float x) noexcept;
float __cosf(float x) noexcept;
float __tanf(float x) noexcept;
float __tanhf(float x) noexcept;
void __sincosf(float x, float* sine, float* cosine) noexcept;
float __expf(float x) noexcept;
float __exp10f(float x) noexcept;
float __logf(float x) noexcept;
float __log2f(float x) noexcept;
float __log10f(float x) noexcept;
float __powf(float x, float y) noexcept;
float __fdividef(float x, float y) noexcept;
float fdividef(float x, float y) noexcept;
float __frsqrt_rn(float x) noexcept;
/// Clamps to [0, 1]; NaN gives 0.
float __saturatef(float x) noexcept;

// One operation each, with the rounding that the name says: to nearest, towards zero, up, down.
#define VIRTUAL_GPU_ROUNDED(suffix)                             \
  float __fadd_##suffix(float x, float y) noexcept;             \
  float __fsub_##suffix(float x, float y) noexcept;             \
  float __fmul_##suffix(float x, float y) noexcept;             \
  float __fdiv_##suffix(float x, float y) noexcept;             \
  float __frcp_##suffix(float x) noexcept;                      \
  float __fsqrt_##suffix(float x) noexcept;                     \
  float __fmaf_##suffix(float x, float y, float z) noexcept;    \
  double __dadd_##suffix(double x, double y) noexcept;          \
  double __dsub_##suffix(double x, double y) noexcept;          \
  double __dmul_##suffix(double x, double y) noexcept;          \
  double __ddiv_##suffix(double x, double y) noexcept;          \
  double __drcp_##suffix(double x) noexcept;                    \
  double __dsqrt_##suffix(double x) noexcept;                   \
  double __fma_##suffix(double x, double y, double z) noexcept; \
  int __float2int_##suffix(float x) noexcept;                   \
  unsigned int __float2uint_##suffix(float x) noexcept;         \
  long long __float2ll_##suffix(float x) noexcept;              \
  unsigned long long __float2ull_##suffix(float x) noexcept;    \
  int __double2int_##suffix(double x) noexcept;                 \
  unsigned int __double2uint_##suffix(double x) noexcept;       \
  long long __double2ll_##suffix(double x) noexcept;            \
  unsigned long long __double2ull_##suffix(double x) noexcept;  \
  float __double2float_##suffix(double x) noexcept;             \
  float __int2float_##suffix(int x) noexcept;                   \
  float __uint2float_##suffix(unsigned int x) noexcept;         \
  float __ll2float_##suffix(long long x) noexcept;              \
  float __ull2float_##suffix(unsigned long long x) noexcept;    \
  double __ll2double_##suffix(long long x) noexcept;            \
  double __ull2double_##suffix(unsigned long long x) noexcept;
VIRTUAL_GPU_ROUNDED(rn)
VIRTUAL_GPU_ROUNDED(rz)
VIRTUAL_GPU_ROUNDED(ru)
VIRTUAL_GPU_ROUNDED(rd)
#undef VIRTUAL_GPU_ROUNDED

// Integers.
int __clz(int x) noexcept;
int __clzll(long long x) noexcept;
unsigned int __brev(unsigned int x) noexcept;
unsigned long long __brevll(unsigned long long x) noexcept;
unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) noexcept;
unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) noexcept;
unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) noexcept;
int __dp4a(int a, int b, int c) noexcept;

}  // extern "C"

#define VIRTUAL_GPU_INLINE __attribute__((always_inline)) inline

VIRTUAL_GPU_INLINE float rsqrt(float x) { return rsqrtf(x); }
VIRTUAL_GPU_INLINE float rcbrt(float x) { return rcbrtf(x); }
VIRTUAL_GPU_INLINE float sinpi(float x) { return sinpif(x); }
VIRTUAL_GPU_INLINE float cospi(float x) { return cospif(x); }
VIRTUAL_GPU_INLINE float erfinv(float x) { return erfinvf(x); }
VIRTUAL_GPU_INLINE float erfcinv(float x) { return erfcinvf(x); }
VIRTUAL_GPU_INLINE float erfcx(float x) { return erfcxf(x); }
VIRTUAL_GPU_INLINE float normcdf(float x) { return normcdff(x); }
VIRTUAL_GPU_INLINE float normcdfinv(float x) { return normcdfinvf(x); }
VIRTUAL_GPU_INLINE float exp10(float x) { return exp10f(x); }
VIRTUAL_GPU_INLINE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
VIRTUAL_GPU_INLINE void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
VIRTUAL_GPU_INLINE float rhypot(float x, float y) { return rhypotf(x, y); }

VIRTUAL_GPU_INLINE double __int2double_rn(int x) { return x; }
VIRTUAL_GPU_INLINE double __uint2double_rn(unsigned int x) { return x; }
VIRTUAL_GPU_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
VIRTUAL_GPU_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
VIRTUAL_GPU_INLINE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
VIRTUAL_GPU_INLINE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
VIRTUAL_GPU_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
VIRTUAL_GPU_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
VIRTUAL_GPU_INLINE int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(long long, x) >> 32);
}
VIRTUAL_GPU_INLINE int __double2loint(double x) { return static_cast<int>(__builtin_bit_cast(long long, x)); }
VIRTUAL_GPU_INLINE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
                                        static_cast<unsigned int>(low));
}

VIRTUAL_GPU_INLINE int __popc(unsigned int x) { return __builtin_popcount(x); }
VIRTUAL_GPU_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
VIRTUAL_GPU_INLINE int __ffs(int x) { return __builtin_ffs(x); }
VIRTUAL_GPU_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
// The low 24 bits of each operand, the low 32 of the product.
VIRTUAL_GPU_INLINE int __mul24(int x, int y) {
  const auto low = [](int value) { return static_cast<int>(static_cast<unsigned int>(value) << 8) >> 8; };
  return static_cast<int>(static_cast<long long>(low(x)) * low(y));
}
VIRTUAL_GPU_INLINE unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
VIRTUAL_GPU_INLINE int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
VIRTUAL_GPU_INLINE unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
}
VIRTUAL_GPU_INLINE long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
VIRTUAL_GPU_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
VIRTUAL_GPU_INLINE unsigned int __sad(int x, int y, unsigned int z) {
  return static_cast<unsigned int>(__builtin_llabs(static_cast<long long>(x) - y)) + z;
}
VIRTUAL_GPU_INLINE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return static_cast<unsigned int>(__builtin_llabs(static_cast<long long>(x) - y)) + z;
}
VIRTUAL_GPU_INLINE int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
VIRTUAL_GPU_INLINE int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
VIRTUAL_GPU_INLINE unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
VIRTUAL_GPU_INLINE unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
VIRTUAL_GPU_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return __funnelshift_lc(low, high, shift & 31);
}
VIRTUAL_GPU_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return __funnelshift_rc(low, high, shift & 31);
}

#define VIRTUAL_GPU_EXTREMES(type)                                      \
  VIRTUAL_GPU_INLINE type min(type a, type b) { return b < a ? b : a; } \
  VIRTUAL_GPU_INLINE type max(type a, type b) { return a < b ? b : a; }
VIRTUAL_GPU_EXTREMES(int)
VIRTUAL_GPU_EXTREMES(unsigned int)
VIRTUAL_GPU_EXTREMES(long)
VIRTUAL_GPU_EXTREMES(unsigned long)
VIRTUAL_GPU_EXTREMES(long long)
VIRTUAL_GPU_EXTREMES(unsigned long long)
#undef VIRTUAL_GPU_EXTREMES
// Of a signed and an unsigned number both are taken as unsigned.
#define VIRTUAL_GPU_MIXED_EXTREMES(a_type, b_type, result)      \
  VIRTUAL_GPU_INLINE result min(a_type a, b_type b) {           \
    return min(static_cast<result>(a), static_cast<result>(b)); \
  }                                                             \
  VIRTUAL_GPU_INLINE result max(a_type a, b_type b) {           \
    return max(static_cast<result>(a), static_cast<result>(b)); \
  }
VIRTUAL_GPU_MIXED_EXTREMES(int, unsigned int, unsigned int)
VIRTUAL_GPU_MIXED_EXTREMES(unsigned int, int, unsigned int)
VIRTUAL_GPU_MIXED_EXTREMES(long, unsigned long, unsigned long)
VIRTUAL_GPU_MIXED_EXTREMES(unsigned long, long, unsigned long)
VIRTUAL_GPU_MIXED_EXTREMES(long long, unsigned long long, unsigned long long)
VIRTUAL_GPU_MIXED_EXTREMES(unsigned long long, long long, unsigned long long)
#undef VIRTUAL_GPU_MIXED_EXTREMES
VIRTUAL_GPU_INLINE float min(float a, float b) { return fminf(a, b); }
VIRTUAL_GPU_INLINE float max(float a, float b) { return fmaxf(a, b); }
VIRTUAL_GPU_INLINE double min(double a, double b) { return fmin(a, b); }
VIRTUAL_GPU_INLINE double max(double a, double b) { return fmax(a, b); }
VIRTUAL_GPU_INLINE double min(float a, double b) { return fmin(a, b); }
VIRTUAL_GPU_INLINE double max(float a, double b) { return fmax(a, b); }
VIRTUAL_GPU_INLINE double min(double a, float b) { return fmin(a, b); }
VIRTUAL_GPU_INLINE double max(double a, float b) { return fmax(a, b); }
VIRTUAL_GPU_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
VIRTUAL_GPU_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
VIRTUAL_GPU_INLINE long long llmin(long long a, long long b) { return min(a, b); }
VIRTUAL_GPU_INLINE long long llmax(long long a, long long b) { return max(a, b); }
VIRTUAL_GPU_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
VIRTUAL_GPU_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
#undef VIRTUAL_GPU_INLINE
