// plan: a graph becomes an executable: lowered, its memory assigned, written as .kpk bytes.
//
//     graph -> lowered_program -> buffers and overlaps -> layout -> bytes
#pragma once

#include <kompakt/graph/lower.hpp>
#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/plan/memory_planner.hpp>
#include <kompakt/plan/overlap.hpp>
#include <kompakt/run/default_kernels.hpp>
#include <kompakt/run/executable.hpp>

#include <set>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Planning is quadratic in the number of ops; networks have hundreds.
inline constexpr std::size_t max_planned_ops = 10000;

struct plan_options {
    bool keep_inputs = false; // `run` leaves the inputs as they were
    bool keep_all = false;    // no two tensors share memory: every intermediate result can be read
    bool names = true;        // names, scales and sources for people; firmware strips them
    bool in_place = true;     // outputs may lie over inputs
    // Scratch is planned so that these kernels can run, and the portable ones always.
    const kernel_table* kernels = &kernels_of<portable>();
    // Values of named dimensions that are not bound yet.
    std::map<std::string, std::int64_t> dimensions = {{"batch", 1}};
    // Weights are stored in the order of `kernels`; only that port can then run the executable.
    bool pack = false;
};

// One row of the memory map.
struct memory_row {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t first = 0, last = 0; // ops
    bool scratch = false;
};

struct planned {
    aligned_buffer storage;
    lowered_program lowered; // what was written, with the tensors' numbers
    std::vector<memory_row> map;
    std::uint64_t arena_bytes = 0;
    std::uint64_t lower_bound = 0; // of the arena, for the order of ops as it is

    bytes_view bytes() const noexcept { return {storage.data(), storage.size()}; }
};

namespace detail {

// Drops copies in the arena (their output is the same memory as their input) and tensors that no op
// uses; the rest keep their order. `buffer_of` maps tensors to memory.
inline void prune_lowered(lowered_program& p, std::vector<std::uint32_t>& buffer_of) {
    std::vector<std::uint32_t> alias(p.tensors.size());
    for (std::uint32_t i = 0; i < alias.size(); ++i) alias[i] = i;
    std::vector<lowered_op> ops;
    for (lowered_op& op : p.ops) {
        if (op.kernel == kernel_id::copy && p.tensors[op.inputs[0]].where == place::arena) {
            alias[op.outputs[0]] = alias[op.inputs[0]];
        } else {
            ops.push_back(std::move(op));
        }
    }
    p.ops = std::move(ops);

    std::vector<bool> used(p.tensors.size(), false);
    const auto use = [&](std::uint32_t t) { used[t] = used[alias[t]] = true; };
    for (std::uint32_t t : p.inputs) use(t);
    for (std::uint32_t t : p.outputs) use(t);
    for (const lowered_op& op : p.ops) {
        for (std::uint32_t t : op.inputs) use(t);
        for (std::uint32_t t : op.outputs) use(t);
    }
    // An alias that nobody reads still has a name and a value that people may ask for.
    for (std::uint32_t t = 0; t < alias.size(); ++t)
        used[t] = used[t] || (alias[t] != t && used[alias[t]]);
    std::vector<std::uint32_t> number(p.tensors.size(), 0);
    std::vector<lowered_tensor> kept;
    for (std::uint32_t t = 0; t < p.tensors.size(); ++t) {
        if (!used[t]) continue;
        number[t] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(std::move(p.tensors[t]));
    }
    buffer_of.clear();
    for (std::uint32_t t = 0; t < alias.size(); ++t) {
        if (used[t]) buffer_of.push_back(number[alias[t]]);
    }
    p.tensors = std::move(kept);
    const auto renumber = [&](std::vector<std::uint32_t>& all) {
        for (std::uint32_t& t : all) t = number[t];
    };
    renumber(p.inputs), renumber(p.outputs);
    for (lowered_op& op : p.ops) renumber(op.inputs), renumber(op.outputs);
}

// The tables under construction: `code()` can be given to kernels' functions at any time.
class program_builder {
  public:
    std::vector<tensor_record> tensors;
    std::vector<op_record> ops;
    std::vector<std::uint32_t> words;
    std::vector<std::byte> constants;
    std::uint32_t inputs_at = 0, outputs_at = 0;

