// What gradient hooks share: derivatives of one element, and the ways that gradients take through
// fused activations and broadcasts.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/mean.hpp>
#include <kompakt/kernel/mul.hpp>
#include <kompakt/kernel/unary_gradient.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// unary_gradient: input 0 times a derivative at input 1 (kernel/unary_gradient.hpp).
struct unary_gradient : op_of<unary_gradient> {
    static constexpr const char* op_name = "unary_gradient";

    derivative kind = derivative::clamp;
    float a = 0.0f, b = 0.0f;

    template <class V>
    void fields(V&& v) {
        auto number = static_cast<std::int32_t>(kind);
        v("kind", number), v("a", a), v("b", b);
        kind = static_cast<derivative>(number);
    }
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        c.set_output(0, dtype::f32, c.input_shape(1));
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<unary_grad_f32>({kind, a, b}, {c.in(0), c.in(1)}, {c.out()},
                               elementwise_overlaps(c));
        return {};
    }
};

// sum_to: the sum over all axes that a broadcast from `target` repeated.
struct sum_to : op_of<sum_to> {
    static constexpr const char* op_name = "sum_to";

    kompakt::shape target;

    template <class V>
    void fields(V&& v) {
        v("target", target);
    }
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, dtype::f32, target);
        return {};
    }
    status lower(lowering& c) const override {
        const kompakt::shape& in = c.input(0).shape;
        std::int32_t mask = 0;
        for (std::size_t k = 0; k < in.size(); ++k) {
            const bool kept = k < target.size() && target[target.size() - 1 - k] != dim(1);
            if (!kept) mask |= 1 << k;
        }
        c.emit<sum_f32>({mask}, {c.in(0)}, {c.out()}, {{overlap::kind::same_place, 0}});
        return {};
    }
};

// spread: the input, seen as `kept`, times `factor` and repeated to `target`: the way back through
// sums and means.
struct spread : op_of<spread> {
    static constexpr const char* op_name = "spread";

    kompakt::shape kept, target;
    float factor = 1.0f;

    template <class V>
    void fields(V&& v) {
        v("kept", kept), v("target", target), v("factor", factor);
    }
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, dtype::f32, target);
        return {};
    }
    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(target));
        std::uint32_t from = c.in(0);
        if (factor != 1.0f) {
            const float_range r = range_of(activation::none);
            from = c.temporary(dtype::f32, dims_of(c.input(0)));
            c.emit<mul_f32>({r.min, r.max}, {c.in(0), c.constant_operand<float>({}, {factor})},
                            {from}, {{overlap::kind::same_place, 0}});
        }
        const strided_map in = strided_map::of(kept);
        strided_map m;
        for (std::size_t i = 0; i < target.size(); ++i) {
            m.levels.push_back(
                {target[i].value(), in.levels[i].count != 1 ? in.levels[i].step : 0});
        }
        const auto elements = element_count(c.input(0).shape);
        if (!elements.ok()) return elements.error();
        return emit_strided(c, std::move(m), from, *elements, c.out());
    }
};

// cut: the part of the input that begins at `begin` and has the shape `target`: the way back
// through padding and concatenation.
struct cut_op : op_of<cut_op> {
    static constexpr const char* op_name = "cut";

    std::vector<std::int32_t> begin;
    kompakt::shape target;

    template <class V>
    void fields(V&& v) {
        v("begin", begin), v("target", target);
    }
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, dtype::f32, target);
        return {};
    }
    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(c.input(0).shape));
        strided_map m = strided_map::of(c.input(0).shape);
        for (std::size_t i = 0; i < begin.size(); ++i) m.take(i, begin[i], 1, target[i].value());
        return emit_strided(c, std::move(m));
    }
};
inline tensor_id cut(differentiation& d, tensor_id from, std::vector<std::int32_t> begin,
                     const shape& target) {
    if (d.shape_of(from) == target) return from;
    cut_op o;
    o.begin = std::move(begin), o.target = target;
    return d.add(std::move(o), {from});
}

// The gradient of output 0 before its fused activation.
inline tensor_id gradient_before(differentiation& d, activation fused) {
    if (fused == activation::none) return d.gradient();
    const float_range r = range_of(fused);
    unary_gradient o;
    o.a = r.min, o.b = r.max;
    return d.add(o, {d.gradient(), d.out()});
}

// Input `i`, which was broadcast to the shape of `gradient`, gets its sum.
inline void give_broadcast(differentiation& d, std::size_t i, tensor_id gradient) {
    if (d.in_shape(i) != d.shape_of(gradient)) {
        sum_to o;
        o.target = d.in_shape(i);
        gradient = d.add(o, {gradient});
    }
    d.give(i, gradient);
}

// The way back through a function of one element: from its input, or from its output.
enum class known_by : std::uint8_t { input, output };
inline status give_derivative(differentiation& d, derivative kind, known_by from, float a = 0.0f,
                              float b = 0.0f) {
    unary_gradient o;
    o.kind = kind, o.a = a, o.b = b;
    d.give(0, d.add(o, {d.gradient(), from == known_by::input ? d.in(0) : d.out()}));
    return {};
}

// An operator of the backward pass with an output of known shape.
template <class Op>
struct gradient_op : op_of<Op> {
    kompakt::shape target;

    template <class V>
    void fields(V&& v) {
        v("target", target);
    }
    status infer(inference& c) const override {
        c.set_output(0, dtype::f32, target);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
