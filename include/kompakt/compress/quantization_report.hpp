// What quantization did to each layer: sizes, ranges, and how far int8 results are from float32.
#pragma once

#include <kompakt/compress/convert.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct layer_report {
    std::string tensor, op; // the output's name; op "input" for an input of the graph
    bool integer = false;
    int weight_bits = 8;       // of an integer layer with weights
    std::string float_because; // why the layer is not int8, where its operator has an int8 form
    value_range range;         // that the scale was computed from
    float scale = 0.0f;        // 0: float32
    std::int32_t zero_point = 0;
    // Signal to quantization noise in dB, 10 log10(sum x^2 / sum (x - x')^2): of the layer's result
    // after all layers before it were quantized, too, and of its weights by themselves. Infinite
    // where nothing was lost; NaN where there is nothing to compare.
    double sqnr = std::numeric_limits<double>::quiet_NaN();
    double weight_sqnr = std::numeric_limits<double>::quiet_NaN();
    std::size_t bytes_before = 0, bytes_after = 0; // of weights and bias
};

struct quantization_report {
    std::vector<layer_report> layers; // inputs, then layers in execution order
    std::size_t samples = 0;          // that ranges were observed on
    std::size_t compared = 0;         // that SQNR was measured on
    // All constants of the graph, each counted once; scales are not counted.
    std::size_t bytes_before = 0, bytes_after = 0;
};

// Signal and noise, summed up.
struct sqnr_sum {
    double signal = 0.0, noise = 0.0;

    void add(double exact, double approximate) noexcept {
        signal += exact * exact;
        noise += (exact - approximate) * (exact - approximate);
    }
    double decibels() const noexcept {
        if (noise > 0.0) return 10.0 * std::log10(signal / noise);
        return signal > 0.0 ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN();
    }
};

namespace detail {

inline std::size_t constant_bytes(const graph& g) {
    std::size_t sum = 0;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (g.tensor(t).value) sum += g.tensor(t).value->bytes().size();
    }
    return sum;
}

inline double weight_sqnr(const graph& g, tensor_id before, const graph& integer, tensor_id after) {
    const auto exact = decode(*g.tensor(before).value);
    const auto approximate =
        dequantized(*integer.tensor(after).value, *integer.tensor(after).quantization);
    if (!exact.ok() || !approximate.ok()) return std::numeric_limits<double>::quiet_NaN();
    const std::vector<float> x = exact->values<float>(), y = approximate->values<float>();
    sqnr_sum s;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
        s.add(static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
    return s.decibels();
}

// Runs both graphs on up to `limit` samples and sums up what the layers' results differ by.
inline result<std::size_t> compare_layers(const graph& g, const conversion& c,
                                          sample_source& samples, std::size_t limit,
                                          const std::vector<tensor_id>& tensors,
                                          std::vector<sqnr_sum>& sums,
                                          const progress_callback& progress) {
    auto before = kept_session::make(g);
    if (!before.ok()) return before.error();
    auto after = kept_session::make(c.integer);
    if (!after.ok()) return after.error();
    session &exact = (*before)->run_of(), &integer = (*after)->run_of();
    KOMPAKT_TRY(samples.rewind());
    sample_reader reader(g, **before, samples);
    while (reader.count() < limit) {
        const auto more = reader.next();
        if (!more.ok()) return more.error();
        if (!*more) break;
        for (std::size_t i = 0; i < reader.inputs().size(); ++i) {
            const span<float> x = reader.inputs()[i];
            std::memcpy(exact.input_bytes(i).data(), x.data(), x.size_bytes());
            const graph_tensor& in = c.integer.tensor(c.integer.inputs[i]);
            if (in.type == dtype::f32) {
                std::memcpy(integer.input_bytes(i).data(), x.data(), x.size_bytes());
                continue;
            }
            const affine_quantizer a{in.quantization->scale(), in.quantization->zero_point(),
                                     signed_range(8)};
            quantize_values({x.data(), x.size()}, a, integer.input<std::int8_t>(i));
        }
        exact.run();
        integer.run();
        for (std::size_t k = 0; k < tensors.size(); ++k) {
            // A layer that stayed float32 is compared as it is: its inputs were not.
            const tensor_id t = tensors[k];
            const bool stayed = c.integer.tensor(t).type == dtype::f32 && !g.is_input(t);
            const tensor_id q = stayed ? t : c.int8_of[t];
            if (q == no_tensor || (*before)->number(t) == UINT32_MAX ||
                (*after)->number(q) == UINT32_MAX) {
                continue;
            }
            const span<const float> x = (*before)->floats(t);
            if (stayed) {
                const span<const float> y = (*after)->floats(q);
                for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
                    sums[k].add(static_cast<double>(x[i]), static_cast<double>(y[i]));
                }
                continue;
            }
            const quantization& p = *c.integer.tensor(q).quantization;
            const bytes_view y = integer.tensor_bytes((*after)->number(q));
            for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
                const auto value = static_cast<std::int8_t>(y[i]);
                sums[k].add(
                    static_cast<double>(x[i]),
                    static_cast<double>(p.scale() * static_cast<float>(value - p.zero_point())));
            }
        }
        if (progress) progress("compare", reader.count(), limit);
    }
    return reader.count();
}

} // namespace detail

