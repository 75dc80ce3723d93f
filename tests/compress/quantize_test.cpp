#include <kompakt/compress/quantize.hpp>
#include <kompakt/graph/ops/batch_matmul.hpp>
#include <kompakt/graph/ops/dynamic_update_slice.hpp>
#include <kompakt/graph/ops/embedding_lookup.hpp>
#include <kompakt/graph/ops/gather.hpp>
#include <kompakt/graph/ops/l2_pool2d.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/pack.hpp>
#include <kompakt/graph/ops/resize_bilinear.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/split.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/graph/ops/transpose_conv2d.hpp>

#include <compress/models.hpp>
#include <compress/oracle.hpp>
#include <limits>
#include <set>

using namespace kompakt;
using kompakt_test::graph_builder;
using kompakt_test::run_graph;

namespace {

// Samples for every input of a graph, even in [-width, width).
memory_samples make_samples(const graph& g, std::size_t count, float width = 1.0f,
                            std::uint32_t seed = 99) {
    kompakt_test::numbers_source random(seed);
    std::vector<std::vector<float>> all;
    for (tensor_id t : g.inputs) {
        all.push_back(random.take(count * *element_count(g.tensor(t).shape), width));
    }
    return memory_samples(std::move(all));
}

std::size_t count_op(const graph& g, const char* name) {
    std::size_t n = 0;
    for (node_id id : g.order()) n += std::string(g.node_at(id).op->name()) == name;
    return n;
}
const graph_tensor* named(const graph& g, const std::string& name) {
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (g.tensor(t).name == name) return &g.tensor(t);
    }
    return nullptr;
}
const layer_report& layer(const quantization_report& r, const std::string& tensor) {
    for (const layer_report& l : r.layers) {
        if (l.tensor == tensor) return l;
    }
    FAIL("no layer " << tensor);
    return r.layers[0];
}

// What the specification says of every int8 operator, checked on the graph that came out.
void check_specification(const graph& g) {
    for (node_id id : g.order()) {
        const node& n = g.node_at(id);
        CAPTURE(g.node_text(id));
        const quantization_rule rule = n.op->quantize_rule();
        const graph_tensor& out = g.tensor(n.outputs[0]);
        if (rule.how == quantization_rule::kind::none || out.type != dtype::i8) continue;
        REQUIRE(out.quantization);
        if (rule.how == quantization_rule::kind::fixed) {
            CHECK(out.quantization->scale() == rule.scale);
            CHECK(out.quantization->zero_point() == rule.zero_point);
        }
        for (tensor_id t : activation_inputs(n)) {
            REQUIRE(g.tensor(t).type == dtype::i8);
            REQUIRE(g.tensor(t).quantization);
            CHECK(g.tensor(t).quantization->per_tensor());
            if (rule.how == quantization_rule::kind::same_scale) {
                CHECK(*g.tensor(t).quantization == *out.quantization);
            }
        }
        if (rule.weights < 0) continue;
        const graph_tensor& w = g.tensor(n.inputs[1]);
        REQUIRE(w.quantization);
        CHECK(w.type == dtype::i8);
        CHECK((w.quantization->per_tensor() || w.quantization->axis == rule.channel_axis));
        for (auto z : w.quantization->zero_points) CHECK(z == 0);
        for (std::int8_t q : w.value->values<std::int8_t>()) CHECK(q >= -127);
        if (n.inputs.size() < 3 || n.inputs[2] == no_tensor) continue;
        const graph_tensor& b = g.tensor(n.inputs[2]);
        REQUIRE(b.quantization);
        CHECK(b.type == dtype::i32);
        const float in = g.tensor(n.inputs[0]).quantization->scale();
        REQUIRE(b.quantization->scales.size() == w.quantization->scales.size());
        for (std::size_t k = 0; k < b.quantization->scales.size(); ++k) {
            CHECK(b.quantization->scales[k] == in * w.quantization->scales[k]);
            CHECK(b.quantization->zero_points[k] == 0);
        }
    }
}

