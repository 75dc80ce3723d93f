// Folds batch normalization into the convolution or dense layer before it:
//
//     w' = w * gamma / sqrt(variance + epsilon)      per output channel
//     b' = (b - mean) * gamma / sqrt(variance + epsilon) + beta
//
// One that cannot be folded (no such layer before, or something else reads that layer's result)
// becomes a multiplication and an addition. A channel with gamma = 0 becomes a dead one, which is
// exact; nothing is divided by gamma.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/passes/fuse_activations.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace passes {

namespace detail {

inline std::optional<std::vector<float>> float_constant(const graph& g, tensor_id t) {
    if (t == no_tensor || !g.tensor(t).value || g.tensor(t).type != dtype::f32) return std::nullopt;
    const auto dense = decode(*g.tensor(t).value);
    if (!dense.ok()) return std::nullopt;
    return dense->values<float>();
}

// False when the layer before does not allow it.
inline bool fold_into_layer(graph& g, node_id bn, const std::vector<ops::batch_norm::line>& lines) {
    const tensor_id between = g.node_at(bn).inputs[0];
    const auto before = g.producer(between);
    if (!before || g.is_output(between) || g.consumers(between).size() != 1) return false;
    node& layer = g.node_at(*before);
    const quantization_rule rule = layer.op->quantize_rule();
    const activation* fused = fused_activation(*layer.op);
    if (rule.weights < 0 || rule.bias < 0 || rule.channel_axis < 0 || fused == nullptr ||
        *fused != activation::none) {
        return false;
    }
    const auto weights_at = static_cast<std::size_t>(rule.weights);
    const auto bias_at = static_cast<std::size_t>(rule.bias);
    const tensor_id w = layer.inputs[weights_at];
    const tensor_id b = bias_at < layer.inputs.size() ? layer.inputs[bias_at] : no_tensor;
    auto weights = float_constant(g, w);
    const auto bias = float_constant(g, b);
    if (!weights || (b != no_tensor && !bias)) return false;
    const shape dims = g.tensor(w).shape;
    const auto axis = static_cast<std::size_t>(rule.channel_axis);
    if (axis >= dims.size() || dims[axis] != dim(static_cast<std::int64_t>(lines.size()))) {
        return false;
    }
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < dims.size(); ++i) {
        inner *= static_cast<std::size_t>(dims[i].value());
    }
    for (std::size_t i = 0; i < weights->size(); ++i) {
        const double scale = lines[i / inner % lines.size()].scale;
        (*weights)[i] = static_cast<float>(static_cast<double>((*weights)[i]) * scale);
    }
    std::vector<float> offsets;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const double old = bias ? static_cast<double>((*bias)[k]) : 0.0;
        offsets.push_back(static_cast<float>(old * lines[k].scale + lines[k].offset));
    }
    // New constants: other layers may share the old ones.
    const std::string name = g.tensor(w).name;
    const tensor_id new_w = g.add_constant(name, make_constant(dims, *weights));
    const tensor_id new_b = g.add_constant(
        b != no_tensor ? g.tensor(b).name : name + "/bias",
        make_constant<float>({dim(static_cast<std::int64_t>(lines.size()))}, offsets));
    if (layer.inputs.size() <= bias_at) layer.inputs.resize(bias_at + 1, no_tensor);
    layer.inputs[weights_at] = new_w;
    layer.inputs[bias_at] = new_b;
    const tensor_id out = g.node_at(bn).outputs[0];
    g.remove_node(bn);
    layer.outputs[0] = out;
    return true;
}

inline void split_batch_norm(graph& g, node_id bn,
                             const std::vector<ops::batch_norm::line>& lines) {
    std::vector<float> scales, offsets;
    for (const auto& l : lines) {
        scales.push_back(static_cast<float>(l.scale));
        offsets.push_back(static_cast<float>(l.offset));
    }
    const shape dims = {dim(static_cast<std::int64_t>(lines.size()))};
    const node n = g.node_at(bn);
    const std::string name = n.name.empty() ? g.tensor(n.outputs[0]).name : n.name;
    const tensor_id s = g.add_constant(name + "/scale", make_constant(dims, scales));
    const tensor_id o = g.add_constant(name + "/offset", make_constant(dims, offsets));
    graph_tensor scaled = g.tensor(n.outputs[0]);
    scaled.name = name + "/scaled";
    const tensor_id between = g.add_tensor(std::move(scaled));
    const auto at = static_cast<std::size_t>(std::find(g.order().begin(), g.order().end(), bn) -
                                             g.order().begin());
    g.remove_node(bn);
    g.insert_node(at, name + "/mul", ops::mul{}, {n.inputs[0], s}, {between});
    g.insert_node(at + 1, name + "/add", ops::add{}, {between, o}, {n.outputs[0]});
}

} // namespace detail

// Needs inferred shapes.
inline status fold_batch_norm(graph& g) {
    for (node_id id : std::vector<node_id>(g.order())) {
        const auto* bn = g.node_at(id).op->as<ops::batch_norm>();
        if (bn == nullptr || g.tensor(g.node_at(id).inputs[0]).type != dtype::f32) continue;
        const auto lines = bn->lines(g.infer_context(id));
        if (!lines.ok()) return lines.error().within(g.node_text(id), ": ");
        if (!detail::fold_into_layer(g, id, *lines)) detail::split_batch_norm(g, id, *lines);
    }
    return {};
}

} // namespace passes
} // namespace KOMPAKT_ABI
} // namespace kompakt
