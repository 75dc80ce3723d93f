// Elementwise and data movement operators: shapes with symbols, and everything that they refuse,
// with the reason.
#include "one_node.hpp"

#include <kompakt/graph/ops/abs.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/cast.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/dequantize.hpp>
#include <kompakt/graph/ops/elu.hpp>
#include <kompakt/graph/ops/exp.hpp>
#include <kompakt/graph/ops/gelu.hpp>
#include <kompakt/graph/ops/hard_swish.hpp>
#include <kompakt/graph/ops/leaky_relu.hpp>
#include <kompakt/graph/ops/log_softmax.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/neg.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/rsqrt.hpp>
#include <kompakt/graph/ops/sin.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/sqrt.hpp>
#include <kompakt/graph/ops/square.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/graph/ops/tanh.hpp>
#include <kompakt/graph/ops/transpose.hpp>

#include <doctest/doctest.h>

using namespace kompakt_test;

namespace {

const dim batch = dim::named("batch"), other = dim::named("other");

shape f32_broadcast(const shape& a, const shape& b) {
    const one_node x(ops::add{}, {{dtype::f32, a}, {dtype::f32, b}});
    CHECK(x.inferred.ok());
    return x.g.tensor(x.g.outputs[0]).shape;
}

} // namespace

TEST_CASE("broadcast of symbols") {
    CHECK(f32_broadcast({batch, 3}, {batch, 3}) == shape{batch, 3});
    CHECK(f32_broadcast({batch, 3}, {3}) == shape{batch, 3});
    CHECK(f32_broadcast({1, 3}, {batch, 1}) == shape{batch, 3});
    CHECK(f32_broadcast({batch, 3}, {5, 3}) == shape{5, 3});
    CHECK(f32_broadcast({}, {}) == shape{});
    const one_node two(ops::mul{}, {{dtype::f32, {batch}}, {dtype::f32, {other}}});
    CHECK(has(two.out(), "bind batch and other first"));
    const one_node bad(ops::sub{}, {{dtype::f32, {2, 3}}, {dtype::f32, {2}}});
    CHECK(has(bad.out(), "do not broadcast"));
    const one_node types(ops::add{}, {{dtype::f32, {2}}, {dtype::i32, {2}}});
    CHECK(has(types.out(), "needed one type"));
    const shape deep(7, dim(2));
    CHECK(has(one_node(ops::add{}, {{dtype::f32, deep}, {dtype::f32, deep}}).out(), "rank 7"));
}

