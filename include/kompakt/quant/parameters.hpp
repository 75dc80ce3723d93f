// One parameter type for every scheme and granularity: global and per tensor (one scale), per
// channel and per group (quant/affine.hpp: granularity).
#pragma once

#include <kompakt/quant/affine.hpp>
#include <kompakt/quant/binary.hpp>
#include <kompakt/quant/codebook.hpp>
#include <kompakt/quant/log2.hpp>
#include <kompakt/quant/qmn.hpp>
#include <kompakt/quant/scheme.hpp>
#include <kompakt/quant/ternary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Integers q of element i stand for, s and z being those of its slice or group:
//
//     affine    s (q - z)            binary    s, -s for q < 0
//     qmn       s q, s = 2^-n        ternary   s q
//     log2      s sign(q) 2^(|q| - 1), s a power of two
//     codebook  s levels[q]
//
// Several tensors that share one object have global parameters.
struct quantizer_parameters {
    kompakt::scheme scheme = kompakt::scheme::affine;
    std::int32_t bits = 8; // 1 to 16; of log2 without the sign
    granularity which;
    span<const float> scales;
    span<const std::int32_t> zero_points; // affine; empty: 0
    span<const float> thresholds;         // ternary
    span<const float> levels;             // codebook

    // What is said above of lengths and bits, for a tensor of `elements`.
    status check(std::size_t elements) const noexcept {
        if (bits < 1 || bits > 16) {
            return fail(errc::bad_argument, name_of(scheme), ": ", bits, " bits, needed 1 to 16");
        }
        std::size_t needed = 0;
        for (std::size_t i = 0; i < elements; ++i) {
            const std::size_t at = which(i) + 1;
            needed = at > needed ? at : needed;
        }
        KOMPAKT_TRY(long_enough("scales", scales.size(), needed));
        if (scheme == kompakt::scheme::affine && !zero_points.empty()) {
            KOMPAKT_TRY(long_enough("zero points", zero_points.size(), needed));
        }
        if (scheme == kompakt::scheme::ternary) {
            KOMPAKT_TRY(long_enough("thresholds", thresholds.size(), needed));
        }
        if (scheme == kompakt::scheme::codebook) {
            KOMPAKT_TRY(long_enough("levels", levels.size(), std::size_t{1} << bits));
        }
        return {};
    }

    template <class Rounding = half_away, class Division = by_division>
    std::int32_t quantize(std::size_t element, float x) const noexcept {
        const std::size_t at = which(element);
        const float s = scales[at];
        switch (scheme) {
        case kompakt::scheme::binary:
            return binary_quantizer::quantize(x);
        case kompakt::scheme::ternary:
            return ternary_quantizer{s, thresholds[at]}.quantize(x);
        case kompakt::scheme::log2:
            return powers().quantize(s > 0.0f ? x / s : 0.0f);
        case kompakt::scheme::codebook:
            return codebook_quantizer{levels}.quantize(s > 0.0f ? x / s : 0.0f);
        case kompakt::scheme::affine:
        case kompakt::scheme::qmn:
            break;
        }
        return affine(at).template quantize<Rounding, Division>(x);
    }
    float dequantize(std::size_t element, std::int32_t q) const noexcept {
        const std::size_t at = which(element);
        const float s = scales[at];
        switch (scheme) {
        case kompakt::scheme::binary:
            return binary_quantizer{s}.dequantize(q);
        case kompakt::scheme::ternary:
            return ternary_quantizer{s, 0.0f}.dequantize(q);
        case kompakt::scheme::log2:
            return s * powers().dequantize(q);
        case kompakt::scheme::codebook:
            return s * codebook_quantizer{levels}.dequantize(q);
        case kompakt::scheme::affine:
        case kompakt::scheme::qmn:
            break;
        }
        return affine(at).dequantize(q);
    }

  private:
    constexpr affine_quantizer affine(std::size_t at) const noexcept {
        const bool shifted = scheme == kompakt::scheme::affine && !zero_points.empty();
        return {scales[at], shifted ? zero_points[at] : 0, signed_range(bits)};
    }
    log2_quantizer powers() const noexcept { return {0, (1 << (bits < 8 ? bits : 7)) - 2}; }
    status long_enough(const char* what, std::size_t given, std::size_t needed) const noexcept {
        if (given >= needed) return {};
        return fail(errc::bad_argument, name_of(scheme), ": ", given, " ", what, ", needed ",
                    needed);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