// Quantizes, checks the specification and that all outputs are near, on samples that
// calibration has not seen. The threshold in dB: a full uniform 8-bit signal has 48 (6 dB a
// bit); every layer adds noise of its own, values that seldom reach the ends of their range
// lose some, and observers that clip lose more: these graphs reach 38 to 45, the moving
// average 25. A wrong scale gives below 20.
quantized check_quantize(const graph& g, const quantize_options& options = {}, double least = 25.0,
                         float width = 1.0f) {
    memory_samples samples = make_samples(g, 200, width);
    auto q = quantize(g, samples, options);
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    check_specification(*q);
    kompakt_test::numbers_source random(7);
    std::vector<sqnr_sum> sums(g.outputs.size());
    for (int k = 0; k < 10; ++k) {
        std::vector<std::vector<float>> inputs;
        for (tensor_id t : g.inputs) {
            inputs.push_back(random.take(*element_count(g.tensor(t).shape), width));
        }
        const auto exact = run_graph(g, inputs), integer = run_graph(*q, inputs);
        REQUIRE(exact.size() == integer.size());
        for (std::size_t o = 0; o < exact.size(); ++o) {
            REQUIRE(exact[o].size() == integer[o].size());
            for (std::size_t i = 0; i < exact[o].size(); ++i) {
                sums[o].add(static_cast<double>(exact[o][i]), static_cast<double>(integer[o][i]));
            }
        }
    }
    for (const sqnr_sum& s : sums) {
        // Nothing to compare where the output is 0 throughout.
        if (s.signal > 0.0) CHECK(s.decibels() > least);
    }
    CHECK(q->report.samples == 200);
    return std::move(*q);
}

// A test's own operator: no rule, runs as a relu.
struct float_only : op_of<float_only> {
    static constexpr const char* op_name = "float_only";
    template <class V>
    void fields(V&&) {}
    status infer(inference& c) const override { return ops::infer_unary(c); }
    status lower(lowering& c) const override { return ops::relu{}.lower(c); }
};

} // namespace

TEST_CASE("a chain of layers with every observer") {
    graph_builder b;
    tensor_id x = b.conv("conv", b.input({1, 8, 8, 3}), 3, 8);
    std::vector<float> variance = b.random.take(8);
    for (float& v : variance) v = v * v + 0.5f;
    x = b.node("bn", ops::batch_norm{},
               {x, b.constant("gamma", {8}), b.constant("beta", {8}), b.constant("mean", {8}),
                b.constant("variance", {8}, variance)});
    x = b.node("relu", ops::relu{}, {x});
    ops::depthwise_conv2d depthwise;
    depthwise.window.stride_h = depthwise.window.stride_w = 2;
    depthwise.fused = activation::relu6;
    x = b.node("depthwise", depthwise,
               {x, b.constant("dw/w", {1, 2, 2, 8}), b.constant("dw/b", {8})});
    ops::average_pool2d pool;
    pool.kernel_h = pool.kernel_w = 2;
    pool.window.stride_h = pool.window.stride_w = 2;
    x = b.node("pool", pool, {x});
    x = b.reshape("flat", x, {1, 32});
    x = b.dense("dense", x, 32, 10);
    x = b.node("softmax", ops::softmax{}, {x});
    const graph g = b.done({x});
    for (int m = 0; m < 5; ++m) {
        quantize_options options;
        options.observer.method = static_cast<calibration_method>(m);
        CAPTURE(name_of(options.observer.method));
        const quantized q = check_quantize(g, options);
        CHECK(q.order().size() == 6);
        CHECK(q.tensor(q.inputs[0]).type == dtype::i8);
        CHECK(q.tensor(q.outputs[0]).type == dtype::i8);
        CHECK(q.tensor(q.inputs[0]).name == "input0");
        CHECK(q.tensor(q.outputs[0]).name == "softmax");
        CHECK(q.report.layers.size() == 7);
        CHECK(q.report.compared == 64);
        CHECK(layer(q.report, "relu").range.min == 0.0f); // of what comes after the activation
        CHECK(layer(q.report, "relu").zero_point == -128);
        CHECK(layer(q.report, "pool").scale == layer(q.report, "depthwise").scale);
        CHECK(layer(q.report, "softmax").scale == 1.0f / 256.0f);
        for (const layer_report& l : q.report.layers) {
            CAPTURE(l.tensor);
            CHECK(l.integer);
            CHECK(l.sqnr > 20.0);
            if (l.bytes_before != 0) {
                CHECK(l.weight_sqnr > 38.0);
                CHECK(l.bytes_after < l.bytes_before);
            }
        }
        CHECK(q.report.bytes_after < q.report.bytes_before / 3);
        // The contract's line.
        CHECK(plan(q, {}).ok());
    }
}

TEST_CASE("ids and names of activations stay") {
    graph_builder b;
    const tensor_id in = b.input({1, 6});
    const tensor_id x = b.dense("one", in, 6, 5, activation::relu);
    const tensor_id y = b.dense("two", x, 5, 4);
    const quantized q = check_quantize(b.done({y}));
    CHECK(q.inputs == std::vector<tensor_id>{in});
    CHECK(q.outputs == std::vector<tensor_id>{y});
    CHECK(q.tensor(x).name == "one");
    CHECK(q.tensor(x).type == dtype::i8);
}

