// The math functions of kernels: those of <math.h>, taken over by --wrap, and those that only CUDA has.
//
// | function                                   | charged as                                           |
// |--------------------------------------------|------------------------------------------------------|
// | named in the profile                       | its own entry; sinf, cosf of large ones: sinf_large  |
// | other float functions                      | "default"                                            |
// | other double functions                     | "log", which lies in the middle of those measured    |
// | __tanf, __powf                             | two of the approximations they are made of           |
// | __fdividef, __frcp, __frsqrt               | "rsqrtf": one operation of the special function unit |
// | conversions, + - * fma, integer intrinsics | nothing: they are part of the basic block            |
#include "include/math_functions.h"

#include <math.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string_view>

#include "include/interposed_functions.h"
#include "interposition/instrumentation.h"
#include "kernels/exported.h"
#include "kernels/kernel_host.h"
#include "kernels/kernel_run.h"

namespace interposition {
namespace {

using kernels::counters;
using kernels::kernel_run;

const device::math_cost& cost_of(std::string_view name, std::string_view otherwise) {
  const auto& costs = kernels::host().gpu().math;
  auto found = costs.find(name);
  if (found == costs.end()) found = costs.find(otherwise);
  return found != costs.end() ? found->second : costs.find("default")->second;
}

void charge(const device::math_cost& cost) {
  counters.math_throughput += cost.throughput;
  counters.math_latency += cost.latency;
}

/// Charges the running kernel, if there is one; the entry of the profile is looked up once a place.
#define CHARGE_AS(name, otherwise)                                   \
  if (kernel_run::current() != nullptr) {                            \
    static const device::math_cost& cost = cost_of(name, otherwise); \
    charge(cost);                                                    \
  }
#define CHARGE_FLOAT(name) CHARGE_AS(name, "default")
#define CHARGE_DOUBLE(name) CHARGE_AS(name, "log")

/// sinf and cosf take a slow path beyond this argument. @see CUDA C++ Programming Guide, "Standard Functions"
constexpr float large_argument = 105615.0f;

/// The greatest and the least integer for those that do not fit, 0 for NaN. @see CUDA Math API, "Type Casting Intrinsics"
template <typename Integer, typename Real>
Integer saturated(Real rounded) {
  using limits = std::numeric_limits<Integer>;
  if (std::isnan(rounded)) return 0;
  if (rounded < static_cast<Real>(limits::min())) return limits::min();
  // The next number above the greatest one is a power of two, so it is exact.
  if (rounded >= std::ldexp(Real{1}, limits::digits)) return limits::max();
  return static_cast<Integer>(rounded);
}

/// Does one operation with another rounding. The operands are volatile so that it happens in between.
template <typename Operation>
auto rounded(int mode, Operation operation) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile auto result = operation();
  std::fesetround(before);
  return +result;
}

/// The root of an increasing or decreasing function by Newton's method from a first guess.
template <typename Function, typename Derivative>
double solved(double guess, Function function, Derivative derivative) {
  // Far out in erfc, where it falls by orders of magnitude, the first steps only come nearer.
  for (int step = 0; step < 40; ++step) {
    const double change = function(guess) / derivative(guess);
    if (!std::isfinite(change)) break;
    guess -= change;
    if (std::abs(change) <= std::numeric_limits<double>::epsilon() * std::abs(guess)) break;
  }
  return guess;
}

constexpr double pi = 3.14159265358979323846;

double inverse_erfc(double y) {
  if (std::isnan(y) || y < 0 || y > 2) return std::numeric_limits<double>::quiet_NaN();
  if (y == 0) return std::numeric_limits<double>::infinity();
  if (y == 2) return -std::numeric_limits<double>::infinity();
  if (y > 1) return -inverse_erfc(2 - y);
  // First guess: Winitzki's approximation, or for tiny y the leading term of the asymptotic series.
  const double log_term = std::log(y * (2 - y));
  const double a = 0.147;
  const double half = 2 / (pi * a) + log_term / 2;
  const double guess = std::sqrt(std::sqrt(half * half - log_term / a) - half);
  return solved(
      guess, [y](double x) { return (std::erfc(x) - y); },
      [](double x) { return -2 / std::sqrt(pi) * std::exp(-x * x); });
}

double inverse_erf(double y) {
  if (std::abs(y) > 0.5) return y > 0 ? inverse_erfc(1 - y) : -inverse_erfc(1 + y);
  return solved(
      y * std::sqrt(pi) / 2, [y](double x) { return std::erf(x) - y; },
      [](double x) { return 2 / std::sqrt(pi) * std::exp(-x * x); });
}

double scaled_erfc(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  // The asymptotic series; at 25 its next term is below the precision of a double.
  const double t = 1 / (2 * x * x);
  const double series = 1 - t * (1 - t * (3 - t * (15 - t * (105 - t * (945 - t * (10395 - t * 135135))))));
  return series / (x * std::sqrt(pi));
}

/// Reduces before it multiplies, so that whole and half numbers are exact.
double sine_of_pi_times(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double r = std::remainder(x, 2.0);
  if (r == std::trunc(r)) return std::copysign(0.0, x);
  if (std::abs(r) > 0.5) return std::sin(pi * (std::copysign(1.0, r) - r));
  return std::sin(pi * r);
}

double cosine_of_pi_times(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double r = std::abs(std::remainder(x, 2.0));
  if (r == 0.5) return 0;
  return r > 0.5 ? -std::cos(pi * (1 - r)) : std::cos(pi * r);
}

template <typename Real>
Real length(int dimensions, const Real* vector) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) sum = std::hypot(sum, static_cast<double>(vector[i]));
  return static_cast<Real>(sum);
}

