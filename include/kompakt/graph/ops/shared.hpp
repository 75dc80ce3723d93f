// What several operators have in common: windows with explicit padding, fused activations, and the
// lowering of int8 output stages.
#pragma once

#include <kompakt/graph/op.hpp>
#include <kompakt/kernel/requantize.hpp>
#include <kompakt/kernel/window.hpp>

#include <cmath>
#include <limits>
#include <optional>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Strides, dilation and four explicit paddings, in pixels.
struct window_attributes {
    std::int32_t stride_h = 1, stride_w = 1;
    std::int32_t dilation_h = 1, dilation_w = 1;
    std::int32_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;

    template <class V>
    void fields(V&& v) {
        v("stride_h", stride_h), v("stride_w", stride_w);
        v("dilation_h", dilation_h), v("dilation_w", dilation_w);
        v("pad_top", pad_top), v("pad_bottom", pad_bottom);
        v("pad_left", pad_left), v("pad_right", pad_right);
    }
    window_params params() const noexcept {
        return {stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left};
    }

    // TensorFlow's SAME: output = ceil(input / stride), the odd pixel below and to the right.
    void pad_same(std::int64_t in_h, std::int64_t in_w, std::int64_t kernel_h,
                  std::int64_t kernel_w) noexcept {
        const auto one = [](std::int64_t in, std::int64_t kernel, std::int64_t stride,
                            std::int64_t dilation, std::int32_t& before, std::int32_t& after) {
            const std::int64_t out = (in + stride - 1) / stride;
            const std::int64_t total = (out - 1) * stride + (kernel - 1) * dilation + 1 - in;
            before = static_cast<std::int32_t>(total > 0 ? total / 2 : 0);
            after = static_cast<std::int32_t>(total > 0 ? total - total / 2 : 0);
        };
        one(in_h, kernel_h, stride_h, dilation_h, pad_top, pad_bottom);
        one(in_w, kernel_w, stride_w, dilation_w, pad_left, pad_right);
    }

    // Output extent along one axis; an error when the window does not fit.
    static result<dim> extent(const dim& in, std::int64_t kernel, std::int64_t stride,
                              std::int64_t dilation, std::int64_t before, std::int64_t after) {
        if (!in.known()) {
            return fail(errc::bad_argument, "dimension ", in.symbol(),
                        " has no value; bind it first");
        }
        if (stride < 1 || dilation < 1 || kernel < 1 || before < 0 || after < 0 ||
            stride > max_window_value || dilation > max_window_value || kernel > max_window_value ||
            before > max_window_value || after > max_window_value) {
            return fail(errc::unsupported, "window of ", kernel, ", stride ", stride, ", dilation ",
                        dilation, ", padding ", before, " and ", after,
                        "; needed 1 (padding 0) to ", max_window_value);
        }
        const std::int64_t room = in.value() + before + after - ((kernel - 1) * dilation + 1);
        if (room < 0) {
            return fail(errc::bad_file, "window of ", kernel, " (dilation ", dilation,
                        ") does not fit the input of ", in.value(), " with padding ", before,
                        " and ", after);
        }
        return dim(room / stride + 1);
    }
    result<dim> extent_h(const dim& in, std::int64_t kernel) const {
        return extent(in, kernel, stride_h, dilation_h, pad_top, pad_bottom);
    }
    result<dim> extent_w(const dim& in, std::int64_t kernel) const {
        return extent(in, kernel, stride_w, dilation_w, pad_left, pad_right);
    }
};

struct float_range {
    float min, max;
};
inline float_range range_of(activation a) noexcept {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    switch (a) {
    case activation::none:
        break;
    case activation::relu:
        return {0.0f, infinity};
    case activation::relu6:
        return {0.0f, 6.0f};
    case activation::relu_n1_to_1:
        return {-1.0f, 1.0f};
    }
    return {-infinity, infinity};
}

