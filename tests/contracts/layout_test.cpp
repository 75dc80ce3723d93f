// Layouts, by examples worked out by hand: NHWC activations, convolution weights OHWI, depthwise
// 1HWC, dense OI, four explicit pads. A .tflite file keeps them.
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>

using namespace kompakt;

namespace {

// One node between a float32 input and an output.
template <class Op>
graph one_node(Op op, shape in, std::vector<tensor_id> (*constants)(graph&)) {
    graph g;
    graph_tensor x, y;
    x.name = "x";
    x.type = dtype::f32;
    x.shape = std::move(in);
    y.name = "y";
    g.inputs = {g.add_tensor(x)};
    std::vector<tensor_id> inputs = {g.inputs[0]};
    for (tensor_id t : constants(g)) inputs.push_back(t);
    g.outputs = {g.add_tensor(y)};
    g.add_node("node", std::move(op), std::move(inputs), {g.outputs[0]});
    const status s = infer(g);
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
    return g;
}

std::vector<float> run(const graph& g, const std::vector<float>& in) {
    const auto p = plan(g);
    REQUIRE(p.ok());
    session s(p->bytes());
    aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    REQUIRE(s.input<float>(0).size() == in.size());
    std::copy(in.begin(), in.end(), s.input<float>(0).begin());
    s.run();
    const auto out = s.output<float>(0);
    return {out.begin(), out.end()};
}

// The graph says these numbers, and still does after a .tflite file.
void check(const graph& g, const shape& out, const std::vector<float>& in,
           const std::vector<float>& expected) {
    CHECK(g.tensor(g.outputs[0]).shape == out);
    CHECK(run(g, in) == expected);
    const auto file = write_tflite(g);
    REQUIRE(file.ok());
    const auto back = read_tflite(*file);
    REQUIRE(back.ok());
    CHECK(back->tensor(back->outputs[0]).shape == out);
    CHECK(run(*back, in) == expected);
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (!g.tensor(t).value) continue;
        bool found = false;
        for (tensor_id b = 0; b < back->tensor_count(); ++b) {
            found = found ||
                    (back->tensor(b).name == g.tensor(t).name && back->tensor(b).value &&
                     back->tensor(b).shape == g.tensor(t).shape &&
                     back->tensor(b).value->values<float>() == g.tensor(t).value->values<float>());
        }
        CHECK(found);
    }
}

} // namespace

TEST_CASE("contract: convolution is NHWC by OHWI") {
    // Two output channels; 1 row, 2 columns, 2 input channels each.
    const graph g = one_node(ops::conv2d(), {1, 2, 3, 2}, [](graph& h) {
        return std::vector<tensor_id>{
            h.add_constant("w", make_constant<float>({2, 1, 2, 2}, {1, 10, 100, 1000, 0, 0, 0, 1})),
            h.add_constant("b", make_constant<float>({2}, {0, 0.5f}))};
    });
    // Pixels (row, column): (0,0) = 1 2, (0,1) = 3 4, (0,2) = 5 6, (1,0) = 7 8, …
    check(g, {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3},
          {1 + 20 + 300 + 4000, 4.5f, 3 + 40 + 500 + 6000, 6.5f, 7 + 80 + 900 + 1000, 1.5f,
           9 + 10 + 200 + 3000, 3.5f});
}

TEST_CASE("contract: depthwise weights are 1HWC, channels of one input channel side by side") {
    // Two input channels, each with two results: outputs 0 and 1 are of channel 0.
    const graph g = one_node(ops::depthwise_conv2d(), {1, 2, 1, 2}, [](graph& h) {
        return std::vector<tensor_id>{
            h.add_constant("w", make_constant<float>({1, 2, 1, 4}, {1, 2, 3, 4, 10, 20, 30, 40}))};
    });
    check(g, {1, 1, 1, 4}, {5, 6, 7, 8},
          {1 * 5 + 10 * 7, 2 * 5 + 20 * 7, 3 * 6 + 30 * 8, 4 * 6 + 40 * 8});
}

TEST_CASE("contract: dense weights are OI") {
    const graph g = one_node(ops::fully_connected(), {2, 3}, [](graph& h) {
        return std::vector<tensor_id>{
            h.add_constant("w", make_constant<float>({2, 3}, {1, 10, 100, 0, 0, 1})),
            h.add_constant("b", make_constant<float>({2}, {0.5f, 0}))};
    });
    check(g, {2, 2}, {1, 2, 3, 4, 5, 6}, {321.5f, 3, 654.5f, 6});
}

TEST_CASE("contract: rows come before columns, the last axis is the channel") {
    ops::max_pool2d pool;
    pool.kernel_h = 1;
    pool.kernel_w = 2;
    const graph g = one_node(pool, {1, 2, 2, 2}, [](graph&) { return std::vector<tensor_id>{}; });
    check(g, {1, 2, 1, 2}, {1, 8, 3, 4, 5, 6, 7, 2}, {3, 8, 7, 6});
}

TEST_CASE("contract: four explicit pads") {
    ops::conv2d op;
    op.window.pad_top = 1;
    op.window.pad_left = 2;
    op.window.pad_right = 1;
    // Padded: 0 0 0 0 0
    //         0 0 1 2 0
    const graph g = one_node(op, {1, 1, 2, 1}, [](graph& h) {
        return std::vector<tensor_id>{
            h.add_constant("w", make_constant<float>({1, 2, 3, 1}, {7, 7, 7, 2, 20, 200}))};
    });
    check(g, {1, 1, 3, 1}, {1, 2}, {200, 20 + 400, 2 + 40});
}

TEST_CASE("contract: TensorFlow's SAME becomes the four numbers") {
    ops::conv2d op;
    op.window.stride_h = op.window.stride_w = 2;
    op.window.pad_same(4, 5, 3, 3); // 2 rows: 1 more below; 3 columns: 1 on either side
    CHECK(op.window.pad_top == 0);
    CHECK(op.window.pad_bottom == 1);
    CHECK(op.window.pad_left == 1);
    CHECK(op.window.pad_right == 1);
    const graph g = one_node(op, {1, 4, 5, 1}, [](graph& h) {
        return std::vector<tensor_id>{
            h.add_constant("w", make_constant<float>({1, 3, 3, 1}, std::vector<float>(9, 1.0f)))};
    });
    check(g, {1, 2, 3, 1}, std::vector<float>(20, 1.0f), {6, 9, 6, 4, 6, 4});
    const auto back = read_tflite(*write_tflite(g));
    REQUIRE(back.ok());
    const auto* read = back->node_at(back->order()[0]).op->as<ops::conv2d>();
    REQUIRE(read != nullptr);
    CHECK(read->window.pad_top == 0);
    CHECK(read->window.pad_bottom == 1);
    CHECK(read->window.pad_left == 1);
    CHECK(read->window.pad_right == 1);
}
