// What a model is made of and what it costs, as data.
#pragma once

#include <kompakt/plan/plan.hpp>
#include <kompakt/report/text.hpp>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

// A tensor as people ask for it.
struct tensor_summary {
    // In the model file; what no model file has gets the numbers that follow those.
    std::uint32_t number = 0;
    std::string name;
    dtype type = dtype::none;
    std::vector<std::int32_t> dims;
    std::uint64_t bytes = 0;
    bool constant = false;
    bool state = false;        // kept from run to run
    bool made = false;         // a constant that no model file has: multipliers, shifts …
    std::vector<float> scales; // empty: not quantized
    std::vector<std::int32_t> zero_points;
    int axis = -1; // of several scales
};

using attribute_value =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int32_t>>;

// What an operator of the graph is told apart by besides its tensors: strides, paddings, axes …
struct attribute {
    std::string name;
    attribute_value value;
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
    std::vector<attribute> attributes; // of the graph's operator
    bool decoded_weights = false;      // int8 in the model file, float32 here: a hybrid model
};

struct model_summary {
    std::vector<tensor_summary> tensors;        // as in the executable
    std::vector<op_summary> ops;                // kernel ops in the order of a run
    std::vector<std::uint32_t> inputs, outputs; // positions in `tensors`
    bool has_graph = false; // else: names of ops, MACs, lower bound are not known
    std::uint64_t macs = 0;
    std::uint64_t constant_bytes = 0; // weights, biases, multipliers
    std::uint64_t table_bytes = 0;    // ops, tensors, parameters: with the constants, the flash
    std::uint64_t arena_bytes = 0, lower_bound = 0;
    std::uint64_t state_bytes = 0; // of the arena, kept from run to run
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

// All attributes of an operator, for people and machines.
inline std::vector<attribute> attributes_of(op& o) {
    struct collector : attribute_visitor {
        std::vector<attribute> all;
        void add(const char* name, attribute_value v) { all.push_back({name, std::move(v)}); }
        void operator()(const char* name, std::int32_t& v) override { add(name, std::int64_t{v}); }
        void operator()(const char* name, float& v) override { add(name, static_cast<double>(v)); }
        void operator()(const char* name, bool& v) override { add(name, v); }
        void operator()(const char* name, activation& v) override {
            add(name, std::string(name_of(v)));
        }
        void operator()(const char* name, std::vector<std::int32_t>& v) override { add(name, v); }
        void operator()(const char* name, shape& v) override { add(name, kompakt::text_of(v)); }
    } c;
    o.visit(c);
    return c.all;
}

// "stride 2x2, dilation 1x1, padding 4 5 1 1, activation relu": height and width of one thing
// together, and the four paddings: top, bottom, left, right.
inline std::string attributes_text(const std::vector<attribute>& all) {
    struct shown {
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return significant(v); }
        std::string operator()(const std::string& v) const { return v; }
        std::string operator()(const std::vector<std::int32_t>& v) const { return text_of(v); }
    };
    std::string s;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& name = all[i].name;
        const std::size_t stem = name.size() > 2 ? name.size() - 2 : 0;
        std::string text = name + " " + std::visit(shown(), all[i].value);
        if (i + 1 < all.size() && name.compare(stem, 2, "_h") == 0 &&
            all[i + 1].name == name.substr(0, stem) + "_w") {
            text = name.substr(0, stem) + " " + std::visit(shown(), all[i].value) + "x" +
                   std::visit(shown(), all[i + 1].value);
            ++i;
        }
        if (i + 3 < all.size() && name == "pad_top") {
            text = "padding";
            for (std::size_t k = 0; k < 4; ++k) {
                text += " " + std::visit(shown(), all[i + k].value);
            }
            i += 3;
        }
        s += (s.empty() ? "" : ", ") + text;
    }
    return s;
}

