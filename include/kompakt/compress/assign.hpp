// From ranges to quantization parameters: which nodes run in int8, which tensors share a scale, how
// weights and biases are quantized. Source: TensorFlow Lite 8-bit quantization specification.
//
// Nothing is changed in the graph: the side table that comes out serves conversion (convert.hpp) as
// well as fake quantization.
#pragma once

#include <kompakt/compress/calibrate.hpp>
#include <kompakt/graph/passes/decode_weights.hpp>
#include <kompakt/quant/affine.hpp>

#include <numeric>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct assign_options {
    bool per_channel = true; // weights of convolutions have one scale per output channel
    // ... and those of dense layers: TensorFlow Lite Micro runs both, older runtimes only the
    // latter.
    bool per_channel_dense = true;
    // Operators ("softmax") or nodes, by name, that stay in float32.
    std::vector<std::string> keep_float;
    // Of weights of convolutions and dense layers: 2 ... 8. Others stay at 8.
    int weight_bits = 8;
    int first_last_bits = 0; // of the first and the last such layer; 0: like all
    // By name of a node or of its output; goes before the others.
    std::vector<std::pair<std::string, int>> layer_bits;
};

struct node_quantization {
    bool integer = false;
    std::string float_because;        // why not, if it could have been
    quantization weights, bias;       // of layers with weights
    std::vector<double> least_scales; // that the weights of each channel may have
    // What a method chose instead of the nearest integers (int8, dense), and a bias that it moved.
    std::optional<constant> integers, bias_values;
    // By input, of operators with rules for inputs; none of activations.
    std::vector<std::optional<quantization>> inputs;
};

// By id. Tensors: activations, and constants that are used like activations.
struct quantization_table {
    std::vector<std::optional<quantization>> tensors;
    std::vector<std::optional<value_range>> ranges; // that the scales were computed from
    std::vector<node_quantization> nodes;
};

// Inputs of a node that are activations: all but weights, bias and indices.
inline std::vector<tensor_id> activation_inputs(const node& n) {
    const quantization_rule rule = n.op->quantize_rule();
    const std::vector<input_rule> rules = n.op->input_rules();
    std::vector<tensor_id> all;
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
        if (i < rules.size() && rules[i].what != input_rule::kind::activation) continue;
        if (n.inputs[i] == no_tensor || static_cast<int>(i) == rule.weights ||
            static_cast<int>(i) == rule.bias || rule.holds_indices(i)) {
            continue;
        }
        all.push_back(n.inputs[i]);
    }
    return all;
}
// The constant at an input of a node; no_tensor where there is none.
inline tensor_id input_or_none(const node& n, int at) noexcept {
    return at >= 0 && static_cast<std::size_t>(at) < n.inputs.size()
               ? n.inputs[static_cast<std::size_t>(at)]
               : no_tensor;
}

namespace detail {

inline result<std::vector<float>> constant_values(const graph& g, tensor_id t) {
    const auto dense = decode(*g.tensor(t).value);
    if (!dense.ok()) return dense.error().within("tensor ", g.tensor(t).name, ": ");
    std::vector<float> values = dense->values<float>();
    KOMPAKT_TRY(check_finite({values.data(), values.size()})
                    .within("tensor ", g.tensor(t).name.substr(0, 60), ": "));
    return values;
}

// Empty when a node can be int8, "-" when its operator has no int8 form at all, else the reason.
inline std::string float_reason(const graph& g, const node& n, const assign_options& options,
                                const std::string& refusal) {
    const quantization_rule rule = n.op->quantize_rule();
    if (rule.how == quantization_rule::kind::none) return "-";
    if (!refusal.empty()) return refusal;
    for (const std::string& keep : options.keep_float) {
        if (keep == n.op->name() || (!n.name.empty() && keep == n.name)) return "kept by option";
        for (tensor_id t : n.outputs) {
            if (!g.tensor(t).name.empty() && keep == g.tensor(t).name) return "kept by option";
        }
    }
    for (tensor_id t : activation_inputs(n)) {
        if (g.tensor(t).type != dtype::f32)
            return std::string("input ") + name_of(g.tensor(t).type);
    }
    for (tensor_id t : n.outputs) {
        if (rule.float_output && g.tensor(t).type != dtype::f32)
            return std::string("output ") + name_of(g.tensor(t).type);
    }
    for (int at : {rule.weights, rule.bias}) {
        const tensor_id t = input_or_none(n, at);
        if (t == no_tensor) continue;
        if (!g.tensor(t).value || g.tensor(t).type != dtype::f32) {
            return at == rule.weights ? "weights are not constant" : "bias is not constant";
        }
    }
    const std::vector<input_rule> rules = n.op->input_rules();
    for (std::size_t i = 0; i < rules.size() && i < n.inputs.size(); ++i) {
        const tensor_id t = n.inputs[i];
        if (t == no_tensor || rules[i].what == input_rule::kind::activation) continue;
        const graph_tensor& x = g.tensor(t);
        const std::string which = "input " + std::to_string(i);
        if (x.type != dtype::f32) return which + " " + name_of(x.type);
        if (rules[i].what != input_rule::kind::state) {
            if (!x.value) return which + " is not constant";
        } else if (!x.state || x.state->fill != 0 || x.state->value || g.is_output(t) ||
                   g.consumers(t).size() != 1) {
            return which + " is a state that others see or that does not start at 0";
        }
    }
    return {};
}

// Tensors that share one scale and zero point.
class tensor_groups {
  public:
    explicit tensor_groups(std::size_t n) : parent_(n) {
        std::iota(parent_.begin(), parent_.end(), tensor_id{0});
    }
    tensor_id find(tensor_id t) noexcept {
        while (parent_[t] != t) t = parent_[t] = parent_[parent_[t]];
        return t;
    }
    void join(tensor_id a, tensor_id b) noexcept { parent_[find(a)] = find(b); }

