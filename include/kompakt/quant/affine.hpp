// Affine quantizers: real value = scale * (q - zero_point), q an integer of 1 to 16 bits.
//
//     const auto a = asymmetric_affine(-1.0f, 3.0f, signed_range(8));
//     const std::int32_t q = a.quantize(0.7f);
//
// Sources: Jacob et al., CVPR 2018, equation 1; TensorFlow Lite 8-bit quantization specification;
// PyTorch 1.13, torch/ao/quantization/observer.py.
#pragma once

#include <kompakt/core/dtype.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/quant/rounding.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct integer_range {
    std::int32_t qmin, qmax;
};
// -2^(bits-1) ... 2^(bits-1) - 1; a restricted range is symmetric: it lacks the lowest number.
constexpr integer_range signed_range(int bits, bool restricted = false) noexcept {
    const std::int32_t half = std::int32_t{1} << (bits - 1);
    return {restricted ? 1 - half : -half, half - 1};
}
constexpr integer_range unsigned_range(int bits) noexcept {
    return {0, (std::int32_t{1} << bits) - 1};
}

// The numbers of an integer type; of wider ones and floats those of int32.
constexpr integer_range range_of_type(dtype type) noexcept {
    switch (type) {
    case dtype::i4:
        return signed_range(4);
    case dtype::i8:
        return signed_range(8);
    case dtype::u8:
        return unsigned_range(8);
    case dtype::i16:
        return signed_range(16);
    case dtype::u16:
        return unsigned_range(16);
    default:
        return {INT32_MIN, INT32_MAX};
    }
}

// How x / scale is computed: the two can differ in the last place, which flips exact ties.
struct by_division {
    static constexpr float apply(float x, float scale) noexcept { return x / scale; }
};
struct by_reciprocal { // PyTorch's
    static constexpr float apply(float x, float scale) noexcept { return x * (1.0f / scale); }
};

struct affine_quantizer {
    float scale = 1.0f;
    std::int32_t zero_point = 0;
    integer_range range = {-128, 127};

    template <class Rounding = half_away, class Division = by_division>
    constexpr std::int32_t quantize(float x) const noexcept {
        const std::int32_t q = Rounding::apply(Division::apply(x, scale)) + zero_point;
        return q < range.qmin ? range.qmin : q > range.qmax ? range.qmax : q;
    }
    template <class Division = by_division>
    constexpr std::int32_t quantize(float x, const stochastic& rounding,
                                    std::uint64_t element) const noexcept {
        const std::int32_t q = rounding.apply(Division::apply(x, scale), element) + zero_point;
        return q < range.qmin ? range.qmin : q > range.qmax ? range.qmax : q;
    }
    constexpr float dequantize(std::int32_t q) const noexcept {
        return scale * static_cast<float>(q - zero_point);
    }
};

// What libraries do differently when they turn a range into scale and zero point.
struct tflite_rule {
    // So small that products of two scales are still normal floats.
    static constexpr float smallest_scale = 0x1p-60f;
    static constexpr float symmetric_divisor(const integer_range& r) noexcept {
        return static_cast<float>(r.qmax);
    }
    static constexpr std::int32_t symmetric_zero_point(const integer_range&) noexcept { return 0; }
    static constexpr std::int32_t zero_point(float min_steps, std::int32_t qmin) noexcept {
        return half_away::apply(static_cast<float>(qmin) - min_steps);
    }
};
struct torch_rule {
    static constexpr float smallest_scale = 0x1p-23f;
    static constexpr float symmetric_divisor(const integer_range& r) noexcept {
        return static_cast<float>(r.qmax - r.qmin) / 2.0f;
    }
    static constexpr std::int32_t symmetric_zero_point(const integer_range& r) noexcept {
        if (r.qmin < 0) return 0;
        return r.qmax == 255 ? 128 : (r.qmin + r.qmax) / 2;
    }
    static constexpr std::int32_t zero_point(float min_steps, std::int32_t qmin) noexcept {
        return qmin - half_even::apply(min_steps);
    }
};

// [min, max], widened to hold 0, over all integers of the range. The zero point is rounded, so that
// 0 is exact and the ends are off by up to half a step ("nudged").
template <class Rule = tflite_rule>
constexpr affine_quantizer asymmetric_affine(float min, float max, integer_range r,
                                             float smallest_scale = Rule::smallest_scale) noexcept {
    const float lo = min < 0.0f ? min : 0.0f, hi = max > 0.0f ? max : 0.0f;
    const float steps = static_cast<float>(r.qmax - r.qmin);
    float scale = (hi - lo) / steps;
    // The difference of two large floats may overflow; their quotients do not.
    if (!(scale < 0x1p127f)) scale = hi / steps - lo / steps;
    if (!(scale > smallest_scale)) scale = smallest_scale;
    std::int32_t z = Rule::zero_point(lo / scale, r.qmin);
    z = z < r.qmin ? r.qmin : z > r.qmax ? r.qmax : z;
    return {scale, z, r};
}

// The larger magnitude of the two ends on both sides, 0 in the middle.
template <class Rule = tflite_rule>
constexpr affine_quantizer symmetric_affine(float min, float max, integer_range r,
                                            float smallest_scale = Rule::smallest_scale) noexcept {
    const float lo = min < 0.0f ? -min : 0.0f, hi = max > 0.0f ? max : 0.0f;
    float scale = (lo > hi ? lo : hi) / Rule::symmetric_divisor(r);
    if (!(scale > smallest_scale)) scale = smallest_scale;
    return {scale, Rule::symmetric_zero_point(r), r};
}

// Which of a tensor's quantizers element i (row-major) belongs to: the tensor's, one per slice
// along an axis, or one per run of `group` elements along it (the last run may be short).
struct granularity {
    std::size_t extent = 1; // of the axis; 1: one quantizer for the tensor
    std::size_t inner = 1;  // elements from one along the axis to the next
    std::size_t group = 0;  // 0: slices

    constexpr std::size_t operator()(std::size_t i) const noexcept {
        const std::size_t position = i / inner % extent;
        if (group == 0) return position;
        const std::size_t runs = (extent + group - 1) / group;
        return (i / inner / extent * runs + position / group) * inner + i % inner;
    }
};

// `out` is as long as `in`.
template <class Rounding = half_away, class Division = by_division, class T>
constexpr void quantize_values(span<const float> in, const affine_quantizer& a,
                               span<T> out) noexcept {
    KOMPAKT_ASSERT(in.size() == out.size(), "quantize_values: lengths differ");
    for (std::size_t i = 0; i < in.size(); ++i) {
        out[i] = static_cast<T>(a.quantize<Rounding, Division>(in[i]));
    }
}
template <class T>
constexpr void dequantize_values(span<const T> in, const affine_quantizer& a,
                                 span<float> out) noexcept {
    KOMPAKT_ASSERT(in.size() == out.size(), "dequantize_values: lengths differ");
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = a.dequantize(in[i]);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
