// gelu: x times the normal distribution's probability of less than x, or its approximation by tanh,
// elementwise. int8 by a table. TensorFlow Lite Micro does not have it: the definition is
// TensorFlow Lite's.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct gelu : op_of<gelu> {
    static constexpr const char* op_name = "gelu";

    bool approximate = false;

    template <class V>
    void fields(V&& v) {
        v("approximate", approximate);
    }

    status infer(inference& c) const override { return infer_unary(c); }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            if (approximate) {
                c.emit<unary_gelu_tanh_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            } else {
                c.emit<unary_gelu_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            }
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        constexpr double sqrt_half = 0.70710678118654752, sqrt_2_over_pi = 0.79788456080286536;
        if (approximate) {
            emit_lookup_of_real(
                c, rounded([](double x) {
                    return 0.5 * x * (1 + std::tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x)));
                }));
        } else {
            emit_lookup_of_real(
                c, rounded([](double x) { return 0.5 * x * std::erfc(-x * sqrt_half); }));
        }
        return {};
    }

    status gradient(differentiation& d) const override {
        return give_derivative(d, approximate ? derivative::gelu_tanh : derivative::gelu,
                               known_by::input);
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
