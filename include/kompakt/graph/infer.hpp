// Shape inference, binding of named dimensions, and the checks that every graph must pass.
#pragma once

#include <kompakt/graph/graph.hpp>

#include <cmath>
#include <map>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline status check_quantization(const graph_tensor& t) {
    if (!t.quantization) return {};
    const quantization& q = *t.quantization;
    const auto bad = [&](const auto&... parts) {
        return fail(errc::bad_file, "tensor ", t.name, ": ", parts...);
    };
    if (q.scales.empty() || q.scales.size() != q.zero_points.size()) {
        return bad(q.scales.size(), " scales and ", q.zero_points.size(), " zero points");
    }
    if (q.scales.size() > 1) {
        if (q.axis < 0 || static_cast<std::size_t>(q.axis) >= t.shape.size()) {
            return bad("quantized axis ", q.axis, " of ", text_of(t.shape));
        }
        const dim& d = t.shape[static_cast<std::size_t>(q.axis)];
        if (!d.known() || d.value() != static_cast<std::int64_t>(q.scales.size())) {
            return bad(q.scales.size(), " scales for axis ", q.axis, " of ", text_of(t.shape));
        }
    }
    for (std::size_t i = 0; i < q.scales.size(); ++i) {
        if (!std::isfinite(q.scales[i]) || q.scales[i] <= 0.0f) {
            return bad("scale ", i, " is ", q.scales[i], ", needed a positive number");
        }
        const std::int64_t z = q.zero_points[i];
        const bool fits = t.type == dtype::i8    ? z >= -128 && z <= 127
                          : t.type == dtype::u8  ? z >= 0 && z <= 255
                          : t.type == dtype::i16 ? z >= -32768 && z <= 32767
                                                 : true;
        if (!fits) return bad("zero point ", z, " outside ", name_of(t.type));
    }
    return {};
}

// A state of known size whose start, if it has one, fits.
inline status check_state(const graph_tensor& t, bool given) {
    const auto bad = [&](const auto&... parts) {
        return fail(errc::bad_file, "state ", t.name, ": ", parts...);
    };
    if (given || t.value) return bad("also an input or a constant");
    if (t.type == dtype::none || !is_known(t.shape)) {
        return bad(name_of(t.type), " ", text_of(t.shape), ", needed a type and numbers");
    }
    const auto n = element_count(t.shape);
    if (!n.ok()) return n.error().within("state ", t.name, ": ");
    if (*n == 0) return bad("is empty");
    if (!t.state->value) return {};
    const constant& start = *t.state->value;
    if (start.type != t.type || start.coding.kind != encoding::dense ||
        start.bytes().size() != (*n * bits_of(t.type) + 7) / 8) {
        return bad("starts as ", name_of(start.type), " ", text_of(start.shape), ", needed ",
                   name_of(t.type), " ", text_of(t.shape), ", dense");
    }
    return {};
}

// Structure: ids inside their tables, every value written once and before it is read.
inline status check_structure(const graph& g) {
    std::vector<bool> written(g.tensor_count(), false);
    for (tensor_id t : g.inputs) {
        if (t >= g.tensor_count())
            return fail(errc::bad_file, "graph input ", t, " does not exist");
        if (written[t] || g.tensor(t).value) {
            return fail(errc::bad_file, "graph input ", g.tensor(t).name, " is given twice");
        }
        written[t] = true;
    }
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const graph_tensor& x = g.tensor(t);
        KOMPAKT_TRY(check_quantization(x));
        if (x.state) KOMPAKT_TRY(check_state(x, written[t]));
        if (x.state) written[t] = true;
        if (!x.value) continue;
        written[t] = true;
        const auto n = element_count(x.shape);
        if (!n.ok()) return n.error().within("tensor ", x.name, ": ");
        const std::size_t bytes = (*n * bits_of(x.type) + 7) / 8;
        if (x.value->coding.kind == encoding::dense && x.value->bytes().size() != bytes) {
            return fail(errc::bad_file, "tensor ", x.name, ": ", text_of(x.shape), " ",
                        name_of(x.type), " needs ", bytes, " bytes, has ", x.value->bytes().size());
        }
    }
    for (node_id n : g.order()) {
        for (tensor_id t : g.node_at(n).inputs) {
            if (t == no_tensor) continue;
            if (t >= g.tensor_count()) {
                return fail(errc::bad_file, g.node_text(n), ": input ", t, " does not exist");
            }
            if (!written[t]) {
                return fail(errc::bad_file, g.node_text(n), ": reads ", g.tensor(t).name,
                            " before it is written");
            }
        }
        for (std::size_t i : g.node_at(n).op->updates()) {
            const auto& in = g.node_at(n).inputs;
            if (i >= in.size() || in[i] == no_tensor || !g.tensor(in[i]).state) {
                return fail(errc::bad_file, g.node_text(n), ": input ", i,
                            " is updated, needed a state");
            }
            if (std::count(in.begin(), in.end(), in[i]) != 1) {
                return fail(errc::unsupported, g.node_text(n), ": state ", g.tensor(in[i]).name,
                            " is more than one input");
            }
        }
        for (tensor_id t : g.node_at(n).outputs) {
            if (t >= g.tensor_count()) {
                return fail(errc::bad_file, g.node_text(n), ": output ", t, " does not exist");
            }
            if (written[t]) {
                return fail(errc::bad_file, g.node_text(n), ": writes ", g.tensor(t).name,
                            ", which has a value already");
            }
            written[t] = true;
        }
    }
    for (tensor_id t : g.outputs) {
        if (t >= g.tensor_count() || !written[t]) {
            return fail(errc::bad_file, "graph output ", t, " is never written");
        }
    }
    return {};
}

// Checks the structure, then sets types and shapes of all values from the inputs on.
inline status infer(graph& g) {
    KOMPAKT_TRY(check_structure(g));
    for (tensor_id t : g.inputs) {
        if (!is_known(g.tensor(t).shape)) continue;
        const auto count = element_count(g.tensor(t).shape);
        if (!count.ok()) return count.error().within("input ", g.tensor(t).name, ": ");
    }
    for (node_id n : g.order()) {
        inference c = g.infer_context(n);
        KOMPAKT_TRY(g.node_at(n).op->infer(c).within(g.node_text(n), ": "));
        for (tensor_id t : g.node_at(n).outputs) {
            if (!is_known(g.tensor(t).shape)) continue;
            const auto count = element_count(g.tensor(t).shape);
            if (!count.ok()) return count.error().within(g.node_text(n), ": output: ");
            if (*count == 0) return fail(errc::bad_file, g.node_text(n), ": output is empty");
        }
    }
    return {};
}

// The graph with symbols turned into numbers, shapes inferred anew.
inline result<graph> bind(const graph& g, const std::map<std::string, std::int64_t>& values) {
    graph bound = g;
    for (tensor_id t : bound.inputs) {
        for (dim& d : bound.tensor(t).shape) {
            if (d.known()) continue;
            const auto it = values.find(d.symbol());
            if (it == values.end()) continue;
            if (it->second < 1) {
                return fail(errc::bad_argument, "dimension ", d.symbol(), " = ", it->second,
                            ", needed at least 1");
            }
            d = dim(it->second);
        }
    }
    KOMPAKT_TRY(infer(bound));
    return bound;
}

inline std::uint64_t macs(graph& g) {
    std::uint64_t sum = 0;
    for (node_id n : g.order()) sum += g.node_at(n).op->macs(g.infer_context(n));
    return sum;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