    explicit program_builder(const lowered_program& p) {
        std::map<std::vector<std::int32_t>, std::uint32_t> dims_at; // equal shapes are stored once
        std::map<const void*, std::uint32_t> stored;                // and shared payloads
        for (const lowered_tensor& t : p.tensors) {
            tensor_record r{};
            r.type = t.type;
            r.rank = static_cast<std::uint8_t>(t.dims.size());
            r.where = t.where;
            r.bytes = t.where == place::absent ? 0 : static_cast<std::uint32_t>(t.bytes());
            const auto [it, fresh] = dims_at.try_emplace(t.dims, word_count());
            if (fresh) words.insert(words.end(), t.dims.begin(), t.dims.end());
            r.dims_at = it->second;
            if (t.where == place::constant && t.shared) {
                const auto [place, first] = stored.try_emplace(t.shared.get(), 0);
                if (first) place->second = add_constant(t.data());
                r.at = place->second;
            } else if (t.where == place::constant) {
                r.at = add_constant(t.data());
            }
            tensors.push_back(r);
        }
        for (const lowered_op& op : p.ops) {
            op_record r{};
            r.kernel = static_cast<std::uint16_t>(op.kernel);
            r.inputs = static_cast<std::uint16_t>(op.inputs.size());
            r.outputs = static_cast<std::uint16_t>(op.outputs.size());
            r.operands_at = word_count();
            words.insert(words.end(), op.inputs.begin(), op.inputs.end());
            words.insert(words.end(), op.outputs.begin(), op.outputs.end());
            r.params_at = word_count();
            words.insert(words.end(), op.params.begin(), op.params.end());
            ops.push_back(r);
        }
        inputs_at = word_count();
        words.insert(words.end(), p.inputs.begin(), p.inputs.end());
        outputs_at = word_count();
        words.insert(words.end(), p.outputs.begin(), p.outputs.end());
    }

    std::uint32_t add_constant(bytes_view payload) {
        const auto at = static_cast<std::uint32_t>(constants.size() / block_bytes);
        constants.insert(constants.end(), payload.begin(), payload.end());
        constants.resize(round_up(constants.size(), block_bytes));
        return at;
    }
    program code() const noexcept {
        return {tensors.data(),
                ops.data(),
                words.data(),
                constants.data(),
                static_cast<std::uint32_t>(tensors.size()),
                static_cast<std::uint32_t>(ops.size())};
    }