template <typename Integer>
Integer reversed_bits(Integer x) {
  Integer result = 0;
  for (int bit = 0; bit < std::numeric_limits<Integer>::digits; ++bit, x >>= 1)
    result = result << 1 | (x & 1);
  return result;
}

}  // namespace
}  // namespace interposition

using namespace interposition;

extern "C" {

// Those of <math.h>.

#define WRAP_DOUBLE_OF_ONE(name)            \
  EXPORTED double __wrap_##name(double x) { \
    CHARGE_DOUBLE(#name)                    \
    return ::name(x);                       \
  }
#define WRAP_FLOAT_OF_ONE(name)                             \
  EXPORTED float __wrap_##name##f(float x) {                \
    constexpr std::string_view function = #name;            \
    if constexpr (function == "sin" || function == "cos") { \
      if (x > large_argument || x < -large_argument) {      \
        CHARGE_FLOAT(#name "f_large")                       \
        return ::name##f(x);                                \
      }                                                     \
    }                                                       \
    CHARGE_FLOAT(#name "f")                                 \
    return ::name##f(x);                                    \
  }
#define WRAP_OF_TWO(name)                             \
  EXPORTED double __wrap_##name(double x, double y) { \
    CHARGE_DOUBLE(#name)                              \
    return ::name(x, y);                              \
  }                                                   \
  EXPORTED float __wrap_##name##f(float x, float y) { \
    CHARGE_FLOAT(#name "f")                           \
    return ::name##f(x, y);                           \
  }
#define WRAP_OF_ORDER(name)                         \
  EXPORTED double __wrap_##name(int n, double x) {  \
    CHARGE_DOUBLE(#name)                            \
    return ::name(n, x);                            \
  }                                                 \
  EXPORTED float __wrap_##name##f(int n, float x) { \
    CHARGE_FLOAT(#name "f")                         \
    return ::name##f(n, x);                         \
  }
VIRTUAL_GPU_MATH_OF_ONE(WRAP_DOUBLE_OF_ONE)
VIRTUAL_GPU_MATH_OF_ONE(WRAP_FLOAT_OF_ONE)
VIRTUAL_GPU_MATH_OF_TWO(WRAP_OF_TWO)
VIRTUAL_GPU_MATH_OF_ORDER(WRAP_OF_ORDER)

EXPORTED void __wrap_sincos(double x, double* sine, double* cosine) {
  CHARGE_DOUBLE("sincos")
  ::sincos(x, sine, cosine);
}
EXPORTED void __wrap_sincosf(float x, float* sine, float* cosine) {
  CHARGE_FLOAT("sincosf")
  ::sincosf(x, sine, cosine);
}

// Those that only CUDA has.

#define FUNCTION_OF_ONE(name, value)               \
  EXPORTED double name(double x) noexcept {        \
    CHARGE_DOUBLE(#name)                           \
    return value;                                  \
  }                                                \
  EXPORTED float name##f(float operand) noexcept { \
    CHARGE_FLOAT(#name "f")                        \
    const double x = operand;                      \
    return static_cast<float>(value);              \
  }
FUNCTION_OF_ONE(rsqrt, 1 / std::sqrt(x))
FUNCTION_OF_ONE(rcbrt, 1 / std::cbrt(x))
FUNCTION_OF_ONE(sinpi, sine_of_pi_times(x))
FUNCTION_OF_ONE(cospi, cosine_of_pi_times(x))
FUNCTION_OF_ONE(erfinv, inverse_erf(x))
FUNCTION_OF_ONE(erfcinv, inverse_erfc(x))
FUNCTION_OF_ONE(erfcx, scaled_erfc(x))
FUNCTION_OF_ONE(normcdf, std::erfc(-x / std::sqrt(2.0)) / 2)
FUNCTION_OF_ONE(normcdfinv, -std::sqrt(2.0) * inverse_erfc(2 * x))
FUNCTION_OF_ONE(cyl_bessel_i0, std::cyl_bessel_i(0.0, std::abs(x)))
FUNCTION_OF_ONE(cyl_bessel_i1, std::copysign(std::cyl_bessel_i(1.0, std::abs(x)), x))

EXPORTED void sincospi(double x, double* sine, double* cosine) noexcept {
  CHARGE_DOUBLE("sincospi")
  *sine = sine_of_pi_times(x);
  *cosine = cosine_of_pi_times(x);
}
EXPORTED void sincospif(float x, float* sine, float* cosine) noexcept {
  CHARGE_FLOAT("sincospif")
  *sine = static_cast<float>(sine_of_pi_times(x));
  *cosine = static_cast<float>(cosine_of_pi_times(x));
}

#define LENGTHS(type, suffix, CHARGE)                                      \
  EXPORTED type rhypot##suffix(type x, type y) noexcept {                  \
    CHARGE("rhypot" #suffix)                                               \
    return 1 / std::hypot(x, y);                                           \
  }                                                                        \
  EXPORTED type norm3d##suffix(type x, type y, type z) noexcept {          \
    CHARGE("norm3d" #suffix)                                               \
    return std::hypot(x, y, z);                                            \
  }                                                                        \
  EXPORTED type norm4d##suffix(type x, type y, type z, type w) noexcept {  \
    CHARGE("norm4d" #suffix)                                               \
    return std::hypot(std::hypot(x, y, z), w);                             \
  }                                                                        \
  EXPORTED type rnorm3d##suffix(type x, type y, type z) noexcept {         \
    CHARGE("rnorm3d" #suffix)                                              \
    return 1 / std::hypot(x, y, z);                                        \
  }                                                                        \
  EXPORTED type rnorm4d##suffix(type x, type y, type z, type w) noexcept { \
    CHARGE("rnorm4d" #suffix)                                              \
    return 1 / std::hypot(std::hypot(x, y, z), w);                         \
  }
LENGTHS(double, , CHARGE_DOUBLE)
LENGTHS(float, f, CHARGE_FLOAT)

/// The elements are read as by the kernel itself.
#define NORM(type, name, value, CHARGE)                                                                    \
  EXPORTED type name(int dimensions, const type* vector) noexcept {                                        \
    CHARGE(#name)                                                                                          \
    if (dimensions <= 0) return value(type{0});                                                            \
    note_access(reinterpret_cast<address>(__builtin_return_address(0)), reinterpret_cast<address>(vector), \
                static_cast<std::size_t>(dimensions) * sizeof(type), trace::access_mode::read);            \
    return value(length(dimensions, vector));                                                              \
  }
#define ITSELF(x) (x)
#define RECIPROCAL(x) (1 / (x))
NORM(double, norm, ITSELF, CHARGE_DOUBLE)
NORM(float, normf, ITSELF, CHARGE_FLOAT)
NORM(double, rnorm, RECIPROCAL, CHARGE_DOUBLE)
NORM(float, rnormf, RECIPROCAL, CHARGE_FLOAT)

// Approximations, by the double function, so that the result is the nearest float.

#define APPROXIMATION(name, charged_as, value)  \
  EXPORTED float name(float operand) noexcept { \
    CHARGE_FLOAT(charged_as)                    \
    const double x = operand;                   \
    return static_cast<float>(value);           \
  }
APPROXIMATION(__sinf, "__sinf", std::sin(x))
APPROXIMATION(__cosf, "__cosf", std::cos(x))
APPROXIMATION(__tanhf, "__expf", std::tanh(x))
APPROXIMATION(__expf, "__expf", std::exp(x))
APPROXIMATION(__exp10f, "__expf", std::pow(10.0, x))
APPROXIMATION(__logf, "__logf", std::log(x))
APPROXIMATION(__log2f, "__logf", std::log2(x))
APPROXIMATION(__log10f, "__logf", std::log10(x))
APPROXIMATION(__frsqrt_rn, "rsqrtf", 1 / std::sqrt(x))

EXPORTED float __tanf(float x) noexcept { return __fdividef(__sinf(x), __cosf(x)); }
EXPORTED void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
EXPORTED float __powf(float x, float y) noexcept {
  CHARGE_FLOAT("__logf")
  CHARGE_FLOAT("__expf")
  return static_cast<float>(std::exp2(y * std::log2(static_cast<double>(x))));
}
EXPORTED float __fdividef(float x, float y) noexcept {
  CHARGE_FLOAT("rsqrtf")
  // CUDA Math API: 0 for a divisor beyond 2^126, or NaN if the dividend is infinite.
  if (std::abs(y) > 0x1p126f && std::isfinite(y)) {
    return std::isinf(x) ? std::numeric_limits<float>::quiet_NaN() : std::copysign(0.0f, x * y);
  }
  return x / y;
}
EXPORTED float fdividef(float x, float y) noexcept {
  CHARGE_FLOAT("float_division")
  return x / y;
}
EXPORTED float __saturatef(float x) noexcept { return x > 0 ? std::min(x, 1.0f) : 0; }

#define ROUNDED_OF_ONE(suffix, mode, result, name, type, value, charged) \
  EXPORTED result name##_##suffix(type operand) noexcept {               \
    charged volatile type x = operand;                                   \
    return rounded(mode, [&]() -> result { return value; });             \
  }
#define ROUNDED_OF_TWO(suffix, mode, type, name, operation, charged) \
  EXPORTED type name##_##suffix(type first, type second) noexcept {  \
    charged volatile type x = first;                                 \
    volatile type y = second;                                        \
    return rounded(mode, [&]() -> type { return x operation y; });   \
  }
#define ROUNDED_OF_THREE(suffix, mode, type, name, function)                    \
  EXPORTED type name##_##suffix(type first, type second, type third) noexcept { \
    volatile type x = first, y = second, z = third;                             \
    return rounded(mode, [&]() -> type { return function(+x, +y, +z); });       \
  }
#define TO_INTEGER(suffix, mode, integer, name, type)                                       \
  EXPORTED integer name##_##suffix(type operand) noexcept {                                 \
    volatile type x = operand;                                                              \
    return saturated<integer>(rounded(mode, [&]() -> type { return std::nearbyint(+x); })); \
  }
