// Removes nodes whose results nobody reads, and what tensors hold that nobody refers to. Ids stay:
// a removed tensor is an empty one.
#pragma once

#include <kompakt/graph/infer.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace passes {

inline status remove_dead(graph& g) {
    std::vector<bool> used(g.tensor_count(), false);
    for (tensor_id t : g.inputs) used[t] = true;
    for (tensor_id t : g.outputs) used[t] = true;
    const std::vector<node_id> order = g.order();
    for (std::size_t k = order.size(); k-- > 0;) {
        const node& n = g.node_at(order[k]);
        const bool alive =
            !n.op->updates().empty() ||
            std::any_of(n.outputs.begin(), n.outputs.end(), [&](tensor_id t) { return used[t]; });
        if (!alive) {
            g.remove_node(order[k]);
            continue;
        }
        for (tensor_id t : n.inputs) {
            if (t != no_tensor) used[t] = true;
        }
        for (tensor_id t : n.outputs) used[t] = true;
    }
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (!used[t]) g.tensor(t) = graph_tensor();
    }
    return {};
}

} // namespace passes
} // namespace KOMPAKT_ABI
} // namespace kompakt
