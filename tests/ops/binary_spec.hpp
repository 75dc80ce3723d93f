// What the specs of add, sub and mul share: the cases, and the dull walk through two shapes.
#pragma once

#include "reference.hpp"

namespace kompakt_test {

// Calls `f(a, b)` with the two numbers that meet at each element of the output, and stores
// the result.
template <class F>
void broadcast_reference(const op_arguments& args, values& out, F&& f) {
    const auto at = [&](const values& v, std::size_t flat) {
        std::size_t index = 0, step = 1;
        for (std::size_t i = 1; i <= out.dims.size(); ++i) {
            const auto extent = static_cast<std::size_t>(out.dims[out.dims.size() - i]);
            const std::size_t position = flat % extent;
            flat /= extent;
            if (i > v.dims.size()) continue;
            const auto own = static_cast<std::size_t>(v.dims[v.dims.size() - i]);
            if (own != 1) index += position * step;
            step *= own;
        }
        return v.data[index];
    };
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        out.data[i] = f(at(args.inputs[0], i), at(args.inputs[1], i));
    }
}

struct binary_layer {
    std::string name;
    kompakt::shape a, b;
    kompakt::activation fused = kompakt::activation::none;
    bool constant = false; // the second operand
    float scale_a = 0.021f, scale_b = 0.034f, scale_out = 0.05f;
    int zero_a = 4, zero_b = -7, zero_out = 11;
    bool bench = false;
};

template <class Op>
op_case binary_case(const binary_layer& l, dtype type) {
    case_builder b(l.name + (type == dtype::i8 ? " int8" : " float32"));
    const bool int8 = type == dtype::i8;
    const auto quantized = [&](float scale, int zero) {
        return int8 ? std::optional(quantization::per_tensor_affine(scale, zero)) : std::nullopt;
    };
    Op op;
    op.fused = l.fused;
    const tensor_id first = b.input(type, l.a, quantized(l.scale_a, l.zero_a));
    tensor_id second = first;
    dice d(11);
    const std::size_t n = *kompakt::element_count(l.b);
    if (l.constant && int8) {
        std::vector<std::int8_t> v(n);
        for (std::int8_t& x : v) x = static_cast<std::int8_t>(d.between(-128, 127));
        second = b.constant("second", l.b, v, quantized(l.scale_b, l.zero_b));
    } else if (l.constant) {
        std::vector<float> v(n);
        for (float& x : v) x = d.real(-2.0f, 2.0f);
        second = b.constant("second", l.b, v);
    } else {
        second = b.input(type, l.b, quantized(l.scale_b, l.zero_b));
    }
    return b.finish(std::move(op), {first, second}, quantized(l.scale_out, l.zero_out), l.bench);
}