// `g` is the float32 graph that was converted.
inline result<quantization_report> report_quantization(const graph& g,
                                                       const quantization_table& table,
                                                       const conversion& c, sample_source& samples,
                                                       std::size_t limit,
                                                       const progress_callback& progress = {}) {
    quantization_report r;
    std::vector<tensor_id> tensors;
    const auto add = [&](tensor_id t, const char* op) -> layer_report& {
        layer_report l;
        l.tensor = g.tensor(t).name;
        l.op = op;
        if (table.ranges[t]) l.range = *table.ranges[t];
        if (c.int8_of[t] != no_tensor) {
            l.scale = c.integer.tensor(c.int8_of[t]).quantization->scale();
            l.zero_point = c.integer.tensor(c.int8_of[t]).quantization->zero_point();
        }
        r.layers.push_back(std::move(l));
        tensors.push_back(t);
        return r.layers.back();
    };
    for (tensor_id t : g.inputs) add(t, "input").integer = c.int8_of[t] != no_tensor;
    for (node_id id : g.order()) {
        const node &n = g.node_at(id), &converted = c.integer.node_at(id);
        if (n.outputs.empty()) continue;
        layer_report& l = add(n.outputs[0], n.op->name());
        l.integer = table.nodes[id].integer;
        l.weight_bits = l.integer ? table.nodes[id].weights.bits : 8;
        l.float_because = table.nodes[id].float_because;
        const quantization_rule rule = n.op->quantize_rule();
        std::vector<int> constants = {rule.weights, rule.bias};
        for (std::size_t i = 0; i < n.op->input_rules().size(); ++i) {
            constants.push_back(static_cast<int>(i));
        }
        for (int at : constants) {
            const tensor_id before = input_or_none(n, at), after = input_or_none(converted, at);
            if (before == no_tensor || after == no_tensor || !g.tensor(before).value) continue;
            l.bytes_before += g.tensor(before).value->bytes().size();
            l.bytes_after += c.integer.tensor(after).value->bytes().size();
            if (at == rule.weights && l.integer) {
                l.weight_sqnr = detail::weight_sqnr(g, before, c.integer, after);
            }
        }
    }
    r.bytes_before = detail::constant_bytes(g);
    r.bytes_after = detail::constant_bytes(c.integer);
    if (limit != 0) {
        std::vector<sqnr_sum> sums(tensors.size());
        const auto compared = detail::compare_layers(g, c, samples, limit, tensors, sums, progress);
        if (!compared.ok()) return compared.error();
        r.compared = *compared;
        for (std::size_t i = 0; i < tensors.size(); ++i) r.layers[i].sqnr = sums[i].decibels();
    }
    return r;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