// Of a valid executable alone; what it does not say stays empty.
inline model_summary summarize(const executable& x) {
    model_summary m;
    const program& p = x.code;
    std::uint32_t unnumbered = 0; // the first number that no tensor of the model file has
    for (std::uint32_t i = 0; x.notes != nullptr && i < p.tensor_count; ++i) {
        const std::uint32_t source = x.notes[i].source;
        if (source != UINT32_MAX) unnumbered = (std::max)(unnumbered, source + 1);
    }
    for (std::uint32_t i = 0; i < p.tensor_count; ++i) {
        const tensor_record& r = p.tensors[i];
        tensor_summary t;
        t.type = r.type;
        t.bytes = r.bytes;
        t.constant = r.where == place::constant;
        t.state = r.where == place::state;
        if (t.state) m.state_bytes += r.bytes;
        for (unsigned k = 0; k < r.rank; ++k) {
            t.dims.push_back(static_cast<std::int32_t>(p.words[r.dims_at + k]));
        }
        if (x.notes != nullptr) {
            t.name = x.name_of_tensor(i);
            t.made = t.constant && x.notes[i].source == UINT32_MAX;
            if (x.notes[i].scale != 0.0f) {
                t.scales = {x.notes[i].scale};
                t.zero_points = {x.notes[i].zero_point};
            }
        }
        const bool numbered = x.notes != nullptr && x.notes[i].source != UINT32_MAX;
        t.number = numbered ? x.notes[i].source : unnumbered++;
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
        const bool state = p.tensors[t].where == place::state;
        if ((p.tensors[t].where != place::arena && !state) || first[t] == UINT32_MAX) continue;
        if (state) first[t] = 0, last[t] = end;
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

// Whether a float32 operator has int8 weights, which no kernel takes as they are.
inline bool decodes_weights(const graph& g, node_id n) {
    const node& x = g.node_at(n);
    const auto type_of = [&](tensor_id t) {
        return t != no_tensor ? g.tensor(t).type : dtype::none;
    };
    if (x.inputs.size() < 2 || type_of(x.inputs[0]) != dtype::f32) return false;
    return type_of(x.inputs[1]) == dtype::i8 && g.tensor(x.inputs[1]).value &&
           g.tensor(x.inputs[1]).quantization;
}

// Of a graph and what it was planned to.
inline result<model_summary> summarize(const graph& g, const planned& p) {
    executable x;
    KOMPAKT_TRY(validate(p.bytes(), x));
    model_summary m = summarize(x);
    m.has_graph = true;
    m.lower_bound = p.lower_bound;
    m.map = p.map;
    for (std::uint32_t i = 0; i < m.tensors.size(); ++i) {
        tensor_summary& t = m.tensors[i];
        const std::uint32_t source = x.notes != nullptr ? x.notes[i].source : UINT32_MAX;
        if (source >= g.tensor_count() || !g.tensor(source).quantization) continue;
        const quantization& q = *g.tensor(source).quantization;
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
        if (done) {
            m.ops[i].macs = bound.node_at(n).op->macs(bound.infer_context(n));
            m.ops[i].attributes = attributes_of(*bound.node_at(n).op);
            m.ops[i].decoded_weights = decodes_weights(bound, n);
        }
        m.macs += m.ops[i].macs;
    }
    return m;
}

// What the constants are that the model file does not have.
inline std::string made_text(const model_summary& m) {
    const bool decoded = std::any_of(m.ops.begin(), m.ops.end(),
                                     [](const op_summary& op) { return op.decoded_weights; });
    return std::string(" constants made for the kernels (multipliers, shifts") +
           (decoded ? ", decoded weights), " : "), ");
}

// "" if there is nothing to say.
inline std::string decoded_weights_text(const model_summary& m) {
    std::size_t n = 0;
    for (const op_summary& op : m.ops) n += op.decoded_weights ? 1 : 0;
    if (n == 0) return "";
    return "Hybrid model: the int8 weights of " + grouped(n) + (n == 1 ? " op" : " ops") +
           " are decoded to float32 when it is planned; constants, flash and arithmetic are those "
           "of float32.";
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