  private:
    std::vector<tensor_id> parent_;
};

// A tensor that was 0 throughout says nothing about its scale; with this one a value that does come
// is not cut off at once.
inline value_range usable(value_range r) noexcept {
    return r.min == 0.0f && r.max == 0.0f ? value_range{0.0f, 1.0f} : r;
}

inline quantization parameters_of(const value_range& r) {
    const value_range u = usable(r);
    const affine_quantizer a = asymmetric_affine(u.min, u.max, signed_range(8));
    return quantization::per_tensor_affine(a.scale, a.zero_point);
}

// Scales of weights and bias. A weight scale is at least so large that
//   - the bias fills the middle half of int32 at most (TensorFlow Lite's
//   AdjustWeightsForBiasScale),
//   - one step of the accumulator is 2^-28 of the output's: what is below cannot be seen there, and
//     the multiplier keeps its precision. A dead channel (all weights 0) gets its scale from these.
inline status assign_weights(const graph& g, const node& n, const assign_options& options,
                             const quantization& in, const quantization& out, int bits,
                             node_quantization& q) {
    const quantization_rule rule = n.op->quantize_rule();
    const tensor_id w = input_or_none(n, rule.weights), b = input_or_none(n, rule.bias);
    const auto weights = constant_values(g, w);
    if (!weights.ok()) return weights.error();
    std::vector<float> bias;
    if (b != no_tensor) {
        auto values = constant_values(g, b);
        if (!values.ok()) return values.error();
        bias = std::move(*values);
    }
    const shape& dims = g.tensor(w).shape;
    const bool dense = dims.size() == 2;
    q.weights = {};
    q.weights.bits = bits;
    if (rule.channel_axis >= 0 && (dense ? options.per_channel_dense : options.per_channel)) {
        q.weights.axis = rule.channel_axis;
        q.weights.scales.resize(
            static_cast<std::size_t>(dims[static_cast<std::size_t>(rule.channel_axis)].value()));
    } else {
        q.weights.scales.resize(1);
    }
    std::vector<float>& scales = q.weights.scales;
    q.weights.zero_points.assign(scales.size(), 0);
    std::vector<value_range> ranges(scales.size());
    const granularity which = granularity_of(q.weights, dims);
    for (std::size_t i = 0; i < weights->size(); ++i) {
        value_range& r = ranges[which(i)];
        r = unite(r, {(*weights)[i], (*weights)[i]});
    }
    const auto s_in = static_cast<double>(in.scale()), s_out = static_cast<double>(out.scale());
    std::vector<double> least(scales.size(), s_out / s_in * 0x1p-28);
    for (std::size_t k = 0; k < bias.size(); ++k) {
        double& l = least[scales.size() == 1 ? 0 : k % scales.size()];
        l = (std::max)(l, std::fabs(static_cast<double>(bias[k])) / (0x1p30 * s_in));
    }
    for (std::size_t k = 0; k < scales.size(); ++k) {
        const float s =
            symmetric_affine(ranges[k].min, ranges[k].max, signed_range(bits, true), 0.0f).scale;
        scales[k] = static_cast<float>((std::max)(static_cast<double>(s), least[k]));
        if (!std::isfinite(scales[k]) || scales[k] < 0x1p-126f) {
            return fail(errc::bad_data, "tensor ", g.tensor(w).name.substr(0, 60), ": channel ", k,
                        " needs a weight scale beyond float32");
        }
    }
    q.least_scales = std::move(least);
    q.bias = {};
    q.bias.bits = 32;
    q.bias.axis = scales.size() > 1 ? 0 : -1;
    for (float s : scales) q.bias.scales.push_back(in.scale() * s);
    q.bias.zero_points.assign(scales.size(), 0);
    return {};
}

// Bits of the weights by node id.
inline result<std::vector<int>> weight_bits_of(const graph& g, const quantization_table& table,
                                               const assign_options& options) {
    std::vector<int> bits(g.node_count(), 8);
    std::vector<node_id> layers;
    for (node_id id : g.order()) {
        const node& n = g.node_at(id);
        if (table.nodes[id].integer && n.op->quantize_rule().weights >= 0) layers.push_back(id);
    }
    for (node_id id : layers) {
        const node& n = g.node_at(id);
        int& b = bits[id] = options.weight_bits;
        if (options.first_last_bits != 0 && (id == layers.front() || id == layers.back())) {
            b = options.first_last_bits;
        }
        for (const auto& [name, wanted] : options.layer_bits) {
            if (name.empty()) continue;
            if (name == n.name || (!n.outputs.empty() && name == g.tensor(n.outputs[0]).name)) {
                b = wanted;
            }
        }
        if (b < 2 || b > 8) {
            return fail(errc::bad_argument, g.node_text(id), ": weights of ", b,
                        " bits, needed 2 to 8");
        }
    }
    return bits;
}

// Scales by the rules for inputs.
inline status assign_inputs(const graph& g, const node& n, const range_table& ranges,
                            const quantization_table& table, node_quantization& q) {
    const std::vector<input_rule> rules = n.op->input_rules();
    q.inputs.assign(n.inputs.size(), std::nullopt);
    const auto scale_of_input = [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        return q.inputs[at] ? q.inputs[at]->scale() : table.tensors[n.inputs[at]]->scale();
    };
    const auto symmetric = [](const value_range& r, int bits) {
        const float s = symmetric_affine(r.min, r.max, signed_range(bits, true), 0.0f).scale;
        // Of nothing but zeros: any scale.
        return s > 0.0f ? s : 1.0f / static_cast<float>(signed_range(bits, true).qmax);
    };
    // Biases last: they depend on the others.
    for (const bool biases : {false, true}) {
        for (std::size_t i = 0; i < rules.size() && i < n.inputs.size(); ++i) {
            const input_rule& r = rules[i];
            const tensor_id t = n.inputs[i];
            if (t == no_tensor || r.what == input_rule::kind::activation ||
                (r.what == input_rule::kind::bias) != biases) {
                continue;
            }
            float scale = r.scale;
            std::int32_t zero_point = 0;
            if (r.what == input_rule::kind::bias) {
                scale = scale_of_input(r.first) * scale_of_input(r.second);
            } else if (r.what == input_rule::kind::weights) {
                const auto values = constant_values(g, t);
                if (!values.ok()) return values.error();
                scale = symmetric(range_of_values({values->data(), values->size()}), r.bits);
            } else if (r.state == input_rule::scale_of::output) {
                scale = table.tensors[n.outputs[0]]->scale();
                zero_point = table.tensors[n.outputs[0]]->zero_point();
            } else if (r.state != input_rule::scale_of::fixed) {
                if (t >= ranges.tensors.size() || !ranges.tensors[t]) {
                    return fail(errc::bad_argument, "state ", g.tensor(t).name.substr(0, 60),
                                ": no range was observed");
                }
                scale = symmetric(*ranges.tensors[t], r.bits);
                if (r.state == input_rule::scale_of::power_of_two) {
                    // Only the states between runs are observed, hence the room; at least that of
                    // Q0.15, the gates' own.
                    const double power = (std::ceil)((std::log2)(2.0 * static_cast<double>(scale)));
                    scale = static_cast<float>((std::exp2)((std::max)(power, -15.0)));
                }
            }
            if (!std::isfinite(scale) || scale < 0x1p-126f) {
                return fail(errc::bad_data, "tensor ", g.tensor(t).name.substr(0, 60),
                            ": needs a scale beyond float32");
            }
            q.inputs[i] = quantization::per_tensor_affine(scale, zero_point, r.bits);
        }
    }
    return {};
}

} // namespace detail

