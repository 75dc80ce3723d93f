// l2_normalization: each row along the last axis divided by its Euclidean norm.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/l2_normalization.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct l2_normalization : op_of<l2_normalization> {
    static constexpr const char* op_name = "l2_normalization";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(infer_unary(c));
        if (!c.input_shape(0).empty()) return {};
        return fail(errc::unsupported, "a scalar, needed rank 1 to ", max_rank);
    }
    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<l2_normalization_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        if (c.input(0).type != dtype::i8) return refuse_type(c, "float32 or int8");
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        const quantization& out = *c.output().quantization;
        if (out.scale() != 1.0f / 128 || out.zero_point() != 0) {
            return fail(errc::unsupported, "output scale ", out.scale(), ", zero point ",
                        out.zero_point(), ", needed 1/128 and 0");
        }
        c.emit<l2_normalization_i8>({c.input(0).quantization->zero_point()}, {c.in(0)}, {c.out()},
                                    elementwise_overlaps(c));
        return {};
    }
    quantization_rule quantize_rule() const override { return fixed_output_rule(1.0f / 128, 0); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
