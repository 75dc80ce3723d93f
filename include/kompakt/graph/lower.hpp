// graph -> kernel ops: every operator writes its own (op::lower), in execution order.
#pragma once

#include <kompakt/graph/infer.hpp>

#include <set>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Multipliers and decoded weights are a few bytes for each byte of the model; a file whose nodes
// all share one huge constant would multiply it.
inline status within_budget(std::uint64_t made, std::uint64_t given) {
    const std::uint64_t most = (std::uint64_t{64} << 20) + 8 * given;
    if (made <= most) return {};
    return fail(errc::limit, "lowering adds more than ", most, " bytes of constants");
}

} // namespace detail

// Needs inferred, known shapes. Constants that no kernel op reads are left out by the planner.
inline result<lowered_program> lower(const graph& g) {
    lowered_program p;
    std::set<const void*> payloads; // tensors of a hostile file may all share one
    std::uint64_t given_bytes = 0;
    derived_operands derived;
    std::map<const void*, constant> decoded;
    std::map<tensor_id, graph_tensor> decoded_tensors;
    std::vector<std::pair<tensor_id, lowered_tensor>> packed; // as they are stored
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        const graph_tensor& x = g.tensor(t);
        lowered_tensor l;
        l.type = x.type;
        l.name = x.name;
        l.source = t;
        // Only of types whose zero points are checked; nobody reads others as real numbers.
        const bool noted = x.type == dtype::i8 || x.type == dtype::u8 || x.type == dtype::i16;
        if (noted && x.quantization && x.quantization->per_tensor()) {
            l.scale = x.quantization->scale();
            l.zero_point = x.quantization->zero_point();
        }
        if (x.value) {
            auto dense = result<constant>(*x.value);
            if (x.value->coding.kind != encoding::dense) {
                // Decoded once for all tensors that share a payload.
                const auto found = decoded.find(x.value->payload.get());
                if (found != decoded.end() && found->second.shape == x.value->shape) {
                    dense = found->second;
                } else {
                    dense = decode(*x.value);
                    if (!dense.ok()) return dense.error().within("tensor ", x.name, ": ");
                    decoded.insert_or_assign(x.value->payload.get(), *dense);
                    p.made_bytes += dense->bytes().size();
                }
            }
            if (dense->type != x.type) { // packed: operators see what was decoded
                graph_tensor seen = x;
                seen.type = dense->type;
                seen.value = *dense;
                decoded_tensors.emplace(t, std::move(seen));
                if (x.type == dtype::i4) {
                    packed.emplace_back(t, l);
                    packed.back().second.where = place::constant;
                    packed.back().second.shared = x.value->payload;
                }
            }
            l.type = dense->type;
            l.where = place::constant;
            l.shared = dense->payload ? dense->payload : std::make_shared<std::vector<std::byte>>();
            if (x.value->coding.kind == encoding::dense && payloads.insert(l.shared.get()).second) {
                given_bytes += l.shared->size();
            }
            KOMPAKT_TRY(
                detail::within_budget(p.made_bytes, given_bytes).within("tensor ", x.name, ": "));
        }
        if (x.state) {
            l.where = place::state;
            p.states.push_back({t, no_initial, x.state->fill});
        }
        for (const dim& d : x.shape) {
            if (!d.known()) {
                return fail(errc::bad_argument, "tensor ", x.name, ": dimension ", d.symbol(),
                            " has no value; bind it first");
            }
            l.dims.push_back(static_cast<std::int32_t>(d.value()));
        }
        if (!packed.empty() && packed.back().first == t) packed.back().second.dims = l.dims;
        p.tensors.push_back(std::move(l));
    }
    for (auto& [t, l] : packed) {
        derived.emplace(derived_key{t, packed_purpose},
                        static_cast<std::uint32_t>(p.tensors.size()));
        p.tensors.push_back(std::move(l));
    }
    for (lowered_state& s : p.states) {
        const graph_tensor& x = g.tensor(s.tensor);
        if (!x.state->value) continue;
        lowered_tensor start = p.tensors[s.tensor];
        start.where = place::constant;
        start.name += "/start";
        start.shared = x.state->value->payload;
        s.initial = static_cast<std::uint32_t>(p.tensors.size());
        p.tensors.push_back(std::move(start));
    }
    p.inputs = g.inputs;
    p.outputs = g.outputs;
    for (node_id n : g.order()) {
        const node& x = g.node_at(n);
        std::vector<const graph_tensor*> in, out;
        for (tensor_id t : x.inputs) {
            const auto seen = decoded_tensors.find(t);
            in.push_back(t == no_tensor                  ? nullptr
                         : seen != decoded_tensors.end() ? &seen->second
                                                         : &g.tensor(t));
        }
        for (tensor_id t : x.outputs) out.push_back(&g.tensor(t));
        lowering c(p, std::move(in), std::move(out), x.inputs, x.outputs, n, derived);
        KOMPAKT_TRY(x.op->lower(c).within(g.node_text(n), ": "));
        KOMPAKT_TRY(detail::within_budget(p.made_bytes, given_bytes).within(g.node_text(n), ": "));
    }
    return p;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