  private:
    std::uint32_t word_count() const noexcept { return static_cast<std::uint32_t>(words.size()); }
};

// Scratch of one op: for the port in use, the portable kernel, and both ways to run.
inline std::uint32_t scratch_of(const program& code, op_record op, bool by_rows,
                                const kernel_table& kernels) {
    op.flags = by_rows ? op_by_rows : 0;
    const call c(code, op, nullptr);
    const std::size_t own = kernels.find(op.kernel)->scratch_bytes(c);
    const std::size_t portable_one = kernels_of<portable>().find(op.kernel)->scratch_bytes(c);
    return static_cast<std::uint32_t>((std::max)(own, portable_one));
}

// Replaces weights by what the port makes of them. Weights that several ops share stay canonical.
inline void pack_weights(program_builder& tables, const kernel_table& kernels) {
    std::vector<std::uint32_t> uses(tables.tensors.size(), 0);
    for (const op_record& op : tables.ops) {
        for (std::uint32_t i = 0; i < op.inputs; ++i) ++uses[tables.words[op.operands_at + i]];
    }
    std::vector<std::vector<std::byte>> payloads(tables.tensors.size());
    for (op_record& op : tables.ops) {
        const kernel_entry& k = *kernels.find(op.kernel);
        if (k.pack_bytes == nullptr || op.inputs <= packed_input) continue;
        const std::uint32_t t = tables.words[op.operands_at + packed_input];
        if (tables.tensors[t].where != place::constant || uses[t] != 1) continue;
        const program code = tables.code();
        const call c(code, op, nullptr);
        const std::size_t bytes = k.pack_bytes(c);
        if (bytes == 0) continue;
        aligned_buffer packed(bytes);
        k.pack(c, packed.data());
        payloads[t].assign(packed.data(), packed.data() + bytes);
        op.pack_id = k.pack_id;
    }
    // The constants are laid out anew, in the same order.
    const std::vector<std::byte> old = std::move(tables.constants);
    tables.constants.clear();
    for (std::uint32_t t = 0; t < tables.tensors.size(); ++t) {
        tensor_record& r = tables.tensors[t];
        if (r.where != place::constant) continue;
        if (!payloads[t].empty()) {
            r.coding = encoding::port;
            r.bytes = static_cast<std::uint32_t>(payloads[t].size());
            r.at = tables.add_constant({payloads[t].data(), payloads[t].size()});
        } else {
            r.at = tables.add_constant({old.data() + std::size_t{r.at} * block_bytes, r.bytes});
        }
    }
}

struct memory_plan {
    memory_layout layout;
    std::vector<std::uint32_t> buffer_of_tensor; // UINT32_MAX: not in the arena
    std::vector<std::uint32_t> buffer_of_scratch;
    std::vector<memory_buffer> buffers;
    std::vector<bool> by_rows; // by op
    std::uint64_t lower_bound = 0;
};

inline memory_plan plan_memory(const lowered_program& p,
                               const std::vector<std::uint32_t>& memory_of,
                               const program_builder& tables, const plan_options& options) {
    memory_plan m;
    const auto ops = static_cast<std::uint32_t>(p.ops.size());
    const std::uint32_t end = ops == 0 ? 0 : ops - 1;
    m.buffer_of_tensor.assign(p.tensors.size(), UINT32_MAX);
    std::vector<bool> pinned; // by buffer: read after the run
    for (std::uint32_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].where != place::arena || memory_of[t] != t) continue;
        m.buffer_of_tensor[t] = static_cast<std::uint32_t>(m.buffers.size());
        m.buffers.push_back({p.tensors[t].bytes(), UINT32_MAX, 0});
        pinned.push_back(options.keep_all);
    }
    for (std::uint32_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].where == place::arena) {
            m.buffer_of_tensor[t] = m.buffer_of_tensor[memory_of[t]];
        }
    }
    const auto touch = [&](std::uint32_t t, std::uint32_t op) {
        if (m.buffer_of_tensor[t] == UINT32_MAX) return;
        memory_buffer& b = m.buffers[m.buffer_of_tensor[t]];
        b.first = (std::min)(b.first, op);
        b.last = (std::max)(b.last, op);
    };
    const auto pin = [&](std::uint32_t t) {
        if (m.buffer_of_tensor[t] != UINT32_MAX) pinned[m.buffer_of_tensor[t]] = true;
    };
    for (std::uint32_t i = 0; i < ops; ++i) {
        for (std::uint32_t t : p.ops[i].inputs) touch(t, i);
        for (std::uint32_t t : p.ops[i].outputs) touch(t, i);
    }
    for (std::uint32_t t : p.inputs) {
        touch(t, 0);
        if (options.keep_inputs) pin(t);
    }
    for (std::uint32_t t : p.outputs) {
        touch(t, end);
        pin(t);
    }
    for (std::uint32_t b = 0; b < m.buffers.size(); ++b) {
        if (options.keep_all) m.buffers[b].first = 0;
        if (pinned[b]) m.buffers[b].last = end;
    }
    m.buffer_of_scratch.resize(ops);
    for (std::uint32_t i = 0; i < ops; ++i) {
        m.buffer_of_scratch[i] = static_cast<std::uint32_t>(m.buffers.size());
        m.buffers.push_back({0, i, i});
    }

    // What may overlap: the input dies at the op that makes the output.
    struct candidate {
        memory_overlap overlap;
        std::uint32_t op = 0;
        bool rows = false;
    };
    std::vector<candidate> candidates;
    for (std::uint32_t i = 0; options.in_place && i < ops; ++i) {
        for (const overlap& o : p.ops[i].overlaps) {
            const std::uint32_t in = m.buffer_of_tensor[p.ops[i].inputs[o.input]];
            const std::uint32_t out = m.buffer_of_tensor[p.ops[i].outputs[0]];
            if (in == UINT32_MAX || in == out || pinned[in] || m.buffers[in].last != i ||
                m.buffers[out].first != i) {
                continue;
            }
            const auto distance = overlap_distance(p, p.ops[i], o);
            if (!distance) continue;
            candidates.push_back({{in, out, *distance}, i, o.how == overlap::kind::rows});
        }
    }
    std::vector<bool> allowed(candidates.size(), true);
    const program code = tables.code();
    std::vector<std::uint32_t> plain(ops), rows(ops);
    for (std::uint32_t i = 0; i < ops; ++i) {
        plain[i] = scratch_of(code, tables.ops[i], false, *options.kernels);
    }
    for (const candidate& c : candidates) {
        if (c.rows) rows[c.op] = scratch_of(code, tables.ops[c.op], true, *options.kernels);
    }
    const auto attempt = [&](memory_layout& layout) {
        std::vector<memory_overlap> overlaps;
        for (std::uint32_t i = 0; i < ops; ++i) m.buffers[m.buffer_of_scratch[i]].bytes = plain[i];
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (!allowed[k]) continue;
            overlaps.push_back(candidates[k].overlap);
            if (candidates[k].rows) {
                m.buffers[m.buffer_of_scratch[candidates[k].op]].bytes = rows[candidates[k].op];
            }
        }
        layout = place_buffers(m.buffers, overlaps);
        m.lower_bound = memory_lower_bound(m.buffers, overlaps);
    };
    attempt(m.layout);
    const std::uint64_t bound = m.lower_bound;
    // Running by rows costs a little time: give it up wherever that does not cost memory. Each
    // trial is quadratic in the number of buffers, so very large graphs get fewer trials.
    std::uint64_t trials = std::uint64_t{40000000} / (m.buffers.size() * m.buffers.size() + 1) + 1;
    for (std::size_t k = 0; k < candidates.size() && trials > 0; ++k) {
        if (!candidates[k].rows) continue;
        --trials;
        allowed[k] = false;
        memory_layout other;
        attempt(other);
        if (other.bytes <= m.layout.bytes) {
            m.layout = std::move(other);
        } else {
            allowed[k] = true;
        }
    }
    memory_layout final_layout;
    attempt(final_layout); // sets the scratch sizes that belong to the choice
    m.layout = std::move(final_layout);
    m.lower_bound = bound;
    m.by_rows.assign(ops, false);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        if (allowed[k] && candidates[k].rows) m.by_rows[candidates[k].op] = true;
    }
    return m;
}

