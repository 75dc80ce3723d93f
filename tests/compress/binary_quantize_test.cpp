// Post-training quantization of operators with two inputs, comparisons, choices and reductions.
#include "models.hpp"

#include <kompakt/compress/quantize.hpp>
#include <kompakt/graph/ops/arg_extreme.hpp>
#include <kompakt/graph/ops/comparison.hpp>
#include <kompakt/graph/ops/cumsum.hpp>
#include <kompakt/graph/ops/div.hpp>
#include <kompakt/graph/ops/extreme.hpp>
#include <kompakt/graph/ops/l2_normalization.hpp>
#include <kompakt/graph/ops/prelu.hpp>
#include <kompakt/graph/ops/reduce_extreme.hpp>
#include <kompakt/graph/ops/select.hpp>
#include <kompakt/graph/ops/squared_difference.hpp>
#include <kompakt/graph/ops/sum.hpp>

#include <doctest/doctest.h>

using namespace kompakt;
using namespace kompakt_test;

namespace {

// One operator between two inputs of [1, 3, 8] and its output, quantized. The ratio of signal and
// noise in dB; 1000 where there is no noise. Its operator has to be an integer one.
template <class Op>
double quantized_sqnr(Op op, std::size_t operands, std::vector<float> constant = {}) {
    graph_builder b;
    std::vector<tensor_id> inputs;
    for (std::size_t i = 0; i < operands; ++i) inputs.push_back(b.input({1, 3, 8}));
    if (!constant.empty()) {
        inputs.push_back(b.g.add_constant("constant", make_constant<float>({8}, constant)));
    }
    const tensor_id out = b.tensor("out");
    b.g.add_node("node", std::move(op), inputs, {out});
    b.g.outputs = {out};
    REQUIRE(infer(b.g).ok());
    const graph& g = b.g;

    numbers_source random(3);
    std::vector<std::vector<float>> data;
    for (std::size_t i = 0; i < operands; ++i) data.push_back(random.take(100 * 24));
    memory_samples samples(data);
    const auto q = quantize(g, samples);
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    for (const auto& l : q->report.layers) {
        if (l.op == Op::op_name) CHECK_MESSAGE(l.integer, l.float_because);
    }
    double signal = 0, noise = 0;
    for (std::size_t k = 0; k < 10; ++k) {
        std::vector<std::vector<float>> given;
        for (const std::vector<float>& all : data) {
            given.emplace_back(all.data() + k * 24, all.data() + (k + 1) * 24);
        }
        const auto exact = run_graph(g, given), integer = run_graph(*q, given);
        for (std::size_t i = 0; i < exact[0].size(); ++i) {
            const auto e = static_cast<double>(exact[0][i]), n = static_cast<double>(integer[0][i]);
            signal += e * e;
            noise += (e - n) * (e - n);
        }
    }
    return noise > 0 ? 10 * std::log10(signal / noise) : 1000;
}

} // namespace

TEST_CASE("operators of two inputs and reductions in int8") {
    const std::vector<float> far{1, -2, 0.75f, 1.5f, -1.25f, 3, 2.5f, -0.7f};
    CHECK(quantized_sqnr(ops::div{}, 1, far) > 30);
    CHECK(quantized_sqnr(ops::squared_difference{}, 2) > 30);
    CHECK(quantized_sqnr(ops::maximum{}, 2) > 35);
    CHECK(quantized_sqnr(ops::minimum{}, 2) > 35);
    CHECK(quantized_sqnr(ops::prelu{}, 1, far) > 30);
    CHECK(quantized_sqnr(ops::l2_normalization{}, 1) > 30);
    ops::sum sum;
    sum.axes = {1};
    CHECK(quantized_sqnr(sum, 1) > 30);
    ops::reduce_max most;
    most.axes = {-1};
    CHECK(quantized_sqnr(most, 1) > 35);
    ops::reduce_min least;
    least.axes = {1, 2};
    CHECK(quantized_sqnr(least, 1) > 35);
}

TEST_CASE("conditions and indices stay what they are beside int8") {
    graph_builder b;
    const tensor_id x = b.input({1, 8}), y = b.input({1, 8});
    const tensor_id larger = b.tensor("larger"), chosen = b.tensor("chosen"),
                    index = b.tensor("index");
    b.g.add_node("compare", ops::greater{}, {x, y}, {larger});
    b.g.add_node("choose", ops::select{}, {larger, x, y}, {chosen});
    ops::arg_max arg;
    arg.axis = -1;
    b.g.add_node("arg", arg, {chosen}, {index});
    b.g.outputs = {chosen, index, larger};
    REQUIRE(infer(b.g).ok());
    numbers_source random(5);
    memory_samples samples({random.take(400), random.take(400)});
    const auto q = quantize(b.g, samples);
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    for (const auto& l : q->report.layers)
        CHECK_MESSAGE(l.integer, l.tensor, ": ", l.float_because);
    CHECK(q->tensor(q->outputs[0]).type == dtype::i8);
    CHECK(q->tensor(q->outputs[1]).type == dtype::i32);
    CHECK(q->tensor(q->outputs[2]).type == dtype::boolean);
    CHECK(q->tensor(q->inputs[0]).quantization == q->tensor(q->outputs[0]).quantization);
    CHECK(plan(*q).ok());
}

TEST_CASE("cumsum stays float32: its int8 form is off by the zero point") {
    graph_builder b;
    const tensor_id x = b.input({1, 8}), out = b.tensor("out");
    ops::cumsum cumsum;
    cumsum.axis = 1;
    b.g.add_node("node", cumsum, {x}, {out});
    b.g.outputs = {out};
    REQUIRE(infer(b.g).ok());
    numbers_source random(5);
    memory_samples samples({random.take(400)});
    const auto q = quantize(b.g, samples);
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    CHECK(!q->report.layers.empty());
    for (const auto& l : q->report.layers) {
        if (l.op == "cumsum") CHECK(!l.integer);
    }
}