TEST_CASE("float32 inputs and outputs as an option") {
    graph_builder b;
    const tensor_id in = b.input({1, 6});
    const tensor_id x = b.dense("one", in, 6, 5, activation::relu);
    const tensor_id y = b.dense("two", x, 5, 4);
    const graph g = b.done({x, y});
    quantize_options options;
    options.convert.float_io = true;
    const quantized q = check_quantize(g, options);
    CHECK(q.tensor(q.inputs[0]).type == dtype::f32);
    CHECK(q.tensor(q.inputs[0]).name == "input0");
    CHECK(q.tensor(q.outputs[0]).type == dtype::f32);
    CHECK(q.tensor(q.outputs[0]).name == "one");
    CHECK(q.tensor(q.outputs[1]).name == "two");
    CHECK(count_op(q, "quantize") == 1);
    CHECK(count_op(q, "dequantize") == 2);
    CHECK(layer(q.report, "one").sqnr > 30.0);
}

TEST_CASE("shared scales: concatenation of different ranges, pool, pad") {
    graph_builder b;
    const tensor_id in = b.input({1, 6, 6, 2});
    const tensor_id wide =
        b.node("wide", ops::mul{},
               {b.conv("a", in, 2, 3), b.constant("ten", {1}, std::vector<float>{10.0f})});
    const tensor_id narrow = b.conv("narrow", in, 2, 3, activation::relu_n1_to_1);
    tensor_id x = b.concat("concat", {wide, narrow}, 3);
    ops::pad pad;
    pad.before = pad.after = {0, 1, 1, 0};
    x = b.node("pad", pad, {x});
    ops::max_pool2d pool;
    pool.kernel_h = pool.kernel_w = 2;
    pool.window.stride_h = pool.window.stride_w = 2;
    const tensor_id y = b.node("pool", pool, {x});
    const graph g = b.done({y, narrow});
    // `narrow` uses a twentieth of the range that it shares: some 4 bits less, 24 dB.
    const quantized q = check_quantize(g, {}, 15.0);
    for (const char* name : {"wide", "narrow", "concat", "pad", "pool"}) {
        CAPTURE(name);
        CHECK(*named(q, name)->quantization == *named(q, "concat")->quantization);
    }
    CHECK(layer(q.report, "narrow").range.max > 5.0f); // the union's
    CHECK(count_op(q, "quantize") == 0);
}

TEST_CASE("elements that move keep their scale; indices stay integers") {
    graph_builder b;
    tensor_id x = b.conv("conv", b.input({1, 4, 4, 2}), 2, 4);
    ops::resize_bilinear resize;
    resize.size.height = 6, resize.size.width = 3;
    x = b.node("resize", resize, {x});
    const tensor_id left = b.tensor("left"), right = b.tensor("right");
    ops::split split;
    split.axis = 3;
    b.g.add_node("split", split, {x}, {left, right});
    const auto indices = [&](const char* name, std::vector<std::int32_t> at) {
        const auto n = static_cast<std::int64_t>(at.size());
        return b.g.add_constant(name, make_constant<std::int32_t>({n}, at));
    };
    ops::gather gather;
    gather.axis = 1;
    const tensor_id some = b.node("some", gather, {right, indices("rows", {5, 0, 2, 2, 1, 3})});
    const tensor_id part = b.constant("part", {1, 2, 1, 2}, 0.3f);
    const tensor_id updated = b.node("updated", ops::dynamic_update_slice{},
                                     {some, part, indices("starts", {0, 1, 2, 0})});
    const tensor_id packed = b.node("packed", ops::pack{}, {left, updated});
    const tensor_id rows = b.node("embedded", ops::embedding_lookup{},
                                  {indices("words", {2, 0}), b.constant("table", {3, 4}, 1.0f)});
    const tensor_id dense = b.dense("dense", rows, 4, 3);
    const quantized q = check_quantize(b.done({packed, dense}));
    for (const char* name : {"conv", "resize", "left", "right", "some", "updated", "part"}) {
        CAPTURE(name);
        CHECK(*named(q, name)->quantization == *named(q, "packed")->quantization);
    }
    CHECK(named(q, "rows")->type == dtype::i32);
    CHECK(count_op(q, "quantize") == 0);
    CHECK(count_op(q, "dequantize") == 0);
}

