// graph -> kernel ops: every operator writes its own (op::lower), in execution order.
#pragma once

#include <kompakt/graph/infer.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Needs inferred, known shapes. Constants that no kernel op reads are left out by the planner.
inline result<lowered_program> lower(const graph& g) {
    lowered_program p;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const graph_tensor& x = g.tensor(t);
        lowered_tensor l;
        l.type = x.type;
        l.name = x.name;
        l.source = t;
        if (x.quantization && x.quantization->per_tensor()) {
            l.scale = x.quantization->scale();
            l.zero_point = x.quantization->zero_point();
        }
        if (x.value) {
            const auto dense = decode(*x.value);
            if (!dense.ok()) return dense.error().within("tensor ", x.name, ": ");
            l.type = dense->type;
            l.where = place::constant;
            l.payload.assign(dense->bytes().begin(), dense->bytes().end());
        }
        for (const dim& d : x.shape) {
            if (!d.known()) {
                return fail(errc::bad_argument, "tensor ", x.name, ": dimension ", d.symbol(),
                            " has no value; bind it first");
            }
            l.dims.push_back(static_cast<std::int32_t>(d.value()));
        }
        p.tensors.push_back(std::move(l));
    }
    p.inputs = g.inputs;
    p.outputs = g.outputs;
    for (node_id n : g.order()) {
        const node& x = g.node_at(n);
        std::vector<const graph_tensor*> in, out;
        for (tensor_id t : x.inputs) in.push_back(t == no_tensor ? nullptr : &g.tensor(t));
        for (tensor_id t : x.outputs) out.push_back(&g.tensor(t));
        lowering c(p, std::move(in), std::move(out), x.inputs, x.outputs, n);
        KOMPAKT_TRY(x.op->lower(c).within(g.node_text(n), ": "));
    }
    return p;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
