// hard_swish: x * min(max(x + 3, 0), 6) / 6, elementwise. int8 by a table.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

namespace detail {

// 16-bit fixed point, as TensorFlow Lite defines int8 HARD_SWISH by it.
struct multiplier_16 {
    std::int32_t q15 = 0;
    int exponent = 0;

    explicit multiplier_16(float value) {
        const multiplier m = quantize_multiplier(static_cast<double>(value));
        q15 = m.q31 >= INT32_MAX - (1 << 15) ? INT16_MAX : (m.q31 + (1 << 15)) >> 16;
        exponent = m.shift;
    }
};
constexpr std::int32_t to_i16(std::int64_t x) noexcept {
    return static_cast<std::int32_t>(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}
// a * b / 2^15 to the nearest, halves up; no operand pair here reaches 2^15 squared.
constexpr std::int32_t rounding_product_16(std::int32_t a, std::int32_t b) noexcept {
    const std::int32_t product = a * b;
    return to_i16((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}
// Right shift, halves away from zero. From 16 on the reference's 16-bit mask is -1, of which this
// is what becomes of a number.
constexpr std::int32_t rounding_shift_16(std::int32_t x, int exponent) noexcept {
    if (exponent < 16) return rounding_divide_by_pot(x, exponent);
    const std::int32_t threshold = x < 0 ? 0 : -1;
    return (x < 0 ? -1 : 0) + (x > threshold ? 1 : 0);
}

} // namespace detail

struct hard_swish : unary_op<hard_swish, unary_hard_swish_f32> {
    static constexpr const char* op_name = "hard_swish";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        const quantization &in = *c.input(0).quantization, &out = *c.output().quantization;
        const float fine = (1.0f / 128.0f) * in.scale();
        const detail::multiplier_16 to_output(fine / out.scale()),
            to_gate(fine / (3.0f / 32768.0f));
        if (to_output.exponent > 0) {
            return fail(errc::unsupported, "input scale ", in.scale(), ", output scale ",
                        out.scale(), ", needed at most 128 times the output's");
        }
        emit_lookup(c, [&](std::int32_t q) {
            const std::int32_t x = (q - in.zero_point()) * 128; // within 255 * 128
            const std::int32_t y = detail::rounding_product_16(x, to_output.q15);
            // The gate from -1 to 1 where x is from -3 to 3: the last bit of a left shift comes
            // after the product, since it is the one that saturates.
            std::int32_t gate = x;
            if (to_gate.exponent > 0) {
                gate = detail::to_i16(gate * (std::int64_t{1} << (to_gate.exponent - 1)));
            }
            gate = detail::rounding_product_16(gate, to_gate.q15);
            if (to_gate.exponent > 0) gate = detail::to_i16(std::int64_t{gate} * 2);
            if (to_gate.exponent < 0) gate = detail::rounding_shift_16(gate, -to_gate.exponent);
            gate = (gate + (1 << 15)) >> 1; // 0 to 1
            const std::int32_t product = gate * y / (1 << 15);
            // A sum beyond int16 wraps there.
            return std::int32_t{static_cast<std::int16_t>(
                detail::rounding_shift_16(product, -to_output.exponent) + out.zero_point())};
        });
        return {};
    }
    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
