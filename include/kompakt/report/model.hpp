// What a model is made of and what it costs, as data: for people (html) and machines (json).
#pragma once

#include <kompakt/format/json.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/report/html.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

// A tensor as people ask for it.
struct tensor_summary {
    std::uint32_t source = UINT32_MAX; // number in the model file
    std::string name;
    dtype type = dtype::none;
    std::vector<std::int32_t> dims;
    std::uint64_t bytes = 0;
    bool constant = false;
    bool made = false;         // a constant that no model file has: multipliers, shifts
    std::vector<float> scales; // empty: not quantized
    std::vector<std::int32_t> zero_points;
    int axis = -1; // of several scales
};

struct op_summary {
    std::string kernel; // that runs it
    std::string op;     // of the graph; empty for an executable
    std::string name;
    std::vector<std::uint32_t> inputs, outputs; // positions in `tensors`
    std::uint64_t macs = 0;
    std::uint64_t constant_bytes = 0; // each constant counted at the first op that reads it
    std::uint64_t scratch_bytes = 0;
    bool by_rows = false;
};

struct model_summary {
    std::vector<tensor_summary> tensors; // as in the executable
    std::vector<op_summary> ops;         // kernel ops in the order of a run
    std::vector<std::uint32_t> inputs, outputs;
    bool has_graph = false; // else: names of ops, MACs, lower bound are not known
    std::uint64_t macs = 0;
    std::uint64_t constant_bytes = 0; // weights, biases, multipliers
    std::uint64_t table_bytes = 0;    // ops, tensors, parameters: with the constants, the flash
    std::uint64_t arena_bytes = 0, lower_bound = 0;
    std::vector<memory_row> map;

    std::uint64_t flash_bytes() const noexcept { return constant_bytes + table_bytes; }
};

inline std::string text_of(const std::vector<std::int32_t>& dims) {
    std::string s = "[";
    for (std::size_t i = 0; i < dims.size(); ++i)
        s += (i != 0 ? ", " : "") + std::to_string(dims[i]);
    return s + "]";
}

// "scale 0.5847, zero point 83", "64 scales 0.001 to 0.02 along axis 0", "" if not quantized
inline std::string quantization_text(const tensor_summary& t) {
    if (t.scales.empty()) return "";
    if (t.scales.size() == 1) {
        return "scale " + significant(static_cast<double>(t.scales[0])) + ", zero point " +
               std::to_string(t.zero_points.empty() ? 0 : t.zero_points[0]);
    }
    const auto [low, high] = std::minmax_element(t.scales.begin(), t.scales.end());
    return std::to_string(t.scales.size()) + " scales " + significant(static_cast<double>(*low)) +
           " to " + significant(static_cast<double>(*high)) + " along axis " +
           std::to_string(t.axis);
}

// Of a valid executable alone; what it does not say stays empty.
inline model_summary summarize(const executable& x) {
    model_summary m;
    const program& p = x.code;
    for (std::uint32_t i = 0; i < p.tensor_count; ++i) {
        const tensor_record& r = p.tensors[i];
        tensor_summary t;
        t.type = r.type;
        t.bytes = r.bytes;
        t.constant = r.where == place::constant;
        for (unsigned k = 0; k < r.rank; ++k) {
            t.dims.push_back(static_cast<std::int32_t>(p.words[r.dims_at + k]));
        }
        if (x.notes != nullptr) {
            t.name = x.name_of_tensor(i);
            t.source = x.notes[i].source;
            t.made = t.constant && t.source == UINT32_MAX;
            if (x.notes[i].scale != 0.0f) {
                t.scales = {x.notes[i].scale};
                t.zero_points = {x.notes[i].zero_point};
            }
        }
        m.tensors.push_back(std::move(t));
    }
    m.inputs.assign(x.inputs, x.inputs + x.header->input_count);
    m.outputs.assign(x.outputs, x.outputs + x.header->output_count);
    std::vector<bool> counted(p.tensor_count, false);
    for (std::uint32_t i = 0; i < p.op_count; ++i) {
        const op_record& r = p.ops[i];
        op_summary op;
        op.kernel = kernels_of<portable>().find(r.kernel)->name;
        op.scratch_bytes = r.scratch_bytes;
        op.by_rows = (r.flags & op_by_rows) != 0;
        for (std::uint32_t k = 0; k < std::uint32_t{r.inputs} + r.outputs; ++k) {
            const std::uint32_t t = p.words[r.operands_at + k];
            if (p.tensors[t].where == place::absent) continue;
            (k < r.inputs ? op.inputs : op.outputs).push_back(t);
            if (p.tensors[t].where == place::constant && !counted[t]) {
                op.constant_bytes += p.tensors[t].bytes;
                counted[t] = true;
            }
        }
        m.ops.push_back(std::move(op));
    }
    const executable_header& h = *x.header;
    m.constant_bytes = h.constant_bytes;
    m.table_bytes = p.tensor_count * sizeof(tensor_record) + p.op_count * sizeof(op_record) +
                    h.word_count * std::uint64_t{4};
    m.arena_bytes = h.arena_bytes;

    // The map as far as the records tell: a tensor lives from the first op that touches it to the
    // last, inputs from the start, outputs to the end. Tensors that are one memory are one row.
    const std::uint32_t end = p.op_count == 0 ? 0 : p.op_count - 1;
    std::vector<std::uint32_t> first(p.tensor_count, UINT32_MAX), last(p.tensor_count, 0);
    const auto touch = [&](std::uint32_t t, std::uint32_t op) {
        first[t] = (std::min)(first[t], op);
        last[t] = (std::max)(last[t], op);
    };
    for (std::uint32_t t : m.inputs) touch(t, 0);
    for (std::uint32_t i = 0; i < p.op_count; ++i) {
        for (std::uint32_t t : m.ops[i].inputs) touch(t, i);
        for (std::uint32_t t : m.ops[i].outputs) touch(t, i);
    }
    for (std::uint32_t t : m.outputs) touch(t, end);
    for (std::uint32_t t = 0; t < p.tensor_count; ++t) {
        if (p.tensors[t].where != place::arena || first[t] == UINT32_MAX) continue;
        m.map.push_back({m.tensors[t].name, std::uint64_t{p.tensors[t].at} * block_bytes,
                         p.tensors[t].bytes, first[t], last[t], false});
    }
    for (std::uint32_t i = 0; i < p.op_count; ++i) {
        if (p.ops[i].scratch_bytes == 0) continue;
        m.map.push_back({"scratch of op " + std::to_string(i),
                         std::uint64_t{p.ops[i].scratch_at} * block_bytes, p.ops[i].scratch_bytes,
                         i, i, true});
    }
    return m;
}

