// Rounding of weights by what their layer computes, one layer after another: each sees the inputs
// that the layers before it, already rounded, give.
#pragma once

#include <kompakt/compress/assign.hpp>
#include <kompakt/compress/layer_patches.hpp>
#include <kompakt/compress/rounding_solver.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// nearest: range from the largest magnitude. mse: range with the least squared error of the
// weights. The others look at data: gptq and adaround with ranges as mse's; descent is gptq from
// several ranges, then single weights and the scale are improved as long as that helps.
enum class rounding_method : std::uint8_t { nearest, mse, gptq, adaround, descent };

constexpr const char* name_of(rounding_method m) noexcept {
    switch (m) {
    case rounding_method::nearest:
        return "nearest";
    case rounding_method::mse:
        return "mse";
    case rounding_method::gptq:
        return "gptq";
    case rounding_method::adaround:
        return "adaround";
    case rounding_method::descent:
        return "descent";
    }
    return "unknown";
}

struct rounding_options {
    rounding_method method = rounding_method::nearest;
    // The mean error of each result goes into the bias (empirical bias correction).
    bool correct_bias = false;
    // Weights move first to where they undo what rounding did to their inputs; methods with data.
    // AdaRound always does so: it reconstructs the exact result from the changed inputs.
    bool correct_inputs = false;
    bool equalize = false; // cross-layer equalization before all else
    bool act_order = true; // gptq, descent
    double damping = 0.01; // of the mean of the diagonal
    int iterations = 1000; // adaround
    collect_options collect;

    bool plain() const noexcept {
        return method == rounding_method::nearest && !correct_bias && !equalize;
    }
};

namespace detail {

inline bool uses_data(const rounding_options& o) noexcept {
    return o.correct_bias || o.method == rounding_method::gptq ||
           o.method == rounding_method::adaround || o.method == rounding_method::descent;
}

inline rounded_row round_row(const rounding_problem* problem, const std::vector<double>& w,
                             const std::vector<double>& diagonal, integer_range r, double given,
                             double least, const rounding_options& o) {
    const auto nearest = [&](double s) {
        rounded_row row;
        row.scale = s;
        for (double x : w) row.integers.push_back(nearest_integer(x / s, r));
        return row;
    };
    if (o.method == rounding_method::nearest) return nearest(given);
    const double scale = search_scale(w, r, least);
    if (o.method == rounding_method::mse || problem == nullptr) return nearest(scale);
    if (o.method == rounding_method::gptq) {
        return problem->gptq(w, search_scale(w, r, least, diagonal), r);
    }
    if (o.method == rounding_method::adaround) {
        return problem->adaround(w, search_scale(w, r, least, diagonal), r, o.iterations);
    }
    rounded_row best;
    double smallest = 0.0;
    const double weighted = search_scale(w, r, least, diagonal);
    for (double part : {1.0, 0.8, 0.9, 1.1, 1.2}) {
        rounded_row row = problem->gptq(w, (std::max)(least, weighted * part), r);
        problem->descend(w, row, r, least);
        const double e = problem->error(w, row);
        if (best.integers.empty() || e < smallest) {
            smallest = e;
            best = std::move(row);
        }
    }
    return best;
}

} // namespace detail