inline void write_executable(planned& out, const program_builder& tables,
                             const std::vector<tensor_note>& notes, const std::string& names,
                             std::uint32_t flags) {
    executable_header h{};
    std::uint64_t at = round_up(sizeof h, block_bytes);
    const auto section = [&](std::uint64_t bytes) {
        const std::uint64_t start = at;
        at = round_up(at + bytes, block_bytes);
        return static_cast<std::uint32_t>(start);
    };
    h.magic = executable_magic;
    h.version = executable_version;
    h.arena_bytes = static_cast<std::uint32_t>(out.arena_bytes);
    h.flags = flags;
    h.tensor_count = static_cast<std::uint32_t>(tables.tensors.size());
    h.op_count = static_cast<std::uint32_t>(tables.ops.size());
    h.word_count = static_cast<std::uint32_t>(tables.words.size());
    h.input_count = static_cast<std::uint32_t>(out.lowered.inputs.size());
    h.inputs_at = tables.inputs_at;
    h.output_count = static_cast<std::uint32_t>(out.lowered.outputs.size());
    h.outputs_at = tables.outputs_at;
    h.tensors_at = section(tables.tensors.size() * sizeof(tensor_record));
    h.ops_at = section(tables.ops.size() * sizeof(op_record));
    h.words_at = section(tables.words.size() * 4);
    if (!notes.empty()) {
        h.notes_at = section(notes.size() * sizeof(tensor_note));
        h.names_at = section(names.size());
        h.name_bytes = static_cast<std::uint32_t>(names.size());
    }
    h.constants_at = section(tables.constants.size());
    h.constant_bytes = static_cast<std::uint32_t>(tables.constants.size());
    h.file_bytes = static_cast<std::uint32_t>(at);

    out.storage = aligned_buffer(at);
    std::byte* to = out.storage.data();
    const auto put = [&](std::uint32_t where, const void* from, std::size_t bytes) {
        if (bytes != 0) std::memcpy(to + where, from, bytes);
    };
    put(h.tensors_at, tables.tensors.data(), tables.tensors.size() * sizeof(tensor_record));
    put(h.ops_at, tables.ops.data(), tables.ops.size() * sizeof(op_record));
    put(h.words_at, tables.words.data(), tables.words.size() * 4);
    put(h.notes_at, notes.data(), notes.size() * sizeof(tensor_note));
    put(h.names_at, names.data(), notes.empty() ? 0 : names.size());
    put(h.constants_at, tables.constants.data(), tables.constants.size());
    put(0, &h, sizeof h);
    h.checksum = crc32(out.bytes().subspan(16));
    put(0, &h, sizeof h);
}

} // namespace detail