// `refused`, by node, holds why a node must stay in float32; empty text where it need not.
inline result<quantization_table>
assign_quantization(const graph& g, const range_table& ranges, const assign_options& options = {},
                    const std::vector<std::string>& refused = {}) {
    quantization_table table;
    table.tensors.resize(g.tensor_count());
    table.ranges.resize(g.tensor_count());
    table.nodes.resize(g.node_count());

    std::vector<bool> takes_part(g.tensor_count(), false);
    const auto join_in = [&](tensor_id t) { takes_part[t] = g.tensor(t).type == dtype::f32; };
    // Inputs and outputs of the graph may become int8 whatever reads them.
    for (tensor_id t : g.inputs) join_in(t);
    for (tensor_id t : g.outputs) join_in(t);
    for (node_id id : g.order()) {
        const node& n = g.node_at(id);
        const std::string reason =
            detail::float_reason(g, n, options, id < refused.size() ? refused[id] : std::string());
        table.nodes[id].integer = reason.empty();
        if (reason != "-") table.nodes[id].float_because = reason;
        if (!reason.empty()) continue;
        for (tensor_id t : activation_inputs(n)) join_in(t);
        for (tensor_id t : n.outputs) join_in(t);
    }

    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (!takes_part[t]) continue;
        if (g.tensor(t).value) {
            const auto values = detail::constant_values(g, t);
            if (!values.ok()) return values.error();
            table.ranges[t] = range_of_values({values->data(), values->size()});
        } else if (t < ranges.tensors.size() && ranges.tensors[t]) {
            table.ranges[t] = ranges.tensors[t];
        } else {
            return fail(errc::bad_argument, "tensor ", g.tensor(t).name.substr(0, 60),
                        ": no range was observed");
        }
    }

    // Fixed parameters belong to outputs of softmax and logistic.
    std::vector<std::optional<quantization>> fixed(g.tensor_count());
    // Whether a tensor gets its values from outside of its group.
    std::vector<bool> source(g.tensor_count(), true);
    detail::tensor_groups groups(g.tensor_count());
    for (node_id id : g.order()) {
        if (!table.nodes[id].integer) continue;
        const node& n = g.node_at(id);
        const quantization_rule rule = n.op->quantize_rule();
        if (rule.how == quantization_rule::kind::fixed) {
            for (tensor_id t : n.outputs) {
                fixed[t] = quantization::per_tensor_affine(rule.scale, rule.zero_point);
            }
        }
        if (rule.how != quantization_rule::kind::same_scale) continue;
        for (tensor_id t : n.outputs) {
            source[t] = false;
            groups.join(t, n.outputs[0]);
        }
        for (tensor_id t : activation_inputs(n)) groups.join(t, n.outputs[0]);
    }
    struct shared_scale {
        std::optional<value_range> range;
        std::optional<quantization> fixed;
        bool fixed_only = true; // all sources have the same fixed parameters
    };
    std::vector<shared_scale> shared(g.tensor_count());
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (!takes_part[t]) continue;
        shared_scale& s = shared[groups.find(t)];
        s.range = s.range ? unite(*s.range, *table.ranges[t]) : *table.ranges[t];
        if (!source[t]) continue;
        if (!fixed[t] || (s.fixed && *s.fixed != *fixed[t])) s.fixed_only = false;
        if (fixed[t]) s.fixed = fixed[t];
    }
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (!takes_part[t]) continue;
        const shared_scale& s = shared[groups.find(t)];
        // A fixed tensor beside others in a group keeps its own: conversion requantizes between.
        const auto& own = s.fixed && s.fixed_only ? s.fixed : fixed[t];
        if (own) {
            table.tensors[t] = own;
            table.ranges[t] = {own->scale() * static_cast<float>(-128 - own->zero_point()),
                               own->scale() * static_cast<float>(127 - own->zero_point())};
        } else {
            table.tensors[t] = detail::parameters_of(*s.range);
            table.ranges[t] = detail::usable(*s.range);
        }
    }

    const auto bits = detail::weight_bits_of(g, table, options);
    if (!bits.ok()) return bits.error();
    for (node_id id : g.order()) {
        const node& n = g.node_at(id);
        if (!table.nodes[id].integer) continue;
        if (!n.op->input_rules().empty()) {
            KOMPAKT_TRY(detail::assign_inputs(g, n, ranges, table, table.nodes[id])
                            .within(g.node_text(id), ": "));
        }
        if (n.op->quantize_rule().weights < 0) continue;
        KOMPAKT_TRY(detail::assign_weights(g, n, options, *table.tensors[n.inputs[0]],
                                           *table.tensors[n.outputs[0]], (*bits)[id],
                                           table.nodes[id])
                        .within(g.node_text(id), ": "));
    }
    return table;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
