// dequantize: int8, uint8, int16 with a scale, or float16 (constants that a model stores so), to
// float32.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/cast.hpp>
#include <kompakt/kernel/quantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct dequantize : op_of<dequantize> {
    static constexpr const char* op_name = "dequantize";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, dtype::f32, c.input_shape(0));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor& in = c.input(0);
        if (in.type == dtype::f16) {
            c.emit<dequantize_f16_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        if (in.type != dtype::i8 && in.type != dtype::u8 && in.type != dtype::i16) {
            return fail(errc::unsupported, "from ", name_of(in.type),
                        ", needed from int8, uint8, int16 or float16");
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        const affine_params p{in.quantization->scale(), in.quantization->zero_point()};
        if (in.type == dtype::i8) {
            c.emit<dequantize_i8_f32>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else if (in.type == dtype::u8) {
            c.emit<dequantize_u8_f32>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else {
            c.emit<dequantize_i16_f32>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        }
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
