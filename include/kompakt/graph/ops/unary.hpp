// What functions of one element have in common: the lowering of float32, and the 256 entries that
// any function of an int8 element is.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/unary.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Lowers to `lookup_i8`; `f` gives the output's number for each of the input's.
template <class F>
void emit_lookup(lowering& c, F&& f) {
    std::vector<std::int8_t> table(256);
    for (std::int32_t q = -128; q <= 127; ++q) {
        table[static_cast<std::uint8_t>(q)] =
            static_cast<std::int8_t>((std::clamp)(f(q), std::int32_t{-128}, std::int32_t{127}));
    }
    const std::uint32_t operand = c.constant_operand<std::int8_t>({256}, table);
    c.emit<lookup_i8>({}, {c.in(0), operand}, {c.out()}, elementwise_overlaps(c));
}

// The table of a real function as TensorFlow Lite makes it: in float32, times one over the output's
// scale, half away from zero. What is not a number becomes the zero point.
template <class F>
void emit_lookup_of_real(lowering& c, F&& f) {
    const quantization &in = *c.input(0).quantization, &out = *c.output().quantization;
    const float inverse = 1.0f / out.scale();
    emit_lookup(c, [&](std::int32_t q) -> std::int32_t {
        const float y = f(in.scale() * static_cast<float>(q - in.zero_point()));
        const float number = (std::round)(y * inverse) + static_cast<float>(out.zero_point());
        if (number != number) return out.zero_point();
        return number <= -128.0f  ? -128
               : number >= 127.0f ? 127
                                  : static_cast<std::int32_t>(number);
    });
}
// A function of the host's double, rounded to float32: the same table on every machine.
template <class F>
auto rounded(F f) {
    return [f](float x) { return static_cast<float>(f(static_cast<double>(x))); };
}

// Both scales, in float32 as TensorFlow Lite divides them.
inline multiplier ratio_of_scales(const quantization& in, const quantization& out) noexcept {
    const float ratio = in.scale() / out.scale();
    return quantize_multiplier(static_cast<double>(ratio));
}

// Output scale and zero point that the operator's arithmetic has built in.
inline status expect_fixed_output(const graph_tensor& t, float scale, std::int32_t zero_point,
                                  const char* scale_text) {
    const quantization& q = *t.quantization;
    if (q.scale() == scale && q.zero_point() == zero_point) return {};
    return fail(errc::unsupported, "output: needed scale ", scale_text, " and zero point ",
                zero_point, ", given zero point ", q.zero_point(),
                q.scale() == scale ? "" : " and another scale");
}

// An operator without attributes whose kernel for float32 is `Kernel`. Those that run on integers,
// too, have a `lower` of their own that begins with `lower_f32`.
template <class Op, class Kernel>
struct unary_op : op_of<Op> {
    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_unary(c); }
    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        return fail(errc::unsupported, "input: ", name_of(c.input(0).type), ", needed float32");
    }

  protected:
    static bool lower_f32(lowering& c) {
        if (c.input(0).type != dtype::f32) return false;
        c.emit<Kernel>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        return true;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
