// quantize: float32 to int8, uint8 or int16; or int8, uint8, int16 and int32 from one scale to
// another, in any combination. The output's type and scale are those of its tensor; a tensor
// without a type becomes int8.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/requantize_mixed.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The multiplier from one scale to another, in double.
inline rescale_params rescale_for(const quantization& in, const quantization& out) noexcept {
    rescale_params p;
    p.input_zero_point = in.zero_point();
    p.scale =
        quantize_multiplier(static_cast<double>(in.scale()) / static_cast<double>(out.scale()));
    p.output.zero_point = out.zero_point();
    return p;
}

struct quantize : op_of<quantize> {
    static constexpr const char* op_name = "quantize";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const dtype given = c.output(0).type;
        c.set_output(0, given == dtype::none ? dtype::i8 : given, c.input_shape(0));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &out = c.output();
        if (in.type == dtype::f32
                ? out.type == dtype::i32 || !requantize_mixed::knows(out.type)
                : !requantize_mixed::knows(in.type) || !requantize_mixed::knows(out.type)) {
            return fail(errc::unsupported, "from ", name_of(in.type), " to ", name_of(out.type),
                        ", needed from float32 to int8, uint8 or int16, or between integers of at "
                        "most 32 bits");
        }
        KOMPAKT_TRY(expect_per_tensor(out, "output"));
        if (in.type == dtype::f32) {
            const affine_params p{out.quantization->scale(), out.quantization->zero_point()};
            if (out.type == dtype::i8) {
                c.emit<quantize_f32_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            } else if (out.type == dtype::u8) {
                c.emit<quantize_f32_u8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            } else {
                c.emit<quantize_f32_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            }
            return {};
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        const rescale_params p = rescale_for(*in.quantization, *out.quantization);
        if (in.type == dtype::i8 && out.type == dtype::i8) {
            c.emit<requantize_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else {
            c.emit<requantize_mixed>({p.input_zero_point, p.scale, p.output.zero_point}, {c.in(0)},
                                     {c.out()}, elementwise_overlaps(c));
        }
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
