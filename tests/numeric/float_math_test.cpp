#include <kompakt/numeric/float_math.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>

using namespace kompakt;

namespace {

// The worst error in units in the last place over all of float32, in steps of `step` bit patterns;
// results must be infinite, zero or not a number exactly where the double function rounds to that.
template <class F, class G>
double worst_ulp(F&& mine, G&& exact, std::uint32_t step = 997) {
    double worst = 0;
    int wrong = 0;
    for (std::uint32_t i = 0; i < 0x7f800000u + step; i += step) {
        if (i > 0x7f800000u) i = 0x7f800000u; // infinity is the last
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const float x = float_of_bits(i | sign);
            const double e = exact(static_cast<double>(x));
            const float y = mine(x), rounded = static_cast<float>(e);
            if (std::isnan(e) || std::isinf(rounded) || rounded == 0.0f) {
                // At the ends the last number that float32 has is right, too.
                const bool same = std::isnan(e)     ? std::isnan(y)
                                  : rounded == 0.0f ? std::fabs(y) < 3e-45f
                                                    : y == rounded || std::fabs(y) > 3.4e38f;
                if (!same && wrong++ < 5) MESSAGE(x, " gives ", y, ", expected ", e);
                continue;
            }
            const float up = std::nextafter(std::fabs(rounded), INFINITY);
            const double ulp =
                std::isinf(up) ? std::ldexp(1.0, 104)
                               : static_cast<double>(up) - static_cast<double>(std::fabs(rounded));
            const double error = std::fabs(static_cast<double>(y) - e) / ulp;
            worst = error <= worst ? worst : error; // takes NaN, too
        }
    }
    CHECK(wrong == 0);
    MESSAGE("worst error: ", worst, " ulp");
    return worst;
}

bool same_bits(float a, float b) {
    return float_bits(a) == float_bits(b);
}

} // namespace

TEST_CASE("float functions stay within their stated errors over all of float32") {
    SUBCASE("exp") {
        CHECK(worst_ulp(exp_f32, [](double x) { return std::exp(x); }) <= 2);
    }
    SUBCASE("expm1") {
        CHECK(worst_ulp(expm1_f32, [](double x) { return std::expm1(x); }) <= 2);
    }
    SUBCASE("log") {
        CHECK(worst_ulp(log_f32, [](double x) { return std::log(x); }) <= 1);
    }
    SUBCASE("sqrt") {
        CHECK(worst_ulp(sqrt_f32, [](double x) { return std::sqrt(x); }) <= 0.5);
    }
    SUBCASE("sin") {
        CHECK(worst_ulp(sin_f32, [](double x) { return std::sin(x); }) <= 3);
    }
    SUBCASE("cos") {
        CHECK(worst_ulp(cos_f32, [](double x) { return std::cos(x); }) <= 3);
    }
    SUBCASE("tanh") {
        CHECK(worst_ulp(tanh_f32, [](double x) { return std::tanh(x); }) <= 3);
    }
    SUBCASE("erfc") {
        CHECK(worst_ulp(erfc_f32, [](double x) { return std::erfc(x); }) <= 8);
    }
    SUBCASE("sigmoid") {
        CHECK(worst_ulp(sigmoid_f32, [](double x) { return 1 / (1 + std::exp(-x)); }) <= 3);
    }
}

TEST_CASE("sine and cosine at multiples of a right angle, where most digits cancel") {
    double worst = 0;
    for (int k = 1; k < 200000; ++k) {
        const float x = static_cast<float>(k * 1.5707963267948966);
        for (const float v : {x, std::nextafter(x, 0.0f), -x}) {
            const double s = std::sin(static_cast<double>(v)), c = std::cos(static_cast<double>(v));
            worst = (std::max)(worst, std::fabs(static_cast<double>(sin_f32(v)) / s - 1));
            worst = (std::max)(worst, std::fabs(static_cast<double>(cos_f32(v)) / c - 1));
        }
    }
    CHECK(worst < 3e-7);
    // The float32 number that is nearest to a multiple of a right angle.
    const float near = std::ldexp(16367173.0f, 72);
    CHECK(std::fabs(static_cast<double>(cos_f32(near)) / -1.6147697982476e-9 - 1) < 3e-7);
}

