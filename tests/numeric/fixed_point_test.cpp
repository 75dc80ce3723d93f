#include <kompakt/numeric/fixed_point.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <vector>

using namespace kompakt;

namespace {

using wide = std::int64_t; // holds every product of two int32 and its rounding

wide floor_div(wide a, wide b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Ties upward, at the one place where the reference rounds a product.
std::int32_t reference_high_mul(std::int32_t a, std::int32_t b) {
    const wide r = floor_div(wide{a} * b + (wide{1} << 30), wide{1} << 31);
    return r > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(r);
}
// Ties away from zero.
std::int32_t reference_divide(std::int32_t x, int exponent) {
    const wide divisor = wide{1} << exponent, magnitude = x < 0 ? -wide{x} : wide{x};
    const wide r = (2 * magnitude + divisor) / (2 * divisor);
    return static_cast<std::int32_t>(x < 0 ? -r : r);
}

std::vector<std::int32_t> interesting() {
    std::vector<std::int32_t> all = {0,
                                     1,
                                     -1,
                                     2,
                                     -2,
                                     3,
                                     -3,
                                     127,
                                     -128,
                                     255,
                                     INT32_MAX,
                                     INT32_MIN,
                                     1 << 30,
                                     -(1 << 30),
                                     INT32_MAX - 1,
                                     INT32_MIN + 1};
    for (int k = 0; k < 31; ++k) {
        for (int d = -1; d <= 1; ++d) {
            all.push_back((1 << k) + d);
            all.push_back(-(1 << k) + d);
            all.push_back(3 * ((1 << k) / 2) + d);
        }
    }
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) all.push_back(static_cast<std::int32_t>(random()));
    return all;
}

} // namespace

TEST_CASE("fixed point: arithmetic wraps, constants saturate") {
    CHECK(wrap_add(INT32_MAX, 1) == INT32_MIN);
    CHECK(wrap_sub(INT32_MIN, 1) == INT32_MAX);
    CHECK(wrap_mul(INT32_MIN, -1) == INT32_MIN);
    CHECK(wrap_shl(3, 31) == INT32_MIN);
    CHECK(wrap_shl(-1, 4) == -16);
    CHECK(saturate_i32(std::int64_t{INT32_MAX} + 1) == INT32_MAX);
    CHECK(saturate_i32(std::int64_t{INT32_MIN} - 1) == INT32_MIN);
    CHECK(saturating_shl(1 << 29, 2) == INT32_MAX);
    CHECK(saturating_shl(-(1 << 29), 2) == INT32_MIN);
    CHECK(saturating_shl(-(1 << 29) - 1, 2) == INT32_MIN);
    CHECK(saturating_shl(-1, 31) == INT32_MIN);
    CHECK(saturating_shl(1, 31) == INT32_MAX);
    CHECK(clamp(5, -1, 3) == 3);
    CHECK(clamp(-5, -1, 3) == -1);
}

TEST_CASE("rounding_doubling_high_mul: against wide integers, ties go up") {
    CHECK(rounding_doubling_high_mul(INT32_MIN, INT32_MIN) == INT32_MAX);
    CHECK(rounding_doubling_high_mul(1, 1 << 30) == 1);   // 1/2
    CHECK(rounding_doubling_high_mul(-1, 1 << 30) == 0);  // -1/2
    CHECK(rounding_doubling_high_mul(3, 1 << 30) == 2);   // 3/2
    CHECK(rounding_doubling_high_mul(-3, 1 << 30) == -1); // -3/2
    for (std::int32_t a : interesting()) {
        for (std::int32_t b : interesting()) {
            if (rounding_doubling_high_mul(a, b) != reference_high_mul(a, b)) {
                CAPTURE(a);
                CAPTURE(b);
                CHECK(rounding_doubling_high_mul(a, b) == reference_high_mul(a, b));
            }
        }
    }
}

TEST_CASE("rounding_divide_by_pot: against wide integers, ties go away from zero") {
    CHECK(rounding_divide_by_pot(5, 1) == 3);
    CHECK(rounding_divide_by_pot(-5, 1) == -3);
    CHECK(rounding_divide_by_pot(-6, 2) == -2);
    for (std::int32_t x : interesting()) {
        for (int e = 0; e <= 31; ++e) {
            if (rounding_divide_by_pot(x, e) != reference_divide(x, e)) {
                CAPTURE(x);
                CAPTURE(e);
                CHECK(rounding_divide_by_pot(x, e) == reference_divide(x, e));
            }
        }
    }
}