// Of a graph and what it was planned to.
inline result<model_summary> summarize(const graph& g, const planned& p) {
    executable x;
    KOMPAKT_TRY(validate(p.bytes(), x));
    model_summary m = summarize(x);
    m.has_graph = true;
    m.lower_bound = p.lower_bound;
    m.map = p.map;
    for (tensor_summary& t : m.tensors) {
        if (t.source >= g.tensor_count() || !g.tensor(t.source).quantization) continue;
        const quantization& q = *g.tensor(t.source).quantization;
        t.scales = q.scales;
        t.zero_points = q.zero_points;
        t.axis = q.axis;
    }
    graph bound = g; // infer_context is for graphs that may change
    for (std::uint32_t i = 0; i < m.ops.size(); ++i) {
        const node_id n = p.lowered.ops[i].node;
        m.ops[i].op = bound.node_at(n).op->name();
        m.ops[i].name = bound.node_at(n).name;
        // A node of several kernel ops: the last one does the node's work.
        const bool done = i + 1 == m.ops.size() || p.lowered.ops[i + 1].node != n;
        if (done) m.ops[i].macs = bound.node_at(n).op->macs(bound.infer_context(n));
        m.macs += m.ops[i].macs;
    }
    return m;
}

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
        const tensor_summary& out = m.tensors[op.outputs[0]];
        rows.push_back({std::to_string(i), op.op.empty() ? op.kernel : op.op, short_name(out.name),
                        text_of(out.dims), name_of(out.type), quantization_text(out),
                        m.has_graph ? grouped(op.macs) : "", grouped(op.constant_bytes)});
        if (op.macs != 0) {
            macs.push_back(
                {std::to_string(i) + " " + op.op, static_cast<double>(op.macs), grouped(op.macs)});
        }
    }
    page.table({"", "op", "output", "shape", "type", "quantization", "MACs", "constants, bytes"},
               rows);
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
    std::vector<std::vector<std::string>> rows;
    std::uint64_t unnamed = 0, unnamed_bytes = 0;
    for (const tensor_summary& t : m.tensors) {
        if (t.type == dtype::none) continue;
        if (t.made) {
            ++unnamed;
            unnamed_bytes += t.bytes;
            continue;
        }
        rows.push_back({t.source != UINT32_MAX ? std::to_string(t.source) : "", short_name(t.name),
                        text_of(t.dims), name_of(t.type), t.constant ? "constant" : "arena",
                        grouped(t.bytes), quantization_text(t)});
    }
    page.table({"in the file", "name", "shape", "type", "where", "bytes", "quantization"}, rows);
    if (unnamed != 0) {
        page.paragraph("And " + grouped(unnamed) +
                       " constants made for the kernels (multipliers, "
                       "shifts), " +
                       grouped(unnamed_bytes) + " bytes.");
    }
    return page.take();
}

// Adds the members of an object to `out`.
inline void write_model(json::writer& out, const model_summary& m) {
    const auto numbers = [&](std::string_view key, const auto& all) {
        out.key(key).begin_array();
        for (const auto& n : all) out.value(n);
        out.end();
    };
    out.member("arena_bytes", m.arena_bytes);
    if (m.has_graph) out.member("arena_lower_bound", m.lower_bound).member("macs", m.macs);
    out.member("flash_bytes", m.flash_bytes()).member("constant_bytes", m.constant_bytes);
    out.member("table_bytes", m.table_bytes);
    numbers("inputs", m.inputs);
    numbers("outputs", m.outputs);
    out.key("ops").begin_array();
    for (const op_summary& op : m.ops) {
        out.begin_object().member("kernel", op.kernel);
        if (m.has_graph) out.member("op", op.op).member("name", op.name).member("macs", op.macs);
        out.member("constant_bytes", op.constant_bytes).member("scratch_bytes", op.scratch_bytes);
        out.member("by_rows", op.by_rows);
        numbers("inputs", op.inputs);
        numbers("outputs", op.outputs);
        out.end();
    }
    out.end().key("tensors").begin_array();
    for (const tensor_summary& t : m.tensors) {
        out.begin_object().member("name", t.name);
        if (t.source != UINT32_MAX) out.member("index", t.source);
        out.member("dtype", name_of(t.type));
        numbers("shape", t.dims);
        out.member("bytes", t.bytes).member("constant", t.constant);
        if (!t.scales.empty()) {
            numbers("scales", t.scales);
            numbers("zero_points", t.zero_points);
            if (t.axis >= 0) out.member("axis", t.axis);
        }
        out.end();
    }
    out.end().key("memory").begin_array();
    for (const memory_row& r : m.map) {
        out.begin_object()
            .member("name", r.name)
            .member("offset", r.offset)
            .member("bytes", r.bytes);
        out.member("first", r.first).member("last", r.last).member("scratch", r.scratch).end();
    }
    out.end();
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
