// Turns integer weights of float32 operators (hybrid models) into float32 constants.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/quant/affine.hpp>

#include <map>
#include <set>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Which element has which of a tensor's scales. Needs a known shape.
inline granularity granularity_of(const quantization& q, const shape& s) {
    granularity g;
    if (q.per_tensor() || q.axis < 0 || static_cast<std::size_t>(q.axis) >= s.size()) return g;
    const auto axis = static_cast<std::size_t>(q.axis);
    g.extent = static_cast<std::size_t>(s[axis].value());
    for (std::size_t i = axis + 1; i < s.size(); ++i) {
        g.inner *= static_cast<std::size_t>(s[i].value());
    }
    g.group = static_cast<std::size_t>(q.group);
    return g;
}

// The real values of a quantized constant, int8 or packed, as float32.
inline result<constant> dequantized(const constant& c, const quantization& q) {
    const auto dense = decode(c);
    if (!dense.ok()) return dense.error();
    if (dense->type != dtype::i8 || q.scheme != scheme::affine) {
        return fail(errc::unsupported, "quantized ", name_of(dense->type), ", needed affine int8");
    }
    const granularity which = granularity_of(q, c.shape);
    const std::vector<std::int8_t> integers = dense->values<std::int8_t>();
    std::vector<float> values(integers.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t s = which(i);
        if (s >= q.scales.size() || s >= q.zero_points.size()) {
            return fail(errc::bad_file, q.scales.size(), " scales for ", text_of(c.shape));
        }
        values[i] = q.scales[s] * static_cast<float>(integers[i] - q.zero_points[s]);
    }
    return make_constant(c.shape, values);
}

namespace passes {

// Each tensor once, however many nodes read it; together at most 64 MiB more than eight times what
// the graph holds, since a hostile file may have many tensors on one payload.
inline status decode_weights(graph& g) {
    std::map<tensor_id, tensor_id> done;
    std::uint64_t made = 0, given = 0;
    std::set<const void*> payloads;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const auto& v = g.tensor(t).value;
        if (v && payloads.insert(v->payload.get()).second) given += v->bytes().size();
    }
    for (node_id id : g.order()) {
        node& n = g.node_at(id);
        const quantization_rule rule = n.op->quantize_rule();
        const auto at = static_cast<std::size_t>(rule.weights);
        if (rule.weights < 0 || at >= n.inputs.size() || n.inputs[at] == no_tensor ||
            g.tensor(n.inputs[0]).type != dtype::f32) {
            continue;
        }
        const graph_tensor& w = g.tensor(n.inputs[at]);
        if (!w.value || !w.quantization || w.type == dtype::f32) continue;
        const tensor_id source = n.inputs[at];
        if (const auto found = done.find(source); found != done.end()) {
            n.inputs[at] = found->second;
            continue;
        }
        auto values = dequantized(*w.value, *w.quantization);
        if (!values.ok()) return values.error().within("tensor ", w.name, ": ");
        made += values->bytes().size();
        if (made > (std::uint64_t{64} << 20) + 8 * given) {
            return fail(errc::limit, "tensor ", w.name, ": decoded weights take more than ", made,
                        " bytes");
        }
        const std::string name = w.name;
        n.inputs[at] = done[source] = g.add_constant(name, std::move(*values));
    }
    return {};
}

} // namespace passes
} // namespace KOMPAKT_ABI
} // namespace kompakt