TEST_CASE("elementwise operators refuse by reason") {
    const auto q = affine(0.1f, 0);
    const auto add_refusal = [](operand a, operand b, std::optional<quantization> out) {
        return one_node(ops::add{}, {std::move(a), std::move(b)}, std::move(out)).refusal();
    };
    CHECK(add_refusal({dtype::i8, {2}, q}, {dtype::i8, {2}, q}, q) == "");
    CHECK(has(add_refusal({dtype::i8, {2}}, {dtype::i8, {2}, q}, q), "no scale"));
    CHECK(has(add_refusal({dtype::i8, {2}, q}, {dtype::i8, {2}, q}, {}), "output int8: no scale"));
    CHECK(has(add_refusal({dtype::u8, {2}, q}, {dtype::u8, {2}, q}, q), "uint8"));
    CHECK(has(add_refusal({dtype::i16, {2}, affine(0.1f, 3)}, {dtype::i16, {2}, q}, q),
              "zero point 3, needed 0"));
    CHECK(has(add_refusal({dtype::i32, {2}, q}, {dtype::i32, {2}}, {}), "int32 with a scale"));
    CHECK(has(add_refusal({dtype::i8, {2}, q}, {dtype::i8, {2}, q}, affine(1e-8f, 0)),
              "output scale"));
    quantization channels = *q;
    channels.axis = 0;
    channels.scales = {0.1f, 0.2f};
    channels.zero_points = {0, 0};
    CHECK(has(add_refusal({dtype::i8, {2}, channels}, {dtype::i8, {2}, q}, q), "per-channel"));

    const auto unit = affine(1.0f / 256, -128);
    ops::softmax softmax;
    const auto softmax_refusal = [&](operand in, std::optional<quantization> out) {
        return one_node(softmax, {std::move(in)}, std::move(out)).refusal();
    };
    CHECK(softmax_refusal({dtype::i8, {2}, q}, unit) == "");
    CHECK(has(softmax_refusal({dtype::i8, {2}, q}, q), "needed scale 1/256"));
    CHECK(has(softmax_refusal({dtype::f32, {}}, {}), "scalar"));
    CHECK(has(softmax_refusal({dtype::i8, {2}, affine(1e-9f, 0)}, unit), "needed above 2^-26"));
    softmax.beta = -1.0f;
    CHECK(has(softmax_refusal({dtype::f32, {2}}, {}), "beta"));
    softmax.beta = std::numeric_limits<float>::infinity();
    CHECK(has(softmax_refusal({dtype::f32, {2}}, {}), "beta"));

    const auto logistic_refusal = [&](operand in, std::optional<quantization> out) {
        return one_node(ops::logistic{}, {std::move(in)}, std::move(out)).refusal();
    };
    CHECK(logistic_refusal({dtype::i8, {2}, q}, unit) == "");
    CHECK(has(logistic_refusal({dtype::i8, {2}, q}, affine(1.0f / 256, 0)), "zero point -128"));
    CHECK(has(logistic_refusal({dtype::i8, {2}, affine(1e-10f, 0)}, unit), "needed at least 2^-28"));

    ops::relu relu;
    relu.kind = static_cast<ops::relu_kind>(9);
    CHECK(has(one_node(relu, {{dtype::f32, {2}}}).refusal(), "unknown kind 9"));

    CHECK(one_node(ops::quantize{}, {{dtype::f32, {2}}}, q).refusal() == "");
    CHECK(has(one_node(ops::quantize{}, {{dtype::f32, {2}}}).refusal(), "no scale"));
    CHECK(has(one_node(ops::quantize{}, {{dtype::i64, {2}, q}}, q).refusal(), "from int64"));
    CHECK(has(one_node(ops::dequantize{}, {{dtype::i32, {2}, q}}).refusal(), "from int32"));
}

