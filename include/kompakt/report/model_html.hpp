// What a model is made of and what it costs, as a page for people.
#pragma once

#include <kompakt/report/html.hpp>
#include <kompakt/report/model_summary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

inline std::vector<memory_box> boxes_of(const std::vector<memory_row>& map) {
    std::vector<memory_box> boxes;
    for (const memory_row& r : map) {
        if (r.bytes != 0) boxes.push_back({r.name, r.offset, r.bytes, r.first, r.last, r.scratch});
    }
    return boxes;
}

// One row per op: number, op, output, type, quantization, MACs, bytes.
inline void add_ops(html_page& page, const model_summary& m) {
    std::vector<std::vector<std::string>> rows;
    std::vector<bar> macs;
    for (std::size_t i = 0; i < m.ops.size(); ++i) {
        const op_summary& op = m.ops[i];
        const tensor_summary nothing;
        const tensor_summary& out = op.outputs.empty() ? nothing : m.tensors[op.outputs[0]];
        rows.push_back({std::to_string(i), op.op.empty() ? op.kernel : op.op, short_name(out.name),
                        text_of(out.dims), name_of(out.type), quantization_text(out),
                        m.has_graph ? grouped(op.macs) : "", grouped(op.constant_bytes),
                        attributes_text(op.attributes)});
        if (op.macs != 0) {
            macs.push_back(
                {std::to_string(i) + " " + op.op, static_cast<double>(op.macs), grouped(op.macs)});
        }
    }
    page.table({"", "op", "output", "shape", "type", "quantization", "MACs", "constants, bytes",
                "attributes"},
               rows);
    if (const std::string text = decoded_weights_text(m); !text.empty()) page.paragraph(text);
    if (!macs.empty()) page.bars("Multiply-accumulates of each op", macs);
}

inline void add_memory(html_page& page, const model_summary& m) {
    page.memory_map(
        "The arena: ops to the right, addresses upwards. Grey: scratch of one op. Dashed: "
        "no layout of these ops can be smaller.",
        boxes_of(m.map), m.arena_bytes, m.lower_bound);
}

inline std::string model_html(std::string_view title, const model_summary& m) {
    html_page page(title);
    std::vector<std::pair<std::string, std::string>> figures = {
        {"ops", grouped(m.ops.size())},
        {"flash, bytes", grouped(m.flash_bytes())},
        {"arena, bytes", grouped(m.arena_bytes)}};
    if (m.has_graph) {
        figures.emplace_back("lower bound of the arena", grouped(m.lower_bound));
        figures.emplace_back("multiply-accumulates", grouped(m.macs));
    }
    page.figures(figures);
    page.section("Operators");
    add_ops(page, m);
    page.section("Memory");
    add_memory(page, m);
    page.section("Tensors");
    page.paragraph("By their number in the model file.");
    std::vector<std::vector<std::string>> rows;
    std::uint64_t unnamed = 0, unnamed_bytes = 0;
    for (const tensor_summary& t : m.tensors) {
        if (t.type == dtype::none) continue;
        if (t.made) {
            ++unnamed;
            unnamed_bytes += t.bytes;
            continue;
        }
        rows.push_back({std::to_string(t.number), short_name(t.name), text_of(t.dims),
                        name_of(t.type),
                        t.constant ? "constant"
                        : t.state  ? "state"
                                   : "arena",
                        grouped(t.bytes), quantization_text(t)});
    }
    page.table({"number", "name", "shape", "type", "where", "bytes", "quantization"}, rows);
    if (unnamed != 0) {
        page.paragraph("And " + grouped(unnamed) + made_text(m) + grouped(unnamed_bytes) +
                       " bytes.");
    }
    return page.take();
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
