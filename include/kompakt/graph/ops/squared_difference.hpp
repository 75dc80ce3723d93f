// squared_difference: the square of the difference of two inputs of shapes that broadcast.
#pragma once

#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/neg.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/kernel/mul.hpp>
#include <kompakt/kernel/squared_difference.hpp>
#include <kompakt/kernel/sub.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct squared_difference : op_of<squared_difference> {
    static constexpr const char* op_name = "squared_difference";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_binary(c); }

    status lower(lowering& c) const override {
        switch (c.input(0).type) {
        case dtype::f32:
            square<sub_f32, mul_f32>(c, clamp_for(activation::none));
            return {};
        case dtype::i32:
            KOMPAKT_TRY(expect_plain(c));
            square<sub_i32, mul_i32>(c, clamp_i32_for(activation::none));
            return {};
        case dtype::i8:
            return quantized<squared_difference_i8, std::int8_t>(c);
        case dtype::i16:
            return quantized<squared_difference_i16, std::int16_t>(c);
        default:
            return refuse_type(c, "float32, int8, int16 or int32");
        }
    }
    status gradient(differentiation& d) const override {
        const tensor_id difference = d.add(sub(), {d.in(0), d.in(1)});
        const tensor_id twice = d.add(add(), {difference, difference});
        const tensor_id g = d.add(mul(), {d.gradient(), twice});
        if (d.wants(0)) give_broadcast(d, 0, g);
        if (d.wants(1)) give_broadcast(d, 1, d.add(neg(), {g}));
        return {};
    }

    quantization_rule quantize_rule() const override { return free_rule(); }

  private:
    template <class Sub, class Mul>
    static void square(lowering& c, const typename Sub::params& p) {
        const std::uint32_t difference = c.temporary(c.output().type, dims_of(c.output()));
        c.emit<Sub>(p, {c.in(0), c.in(1)}, {difference}, elementwise_overlaps(c));
        c.emit<Mul>(p, {difference, difference}, {c.out()}, {{overlap::kind::same_place, 0}});
    }
    template <class Kernel, class T>
    static status quantized(lowering& c) {
        KOMPAKT_TRY(expect_quantized(c, dtype_of<T>));
        const quantization &a = *c.input(0).quantization, &b = *c.input(1).quantization,
                           &out = *c.output().quantization;
        // In double, but for the output's scale times a power of two in float32, which is exact.
        const auto scale_a = static_cast<double>(a.scale()),
                   scale_b = static_cast<double>(b.scale());
        const double common = 2 * (scale_a > scale_b ? scale_a : scale_b);
        const auto finer = static_cast<double>(1 << (2 * squared_difference_left_shift<T>));
        add_i8_params p;
        p.zero_point_a = a.zero_point();
        p.zero_point_b = b.zero_point();
        p.a = quantize_multiplier(scale_a / common);
        p.b = quantize_multiplier(scale_b / common);
        p.result =
            quantize_multiplier(common * common / (finer * static_cast<double>(out.scale())));
        p.output = output_stage_for(out, activation::none, dtype_of<T>);
        emit_binary<Kernel>(c, p);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