TEST_CASE("functions of one element refuse by reason") {
    const auto q = affine(0.1f, 0), unit = affine(1.0f / 256, -128), fine = affine(1e-10f, 0);
    const auto refusal = [](auto op, dtype type, std::optional<quantization> in,
                            std::optional<quantization> out) {
        return one_node(op, {{type, {2, 3}, std::move(in)}}, std::move(out)).refusal();
    };
    // What TensorFlow Lite Micro has for float32 only.
    CHECK(has(refusal(ops::neg{}, dtype::i8, q, q), "int8, needed float32"));
    CHECK(has(refusal(ops::sqrt{}, dtype::i16, q, q), "int16, needed float32"));
    CHECK(has(refusal(ops::square{}, dtype::i32, {}, {}), "int32, needed float32"));
    CHECK(has(refusal(ops::sin{}, dtype::f16, {}, {}), "float16, needed float32"));
    // Types and scales.
    CHECK(has(refusal(ops::abs{}, dtype::i8, {}, {}), "no scale"));
    CHECK(has(refusal(ops::abs{}, dtype::i16, q, {}), "no scale"));
    CHECK(has(refusal(ops::abs{}, dtype::i32, {}, {}), "int32, needed int8"));
    CHECK(has(refusal(ops::abs{}, dtype::i16, affine(0.1f, 3), q), "zero point 3"));
    CHECK(has(refusal(ops::rsqrt{}, dtype::i16, {}, {}), "no scale"));
    CHECK(has(refusal(ops::rsqrt{}, dtype::i8, affine(1e10f, 0), affine(1e10f, 0)), "output is 0"));
    CHECK(has(refusal(ops::exp{}, dtype::i16, q, q), "int16, needed int8"));
    CHECK(has(refusal(ops::elu{}, dtype::i16, q, q), "int16, needed int8"));
    CHECK(has(refusal(ops::gelu{}, dtype::u8, q, q), "uint8, needed int8"));
    CHECK(has(refusal(ops::hard_swish{}, dtype::i8, affine(1.0f, 0), affine(0.001f, 0)),
              "128 times"));
    CHECK(has(refusal(ops::tanh{}, dtype::i8, q, q), "needed scale 1/128"));
    CHECK(has(refusal(ops::tanh{}, dtype::i8, fine, affine(1.0f / 128, 0)), "needed at least 2^-28"));
    CHECK(has(refusal(ops::tanh{}, dtype::i16, q, q), "1/32768"));
    CHECK(has(refusal(ops::tanh{}, dtype::i16, affine(3.0f, 0), affine(1.0f / 32768, 0)), "8/3"));
    CHECK(has(refusal(ops::logistic{}, dtype::i16, q, unit), "zero point -128"));
    ops::leaky_relu leaky;
    leaky.alpha = std::numeric_limits<float>::quiet_NaN();
    CHECK(has(refusal(leaky, dtype::f32, {}, {}), "alpha"));
    CHECK(has(refusal(ops::leaky_relu{}, dtype::u8, q, q), "uint8, needed int8"));
    CHECK(has(refusal(ops::log_softmax{}, dtype::i8, q, unit), "needed scale 1/16"));
    CHECK(has(refusal(ops::log_softmax{}, dtype::i8, fine, affine(1.0f / 16, 127)), "needed above 2^-26"));
    CHECK(has(refusal(ops::log_softmax{}, dtype::i16, q, q), "int16, needed int8"));
    CHECK(has(one_node(ops::log_softmax{}, {{dtype::f32, {}}}).refusal(), "scalar"));
    CHECK(has(refusal(ops::softmax{}, dtype::i16, q, q), "1/32768"));
    ops::relu relu;
    CHECK(has(refusal(relu, dtype::i16, affine(0.1f, 1), q), "zero point 1"));
    CHECK(has(refusal(relu, dtype::u8, q, q), "uint8, needed int8"));
    // RELU6 never looks at the output's quantization.
    relu.kind = ops::relu_kind::relu6;
    CHECK(refusal(relu, dtype::i16, affine(0.1f, 1), {}) == "");
    ops::cast cast;
    cast.to = dtype::f16;
    CHECK(has(refusal(cast, dtype::f32, {}, {}), "from float32 to float16"));
    cast.to = dtype::none;
    CHECK(has(refusal(cast, dtype::f32, {}, {}), "to type 0"));
    cast.to = dtype::i8;
    CHECK(has(refusal(cast, dtype::f64, {}, {}), "from float64"));
}

TEST_CASE("reshape: open dimensions and symbols") {
    const auto reshaped = [](const shape& in, const shape& target) {
        ops::reshape r;
        r.target = target;
        return one_node(r, {{dtype::f32, in}}).out();
    };
    CHECK(reshaped({2, 3, 4}, {6, -1}) == "[6, 4]");
    CHECK(reshaped({2, 3, 4}, {24}) == "[24]");
    CHECK(reshaped({1}, {}) == "[]");
    CHECK(reshaped({batch, 3, 4}, {-1, 12}) == "[batch, 12]");
    CHECK(reshaped({batch, 3, 4}, {batch, 12}) == "[batch, 12]");
    CHECK(reshaped({batch, 3, 4}, {batch, -1}) == "[batch, 12]");
    CHECK(reshaped({5, 3, 4}, {batch, 12}) == "[5, 12]");
    CHECK(has(reshaped({batch, 3, 4}, {1, 12}), "bind it first"));
    CHECK(has(reshaped({batch, 3, 4}, {-1, 6}), "bind it first"));
    CHECK(has(reshaped({2, 3}, {-1, -1}), "more than one open"));
    CHECK(has(reshaped({2, 3}, {-1, 4}), "not the same number"));
    CHECK(has(reshaped({2, 3}, {7}), "not the same number"));
    CHECK(has(reshaped({2, 3}, {0, 6}), "-1, or 1 or more"));
    CHECK(has(reshaped({2, 3}, {-2, 6}), "-1, or 1 or more"));
}

