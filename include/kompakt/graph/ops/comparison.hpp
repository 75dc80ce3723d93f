// equal, not_equal, less, less_equal, greater, greater_equal: two inputs of shapes that broadcast,
// the result is bool.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/comparison.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The kernels of one comparison: `a > b` is `b < a`, `a <= b` without NaN is not `b < a`.
template <class Int, class F32, class I8>
struct comparison_kernels {
    using int_kernel = Int;
    using f32_kernel = F32;
    using i8_kernel = I8;
};
using equal_kernels = comparison_kernels<equal_int, equal_f32, equal_i8>;
using less_kernels = comparison_kernels<less_int, less_f32, less_i8>;
using less_equal_kernels = comparison_kernels<less_int, less_equal_f32, less_i8>;

// The scale of a quantized input as a multiplier below one. TensorFlow Lite Micro stops at scales
// of one and more; here all are divided by the power of two that makes them smaller, since only
// their proportion counts.
inline compare_i8_params compare_params_for(const quantization& a, const quantization& b) noexcept {
    compare_i8_params p;
    p.zero_point_a = a.zero_point();
    p.zero_point_b = b.zero_point();
    int most = 0;
    std::frexp((std::max)(a.scale(), b.scale()), &most);
    const double unit = most > 0 ? std::ldexp(1.0, -most) : 1.0;
    p.a = quantize_multiplier(static_cast<double>(a.scale()) * unit);
    p.b = quantize_multiplier(static_cast<double>(b.scale()) * unit);
    return p;
}

// How a comparison follows from its kernel.
struct comparison_form {
    bool swapped = false;  // the operands change places
    bool inverted = false; // the result is inverted
};

template <class Op, class Kernels>
struct comparison_op : op_of<Op> {
    static constexpr bool takes_bool = std::is_same_v<Kernels, equal_kernels>;

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_binary(c, dtype::boolean); }

    status lower(lowering& c) const override {
        const compare_params how{Op::integers.inverted ? 1 : 0};
        const dtype type = c.input(0).type;
        if (type == dtype::f32) {
            emit<typename Kernels::f32_kernel>(c, {Op::floats.inverted ? 1 : 0},
                                               Op::floats.swapped);
            return {};
        }
        if (type == dtype::i8) {
            KOMPAKT_TRY(expect_per_tensor(c.input(0), "input"));
            KOMPAKT_TRY(expect_per_tensor(c.input(1), "second input"));
            const std::size_t first = Op::integers.swapped ? 1 : 0;
            compare_i8_params p =
                compare_params_for(*c.input(first).quantization, *c.input(1 - first).quantization);
            p.how = how;
            emit<typename Kernels::i8_kernel>(c, p, Op::integers.swapped);
            return {};
        }
        if (type == dtype::i32 || type == dtype::i64 || (takes_bool && type == dtype::boolean)) {
            KOMPAKT_TRY(expect_plain(c));
            emit<typename Kernels::int_kernel>(c, how, Op::integers.swapped);
            return {};
        }
        return refuse_type(c, takes_bool ? "float32, int8, int32, int64 or bool"
                                         : "float32, int8, int32 or int64");
    }

  private:
    template <class Kernel>
    static void emit(lowering& c, const typename Kernel::params& p, bool swapped) {
        std::vector<overlap> overlaps = elementwise_overlaps(c);
        if (swapped) {
            for (overlap& o : overlaps) o.input = 1 - o.input;
        }
        c.emit<Kernel>(p, {c.in(swapped ? 1 : 0), c.in(swapped ? 0 : 1)}, {c.out()},
                       std::move(overlaps));
    }
};

struct equal : comparison_op<equal, equal_kernels> {
    static constexpr const char* op_name = "equal";
    static constexpr comparison_form integers{false, false}, floats{false, false};
};
struct not_equal : comparison_op<not_equal, equal_kernels> {
    static constexpr const char* op_name = "not_equal";
    static constexpr comparison_form integers{false, true}, floats{false, true};
};
struct less : comparison_op<less, less_kernels> {
    static constexpr const char* op_name = "less";
    static constexpr comparison_form integers{false, false}, floats{false, false};
};
struct greater : comparison_op<greater, less_kernels> {
    static constexpr const char* op_name = "greater";
    static constexpr comparison_form integers{true, false}, floats{true, false};
};
struct less_equal : comparison_op<less_equal, less_equal_kernels> {
    static constexpr const char* op_name = "less_equal";
    static constexpr comparison_form integers{true, true}, floats{false, false};
};
struct greater_equal : comparison_op<greater_equal, less_equal_kernels> {
    static constexpr const char* op_name = "greater_equal";
    static constexpr comparison_form integers{false, true}, floats{true, false};
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
