// What exact quantization-aware training stands on: conversion gives the same bytes every time, and
// a plan that keeps all tensors shows the deployed model's own intermediate values.
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>
#include <map>

using namespace kompakt;

namespace {

using bytes = std::vector<std::byte>;

// Two convolutions around a residual, a depthwise one, pooling, a mean, a dense layer, softmax.
graph network() {
    graph g;
    std::uint32_t state = 7;
    const auto random = [&](std::size_t n) {
        std::vector<float> v(n);
        for (float& x : v) {
            state = state * 1664525u + 1013904223u;
            x = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
        }
        return v;
    };
    const auto tensor = [&](const std::string& name) {
        graph_tensor t;
        t.name = name;
        return g.add_tensor(std::move(t));
    };
    const auto weights = [&](const std::string& name, shape s) {
        const std::size_t n = *element_count(s);
        return g.add_constant(name, make_constant(s, random(n)));
    };
    const auto node = [&](const std::string& name, auto op, std::vector<tensor_id> in) {
        const tensor_id out = tensor(name);
        g.add_node(name, std::move(op), std::move(in), {out});
        return out;
    };
    tensor_id x = tensor("x");
    g.tensor(x).type = dtype::f32;
    g.tensor(x).shape = {1, 8, 6, 3};
    g.inputs = {x};
    ops::conv2d same;
    same.window.pad_same(8, 6, 3, 3);
    same.fused = activation::relu;
    x = node("conv0", same, {x, weights("w0", {4, 3, 3, 3}), weights("b0", {4})});
    const tensor_id y = node("conv1", same, {x, weights("w1", {4, 3, 3, 4}), weights("b1", {4})});
    x = node("sum", ops::add(), {x, y});
    ops::depthwise_conv2d depthwise;
    depthwise.window.stride_h = depthwise.window.stride_w = 2;
    depthwise.window.pad_same(8, 6, 3, 3);
    x = node("depthwise", depthwise, {x, weights("w2", {1, 3, 3, 4}), weights("b2", {4})});
    ops::max_pool2d pool;
    pool.kernel_h = pool.kernel_w = 2;
    x = node("pool", pool, {x});
    ops::mean mean;
    mean.axes = {1};
    x = node("mean", mean, {x});
    ops::reshape flat;
    flat.target = {dim(1), dim(-1)};
    x = node("flat", flat, {x});
    x = node("dense", ops::fully_connected(), {x, weights("w3", {5, 8}), weights("b3", {5})});
    x = node("softmax", ops::softmax(), {x});
    g.outputs = {x};
    const status s = infer(g);
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
    return g;
}

std::vector<float> data(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 29 % 83) * 0.03f - 1.2f;
    return v;
}

quantized make_quantized() {
    memory_samples samples({data(8 * 6 * 3 * 16)});
    auto q = quantize(network(), samples, {});
    REQUIRE_MESSAGE(q.ok(), std::string(q.error().message()));
    return std::move(*q);
}

// Runs a plan on the bytes of its inputs.
struct runner {
    planned plan;
    session s;
    aligned_buffer arena;

    runner(const graph& g, const plan_options& options, const std::vector<bytes>& inputs)
        : plan(make(g, options)), s(plan.bytes()), arena(s.arena_bytes()) {
        const status bound = s.bind({arena.data(), arena.size()});
        REQUIRE_MESSAGE(bound.ok(), std::string(bound.message()));
        REQUIRE(s.inputs() == inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            REQUIRE(s.input_bytes(i).size() == inputs[i].size());
            std::copy(inputs[i].begin(), inputs[i].end(), s.input_bytes(i).data());
        }
        s.run();
    }
    static planned make(const graph& g, const plan_options& options) {
        auto p = kompakt::plan(g, options);
        REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
        return std::move(*p);
    }
    bytes output(std::size_t i = 0) const {
        const bytes_view v = s.output_bytes(i);
        return {v.begin(), v.end()};
    }
    // Of a tensor of the graph, by its id; nothing when the executable does not have it.
    bytes value(tensor_id t) const {
        for (std::uint32_t i = 0; i < s.code().code.tensor_count; ++i) {
            if (s.code().notes[i].source != t) continue;
            const bytes_view v = s.tensor_bytes(i);
            return {v.begin(), v.end()};
        }
        return {};
    }
};

plan_options keep_all() {
    plan_options o;
    o.keep_all = true;
    return o;
}

