// Mixed precision: bits for each layer's weights, by how much the model's outputs change when that
// layer alone has so few, under a budget.
#pragma once

#include <kompakt/compress/layer_patches.hpp>
#include <kompakt/compress/prepare.hpp>
#include <kompakt/compress/rounding_solver.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct mixed_options {
    std::vector<int> bits = {8, 4}; // to choose from, falling, 2 ... 8
    // One of the two. Bytes of weights and biases as they are stored: 4 bits take half a byte, all
    // others a byte; biases four.
    std::size_t budget_bytes = 0;
    double average_bits = 0.0; // of all weights of the layers
    std::size_t samples = 64;  // that sensitivity is measured on
};

struct layer_sensitivity {
    std::string tensor; // the layer's output: for assign_options::layer_bits
    std::size_t weights = 0;
    std::vector<double>
        error;    // by `bits`: mean squared change of the outputs over their mean square
    int bits = 8; // chosen
};
struct mixed_precision {
    std::vector<layer_sensitivity> layers;
    std::size_t bytes = 0; // weights and biases
    double average_bits = 0.0;

    std::vector<std::pair<std::string, int>> layer_bits() const {
        std::vector<std::pair<std::string, int>> all;
        for (const auto& l : layers) all.emplace_back(l.tensor, l.bits);
        return all;
    }
};

namespace detail {

inline std::size_t stored_weight_bytes(std::size_t weights, int bits) noexcept {
    return bits == 4 ? (weights + 1) / 2 : weights;
}

// A layer's weights rounded to `bits`, per channel with the scale of least squared error.
inline constant rounded_weights(const constant& c, const weight_layout& l, int bits) {
    std::vector<float> values = c.values<float>();
    const integer_range r = signed_range(bits, bits == 8);
    std::vector<double> w(l.length);
    for (std::size_t n = 0; n < l.outputs; ++n) {
        for (std::size_t i = 0; i < l.length; ++i) w[i] = static_cast<double>(values[l.at(n, i)]);
        const double s = search_scale(w, r, 0.0);
        for (std::size_t i = 0; i < l.length; ++i) {
            values[l.at(n, i)] = static_cast<float>(s * nearest_integer(w[i] / s, r));
        }
    }
    return make_constant(c.shape, values);
}

} // namespace detail

