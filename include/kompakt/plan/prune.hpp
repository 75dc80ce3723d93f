// prune_lowered: what needs neither code nor memory leaves the lowered program.
#pragma once

#include <kompakt/graph/lowered.hpp>
#include <kompakt/kernel/jump.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Drops copies in the arena (their output is the same memory as their input) and tensors that no op
// uses; the rest keep their order. `buffer_of` maps tensors to memory.
inline void prune_lowered(lowered_program& p, std::vector<std::uint32_t>& buffer_of) {
    std::vector<std::uint32_t> alias(p.tensors.size());
    for (std::uint32_t i = 0; i < alias.size(); ++i) alias[i] = i;
    // States and what loops carry change behind the back of a second name.
    const auto is_plain = [&](std::uint32_t t) {
        return p.tensors[t].where == place::arena && !p.tensors[t].rewritten;
    };
    std::vector<lowered_op> ops;
    std::vector<std::uint32_t> moved; // where ops went, for jumps
    for (lowered_op& op : p.ops) {
        moved.push_back(static_cast<std::uint32_t>(ops.size()));
        if (op.kernel == kernel_id::copy && is_plain(op.inputs[0]) && is_plain(op.outputs[0])) {
            alias[op.outputs[0]] = alias[op.inputs[0]];
        } else {
            ops.push_back(std::move(op));
        }
    }
    moved.push_back(static_cast<std::uint32_t>(ops.size()));
    p.ops = std::move(ops);
    for (lowered_op& op : p.ops) {
        if (is_jump(static_cast<std::uint16_t>(op.kernel))) op.params[0] = moved[op.params[0]];
    }

    std::vector<bool> used(p.tensors.size(), false);
    const auto use = [&](std::uint32_t t) { used[t] = used[alias[t]] = true; };
    for (std::uint32_t t : p.inputs) use(t);
    for (std::uint32_t t : p.outputs) use(t);
    for (const lowered_op& op : p.ops) {
        for (std::uint32_t t : op.inputs) use(t);
        for (std::uint32_t t : op.outputs) use(t);
    }
    // States that no op touches are none.
    p.states.erase(std::remove_if(p.states.begin(), p.states.end(),
                                  [&](const lowered_state& s) { return !used[s.tensor]; }),
                   p.states.end());
    for (const lowered_state& s : p.states) {
        if (s.initial != no_initial) use(s.initial);
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
    for (lowered_state& s : p.states) {
        s.tensor = number[s.tensor];
        if (s.initial != no_initial) s.initial = number[s.initial];
    }
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
