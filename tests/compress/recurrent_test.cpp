// Recurrent layers quantized after training: weights, biases and states by the specification.
#include <kompakt/compress/quantize.hpp>
#include <kompakt/graph/ops/gru.hpp>
#include <kompakt/graph/ops/lstm.hpp>
#include <kompakt/graph/ops/read_variable.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/svdf.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>

#include <compress/models.hpp>

using namespace kompakt;
using kompakt_test::numbers_source;

namespace {

struct recurrent_builder {
    graph g;
    numbers_source random{31};

    tensor_id value(const char* name, shape s) {
        graph_tensor t;
        t.name = name;
        t.type = dtype::f32;
        t.shape = std::move(s);
        return g.add_tensor(std::move(t));
    }
    tensor_id input(shape s) {
        g.inputs = {value("x", std::move(s))};
        return g.inputs[0];
    }
    tensor_id state(const char* name, shape s) {
        const tensor_id t = value(name, std::move(s));
        g.tensor(t).state = state_start();
        return t;
    }
    tensor_id constant(const char* name, shape s, float width) {
        const std::size_t n = *element_count(s);
        return g.add_constant(name, make_constant(std::move(s), random.take(n, width)));
    }
    template <class Op>
    tensor_id add(Op op, std::vector<tensor_id> inputs, const char* name) {
        const tensor_id out = value(name, {});
        g.add_node(name, std::move(op), std::move(inputs), {out});
        return out;
    }
    graph finish(tensor_id out) {
        g.outputs = {out};
        const status s = infer(g);
        REQUIRE_MESSAGE(s.ok(), s.message());
        return g;
    }
};

graph svdf_model() {
    recurrent_builder b;
    ops::svdf op;
    op.rank = 2;
    return b.finish(b.add(op,
                          {b.input({1, 20}), b.constant("feature", {16, 20}, 0.3f),
                           b.constant("time", {16, 6}, 0.5f), b.constant("bias", {8}, 0.2f),
                           b.state("memory", {1, 96})},
                          "y"));
}

std::vector<tensor_id> gated(recurrent_builder& b, std::size_t gates, std::int64_t depth,
                             std::int64_t units) {
    std::vector<tensor_id> in = {b.input({1, 12, depth})};
    for (std::size_t k = 0; k < gates; ++k) in.push_back(b.constant("w", {units, depth}, 0.6f));
    for (std::size_t k = 0; k < gates; ++k) in.push_back(b.constant("r", {units, units}, 0.3f));
    for (std::size_t k = 0; k < gates; ++k) in.push_back(b.constant("b", {units}, 0.2f));
    return in;
}
graph lstm_model() {
    recurrent_builder b;
    auto in = gated(b, 4, 10, 14);
    in.push_back(b.state("h", {1, 14}));
    in.push_back(b.state("c", {1, 14}));
    return b.finish(b.add(ops::lstm{}, in, "y"));
}
graph gru_model(bool after) {
    recurrent_builder b;
    auto in = gated(b, 3, 10, 14);
    for (int k = 0; k < 3; ++k) in.push_back(b.constant("d", {14}, 0.2f));
    in.push_back(b.state("h", {1, 14}));
    ops::gru op;
    op.reset_after = after;
    return b.finish(b.add(op, in, "y"));
}

quantized quantize_model(const graph& g) {
    numbers_source random(5);
    memory_samples samples({random.take(48 * *element_count(g.tensor(g.inputs[0]).shape), 1.5f)});
    auto q = quantize(g, samples, {});
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    return std::move(*q);
}

const graph_tensor& input_of(const graph& g, std::size_t i) {
    return g.tensor(g.node_at(g.order()[0]).inputs[i]);
}
double last_sqnr(const quantized& q) {
    return q.report.layers.back().sqnr;
}

} // namespace

TEST_CASE("svdf is quantized with int16 state and time weights") {
    const quantized q = quantize_model(svdf_model());
    REQUIRE(q.order().size() == 1);
    CHECK(input_of(q, 1).type == dtype::i8);
    CHECK(input_of(q, 2).type == dtype::i16);
    CHECK(input_of(q, 3).type == dtype::i32);
    CHECK(input_of(q, 4).type == dtype::i16);
    CHECK(input_of(q, 4).quantization->zero_point() == 0);
    CHECK(input_of(q, 3).quantization->scale() ==
          input_of(q, 4).quantization->scale() * input_of(q, 2).quantization->scale());
    CHECK(last_sqnr(q) > 30);
    CHECK(q.report.bytes_after < q.report.bytes_before / 2);
}

TEST_CASE("lstm is quantized with an int16 cell of a power of two") {
    const quantized q = quantize_model(lstm_model());
    REQUIRE(q.order().size() == 1);
    for (std::size_t i = 1; i < 9; ++i) CHECK(input_of(q, i).type == dtype::i8);
    for (std::size_t i = 9; i < 13; ++i) {
        CHECK(input_of(q, i).type == dtype::i32);
        CHECK(input_of(q, i).quantization->scale() ==
              input_of(q, 0).quantization->scale() * input_of(q, i - 8).quantization->scale());
    }
    const graph_tensor &h = input_of(q, 13), &c = input_of(q, 14), &y = q.tensor(q.outputs[0]);
    CHECK(h.type == dtype::i8);
    CHECK(*h.quantization == *y.quantization);
    CHECK(h.state->fill == static_cast<std::uint8_t>(y.quantization->zero_point()));
    CHECK(c.type == dtype::i16);
    CHECK(std::log2(c.quantization->scale()) == std::round(std::log2(c.quantization->scale())));
    CHECK(last_sqnr(q) > 25);
}

TEST_CASE("gru is quantized with an int16 state of 2^-15") {
    for (const bool after : {true, false}) {
        const quantized q = quantize_model(gru_model(after));
        REQUIRE(q.order().size() == 1);
        CHECK(input_of(q, 13).type == dtype::i16);
        CHECK(input_of(q, 13).quantization->scale() == 0x1p-15f);
        CHECK(input_of(q, 10).quantization->scale() ==
              0x1p-15f * input_of(q, 4).quantization->scale());
        CHECK(last_sqnr(q) > 25);
    }
}

TEST_CASE("quantized recurrent layers are written and read back") {
    for (const graph& g : {svdf_model(), lstm_model()}) {
        const quantized q = quantize_model(g);
        const auto bytes = write_tflite(q);
        REQUIRE_MESSAGE(bytes.ok(), bytes.error().message());
        const auto back = read_tflite({bytes->data(), bytes->size()});
        REQUIRE_MESSAGE(back.ok(), back.error().message());
        const auto again = write_tflite(*back);
        REQUIRE(again.ok());
        CHECK(*again == *bytes);
    }
}

TEST_CASE("a layer whose state others read stays float32") {
    graph g = lstm_model();
    graph_tensor seen = input_of(g, 14);
    seen.name = "seen";
    seen.state.reset();
    const tensor_id t = g.add_tensor(seen);
    g.add_node("look", ops::read_variable{}, {g.node_at(g.order()[0]).inputs[14]}, {t});
    g.outputs.push_back(t);
    REQUIRE(infer(g).ok());
    const quantized q = quantize_model(g);
    CHECK(input_of(q, 0).type != dtype::none);
    bool said = false;
    for (const layer_report& l : q.report.layers) {
        said = said || l.float_because.find("state that others see") != std::string::npos;
    }
    CHECK(said);
    CHECK(plan(q).ok());
}
