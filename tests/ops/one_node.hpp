// A graph of one node, and the reason why it is refused.
#pragma once

#include "spec.hpp"

#include <kompakt/run/kernels.hpp>

#include <support/text.hpp>

namespace kompakt_test {

using namespace kompakt;

inline std::optional<quantization> affine(float scale, std::int32_t zero_point = 0) {
    return quantization::per_tensor_affine(scale, zero_point);
}

struct operand {
    dtype type;
    shape dims;
    std::optional<quantization> q = {};
};

// A graph of one node; inferred, or with the status that says why not.
struct one_node {
    graph g;
    status inferred;

    template <class Op>
    one_node(Op op, const std::vector<operand>& in, std::optional<quantization> out = {}) {
        std::vector<tensor_id> inputs;
        for (const operand& o : in) {
            graph_tensor t;
            t.name = "in", t.type = o.type, t.shape = o.dims, t.quantization = o.q;
            inputs.push_back(g.add_tensor(t));
        }
        graph_tensor t;
        t.name = "out", t.quantization = std::move(out);
        const tensor_id to = g.add_tensor(t);
        g.inputs = inputs;
        g.outputs = {to};
        g.add_node("", std::move(op), std::move(inputs), {to});
        inferred = infer(g);
    }
    std::string out() const {
        return inferred.ok() ? text_of(g.tensor(g.outputs[0]).shape) : inferred.message();
    }
    // The reason why it is refused; empty: it is not.
    std::string refusal() const {
        if (!inferred.ok()) return inferred.message();
        const auto p = lower(g);
        return p.ok() ? "" : p.error().message();
    }
};

// What the check of the first kernel op says once some of its parameter words are changed.
inline std::string verdict(const one_node& x,
                           std::vector<std::pair<std::size_t, std::uint32_t>> words) {
    auto p = lower(x.g);
    if (!p.ok()) return p.error().message();
    for (const auto& [at, value] : words) p->ops[0].params.at(at) = value;
    const detail::program_builder tables(*p);
    const program code = tables.code();
    const op_record op = tables.ops[0];
    const auto s = kernels_of<portable>().find(op.kernel)->check(call(code, op, nullptr));
    return s.ok() ? std::string() : std::string(s.message());
}

} // namespace kompakt_test