TEST_CASE("pad, transpose and concatenation: symbols and refusals") {
    const auto padded = [](const shape& in, std::vector<std::int32_t> before,
                           std::vector<std::int32_t> after, dtype type = dtype::f32,
                           float value = 0.0f) {
        ops::pad p;
        p.before = std::move(before), p.after = std::move(after), p.value = value;
        const one_node x(p, {{type, in}});
        return x.refusal() == "" || !is_known(x.g.tensor(x.g.outputs[0]).shape) ? x.out()
                                                                                : x.refusal();
    };
    CHECK(padded({batch, 3}, {0, 1}, {0, 2}) == "[batch, 6]");
    CHECK(has(padded({batch, 3}, {1, 1}, {0, 2}), "bind it first"));
    CHECK(has(padded({2, 3}, {-1, 1}, {0, 2}), "needed 0 or more"));
    CHECK(has(padded({2, 3}, {1}, {1}), "pads for"));
    CHECK(has(padded({2}, {1}, {1}, dtype::i32, 0.5f), "value is not an int32"));
    CHECK(has(padded({2}, {1}, {1}, dtype::i16, 40000.0f), "value is not an int16"));
    CHECK(padded({2}, {1}, {1}, dtype::i64, -5.0f) == "[4]");
    CHECK(has(padded({2}, {1}, {1}, dtype::f16, 1.0f), "needed 0"));

    const auto transposed = [](const shape& in, std::vector<std::int32_t> perm) {
        ops::transpose t;
        t.perm = std::move(perm);
        return one_node(t, {{dtype::f32, in}}).out();
    };
    CHECK(transposed({batch, 3, 4}, {2, 0, 1}) == "[4, batch, 3]");
    CHECK(has(transposed({2, 3}, {0, 0}), "twice"));
    CHECK(has(transposed({2, 3}, {0, 2}), "does not exist"));
    CHECK(has(transposed({2, 3}, {0}), "1 axes"));

    const auto joined = [](const std::vector<operand>& in, std::int32_t axis) {
        ops::concatenation c;
        c.axis = axis;
        return one_node(c, in).out();
    };
    CHECK(joined({{dtype::f32, {batch, 3}}, {dtype::f32, {batch, 4}}}, -1) == "[batch, 7]");
    CHECK(has(joined({{dtype::f32, {batch, 3}}, {dtype::f32, {batch, 3}}}, 0), "bind it first"));
    CHECK(has(joined({{dtype::f32, {2, 3}}, {dtype::f32, {3, 3}}}, 1), "along axis 1"));
    CHECK(has(joined({{dtype::f32, {2, 3}}, {dtype::f32, {2}}}, 0), "beside"));
    CHECK(has(joined({{dtype::f32, {2}}, {dtype::i8, {2}}}, 0), "needed one type"));
    CHECK(has(joined({{dtype::f32, {2}}}, 1), "axis 1"));
    CHECK(has(joined({{dtype::f32, {2}}}, -2), "axis -2"));
    ops::concatenation fused;
    fused.fused = activation::relu;
    CHECK(has(one_node(fused, {{dtype::i16, {2}}}).refusal(), "activation relu on int16"));
}

TEST_CASE("batch_norm refuses int8, missing statistics and parameters that are not constant") {
    const std::vector<operand> all(5, operand{dtype::f32, {3}});
    CHECK(has(one_node(ops::batch_norm{}, all).refusal(), "input 1 is not a float32 constant"));
    CHECK(has(one_node(ops::batch_norm{}, {all[0]}).refusal(), "mean or variance is missing"));
    std::vector<operand> wrong = all;
    wrong[3].dims = {4};
    CHECK(has(one_node(ops::batch_norm{}, wrong).refusal(), "input 3"));
    wrong = all;
    wrong[0].type = dtype::i8;
    CHECK(has(one_node(ops::batch_norm{}, wrong).refusal(), "fold it before quantizing"));
    const ops::batch_norm op;
    CHECK(std::fabs(op.line_of(2.0, 1.0, 3.0, 4.0 - 1e-3).offset + 2.0) < 1e-6);
}