template <class Op>
std::vector<op_case> binary_cases() {
    using kompakt::activation;
    std::vector<op_case> all;
    const auto add = [&](const binary_layer& l) {
        for (const dtype type : {dtype::i8, dtype::f32}) {
            all.push_back(binary_case<Op>(l, type));
            binary_layer swapped = l;
            swapped.name += ", swapped";
            std::swap(swapped.a, swapped.b);
            if (l.a != l.b) all.push_back(binary_case<Op>(swapped, type));
        }
    };
    const auto shapes = [&](const char* name, kompakt::shape a, kompakt::shape b) {
        binary_layer l;
        l.name = name, l.a = std::move(a), l.b = std::move(b);
        add(l);
        l.name += ", constant", l.constant = true;
        add(l);
    };
    shapes("one element", {1}, {1});
    shapes("scalars", {}, {});
    shapes("equal", {3, 5, 7}, {3, 5, 7});
    shapes("equal, rank 6", {2, 1, 3, 2, 1, 5}, {2, 1, 3, 2, 1, 5});
    shapes("one dimension less, of one", {1, 3, 5}, {3, 5});
    shapes("by a scalar", {2, 9}, {});
    shapes("by one element", {2, 9}, {1, 1, 1});
    shapes("by channels", {2, 3, 4, 7}, {7});
    shapes("by rows", {2, 3, 4, 7}, {2, 3, 1, 1});
    shapes("by the middle", {2, 3, 4, 7}, {3, 1, 7});
    shapes("both ways", {4, 1, 6}, {5, 1});
    shapes("all ways, rank 6", {3, 1, 2, 1, 2, 1}, {1, 4, 1, 3, 1, 2});
    shapes("ones around", {1, 6, 1}, {2, 1, 1, 3});
    shapes("255 channels", {2, 3, 255}, {255});
    shapes("257 channels", {1, 257}, {1, 257});
    shapes("1 of 257", {3, 1}, {257});

    binary_layer l;
    l.a = l.b = {3, 11};
    for (const activation fused : {activation::relu, activation::relu6, activation::relu_n1_to_1}) {
        l.name = std::string("fused ") + kompakt::name_of(fused), l.fused = fused;
        add(l);
    }
    l.fused = activation::none, l.a = {4, 64}, l.b = {4, 64};
    l.name = "zero points at the ends", l.zero_a = -128, l.zero_b = 127, l.zero_out = -128;
    add(l);
    l.name = "one scale for all", l.scale_a = l.scale_b = l.scale_out = 0.0625f;
    l.zero_a = l.zero_b = l.zero_out = 0;
    add(l);
    l.name = "ties", l.scale_out = 0.125f;
    add(l);
    l.name = "scales far apart", l.scale_a = 3.1f, l.scale_b = 1e-6f, l.zero_out = 127;
    add(l);
    l.name = "a fine output", l.scale_b = 0.7f, l.scale_out = 1e-4f, l.zero_out = 1;
    add(l);
    l.name = "a coarse output", l.scale_a = 1e-3f, l.scale_b = 2e-3f, l.scale_out = 900.0f;
    add(l);
    // Scales as a converter writes them: their quotients are not exact in any precision.
    dice d(5);
    for (int i = 0; i < 20; ++i) {
        l.name = "scales " + std::to_string(i);
        l.scale_a = d.real(1e-3f, 0.1f), l.scale_b = d.real(1e-3f, 0.1f);
        l.scale_out = d.real(1e-2f, 0.1f);
        l.zero_a = static_cast<int>(d.between(-128, 127));
        l.zero_b = static_cast<int>(d.between(-128, 127));
        l.zero_out = static_cast<int>(d.between(-128, 127));
        all.push_back(binary_case<Op>(l, dtype::i8));
    }
    l = {};
    l.name = "residual 32x32x16", l.a = l.b = {1, 32, 32, 16}, l.bench = true;
    add(l);
    l.name = "by 64 channels", l.a = {1, 25, 5, 64}, l.b = {64};
    add(l);
    // Both operands may be one tensor.
    for (const dtype type : {dtype::i8, dtype::f32}) {
        case_builder b(type == dtype::i8 ? "with itself int8" : "with itself float32");
        std::optional<quantization> q;
        if (type == dtype::i8) q = quantization::per_tensor_affine(0.03f, 5);
        const tensor_id in = b.input(type, {2, 33}, q);
        all.push_back(b.finish(Op{}, {in, in}, q));
    }
    return all;
}

// int8 addition and subtraction: both operands at twice the larger scale, 20 bits finer.
struct reference_sum {
    reference_multiplier a, b, result;
    double zero_a, zero_b, zero_out;
    int sign;
    reference_clamp clamp;

    reference_sum(const op_arguments& x, double scale_a, double scale_b, double scale_out, int s,
                  kompakt::activation fused)
        : a(scale_a), b(scale_b), result(scale_out), zero_a(zero_of(x, 0)), zero_b(zero_of(x, 1)),
          zero_out(x.output().quantization->zero_point()), sign(s), clamp(fused, x.output()) {}

    double operator()(double p, double q) const {
        const auto first = static_cast<std::int64_t>(p - zero_a) * 1048576;
        const auto second = static_cast<std::int64_t>(q - zero_b) * 1048576;
        const std::int64_t sum = a.apply(first) + sign * b.apply(second);
        return clamp.apply(static_cast<double>(result.apply(sum)) + zero_out);
    }
};

} // namespace kompakt_test
