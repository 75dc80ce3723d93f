// logistic: 1 / (1 + exp(-x)), elementwise.
#pragma once

#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/kernel/logistic.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

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
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        KOMPAKT_TRY(expect_unit_output(c.output()));
        // docs/arithmetic.md 10: to Q4.27 in double; the radius is where that would reach 15.
        const double scale = static_cast<double>(c.input(0).quantization->scale()) * (1 << 27);
        int shift = 0;
        std::frexp(scale, &shift);
        if (shift < 0) return fail(errc::unsupported, "input scale is below 2^-28");
        logistic_i8_params p;
        p.input_zero_point = c.input(0).quantization->zero_point();
        p.scale = quantize_multiplier(scale);
        if (p.scale.shift > shift) shift = p.scale.shift;
        p.input_radius =
            shift > 62 ? 0 : static_cast<std::int32_t>((std::int64_t{15} << 27) >> shift);
        c.emit<logistic_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }

    quantization_rule quantize_rule() const override { return unit_output_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
