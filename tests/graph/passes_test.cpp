#include <kompakt/compress/prepare.hpp>
#include <kompakt/graph/ops/dequantize.hpp>

#include <compress/models.hpp>
#include <compress/oracle.hpp>

using namespace kompakt;
using kompakt_test::graph_builder;
using kompakt_test::run_graph;

namespace {

bool has_op(const graph& g, const char* name) {
    for (node_id n : g.order()) {
        if (std::string(g.node_at(n).op->name()) == name) return true;
    }
    return false;
}

void check_same(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b,
                double tolerance = 1e-5) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(a[i].size() == b[i].size());
        for (std::size_t k = 0; k < a[i].size(); ++k) {
            CHECK(kompakt_test::near(a[i][k], b[i][k], tolerance, tolerance));
        }
    }
}

void run_pass(graph& g, status (*pass)(graph&)) {
    status s = pass(g);
    REQUIRE_MESSAGE(s.ok(), s.message());
    s = infer(g);
    REQUIRE_MESSAGE(s.ok(), s.message());
}

// gamma, beta, mean, variance
std::vector<tensor_id> batch_norm_inputs(graph_builder& b, const std::string& name, tensor_id x,
                                         std::int64_t c) {
    std::vector<float> variance = b.random.take(static_cast<std::size_t>(c));
    for (float& v : variance) v = v * v + 0.1f;
    return {x, b.constant(name + "/gamma", {c}), b.constant(name + "/beta", {c}),
            b.constant(name + "/mean", {c}), b.constant(name + "/variance", {c}, variance)};
}

} // namespace

TEST_CASE("batch norms fold into convolution, depthwise and dense layers") {
    graph_builder b;
    const tensor_id in = b.input({1, 5, 5, 3});
    tensor_id x = b.conv("conv", in, 3, 4);
    x = b.node("bn1", ops::batch_norm{}, batch_norm_inputs(b, "bn1", x, 4));
    // Without a bias, two filters a channel.
    x = b.node("depthwise", ops::depthwise_conv2d{}, {x, b.constant("dw/w", {1, 3, 3, 8})});
    x = b.node("bn2", ops::batch_norm{}, batch_norm_inputs(b, "bn2", x, 8));
    x = b.reshape("flat", x, {1, 72});
    x = b.dense("dense", x, 72, 6);
    x = b.node("bn3", ops::batch_norm{}, batch_norm_inputs(b, "bn3", x, 6));
    graph g = b.done({x});
    const auto sample = b.random.take(75);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::fold_batch_norm);
    CHECK(g.order().size() == 4);
    CHECK(!has_op(g, "batch_norm"));
    check_same(run_graph(g, {sample}), before, 1e-4);
    CHECK(g.tensor(g.outputs[0]).name == "bn3");
    run_pass(g, passes::remove_dead);
    CHECK(g.tensor(b.g.node_at(0).inputs[1]).value == std::nullopt);
    check_same(run_graph(g, {sample}), before, 1e-4);
}

TEST_CASE("batch norms that cannot fold become mul and add") {
    graph_builder b;
    const tensor_id in = b.input({1, 4, 4, 3});
    // Before the convolution; after one whose result is read twice; after a fused activation.
    tensor_id x = b.node("bn0", ops::batch_norm{}, batch_norm_inputs(b, "bn0", in, 3));
    x = b.conv("conv1", x, 3, 4);
    tensor_id y = b.node("bn1", ops::batch_norm{}, batch_norm_inputs(b, "bn1", x, 4));
    y = b.node("sum", ops::add{}, {x, y});
    y = b.conv("conv2", y, 4, 4, activation::relu);
    y = b.node("bn2", ops::batch_norm{}, batch_norm_inputs(b, "bn2", y, 4));
    graph g = b.done({y});
    const auto sample = b.random.take(48);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::fold_batch_norm);
    CHECK(!has_op(g, "batch_norm"));
    CHECK(has_op(g, "mul"));
    CHECK(g.order().size() == 9);
    check_same(run_graph(g, {sample}), before);
}

TEST_CASE("a channel with gamma 0 is a constant after folding") {
    graph_builder b;
    tensor_id x = b.conv("conv", b.input({1, 3, 3, 1}), 1, 2);
    x = b.node("bn", ops::batch_norm{},
               {x, b.constant("gamma", {2}, std::vector<float>{0.0f, 1.0f}),
                b.constant("beta", {2}, std::vector<float>{0.25f, 0.0f}),
                b.constant("mean", {2}, std::vector<float>{3.0f, 0.0f}),
                b.constant("variance", {2}, std::vector<float>{1.0f, 1.0f})});
    graph g = b.done({x});
    run_pass(g, passes::fold_batch_norm);
    REQUIRE(g.order().size() == 1);
    const auto out = run_graph(g, {b.random.take(9)});
    for (std::size_t i = 0; i < 18; i += 2) CHECK(out[0][i] == 0.25f);
}

