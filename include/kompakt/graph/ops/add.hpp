// add: two inputs of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The multipliers of int8 addition and subtraction are less than one by construction; only the last
// can be refused.
inline result<add_i8_params> add_params(const lowering& c, double a, double b, double result_scale,
                                        activation fused) {
    add_i8_params p;
    p.zero_point_a = c.input(0).quantization->zero_point();
    p.zero_point_b = c.input(1).quantization->zero_point();
    p.a = quantize_multiplier(a);
    p.b = quantize_multiplier(b);
    p.result = quantize_multiplier(result_scale);
    p.output = output_stage_for(*c.output().quantization, fused);
    if (p.result.shift > 0) {
        return fail(errc::unsupported, "output scale is less than 2^-19 of the inputs'");
    }
    return p;
}

struct add : op_of<add> {
    static constexpr const char* op_name = "add";

    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        v("activation", fused);
    }

    status infer(inference& c) const override { return infer_binary(c); }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<add_f32>(clamp_for(fused), {c.in(0), c.in(1)}, {c.out()},
                            elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        // In double (docs/arithmetic.md 6).
        const double a = static_cast<double>(c.input(0).quantization->scale()),
                     b = static_cast<double>(c.input(1).quantization->scale()),
                     out = static_cast<double>(c.output().quantization->scale());
        const double common = 2 * (a > b ? a : b);
        const auto p =
            add_params(c, a / common, b / common, common / ((1 << add_i8_left_shift) * out), fused);
        if (!p.ok()) return p.error();
        c.emit<add_i8>(*p, {c.in(0), c.in(1)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r;
        r.how = quantization_rule::kind::free;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
