// log_softmax: x - max - log(sum of exp(x - max)) along the last axis. int8: the output's scale is
// 1/16, its zero point 127.
#pragma once

#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/kernel/log_softmax.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct log_softmax : op_of<log_softmax> {
    static constexpr const char* op_name = "log_softmax";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(infer_unary(c));
        if (!c.input_shape(0).empty()) return {};
        return fail(errc::unsupported, "input: needed rank 1 at least, given a scalar");
    }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<log_softmax_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        KOMPAKT_TRY(expect_fixed_output(c.output(), 1.0f / 16.0f, 127, "1/16"));
        log_softmax_i8_params p;
        KOMPAKT_TRY(softmax_scale(*c.input(0).quantization, 1.0f, p.in));
        const multiplier& m = p.in.scale;
        const double back = std::ldexp(1.0, 31 - m.shift) / static_cast<double>(m.q31);
        if (m.shift < 1 || back >= 1.0) {
            return fail(errc::unsupported, "input: scale ", c.input(0).quantization->scale(),
                        ", needed at least 2^-25");
        }
        p.back = quantize_multiplier(back);
        c.emit<log_softmax_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }

    quantization_rule quantize_rule() const override {
        return fixed_output_rule(1.0f / 16.0f, 127);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