// Chooses integers, scales and biases of all layers with weights of int8 nodes: writes
// node_quantization::weights, bias, integers and bias_values. Layers of other operators than
// convolutions and dense layers keep what they have.
inline status round_weights(const graph& g, quantization_table& table, sample_source& samples,
                            const rounding_options& o, const progress_callback& progress = {}) {
    graph changed = g;
    std::vector<node_id> layers;
    for (node_id id : g.order()) {
        if (table.nodes[id].integer && g.node_at(id).op->quantize_rule().weights >= 0 &&
            layout_of(g, g.node_at(id))) {
            layers.push_back(id);
        }
    }
    const bool data = detail::uses_data(o);
    const bool moves_inputs = o.correct_inputs || o.method == rounding_method::adaround;
    std::unique_ptr<kept_session> whole;
    if (data && !layers.empty()) {
        auto made = kept_session::make(g);
        if (!made.ok()) return made.error();
        whole = std::move(*made);
    }
    for (std::size_t at = 0; at < layers.size(); ++at) {
        if (progress) progress("round weights", at + 1, layers.size());
        const node_id id = layers[at];
        const node& n = g.node_at(id);
        const weight_layout l = *layout_of(g, n);
        node_quantization& q = table.nodes[id];
        const auto values = detail::constant_values(g, n.inputs[1]);
        if (!values.ok()) return values.error();
        std::vector<float> bias;
        const tensor_id b = input_or_none(n, 2);
        if (b != no_tensor) {
            auto read = detail::constant_values(g, b);
            if (!read.ok()) return read.error();
            bias = std::move(*read);
        }
        const bool moves_bias = o.correct_bias && bias.size() == l.outputs;
        input_moments m;
        if (data) {
            auto collected = collect_moments(g, changed, *whole, id, l, samples, o.collect);
            if (!collected.ok()) return collected.error();
            m = std::move(*collected);
        }
        const integer_range r = signed_range(q.weights.bits, o.method == rounding_method::nearest ||
                                                                 q.weights.bits == 8);
        const bool per_channel = q.weights.scales.size() == l.outputs;
        std::vector<std::int8_t> integers(values->size());
        std::vector<float> rounded(values->size());
        for (std::size_t k = 0; k < l.groups; ++k) {
            std::unique_ptr<rounding_problem> problem;
            std::vector<double> diagonal, cross;
            if (data) {
                auto h = m.groups[k].changed;
                cross = m.groups[k].mixed;
                // A free bias takes up the mean: what counts is the spread around it.
                if (moves_bias) {
                    const auto &mean = m.groups[k].mean, &exact = m.groups[k].exact_mean;
                    for (std::size_t i = 0; i < l.length; ++i) {
                        for (std::size_t j = 0; j < l.length; ++j) {
                            h[i * l.length + j] -= mean[i] * mean[j];
                            cross[i * l.length + j] -= exact[i] * mean[j];
                        }
                    }
                }
                for (std::size_t i = 0; i < l.length * l.length; ++i) cross[i] -= h[i];
                problem = std::make_unique<rounding_problem>(std::move(h), l.length, o.damping,
                                                             o.act_order);
                if (!problem->valid()) {
                    return fail(errc::bad_data, g.node_text(id),
                                ": the moments of its inputs are not positive definite, needed "
                                "more damping than ",
                                std::to_string(o.damping));
                }
                diagonal.resize(l.length);
                for (std::size_t i = 0; i < l.length; ++i) {
                    diagonal[i] = problem->diagonal(i);
                }
            }
            for (std::size_t row = k * l.per_group(); row < (k + 1) * l.per_group(); ++row) {
                std::vector<double> w(l.length);
                for (std::size_t i = 0; i < l.length; ++i) {
                    w[i] = static_cast<double>((*values)[l.at(row, i)]);
                }
                std::vector<double> wanted = w;
                if (data && moves_inputs) {
                    // w + w (C - H) H^-1: the best weights for the changed inputs.
                    std::vector<double> step(l.length, 0.0);
                    for (std::size_t i = 0; i < l.length; ++i) {
                        for (std::size_t j = 0; j < l.length; ++j) {
                            step[j] += w[i] * cross[i * l.length + j];
                        }
                    }
                    problem->solve(step.data());
                    for (std::size_t i = 0; i < l.length; ++i) wanted[i] += step[i];
                }
                const std::size_t scale_at = per_channel ? row : 0;
                const double least =
                    scale_at < q.least_scales.size() ? q.least_scales[scale_at] : 0.0;
                rounding_options how = o;
                if (!per_channel) how.method = rounding_method::nearest; // one scale for all rows
                rounded_row result =
                    detail::round_row(problem.get(), wanted, diagonal, r,
                                      static_cast<double>(q.weights.scales[scale_at]), least, how);
                const auto s = static_cast<float>(result.scale);
                if (per_channel) {
                    q.weights.scales[row] = s;
                    if (row < q.bias.scales.size()) {
                        q.bias.scales[row] = table.tensors[n.inputs[0]]->scale() * s;
                    }
                }
                double shift = 0.0;
                for (std::size_t i = 0; i < l.length; ++i) {
                    integers[l.at(row, i)] = static_cast<std::int8_t>(result.integers[i]);
                    rounded[l.at(row, i)] = s * static_cast<float>(result.integers[i]);
                    if (moves_bias) {
                        shift += w[i] * m.groups[k].exact_mean[i] -
                                 static_cast<double>(rounded[l.at(row, i)]) * m.groups[k].mean[i];
                    }
                }
                if (moves_bias) bias[row] += static_cast<float>(shift);
            }
        }
        const shape dims = g.tensor(n.inputs[1]).shape;
        q.integers = make_constant(dims, integers);
        graph_tensor w = g.tensor(n.inputs[1]);
        w.value = make_constant(dims, rounded);
        changed.node_at(id).inputs[1] = changed.add_tensor(std::move(w));
        if (moves_bias) {
            graph_tensor x = g.tensor(b);
            x.value = make_constant(x.shape, bias);
            q.bias_values = x.value;
            changed.node_at(id).inputs[2] = changed.add_tensor(std::move(x));
        }
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
