// plan_memory: lifetimes and overlaps of all tensors and scratch, then their places in the arena.
#pragma once

#include <kompakt/graph/lowered.hpp>
#include <kompakt/kernel/jump.hpp>
#include <kompakt/plan/memory_planner.hpp>
#include <kompakt/plan/overlap.hpp>
#include <kompakt/plan/plan_options.hpp>
#include <kompakt/plan/program_builder.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Scratch of one op: for the port in use, the portable kernel, and both ways to run.
inline std::uint32_t scratch_of(const program& code, op_record op, bool by_rows,
                                const kernel_table& kernels) {
    op.flags = by_rows ? op_by_rows : 0;
    const call c(code, op, nullptr);
    const std::size_t own = kernels.find(op.kernel)->scratch_bytes(c);
    const std::size_t portable_one = portable_entry(kernels, op.kernel)->scratch_bytes(c);
    return static_cast<std::uint32_t>((std::max)(own, portable_one));
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
        const bool state = p.tensors[t].where == place::state;
        if ((p.tensors[t].where != place::arena && !state) || memory_of[t] != t) continue;
        m.buffer_of_tensor[t] = static_cast<std::uint32_t>(m.buffers.size());
        // States have their bytes to themselves.
        m.buffers.push_back({p.tensors[t].bytes(), state ? 0 : UINT32_MAX, 0});
        pinned.push_back(options.keep_all || state);
    }
    for (std::uint32_t t = 0; t < p.tensors.size(); ++t) {
        if (m.buffer_of_tensor[t] == UINT32_MAX && p.tensors[t].where == place::arena) {
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
    // What a loop finds there has to last until it ends.
    for (std::uint32_t i = 0; i < ops; ++i) {
        if (!is_jump(static_cast<std::uint16_t>(p.ops[i].kernel)) || p.ops[i].params[0] > i)
            continue;
        for (memory_buffer& b : m.buffers) {
            if (b.first < p.ops[i].params[0] && b.last >= p.ops[i].params[0]) {
                b.last = (std::max)(b.last, i);
            }
        }
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

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