TEST_CASE("an open batch passes through what moves elements") {
    graph_builder b;
    const tensor_id x = b.dense("dense", b.input({dim::named("batch"), 6}), 6, 8);
    const tensor_id y = b.reshape("reshaped", x, {dim(-1), dim(2), dim(4)});
    const tensor_id left = b.tensor("left"), right = b.tensor("right");
    ops::split split;
    split.axis = 2;
    b.g.add_node("split", split, {y}, {left, right});
    const graph g = b.done({b.concat("joined", {right, left}, 1)});
    kompakt_test::numbers_source random(5);
    memory_samples samples(std::vector<std::vector<float>>{random.take(600)});
    const auto q = quantize(g, samples, {});
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    CHECK(q->tensor(q->outputs[0]).type == dtype::i8);
    CHECK(q->tensor(q->outputs[0]).shape[0] == dim::named("batch"));
}

TEST_CASE("fixed scales in shared groups") {
    graph_builder b;
    const tensor_id in = b.input({1, 8});
    const tensor_id p = b.node("p", ops::logistic{}, {b.dense("d1", in, 8, 4)});
    const tensor_id r = b.node("r", ops::softmax{}, {b.dense("d2", in, 8, 4)});
    // Only fixed ones, all alike: the group takes their scale.
    const tensor_id both = b.concat("both", {p, r}, 1);
    // Beside another: requantized.
    const tensor_id mixed = b.concat("mixed", {p, b.dense("d3", in, 8, 4)}, 1);
    const quantized q = check_quantize(b.done({both, mixed}), {}, 20.0);
    // `p` is in one group with both concatenations, so that the softmax is beside d3, too.
    CHECK(named(q, "p")->quantization->scale() == 1.0f / 256.0f);
    CHECK(named(q, "r")->quantization->scale() == 1.0f / 256.0f);
    CHECK(count_op(q, "quantize") == 2);

    graph_builder c;
    const tensor_id s = c.node("s", ops::softmax{}, {c.dense("d", c.input({1, 8}), 8, 4)});
    const quantized alone = check_quantize(c.done({c.reshape("out", s, {2, 2})}));
    CHECK(named(alone, "out")->quantization->scale() == 1.0f / 256.0f);
    CHECK(count_op(alone, "quantize") == 0);
}

TEST_CASE("residual additions, several inputs, several outputs") {
    graph_builder b;
    const tensor_id in = b.input({1, 5, 5, 4}), second = b.input({1, 5, 5, 4});
    tensor_id x = b.conv("c1", in, 4, 4, activation::relu);
    x = b.conv("c2", x, 4, 4);
    ops::add add;
    add.fused = activation::relu;
    const tensor_id sum = b.node("sum", add, {x, in});
    const tensor_id product = b.node("product", ops::mul{}, {sum, second});
    const tensor_id difference = b.node("difference", ops::sub{}, {product, second});
    const tensor_id scaled =
        b.node("scaled", ops::add{}, {difference, b.constant("offset", {4}, 2.0f)});
    ops::mean mean;
    mean.axes = {1, 2};
    const tensor_id average = b.node("average", mean, {scaled});
    const quantized q = check_quantize(b.done({average, product, sum}));
    CHECK(q.inputs.size() == 2);
    CHECK(named(q, "offset")->type == dtype::i8);
    CHECK(named(q, "offset")->quantization->per_tensor());
}

TEST_CASE("transposed convolution, matrix products of two activations and with a constant") {
    graph_builder b;
    const tensor_id in = b.input({1, 4, 4, 6});
    ops::transpose_conv2d up;
    up.window.stride_h = up.window.stride_w = 2;
    up.window.pad_top = up.window.pad_left = 1;
    up.fused = activation::relu;
    const tensor_id large = b.node(
        "up", up, {in, b.constant("up/w", {3, 3, 3, 6}, 0.5f), b.constant("up/b", {3}, 0.3f)});
    const tensor_id rows = b.reshape("rows", large, {1, 3, 64});
    ops::batch_matmul square;
    square.transpose_b = true;
    const tensor_id both = b.node("both", square, {rows, rows});
    const tensor_id by_constant =
        b.node("by_constant", ops::batch_matmul{}, {both, b.constant("matrix", {3, 5}, 0.7f)});
    const quantized q = check_quantize(b.done({by_constant, large}));
    CHECK(count_op(q, "dequantize") == 0);
    CHECK(named(q, "matrix")->type == dtype::i8);
    // An operator that has no int8 form.
    graph_builder c;
    ops::l2_pool2d pool;
    pool.kernel_h = pool.kernel_w = 2;
    const quantized p =
        check_quantize(c.done({c.node("pool", pool, {c.conv("c", c.input({1, 4, 4, 2}), 2, 3)})}));
    CHECK(count_op(p, "dequantize") == 1);
}

