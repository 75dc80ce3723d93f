// Post-training quantization: a float32 graph and samples give an int8 graph and a report.
//
//     memory_samples samples({inputs});                    // or any other sample_source
//     auto q = kompakt::quantize(*g, samples, {});         // result<quantized>
//     auto x = kompakt::plan(*q, {});
//
// Static int8 by the TensorFlow Lite 8-bit quantization specification: activations asymmetric per
// tensor, weights symmetric per channel, biases int32. Operators without int8 kernels stay float32
// between dequantize and quantize.
#pragma once

#include <kompakt/compress/convert.hpp>
#include <kompakt/compress/equalize.hpp>
#include <kompakt/compress/prepare.hpp>
#include <kompakt/compress/quantization_report.hpp>
#include <kompakt/compress/round_weights.hpp>

#include <set>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct quantize_options {
    observer_options observer;
    assign_options assign;
    convert_options convert;
    rounding_options rounding;
    // Samples on which the report compares int8 with float32; 0: no comparison.
    std::size_t report_samples = 64;
    progress_callback progress;
};

// A graph, to be planned, written or converted further, with what is known of its making.
struct quantized : graph {
    quantization_report report;
};

namespace detail {

// Why an int8 node's operator refuses its tensors; empty when it does not.
inline std::string int8_refusal(const graph& g, node_id id) {
    const node& n = g.node_at(id);
    // Symbols of dimensions stay in the graph; on trial they are one.
    std::vector<graph_tensor> tensors;
    tensors.reserve(n.inputs.size() + n.outputs.size());
    const auto bound = [&](tensor_id t) -> const graph_tensor* {
        if (t == no_tensor) return nullptr;
        tensors.push_back(g.tensor(t));
        graph_tensor& x = tensors.back();
        for (dim& d : x.shape) d = d.known() ? d : dim(1);
        // Operators see what is decoded (graph/lower.hpp).
        if (x.value && x.value->coding.kind != encoding::dense) {
            auto dense = decode(*x.value);
            if (dense.ok()) {
                x.type = dense->type;
                x.value = std::move(*dense);
            }
        }
        return &tensors.back();
    };
    std::vector<const graph_tensor*> in, out;
    for (tensor_id t : n.inputs) in.push_back(bound(t));
    for (tensor_id t : n.outputs) out.push_back(bound(t));
    lowered_program scratch;
    derived_operands derived;
    lowering c(scratch, std::move(in), std::move(out), n.inputs, n.outputs, id, derived);
    const status s = n.op->lower(c);
    return s.ok() ? std::string() : s.message();
}

// Integers of every constant are made anew, so many tensors that share the bytes of few would take
// memory that no file paid for.
inline status check_shared_constants(const graph& g) {
    std::uint64_t named = 0, stored = 0;
    std::set<const void*> payloads;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const auto& value = g.tensor(t).value;
        if (!value) continue;
        const std::uint64_t bytes = value->bytes().size();
        named += bytes;
        if (payloads.insert(value->bytes().data()).second) stored += bytes;
    }
    if (named <= 16 * stored + (std::uint64_t{1} << 20)) return {};
    return fail(errc::limit, "constants of ", named, " bytes share ", stored,
                " stored ones, needed at most 16 times as many");
}

} // namespace detail

// Needs a float32 graph without quantized activations; symbols of dimensions stay (samples are read
// with 1 for each). Errors name the tensor and the sample: no samples, samples of another length,
// NaN or infinity in data, weights or results.
KOMPAKT_ONCE result<quantized> quantize(const graph& float_graph, sample_source& samples,
                                        const quantize_options& options = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<quantized> quantize(const graph& float_graph, sample_source& samples,
                                        const quantize_options& options) {
    KOMPAKT_TRY(detail::check_shared_constants(float_graph));
    graph g = float_graph;
    KOMPAKT_TRY(prepare_for_quantization(g));
    if (options.rounding.equalize) KOMPAKT_TRY(equalize_layers(g));
    const auto ranges = calibrate(g, samples, options.observer, options.progress);
    if (!ranges.ok()) return ranges.error();

    // Operators judge their int8 form only when it is there. One that refuses (scales too far apart
    // for its multipliers, say) stays float32, which changes what is around it: until none refuses.
    std::vector<std::string> refused(g.node_count());
    for (;;) {
        auto table = assign_quantization(g, *ranges, options.assign, refused);
        if (!table.ok()) return table.error();
        auto converted = convert_to_integers(g, *table, options.convert);
        if (!converted.ok()) return converted.error();
        const auto all_run = [&] {
            bool all = true;
            for (node_id id : g.order()) {
                if (!table->nodes[id].integer) continue;
                refused[id] = detail::int8_refusal(converted->integer, id);
                all = all && refused[id].empty();
            }
            return all;
        };
        if (!all_run()) continue;
        if (!options.rounding.plain()) {
            KOMPAKT_TRY(round_weights(g, *table, samples, options.rounding, options.progress));
            converted = convert_to_integers(g, *table, options.convert);
            if (!converted.ok()) return converted.error();
            if (!all_run()) continue;
        }
        auto report = report_quantization(g, *table, *converted, samples, options.report_samples,
                                          options.progress);
        if (!report.ok()) return report.error();
        report->samples = ranges->samples;
        quantized q;
        static_cast<graph&>(q) = std::move(converted->integer);
        q.report = std::move(*report);
        return q;
    }
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