// Node n as a graph of its own, with the values of what it reads as inputs.
bytes alone(const graph& g, node_id n, const std::map<tensor_id, bytes>& values) {
    const node& x = g.node_at(n);
    graph one;
    std::vector<bytes> inputs;
    std::vector<tensor_id> in;
    std::map<tensor_id, tensor_id> copied;
    for (tensor_id t : x.inputs) {
        if (t == no_tensor) {
            in.push_back(t);
            continue;
        }
        if (copied.find(t) == copied.end()) {
            copied[t] = one.add_tensor(g.tensor(t));
            if (!g.tensor(t).value) {
                one.inputs.push_back(copied[t]);
                inputs.push_back(values.at(t));
            }
        }
        in.push_back(copied[t]);
    }
    one.outputs = {one.add_tensor(g.tensor(x.outputs[0]))};
    one.insert_node(0, node("", x.op->clone(), in, one.outputs));
    const status s = infer(one);
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
    return runner(one, {}, inputs).output();
}

bytes input_of(const graph& g) {
    const graph_tensor& x = g.tensor(g.inputs[0]);
    const affine_quantizer q{x.quantization->scale(), x.quantization->zero_point(),
                             signed_range(8)};
    bytes b;
    for (float f : data(*element_count(x.shape))) {
        b.push_back(static_cast<std::byte>(static_cast<std::uint8_t>(q.quantize(f))));
    }
    return b;
}

} // namespace

TEST_CASE("contract: conversion gives the same bytes every time") {
    const quantized a = make_quantized(), b = make_quantized();
    const auto file_a = write_tflite(a), file_b = write_tflite(b);
    REQUIRE(file_a.ok());
    REQUIRE(file_b.ok());
    CHECK((*file_a == *file_b));

    // convert_to_integers by itself, twice from one table: the pass that training is going to call.
    graph g = network();
    REQUIRE(prepare_for_quantization(g).ok());
    memory_samples samples({data(8 * 6 * 3 * 16)});
    const auto ranges = calibrate(g, samples, observer_options());
    REQUIRE(ranges.ok());
    const auto table =
        assign_quantization(g, *ranges, assign_options(), std::vector<std::string>(g.node_count()));
    REQUIRE(table.ok());
    const auto first = convert_to_integers(g, *table), second = convert_to_integers(g, *table);
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    const auto p = plan(first->integer), r = plan(second->integer);
    REQUIRE(p.ok());
    REQUIRE(r.ok());
    CHECK(std::equal(p->bytes().begin(), p->bytes().end(), r->bytes().begin(), r->bytes().end()));
    // … and it is the pass of post-training quantization.
    const auto q = plan(a);
    REQUIRE(q.ok());
    CHECK(std::equal(p->bytes().begin(), p->bytes().end(), q->bytes().begin(), q->bytes().end()));
    // Every tensor of the float graph is found in the integer one.
    for (node_id n : g.order()) {
        for (tensor_id t : g.node_at(n).outputs) {
            REQUIRE(first->int8_of[t] != no_tensor);
            CHECK(first->integer.tensor(first->int8_of[t]).type == dtype::i8);
        }
    }
}

TEST_CASE("contract: keeping all tensors does not change a byte") {
    const graph q = make_quantized();
    const bytes in = input_of(q);
    const runner normal(q, {}, {in}), kept(q, keep_all(), {in});
    CHECK(normal.plan.arena_bytes < kept.plan.arena_bytes);
    CHECK((kept.s.code().header->flags & executable_keeps_all) != 0);
    CHECK((normal.output() == kept.output()));
    CHECK((kept.value(q.inputs[0]) == in)); // inputs too
}

TEST_CASE("contract: each kept tensor is what its operator gives alone") {
    const graph q = make_quantized();
    const bytes in = input_of(q);
    const runner kept(q, keep_all(), {in});
    std::map<tensor_id, bytes> values;
    values[q.inputs[0]] = in;
    REQUIRE(q.order().size() >= 9);
    for (node_id n : q.order()) {
        const std::string name = q.node_text(n);
        CAPTURE(name);
        const tensor_id out = q.node_at(n).outputs[0];
        values[out] = alone(q, n, values);
        CHECK(!values[out].empty());
        CHECK((kept.value(out) == values[out]));
    }
    CHECK((kept.output() == values[q.outputs[0]]));

    // Scale and zero point are at hand, too: the float value of training is s (q - z).
    for (std::uint32_t i = 0; i < kept.s.code().code.tensor_count; ++i) {
        const tensor_note& note = kept.s.code().notes[i];
        if (note.source == UINT32_MAX || kept.s.record(i).where != place::arena) continue;
        const auto& x = q.tensor(note.source).quantization;
        REQUIRE(x.has_value());
        CHECK(note.scale == x->scale());
        CHECK(note.zero_point == x->zero_point());
    }
}