TEST_CASE("kernel checks refuse parameters that lowering never writes") {
    const auto q = affine(0.1f, 0), unit = affine(1.0f / 256, -128);
    const auto minus = [](int n) { return static_cast<std::uint32_t>(-n); };
    const one_node add(ops::add{}, {{dtype::i8, {2, 3}, q}, {dtype::i8, {3}, q}}, q);
    CHECK(verdict(add, {}) == "");
    CHECK(has(verdict(add, {{0, 128}}), "zero point 128"));
    CHECK(has(verdict(add, {{2, minus(1)}}), "multiplier -1"));
    CHECK(has(verdict(add, {{3, 1}}), "multiplier of one or more"));
    CHECK(has(verdict(add, {{7, minus(32)}}), "shift -32"));
    CHECK(has(verdict(add, {{9, 5}, {10, 4}}), "clamp"));
    const one_node softmax(ops::softmax{}, {{dtype::i8, {2, 3}, q}}, unit);
    CHECK(verdict(softmax, {}) == "");
    CHECK(has(verdict(softmax, {{1, minus(1)}}), "shift -1, needed at least 0"));
    CHECK(has(verdict(softmax, {{2, 1}}), "diff_min 1"));
    CHECK(has(verdict(softmax, {{2, minus(0x7fffffff)}}), "does not fit"));
    const one_node logistic(ops::logistic{}, {{dtype::i16, {2, 3}, q}}, affine(1.0f / 32768, 0));
    CHECK(verdict(logistic, {}) == "");
    CHECK(has(verdict(logistic, {{0, 0x8000}}), "factor 32768"));
    CHECK(has(verdict(logistic, {{0, minus(1)}}), "factor -1"));
    CHECK(has(verdict(logistic, {{1, 32}}), "shift 32"));
    ops::relu shrink;
    const one_node relu(shrink, {{dtype::i16, {2, 3}, q}}, q);
    CHECK(verdict(relu, {}) == "");
    CHECK(has(verdict(relu, {{2, 31}}), "shift 31"));
    CHECK(has(verdict(relu, {{4, 7}, {5, 6}}), "clamp"));
    CHECK(has(verdict(relu, {{3, 40000}}), "zero point 40000"));
    const one_node leaky(ops::leaky_relu{}, {{dtype::i16, {2, 3}, q}}, q);
    CHECK(has(verdict(leaky, {{4, minus(1)}}), "multiplier -1"));
    const one_node logs(ops::log_softmax{}, {{dtype::i8, {2, 3}, q}}, affine(1.0f / 16, 127));
    CHECK(verdict(logs, {}) == "");
    CHECK(has(verdict(logs, {{2, minus(0x7fffffff)}}), "does not fit"));
    CHECK(has(verdict(logs, {{4, 99}}), "shift 99"));
    const one_node clamp(ops::relu{}, {{dtype::f32, {2}}});
    CHECK(has(verdict(clamp, {{0, 0x7fc00000}}), "minimum"));
    const one_node quantize(ops::quantize{}, {{dtype::f32, {2}}}, q);
    CHECK(has(verdict(quantize, {{0, 0}}), "scale"));
    CHECK(has(verdict(quantize, {{0, 0x7f800000}}), "scale"));
    CHECK(has(verdict(quantize, {{1, 1000}}), "zero point"));
    ops::pad pads;
    pads.before = {1, 2}, pads.after = {0, 1};
    const one_node pad(pads, {{dtype::f32, {2, 3}}});
    CHECK(verdict(pad, {}) == "");
    CHECK(has(verdict(pad, {{5, minus(1)}}), "pads -1"));
    CHECK(has(verdict(pad, {{5, 0x7fffffff}}), "needed 0 or more"));
    CHECK(has(verdict(pad, {{0, 1}}), "needed 0 or more"));
    ops::concatenation join;
    const one_node concatenation(join, {{dtype::f32, {2, 3}}, {dtype::f32, {4, 3}}});
    CHECK(has(verdict(concatenation, {{0, 2}}), "axis 2"));
    CHECK(has(verdict(concatenation, {{0, minus(1)}}), "axis -1"));
    CHECK(has(verdict(concatenation, {{0, 1}}), "dimension 0"));
}
