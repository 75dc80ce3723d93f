// Small graphs for tests, with numbers from a generator that is the same everywhere.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <doctest/doctest.h>

namespace kompakt_test {

using namespace kompakt;

class numbers_source {
  public:
    explicit numbers_source(std::uint32_t seed = 1) : state_(seed) {}
    // Even in [-width, width).
    float next(float width = 1.0f) {
        state_ = state_ * 1664525u + 1013904223u;
        return width * (static_cast<float>(state_ >> 8) / 8388608.0f - 1.0f);
    }
    std::vector<float> take(std::size_t n, float width = 1.0f) {
        std::vector<float> out(n);
        for (float& x : out) x = next(width);
        return out;
    }

  private:
    std::uint32_t state_;
};

// Adds layers one after another; every call returns the tensor that it makes.
class graph_builder {
  public:
    graph g;
    numbers_source random;

    tensor_id input(shape s) {
        const tensor_id t = tensor("input" + std::to_string(g.inputs.size()));
        g.tensor(t).type = dtype::f32;
        g.tensor(t).shape = std::move(s);
        g.inputs.push_back(t);
        return t;
    }
    tensor_id tensor(const std::string& name) {
        graph_tensor t;
        t.name = name;
        return g.add_tensor(std::move(t));
    }
    tensor_id constant(const std::string& name, shape s, const std::vector<float>& values) {
        return g.add_constant(name, make_constant(std::move(s), values));
    }
    tensor_id constant(const std::string& name, shape s, float width = 1.0f) {
        const auto n = element_count(s);
        return constant(name, s, random.take(*n, width));
    }
    template <class Op>
    tensor_id node(const std::string& name, Op op, std::vector<tensor_id> in) {
        const tensor_id out = tensor(name);
        g.add_node(name, std::move(op), std::move(in), {out});
        return out;
    }
    // 3x3, padded to the same size.
    tensor_id conv(const std::string& name, tensor_id in, std::int64_t from, std::int64_t to,
                   activation fused = activation::none) {
        ops::conv2d op;
        op.window.pad_top = op.window.pad_bottom = op.window.pad_left = op.window.pad_right = 1;
        op.fused = fused;
        return node(
            name, op,
            {in, constant(name + "/w", {to, 3, 3, from}, 0.5f), constant(name + "/b", {to}, 0.3f)});
    }
    tensor_id dense(const std::string& name, tensor_id in, std::int64_t from, std::int64_t to,
                    activation fused = activation::none) {
        ops::fully_connected op;
        op.fused = fused;
        return node(
            name, op,
            {in, constant(name + "/w", {to, from}, 0.4f), constant(name + "/b", {to}, 0.3f)});
    }
    tensor_id reshape(const std::string& name, tensor_id in, shape to) {
        ops::reshape op;
        op.target = std::move(to);
        return node(name, op, {in});
    }
    tensor_id concat(const std::string& name, std::vector<tensor_id> in, std::int32_t axis) {
        ops::concatenation op;
        op.axis = axis;
        return node(name, op, std::move(in));
    }
    graph done(std::vector<tensor_id> outputs) {
        g.outputs = std::move(outputs);
        const status s = infer(g);
        REQUIRE_MESSAGE(s.ok(), s.message());
        return g;
    }
};

// Outputs of a float32 or int8 graph, dequantized, one after another.
inline std::vector<std::vector<float>> run_graph(const graph& g,
                                                 const std::vector<std::vector<float>>& inputs) {
    plan_options options;
    const auto code = plan(g, options);
    REQUIRE_MESSAGE(code.ok(), code.error().message());
    session s(code->bytes());
    REQUIRE_MESSAGE(s.check().ok(), s.check().message());
    const aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    for (std::size_t i = 0; i < s.inputs(); ++i) {
        const graph_tensor& t = g.tensor(g.inputs[i]);
        if (t.type == dtype::f32) {
            std::memcpy(s.input_bytes(i).data(), inputs[i].data(), s.input_bytes(i).size());
            continue;
        }
        const affine_params p{t.quantization->scale(), t.quantization->zero_point()};
        for (std::size_t k = 0; k < inputs[i].size(); ++k) {
            s.input<std::int8_t>(i)[k] = static_cast<std::int8_t>(
                clamp(round_to_small_int(inputs[i][k] / p.scale) + p.zero_point, -128, 127));
        }
    }
    s.run();
    std::vector<std::vector<float>> outputs;
    for (std::size_t i = 0; i < s.outputs(); ++i) {
        const graph_tensor& t = g.tensor(g.outputs[i]);
        std::vector<float> out;
        if (t.type == dtype::f32) {
            for (float x : s.output<float>(i)) out.push_back(x);
        } else {
            for (std::int8_t q : s.output<std::int8_t>(i)) {
                out.push_back(t.quantization->scale() *
                              static_cast<float>(q - t.quantization->zero_point()));
            }
        }
        outputs.push_back(std::move(out));
    }
    return outputs;
}

} // namespace kompakt_test
