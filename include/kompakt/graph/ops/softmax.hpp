// softmax: exp(beta * x) / sum of exp(beta * x) along the last axis.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>
#include <kompakt/kernel/softmax_i16.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The one quantization of int8 outputs between 0 and 1.
inline status expect_unit_output(const graph_tensor& t) {
    return expect_fixed_output(t, 1.0f / 256.0f, -128, "1/256");
}
inline quantization_rule unit_output_rule() {
    return fixed_output_rule(1.0f / 256.0f, -128);
}

// From int8 to Q5.26, in double and cut at the largest multiplier (docs/arithmetic.md 9).
inline status softmax_scale(const quantization& in, float beta, softmax_i8_params& p) {
    constexpr double largest = 2147483647.0;
    double scale = static_cast<double>(beta) * static_cast<double>(in.scale()) * (1 << 26);
    if (scale > largest) scale = largest;
    if (scale <= 1.0) {
        return fail(errc::unsupported, "beta ", beta, " times input scale ", in.scale(),
                    ", needed above 2^-26");
    }
    int shift = 0;
    std::frexp(scale, &shift);
    p.scale = quantize_multiplier(scale);
    // Rounding up to a power of two moves the shift.
    if (p.scale.shift > shift) shift = p.scale.shift;
    p.diff_min = -static_cast<std::int32_t>((std::int64_t{31} << 26) >> shift);
    return {};
}

namespace detail {

// A function at 512 steps over the int16 numbers of its argument, and at the last of them, as
// 15-bit fractions; entries are moved by half of what a straight line is off in the middle of its
// step. Every operation is in float32, as in TensorFlow Lite; products are rounded before they are
// added to, whatever the machine can do at once.
template <class F>
std::vector<std::int16_t> interpolation_table(float scale, std::int32_t zero_point, F&& f) {
    const auto times = [](float a, float b) {
        return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
    };
    const float first = scale * static_cast<float>(-32768 - zero_point),
                last = scale * static_cast<float>(32767 - zero_point);
    const float step = (last - first) / 512.0f, half = step / 2.0f;
    const float unit = 2.0f / 65535.0f, most = unit * 32767.0f, least = unit * -32768.0f;
    const float inverse = 65536.0f / (most - least);
    const auto cut = [](float x) {
        return static_cast<std::int16_t>(x < -32768.0f ? -32768.0f : x > 32767.0f ? 32767.0f : x);
    };
    std::vector<std::int16_t> table;
    for (int i = 0; i < 512; ++i) {
        const float at = first + times(static_cast<float>(i), step);
        const float value = (std::round)(times(f(at), inverse));
        const float next = times(f(first + times(static_cast<float>(i + 1), step)), inverse);
        const float middle = (std::round)((next + value) / 2.0f);
        const float off = middle - (std::round)(times(f(at + half), inverse));
        table.push_back(cut(value - (std::round)(off / 2.0f)));
    }
    table.push_back(cut((std::round)(times(f(last), inverse))));
    return table;
}

} // namespace detail

// softmax_gradient: gradient, output of the softmax -> gradient of its input.
struct softmax_gradient : op_of<softmax_gradient> {
    static constexpr const char* op_name = "softmax_gradient";

    float beta = 1.0f;

    template <class V>
    void fields(V&& v) {
        v("beta", beta);
    }
    status infer(inference& c) const override { return infer_binary(c); }
    status lower(lowering& c) const override {
        emit_binary<softmax_grad_f32>(c, {beta});
        return {};
    }
};

struct softmax : op_of<softmax> {
    static constexpr const char* op_name = "softmax";

    float beta = 1.0f;

    template <class V>
    void fields(V&& v) {
        v("beta", beta);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const dtype given = c.output(0).type;
        KOMPAKT_TRY(infer_unary(c));
        if (c.input_shape(0).empty()) {
            return fail(errc::unsupported, "input: needed rank 1 at least, given a scalar");
        }
        // int8 may become int16, which the output's tensor says.
        if (c.input(0).type == dtype::i8 && given == dtype::i16) {
            c.set_output(0, dtype::i16, c.input_shape(0));
        }
        return {};
    }

    status lower(lowering& c) const override {
        if (!(beta > 0.0f) || !std::isfinite(beta)) {
            return fail(errc::unsupported, "beta ", beta, ", needed a positive number");
        }
        const graph_tensor &in = c.input(0), &out = c.output();
        if (in.type == dtype::f32) {
            c.emit<softmax_f32>({beta}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        if (in.type == dtype::i16) return lower_i16(c);
        softmax_i8_params p;
        if (in.type == dtype::i8 && out.type == dtype::i16) {
            KOMPAKT_TRY(expect_per_tensor(in, "input"));
            KOMPAKT_TRY(expect_per_tensor(out, "output"));
            if (!is_near(out.quantization->scale(), 1.0f / 65536.0f) ||
                out.quantization->zero_point() != -32768) {
                return fail(errc::unsupported, "int16 output of int8: scale ",
                            out.quantization->scale(), ", zero point ",
                            out.quantization->zero_point(), ", needed 1/65536 and -32768");
            }
            KOMPAKT_TRY(softmax_scale(*in.quantization, beta, p));
            c.emit<softmax_i8_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        KOMPAKT_TRY(expect_unit_output(out));
        KOMPAKT_TRY(softmax_scale(*in.quantization, beta, p));
        c.emit<softmax_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }

    status gradient(differentiation& d) const override {
        softmax_gradient o;
        o.beta = beta;
        d.give(0, d.add(o, {d.gradient(), d.out()}));
        return {};
    }

    quantization_rule quantize_rule() const override { return unit_output_rule(); }

  private:
    // To a thousandth, as TensorFlow Lite Micro asks of 16-bit outputs.
    static bool is_near(float scale, float wanted) {
        return std::fabs(scale - wanted) <= 0.001f * wanted;
    }
    status lower_i16(lowering& c) const {
        KOMPAKT_TRY(expect_quantized(c, dtype::i16));
        if (!is_near(c.output().quantization->scale(), 1.0f / 32768.0f)) {
            return fail(errc::unsupported, "output: scale ", c.output().quantization->scale(),
                        ", needed 1/32768");
        }
        softmax_i16_params p;
        p.scale = quantize_multiplier(static_cast<double>(c.input(0).quantization->scale()) *
                                      static_cast<double>(beta) / (10.0 / 65535.0));
        const auto exp = detail::interpolation_table(10.0f / 65535.0f, 32767,
                                                     rounded([](double x) { return std::exp(x); }));
        const auto reciprocal = detail::interpolation_table(
            1.0f / 65535.0f, -32768, [](float x) { return 1.0f / (1.0f + x); });
        const std::uint32_t exp_table = c.constant_operand<std::int16_t>({513}, exp);
        const std::uint32_t reciprocal_table = c.constant_operand<std::int16_t>({513}, reciprocal);
        c.emit<softmax_i16>(p, {c.in(0), exp_table, reciprocal_table}, {c.out()},
                            elementwise_overlaps(c));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
