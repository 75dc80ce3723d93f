// What average_pool_2d, max_pool_2d and l2_pool_2d share: input and output NHWC, four explicit
// paddings.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Void stands for kernels that do not exist.
template <class Op, class KernelI8, class KernelI16, class KernelF32>
struct pool2d : op_of<Op> {
    window_attributes window; // no dilation
    std::int32_t kernel_h = 1, kernel_w = 1;
    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        window.fields(v);
        v("kernel_h", kernel_h), v("kernel_w", kernel_w);
        v("activation", fused);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        KOMPAKT_TRY(c.expect_rank(0, 4));
        const shape& in = c.input_shape(0);
        const auto h = window.extent_h(in[1], kernel_h);
        if (!h.ok()) return h.error();
        const auto w = window.extent_w(in[2], kernel_w);
        if (!w.ok()) return w.error();
        if (window.dilation_h != 1 || window.dilation_w != 1) {
            return fail(errc::unsupported, "dilation ", window.dilation_h, "x", window.dilation_w,
                        ", needed 1x1");
        }
        if (window.pad_top >= kernel_h || window.pad_bottom >= kernel_h ||
            window.pad_left >= kernel_w || window.pad_right >= kernel_w) {
            return fail(errc::unsupported, "padding ", window.pad_top, ", ", window.pad_bottom,
                        ", ", window.pad_left, ", ", window.pad_right,
                        " makes windows of nothing but padding; the window is ", kernel_h, "x",
                        kernel_w);
        }
        c.set_output(0, c.input(0).type, {in[0], *h, *w, in[3]});
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &out = c.output();
        const std::vector<overlap> overlaps = {
            {overlap::kind::rows, 0, window.stride_h, window.pad_top}};
        if (in.type == dtype::f32 && out.type == dtype::f32) {
            const float_range r = range_of(fused);
            c.emit<KernelF32>({window.params(), kernel_h, kernel_w, r.min, r.max}, {c.in(0)},
                              {c.out()}, overlaps);
            return {};
        }
        if constexpr (!std::is_void_v<KernelI8>) {
            if (in.type == dtype::i8 && out.type == dtype::i8) {
                return lower_integer<KernelI8>(c, overlaps);
            }
            if (in.type == dtype::i16 && out.type == dtype::i16) {
                return lower_integer<KernelI16>(c, overlaps);
            }
        }
        return fail(errc::unsupported, name_of(in.type), " input, ", name_of(out.type), " output");
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r;
        if (!std::is_void_v<KernelI8>) r.how = quantization_rule::kind::same_scale;
        return r;
    }

  private:
    template <class Kernel>
    status lower_integer(lowering& c, const std::vector<overlap>& overlaps) const {
        KOMPAKT_TRY(expect_per_tensor(c.input(0), "input"));
        KOMPAKT_TRY(expect_per_tensor(c.output(), "output"));
        const quantization &from = *c.input(0).quantization, &to = *c.output().quantization;
        // The tolerance is TensorFlow Lite's.
        if (from.zero_point() != to.zero_point() ||
            !(std::fabs(from.scale() - to.scale()) <= 1e-6f)) {
            return fail(errc::unsupported, "input: ", scale_text(c.input(0)),
                        ", output: ", scale_text(c.output()),
                        ", needed the same; a requantization must stand between");
        }
        const output_stage_params stage = output_stage_for(to, fused, c.output().type);
        c.emit<Kernel>({window.params(), kernel_h, kernel_w, stage.min, stage.max}, {c.in(0)},
                       {c.out()}, overlaps);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