TEST_CASE("operators without int8 form stay float32 between dequantize and quantize") {
    graph_builder b;
    const tensor_id in = b.input({1, 6});
    const tensor_id x = b.dense("one", in, 6, 6);
    const tensor_id y = b.node("middle", float_only{}, {x});
    const tensor_id z = b.dense("two", y, 6, 4);
    const tensor_id w = b.node("sum", ops::add{}, {x, y});
    const tensor_id last = b.node("last", float_only{}, {z});
    const graph g = b.done({last, w, z});
    const quantized q = check_quantize(g);
    CHECK(count_op(q, "dequantize") == 2); // of one and two
    CHECK(count_op(q, "quantize") == 2);   // of middle and last
    CHECK(!layer(q.report, "middle").integer);
    CHECK(layer(q.report, "middle").float_because.empty());
    CHECK(q.tensor(q.outputs[0]).type == dtype::i8);

    quantize_options options;
    options.convert.float_io = true;
    options.assign.keep_float = {"sum"};
    const quantized f = check_quantize(g, options);
    CHECK(f.tensor(f.outputs[0]).name == "last");
    CHECK(layer(f.report, "sum").float_because == "kept by option");
    CHECK(!layer(f.report, "sum").integer);
    CHECK(layer(f.report, "sum").sqnr > 35.0);
}

TEST_CASE("inputs and outputs next to float32 operators, and graphs of nothing else") {
    graph_builder b;
    const tensor_id in = b.input({1, 6}), unused = b.input({1, 2});
    const tensor_id x = b.node("first", float_only{}, {in});
    const tensor_id y = b.dense("dense", in, 6, 6);
    const graph g = b.done({x, y, in});
    for (const bool float_io : {false, true}) {
        quantize_options options;
        options.convert.float_io = float_io;
        const quantized q = check_quantize(g, options);
        const dtype type = float_io ? dtype::f32 : dtype::i8;
        for (tensor_id t : q.inputs) CHECK(q.tensor(t).type == type);
        for (tensor_id t : q.outputs) CHECK(q.tensor(t).type == type);
        CHECK(q.tensor(q.inputs[1]).name == g.tensor(unused).name);
    }
    graph_builder c;
    const tensor_id only = c.node("only", float_only{}, {c.input({1, 6})});
    const quantized q = check_quantize(c.done({only}));
    CHECK(q.order().size() == 3);
}

TEST_CASE("an operator whose kernel refuses its scales stays float32") {
    // a - a is 0 throughout; an addition of two large numbers with a tiny result.
    graph_builder b;
    const tensor_id in = b.input({1, 64});
    const tensor_id large =
        b.node("large", ops::mul{}, {in, b.constant("k", {1}, std::vector<float>{1e8f})});
    const tensor_id minus =
        b.node("minus", ops::mul{}, {in, b.constant("k2", {1}, std::vector<float>{-1e8f})});
    const tensor_id x = b.node("sum", ops::add{}, {large, minus});
    const graph g = b.done({x});
    memory_samples samples = make_samples(g, 4);
    const auto q = quantize(g, samples, {});
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    CHECK(layer(q->report, "large").integer);
    CHECK(!layer(q->report, "sum").integer);
    CHECK(layer(q->report, "sum").float_because.find("2^-19") != std::string::npos);
    CHECK(plan(*q, {}).ok());
}

