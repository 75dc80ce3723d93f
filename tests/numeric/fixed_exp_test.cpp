#include <kompakt/numeric/fixed_exp.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>

using namespace kompakt;

namespace {

double real(std::int32_t raw, int integer_bits) {
    return std::ldexp(raw, integer_bits - 31);
}

template <int IntegerBits>
double worst_exp(std::int64_t step) {
    double worst = 0;
    for (std::int64_t x = 0; x >= INT32_MIN; x -= step) {
        const auto raw = static_cast<std::int32_t>(x);
        const double error = std::fabs(real(exp_of_negative<IntegerBits>(raw), 0) -
                                       std::exp(real(raw, IntegerBits)));
        worst = error > worst ? error : worst;
    }
    return worst;
}

// Values of the functions that define int8 softmax and logistic, made with gemmlowp.
static_assert(exp_of_negative<5>(0) == INT32_MAX);
static_assert(fixed_logistic<4>(0) == 1 << 30);
static_assert(one_over_one_plus(0) == INT32_MAX);

} // namespace

TEST_CASE("exp_of_negative: close to the exponential over its whole range") {
    CHECK(worst_exp<5>(9973) < 3e-7);
    CHECK(worst_exp<4>(9973) < 3e-7);
    CHECK(worst_exp<2>(9973) < 3e-7);
    CHECK(worst_exp<0>(9973) < 3e-7);
}

TEST_CASE("exp_of_negative: ends, steps between quarters") {
    CHECK(exp_of_negative<5>(INT32_MIN) == 0);
    CHECK(exp_of_negative<5>(-1) > (1 << 30));
    for (std::int32_t quarter = 1; quarter < 128; ++quarter) {
        const std::int32_t x = -quarter * (1 << 24);
        // On both sides of a multiple of 1/4 the function goes on with hardly a jump.
        const double below = real(exp_of_negative<5>(x - 1), 0),
                     at = real(exp_of_negative<5>(x), 0);
        CHECK(std::fabs(below - at) < 5e-7);
        CHECK(std::fabs(at - std::exp(-quarter / 4.0)) < 3e-7);
    }
}

TEST_CASE("one_over_one_plus and reciprocal: close to the quotient") {
    for (std::int64_t x = 0; x <= INT32_MAX; x += 9973) {
        const double error = std::fabs(real(one_over_one_plus(static_cast<std::int32_t>(x)), 0) -
                                       1 / (1 + real(static_cast<std::int32_t>(x), 0)));
        if (!(error < 4e-9)) CHECK(error < 4e-9);
    }
    for (std::int64_t x = 1; x <= INT32_MAX; x = x * 5 / 4 + 1) {
        const auto r = reciprocal<12>(static_cast<std::int32_t>(x));
        const double value = std::ldexp(real(r.mantissa, 0), -r.exponent);
        const double expected = 1 / real(static_cast<std::int32_t>(x), 12);
        CHECK(std::fabs(value / expected - 1) < 5e-9);
    }
    CHECK(reciprocal<12>(1 << 19).exponent == 0);
    CHECK(reciprocal<12>(1 << 19).mantissa == INT32_MAX);
    CHECK(reciprocal<12>((1 << 19) - 1).exponent == -1);
    CHECK(reciprocal<12>(1 << 28).exponent == 9);
}

TEST_CASE("fixed_logistic: symmetric, monotonic enough, close to the function") {
    for (std::int64_t x = INT32_MIN; x <= INT32_MAX; x += 9973) {
        const auto raw = static_cast<std::int32_t>(x);
        const double error =
            std::fabs(real(fixed_logistic<4>(raw), 0) - 1 / (1 + std::exp(-real(raw, 4))));
        if (!(error < 3e-7)) CHECK(error < 3e-7);
        if (raw > 0) {
            const bool mirrored = fixed_logistic<4>(raw) == INT32_MAX - fixed_logistic<4>(-raw);
            if (!mirrored) CHECK(mirrored);
        }
    }
}

TEST_CASE("fixed_tanh: odd, close to the function") {
    for (std::int64_t x = INT32_MIN + 1; x <= INT32_MAX; x += 9973) {
        const auto raw = static_cast<std::int32_t>(x);
        const double error = std::fabs(real(fixed_tanh<4>(raw), 0) - std::tanh(real(raw, 4)));
        if (!(error < 5e-7)) CHECK(error < 5e-7);
        const bool odd = fixed_tanh<4>(-raw) == -fixed_tanh<4>(raw);
        if (!odd) CHECK(odd);
    }
    CHECK(fixed_tanh<4>(INT32_MIN) < -(INT32_MAX - 100));
}

TEST_CASE("fixed_log: close to the logarithm") {
    for (std::int64_t x = 1 << 19; x <= INT32_MAX; x += 9973) {
        const auto raw = static_cast<std::int32_t>(x);
        const double error = std::fabs(real(fixed_log<5, 12>(raw), 5) - std::log(real(raw, 12)));
        if (!(error < 4e-6)) CHECK(error < 4e-6);
    }
}

TEST_CASE("inverse_sqrt: close to the function for every size of number") {
    for (std::int64_t x = 1; x <= INT32_MAX; x = x * 9 / 8 + 1) {
        const multiplier m = inverse_sqrt(static_cast<std::int32_t>(x));
        const double y = std::ldexp(m.q31, m.shift - 31);
        const double error = std::fabs(y * std::sqrt(static_cast<double>(x)) - 1);
        CHECK(error < 3e-6);
    }
}

// All int8 inputs, at the scales of real models: within half a step of the output and what the
// fixed point adds.
TEST_CASE("exp and logistic of every int8 input") {
    for (const double scale : {1.0 / 1024, 1.0 / 64, 1.0 / 16, 0.1171875}) {
        for (int q = -128; q <= 127; ++q) {
            const double x = q * scale;
            const auto q4 = static_cast<std::int32_t>(std::llround(x * (1 << 27)));
            const double y = real(fixed_logistic<4>(q4), 0);
            CHECK(std::fabs(y - 1 / (1 + std::exp(-x))) < 3e-7);
            if (q > 0) continue;
            const auto q5 = static_cast<std::int32_t>(std::llround(x * (1 << 26)));
            CHECK(std::fabs(real(exp_of_negative<5>(q5), 0) - std::exp(x)) < 3e-7);
        }
    }
}
