// prelu: the first input where it is not negative, else times the second, of shapes that broadcast.
// The slopes of an int16 input are int8.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/prelu.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct prelu : op_of<prelu> {
    static constexpr const char* op_name = "prelu";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        auto out = broadcast_inputs(c);
        if (!out.ok()) return out.error();
        c.set_output(0, c.input(0).type, std::move(*out));
        return {};
    }
    status lower(lowering& c) const override {
        const dtype slope = c.input(1).type;
        switch (c.input(0).type) {
        case dtype::f32:
            if (slope != dtype::f32) break;
            emit_binary<prelu_f32>(c, {});
            return {};
        case dtype::i8:
            if (slope != dtype::i8) break;
            return quantized<prelu_i8>(c);
        case dtype::i16:
            if (slope != dtype::i8) break;
            return quantized<prelu_i16>(c);
        default:
            return refuse_type(c, "float32, int8 or int16");
        }
        return fail(errc::unsupported, name_of(c.input(0).type), " input with ", name_of(slope),
                    " slopes, needed float32, or int8 with an int8 or int16 input");
    }
    quantization_rule quantize_rule() const override { return free_rule(); }

  private:
    template <class Kernel>
    static status quantized(lowering& c) {
        const graph_tensor &in = c.input(0), &slope = c.input(1), &out = c.output();
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        KOMPAKT_TRY(expect_per_tensor(slope, "slope"));
        KOMPAKT_TRY(expect_per_tensor(out, "output"));
        KOMPAKT_TRY(check_zero_point("input", in.quantization->zero_point(), in.type));
        KOMPAKT_TRY(check_zero_point("output", out.quantization->zero_point(), in.type));
        const auto scale = [](const graph_tensor& t) {
            return static_cast<double>(t.quantization->scale());
        };
        prelu_i8_params p;
        p.zero_point = in.quantization->zero_point();
        p.zero_point_slope = slope.quantization->zero_point();
        p.positive = quantize_multiplier(scale(in) / scale(out));
        p.negative = quantize_multiplier(scale(in) * scale(slope) / scale(out));
        p.output = output_stage_for(*out.quantization, activation::none, in.type);
        emit_binary<Kernel>(c, p);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