TEST_CASE("dead channels, constant tensors, an outlier, large and tiny biases") {
    for (const std::int64_t channels : {1, 255, 257}) {
        CAPTURE(channels);
        const auto n = static_cast<std::size_t>(channels);
        graph_builder b;
        std::vector<float> weights = b.random.take(9 * n, 0.5f), bias = b.random.take(n, 0.3f);
        // The last channel is dead but for its bias.
        for (std::size_t i = 9 * (n - 1); i < 9 * n; ++i) weights[i] = 0.0f;
        bias[n - 1] = 0.7f;
        ops::conv2d conv;
        const tensor_id x =
            b.node("conv", conv,
                   {b.input({1, 6, 6, 1}), b.constant("w", {channels, 3, 3, 1}, weights),
                    b.constant("b", {channels}, bias)});
        const quantized q = check_quantize(b.done({x}));
        const auto out = run_graph(q, {std::vector<float>(36, 0.5f)});
        const float step = q.tensor(q.outputs[0]).quantization->scale();
        CHECK(std::fabs(out[0][n - 1] - 0.7f) <= 0.51f * step);
    }
    {
        // All constant: the input is 0 throughout.
        graph_builder b;
        const tensor_id x = b.dense("dense", b.input({1, 4}), 4, 3);
        const graph g = b.done({x});
        memory_samples zeros({std::vector<float>(40, 0.0f)});
        const auto q = quantize(g, zeros, {});
        REQUIRE_MESSAGE(q.ok(), q.error().message());
        CHECK(layer(q->report, "input0").scale == 1.0f / 255.0f);
        const auto exact = run_graph(g, {{0, 0, 0, 0}}), integer = run_graph(*q, {{0, 0, 0, 0}});
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(std::fabs(exact[0][i] - integer[0][i]) <=
                  0.51f * q->tensor(q->outputs[0]).quantization->scale());
        }
    }
    {
        // A bias that int32 would not hold at the scale of tiny weights.
        graph_builder b;
        const tensor_id x =
            b.node("dense", ops::fully_connected{},
                   {b.input({1, 8}), b.constant("w", {2, 8}, std::vector<float>(16, 1e-9f)),
                    b.constant("b", {2}, std::vector<float>{1000.0f, -1000.0f})});
        const quantized q = check_quantize(b.done({x}));
        for (std::int32_t v : named(q, "b")->value->values<std::int32_t>()) {
            CHECK(std::abs(v) > 1 << 28);
            CHECK(std::abs(v) <= (1 << 30) + 64);
        }
    }
    {
        // One value of 1e6 among ten thousand: min_max keeps it and little else, percentile
        // the rest.
        graph_builder b;
        const tensor_id x = b.dense("dense", b.input({1, 1000}), 1000, 8);
        const graph g = b.done({x});
        std::vector<float> data = b.random.take(10000);
        data[1234] = 1e6f;
        memory_samples samples({data});
        quantize_options options;
        options.observer.method = calibration_method::min_max;
        const auto wide = quantize(g, samples, options);
        options.observer.method = calibration_method::percentile;
        options.observer.percentile = 99.9;
        const auto clipped = quantize(g, samples, options);
        REQUIRE(wide.ok());
        REQUIRE(clipped.ok());
        CHECK(layer(wide->report, "input0").scale > 1000.0f);
        CHECK(layer(clipped->report, "input0").scale < 0.01f);
    }
}

TEST_CASE("dense layers per channel and per tensor") {
    graph_builder b;
    const tensor_id x = b.dense("dense", b.input({1, 16}), 16, 8);
    const graph g = b.done({x});
    quantize_options options;
    const quantized channels = check_quantize(g, options);
    CHECK(named(channels, "dense/w")->quantization->scales.size() == 8);
    CHECK(named(channels, "dense/w")->quantization->axis == 0);
    options.assign.per_channel_dense = false;
    const quantized whole = check_quantize(g, options);
    CHECK(named(whole, "dense/w")->quantization->per_tensor());
    CHECK(named(whole, "dense/b")->quantization->per_tensor());
}

TEST_CASE("constants that several layers share are quantized for each") {
    graph_builder b;
    const tensor_id in = b.input({1, 8});
    const tensor_id w = b.constant("w", {8, 8}, 0.4f), bias = b.constant("b", {8}, 0.5f);
    const tensor_id x = b.node("p", ops::fully_connected{}, {in, w, bias});
    const tensor_id y = b.node("q", ops::fully_connected{}, {x, w, bias});
    const tensor_id z = b.node("sum", ops::add{}, {y, w});
    const quantized q = check_quantize(b.done({z}));
    std::set<tensor_id> biases, weights;
    for (node_id n : q.order()) {
        if (q.node_at(n).inputs.size() != 3) continue;
        weights.insert(q.node_at(n).inputs[1]);
        biases.insert(q.node_at(n).inputs[2]);
    }
    CHECK(biases.size() == 2);
    CHECK(weights.size() == 1);
}

TEST_CASE("tensors that share the bytes of few are refused before they take memory") {
    graph_builder b;
    const tensor_id in = b.input({1, 64});
    const constant shared = make_constant({64, 64}, b.random.take(64 * 64, 0.1f));
    tensor_id x = in;
    for (int i = 0; i < 200; ++i) {
        const tensor_id w = b.g.add_constant("w" + std::to_string(i), shared);
        x = b.node("x" + std::to_string(i), ops::fully_connected{}, {x, w, no_tensor});
    }
    const graph g = b.done({x});
    auto samples = make_samples(g, 1);
    CHECK(quantize(g, samples).error().code() == errc::limit);
}

TEST_CASE("a symbolic batch stays a symbol") {
    graph_builder b;
    const tensor_id in = b.input({dim::named("batch"), 6});
    const graph g = b.done({b.dense("dense", in, 6, 4)});
    memory_samples samples({b.random.take(60)});
    const auto q = quantize(g, samples, {});
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    CHECK(q->report.samples == 10);
    CHECK(q->tensor(q->outputs[0]).shape[0] == dim::named("batch"));
    const auto bound = kompakt::bind(*q, {{"batch", 3}});
    REQUIRE(bound.ok());
    CHECK(plan(*bound, {}).ok());
}

