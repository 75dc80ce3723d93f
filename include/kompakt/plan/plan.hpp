// plan: a graph becomes an executable: lowered, its memory assigned, written as .kpk bytes.
//
//     graph -> lowered_program -> buffers and overlaps -> layout -> bytes
#pragma once

#include <kompakt/graph/lower.hpp>
#include <kompakt/plan/pack_weights.hpp>
#include <kompakt/plan/plan_memory.hpp>
#include <kompakt/plan/prune.hpp>
#include <kompakt/plan/write_executable.hpp>

#include <set>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Planning is quadratic in the number of ops; networks have hundreds.
inline constexpr std::size_t max_planned_ops = 10000;

// Needs inferred shapes; symbols other than those of `options.dimensions` must be bound before
// (graph/infer.hpp: bind). Without packed weights the result loads on every port.
KOMPAKT_ONCE result<planned> plan(const graph& g, const plan_options& options = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<planned> plan(const graph& g, const plan_options& options) {
    if (g.inputs.size() > max_model_tensors || g.outputs.size() > max_model_tensors) {
        return fail(errc::limit, g.inputs.size(), " inputs and ", g.outputs.size(),
                    " outputs, needed at most ", max_model_tensors);
    }
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
        std::uint64_t elements = 1;
        for (std::int32_t d : t.dims) {
            if (d < 1) return fail(errc::unsupported, "tensor ", t.name, ": dimension of ", d);
            if (!checked_mul(elements, static_cast<std::uint64_t>(d), elements) ||
                elements > INT32_MAX) {
                return fail(errc::limit, "tensor ", t.name, ": more than ", INT32_MAX, " elements");
            }
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

    if (options.pack) KOMPAKT_TRY(detail::pack_weights(tables, *options.kernels));

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
    KOMPAKT_TRY(detail::write_executable(
        out, tables, notes, names,
        (options.keep_inputs || options.keep_all ? executable_keeps_inputs : 0u) |
            (options.keep_all ? executable_keeps_all : 0u)));
    return out;
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
