// Ids and names outlive every rewriting; symbols become numbers before planning.
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>

using namespace kompakt;

namespace {

tensor_id add(graph& g, const char* name) {
    graph_tensor t;
    t.name = name;
    return g.add_tensor(std::move(t));
}

// Convolution, batch norm, relu, a reshape that does nothing, and a relu that nobody reads.
graph image_network() {
    graph g;
    const tensor_id x = add(g, "x");
    g.tensor(x).type = dtype::f32;
    g.tensor(x).shape = {dim::named("batch"), 2, 2, 1};
    g.inputs = {x};
    const tensor_id w = g.add_constant("w", make_constant<float>({2, 1, 1, 1}, {2, -1}));
    const auto c = [&](const char* name, std::vector<float> v) {
        return g.add_constant(name, make_constant<float>({2}, v));
    };
    const tensor_id gamma = c("gamma", {1, 2}), beta = c("beta", {0.5f, 0});
    const tensor_id mean = c("mean", {0, 1}), variance = c("variance", {1, 1});
    const tensor_id conv = add(g, "conv"), norm = add(g, "norm"), relu = add(g, "relu"),
                    same = add(g, "same"), dead = add(g, "dead"), out = add(g, "out");
    g.add_node("n_conv", ops::conv2d(), {x, w}, {conv});
    g.add_node("n_norm", ops::batch_norm(), {conv, gamma, beta, mean, variance}, {norm});
    g.add_node("n_relu", ops::relu(), {norm}, {relu});
    ops::reshape identity;
    identity.target = {dim::named("batch"), 2, 2, 2};
    g.add_node("n_same", identity, {relu}, {same});
    g.add_node("n_dead", ops::relu(), {relu}, {dead});
    g.add_node("n_out", ops::softmax(), {same}, {out});
    g.outputs = {out};
    REQUIRE(infer(g).ok());
    return g;
}

} // namespace

TEST_CASE("contract: ids and names stay over passes") {
    graph g = image_network();
    std::vector<std::string> tensors, nodes;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) tensors.push_back(g.tensor(t).name);
    for (node_id n = 0; n < g.node_count(); ++n) nodes.push_back(g.node_at(n).name);
    const std::vector<tensor_id> inputs = g.inputs, outputs = g.outputs;
    const graph before = g;

    REQUIRE(prepare_for_quantization(g).ok());
    CHECK(g.inputs == inputs);
    CHECK(g.outputs == outputs);
    REQUIRE(g.tensor_count() >= tensors.size()); // new ones come at the end
    REQUIRE(g.node_count() >= nodes.size());
    // A tensor or node is what it was, or a hole.
    for (tensor_id t = 0; t < tensors.size(); ++t) {
        CHECK((g.tensor(t).name == tensors[t] || g.tensor(t).name.empty()));
    }
    for (node_id n = 0; n < nodes.size(); ++n) {
        CHECK((g.node_at(n).name == nodes[n] || g.node_at(n).op == nullptr));
    }
    CHECK(g.order().size() == 2); // convolution and softmax
    CHECK(g.node_at(0).name == "n_conv");
    CHECK(g.tensor(g.node_at(0).outputs[0]).name == "relu");
    CHECK(g.tensor(outputs[0]).name == "out");
    // The copy that was not rewritten shares nothing with it.
    CHECK(before.order().size() == 6);
    CHECK(before.node_at(1).op != nullptr);
    CHECK(before.tensor(1).value->values<float>() == std::vector<float>{2, -1});

    // The executable still knows the ids and the names.
    const auto p = plan(g);
    REQUIRE(p.ok());
    session s(p->bytes());
    CHECK(s.code().notes[s.input_tensor(0)].source == inputs[0]);
    CHECK(s.code().notes[s.output_tensor(0)].source == outputs[0]);
    CHECK(std::string(s.code().name_of_tensor(s.output_tensor(0))) == "out");
}

TEST_CASE("contract: ids stay over quantization") {
    const graph g = image_network();
    memory_samples samples({std::vector<float>{1, -1, 0.5f, 0.25f}});
    const auto q = quantize(g, samples, {});
    REQUIRE(q.ok());
    CHECK(q->inputs == g.inputs);
    CHECK(q->outputs == g.outputs);
    CHECK(q->tensor(g.inputs[0]).name == "x");
    CHECK(q->tensor(g.inputs[0]).type == dtype::i8);
    CHECK(q->tensor(g.inputs[0]).shape[0].symbol() == "batch");
    CHECK(q->tensor(g.outputs[0]).name == "out");
}

TEST_CASE("contract: a symbol is bound before planning, everywhere at once") {
    const graph g = image_network();
    for (const std::int64_t batch : {1, 3}) {
        const auto b = kompakt::bind(g, {{"batch", batch}, {"not_there", 7}});
        REQUIRE(b.ok());
        for (node_id n : b->order()) {
            CHECK(b->tensor(b->node_at(n).outputs[0]).shape == shape{batch, 2, 2, 2});
        }
        const auto p = plan(*b);
        REQUIRE(p.ok());
        session s(p->bytes());
        CHECK(s.record(s.input_tensor(0)).bytes == 16 * static_cast<std::uint32_t>(batch));
    }
    CHECK(g.tensor(g.outputs[0]).shape[0] == dim::named("batch")); // the original is as it was

    // "batch" is one where nothing else is said; any other symbol must be bound.
    CHECK(plan(g).ok());
    plan_options two;
    two.dimensions = {{"batch", 2}};
    const auto p = plan(g, two);
    REQUIRE(p.ok());
    CHECK(session(p->bytes()).record(0).bytes == 32);
    plan_options nothing;
    nothing.dimensions = {};
    const auto refused = plan(g, nothing);
    REQUIRE(!refused.ok());
    CHECK(std::string(refused.error().message()).find("batch") != std::string::npos);
    const auto huge = kompakt::bind(g, {{"batch", std::int64_t{1} << 30}});
    REQUIRE(!huge.ok());
    CHECK(std::string(huge.error().message()).find("input x: ") == 0);
    for (const std::int64_t wrong : {0, -1}) {
        const auto b = kompakt::bind(g, {{"batch", wrong}});
        REQUIRE(!b.ok());
        CHECK(std::string(b.error().message()).find("batch") != std::string::npos);
    }
}
