// Numbers at the edges of what kernels of two inputs and reductions compute: NaN, infinities,
// division by zero, quotients that rounding makes whole.
#include "special_floats.hpp"

#include <kompakt/kernel/arg_extreme.hpp>
#include <kompakt/kernel/comparison.hpp>
#include <kompakt/kernel/div.hpp>
#include <kompakt/kernel/floor_mod.hpp>
#include <kompakt/kernel/l2_normalization.hpp>
#include <kompakt/kernel/prelu.hpp>
#include <kompakt/kernel/squared_difference.hpp>
#include <kompakt/kernel/sub.hpp>

#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <random>

using namespace kompakt;
using kompakt_test::infinity;
using kompakt_test::nan_value;

namespace {

float any_float(std::mt19937& engine) {
    const auto bits = static_cast<std::uint32_t>(engine());
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
bool same(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace

TEST_CASE("truncated_remainder is fmod, to the bit and its sign") {
    std::mt19937 engine(1);
    for (const float a :
         {0.0f, -0.0f, 1.0f, -7.5f, infinity, -infinity, nan_value, 1e-45f, 3e38f}) {
        for (const float b :
             {0.0f, 1.0f, -2.5f, infinity, -infinity, nan_value, 1e-45f, -1e-40f, 3e38f}) {
            CAPTURE(a);
            CAPTURE(b);
            CHECK(same(truncated_remainder(a, b), std::fmod(a, b)));
        }
    }
    for (int i = 0; i < 200000; ++i) {
        const float a = any_float(engine), b = any_float(engine);
        const bool ok = same(truncated_remainder(a, b), std::fmod(a, b));
        if (!ok) {
            CAPTURE(a);
            CAPTURE(b);
            CHECK(ok);
        }
    }
}

TEST_CASE("floor_quotient rounds the exact quotient down") {
    const auto check = [](float a, float b) {
        // Double is exact enough: quotients of two floats below 2^24 are not within 2^-49 of a
        // whole number without being one.
        const double exact = std::floor(static_cast<double>(a) / static_cast<double>(b));
        if (!(std::fabs(exact) < 16777216.0)) return;
        const float got = floor_quotient(a, b);
        const bool ok = got == static_cast<float>(exact);
        if (!ok) {
            CAPTURE(a);
            CAPTURE(b);
            CAPTURE(got);
            CHECK(ok);
        }
    };
    std::mt19937 engine(2);
    for (int i = 0; i < 200000; ++i) {
        const float b = any_float(engine);
        if (!std::isfinite(b) || b == 0.0f) continue;
        check(any_float(engine), b);
        // Around whole numbers of divisors.
        const auto n = static_cast<float>(static_cast<int>(engine() % 2000001) - 1000000);
        const float a = n * b;
        check(a, b);
        check(std::nextafter(a, infinity), b);
        check(std::nextafter(a, -infinity), b);
    }
    CHECK(floor_quotient(1e-45f, -3e38f) == -1.0f);
    CHECK(floor_quotient(-1e-45f, -3e38f) == 0.0f);
    CHECK(floor_quotient(1.0f, -infinity) == 0.0f);
    CHECK(floor_quotient(1.0f, 0.0f) == infinity);
    CHECK(std::isnan(floor_quotient(0.0f, 0.0f)));
    CHECK(floor_quotient(infinity, -2.0f) == -infinity);
    CHECK(std::isnan(floor_quotient(nan_value, 2.0f)));
    CHECK(floor_quotient(-0.0f, 2.0f) == 0.0f);
}

TEST_CASE("float_parts: there and back") {
    std::mt19937 engine(3);
    for (int i = 0; i < 100000; ++i) {
        const float x = any_float(engine);
        if (!std::isfinite(x)) continue;
        const bool ok = same(float_parts::of(x).value(), x);
        if (!ok) {
            CAPTURE(x);
            CHECK(ok);
        }
    }
    CHECK((float_parts{1, 104, false}).value() == std::ldexp(1.0f, 104));
    CHECK((float_parts{1, -149, true}).value() == -std::ldexp(1.0f, -149));
}

TEST_CASE("division that C leaves undefined") {
    const clamp_i32_params all;
    CHECK(div_i32::apply(7, 0, all) == 0);
    CHECK(div_i32::apply(INT32_MIN, -1, all) == INT32_MIN);
    CHECK(div_i32::apply(-7, 2, all) == -3);
    const mul_i8_params p{0, 5, {1 << 30, 1}, {3, -100, 90}};
    CHECK(div_i8::apply(1, 5, p) == 90);
    CHECK(div_i8::apply(-1, 5, p) == -100);
    CHECK(div_i8::apply(0, 5, p) == 3);
    // Nothing is left of small quotients; none is the smallest step.
    CHECK(div_i8::apply(0, 127, p) == 3);
    // Every multiplier that the check lets through.
    for (int shift = min_multiplier_shift; shift <= max_multiplier_shift; ++shift) {
        for (int a = -128; a < 128; a += 3) {
            for (int b = -128; b < 128; b += 5) {
                const mul_i8_params q{-128, 127, {INT32_MAX, shift}, {127, -128, 127}};
                static_cast<void>(
                    div_i8::apply(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b), q));
            }
        }
    }
}

TEST_CASE("comparisons and extremes with NaN") {
    const compare_params yes, inverted{1};
    CHECK(less_f32::apply(nan_value, 1.0f, yes) == 0);
    CHECK(less_equal_f32::apply(nan_value, nan_value, yes) == 0);
    CHECK(less_equal_f32::apply(-0.0f, 0.0f, yes) == 1);
    CHECK(equal_f32::apply(nan_value, nan_value, yes) == 0);
    CHECK(equal_f32::apply(nan_value, nan_value, inverted) == 1);
    CHECK(equal_f32::apply(-0.0f, 0.0f, yes) == 1);
    // Where the comparison is false the second operand stays.
    CHECK(extreme_f32::apply(nan_value, 2.0f, {0}) == 2.0f);
    CHECK(std::isnan(extreme_f32::apply(2.0f, nan_value, {0})));
    CHECK(std::isnan(extreme_f32::apply(2.0f, nan_value, {1})));
    CHECK(extreme_f32::apply(-infinity, infinity, {1}) == -infinity);
}

TEST_CASE("int32 arithmetic wraps, then clamps") {
    const clamp_i32_params all;
    CHECK(add_i32::apply(INT32_MAX, 1, all) == INT32_MIN);
    CHECK(sub_i32::apply(INT32_MIN, 1, all) == INT32_MAX);
    CHECK(mul_i32::apply(65536, 65536, all) == 0);
    CHECK(sub_i32::apply(INT32_MIN, 1, {0, 6}) == 6);
}

TEST_CASE("prelu: negative zero is not negative") {
    CHECK(std::signbit(prelu_f32::apply(-0.0f, 3.0f, {})));
    CHECK(prelu_f32::apply(-2.0f, 3.0f, {}) == -6.0f);
    CHECK(std::isnan(prelu_f32::apply(nan_value, 1.0f, {})));
}

TEST_CASE("inverse_sqrt is near the real one for every size of number") {
    CHECK(inverse_sqrt(0).q31 == INT32_MAX);
    CHECK(inverse_sqrt(1).shift == 0);
    for (std::int64_t x = 2; x <= INT32_MAX; x += 1 + x / 50) {
        const multiplier m = inverse_sqrt(static_cast<std::int32_t>(x));
        const double got = std::ldexp(static_cast<double>(m.q31), m.shift - 31);
        const double wanted = 1.0 / std::sqrt(static_cast<double>(x));
        if (!(std::fabs(got - wanted) <= 2e-3 * wanted)) {
            CAPTURE(x);
            CHECK(got == doctest::Approx(wanted));
        }
    }
    const multiplier most = inverse_sqrt(INT32_MAX);
    CHECK(std::ldexp(static_cast<double>(most.q31), most.shift - 31) ==
          doctest::Approx(2.158e-5).epsilon(0.01));
}
