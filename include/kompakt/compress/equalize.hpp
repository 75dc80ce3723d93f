// Cross-layer equalization (Nagel et al., ICCV 2019): where one layer feeds the next through
// nothing or a ReLU, a channel can be made smaller in one and larger in the other without changing
// the result. The ranges of the channels meet in the middle.
#pragma once

#include <kompakt/compress/layer_patches.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

struct linked_layers {
    node_id first, second;
    weight_layout from, to;
};

// Pairs whose tensor between has one reader, and whose constants have no other.
inline std::vector<linked_layers> find_links(const graph& g) {
    std::vector<linked_layers> links;
    const auto own = [&](tensor_id t) {
        return t != no_tensor && g.tensor(t).value && g.tensor(t).type == dtype::f32 &&
               g.tensor(t).value->coding.kind == encoding::dense && g.consumers(t).size() == 1 &&
               !g.is_output(t);
    };
    const auto fits = [&](const node& n) {
        return own(n.inputs[1]) &&
               (n.inputs.size() < 3 || n.inputs[2] == no_tensor || own(n.inputs[2]));
    };
    for (node_id id : g.order()) {
        const auto from = layout_of(g, g.node_at(id));
        if (!from || (from->fused != activation::none && from->fused != activation::relu)) continue;
        const tensor_id t = g.node_at(id).outputs[0];
        const auto readers = g.consumers(t);
        if (readers.size() != 1 || g.is_output(t)) continue;
        const auto to = layout_of(g, g.node_at(readers[0]));
        const node &a = g.node_at(id), &b = g.node_at(readers[0]);
        if (!to || b.inputs[0] != t || to->depth * to->groups != from->outputs || !fits(a) ||
            !fits(b)) {
            continue;
        }
        links.push_back({id, readers[0], *from, *to});
    }
    return links;
}

} // namespace detail

// Needs a float32 graph with inferred shapes. Channels that are 0 on either side stay as they are.
inline status equalize_layers(graph& g, int rounds = 20) {
    const auto links = detail::find_links(g);
    for (int round = 0; round < rounds; ++round) {
        double most = 0.0;
        for (const detail::linked_layers& k : links) {
            node &a = g.node_at(k.first), &b = g.node_at(k.second);
            graph_tensor &wa = g.tensor(a.inputs[1]), &wb = g.tensor(b.inputs[1]);
            std::vector<float> x = wa.value->values<float>(), y = wb.value->values<float>();
            const std::size_t channels = k.from.outputs;
            std::vector<float> ra(channels, 0.0f), rb(channels, 0.0f);
            const auto each = [](const weight_layout& l, const auto& f) {
                for (std::size_t n = 0; n < l.outputs; ++n) {
                    for (std::size_t i = 0; i < l.length; ++i) f(n, i, l.at(n, i));
                }
            };
            each(k.from, [&](std::size_t n, std::size_t, std::size_t at) {
                ra[n] = (std::max)(ra[n], std::fabs(x[at]));
            });
            each(k.to, [&](std::size_t n, std::size_t i, std::size_t at) {
                float& r = rb[k.to.channel(n, i)];
                r = (std::max)(r, std::fabs(y[at]));
            });
            std::vector<float> scale(channels, 1.0f);
            for (std::size_t c = 0; c < channels; ++c) {
                const double s = std::sqrt(static_cast<double>(ra[c]) / static_cast<double>(rb[c]));
                // Beyond that a channel is as good as dead, and its bias would leave int32.
                if (!(s > 1e-3) || !(s < 1e3)) continue;
                scale[c] = static_cast<float>(s);
                most = (std::max)(most, std::fabs(std::log(s)));
            }
            each(k.from, [&](std::size_t n, std::size_t, std::size_t at) { x[at] /= scale[n]; });
            each(k.to, [&](std::size_t n, std::size_t i, std::size_t at) {
                y[at] *= scale[k.to.channel(n, i)];
            });
            wa.value = make_constant(wa.shape, x);
            wb.value = make_constant(wb.shape, y);
            if (a.inputs.size() > 2 && a.inputs[2] != no_tensor) {
                graph_tensor& bias = g.tensor(a.inputs[2]);
                std::vector<float> v = bias.value->values<float>();
                for (std::size_t c = 0; c < v.size() && c < channels; ++c) v[c] /= scale[c];
                bias.value = make_constant(bias.shape, v);
            }
        }
        if (most < 1e-3) break;
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