TEST_CASE("layers that share weights fold each for itself") {
    graph_builder b;
    const tensor_id in = b.input({1, 8});
    const tensor_id w = b.constant("w", {4, 8}), bias = b.constant("b", {4});
    tensor_id p = b.node("p", ops::fully_connected{}, {in, w, bias});
    tensor_id q = b.node("q", ops::fully_connected{}, {in, w, bias});
    p = b.node("bn", ops::batch_norm{}, batch_norm_inputs(b, "bn", p, 4));
    graph g = b.done({p, q});
    const auto sample = b.random.take(8);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::fold_batch_norm);
    CHECK(g.order().size() == 2);
    check_same(run_graph(g, {sample}), before);
}

TEST_CASE("oracle bnfold_ptq: folding") {
    const auto file = kompakt_test::read_oracle("bnfold_ptq");
    for (const auto& c : file["cases"].items()) {
        if (c["op"].as_string() != "fold_conv_bn") continue;
        const auto& in = c["inputs"];
        // OIHW to OHWI.
        const auto o = kompakt_test::extent(in["weight"], 0),
                   i = kompakt_test::extent(in["weight"], 1),
                   hw = kompakt_test::extent(in["weight"], 2) *
                        kompakt_test::extent(in["weight"], 3);
        const auto ohwi = [&](const std::vector<float>& w) {
            std::vector<float> out;
            for (std::size_t a = 0; a < o; ++a) {
                for (std::size_t k = 0; k < hw; ++k) {
                    for (std::size_t ch = 0; ch < i; ++ch) out.push_back(w[(a * i + ch) * hw + k]);
                }
            }
            return out;
        };
        const auto vector = [&](const char* name) { return kompakt_test::numbers(in[name]); };
        const auto channels = static_cast<std::int64_t>(o);
        graph_builder b;
        const tensor_id w =
            b.constant("w", {channels, 3, 3, static_cast<std::int64_t>(i)}, ohwi(vector("weight")));
        tensor_id x = b.node("conv", ops::conv2d{},
                             {b.input({1, 5, 5, static_cast<std::int64_t>(i)}), w,
                              b.constant("b", {channels}, vector("bias"))});
        ops::batch_norm bn;
        bn.epsilon = static_cast<float>(c["params"]["eps"].as_number());
        x = b.node("bn", bn,
                   {x, b.constant("gamma", {channels}, vector("gamma")),
                    b.constant("beta", {channels}, vector("beta")),
                    b.constant("mean", {channels}, vector("running_mean")),
                    b.constant("variance", {channels}, vector("running_var"))});
        graph g = b.done({x});
        run_pass(g, passes::fold_batch_norm);
        REQUIRE(g.order().size() == 1);
        const node& n = g.node_at(g.order()[0]);
        check_same({g.tensor(n.inputs[1]).value->values<float>(),
                    g.tensor(n.inputs[2]).value->values<float>()},
                   {ohwi(kompakt_test::numbers(c["outputs"]["weight"])),
                    kompakt_test::numbers(c["outputs"]["bias"])},
                   1e-4);
    }
}

TEST_CASE("activations fuse where nothing else reads the value between") {
    graph_builder b;
    const tensor_id in = b.input({1, 4, 4, 2});
    tensor_id x = b.conv("conv1", in, 2, 3);
    x = b.node("relu", ops::relu{}, {x});
    ops::relu six;
    six.kind = ops::relu_kind::relu6;
    x = b.node("relu6", six, {x});
    tensor_id y = b.conv("conv2", x, 3, 3);
    // Read twice: stays.
    tensor_id z = b.node("relu_b", ops::relu{}, {y});
    x = b.node("sum", ops::add{}, {y, z});
    ops::relu unit;
    unit.kind = ops::relu_kind::relu_n1_to_1;
    x = b.node("clip", unit, {x});
    // Has no fused form.
    ops::relu zero_one;
    zero_one.kind = ops::relu_kind::relu_0_to_1;
    x = b.node("zero_one", zero_one, {x});
    // Of an output: stays.
    const tensor_id out = b.conv("conv3", x, 3, 2);
    const tensor_id also = b.node("relu_c", ops::relu{}, {out});
    graph g = b.done({out, also});
    const auto sample = b.random.take(32, 3.0f);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::fuse_activations);
    CHECK(g.order().size() == 7);
    check_same(run_graph(g, {sample}), before, 0.0);
    std::size_t fused = 0;
    for (node_id n : g.order()) {
        const activation* a = passes::fused_activation(*g.node_at(n).op);
        if (a != nullptr && *a != activation::none) ++fused;
        if (g.tensor(g.node_at(n).outputs[0]).name == "relu6") CHECK(*a == activation::relu6);
        if (g.tensor(g.node_at(n).outputs[0]).name == "clip") CHECK(*a == activation::relu_n1_to_1);
    }
    CHECK(fused == 2);
}

