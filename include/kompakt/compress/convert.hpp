// From a float32 graph and its table of quantization parameters to an integer graph.
//
// Tensors keep their ids: an activation of an int8 node becomes int8 in place. New tensors come up
// only where float32 and int8, or two scales, meet.
#pragma once

#include <kompakt/compress/assign.hpp>
#include <kompakt/graph/ops/dequantize.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/graph/passes/remove_dead.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// int8 values of -8 ... 7, two to a byte, the first in the low half: TensorFlow Lite's order.
inline constant packed_int4(const constant& c) {
    const std::vector<std::int8_t> values = c.values<std::int8_t>();
    auto payload = std::make_shared<std::vector<std::byte>>((values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto nibble = static_cast<unsigned>(values[i]) & 15u;
        (*payload)[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? nibble : nibble << 4);
    }
    constant out{dtype::i4, c.shape, {}, std::move(payload)};
    out.coding.kind = encoding::packed;
    out.coding.bits = 4;
    return out;
}

// Integers of a float32 constant: int8, or int16 and int32 for 16 and 32 bits; of 4 bits packed.
// Half away from zero, saturated (biases symmetrically, and what has fewer bits than 8).
inline result<constant> quantized_constant(const constant& c, const quantization& q) {
    const auto dense = decode(c);
    if (!dense.ok()) return dense.error();
    const std::vector<float> values = dense->values<float>();
    const granularity which = granularity_of(q, c.shape);
    const auto rounded = [&](std::size_t i, double least, double most) {
        const std::size_t s = which(i);
        const double x =
            (std::round)(static_cast<double>(values[i]) / static_cast<double>(q.scales[s])) +
            q.zero_points[s];
        return x < least ? least : x > most ? most : x;
    };
    if (q.bits == 32) {
        std::vector<std::int32_t> out(values.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = static_cast<std::int32_t>(rounded(i, -2147483647.0, 2147483647.0));
        }
        return make_constant(c.shape, out);
    }
    if (q.bits == 16) {
        std::vector<std::int16_t> out(values.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = static_cast<std::int16_t>(rounded(i, -32768.0, 32767.0));
        }
        return make_constant(c.shape, out);
    }
    const integer_range r = signed_range(q.bits, q.bits < 8);
    std::vector<std::int8_t> out(values.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::int8_t>(
            rounded(i, static_cast<double>(r.qmin), static_cast<double>(r.qmax)));
    }
    constant made = make_constant(c.shape, out);
    return q.bits == 4 ? packed_int4(made) : made;
}

struct convert_options {
    bool float_io = false; // inputs and outputs of the graph stay float32
};

struct conversion {
    graph integer;
    // By tensor id of the float32 graph: its int8 form; no_tensor where there is none.
    std::vector<tensor_id> int8_of;
};

namespace detail {

class converter {
  public:
    converter(const graph& g, const quantization_table& table, const convert_options& options)
        : float_(g), table_(table), options_(options), graph_(g),
          int8_(g.tensor_count(), no_tensor), float32_(g.tensor_count(), no_tensor) {}

    result<conversion> run() {
        find_float_uses();
        for (tensor_id t = 0; t < float_.tensor_count(); ++t) {
            if (!float_.tensor(t).value) float32_[t] = t; // until it is made int8
        }
        for (tensor_id t : float_.inputs) {
            if (table_.tensors[t] && !options_.float_io) make_int8(t);
        }
        while (at_ < graph_.order().size()) {
            const node_id id = graph_.order()[at_];
            KOMPAKT_TRY(table_.nodes[id].integer ? integer_node(id) : float_node(id));
            ++at_;
        }
        // Inputs and outputs of one type: what a float32 node made is quantized, too.
        for (tensor_id& t : graph_.outputs) {
            if (t >= float_.tensor_count() || !table_.tensors[t] || float_.tensor(t).value)
                continue;
            if (!options_.float_io) {
                t = int8_of(t);
            } else if (float32_[t] == no_tensor) {
                const std::string name = graph_.tensor(t).name;
                graph_.tensor(t).name = name + "_int8";
                t = float_of(t);
                graph_.tensor(t).name = name;
            } else {
                t = float32_[t];
            }
        }
        KOMPAKT_TRY(passes::remove_dead(graph_));
        KOMPAKT_TRY(infer(graph_));
        return conversion{std::move(graph_), std::move(int8_)};
    }

  private:
    // Constants that some float32 node reads keep their values.
    void find_float_uses() {
        float_use_.assign(float_.tensor_count(), false);
        for (tensor_id t : float_.outputs) float_use_[t] = true;
        for (node_id id : float_.order()) {
            if (table_.nodes[id].integer) continue;
            for (tensor_id t : float_.node_at(id).inputs) {
                if (t != no_tensor) float_use_[t] = true;
            }
        }
    }

    void make_int8(tensor_id t) {
        graph_.tensor(t).type = dtype::i8;
        graph_.tensor(t).quantization = table_.tensors[t];
        int8_[t] = t;
        float32_[t] = no_tensor;
    }
    tensor_id add_like(tensor_id t, const char* ending, dtype type, std::optional<quantization> q) {
        graph_tensor x = graph_.tensor(t);
        x.name += ending;
        x.state.reset();
        x.type = type;
        x.quantization = std::move(q);
        return graph_.add_tensor(std::move(x));
    }
    // Before the node that is being converted.
    template <class Op>
    void insert(Op op, tensor_id from, tensor_id to) {
        graph_.insert_node(at_, graph_.tensor(to).name, std::move(op), {from}, {to});
        ++at_;
    }

    tensor_id int8_of(tensor_id t) {
        if (int8_[t] != no_tensor) return int8_[t];
        int8_[t] = add_like(t, "_int8", dtype::i8, table_.tensors[t]);
        insert(ops::quantize{}, float32_[t], int8_[t]);
        return int8_[t];
    }
    tensor_id float_of(tensor_id t) {
        if (float32_[t] != no_tensor) return float32_[t];
        float32_[t] = add_like(t, "_float32", dtype::f32, std::nullopt);
        insert(ops::dequantize{}, int8_[t], float32_[t]);
        return float32_[t];
    }
    // int8 with exactly these parameters.
    tensor_id int8_with(tensor_id t, const quantization& wanted) {
        const tensor_id own = int8_of(t);
        if (*graph_.tensor(own).quantization == wanted) return own;
        for (const rescaled& r : rescaled_) {
            if (r.from == own && *graph_.tensor(r.to).quantization == wanted) return r.to;
        }
        const tensor_id to = add_like(own, "_rescaled", dtype::i8, wanted);
        insert(ops::quantize{}, own, to);
        rescaled_.push_back({own, to, false});
        return to;
    }
    // In place for the first user, if all users are integer nodes; a copy where parameters differ.
    // `integers` and `values` are what a method chose for this user alone, instead of the nearest
    // integers and the constant's own values.
    result<tensor_id> integer_constant(tensor_id t, const quantization& q,
                                       const std::optional<constant>& integers = {},
                                       const std::optional<constant>& values = {}) {
        for (const rescaled& r : constants_) {
            if (r.from == t && !r.own && !integers && !values &&
                *graph_.tensor(r.to).quantization == q) {
                return r.to;
            }
        }
        auto value = integers ? result<constant>(q.bits == 4 ? packed_int4(*integers) : *integers)
                              : quantized_constant(values ? *values : *float_.tensor(t).value, q);
        if (!value.ok()) {
            return value.error().within("tensor ", float_.tensor(t).name.substr(0, 60), ": ");
        }
        const bool first = std::none_of(constants_.begin(), constants_.end(),
                                        [&](const rescaled& r) { return r.from == t; });
        tensor_id to = t;
        if (!first || float_use_[t]) {
            graph_tensor x = float_.tensor(t);
            x.name += "_int8";
            to = graph_.add_tensor(std::move(x));
        }
        graph_tensor& x = graph_.tensor(to);
        x.type = value->type;
        x.value = std::move(*value);
        x.quantization = q;
        constants_.push_back({t, to, integers || values});
        return to;
    }

    // A state of an integer node: no other sees it.
    void make_integer_state(tensor_id t, const quantization& q) {
        graph_tensor& x = graph_.tensor(t);
        x.type = q.bits == 16 ? dtype::i16 : dtype::i8;
        x.quantization = q;
        x.state->fill = q.bits == 16 ? std::uint8_t{0} : static_cast<std::uint8_t>(q.zero_point());
        float32_[t] = no_tensor;
    }

    status integer_node(node_id id) {
        const node& n = float_.node_at(id);
        const quantization_rule rule = n.op->quantize_rule();
        const node_quantization& q = table_.nodes[id];
        std::vector<tensor_id> inputs = n.inputs;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            tensor_id& t = inputs[i];
            if (t == no_tensor || rule.holds_indices(i)) continue;
            if (i < q.inputs.size() && q.inputs[i]) {
                if (float_.tensor(t).state) {
                    make_integer_state(t, *q.inputs[i]);
                    continue;
                }
                const auto c = integer_constant(t, *q.inputs[i]);
                if (!c.ok()) return c.error();
                t = *c;
                continue;
            }
            const bool weights = static_cast<int>(i) == rule.weights;
            if (weights || static_cast<int>(i) == rule.bias) {
                const auto c = weights ? integer_constant(t, q.weights, q.integers)
                                       : integer_constant(t, q.bias, {}, q.bias_values);
                if (!c.ok()) return c.error();
                t = *c;
                continue;
            }
            const quantization& wanted = rule.how == quantization_rule::kind::same_scale
                                             ? *table_.tensors[n.outputs[0]]
                                             : *table_.tensors[t];
            if (float_.tensor(t).value) {
                const auto c = integer_constant(t, wanted);
                if (!c.ok()) return c.error();
                t = *c;
            } else {
                t = int8_with(t, wanted);
            }
        }
        graph_.node_at(id).inputs = std::move(inputs);
        for (tensor_id t : n.outputs) {
            if (rule.float_output) make_int8(t);
        }
        return {};
    }
    status float_node(node_id id) {
        std::vector<tensor_id> inputs = float_.node_at(id).inputs;
        for (tensor_id& t : inputs) {
            if (t != no_tensor && !float_.tensor(t).value) t = float_of(t);
        }
        graph_.node_at(id).inputs = std::move(inputs);
        return {};
    }

    struct rescaled {
        tensor_id from, to;
        bool own = false; // made for one user
    };

    const graph& float_;
    const quantization_table& table_;
    convert_options options_;
    graph graph_;
    std::size_t at_ = 0; // in the order of nodes
    std::vector<tensor_id> int8_, float32_;
    std::vector<bool> float_use_;
    std::vector<rescaled> rescaled_, constants_;
};

} // namespace detail

inline result<conversion> convert_to_integers(const graph& g, const quantization_table& table,
                                              const convert_options& options = {}) {
    return detail::converter(g, table, options).run();
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