TEST_CASE("calibration data that cannot be used is an error that says where") {
    graph_builder b;
    const tensor_id in = b.input({1, 4});
    const tensor_id x = b.dense("dense", in, 4, 3);
    const graph g = b.done({x});
    const auto error_of = [&](const graph& model, std::vector<std::vector<float>> data) {
        memory_samples samples(std::move(data));
        const auto q = quantize(model, samples, {});
        REQUIRE(!q.ok());
        return std::string(q.error().message());
    };
    CHECK(error_of(g, {{}}) == "calibration data: no samples");
    CHECK(error_of(g, {std::vector<float>(9)}) ==
          "calibration data, sample 0: input 0: 9 values are no whole number of samples of 4");
    CHECK(error_of(g, {{}, {}}) == "calibration data, sample 0: samples for 2 inputs, needed 1");
    std::vector<float> data(40, 0.5f);
    data[22] = std::numeric_limits<float>::quiet_NaN();
    CHECK(error_of(g, {data}) ==
          "calibration data, sample 5, input 0 (input0): value 2 of 4 is NaN");
    data[22] = std::numeric_limits<float>::infinity();
    CHECK(error_of(g, {data}) ==
          "calibration data, sample 5, input 0 (input0): value 2 of 4 is infinite");

    // Finite data, but the model's results are not.
    graph_builder overflow;
    const tensor_id y = overflow.node(
        "square", ops::mul{},
        {overflow.input({1, 2}), overflow.constant("k", {1}, std::vector<float>{3e38f})});
    CHECK(error_of(overflow.done({y}), {{0.5f, 2.0f}}) ==
          "tensor square, sample 0: value 1 of 2 is infinite");

    graph_builder weights;
    const tensor_id z = weights.node(
        "dense", ops::fully_connected{},
        {weights.input({1, 2}),
         weights.constant("w", {1, 2},
                          std::vector<float>{1.0f, std::numeric_limits<float>::quiet_NaN()})});
    // Its result is NaN before its weights are looked at.
    CHECK(error_of(weights.done({z}), {{0.5f, 2.0f}}).find("is NaN") != std::string::npos);

    graph_builder integers;
    const tensor_id i = integers.input({1, 4});
    integers.g.tensor(i).type = dtype::i8;
    integers.g.tensor(i).quantization = quantization::per_tensor_affine(0.1f, 0);
    const graph quantized_already = integers.done({integers.reshape("r", i, {4, 1})});
    CHECK(error_of(quantized_already, {{1, 2, 3, 4}}).find("quantized already") !=
          std::string::npos);
}

TEST_CASE("several inputs must have as many samples") {
    graph_builder b;
    const tensor_id x = b.node("sum", ops::add{}, {b.input({1, 2}), b.input({1, 2})});
    const graph g = b.done({x});
    memory_samples samples({{1, 2, 3, 4}, {1, 2}});
    const auto q = quantize(g, samples, {});
    REQUIRE(!q.ok());
    CHECK(std::string(q.error().message()) ==
          "calibration data, sample 0: input 1: 1 samples, input 0 has 2");
}

TEST_CASE("progress is told, the report is optional, samples are limited") {
    graph_builder b;
    const tensor_id x = b.dense("dense", b.input({1, 4}), 4, 3);
    const graph g = b.done({x});
    memory_samples samples({b.random.take(400)}, 30);
    std::set<std::string> stages;
    std::size_t last = 0;
    quantize_options options;
    options.report_samples = 0;
    options.progress = [&](const char* stage, std::size_t done, std::size_t) {
        stages.insert(stage);
        if (std::string(stage) == "calibrate") last = done;
    };
    auto q = quantize(g, samples, options);
    REQUIRE(q.ok());
    CHECK(last == 30);
    CHECK(q->report.samples == 30);
    CHECK(q->report.compared == 0);
    CHECK(stages.count("compare") == 0);
    CHECK(std::isnan(layer(q->report, "dense").sqnr));
    CHECK(layer(q->report, "dense").weight_sqnr > 38.0);
    options.report_samples = 12;
    q = quantize(g, samples, options);
    REQUIRE(q.ok());
    CHECK(q->report.compared == 12);
    CHECK(stages.count("compare") == 1);
}