TEST_CASE("rounding functions are those of the standard library, signs of zero included") {
    int wrong = 0;
    for (std::uint32_t i = 0; i < 0x7f900000u; i += 331) {
        for (const std::uint32_t sign : {0u, 0x80000000u}) {
            const float x = float_of_bits(i | sign);
            if (std::isnan(x)) {
                wrong += !std::isnan(floor_f32(x)) || !std::isnan(ceil_f32(x)) ||
                         !std::isnan(round_half_even_f32(x));
                continue;
            }
            wrong += !same_bits(floor_f32(x), std::floor(x));
            wrong += !same_bits(ceil_f32(x), std::ceil(x));
            wrong += round_half_even_f32(x) != std::nearbyint(x);
        }
    }
    CHECK(wrong == 0);
    for (int i = -4000; i <= 4000; ++i) {
        const float x = static_cast<float>(i) / 8.0f;
        CHECK(same_bits(floor_f32(x), std::floor(x)));
        CHECK(same_bits(ceil_f32(x), std::ceil(x)));
        CHECK(round_half_even_f32(x) == std::nearbyint(x));
    }
    CHECK(same_bits(floor_f32(-0.0f), -0.0f));
    CHECK(same_bits(ceil_f32(-0.5f), -0.0f));
    CHECK(same_bits(round_half_even_f32(-0.0f), -0.0f));
    CHECK(same_bits(round_half_even_f32(-0.3f), 0.0f));
    CHECK(round_half_even_f32(0.5f) == 0.0f);
    CHECK(round_half_even_f32(1.5f) == 2.0f);
    CHECK(round_half_even_f32(-2.5f) == -2.0f);
    CHECK(round_half_even_f32(8388609.0f) == 8388609.0f);
    CHECK(std::isinf(round_half_even_f32(-INFINITY)));
}

TEST_CASE("float functions at the ends") {
    CHECK(exp_f32(0.0f) == 1.0f);
    CHECK(std::isinf(exp_f32(INFINITY)));
    CHECK(exp_f32(-INFINITY) == 0.0f);
    CHECK(exp_f32(-200.0f) == 0.0f);
    CHECK(std::isnan(exp_f32(NAN)));
    CHECK(same_bits(log_f32(0.0f), -INFINITY));
    CHECK(same_bits(log_f32(-0.0f), -INFINITY));
    CHECK(log_f32(1.0f) == 0.0f);
    CHECK(std::isnan(log_f32(-1.0f)));
    CHECK(std::isnan(log_f32(NAN)));
    CHECK(same_bits(sqrt_f32(-0.0f), -0.0f));
    CHECK(std::isinf(sqrt_f32(INFINITY)));
    CHECK(std::isnan(sqrt_f32(-1e-45f)));
    CHECK(same_bits(tanh_f32(-0.0f), -0.0f));
    CHECK(tanh_f32(INFINITY) == 1.0f);
    CHECK(std::isnan(tanh_f32(NAN)));
    CHECK(std::isnan(sin_f32(INFINITY)));
    CHECK(std::isnan(cos_f32(NAN)));
    CHECK(same_bits(sin_f32(-0.0f), -0.0f));
    CHECK(cos_f32(0.0f) == 1.0f);
    CHECK(erfc_f32(-INFINITY) == 2.0f);
    CHECK(erfc_f32(INFINITY) == 0.0f);
    CHECK(same_bits(abs_f32(-NAN), NAN));
}

// All squares of 24-bit numbers and their neighbours round right: the hardest cases.
TEST_CASE("sqrt_f32 equals the correctly rounded root") {
    int wrong = 0;
    for (std::uint32_t i = 0; i < 0x7f800000u; i += 97) {
        const float x = float_of_bits(i);
        wrong += !same_bits(sqrt_f32(x), std::sqrt(x));
    }
    for (std::uint32_t i = 0x3f800000u; i < 0x40800000u; i += 3) {
        const float x = float_of_bits(i);
        wrong += !same_bits(sqrt_f32(x), std::sqrt(x));
    }
    CHECK(wrong == 0);
}