// Starts with the most bits everywhere; as long as the budget is exceeded, the layer goes down that
// adds the least error for what it saves. Errors: no budget, or one that even the fewest bits
// exceed.
KOMPAKT_ONCE result<mixed_precision> choose_weight_bits(const graph& float_graph,
                                                        sample_source& samples,
                                                        const mixed_options& options,
                                                        const progress_callback& progress = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<mixed_precision> choose_weight_bits(const graph& float_graph,
                                                        sample_source& samples,
                                                        const mixed_options& options,
                                                        const progress_callback& progress) {
    const std::vector<int>& bits = options.bits;
    bool falling = !bits.empty();
    for (std::size_t i = 0; i < bits.size(); ++i) {
        falling = falling && bits[i] >= 2 && bits[i] <= 8 && (i == 0 || bits[i] < bits[i - 1]);
    }
    if (!falling) return fail(errc::bad_argument, "mixed precision: needs bits of 2 to 8, falling");
    if ((options.budget_bytes == 0) == !(options.average_bits > 0.0)) {
        return fail(errc::bad_argument, "mixed precision: needs a budget of bytes or average bits");
    }
    graph g = float_graph;
    KOMPAKT_TRY(prepare_for_quantization(g));
    KOMPAKT_TRY(expect_float_inputs(g));

    mixed_precision m;
    std::vector<node_id> nodes;
    std::size_t bias_bytes = 0, all_weights = 0;
    for (node_id id : g.order()) {
        const node& n = g.node_at(id);
        const auto l = layout_of(g, n);
        if (!l || !g.tensor(n.inputs[1]).value || g.tensor(n.inputs[1]).type != dtype::f32)
            continue;
        nodes.push_back(id);
        layer_sensitivity s;
        s.tensor = g.tensor(n.outputs[0]).name;
        s.weights = l->length * l->outputs;
        s.bits = bits[0];
        all_weights += s.weights;
        if (n.inputs.size() > 2 && n.inputs[2] != no_tensor) bias_bytes += 4 * l->outputs;
        m.layers.push_back(std::move(s));
    }
    if (nodes.empty()) return fail(errc::unsupported, "mixed precision: no layer with weights");

    // Inputs and exact outputs, kept: sensitivity goes through them once for each choice.
    auto exact = kept_session::make(g);
    if (!exact.ok()) return exact.error();
    std::vector<std::vector<float>> inputs(g.inputs.size()), outputs(g.outputs.size());
    KOMPAKT_TRY(samples.rewind());
    sample_reader reader(g, **exact, samples);
    const auto run = [&](kept_session& s, std::size_t k) {
        session& r = s.run_of();
        for (std::size_t i = 0; i < r.inputs(); ++i) {
            const std::size_t n = r.input_bytes(i).size() / sizeof(float);
            std::memcpy(r.input_bytes(i).data(), inputs[i].data() + k * n, n * sizeof(float));
        }
        r.run();
    };
    while (reader.count() < options.samples) {
        const auto more = reader.next();
        if (!more.ok()) return more.error();
        if (!*more) break;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const span<float> x = reader.inputs()[i];
            inputs[i].insert(inputs[i].end(), x.begin(), x.end());
        }
        run(**exact, reader.count() - 1);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (g.tensor(g.outputs[i]).type != dtype::f32) continue;
            const span<const float> y = (*exact)->floats(g.outputs[i]);
            outputs[i].insert(outputs[i].end(), y.begin(), y.end());
        }
    }
    const std::size_t count = reader.count();
    if (count == 0) return fail(errc::bad_data, "calibration data: no samples");

    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const tensor_id w = g.node_at(nodes[k]).inputs[1];
        const weight_layout l = *layout_of(g, g.node_at(nodes[k]));
        const auto dense = decode(*g.tensor(w).value);
        if (!dense.ok()) return dense.error().within("tensor ", g.tensor(w).name, ": ");
        for (int b : bits) {
            graph changed = g;
            graph_tensor x = g.tensor(w);
            x.value = detail::rounded_weights(*dense, l, b);
            changed.node_at(nodes[k]).inputs[1] = changed.add_tensor(std::move(x));
            auto kept = kept_session::make(changed);
            if (!kept.ok()) return kept.error();
            double signal = 0.0, noise = 0.0;
            for (std::size_t s = 0; s < count; ++s) {
                run(**kept, s);
                for (std::size_t i = 0; i < outputs.size(); ++i) {
                    if (outputs[i].empty()) continue;
                    const span<const float> y = (*kept)->floats(g.outputs[i]);
                    for (std::size_t e = 0; e < y.size(); ++e) {
                        const auto a = static_cast<double>(outputs[i][s * y.size() + e]);
                        const double d = static_cast<double>(y[e]) - a;
                        signal += a * a;
                        noise += d * d;
                    }
                }
            }
            m.layers[k].error.push_back(signal > 0.0 ? noise / signal : noise);
        }
        if (progress) progress("sensitivity", k + 1, nodes.size());
    }

    std::vector<std::size_t> at(nodes.size(), 0);
    const bool by_bytes = options.budget_bytes != 0;
    const auto cost = [&](std::size_t k, std::size_t choice) {
        return by_bytes ? static_cast<double>(
                              detail::stored_weight_bytes(m.layers[k].weights, bits[choice]))
                        : static_cast<double>(m.layers[k].weights) * bits[choice];
    };
    const double allowed =
        by_bytes ? static_cast<double>(options.budget_bytes) - static_cast<double>(bias_bytes)
                 : options.average_bits * static_cast<double>(all_weights);
    for (;;) {
        double total = 0.0;
        for (std::size_t k = 0; k < nodes.size(); ++k) total += cost(k, at[k]);
        if (total <= allowed) break;
        std::size_t best = nodes.size(), best_choice = 0;
        double least = 0.0;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            for (std::size_t c = at[k] + 1; c < bits.size(); ++c) {
                const double saved = cost(k, at[k]) - cost(k, c);
                if (!(saved > 0.0)) continue;
                const double price = (m.layers[k].error[c] - m.layers[k].error[at[k]]) / saved;
                if (best == nodes.size() || price < least) {
                    best = k;
                    best_choice = c;
                    least = price;
                }
            }
        }
        if (best == nodes.size()) {
            if (by_bytes) {
                return fail(errc::limit,
                            "mixed precision: ", static_cast<std::size_t>(total) + bias_bytes,
                            " bytes of weights and biases with the fewest bits, budget ",
                            options.budget_bytes);
            }
            return fail(errc::limit, "mixed precision: ", bits.back(),
                        " bits are the fewest, needed ", std::to_string(options.average_bits),
                        " on average");
        }
        at[best] = best_choice;
    }
    double weight_bits = 0.0;
    m.bytes = bias_bytes;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        m.layers[k].bits = bits[at[k]];
        m.bytes += detail::stored_weight_bytes(m.layers[k].weights, bits[at[k]]);
        weight_bits += static_cast<double>(m.layers[k].weights) * bits[at[k]];
    }
    m.average_bits = weight_bits / static_cast<double>(all_weights);
    return m;
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
