// dequantize: int8 to float32.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
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
        if (in.type != dtype::i8) {
            return fail(errc::unsupported, "from ", name_of(in.type), ", needed from int8");
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        c.emit<dequantize_i8_f32>({in.quantization->scale(), in.quantization->zero_point()},
                                  {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
