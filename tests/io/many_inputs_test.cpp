// Joins and sums of more inputs than one call has operands, through a TensorFlow Lite file.
#include <kompakt/graph/ops/add_n.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/pack.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using kompakt::dtype;

namespace {

// One input after the other, as bytes 0, 1, 2, ...; int8 of one scale.
template <class Op>
std::string many(std::size_t inputs, dtype t, Op op, std::vector<std::byte>& out) {
    kompakt::graph g;
    std::vector<kompakt::tensor_id> in;
    for (std::size_t i = 0; i <= inputs; ++i) {
        kompakt::graph_tensor x;
        x.name = i < inputs ? "x" + std::to_string(i) : "y";
        x.type = t;
        x.shape = {kompakt::dim(1), kompakt::dim(2)};
        if (t == dtype::i8) x.quantization = kompakt::quantization::per_tensor_affine(0.5f, 0);
        in.push_back(g.add_tensor(std::move(x)));
    }
    const kompakt::tensor_id y = in.back();
    in.pop_back();
    g.inputs = in;
    g.outputs = {y};
    g.add_node("many", std::move(op), std::move(in), {y});
    kompakt::status s = kompakt::infer(g);
    if (!s.ok()) return std::string(s.message());
    const auto bytes = kompakt::write_tflite(g);
    if (!bytes.ok()) return std::string(bytes.error().message());
    const auto back = kompakt::read_tflite({bytes->data(), bytes->size()});
    if (!back.ok()) return std::string(back.error().message());
    const auto p = kompakt::plan(*back);
    if (!p.ok()) return std::string(p.error().message());
    kompakt::session run(p->bytes());
    REQUIRE(run.check().ok());
    kompakt::aligned_buffer arena(run.arena_bytes());
    REQUIRE(run.bind({arena.data(), arena.size()}).ok());
    for (std::size_t i = 0; i < inputs; ++i) {
        if (t == dtype::i8) {
            for (std::size_t k = 0; k < 2; ++k) {
                run.template input<std::int8_t>(i)[k] = static_cast<std::int8_t>(2 * i + k);
            }
        } else {
            for (std::size_t k = 0; k < 2; ++k) {
                run.template input<float>(i)[k] = static_cast<float>(2 * i + k);
            }
        }
    }
    run.run();
    const auto b = run.output_bytes(0);
    out.assign(b.begin(), b.end());
    return {};
}

} // namespace

TEST_CASE("tflite: more inputs than a call has operands") {
    std::vector<std::byte> out;
    kompakt::ops::concatenation along;
    along.axis = 1;
    for (const std::size_t n : {63, 64, 127, 300}) {
        CAPTURE(n);
        REQUIRE(many(n, dtype::i8, along, out) == "");
        REQUIRE(out.size() == 2 * n);
        bool right = true;
        for (std::size_t i = 0; i < out.size(); ++i) right = right && out[i] == std::byte(i & 255);
        CHECK(right);
        kompakt::ops::pack stacked;
        REQUIRE(many(n, dtype::i8, stacked, out) == "");
        REQUIRE(out.size() == 2 * n);
        for (std::size_t i = 0; i < out.size(); ++i) right = right && out[i] == std::byte(i & 255);
        CHECK(right);
        REQUIRE(many(n, dtype::f32, kompakt::ops::add_n(), out) == "");
        float sum = 0;
        std::memcpy(&sum, out.data(), 4);
        CHECK(sum == static_cast<float>(n * (n - 1)));
    }
    // The sums of int8 are of all inputs at once.
    CHECK(many(63, dtype::i8, kompakt::ops::add_n(), out) == "");
    const std::string text = many(64, dtype::i8, kompakt::ops::add_n(), out);
    CAPTURE(text);
    CHECK(text.find("64 int8 inputs, needed at most 63") != std::string::npos);
    const std::string far = many(3970, dtype::f32, along, out);
    CAPTURE(far);
    CHECK(far.find("has 3970 inputs and 1 outputs, needed 1 to 3969 and 1") != std::string::npos);
}