TEST_CASE("requantize: double and single rounding against wide integers, and they differ") {
    std::mt19937 random(2);
    int differ = 0, total = 0;
    for (std::int32_t x : interesting()) {
        for (int shift = min_multiplier_shift; shift <= max_multiplier_shift; ++shift) {
            const auto q31 = static_cast<std::int32_t>((1u << 30) + random() % (1u << 30));
            const int left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;
            const std::int32_t twice = reference_divide(
                reference_high_mul(static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << left),
                                   q31),
                right);
            const wide half = wide{1} << (30 - shift);
            wide once = floor_div(wide{x} * q31 + half, wide{1} << (31 - shift));
            once = once > INT32_MAX ? INT32_MAX : once < INT32_MIN ? INT32_MIN : once;
            const multiplier m{q31, shift};
            CAPTURE(x);
            CAPTURE(q31);
            CAPTURE(shift);
            if (requantize(x, m) != twice) CHECK(requantize(x, m) == twice);
            const std::int32_t single = requantize<single_rounding>(x, m);
            if (single != static_cast<std::int32_t>(once))
                CHECK(single == static_cast<std::int32_t>(once));
            if (shift <= 0) {
                ++total;
                differ += requantize(x, m) != single;
                CHECK(std::int64_t{requantize(x, m)} - single <= 1);
                CHECK(std::int64_t{requantize(x, m)} - single >= -1);
            }
        }
    }
    CHECK(differ > 0);
    CHECK(differ < total / 4);
    // An exact tie after scaling by a half: away from zero twice, upward once.
    CHECK(requantize(-1, 1 << 30, 0) == 0);
    CHECK(requantize(-3, 1 << 30, -1) == -1);
    CHECK(requantize<single_rounding>(-2, 1 << 30, -1) == 0);
    CHECK(requantize(-2, 1 << 30, -1) == -1);
}

TEST_CASE("fixed point: sums of 64 bits are scaled once, by 15 bits of the multiplier") {
    // Multipliers are cut half up and never reach 2^15.
    CHECK(narrow_multiplier(0) == 0);
    CHECK(narrow_multiplier(0x7fff) == 0);
    CHECK(narrow_multiplier(0x8000) == 1);
    CHECK(narrow_multiplier(1 << 30) == 1 << 14);
    CHECK(narrow_multiplier((1 << 30) + 0x8000) == (1 << 14) + 1);
    CHECK(narrow_multiplier(0x7ffeffff) == 0x7fff);
    CHECK(narrow_multiplier(0x7fff0000) == 0x7fff);
    CHECK(narrow_multiplier(INT32_MAX) == 0x7fff);

    std::mt19937_64 random(3);
    const wide most = wide{1} << 47; // the product with 15 bits fits 62
    std::vector<wide> sums = {0, 1, -1, most - 1, -most};
    for (int k = 0; k < 47; ++k) sums.insert(sums.end(), {wide{1} << k, -(wide{1} << k)});
    for (int k = 0; k < 200; ++k) sums.push_back(static_cast<wide>(random() % (2 * most)) - most);
    for (const std::int32_t q15 : {0, 1, 16384, 16385, 20011, 32767}) {
        for (int shift = min_multiplier_shift; shift <= max_wide_shift; ++shift) {
            const wide divisor = wide{1} << (15 - shift);
            for (const wide x : sums) {
                const wide exact = floor_div(x * q15 + divisor / 2, divisor);
                const auto wrapped =
                    static_cast<std::int32_t>(static_cast<std::uint32_t>(exact & 0xffffffff));
                CHECK(requantize_wide(x, q15, shift) == wrapped);
            }
        }
    }
    // Ties go up, of both signs.
    CHECK(requantize_wide(1, 16384, 0) == 1);
    CHECK(requantize_wide(-1, 16384, 0) == 0);
    CHECK(requantize_wide(-3, 16384, 0) == -1);
    // What no model of sensible scales has is defined all the same.
    static_cast<void>(requantize_wide(INT64_MAX, 32767, 14));
    CHECK(wrap_add_wide(INT64_MAX, 1) == INT64_MIN);
}
