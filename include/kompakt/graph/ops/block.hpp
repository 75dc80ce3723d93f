// What conditions and loops have in common: graphs inside of operators ("blocks"), of static shapes
// and without states, and their lowering into the program around them.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/jump.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Shared, since nobody changes it: copies of a graph share their blocks.
using block = std::shared_ptr<const graph>;

// Ops of a program with all its blocks, which may name each other many times.
inline constexpr std::size_t max_lowered_ops = 10000;

inline std::string text_of_value(const graph_tensor& t) {
    return std::string(name_of(t.type)) + " " + text_of(t.shape);
}

// `b` exists, and its inputs have the types and shapes of the node's inputs from `first` on.
inline status check_block(const inference& c, const block& b, const char* what, std::size_t first) {
    if (b == nullptr) return fail(errc::bad_argument, what, " is missing");
    if (b->inputs.size() + first != c.inputs()) {
        return fail(errc::bad_file, what, " takes ", b->inputs.size(), " values, given ",
                    c.inputs() - first);
    }
    for (std::size_t i = 0; i < b->inputs.size(); ++i) {
        const graph_tensor &needed = b->tensor(b->inputs[i]), &given = c.input(first + i);
        if (needed.type == given.type && needed.shape == given.shape) continue;
        return fail(errc::unsupported, what, ": input ", i, " is ", text_of_value(needed),
                    ", given ", text_of_value(given));
    }
    for (tensor_id t = 0; t < b->tensor_count(); ++t) {
        if (b->tensor(t).state) {
            return fail(errc::unsupported, what, ": state ", b->tensor(t).name,
                        " inside of a block");
        }
    }
    return {};
}
inline std::uint64_t block_macs(const block& b) {
    graph copy = *b;
    return kompakt::macs(copy);
}
// A condition: one bool.
inline status check_condition(const graph_tensor& t) {
    const auto n = element_count(t.shape);
    if (t.type == dtype::boolean && n.ok() && *n == 1) return {};
    return fail(errc::unsupported, "condition ", text_of_value(t), ", needed one bool");
}

// Writes the ops of a block. `inputs` are operands of the program around it, `outputs` too: those
// that a node of the block makes are written to directly, `copied` tells which are not. The
// operands of the block's outputs come back.
struct lowered_block {
    std::vector<std::uint32_t> outputs;
};
inline result<lowered_block> lower_block(lowering& c, const graph& b,
                                         const std::vector<std::uint32_t>& inputs,
                                         const std::vector<std::uint32_t>& outputs) {
    std::vector<std::uint32_t> number(b.tensor_count(), UINT32_MAX);
    std::vector<graph_tensor> seen(b.tensor_count()); // constants decoded, as lowering wants them
    std::vector<const graph_tensor*> tensors(b.tensor_count());
    for (std::size_t i = 0; i < b.inputs.size(); ++i) number[b.inputs[i]] = inputs[i];
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const tensor_id t = b.outputs[i];
        if (number[t] == UINT32_MAX && !b.tensor(t).value && b.producer(t)) number[t] = outputs[i];
    }
    for (tensor_id t = 0; t < b.tensor_count(); ++t) {
        const graph_tensor& x = b.tensor(t);
        tensors[t] = &x;
        lowered_tensor l;
        l.type = x.type;
        l.name = x.name;
        if (x.value) {
            auto dense = decode(*x.value);
            if (!dense.ok()) return dense.error().within("tensor ", x.name, ": ");
            if (dense->type != x.type) {
                seen[t] = x;
                seen[t].type = l.type = dense->type;
                seen[t].value = *dense;
                tensors[t] = &seen[t];
            }
            l.where = place::constant;
            l.shared = dense->payload ? dense->payload : std::make_shared<std::vector<std::byte>>();
            if (x.value->coding.kind != encoding::dense) c.count_made(l.shared->size());
        }
        if (number[t] != UINT32_MAX) continue;
        for (const dim& d : x.shape) {
            if (!d.known()) {
                return fail(errc::unsupported, "tensor ", x.name, " ", text_of(x.shape),
                            ": blocks need numbers");
            }
            l.dims.push_back(static_cast<std::int32_t>(d.value()));
        }
        number[t] = c.add_tensor(std::move(l));
    }
    for (node_id n : b.order()) {
        const node& x = b.node_at(n);
        std::vector<const graph_tensor*> in, out;
        std::vector<std::uint32_t> in_numbers, out_numbers;
        for (tensor_id t : x.inputs) {
            in.push_back(t == no_tensor ? nullptr : tensors[t]);
            in_numbers.push_back(t == no_tensor ? no_tensor : number[t]);
        }
        for (tensor_id t : x.outputs) {
            out.push_back(tensors[t]);
            out_numbers.push_back(number[t]);
        }
        if (c.ops() > max_lowered_ops) {
            return fail(errc::limit, "more than ", max_lowered_ops, " kernel ops");
        }
        lowering inner =
            c.inside(std::move(in), std::move(out), std::move(in_numbers), std::move(out_numbers));
        KOMPAKT_TRY(x.op->lower(inner).within(b.node_text(n), ": "));
    }
    lowered_block made;
    for (tensor_id t : b.outputs) made.outputs.push_back(number[t]);
    return made;
}

// Copies that stay copies, since their target is written more than once.
inline void assign(lowering& c, std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    c.rewrite(to);
    c.emit<copy>({}, {from}, {to});
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