// The activation's range in the output's own numbers.
// docs/arithmetic.md 5: float32 round(f / scale) + zero point.
inline output_stage_params output_stage_for(const quantization& out, activation a,
                                            dtype type = dtype::i8) noexcept {
    const integer_range whole = range_of_type(type);
    output_stage_params p;
    p.min = whole.qmin, p.max = whole.qmax;
    p.zero_point = out.zero_point();
    const float_range r = range_of(a);
    const auto quantize = [&](float f) {
        const float q = (std::round)(f / out.scale()) + static_cast<float>(out.zero_point());
        const float lo = static_cast<float>(whole.qmin), hi = static_cast<float>(whole.qmax);
        return q <= lo ? whole.qmin : q >= hi ? whole.qmax : static_cast<std::int32_t>(q);
    };
    if (std::isfinite(r.min)) p.min = quantize(r.min);
    if (std::isfinite(r.max)) p.max = quantize(r.max);
    if (p.max < p.min) p.max = p.min;
    return p;
}

// An activation tensor with one scale and zero point.
inline status expect_per_tensor(const graph_tensor& t, const char* what) {
    if (t.quantization && t.quantization->scheme == scheme::affine &&
        t.quantization->per_tensor()) {
        return {};
    }
    return fail(errc::unsupported, what, " ", name_of(t.type),
                t.quantization ? ": per-channel quantization" : ": no scale");
}

// Operands multipliers and shifts of int8 weights: effective scale = input * weight / output, in
// double (docs/arithmetic.md 2), one per scale of the weights.
struct stage_operands {
    std::uint32_t multipliers, shifts;
};
// `wide`: for sums of 64 bits.
inline result<multiplier> sum_multiplier(double effective, bool wide) {
    multiplier m = quantize_multiplier(effective);
    if (!wide) return m;
    if (m.shift > max_wide_shift) {
        return fail(errc::unsupported, "products' scale is ", effective,
                    " of the output's, needed less than 2^", max_wide_shift);
    }
    m.q31 = narrow_multiplier(m.q31);
    return m;
}
inline result<stage_operands> multiplier_operands(lowering& c, const std::vector<double>& effective,
                                                  bool wide = false) {
    std::vector<std::int32_t> multipliers;
    std::vector<std::int8_t> shifts;
    for (double e : effective) {
        const auto made = sum_multiplier(e, wide);
        if (!made.ok()) return made.error();
        const multiplier m = *made;
        multipliers.push_back(m.q31);
        shifts.push_back(static_cast<std::int8_t>(m.shift));
    }
    const auto n = static_cast<std::int32_t>(effective.size());
    return stage_operands{c.constant_operand<std::int32_t>({n}, multipliers),
                          c.constant_operand<std::int8_t>({n}, shifts)};
}
inline std::vector<double> effective_scales(const quantization& in, const quantization& weights,
                                            const quantization& out) {
    std::vector<double> all;
    for (float s : weights.scales) {
        all.push_back(static_cast<double>(in.scale()) * static_cast<double>(s) /
                      static_cast<double>(out.scale()));
    }
    return all;
}

// Of matrix products: unlike convolution, one scale per tensor multiplies the input's in float32,
// not in double (docs/arithmetic.md 2).
inline std::vector<double> matrix_scales(const quantization& in, const quantization& weights,
                                         const quantization& out) {
    if (!weights.per_tensor()) return effective_scales(in, weights, out);
    const float product = in.scale() * weights.scale();
    return {static_cast<double>(product) / static_cast<double>(out.scale())};
}

// int8 weights, constant or computed: symmetric, one scale or one per `channels` along `axis`.
inline status expect_weights(const graph_tensor& w, int axis, std::int64_t channels) {
    if (!w.quantization || w.quantization->scheme != scheme::affine) {
        return fail(errc::unsupported, "weights ", name_of(w.type), ": no scale");
    }
    const quantization& q = *w.quantization;
    if (!q.per_tensor() &&
        (q.axis != axis || static_cast<std::int64_t>(q.scales.size()) != channels)) {
        return fail(errc::unsupported, "weights: ", q.scales.size(), " scales along axis ", q.axis,
                    ", needed one, or ", channels, " along axis ", axis);
    }
    for (std::int32_t z : q.zero_points) {
        if (z != 0) return fail(errc::unsupported, "weights: zero point ", z, ", needed 0");
    }
    return {};
}

// Which sums an operator of int16 has: those of its bias; without one, 64 bits unless it says
// otherwise.
inline result<dtype> sums_of(const lowering& c, bool int32_sums) {
    if (c.input(0).type != dtype::i16) return dtype::i32;
    if (!c.has_input(2)) return int32_sums ? dtype::i32 : dtype::i64;
    const dtype bias = c.input(2).type;
    if (bias == dtype::i32 || bias == dtype::i64) return bias;
    return fail(errc::unsupported, "int16 input with ", name_of(bias), " bias");
}

