// Removes nodes that give their input back: reshapes to the same shape, transpositions that move
// nothing, pads of nothing, concatenations of one; and the first of two reshapes in a row. A node
// that writes an output of the graph stays, so that the output keeps its name.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/transpose.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace passes {

namespace detail {
inline bool is_identity(const graph& g, const node& n) {
    if (n.inputs.size() != 1 || n.outputs.size() != 1) return false;
    const graph_tensor &in = g.tensor(n.inputs[0]), &out = g.tensor(n.outputs[0]);
    // A state may change between here and where the copy is read.
    if (in.state || in.type != out.type || in.shape != out.shape ||
        in.quantization != out.quantization) {
        return false;
    }
    if (n.op->as<ops::reshape>() != nullptr || n.op->as<ops::pad>() != nullptr) return true;
    if (const auto* c = n.op->as<ops::concatenation>()) return c->fused == activation::none;
    if (const auto* t = n.op->as<ops::transpose>()) {
        return std::is_sorted(t->perm.begin(), t->perm.end());
    }
    return false;
}
} // namespace detail

// Needs inferred shapes.
inline status remove_identities(graph& g) {
    for (node_id id : std::vector<node_id>(g.order())) {
        const node n = g.node_at(id);
        if (detail::is_identity(g, n) && !g.is_output(n.outputs[0])) {
            g.replace_uses(n.outputs[0], n.inputs[0]);
            g.remove_node(id);
            continue;
        }
        if (n.op->as<ops::reshape>() == nullptr) continue;
        const auto before = g.producer(n.inputs[0]);
        if (!before || g.node_at(*before).op->as<ops::reshape>() == nullptr) continue;
        // Symbols of the shape between may be what the second shape is computed from.
        if (!is_known(g.tensor(n.inputs[0]).shape)) continue;
        g.node_at(id).inputs[0] = g.node_at(*before).inputs[0];
    }
    return {};
}

} // namespace passes
} // namespace KOMPAKT_ABI
} // namespace kompakt
