// Evaluates nodes all of whose inputs are constants: each is planned as a graph of its own and run
// once, so that every operator folds with the very kernel that would have run.
#pragma once

#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// The outputs' values. An error where no kernel does it, or where they would be far larger than the
// inputs (a broadcast): memory stays a small multiple of the model's.
inline result<std::vector<constant>> evaluate_node(const graph& g, node_id id,
                                                   std::uint64_t& budget) {
    const node& n = g.node_at(id);
    graph one;
    node copy = n;
    for (tensor_id& t : copy.inputs) {
        if (t != no_tensor) t = one.add_tensor(g.tensor(t));
    }
    for (tensor_id& t : copy.outputs) {
        t = one.add_tensor(g.tensor(t));
        one.outputs.push_back(t);
    }
    one.insert_node(0, std::move(copy));
    KOMPAKT_TRY(infer(one));
    std::size_t given = 0, made = 0;
    for (tensor_id t = 0; t < one.tensor_count(); ++t) {
        const graph_tensor& x = one.tensor(t);
        const auto elements = element_count(x.shape);
        if (!elements.ok()) return elements.error();
        (x.value ? given : made) += *elements * bits_of(x.type) / 8;
    }
    if (made > 4 * given + 65536 || made > budget) {
        return fail(errc::limit, made, " bytes from ", given, " bytes of constants");
    }
    budget -= made;
    plan_options options;
    options.names = false;
    auto code = plan(one, options);
    if (!code.ok()) return code.error();
    session s(code->bytes());
    KOMPAKT_TRY(s.check());
    const aligned_buffer arena(s.arena_bytes());
    KOMPAKT_TRY(s.bind({arena.data(), arena.size()}));
    s.run();
    std::vector<constant> values;
    for (std::size_t i = 0; i < s.outputs(); ++i) {
        const graph_tensor& t = one.tensor(one.outputs[i]);
        const bytes_view made_here = s.output_bytes(i);
        std::vector<std::byte> little(made_here.begin(), made_here.end());
        convert_little_endian({little.data(), little.size()}, t.type);
        values.push_back(make_constant_bytes(t.type, t.shape, {little.data(), little.size()}));
    }
    return values;
}

} // namespace detail

namespace passes {

// Nodes that no kernel runs stay, for the planner to refuse by name. Outputs of the graph keep
// their nodes, since a session writes outputs.
inline status fold_constants(graph& g) {
    // Of the whole pass: a chain of nodes that each enlarge a constant would multiply.
    std::uint64_t budget = std::uint64_t{1} << 20;
    std::set<const void*> payloads;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const auto& v = g.tensor(t).value;
        if (v && payloads.insert(v->payload.get()).second) budget += 4 * v->bytes().size();
    }
    for (node_id id : std::vector<node_id>(g.order())) {
        const node& n = g.node_at(id);
        bool constant_inputs = !n.inputs.empty() && !n.op->has_blocks(), kept = false;
        for (tensor_id t : n.inputs) {
            if (t != no_tensor && !g.tensor(t).value) constant_inputs = false;
        }
        for (tensor_id t : n.outputs) kept = kept || g.is_output(t);
        if (!constant_inputs || kept) continue;
        auto values = kompakt::detail::evaluate_node(g, id, budget);
        if (!values.ok()) continue;
        for (std::size_t i = 0; i < n.outputs.size(); ++i) {
            graph_tensor& t = g.tensor(n.outputs[i]);
            t.type = (*values)[i].type;
            t.shape = (*values)[i].shape;
            t.value = std::move((*values)[i]);
        }
        g.remove_node(id);
    }
    return {};
}

} // namespace passes
} // namespace KOMPAKT_ABI
} // namespace kompakt
