// A graph with a condition and loops inside of one another, for tests.
#pragma once

#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/if.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/while.hpp>

#include <doctest/doctest.h>

namespace kompakt_test {
namespace control {

using namespace kompakt;

struct block_builder {
    graph g;

    tensor_id value(const char* name, dtype type, shape s) {
        graph_tensor t;
        t.name = name;
        t.type = type;
        t.shape = std::move(s);
        return g.add_tensor(std::move(t));
    }
    tensor_id input(const char* name, dtype type, shape s) {
        g.inputs.push_back(value(name, type, std::move(s)));
        return g.inputs.back();
    }
    tensor_id number(float x) { return g.add_constant("number", make_constant<float>({1}, {x})); }
    template <class Op>
    tensor_id node(Op op, std::vector<tensor_id> in) {
        const tensor_id out = value("made", dtype::none, {});
        g.add_node("", std::move(op), std::move(in), {out});
        return out;
    }
    graph finish(std::vector<tensor_id> outputs) {
        g.outputs = std::move(outputs);
        const status s = infer(g);
        REQUIRE_MESSAGE(s.ok(), s.message());
        return std::move(g);
    }
};

inline ops::block shared(graph g) {
    return std::make_shared<const graph>(std::move(g));
}
inline std::vector<tensor_id> flags(block_builder& b) {
    return {b.input("f0", dtype::boolean, {1}), b.input("f1", dtype::boolean, {1}),
            b.input("f2", dtype::boolean, {1})};
}

// x + 1 or (by a copy that must stay one) 2 x, and x itself.
inline ops::if_op choice() {
    ops::if_op op;
    {
        block_builder b;
        const tensor_id x = b.input("x", dtype::f32, {2, 3});
        op.then_block = shared(b.finish({b.node(ops::add{}, {x, b.number(1)}), x}));
    }
    {
        block_builder b;
        const tensor_id x = b.input("x", dtype::f32, {2, 3});
        ops::reshape flat, back;
        flat.target = {6};
        back.target = {2, 3};
        const tensor_id twice = b.node(ops::mul{}, {b.node(flat, {x}), b.number(2)});
        op.else_block = shared(b.finish({b.node(back, {twice}), x}));
    }
    return op;
}

// While the first flag is set: the flags move up, x and y change places, x = choice(next flag, y).
inline ops::while_op loop() {
    ops::while_op op;
    {
        block_builder b;
        const auto f = flags(b);
        b.input("x", dtype::f32, {2, 3});
        b.input("y", dtype::f32, {2, 3});
        op.condition = shared(b.finish({f[0]}));
    }
    block_builder b;
    const auto f = flags(b);
    const tensor_id x = b.input("x", dtype::f32, {2, 3}), y = b.input("y", dtype::f32, {2, 3});
    const tensor_id none = b.g.add_constant(
        "false", make_constant_bytes(dtype::boolean, {1}, bytes_view(std::vector<std::byte>(1))));
    const tensor_id chosen = b.value("chosen", dtype::none, {});
    const tensor_id same = b.value("same", dtype::none, {});
    b.g.add_node("", choice(), {f[1], y}, {chosen, same});
    op.body = shared(b.finish({f[1], f[2], none, chosen, x}));
    return op;
}

// Inputs: three flags, x. Outputs: x and y of the loop plus the choice by the third flag.
inline graph looped() {
    block_builder b;
    const auto f = flags(b);
    const tensor_id x = b.input("x", dtype::f32, {2, 3});
    const tensor_id y = b.node(ops::mul{}, {x, b.number(10)});
    std::vector<tensor_id> out;
    for (const char* name : {"a", "b", "c", "lx", "ly"}) {
        out.push_back(b.value(name, dtype::none, {}));
    }
    b.g.add_node("loop", loop(), {f[0], f[1], f[2], x, y}, out);
    const tensor_id chosen = b.value("chosen", dtype::none, {}),
                    same = b.value("same", dtype::none, {});
    b.g.add_node("choice", choice(), {f[2], out[4]}, {chosen, same});
    const tensor_id sum = b.node(ops::add{}, {out[3], chosen});
    return b.finish({sum, same, x});
}

// What it gives for one element of x.
struct looped_result {
    float sum, same;
};
inline looped_result looped_reference(const bool (&given)[3], float x0) {
    bool f[3] = {given[0], given[1], given[2]};
    float x = x0, y = 10 * x0;
    while (f[0]) {
        const float next = f[1] ? y + 1 : 2 * y;
        y = x, x = next;
        f[0] = f[1], f[1] = f[2], f[2] = false;
    }
    return {x + (given[2] ? y + 1 : 2 * y), y};
}

} // namespace control
} // namespace kompakt_test