TEST_CASE("oracle int_quant: dense and convolution layers of QNNPACK, within one") {
    // Its activations are uint8: minus 128, they are int8.
    const auto file = kompakt_test::read_oracle("int_quant");
    for (const auto& c : file["cases"].items()) {
        const std::string op = c["op"].as_string();
        if (op != "quantized_linear" && op != "quantized_conv2d") continue;
        CAPTURE(c["name"].as_string());
        const auto &in = c["inputs"], &p = c["params"], &expected = c["outputs"]["y"];
        const auto number = [&](const char* name) {
            return static_cast<float>(p[name].as_number());
        };
        const auto zero = [&](const char* name) {
            return static_cast<std::int32_t>(p[name].as_integer()) - 128;
        };
        const auto dims = [](const json::value& t) {
            shape s;
            for (const auto& d : t["shape"].items()) s.push_back(d.as_integer());
            return s;
        };
        // NCHW to NHWC, and OIHW to OHWI.
        const auto reorder = [](std::vector<int> v, shape& s) {
            if (s.size() != 4) return v;
            const auto n = static_cast<std::size_t>(s[0].value()),
                       ch = static_cast<std::size_t>(s[1].value()),
                       hw = static_cast<std::size_t>(s[2].value() * s[3].value());
            std::vector<int> out;
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t k = 0; k < hw; ++k) {
                    for (std::size_t i = 0; i < ch; ++i) out.push_back(v[(a * ch + i) * hw + k]);
                }
            }
            s = {s[0], s[2], s[3], s[1]};
            return out;
        };
        const auto int8 = [](std::vector<int> v, int minus) {
            std::vector<std::int8_t> out;
            for (int x : v) out.push_back(static_cast<std::int8_t>(x - minus));
            return out;
        };
        shape x_shape = dims(in["x"]), w_shape = dims(in["w"]), y_shape = dims(expected);
        const auto x = int8(reorder(kompakt_test::numbers<int>(in["x"]), x_shape), 128);
        const auto w = int8(reorder(kompakt_test::numbers<int>(in["w"]), w_shape), 0);
        const auto y = int8(reorder(kompakt_test::numbers<int>(expected), y_shape), 128);
        const quantization x_q = quantization::per_tensor_affine(number("x_scale"), zero("x_zp"));
        const quantization w_q = quantization::per_tensor_affine(number("w_scale"), 0);
        quantization b_q = quantization::per_tensor_affine(x_q.scale() * w_q.scale(), 0, 32);

        graph g;
        const auto add = [&](const char* name, dtype type, shape s, quantization q) {
            graph_tensor t;
            t.name = name;
            t.type = type;
            t.shape = std::move(s);
            t.quantization = std::move(q);
            return g.add_tensor(std::move(t));
        };
        const tensor_id input = add("x", dtype::i8, x_shape, x_q);
        const tensor_id weights = add("w", dtype::i8, w_shape, w_q);
        g.tensor(weights).value = make_constant(w_shape, w);
        const constant bias = make_constant({w_shape[0]}, kompakt_test::numbers(in["bias"]));
        const auto bias_q = quantized_constant(bias, b_q);
        REQUIRE(bias_q.ok());
        const tensor_id b = add("b", dtype::i32, {w_shape[0]}, b_q);
        g.tensor(b).value = *bias_q;
        const tensor_id output =
            add("y", dtype::i8, y_shape,
                quantization::per_tensor_affine(number("y_scale"), zero("y_zp")));
        g.inputs = {input};
        g.outputs = {output};
        if (op == "quantized_linear") {
            g.add_node("", ops::fully_connected{}, {input, weights, b}, {output});
        } else {
            ops::conv2d conv;
            conv.window.stride_h = conv.window.stride_w =
                static_cast<std::int32_t>(p["stride"].as_integer());
            conv.window.pad_top = conv.window.pad_bottom = conv.window.pad_left =
                conv.window.pad_right = static_cast<std::int32_t>(p["pad"].as_integer());
            g.add_node("", conv, {input, weights, b}, {output});
        }
        REQUIRE(infer(g).ok());
        CHECK(g.tensor(output).shape == y_shape);
        const auto code = plan(g, {});
        REQUIRE_MESSAGE(code.ok(), code.error().message());
        session s(code->bytes());
        const aligned_buffer arena(s.arena_bytes());
        REQUIRE(s.bind({arena.data(), arena.size()}).ok());
        for (std::size_t i = 0; i < x.size(); ++i) s.input<std::int8_t>(0)[i] = x[i];
        s.run();
        for (std::size_t i = 0; i < y.size(); ++i) {
            CHECK(std::abs(s.output<std::int8_t>(0)[i] - y[i]) <= 1);
        }
    }
}