TEST_CASE("dead nodes go, and what they hold") {
    graph_builder b;
    const tensor_id in = b.input({1, 8});
    const tensor_id unused_input = b.input({1, 3});
    const tensor_id x = b.dense("kept", in, 8, 4);
    const tensor_id dead = b.dense("dead", in, 8, 4);
    b.dense("deader", dead, 4, 4);
    graph g = b.done({x});
    run_pass(g, passes::remove_dead);
    CHECK(g.order().size() == 1);
    CHECK(g.inputs.size() == 2);
    CHECK(g.tensor(unused_input).name == "input1");
    CHECK(g.tensor(dead).name.empty());
    std::size_t constants = 0;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) constants += g.tensor(t).value ? 1 : 0;
    CHECK(constants == 2);
}

TEST_CASE("identities go; outputs keep their names") {
    graph_builder b;
    const tensor_id in = b.input({1, 2, 3, 4});
    tensor_id x = b.reshape("same", in, {1, 2, 3, 4});
    ops::transpose none;
    none.perm = {0, 1, 2, 3};
    x = b.node("unmoved", none, {x});
    ops::pad nothing;
    nothing.before = nothing.after = {0, 0, 0, 0};
    x = b.node("unpadded", nothing, {x});
    x = b.concat("one", {x}, 3);
    x = b.reshape("first", x, {6, 4});
    x = b.reshape("second", x, {4, 6});
    // Gives its input back, but is an output.
    const tensor_id y = b.reshape("named", x, {4, 6});
    graph g = b.done({y});
    const auto sample = b.random.take(24);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::remove_identities);
    run_pass(g, passes::remove_dead);
    CHECK(g.order().size() == 1);
    CHECK(g.tensor(g.outputs[0]).name == "named");
    check_same(run_graph(g, {sample}), before, 0.0);
}

TEST_CASE("constants fold by their own kernels") {
    graph_builder b;
    const tensor_id in = b.input({1, 4});
    const tensor_id p = b.constant("p", {1, 4}), q = b.constant("q", {1, 4});
    const tensor_id sum = b.node("sum", ops::add{}, {p, q});
    const tensor_id twice = b.node("twice", ops::mul{}, {sum, sum});
    graph_tensor integers;
    integers.name = "integers";
    integers.type = dtype::i8;
    integers.shape = {1, 4};
    integers.quantization = quantization::per_tensor_affine(0.5f, 1);
    integers.value = make_constant<std::int8_t>({1, 4}, {1, 2, 3, 127});
    const tensor_id from_int8 =
        b.node("from_int8", ops::dequantize{}, {b.g.add_tensor(std::move(integers))});
    tensor_id x = b.node("a", ops::add{}, {in, twice});
    x = b.node("b", ops::add{}, {x, from_int8});
    // Far larger than what it is made from: stays.
    const tensor_id column = b.constant("column", {500, 1}), row = b.constant("row", {1, 500});
    const tensor_id table = b.node("table", ops::add{}, {column, row});
    ops::mean mean;
    mean.axes = {0, 1};
    const tensor_id of_table = b.node("of_table", mean, {table});
    // Constant, but an output: its node stays.
    const tensor_id out = b.node("constant_output", ops::add{}, {p, sum});
    graph g = b.done({x, out, of_table});
    const auto sample = b.random.take(4);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::fold_constants);
    CHECK(g.order().size() == 5);
    REQUIRE(g.tensor(from_int8).value);
    CHECK(g.tensor(from_int8).value->values<float>() ==
          std::vector<float>{0.0f, 0.5f, 1.0f, 63.0f});
    check_same(run_graph(g, {sample}), before, 0.0);
}

TEST_CASE("integer weights of float32 layers are decoded") {
    graph_builder b;
    const tensor_id in = b.input({1, 3});
    graph_tensor w;
    w.name = "w";
    w.type = dtype::i8;
    w.shape = {2, 3};
    quantization q;
    q.axis = 0;
    q.scales = {0.5f, 0.25f};
    q.zero_points = {0, 0};
    w.quantization = q;
    w.value = make_constant<std::int8_t>({2, 3}, {1, -2, 3, 4, 5, -128});
    const tensor_id wt = b.g.add_tensor(std::move(w));
    const tensor_id x = b.node("dense", ops::fully_connected{}, {in, wt, b.constant("b", {2})});
    graph g = b.done({x});
    const auto sample = b.random.take(3);
    const auto before = run_graph(g, {sample});
    run_pass(g, passes::decode_weights);
    const graph_tensor& decoded = g.tensor(g.node_at(g.order()[0]).inputs[1]);
    CHECK(decoded.value->values<float>() ==
          std::vector<float>{0.5f, -1.0f, 1.5f, 1.0f, 1.25f, -32.0f});
    check_same(run_graph(g, {sample}), before, 1e-6);
}