#define FREE
#define ROUNDED(suffix, mode)                                                                        \
  ROUNDED_OF_TWO(suffix, mode, float, __fadd, +, FREE)                                               \
  ROUNDED_OF_TWO(suffix, mode, float, __fsub, -, FREE)                                               \
  ROUNDED_OF_TWO(suffix, mode, float, __fmul, *, FREE)                                               \
  ROUNDED_OF_TWO(suffix, mode, float, __fdiv, /, CHARGE_FLOAT("float_division"))                     \
  ROUNDED_OF_ONE(suffix, mode, float, __frcp, float, 1 / x, CHARGE_FLOAT("rsqrtf"))                  \
  ROUNDED_OF_ONE(suffix, mode, float, __fsqrt, float, std::sqrt(+x), CHARGE_FLOAT("sqrtf"))          \
  ROUNDED_OF_THREE(suffix, mode, float, __fmaf, std::fma)                                            \
  ROUNDED_OF_TWO(suffix, mode, double, __dadd, +, FREE)                                              \
  ROUNDED_OF_TWO(suffix, mode, double, __dsub, -, FREE)                                              \
  ROUNDED_OF_TWO(suffix, mode, double, __dmul, *, FREE)                                              \
  ROUNDED_OF_TWO(suffix, mode, double, __ddiv, /, CHARGE_DOUBLE("double_division"))                  \
  ROUNDED_OF_ONE(suffix, mode, double, __drcp, double, 1 / x, CHARGE_DOUBLE("double_division"))      \
  ROUNDED_OF_ONE(suffix, mode, double, __dsqrt, double, std::sqrt(+x), CHARGE_DOUBLE("sqrt"))        \
  ROUNDED_OF_THREE(suffix, mode, double, __fma, std::fma)                                            \
  TO_INTEGER(suffix, mode, int, __float2int, float)                                                  \
  TO_INTEGER(suffix, mode, unsigned int, __float2uint, float)                                        \
  TO_INTEGER(suffix, mode, long long, __float2ll, float)                                             \
  TO_INTEGER(suffix, mode, unsigned long long, __float2ull, float)                                   \
  TO_INTEGER(suffix, mode, int, __double2int, double)                                                \
  TO_INTEGER(suffix, mode, unsigned int, __double2uint, double)                                      \
  TO_INTEGER(suffix, mode, long long, __double2ll, double)                                           \
  TO_INTEGER(suffix, mode, unsigned long long, __double2ull, double)                                 \
  ROUNDED_OF_ONE(suffix, mode, float, __double2float, double, static_cast<float>(+x), FREE)          \
  ROUNDED_OF_ONE(suffix, mode, float, __int2float, int, static_cast<float>(+x), FREE)                \
  ROUNDED_OF_ONE(suffix, mode, float, __uint2float, unsigned int, static_cast<float>(+x), FREE)      \
  ROUNDED_OF_ONE(suffix, mode, float, __ll2float, long long, static_cast<float>(+x), FREE)           \
  ROUNDED_OF_ONE(suffix, mode, float, __ull2float, unsigned long long, static_cast<float>(+x), FREE) \
  ROUNDED_OF_ONE(suffix, mode, double, __ll2double, long long, static_cast<double>(+x), FREE)        \
  ROUNDED_OF_ONE(suffix, mode, double, __ull2double, unsigned long long, static_cast<double>(+x), FREE)
ROUNDED(rn, FE_TONEAREST)
ROUNDED(rz, FE_TOWARDZERO)
ROUNDED(ru, FE_UPWARD)
ROUNDED(rd, FE_DOWNWARD)

// Integers.

EXPORTED int __clz(int x) noexcept { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
EXPORTED int __clzll(long long x) noexcept {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
EXPORTED unsigned int __brev(unsigned int x) noexcept { return reversed_bits(x); }
EXPORTED unsigned long long __brevll(unsigned long long x) noexcept { return reversed_bits(x); }

EXPORTED unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) noexcept {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (unsigned int i = 0; i < 4; ++i) {
    const unsigned int from = selector >> (4 * i) & 7;
    result |= static_cast<unsigned int>(bytes >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
}

EXPORTED unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) noexcept {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(both << std::min(shift, 32u) >> 32);
}

EXPORTED unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) noexcept {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(both >> std::min(shift, 32u));
}

EXPORTED int __dp4a(int a, int b, int c) noexcept {
  auto sum = static_cast<unsigned int>(c);  // wraps around
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<unsigned int>(static_cast<signed char>(a >> shift) *
                                     static_cast<signed char>(b >> shift));
  }
  return static_cast<int>(sum);
}

}  // extern "C"
