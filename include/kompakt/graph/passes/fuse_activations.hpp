// Moves a relu, relu6 or relu_n1_to_1 into the operator before it, where that has a fused
// activation and nothing else reads its result. The operator then writes the activation's
// output tensor.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/relu.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace passes {

// The fused activation of an operator; null if it has none.
inline activation* fused_activation(op& o) {
    struct finder : attribute_visitor {
        activation* found = nullptr;
        void operator()(const char*, std::int32_t&) override {}
        void operator()(const char*, float&) override {}
        void operator()(const char*, bool&) override {}
        void operator()(const char*, activation& value) override { found = &value; }
        void operator()(const char*, std::vector<std::int32_t>&) override {}
        void operator()(const char*, shape&) override {}
    } f;
    o.visit(f);
    return f.found;
}

namespace detail {
inline activation activation_of(const ops::relu& r) noexcept {
    switch (r.kind) {
    case ops::relu_kind::relu:
        return activation::relu;
    case ops::relu_kind::relu6:
        return activation::relu6;
    case ops::relu_kind::relu_n1_to_1:
        return activation::relu_n1_to_1;
    case ops::relu_kind::relu_0_to_1:
        break;
    }
    return activation::none;
}
// One activation after another, where the two are one.
inline std::optional<activation> compose(activation first, activation then) noexcept {
    if (first == activation::none || first == then) return then;
    if (first == activation::relu && then == activation::relu6) return then;
    if (first == activation::relu6 && then == activation::relu) return first;
    return std::nullopt;
}
} // namespace detail

// Only float32: in integers the scales between the two count.
inline status fuse_activations(graph& g) {
    for (node_id id : std::vector<node_id>(g.order())) {
        const node& n = g.node_at(id);
        const auto* r = n.op->as<ops::relu>();
        if (r == nullptr || detail::activation_of(*r) == activation::none) continue;
        const tensor_id between = n.inputs[0];
        const auto before = g.producer(between);
        if (!before || g.tensor(between).type != dtype::f32 || g.is_output(between) ||
            g.consumers(between).size() != 1 || g.node_at(*before).outputs.size() != 1) {
            continue;
        }
        activation* fused = fused_activation(*g.node_at(*before).op);
        if (fused == nullptr) continue;
        const auto both = detail::compose(*fused, detail::activation_of(*r));
        if (!both) continue;
        *fused = *both;
        const tensor_id out = n.outputs[0];
        g.remove_node(id);
        g.node_at(*before).outputs[0] = out;
    }
    return {};
}

} // namespace passes
} // namespace KOMPAKT_ABI
} // namespace kompakt
