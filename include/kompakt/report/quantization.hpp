// What a quantization did, layer by layer: for people (html) and machines (json).
#pragma once

#include <kompakt/compress/quantization_report.hpp>
#include <kompakt/report/model.hpp>

#include <optional>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

struct quantization_summary {
    std::string scheme, calibration;
    std::string algorithm = "nearest";
    quantization_report result;
    std::optional<double> accuracy_before, accuracy_after; // 0 … 1
};

// Decibels for people: nothing to compare, nothing lost, or a number.
inline std::string decibels_text(double db) {
    return std::isnan(db) ? "-" : std::isinf(db) ? "exact" : fixed(db, 1);
}

inline std::vector<std::string> layer_cells(const layer_report& l) {
    const bool ranged = l.range.min != l.range.max;
    return {short_name(l.tensor),
            l.op,
            !l.integer ? "float32"
            : l.weight_bits == 8 || l.bytes_before == 0
                ? "int8"
                : "int8 by " + std::to_string(l.weight_bits),
            ranged ? significant(static_cast<double>(l.range.min)) : "-",
            ranged ? significant(static_cast<double>(l.range.max)) : "-",
            l.scale != 0 ? significant(static_cast<double>(l.scale)) : "-",
            l.scale != 0 ? std::to_string(l.zero_point) : "-",
            decibels_text(l.sqnr),
            decibels_text(l.weight_sqnr),
            l.bytes_before != 0 ? grouped(l.bytes_before) : "-",
            l.bytes_before != 0 ? grouped(l.bytes_after) : "-"};
}
inline const std::vector<std::string>& layer_columns() {
    static const std::vector<std::string> names = {"layer",   "op",           "type",       "min",
                                                   "max",     "scale",        "zero point", "SQNR",
                                                   "weights", "bytes before", "after"};
    return names;
}

inline std::string quantization_html(std::string_view title, const quantization_summary& q,
                                     const model_summary& after) {
    html_page page(title);
    std::vector<std::pair<std::string, std::string>> figures = {
        {"constants before, bytes", grouped(q.result.bytes_before)},
        {"constants after, bytes", grouped(q.result.bytes_after)},
        {"flash after, bytes", grouped(after.flash_bytes())},
        {"arena after, bytes", grouped(after.arena_bytes)}};
    if (q.accuracy_before) {
        figures.emplace_back("accuracy before", fixed(*q.accuracy_before * 100, 2) + " %");
    }
    if (q.accuracy_after) {
        figures.emplace_back("accuracy after", fixed(*q.accuracy_after * 100, 2) + " %");
    }
    page.figures(figures);
    page.paragraph("Scheme " + q.scheme + ", weights rounded by " + q.algorithm + ", calibration " +
                   q.calibration + " over " + grouped(q.result.samples) +
                   " samples; compared with float32 on " + grouped(q.result.compared) + ".");
    page.section("Signal to quantization noise");
    std::vector<bar> results, weights;
    std::vector<std::vector<std::string>> rows;
    for (const layer_report& l : q.result.layers) {
        rows.push_back(layer_cells(l));
        const auto add = [&](std::vector<bar>& to, double db) {
            if (std::isfinite(db)) to.push_back({l.tensor, db, fixed(db, 1) + " dB"});
        };
        add(results, l.sqnr);
        add(weights, l.weight_sqnr);
    }
    page.bars("Each layer's result against float32, all layers before it quantized too", results);
    page.bars("Each layer's weights by themselves", weights);
    page.section("Ranges");
    page.paragraph(
        "SQNR in dB, 10 log10(sum x^2 / sum (x - x')^2): 20 dB is a noise of a tenth of the "
        "signal.");
    page.table(layer_columns(), rows);
    for (const layer_report& l : q.result.layers) {
        if (!l.float_because.empty() && l.float_because != "-") {
            page.paragraph(short_name(l.tensor) + " stays float32: " + l.float_because);
        }
    }
    page.section("Operators of the quantized model");
    add_ops(page, after);
    page.section("Memory of the quantized model");
    add_memory(page, after);
    return page.take();
}

// Adds the members of an object to `out`. What is not finite becomes null.
inline void write_quantization(json::writer& out, const quantization_summary& q) {
    out.member("scheme", q.scheme)
        .member("algorithm", q.algorithm)
        .member("calibration", q.calibration);
    out.member("samples", q.result.samples).member("compared", q.result.compared);
    out.member("constant_bytes_before", q.result.bytes_before);
    out.member("constant_bytes_after", q.result.bytes_after);
    if (q.accuracy_before) out.member("accuracy_before", *q.accuracy_before);
    if (q.accuracy_after) out.member("accuracy_after", *q.accuracy_after);
    out.key("layers").begin_array();
    for (const layer_report& l : q.result.layers) {
        out.begin_object().member("name", l.tensor).member("op", l.op).member("int8", l.integer);
        if (l.integer && l.bytes_before != 0) out.member("weight_bits", l.weight_bits);
        if (!l.float_because.empty()) out.member("float_because", l.float_because);
        out.member("min", l.range.min).member("max", l.range.max);
        out.member("scale", l.scale).member("zero_point", l.zero_point);
        out.member("sqnr_db", l.sqnr).member("weight_sqnr_db", l.weight_sqnr);
        out.member("bytes_before", l.bytes_before).member("bytes_after", l.bytes_after).end();
    }
    out.end();
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
