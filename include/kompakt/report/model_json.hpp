// What a model is made of and what it costs, for machines.
#pragma once

#include <kompakt/format/json.hpp>
#include <kompakt/report/model_summary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

// Adds the members of an object to `out`. Tensors go by their number in the model file, the
// member "index" of each.
inline void write_model(json::writer& out, const model_summary& m) {
    const auto numbers = [&](std::string_view key, const auto& all) {
        out.key(key).begin_array();
        for (const auto& n : all) out.value(n);
        out.end();
    };
    const auto tensors = [&](std::string_view key, const std::vector<std::uint32_t>& all) {
        out.key(key).begin_array();
        for (std::uint32_t t : all) out.value(m.tensors[t].number);
        out.end();
    };
    out.member("arena_bytes", m.arena_bytes).member("state_bytes", m.state_bytes);
    if (m.has_graph) out.member("arena_lower_bound", m.lower_bound).member("macs", m.macs);
    out.member("flash_bytes", m.flash_bytes()).member("constant_bytes", m.constant_bytes);
    out.member("table_bytes", m.table_bytes);
    tensors("inputs", m.inputs);
    tensors("outputs", m.outputs);
    out.key("ops").begin_array();
    for (const op_summary& op : m.ops) {
        out.begin_object().member("kernel", op.kernel);
        if (m.has_graph) out.member("op", op.op).member("name", op.name).member("macs", op.macs);
        out.member("constant_bytes", op.constant_bytes).member("scratch_bytes", op.scratch_bytes);
        out.member("by_rows", op.by_rows);
        if (op.decoded_weights) out.member("decoded_weights", true);
        if (!op.attributes.empty()) {
            out.key("attributes").begin_object();
            for (const attribute& a : op.attributes) {
                out.key(a.name);
                if (const auto* list = std::get_if<std::vector<std::int32_t>>(&a.value)) {
                    out.begin_array();
                    for (std::int32_t n : *list) out.value(n);
                    out.end();
                } else if (const auto* s = std::get_if<std::string>(&a.value)) {
                    out.value(*s);
                } else if (const auto* b = std::get_if<bool>(&a.value)) {
                    out.value(*b);
                } else if (const auto* i = std::get_if<std::int64_t>(&a.value)) {
                    out.value(*i);
                } else {
                    out.value(std::get<double>(a.value));
                }
            }
            out.end();
        }
        tensors("inputs", op.inputs);
        tensors("outputs", op.outputs);
        out.end();
    }
    out.end().key("tensors").begin_array();
    for (const tensor_summary& t : m.tensors) {
        out.begin_object().member("index", t.number).member("name", t.name);
        if (t.made) out.member("made", true);
        out.member("dtype", name_of(t.type));
        numbers("shape", t.dims);
        out.member("bytes", t.bytes).member("constant", t.constant);
        if (t.state) out.member("state", true);
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
