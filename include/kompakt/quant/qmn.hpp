// Qm.n: integers of `bits` bits that stand for q * 2^-fraction, with saturating arithmetic.
//
//     using q15 = qmn<std::int16_t, 15>;
//     const q15 half = q15::of(0.5f), quarter = half * half;
//
// Source: the convention of CMSIS-NN's q7 and q15 kernels: m + n + 1 = bits.
#pragma once

#include <kompakt/numeric/fixed_point.hpp>
#include <kompakt/quant/log2.hpp>
#include <kompakt/quant/rounding.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct qmn_quantizer {
    std::int32_t bits = 8;     // 2 … 16
    std::int32_t fraction = 7; // -63 … 63; may be beyond `bits`, and negative

    constexpr float scale() const noexcept {
        float s = 1.0f;
        for (std::int32_t i = 0; i < fraction; ++i) s *= 0.5f;
        for (std::int32_t i = 0; i > fraction; --i) s *= 2.0f;
        return s;
    }
    template <class Rounding = half_away>
    constexpr std::int32_t quantize(float x) const noexcept {
        const std::int32_t top = std::int32_t{1} << (bits - 1);
        return clamp(Rounding::apply(x / scale()), -top, top - 1);
    }
    constexpr float dequantize(std::int32_t q) const noexcept {
        return static_cast<float>(q) * scale();
    }
};

// The most fraction bits with which max |x| is not beyond -2^m: bits - 1 - ceil(log2 max |x|). A
// power of two itself saturates by one step where it is positive. Zeros only: all bits but the
// sign.
inline result<qmn_quantizer> fit_qmn(span<const float> values, int bits) noexcept {
    if (bits < 2 || bits > 16) {
        return fail(errc::bad_argument, "Qm.n: ", bits, " bits, needed 2 to 16");
    }
    KOMPAKT_TRY(expect_finite(values).within("Qm.n: "));
    const float most = largest_magnitude(values);
    std::int32_t whole = 0;
    if (most > 0.0f) {
        const detail::binary_parts p = detail::binary_parts_of(most);
        whole = p.exponent + 23 + (p.mantissa != 0x800000u ? 1 : 0);
    }
    return qmn_quantizer{bits, clamp(bits - 1 - whole, -63, 63)};
}

// The fraction, of those from fit_qmn's to `more` bits finer, whose squared error is least; of
// equal ones the coarser. Outliers saturate where that costs less than coarse steps.
inline result<qmn_quantizer> fit_qmn_by_error(span<const float> values, int bits,
                                              int more = 4) noexcept {
    const auto first = fit_qmn(values, bits);
    if (!first.ok()) return first.error();
    qmn_quantizer best = *first;
    float least = std::numeric_limits<float>::infinity();
    for (std::int32_t k = 0; k <= more && first->fraction + k <= 63; ++k) {
        const qmn_quantizer q{bits, first->fraction + k};
        // In units of the coarsest step, so that squares neither overflow nor vanish.
        const float unit = first->scale();
        compensated_sum sum;
        for (const float x : values) {
            const float e = (x - q.dequantize(q.quantize(x))) / unit;
            sum.add(e * e);
        }
        if (sum.value < least) {
            least = sum.value;
            best = q;
        }
    }
    return best;
}

// Fixed-point numbers of one format, known when compiled. Int is int8_t or int16_t.
template <class Int, int Fraction>
struct qmn {
    static_assert(sizeof(Int) <= 2 && Fraction >= 0 && Fraction < int{8 * sizeof(Int)},
                  "qmn: int8 or int16, 0 to bits - 1 fraction bits");
    static constexpr qmn_quantizer format{8 * sizeof(Int), Fraction};
    Int raw = 0;

    template <class Rounding = half_away>
    static constexpr qmn of(float x) noexcept {
        return {static_cast<Int>(format.quantize<Rounding>(x))};
    }
    constexpr float value() const noexcept { return format.dequantize(raw); }

    friend constexpr qmn operator+(qmn a, qmn b) noexcept { return saturated(a.raw + b.raw); }
    friend constexpr qmn operator-(qmn a, qmn b) noexcept { return saturated(a.raw - b.raw); }
    friend constexpr qmn operator-(qmn a) noexcept { return saturated(-a.raw); }
    // Half away from zero, once.
    friend constexpr qmn operator*(qmn a, qmn b) noexcept {
        return saturated(rounding_divide_by_pot(std::int32_t{a.raw} * b.raw, Fraction));
    }
    friend constexpr bool operator==(qmn a, qmn b) noexcept { return a.raw == b.raw; }
    friend constexpr bool operator!=(qmn a, qmn b) noexcept { return a.raw != b.raw; }
    friend constexpr bool operator<(qmn a, qmn b) noexcept { return a.raw < b.raw; }

    static constexpr qmn saturated(std::int32_t x) noexcept {
        constexpr std::int32_t top = std::int32_t{1} << (8 * sizeof(Int) - 1);
        return {static_cast<Int>(clamp(x, -top, top - 1))};
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
