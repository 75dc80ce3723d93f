// What a quantization did, layer by layer: for people (html) and machines (json).
#pragma once

#include <kompakt/report/model.hpp>

#include <optional>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

struct layer_summary {
    std::string name, op;
    float min = 0, max = 0; // real values that the output can hold; equal: not known
    float scale = 0;
    std::int32_t zero_point = 0;
    double sqnr_db = 0; // of the output against float; NaN: not measured
};

// 20 dB is about where layers of classifiers begin to cost accuracy.
inline constexpr double low_sqnr_db = 20;

struct quantization_summary {
    std::string scheme, calibration;
    std::uint64_t samples = 0;
    std::uint64_t bytes_before = 0, bytes_after = 0; // of the constants
    std::optional<double> accuracy_before, accuracy_after;
    std::vector<layer_summary> layers;
};

inline std::string quantization_html(std::string_view title, const quantization_summary& q,
                                     const model_summary& after) {
    html_page page(title);
    std::vector<std::pair<std::string, std::string>> figures = {
        {"constants before, bytes", grouped(q.bytes_before)},
        {"constants after, bytes", grouped(q.bytes_after)},
        {"arena after, bytes", grouped(after.arena_bytes)}};
    if (q.accuracy_before) {
        figures.emplace_back("accuracy before", fixed(*q.accuracy_before * 100, 2) + " %");
    }
    if (q.accuracy_after) {
        figures.emplace_back("accuracy after", fixed(*q.accuracy_after * 100, 2) + " %");
    }
    page.figures(figures);
    page.paragraph("Scheme " + q.scheme + ", calibration " + q.calibration + " over " +
                   grouped(q.samples) + " samples.");
    page.section("Signal to quantization noise");
    std::vector<bar> bars;
    std::vector<std::vector<std::string>> rows;
    for (const layer_summary& l : q.layers) {
        const std::string sqnr = std::isnan(l.sqnr_db) ? "" : fixed(l.sqnr_db, 1);
        bars.push_back({l.name, l.sqnr_db, std::isnan(l.sqnr_db) ? "not measured" : sqnr + " dB"});
        const bool ranged = l.min != l.max;
        rows.push_back({short_name(l.name), l.op,
                        ranged ? significant(static_cast<double>(l.min)) : "",
                        ranged ? significant(static_cast<double>(l.max)) : "",
                        l.scale != 0 ? significant(static_cast<double>(l.scale)) : "",
                        l.scale != 0 ? std::to_string(l.zero_point) : "", sqnr});
    }
    page.bars("SQNR of each layer's output against float, in dB; more is better", bars);
    page.section("Ranges");
    page.table({"layer", "op", "min", "max", "scale", "zero point", "SQNR, dB"}, rows);
    page.section("Operators of the quantized model");
    add_ops(page, after);
    page.section("Memory of the quantized model");
    page.memory_map("The arena: ops to the right, addresses upwards. Grey: scratch of one op. Dashed: "
                    "no layout of these ops can be smaller.",
                    boxes_of(after.map), after.arena_bytes, after.lower_bound);
    return page.take();
}

// Adds the members of an object to `out`.
inline void write_quantization(json::writer& out, const quantization_summary& q) {
    out.member("scheme", q.scheme).member("calibration", q.calibration);
    out.member("samples", q.samples);
    out.member("constant_bytes_before", q.bytes_before);
    out.member("constant_bytes_after", q.bytes_after);
    if (q.accuracy_before) out.member("accuracy_before", *q.accuracy_before);
    if (q.accuracy_after) out.member("accuracy_after", *q.accuracy_after);
    out.key("layers").begin_array();
    for (const layer_summary& l : q.layers) {
        out.begin_object().member("name", l.name).member("op", l.op);
        out.member("min", l.min).member("max", l.max);
        out.member("scale", l.scale).member("zero_point", l.zero_point);
        out.member("sqnr_db", l.sqnr_db).end();
    }
    out.end();
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
