// logistic: 1 / (1 + exp(-x)), elementwise. int8 by a table, int16 by interpolation. The output's
// scale is 1/256 and its zero point -128, or 1/32768 and 0.
#pragma once

#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/kernel/logistic.hpp>
#include <kompakt/kernel/unary_i16.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// int8 inputs in Q4.27, which is what the fixed-point logistic function and tanh take
// (docs/arithmetic.md 10).
class q4_scale {
  public:
    explicit q4_scale(const quantization& in) : zero_point_(in.zero_point()) {
        const double scale = static_cast<double>(in.scale()) * (1 << 27);
        int shift = 0;
        std::frexp(scale, &shift);
        scale_ = quantize_multiplier(scale);
        if (scale_.shift > shift) shift = scale_.shift; // rounded up to a power of two
        // Where the input would reach 15.
        radius_ = static_cast<std::int32_t>(std::floor(std::ldexp(15.0, 27 - shift)));
    }
    // Finer scales have no radius in TensorFlow Lite Micro.
    static status check(const quantization& in) {
        if (in.scale() >= 0x1p-28f) return {};
        return fail(errc::unsupported, "input: scale ", in.scale(), ", needed at least 2^-28");
    }
    // `f` of the scaled input within the radius, `least` and `most` beyond; where the radius is 0
    // an input of 0 counts as below it.
    template <class F>
    std::int32_t operator()(std::int32_t q, std::int32_t least, std::int32_t most, F&& f) const {
        const std::int32_t x = q - zero_point_;
        return x <= -radius_ ? least : x >= radius_ ? most : f(requantize(x, scale_));
    }

  private:
    std::int32_t zero_point_, radius_ = 0;
    multiplier scale_;
};

// The power of two nearest to a scale, where it is within a thousandth (of its logarithm), in
// float32 as TensorFlow Lite computes it.
inline std::optional<int> power_of_two(float scale) {
    const auto log_scale = static_cast<float>(std::log(static_cast<double>(scale)));
    const auto log_2 = static_cast<float>(std::log(2.0));
    const float inverse = 1.0f / log_2;
    const float x = log_scale * inverse;
    const float nearest = (std::round)(x);
    if (!(std::fabs(x - nearest) < 1e-3f)) return std::nullopt;
    return static_cast<int>(nearest);
}

// int16 in and out: the multiplier from the input's scale to steps of 1 / 12288. Up to
// `most_shift` powers of two above 2^-12 need no rounding.
inline status sigmoid_table_scale(const lowering& c, int most_shift, table_scale_params& p) {
    KOMPAKT_TRY(expect_quantized(c, dtype::i16));
    if (power_of_two(c.output().quantization->scale()) != -15) {
        return fail(errc::unsupported, "output: scale ", c.output().quantization->scale(),
                    ", needed 1/32768");
    }
    const float in = c.input(0).quantization->scale();
    const auto power = power_of_two(in);
    if (power && *power >= -12 && *power <= -12 + most_shift) {
        p.scale = {3 << (*power + 12), 0};
        return {};
    }
    double factor = static_cast<double>(in) * 4096.0 * 3.0;
    p.scale.shift = 0;
    while (factor <= 32767.0 / 2.0 && p.scale.shift <= 30) {
        ++p.scale.shift;
        factor *= 2.0;
    }
    if (!(factor < 32768.0)) {
        return fail(errc::unsupported, "input: scale ", in, ", needed at most 8/3");
    }
    p.scale.factor = static_cast<std::int32_t>(factor);
    return {};
}

struct logistic : op_of<logistic> {
    static constexpr const char* op_name = "logistic";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_unary(c); }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<logistic_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        if (c.input(0).type == dtype::i16) {
            table_scale_params p;
            KOMPAKT_TRY(sigmoid_table_scale(c, 0, p));
            c.emit<logistic_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        KOMPAKT_TRY(expect_unit_output(c.output()));
        KOMPAKT_TRY(q4_scale::check(*c.input(0).quantization));
        const q4_scale s(*c.input(0).quantization);
        emit_lookup(c, [&](std::int32_t q) -> std::int32_t {
            return s(q, -128, 127, [](std::int32_t x) {
                return rounding_divide_by_pot(fixed_logistic<4>(x), 31 - 8) - 128;
            });
        });
        return {};
    }

    quantization_rule quantize_rule() const override { return unit_output_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