// The integer form of an operator with weights: what its kernels have in common.
struct integer_form {
    dtype type = dtype::i8; // of input and output
    dtype sum = dtype::i32;
    bool packed = false; // the weights are int4, two to a byte
    std::int32_t input_zero_point = 0;
    output_stage_params output;
    std::vector<std::uint32_t> operands; // input, weights, bias, multipliers, shifts

    // Calls `emit` with the kernel of this form; void stands for one that does not exist.
    template <class I8, class I4, class I16, class I16Sum32, class Emit>
    status choose(Emit&& emit) const {
        if (packed) return emit_or_refuse<I4>(emit);
        if (type == dtype::i8) return emit_or_refuse<I8>(emit);
        return sum == dtype::i64 ? emit_or_refuse<I16>(emit) : emit_or_refuse<I16Sum32>(emit);
    }

  private:
    template <class Kernel, class Emit>
    status emit_or_refuse(Emit&& emit) const {
        if constexpr (std::is_void_v<Kernel>) {
            return fail(errc::unsupported, name_of(type), " input with sums of ", bits_of(sum),
                        " bits");
        } else {
            emit(Kernel());
            return {};
        }
    }
};

// Inputs 0, 1 and 2 are the input, weights whose `channels` lie along `axis`, and the bias or
// nothing. `scales(in, weights, out)` gives the effective ones.
template <class Scales>
result<integer_form> integer_form_of(lowering& c, int axis, std::int64_t channels, dtype sum,
                                     activation fused, Scales&& scales) {
    const graph_tensor &in = c.input(0), &weights = c.input(1), &out = c.output();
    if ((in.type != dtype::i8 && in.type != dtype::i16) || weights.type != dtype::i8 ||
        out.type != in.type) {
        return fail(errc::unsupported, name_of(in.type), " input, ", name_of(weights.type),
                    " weights, ", name_of(out.type), " output");
    }
    KOMPAKT_TRY(expect_per_tensor(in, "input"));
    KOMPAKT_TRY(expect_per_tensor(out, "output"));
    KOMPAKT_TRY(check_zero_point("input", in.quantization->zero_point(), in.type));
    KOMPAKT_TRY(check_zero_point("output", out.quantization->zero_point(), in.type));
    KOMPAKT_TRY(expect_weights(weights, axis, channels));
    integer_form form;
    form.type = in.type;
    form.sum = sum;
    form.input_zero_point = in.quantization->zero_point();
    form.output = output_stage_for(*out.quantization, fused, in.type);
    const auto stage = multiplier_operands(
        c, scales(*in.quantization, *weights.quantization, *out.quantization), sum == dtype::i64);
    if (!stage.ok()) return stage.error();
    const auto packed = in.type == dtype::i8 ? c.packed_in(1) : std::nullopt;
    form.packed = packed.has_value();
    form.operands = {c.in(0), packed ? *packed : c.in(1), c.in(2), stage->multipliers,
                     stage->shifts};
    return form;
}

// int8 weights of a float operator (hybrid models) as float32: decoded when the model is lowered,
// since no kernel mixes the two.
inline std::uint32_t float_weights(lowering& c, std::size_t input) {
    const graph_tensor& w = c.input(input);
    if (w.type != dtype::i8 || !w.value || !w.quantization) return c.in(input);
    return c.once(input, "float32", [&] {
        const auto dense = decode(*w.value);
        const std::vector<std::int8_t> q = dense->values<std::int8_t>();
        std::size_t inner = 1;
        std::vector<std::int32_t> dims;
        for (std::size_t i = 0; i < w.shape.size(); ++i) {
            dims.push_back(static_cast<std::int32_t>(w.shape[i].value()));
            if (static_cast<int>(i) > w.quantization->axis)
                inner *= static_cast<std::size_t>(dims[i]);
        }
        const std::size_t count = w.quantization->scales.size();
        std::vector<float> values(q.size());
        for (std::size_t i = 0; i < q.size(); ++i) {
            const std::size_t s = count == 1 ? 0 : i / inner % count;
            values[i] = w.quantization->scales[s] *
                        static_cast<float>(q[i] - w.quantization->zero_points[s]);
        }
        return c.constant_operand<float>(std::move(dims), values);
    });
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