// Needs inferred shapes; symbols other than those of `options.dimensions` must be bound before
// (graph/infer.hpp: bind). Without packed weights the result loads on every port.
inline result<planned> plan(const graph& g, const plan_options& options = {}) {
    for (tensor_id t : g.inputs) {
        if (is_known(g.tensor(t).shape)) continue;
        const auto bound = kompakt::bind(g, options.dimensions);
        if (!bound.ok()) return bound.error();
        for (tensor_id i : bound->inputs) {
            if (!is_known(bound->tensor(i).shape)) {
                return fail(errc::bad_argument, "input ", bound->tensor(i).name, " ",
                            text_of(bound->tensor(i).shape), ": bind its dimensions first");
            }
        }
        return plan(*bound, options);
    }
    auto lowered = lower(g);
    if (!lowered.ok()) return lowered.error();
    planned out;
    out.lowered = std::move(*lowered);
    lowered_program& p = out.lowered;
    std::vector<std::uint32_t> memory_of;
    detail::prune_lowered(p, memory_of);

    if (p.ops.size() > max_planned_ops) {
        return fail(errc::limit, p.ops.size(), " kernel ops, needed at most ", max_planned_ops);
    }
    std::uint64_t constant_bytes = 0;
    std::set<const void*> payloads;
    for (const lowered_tensor& t : p.tensors) {
        if (t.dims.size() > max_rank) {
            return fail(errc::unsupported, "tensor ", t.name, ": rank ", t.dims.size(),
                        ", needed at most ", max_rank);
        }
        for (std::int32_t d : t.dims) {
            if (d < 1) return fail(errc::unsupported, "tensor ", t.name, ": dimension of ", d);
        }
        if (t.shared && !payloads.insert(t.shared.get()).second) continue;
        constant_bytes += t.data().size() + block_bytes;
    }
    if (constant_bytes >= UINT32_MAX / 2) {
        return fail(errc::limit, "constants of ", constant_bytes, " bytes, needed at most 2 GiB");
    }
    detail::program_builder tables(p);
    const program code = tables.code();
    for (std::uint32_t i = 0; i < tables.ops.size(); ++i) {
        const op_record& op = tables.ops[i];
        if (op.inputs + op.outputs > static_cast<int>(max_operands)) {
            return fail(errc::unsupported, g.node_text(p.ops[i].node), ": ", op.inputs + op.outputs,
                        " operands, needed at most ", max_operands);
        }
        const kernel_entry* k = options.kernels->find(op.kernel);
        KOMPAKT_ASSERT(k != nullptr, "plan: a kernel that is not in the list");
        KOMPAKT_TRY(k->check(call(code, op, nullptr))
                        .within(g.node_text(p.ops[i].node), ": ", k->name, ": "));
    }

    const detail::memory_plan m = detail::plan_memory(p, memory_of, tables, options);
    if (options.pack) detail::pack_weights(tables, *options.kernels);
    if (m.layout.bytes >= UINT32_MAX) {
        return fail(errc::limit, "arena of ", m.layout.bytes, " bytes, needed less than 4 GiB");
    }
    out.arena_bytes = m.layout.bytes;
    out.lower_bound = m.lower_bound;
    for (std::uint32_t t = 0; t < p.tensors.size(); ++t) {
        const std::uint32_t b = m.buffer_of_tensor[t];
        if (b == UINT32_MAX) continue;
        tables.tensors[t].at = static_cast<std::uint32_t>(m.layout.offsets[b] / block_bytes);
        if (memory_of[t] == t) {
            out.map.push_back({p.tensors[t].name, m.layout.offsets[b], m.buffers[b].bytes,
                               m.buffers[b].first, m.buffers[b].last, false});
        }
    }
    for (std::uint32_t i = 0; i < p.ops.size(); ++i) {
        const std::uint32_t b = m.buffer_of_scratch[i];
        op_record& op = tables.ops[i];
        op.flags = m.by_rows[i] ? op_by_rows : 0;
        op.scratch_at = static_cast<std::uint32_t>(m.layout.offsets[b] / block_bytes);
        op.scratch_bytes = static_cast<std::uint32_t>(m.buffers[b].bytes);
        if (op.scratch_bytes != 0) {
            out.map.push_back({"scratch of op " + std::to_string(i), m.layout.offsets[b],
                               m.buffers[b].bytes, i, i, true});
        }
    }

    std::vector<tensor_note> notes;
    std::string names(1, '\0');
    if (options.names) {
        for (const lowered_tensor& t : p.tensors) {
            tensor_note n{t.scale, t.zero_point, 0, t.source};
            if (!t.name.empty()) {
                n.name_at = static_cast<std::uint32_t>(names.size());
                names += t.name.c_str(); // a name ends at its first NUL
                names += '\0';
            }
            notes.push_back(n);
        }
    }
    detail::write_executable(
        out, tables, notes, names,
        (options.keep_inputs || options.keep_all ? executable_keeps_inputs : 0u) |
            (options.keep_all ? executable_keeps_all : 0u));
    return out;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
