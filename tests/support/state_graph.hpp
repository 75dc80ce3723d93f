// A graph with every kind of state, for tests.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/assign_variable.hpp>
#include <kompakt/graph/ops/lstm.hpp>
#include <kompakt/graph/ops/read_variable.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/svdf.hpp>

#include <doctest/doctest.h>

namespace kompakt_test {
namespace state {

using namespace kompakt;

struct numbers {
    std::uint32_t seed;
    std::int32_t next(std::int32_t limit) {
        seed = seed * 1664525u + 1013904223u;
        return static_cast<std::int32_t>(seed >> 8) % (2 * limit + 1) - limit;
    }
    template <class T>
    std::vector<T> many(std::int64_t n, std::int32_t limit) {
        std::vector<T> v(static_cast<std::size_t>(n));
        for (T& x : v) x = static_cast<T>(next(limit));
        return v;
    }
};

inline tensor_id new_tensor(graph& g, const char* name, dtype type, shape s, float scale,
                            int zero) {
    graph_tensor t;
    t.name = name;
    t.type = type;
    t.shape = std::move(s);
    t.quantization = quantization::per_tensor_affine(scale, zero);
    return g.add_tensor(std::move(t));
}
inline tensor_id new_state(graph& g, const char* name, dtype type, shape s, float scale, int zero,
                           std::uint8_t fill) {
    const tensor_id t = new_tensor(g, name, type, std::move(s), scale, zero);
    g.tensor(t).state = state_start{fill, std::nullopt};
    return t;
}
template <class T>
tensor_id weights(graph& g, numbers& r, shape s, std::int32_t limit, float scale) {
    const auto n = element_count(s);
    REQUIRE(n.ok());
    const tensor_id t =
        g.add_constant("w", make_constant(s, r.many<T>(static_cast<std::int64_t>(*n), limit)));
    g.tensor(t).quantization = quantization::per_tensor_affine(scale, 0);
    return t;
}

inline tensor_id add_lstm(graph& g, numbers& r, tensor_id in, std::int64_t depth,
                          std::int64_t units, std::int64_t batches, bool time_major) {
    std::vector<tensor_id> inputs = {in};
    for (int k = 0; k < 4; ++k) {
        inputs.push_back(weights<std::int8_t>(g, r, {units, depth}, 127, 0.02f));
    }
    for (int k = 0; k < 4; ++k) {
        inputs.push_back(weights<std::int8_t>(g, r, {units, units}, 127, 0.01f));
    }
    for (int k = 0; k < 4; ++k) inputs.push_back(weights<std::int32_t>(g, r, {units}, 3000, 1.0f));
    inputs.push_back(new_state(g, "h", dtype::i8, {batches, units}, 0.008f, 4, 4));
    inputs.push_back(new_state(g, "c", dtype::i16, {batches, units}, 0x1p-11f, 0, 0));
    const tensor_id out = new_tensor(g, "lstm", dtype::none, {}, 0.008f, 4);
    ops::lstm l;
    l.time_major = time_major;
    g.add_node("lstm", l, inputs, {out});
    return out;
}

// The svdf's output goes to the LSTM, whose output is added to what a variable holds; the sum is
// the variable's new value. Outputs: the old value and the sum.
inline graph mixed() {
    graph g;
    numbers r{7};
    const tensor_id x = new_tensor(g, "x", dtype::i8, {2, 9}, 0.05f, -6);
    g.inputs = {x};
    const tensor_id feature = weights<std::int8_t>(g, r, {12, 9}, 127, 0.02f);
    const tensor_id time = weights<std::int8_t>(g, r, {12, 5}, 127, 0.01f);
    const tensor_id memory = new_state(g, "memory", dtype::i8, {2, 60}, 0.06f, 3, 3);
    const tensor_id s = new_tensor(g, "svdf", dtype::none, {}, 0.1f, 1);
    ops::svdf op;
    op.rank = 2;
    // TensorFlow Lite Micro, the oracle, wants a bias of the right scale.
    const tensor_id bias = weights<std::int32_t>(g, r, {6}, 500, 6e-4f);
    g.add_node("svdf", op, {x, feature, time, bias, memory}, {s});
    const tensor_id wide = new_tensor(g, "wide", dtype::none, {}, 0.1f, 1);
    ops::reshape to;
    to.target = {2, 1, 6};
    g.add_node("reshape", to, {s}, {wide});
    const tensor_id y = add_lstm(g, r, wide, 6, 5, 2, false);

    const tensor_id sum = new_state(g, "sum", dtype::i8, {2, 1, 5}, 0.02f, -2, 0);
    g.tensor(sum).state->value = make_constant({2, 1, 5}, r.many<std::int8_t>(10, 100));
    const tensor_id old = new_tensor(g, "old", dtype::none, {}, 0.02f, -2);
    const tensor_id fresh = new_tensor(g, "fresh", dtype::none, {}, 0.02f, -2);
    g.add_node("read", ops::read_variable{}, {sum}, {old});
    g.add_node("add", ops::add{}, {old, y}, {fresh});
    g.add_node("assign", ops::assign_variable{}, {sum, fresh}, {});
    g.outputs = {old, fresh};
    const status e = infer(g);
    REQUIRE_MESSAGE(e.ok(), e.message());
    return g;
}

} // namespace state
} // namespace kompakt_test
