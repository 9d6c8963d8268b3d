// What each function costs a kernel, and that its value is right: against the C library, or where that has no
// such function against an identity. ctest runs these tests with the H200's profile, which has many different
// costs.
#include "include/math_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "include/interposed_functions.h"
#include "interposition/test_kernel.h"

extern "C" {
#define DECLARE_OF_ONE(name)      \
  double __wrap_##name(double x); \
  float __wrap_##name##f(float x);
#define DECLARE_OF_TWO(name)                \
  double __wrap_##name(double x, double y); \
  float __wrap_##name##f(float x, float y);
#define DECLARE_OF_ORDER(name)           \
  double __wrap_##name(int n, double x); \
  float __wrap_##name##f(int n, float x);
VIRTUAL_GPU_MATH_OF_ONE(DECLARE_OF_ONE)
VIRTUAL_GPU_MATH_OF_TWO(DECLARE_OF_TWO)
VIRTUAL_GPU_MATH_OF_ORDER(DECLARE_OF_ORDER)
void __wrap_sincos(double x, double* sine, double* cosine);
void __wrap_sincosf(float x, float* sine, float* cosine);
}

namespace interposition {
namespace {

using kernels::work_counters;
using testing::ElementsAre;
using testing::NanSensitiveDoubleEq;
using testing::NanSensitiveFloatEq;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float infinity_f = std::numeric_limits<float>::infinity();

/// Keeps the compiler from computing the function itself.
template <typename Value>
Value opaque(Value value) {
  volatile Value result = value;
  return result;
}

/// The entries of the profile, one after another.
work_counters cost_of(const std::vector<std::string>& entries) {
  work_counters result;
  for (const std::string& entry : entries) {
    const device::math_cost& cost = cuda_runtime::runtime::get().gpu().math.at(entry);
    result.math_throughput += cost.throughput;
    result.math_latency += cost.latency;
  }
  return result;
}

/// That entry, or the other one if the profile does not have it.
work_counters cost_of_named(const std::string& name, const std::string& otherwise) {
  return cost_of({cuda_runtime::runtime::get().gpu().math.count(name) != 0 ? name : otherwise});
}

#define EXPECT_COST(expression, expected) \
  EXPECT_EQ(work_in_kernel([] { (void)opaque(expression); }), expected) << #expression

// Functions of <math.h>.

constexpr std::array arguments{-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 3.0, 1e6};

TEST(MathFunctions, ThoseOfTheCLibraryHaveItsValues) {
  for (const double x : arguments) {
    const auto x_f = static_cast<float>(x);
#define EXPECT_SAME_OF_ONE(name)                                                \
  EXPECT_THAT(__wrap_##name(x), NanSensitiveDoubleEq(::name(x))) << #name << x; \
  EXPECT_THAT(__wrap_##name##f(x_f), NanSensitiveFloatEq(::name##f(x_f))) << #name << x;
    VIRTUAL_GPU_MATH_OF_ONE(EXPECT_SAME_OF_ONE)
    for (const double y : arguments) {
      const auto y_f = static_cast<float>(y);
#define EXPECT_SAME_OF_TWO(name)                                                      \
  EXPECT_THAT(__wrap_##name(x, y), NanSensitiveDoubleEq(::name(x, y))) << #name << x; \
  EXPECT_THAT(__wrap_##name##f(x_f, y_f), NanSensitiveFloatEq(::name##f(x_f, y_f))) << #name << x;
      VIRTUAL_GPU_MATH_OF_TWO(EXPECT_SAME_OF_TWO)
    }
#define EXPECT_SAME_OF_ORDER(name)                                                    \
  EXPECT_THAT(__wrap_##name(2, x), NanSensitiveDoubleEq(::name(2, x))) << #name << x; \
  EXPECT_THAT(__wrap_##name##f(2, x_f), NanSensitiveFloatEq(::name##f(2, x_f))) << #name << x;
    VIRTUAL_GPU_MATH_OF_ORDER(EXPECT_SAME_OF_ORDER)
  }
}

TEST(MathFunctions, SineAndCosineAtOnceAreBoth) {
  double sine = 0, cosine = 0;
  __wrap_sincos(0.7, &sine, &cosine);
  EXPECT_DOUBLE_EQ(sine, std::sin(0.7));
  EXPECT_DOUBLE_EQ(cosine, std::cos(0.7));
  float sine_f = 0, cosine_f = 0;
  __wrap_sincosf(0.7f, &sine_f, &cosine_f);
  EXPECT_FLOAT_EQ(sine_f, std::sin(0.7f));
  EXPECT_FLOAT_EQ(cosine_f, std::cos(0.7f));
}

TEST(MathFunctions, ThoseOfTheCLibraryCostTheirOwnEntryOrThatOfTheirType) {
#define EXPECT_COST_OF_ONE(name)                                \
  EXPECT_COST(__wrap_##name(0.5), cost_of_named(#name, "log")); \
  EXPECT_COST(__wrap_##name##f(0.5f), cost_of_named(#name "f", "default"));
  VIRTUAL_GPU_MATH_OF_ONE(EXPECT_COST_OF_ONE)
#define EXPECT_COST_OF_TWO(name)                                      \
  EXPECT_COST(__wrap_##name(0.5, 0.25), cost_of_named(#name, "log")); \
  EXPECT_COST(__wrap_##name##f(0.5f, 0.25f), cost_of_named(#name "f", "default"));
  VIRTUAL_GPU_MATH_OF_TWO(EXPECT_COST_OF_TWO)
#define EXPECT_COST_OF_ORDER(name)                                 \
  EXPECT_COST(__wrap_##name(2, 0.5), cost_of_named(#name, "log")); \
  EXPECT_COST(__wrap_##name##f(2, 0.5f), cost_of_named(#name "f", "default"));
  VIRTUAL_GPU_MATH_OF_ORDER(EXPECT_COST_OF_ORDER)
}

TEST(MathFunctions, SineAndCosineOfLargeNumbersCostMore) {
  EXPECT_COST(__wrap_sinf(105615.0f), cost_of({"sinf"}));
  EXPECT_COST(__wrap_sinf(105616.0f), cost_of({"sinf_large"}));
  EXPECT_COST(__wrap_sinf(-105616.0f), cost_of({"sinf_large"}));
  EXPECT_COST(__wrap_cosf(105616.0f), cost_of({"cosf_large"}));
  EXPECT_COST(__wrap_tanf(105616.0f), cost_of({"tanf"}));
  EXPECT_COST(__wrap_sin(105616.0), cost_of({"sin"}));
}

TEST(MathFunctions, HostCodePaysNothing) {
  const work_counters before = kernels::counters;
  __wrap_sinf(opaque(0.5f));
  __expf(opaque(0.5f));
  EXPECT_EQ(kernels::counters - before, work_counters{});
}

// Functions that only CUDA has.

TEST(MathFunctions, ThoseOfCudaCostTheirOwnEntryOrThatOfTheirType) {
  EXPECT_COST(rsqrtf(0.5f), cost_of({"rsqrtf"}));
  EXPECT_COST(rsqrt(0.5), cost_of({"log"}));
  EXPECT_COST(sinpif(0.5f), cost_of({"default"}));
  EXPECT_COST(erfinv(0.5), cost_of({"log"}));
  EXPECT_COST(rhypotf(3.0f, 4.0f), cost_of({"default"}));
  EXPECT_COST(norm3d(1.0, 2.0, 2.0), cost_of({"log"}));
}

TEST(MathFunctions, ReciprocalRoots) {
  EXPECT_DOUBLE_EQ(rsqrt(16.0), 0.25);
  EXPECT_DOUBLE_EQ(rcbrt(27.0), 1.0 / 3);
  EXPECT_EQ(rsqrt(0.0), infinity);
  EXPECT_FLOAT_EQ(rsqrtf(16.0f), 0.25f);
  EXPECT_FLOAT_EQ(rcbrtf(-8.0f), -0.5f);
}

TEST(MathFunctions, SineAndCosineOfPiTimesAreExactAtHalfNumbers) {
  EXPECT_EQ(sinpi(1e15), 0);
  EXPECT_EQ(sinpi(0.5), 1);
  EXPECT_EQ(sinpi(-2.5), -1);
  EXPECT_TRUE(std::signbit(sinpi(-3.0)));
  EXPECT_FALSE(std::signbit(sinpi(3.0)));
  EXPECT_EQ(cospi(1.5), 0);
  EXPECT_EQ(cospi(3.0), -1);
  EXPECT_EQ(cospi(1e15), 1);
  EXPECT_TRUE(std::isnan(sinpi(infinity)));
  EXPECT_TRUE(std::isnan(cospi(infinity)));
}

TEST(MathFunctions, SineAndCosineOfPiTimesAreThoseOfTheProduct) {
  for (const double x : {-1.3, -0.7, 0.1, 0.3, 0.6, 0.9, 1.2, 1.9}) {
    EXPECT_NEAR(sinpi(x), std::sin(M_PI * x), 1e-15) << x;
    EXPECT_NEAR(cospi(x), std::cos(M_PI * x), 1e-15) << x;
    double sine = 0, cosine = 0;
    sincospi(x, &sine, &cosine);
    EXPECT_EQ(sine, sinpi(x));
    EXPECT_EQ(cosine, cospi(x));
    float sine_f = 0, cosine_f = 0;
    sincospif(static_cast<float>(x), &sine_f, &cosine_f);
    EXPECT_EQ(sine_f, sinpif(static_cast<float>(x)));
    EXPECT_EQ(cosine_f, cospif(static_cast<float>(x)));
  }
}

TEST(MathFunctions, TheInversesOfTheErrorFunctionsAreInverses) {
  for (const double x : {-4.0, -1.0, -0.3, 0.0, 1e-8, 0.3, 0.6, 1.5, 3.0}) {
    EXPECT_NEAR(erfinv(std::erf(x)), x, std::abs(x) > 2 ? 1e-7 : 1e-14) << x;
    EXPECT_NEAR(erfcinv(std::erfc(x)), x, x < -2 ? 1e-7 : 1e-14) << x;
  }
  EXPECT_NEAR(erfcinv(std::erfc(20.0)), 20, 1e-12);
}

TEST(MathFunctions, TheInversesOfTheErrorFunctionsEndAtInfinity) {
  EXPECT_EQ(erfinv(1.0), infinity);
  EXPECT_EQ(erfinv(-1.0), -infinity);
  EXPECT_EQ(erfcinv(0.0), infinity);
  EXPECT_EQ(erfcinv(2.0), -infinity);
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
  EXPECT_TRUE(std::isnan(erfcinv(-0.1)));
  EXPECT_TRUE(std::isnan(erfcinv(not_a_number)));
}

TEST(MathFunctions, TheScaledErrorFunctionHasNoJumpWhereItsFormulaChanges) {
  EXPECT_DOUBLE_EQ(erfcx(1.0), std::exp(1.0) * std::erfc(1.0));
  EXPECT_NEAR(erfcx(25.0) / erfcx(std::nextafter(25.0, 0.0)), 1, 1e-13);
  EXPECT_DOUBLE_EQ(erfcx(26.0), static_cast<double>(std::exp(26.0L * 26.0L) * std::erfc(26.0L)));
  EXPECT_NEAR(erfcx(1e10) * 1e10 * std::sqrt(M_PI), 1, 1e-14);
}

TEST(MathFunctions, TheNormalDistributionAndItsInverse) {
  EXPECT_DOUBLE_EQ(normcdf(0.0), 0.5);
  EXPECT_NEAR(normcdf(1.959963984540054), 0.975, 1e-15);
  EXPECT_NEAR(normcdfinv(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normcdfinv(normcdf(-5.0)), -5, 1e-12);
}

TEST(MathFunctions, ModifiedBesselFunctions) {
  EXPECT_NEAR(cyl_bessel_i0(1.0), 1.2660658777520084, 1e-14);
  EXPECT_NEAR(cyl_bessel_i0(-1.0), 1.2660658777520084, 1e-14);
  EXPECT_NEAR(cyl_bessel_i1(1.0), 0.5651591039924851, 1e-14);
  EXPECT_NEAR(cyl_bessel_i1(-1.0), -0.5651591039924851, 1e-14);
}

TEST(MathFunctions, LengthsAndTheirReciprocals) {
  const std::array<double, 5> vector{1, 3, 1, 2, 1};
  const std::array<float, 5> vector_f{1, 3, 1, 2, 1};
  EXPECT_DOUBLE_EQ(rhypot(3.0, 4.0), 0.2);
  EXPECT_DOUBLE_EQ(norm3d(1.0, 2.0, 2.0), 3);
  EXPECT_DOUBLE_EQ(norm4d(1.0, 1.0, 3.0, 5.0), 6);
  EXPECT_DOUBLE_EQ(rnorm3d(1.0, 2.0, 2.0), 1.0 / 3);
  EXPECT_FLOAT_EQ(rnorm4df(1.0f, 1.0f, 3.0f, 5.0f), 1.0f / 6);
  EXPECT_DOUBLE_EQ(norm(5, vector.data()), 4);
  EXPECT_FLOAT_EQ(rnormf(5, vector_f.data()), 0.25f);
  EXPECT_EQ(norm(0, vector.data()), 0);
  EXPECT_EQ(rnorm(0, vector.data()), infinity);
}

TEST(MathFunctions, TheLengthOfAVectorReadsItsElements) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 1024), cudaSuccess);
  const auto* const vector = static_cast<const double*>(memory) + 1;
  test_kernel kernel([&] { opaque(norm(3, vector)); });
  EXPECT_EQ(kernel.run.run(), kernels::kernel_state::finished);
  const trace::allocation_id allocation =
      cuda_runtime::runtime::get().memory().find(kernels::address_of(memory))->id;
  EXPECT_THAT(kernel.run.log().harvest(), ElementsAre(trace::access{allocation, trace::access_mode::read,
                                                                    trace::byte_set::range(8, 24)}));
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

// Approximations.

TEST(MathFunctions, ApproximationsAreTheNearestFloat) {
  const float x = 0.7f;
  const double exact = x;
  EXPECT_EQ(__sinf(x), static_cast<float>(std::sin(exact)));
  EXPECT_EQ(__cosf(x), static_cast<float>(std::cos(exact)));
  EXPECT_FLOAT_EQ(__tanf(x), static_cast<float>(std::tan(exact)));
  EXPECT_EQ(__tanhf(x), static_cast<float>(std::tanh(exact)));
  EXPECT_EQ(__expf(x), static_cast<float>(std::exp(exact)));
  EXPECT_EQ(__exp10f(x), static_cast<float>(std::pow(10.0, exact)));
  EXPECT_EQ(__logf(x), static_cast<float>(std::log(exact)));
  EXPECT_EQ(__log2f(x), static_cast<float>(std::log2(exact)));
  EXPECT_EQ(__log10f(x), static_cast<float>(std::log10(exact)));
  EXPECT_EQ(__frsqrt_rn(x), static_cast<float>(1 / std::sqrt(exact)));
  EXPECT_EQ(__powf(x, 3.5f), static_cast<float>(std::pow(exact, 3.5)));
  float sine = 0, cosine = 0;
  __sincosf(x, &sine, &cosine);
  EXPECT_EQ(sine, __sinf(x));
  EXPECT_EQ(cosine, __cosf(x));
}

TEST(MathFunctions, ApproximationsCostWhatTheyAreMadeOf) {
  EXPECT_COST(__sinf(0.5f), cost_of({"__sinf"}));
  EXPECT_COST(__cosf(0.5f), cost_of({"__cosf"}));
  EXPECT_COST(__tanf(0.5f), cost_of({"__sinf", "__cosf", "rsqrtf"}));
  EXPECT_COST(__tanhf(0.5f), cost_of({"__expf"}));
  EXPECT_COST(__exp10f(0.5f), cost_of({"__expf"}));
  EXPECT_COST(__log2f(0.5f), cost_of({"__logf"}));
  EXPECT_COST(__log10f(0.5f), cost_of({"__logf"}));
  EXPECT_COST(__powf(0.5f, 2.0f), cost_of({"__logf", "__expf"}));
  EXPECT_COST(__frsqrt_rn(0.5f), cost_of({"rsqrtf"}));
  EXPECT_COST(__fdividef(1.0f, 3.0f), cost_of({"rsqrtf"}));
  EXPECT_COST(fdividef(1.0f, 3.0f), cost_of({"float_division"}));
}

TEST(MathFunctions, TheFastDivisionGivesZeroForHugeDivisors) {
  EXPECT_EQ(__fdividef(6.0f, 3.0f), 2.0f);
  EXPECT_EQ(__fdividef(0x1p126f, 0x1p126f), 1.0f);
  EXPECT_EQ(__fdividef(0x1p127f, 0x1.8p126f), 0.0f);
  EXPECT_TRUE(std::signbit(__fdividef(1.0f, -0x1p127f)));
  EXPECT_TRUE(std::isnan(__fdividef(infinity_f, 0x1p127f)));
  EXPECT_EQ(__fdividef(1.0f, infinity_f), 0.0f);
}

TEST(MathFunctions, SaturationClampsToZeroAndOne) {
  EXPECT_EQ(__saturatef(0.25f), 0.25f);
  EXPECT_EQ(__saturatef(7.0f), 1.0f);
  EXPECT_EQ(__saturatef(-7.0f), 0.0f);
  EXPECT_EQ(__saturatef(std::numeric_limits<float>::quiet_NaN()), 0.0f);
}

// Roundings.

TEST(MathFunctions, EachRoundingGoesItsWay) {
  const float third_below = 0x1.555554p-2f, third_above = 0x1.555556p-2f;  // 1/3 lies between them
  EXPECT_EQ(__fdiv_rn(1.0f, 3.0f), third_above);
  EXPECT_EQ(__fdiv_rz(1.0f, 3.0f), third_below);
  EXPECT_EQ(__fdiv_ru(1.0f, 3.0f), third_above);
  EXPECT_EQ(__fdiv_rd(1.0f, 3.0f), third_below);
  EXPECT_EQ(__fdiv_rz(-1.0f, 3.0f), -third_below);
  EXPECT_EQ(__fdiv_ru(-1.0f, 3.0f), -third_below);
  EXPECT_EQ(__fdiv_rd(-1.0f, 3.0f), -third_above);
}

TEST(MathFunctions, EachOperationIsRoundedOnce) {
  const float tiny = 0x1p-30f;
  const float above_one = std::nextafter(1.0f, 2.0f), below_one = std::nextafter(1.0f, 0.0f);
  EXPECT_EQ(__fadd_ru(1.0f, tiny), above_one);
  EXPECT_EQ(__fadd_rd(1.0f, tiny), 1.0f);
  EXPECT_EQ(__fsub_rz(1.0f, tiny), below_one);
  EXPECT_EQ(__fsub_ru(1.0f, tiny), 1.0f);
  EXPECT_EQ(__fmul_ru(above_one, above_one), std::nextafter(__fmul_rd(above_one, above_one), 2.0f));
  EXPECT_EQ(__frcp_ru(3.0f), __fdiv_ru(1.0f, 3.0f));
  EXPECT_EQ(__fsqrt_ru(2.0f), std::nextafter(__fsqrt_rd(2.0f), 2.0f));
  EXPECT_EQ(__fmaf_ru(tiny, 1.0f, 1.0f), above_one);
  EXPECT_EQ(__dadd_ru(1.0, 0x1p-60), std::nextafter(1.0, 2.0));
  EXPECT_EQ(__dsub_rd(1.0, 0x1p-60), std::nextafter(1.0, 0.0));
  EXPECT_EQ(__dmul_rd(0.1, 0.1), std::nextafter(__dmul_ru(0.1, 0.1), 0.0));
  EXPECT_EQ(__ddiv_ru(1.0, 3.0), std::nextafter(__ddiv_rz(1.0, 3.0), 1.0));
  EXPECT_EQ(__drcp_rd(3.0), __ddiv_rd(1.0, 3.0));
  EXPECT_EQ(__dsqrt_ru(2.0), std::nextafter(__dsqrt_rz(2.0), 2.0));
  EXPECT_EQ(__fma_rn(0x1p-60, 1.0, 1.0), 1.0);
  EXPECT_EQ(__fma_ru(0x1p-60, 1.0, 1.0), std::nextafter(1.0, 2.0));
}

TEST(MathFunctions, ARoundingLeavesThoseOfLaterOperationsAlone) {
  __fdiv_ru(opaque(1.0f), opaque(3.0f));
  EXPECT_EQ(opaque(1.0) / opaque(3.0), 0x1.5555555555555p-2);
}

TEST(MathFunctions, DivisionsAndRootsCostAndOtherRoundedOperationsDoNot) {
  EXPECT_COST(__fdiv_rn(1.0f, 3.0f), cost_of({"float_division"}));
  EXPECT_COST(__frcp_ru(3.0f), cost_of({"rsqrtf"}));
  EXPECT_COST(__fsqrt_rz(3.0f), cost_of({"sqrtf"}));
  EXPECT_COST(__ddiv_rd(1.0, 3.0), cost_of({"double_division"}));
  EXPECT_COST(__drcp_rn(3.0), cost_of({"double_division"}));
  EXPECT_COST(__dsqrt_rn(3.0), cost_of({"sqrt"}));
  EXPECT_COST(__fmaf_rn(1.0f, 2.0f, 3.0f), work_counters{});
  EXPECT_COST(__dadd_rn(1.0, 2.0), work_counters{});
  EXPECT_COST(__float2int_rn(1.5f), work_counters{});
}

TEST(MathFunctions, ConversionsToIntegersRound) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rz(-2.7f), -2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__double2ll_ru(0x1p40 + 0.5), (1LL << 40) + 1);
  EXPECT_EQ(__float2uint_rn(3.5f), 4u);
}

TEST(MathFunctions, ConversionsToIntegersSaturate) {
  EXPECT_EQ(__float2int_rn(1e10f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2int_rn(-1e10f), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2int_rn(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(__float2uint_rn(-1.0f), 0u);
  EXPECT_EQ(__float2uint_rn(0x1p32f), std::numeric_limits<unsigned int>::max());
  EXPECT_EQ(__double2ll_rn(0x1p63), std::numeric_limits<long long>::max());
  EXPECT_EQ(__double2ll_rn(-0x1p63), std::numeric_limits<long long>::min());
  EXPECT_EQ(__double2ull_rz(infinity), std::numeric_limits<unsigned long long>::max());
}

TEST(MathFunctions, ConversionsToFloatRound) {
  constexpr int odd = (1 << 24) + 1;  // has no float
  EXPECT_EQ(__int2float_rd(odd), 0x1p24f);
  EXPECT_EQ(__int2float_ru(odd), 0x1p24f + 2);
  EXPECT_EQ(__uint2float_rz(0xffffffffu), 0x1.fffffep31f);
  EXPECT_EQ(__ll2float_ru((1LL << 40) + 1), std::nextafter(0x1p40f, infinity_f));
  EXPECT_EQ(__ull2float_rn(~0ULL), 0x1p64f);
  EXPECT_EQ(__double2float_ru(0.1), 0.1f);
  EXPECT_EQ(__double2float_rd(0.1), std::nextafter(0.1f, 0.0f));
  EXPECT_EQ(__ll2double_ru((1LL << 53) + 1), 0x1p53 + 2);
  EXPECT_EQ(__ull2double_rz(~0ULL), std::nextafter(0x1p64, 0.0));
}

// Integers.

TEST(MathFunctions, LeadingZerosAndReversedBits) {
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__clzll(1LL << 40), 23);
  EXPECT_EQ(__brev(0x00000003u), 0xc0000000u);
  EXPECT_EQ(__brevll(0x0000000000000005ULL), 0xa000000000000000ULL);
}

TEST(MathFunctions, BytesArePickedByTheirSelector) {
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x7520), 0x77552200u);
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x3210), 0x33221100u);
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0xfedc), 0x77665544u);
}

TEST(MathFunctions, FunnelShiftsClampTheirShift) {
  EXPECT_EQ(__funnelshift_lc(0x89abcdef, 0x01234567, 8), 0x23456789u);
  EXPECT_EQ(__funnelshift_lc(0x89abcdef, 0x01234567, 40), 0x89abcdefu);
  EXPECT_EQ(__funnelshift_rc(0x89abcdef, 0x01234567, 8), 0x6789abcdu);
  EXPECT_EQ(__funnelshift_rc(0x89abcdef, 0x01234567, 40), 0x01234567u);
}

TEST(MathFunctions, TheDotProductOfBytesIsSignedAndWraps) {
  EXPECT_EQ(__dp4a(0x01020304, 0x05060708, 10), 5 + 12 + 21 + 32 + 10);
  EXPECT_EQ(__dp4a(static_cast<int>(0xff000080), 0x02000001, 0), -2 - 128);
  EXPECT_EQ(__dp4a(1, 1, std::numeric_limits<int>::max()), std::numeric_limits<int>::min());
}

}  // namespace
}  // namespace interposition
