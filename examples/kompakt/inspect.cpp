// kompakt inspect: what a model is made of and what it needs.
#include "files.hpp"
#include "model.hpp"

#include <kompakt/host/file.hpp>
#include <kompakt/report/model.hpp>

namespace tool {

using namespace kompakt;
using report::grouped;

namespace {

// One line per buffer, from the lowest address on; a column per op, or per several.
void draw_memory(answer& a, const report::model_summary& m) {
    std::vector<memory_row> rows = m.map;
    std::stable_sort(rows.begin(), rows.end(), [](const memory_row& l, const memory_row& r) {
        return l.offset != r.offset ? l.offset < r.offset : l.first < r.first;
    });
    const std::size_t ops = (std::max)(m.ops.size(), std::size_t{1});
    const std::size_t each = (ops + 59) / 60;
    std::string mark = each == 1 ? "a column an op" : "a column " + std::to_string(each) + " ops";
    std::vector<std::vector<std::string>> cells;
    for (const memory_row& r : rows) {
        if (r.bytes == 0) continue;
        std::string line((ops + each - 1) / each, '.');
        for (std::size_t op = r.first; op <= r.last && op < ops; ++op) {
            line[op / each] = r.scratch ? '+' : '#';
        }
        cells.push_back({grouped(r.offset), grouped(r.bytes),
                         std::to_string(r.first) + "-" + std::to_string(r.last), "|" + line + "|",
                         report::short_name(r.name)});
    }
    a.say("Memory map: ", mark, "; # a tensor, + scratch");
    a.table({"offset", "bytes", "ops", "lifetime", "tensor"}, cells);
}

status inspect(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    if (given.has("--report")) {
        KOMPAKT_TRY(check_outputs(given, {{"--report", given.value("--report")}}));
    }
    plan_options options;
    options.kernels = &default_kernels();
    auto m = load_model(path, options);
    if (!m.ok()) return m.error();
    report::model_summary s;
    if (m->graph) {
        auto of_graph = report::summarize(*m->graph, m->plan);
        if (!of_graph.ok()) return in_file(path, of_graph.error());
        s = std::move(*of_graph);
    } else {
        executable x;
        const status valid = validate(m->code(), x, *options.kernels);
        if (!valid.ok()) return in_file(path, valid);
        s = report::summarize(x);
    }

    a.json.member("model", path).member("format", m->format).member("file_bytes", m->file_bytes);
    report::write_model(a.json, s);

    a.say(path, ": ", m->format, ", ", m->file_bytes, " bytes; runs as ", s.ops.size(),
          " kernel ops on ", options.kernels->port);
    const auto list = [&](const char* what, const std::vector<std::uint32_t>& all) {
        for (std::uint32_t t : all) {
            const report::tensor_summary& x = s.tensors[t];
            const std::string q = report::quantization_text(x);
            a.say(what, report::short_name(x.name), ": ", name_of(x.type), " ",
                  report::text_of(x.dims), q.empty() ? "" : ", ", q);
        }
    };
    list("input   ", s.inputs);
    list("output  ", s.outputs);
    if (s.has_graph) a.say("MACs    ", s.macs);
    a.say("flash   ", s.flash_bytes(), " bytes: constants ", s.constant_bytes, ", tables ",
          s.table_bytes);
    a.text += "arena   " + grouped(s.arena_bytes) + " bytes";
    if (s.has_graph)
        a.text += "; no plan of these ops can need less than " + grouped(s.lower_bound);
    a.say("");
    if (s.state_bytes != 0) a.say("state   ", s.state_bytes, " bytes of it, kept from run to run");
    a.say("");

    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < s.ops.size(); ++i) {
        const report::op_summary& op = s.ops[i];
        const report::tensor_summary nothing;
        const report::tensor_summary& out = op.outputs.empty() ? nothing : s.tensors[op.outputs[0]];
        std::vector<std::string> row = {std::to_string(i),
                                        op.kernel,
                                        report::text_of(out.dims),
                                        grouped(op.constant_bytes),
                                        op.scratch_bytes != 0 ? grouped(op.scratch_bytes) : "-",
                                        report::quantization_text(out)};
        if (s.has_graph) row.insert(row.begin() + 3, grouped(op.macs));
        rows.push_back(std::move(row));
    }
    std::vector<std::string> columns = {"op",        "kernel",  "output",
                                        "constants", "scratch", "quantization"};
    if (s.has_graph) columns.insert(columns.begin() + 3, "MACs");
    a.table(columns, rows);
    if (const std::string text = report::decoded_weights_text(s); !text.empty()) a.say(text);
    a.say("");

    rows.clear();
    for (std::size_t i = 0; i < s.ops.size(); ++i) {
        const report::op_summary& op = s.ops[i];
        const std::string text = report::attributes_text(op.attributes);
        if (!text.empty()) rows.push_back({std::to_string(i), op.op, text});
    }
    if (!rows.empty()) {
        a.say("Attributes; padding: top bottom left right");
        a.table({"op", "operator", "attributes"}, rows);
        a.say("");
    }

    rows.clear();
    std::uint64_t unnamed = 0, unnamed_bytes = 0;
    for (const report::tensor_summary& t : s.tensors) {
        if (t.type == dtype::none) continue;
        if (t.made) {
            ++unnamed;
            unnamed_bytes += t.bytes;
            continue;
        }
        rows.push_back({std::to_string(t.number), name_of(t.type), report::text_of(t.dims),
                        grouped(t.bytes),
                        t.constant ? "constant"
                        : t.state  ? "state"
                                   : "arena",
                        report::short_name(t.name)});
    }
    a.say("Tensors, by their number in the model file");
    a.table({"number", "type", "shape", "bytes", "where", "name"}, rows);
    if (unnamed != 0) {
        a.say("and ", unnamed, report::made_text(s), unnamed_bytes, " bytes");
    }
    a.say("");
    draw_memory(a, s);

    if (given.has("--report")) {
        const std::string to = given.value("--report");
        KOMPAKT_TRY(write_file_atomic(to, report::model_html(file_name(path), s)));
        a.json.member("report", to);
        a.say("");
        a.say("Wrote ", to);
    }
    return {};
}

} // namespace

command inspect_command() {
    return {
        "inspect",
        "MODEL [--report R.html]",
        "Shows a model's ops, tensors, quantization, MACs, flash and arena bytes, memory map.",
        "Flash is what firmware stores: constants and tables, without code. The arena is the one\n"
        "buffer that a run writes to.\n",
        {{"--report", "R.html", "the same as one self-contained page, with the memory map drawn"}},
        inspect};
}

} // namespace tool
