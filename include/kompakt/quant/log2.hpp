// Logarithmic quantizers: every number is a power of two or 0, so that products are shifts.
//
//     nearest exponent   Miyashita et al., "Convolutional Neural Networks using Logarithmic Data
//                        Representation", 2016: decided at 2^(k + 1/2)
//     nearest value      Zhou et al., "Incremental Network Quantization", 2017: decided at 1.5 2^k
//     levels of APoT     Li et al., "Additive Powers-of-Two Quantization", 2020
#pragma once

#include <kompakt/numeric/float_math.hpp>
#include <kompakt/quant/statistics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {
// |x| = mantissa * 2^exponent, mantissa of 24 bits with the highest set; x finite, not 0.
struct binary_parts {
    std::uint32_t mantissa;
    std::int32_t exponent;
};
inline binary_parts binary_parts_of(float x) noexcept {
    const std::uint32_t bits = float_bits(x) & 0x7fffffffu;
    binary_parts p{bits & 0x7fffffu, static_cast<std::int32_t>(bits >> 23) - 150};
    if (bits >> 23 != 0) {
        p.mantissa |= 0x800000u;
    } else {
        for (++p.exponent; p.mantissa < 0x800000u; --p.exponent) p.mantissa <<= 1;
    }
    return p;
}
} // namespace detail

// floor(log2 |x|), x finite and not 0. Exact.
inline std::int32_t floor_log2(float x) noexcept {
    return detail::binary_parts_of(x).exponent + 23;
}

// Where, between 2^k and 2^(k + 1), a magnitude begins to belong to the upper one. Both are exact:
// 2^(k + 1/2) is no float, so it decides no tie; a tie of values goes up.
struct nearest_exponent {
    static constexpr bool up(std::uint32_t mantissa) noexcept {
        return std::uint64_t{mantissa} * mantissa > std::uint64_t{1} << 47;
    }
    // Below the lowest exponent: 0 from the same decision.
    static constexpr bool is_zero(std::int32_t exponent, std::int32_t,
                                  std::int32_t lowest) noexcept {
        return exponent < lowest;
    }
};
struct nearest_value {
    static constexpr bool up(std::uint32_t mantissa) noexcept { return mantissa >= 0xc00000u; }
    // Down to half of the lowest value.
    static constexpr bool is_zero(std::int32_t, std::int32_t floor, std::int32_t lowest) noexcept {
        return floor < lowest - 1;
    }
};

// A power of two and its sign; sign 0 is the number 0.
struct signed_power {
    std::int32_t sign = 0, exponent = 0;
};

// Exponents lowest … highest. A stored integer is 0, or the exponent's place from 1 on, negative
// for negative numbers: `bits` of magnitude and a sign.
struct log2_quantizer {
    std::int32_t lowest = -7, highest = 0;

    template <class Decision = nearest_exponent>
    signed_power split(float x) const noexcept {
        if (!(magnitude_of(x) > 0.0f)) return {0, lowest - 1}; // NaN too
        const std::int32_t sign = x < 0.0f ? -1 : 1;
        if (!(magnitude_of(x) < std::numeric_limits<float>::infinity())) return {sign, highest};
        const detail::binary_parts p = detail::binary_parts_of(x);
        const std::int32_t floor = p.exponent + 23;
        const std::int32_t e = floor + (Decision::up(p.mantissa) ? 1 : 0);
        if (Decision::is_zero(e, floor, lowest)) return {0, lowest - 1};
        return {sign, e > highest ? highest : e < lowest ? lowest : e};
    }
    template <class Decision = nearest_exponent>
    std::int32_t quantize(float x) const noexcept {
        const signed_power p = split<Decision>(x);
        return p.sign * (p.exponent - lowest + 1);
    }
    // q within -(highest - lowest + 1) … highest - lowest + 1
    float dequantize(std::int32_t q) const noexcept {
        if (q == 0) return 0.0f;
        const float x = power((q < 0 ? -q : q) + lowest - 1);
        return q < 0 ? -x : x;
    }

  private:
    // 2^e, subnormal numbers included.
    static float power(std::int32_t e) noexcept {
        if (e < -149) return 0.0f;
        if (e > 127) return std::numeric_limits<float>::infinity();
        return float_of_bits(e >= -126 ? static_cast<std::uint32_t>(e + 127) << 23
                                       : std::uint32_t{1} << (e + 149));
    }
};

// 2^bits - 1 exponents below the full-scale range, floor(log2 max |x|) + 1. Without any number but
// 0 the range is 0. `bits` is 1 … 7, the sign not counted.
inline result<log2_quantizer> fit_log2(span<const float> values, int bits) noexcept {
    if (bits < 1 || bits > 7) {
        return fail(errc::bad_argument, "log2: ", bits, " bits, needed 1 to 7");
    }
    KOMPAKT_TRY(expect_finite(values).within("log2: "));
    const float most = largest_magnitude(values);
    const std::int32_t range = most > 0.0f ? floor_log2(most) + 1 : 0;
    return log2_quantizer{range - (1 << bits) + 1, range - 1};
}

// The exponents of incremental network quantization: highest = floor(log2(4/3 max |x|)),
// 2^(bits - 2) of them; `bits` is 2 … 8, the sign counted. Use with nearest_value.
inline result<log2_quantizer> fit_power_of_two(span<const float> values, int bits) noexcept {
    if (bits < 2 || bits > 8) {
        return fail(errc::bad_argument, "power of two: ", bits, " bits, needed 2 to 8");
    }
    KOMPAKT_TRY(expect_finite(values).within("power of two: "));
    const float most = largest_magnitude(values);
    std::int32_t highest = 0;
    if (most > 0.0f) {
        const detail::binary_parts p = detail::binary_parts_of(most);
        highest = p.exponent + 23 + (nearest_value::up(p.mantissa) ? 1 : 0);
    }
    return log2_quantizer{highest + 1 - (1 << (bits - 2)), highest};
}

// The levels of additive powers of two, ascending, 0 to 1: sums of bits / term_bits terms, of which
// term i is 0 or 2^-(i + j n). `out` holds 2^bits levels; bits is a multiple of term_bits, at
// most 8.
inline status apot_levels(int bits, int term_bits, span<float> out) noexcept {
    if (term_bits < 1 || bits < term_bits || bits > 8 || bits % term_bits != 0) {
        return fail(errc::bad_argument, "APoT: ", bits, " bits in terms of ", term_bits,
                    ", needed a multiple up to 8");
    }
    const std::uint32_t count = 1u << bits, mask = (1u << term_bits) - 1;
    if (out.size() != count) {
        return fail(errc::bad_argument, "APoT: room for ", out.size(), " levels, needed ", count);
    }
    const std::int32_t terms = bits / term_bits;
    float most = 0.0f;
    for (std::uint32_t code = 0; code < count; ++code) {
        float sum = 0.0f;
        for (std::int32_t i = 0; i < terms; ++i) {
            const std::uint32_t place = code >> (i * term_bits) & mask;
            if (place == 0) continue;
            const std::int32_t e = i + (static_cast<std::int32_t>(place) - 1) * terms;
            // Eight bits in one term reach 2^-254, which float32 does not hold: 0.
            sum += e < 127 ? float_of_bits(static_cast<std::uint32_t>(127 - e) << 23) : 0.0f;
        }
        // Insertion into what is sorted so far.
        std::uint32_t at = code;
        for (; at > 0 && out[at - 1] > sum; --at) out[at] = out[at - 1];
        out[at] = sum;
        if (sum > most) most = sum;
    }
    for (float& x : out) x /= most;
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
