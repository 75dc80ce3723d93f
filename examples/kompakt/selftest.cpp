// kompakt selftest: the kernels of every port against the portable ones, on small built-in graphs.
#include "model.hpp"

#include <kompakt/core/random.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/dequantize.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/graph/ops/transpose.hpp>

#include <cstring>
#include <functional>

namespace tool {

using namespace kompakt;

namespace {

// Builds graphs of one operator on random weights, in float32 or int8.
class builder {
  public:
    explicit builder(dtype type) : type_(type) {}

    bool int8() const { return type_ == dtype::i8; }
    tensor_id input(kompakt::shape s, float scale = 0.05f, std::int32_t zero = 3) {
        const tensor_id t = value("input", std::move(s), scale, zero);
        g.inputs.push_back(t);
        return t;
    }
    // Weights, one scale for each slice along `axis`.
    tensor_id weights(kompakt::shape s, int axis) {
        const std::size_t n = *element_count(s);
        if (!int8()) return g.add_constant("weights", make_constant(std::move(s), floats(n)));
        std::vector<std::int8_t> v(n);
        for (std::size_t i = 0; i < n; ++i) {
            v[i] = static_cast<std::int8_t>(static_cast<int>(random_.bits(step_, i) % 255) - 127);
        }
        ++step_;
        const auto channels = static_cast<std::size_t>(s[static_cast<std::size_t>(axis)].value());
        const tensor_id t = g.add_constant("weights", make_constant(std::move(s), v));
        quantization q;
        q.axis = axis;
        for (std::size_t c = 0; c < channels; ++c) {
            q.scales.push_back(0.004f + 0.0005f * static_cast<float>(c % 7));
            q.zero_points.push_back(0);
        }
        g.tensor(t).quantization = q;
        return t;
    }
    tensor_id bias(std::int64_t n) {
        const auto size = static_cast<std::size_t>(n);
        if (!int8()) return g.add_constant("bias", make_constant({n}, floats(size)));
        std::vector<std::int32_t> v(size);
        for (std::size_t i = 0; i < size; ++i) {
            v[i] = static_cast<std::int32_t>(random_.bits(step_, i) % 2001) - 1000;
        }
        ++step_;
        return g.add_constant("bias", make_constant({n}, v));
    }
    template <class Op>
    void finish(Op op, std::vector<tensor_id> in, float scale = 0.1f, std::int32_t zero = -5,
                std::optional<dtype> out_type = {}) {
        const tensor_id out = value("output", {}, scale, zero, out_type);
        g.add_node("node", std::move(op), std::move(in), {out});
        g.outputs.push_back(out);
    }

    graph g;

  private:
    tensor_id value(const char* name, kompakt::shape s, float scale, std::int32_t zero,
                    std::optional<dtype> type = {}) {
        graph_tensor t;
        t.name = name;
        t.type = type.value_or(type_);
        t.shape = std::move(s);
        if (t.type == dtype::i8) t.quantization = quantization::per_tensor_affine(scale, zero);
        return g.add_tensor(std::move(t));
    }
    std::vector<float> floats(std::size_t n) {
        std::vector<float> v(n);
        for (std::size_t i = 0; i < n; ++i) {
            v[i] = static_cast<float>(random_.bits(step_, i) >> 8) / 8388608.0f - 1;
        }
        ++step_;
        return v;
    }

    dtype type_;
    philox random_{7, 0};
    std::uint64_t step_ = 0;
};

struct test_case {
    std::string name;
    std::function<void(builder&)> build;
};

// Shapes that fit vectors, that leave a rest, and that are smaller than one.
std::vector<test_case> cases() {
    std::vector<test_case> all;
    const auto conv = [&](const char* name, std::int64_t h, std::int64_t c, std::int64_t k,
                          std::int64_t o, std::int32_t stride) {
        all.push_back({name, [=](builder& b) {
                           ops::conv2d op;
                           op.window.stride_h = op.window.stride_w = stride;
                           op.window.pad_same(h, h + 1, k, k);
                           op.fused = activation::relu;
                           const tensor_id x = b.input({1, h, h + 1, c});
                           b.finish(op, {x, b.weights({o, k, k, c}, 0), b.bias(o)});
                       }});
    };
    conv("conv 3x3, 3 to 16", 9, 3, 3, 16, 1);
    conv("conv 3x3, 16 to 33", 7, 16, 3, 33, 2);
    conv("conv 1x1, 64 to 64", 6, 64, 1, 64, 1);
    conv("conv 1x1, 5 to 7", 5, 5, 1, 7, 1);
    const auto depthwise = [&](const char* name, std::int64_t c, std::int64_t m,
                               std::int32_t stride) {
        all.push_back({name, [=](builder& b) {
                           ops::depthwise_conv2d op;
                           op.window.stride_h = op.window.stride_w = stride;
                           op.window.pad_same(8, 9, 3, 3);
                           const tensor_id x = b.input({1, 8, 9, c});
                           b.finish(op, {x, b.weights({1, 3, 3, c * m}, 3), b.bias(c * m)});
                       }});
    };
    depthwise("depthwise 3x3, 64", 64, 1, 1);
    depthwise("depthwise 3x3, 19", 19, 1, 2);
    depthwise("depthwise 3x3, 1 to 8", 1, 8, 1);
    const auto dense = [&](const char* name, std::int64_t k, std::int64_t o) {
        all.push_back({name, [=](builder& b) {
                           const tensor_id x = b.input({1, k});
                           b.finish(ops::fully_connected{}, {x, b.weights({o, k}, 0), b.bias(o)});
                       }});
    };
    dense("fully connected, 640 to 128", 640, 128);
    dense("fully connected, 33 to 10", 33, 10);
    const auto binary = [&](const char* name, auto op, kompakt::shape second) {
        all.push_back({name, [=](builder& b) {
                           const tensor_id x = b.input({1, 5, 7, 13});
                           const tensor_id y = b.input(second, 0.03f, -9);
                           b.finish(op, {x, y});
                       }});
    };
    binary("add", ops::add{}, {1, 5, 7, 13});
    binary("add, broadcast", ops::add{}, {13});
    binary("mul", ops::mul{}, {1, 5, 7, 13});
    binary("sub", ops::sub{}, {1, 5, 7, 13});
    const auto pool = [&](const char* name, auto op) {
        op.kernel_h = op.kernel_w = 3;
        op.window.stride_h = op.window.stride_w = 2;
        op.window.pad_same(9, 9, 3, 3);
        all.push_back({name, [=](builder& b) {
                           b.finish(op, {b.input({1, 9, 9, 21})}, 0.05f, 3);
                       }});
    };
    pool("average pool 3x3", ops::average_pool2d{});
    pool("max pool 3x3", ops::max_pool2d{});
    all.push_back({"mean", [](builder& b) {
                       ops::mean op;
                       op.axes = {1, 2};
                       b.finish(op, {b.input({1, 6, 5, 20})});
                   }});
    const auto unary = [&](const char* name, auto op, float scale, std::int32_t zero) {
        all.push_back({name, [=](builder& b) { b.finish(op, {b.input({3, 37})}, scale, zero); }});
    };
    unary("softmax", ops::softmax{}, 1.0f / 256, -128);
    unary("logistic", ops::logistic{}, 1.0f / 256, -128);
    unary("relu", ops::relu{}, 0.05f, 3);
    all.push_back({"pad", [](builder& b) {
                       ops::pad op;
                       op.before = {0, 1, 2, 0};
                       op.after = {0, 2, 0, 3};
                       b.finish(op, {b.input({1, 4, 5, 6})}, 0.05f, 3);
                   }});
    all.push_back({"transpose", [](builder& b) {
                       ops::transpose op;
                       op.perm = {0, 3, 1, 2};
                       b.finish(op, {b.input({2, 4, 5, 6})}, 0.05f, 3);
                   }});
    all.push_back({"concatenation", [](builder& b) {
                       ops::concatenation op;
                       op.axis = 2;
                       const tensor_id x = b.input({1, 4, 5, 6});
                       const tensor_id y = b.input({1, 4, 3, 6});
                       b.finish(op, {x, y}, 0.05f, 3);
                   }});
    // Between the types: the builder's type is that of the input.
    all.push_back({"to the other type", [](builder& b) {
                       const tensor_id x = b.input({1, 50});
                       if (b.int8()) {
                           b.finish(ops::dequantize{}, {x}, 0, 0, dtype::f32);
                       } else {
                           b.finish(ops::quantize{}, {x}, 0.01f, 4, dtype::i8);
                       }
                   }});
    return all;
}

void fill(session& s, std::uint64_t round) {
    for (std::size_t i = 0; i < s.inputs(); ++i) {
        const philox random(11 + round, i);
        const bytes_span to = s.input_bytes(i);
        if (s.record(s.input_tensor(i)).type == dtype::f32) {
            for (std::size_t k = 0; k + 4 <= to.size(); k += 4) {
                const float x = static_cast<float>(random.bits(0, k) >> 8) / 4194304.0f - 2;
                std::memcpy(to.data() + k, &x, sizeof x);
            }
        } else {
            for (std::size_t k = 0; k < to.size(); ++k) {
                to.data()[k] = static_cast<std::byte>(random.bits(0, k) & 0xff);
            }
        }
    }
}

// "" when the port gives what the portable kernels give: the same integers, nearly the same floats.
std::string compare(const session& port, const session& reference) {
    const port_tensor t = output_of(reference, 0);
    const bytes_view a = port.output_bytes(0), b = reference.output_bytes(0);
    const std::vector<float> x = real_values(t, a), y = real_values(t, b);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!(t.type == dtype::f32 ? nearly_same(x[i], y[i]) : x[i] == y[i])) {
            return "value " + std::to_string(i) + " is " +
                   report::significant(static_cast<double>(x[i])) + ", portable " +
                   report::significant(static_cast<double>(y[i]));
        }
    }
    return "";
}

status selftest(const arguments& given, answer& a) {
    const port_list available = available_ports();
    std::vector<const kernel_table*> ports;
    if (given.has("--port")) {
        const auto one = chosen_port(given);
        if (!one) return one.error();
        ports.push_back(*one);
    } else {
        ports.assign(available.tables, available.tables + available.size);
    }
    std::vector<std::string> columns = {"graph", "type"};
    for (const kernel_table* p : ports) columns.push_back(p->port);
    std::vector<std::vector<std::string>> rows;
    a.json.key("ports").begin_array();
    for (const kernel_table* p : ports) a.json.value(p->port);
    a.json.end().key("checks").begin_array();
    std::size_t checks = 0, failures = 0;
    std::vector<std::size_t> identical(ports.size(), 0), close(ports.size(), 0);
    std::string first_failure;
    for (const test_case& c : cases()) {
        for (dtype type : {dtype::i8, dtype::f32}) {
            std::vector<std::string> row = {c.name, name_of(type)};
            a.json.begin_object().member("graph", c.name).member("dtype", name_of(type));
            for (std::size_t at = 0; at < ports.size(); ++at) {
                const kernel_table* p = ports[at];
                builder b(type);
                c.build(b);
                KOMPAKT_TRY(infer(b.g).within("selftest: ", c.name, ": "));
                plan_options options;
                options.kernels = p;
                const auto m = plan_model("selftest: " + c.name, std::move(b.g), options);
                if (!m) return m.error();
                const auto on_port = engine::make(*m, *p);
                if (!on_port) return on_port.error();
                const auto reference = engine::make(*m, kernels_of<portable>());
                if (!reference) return reference.error();
                KOMPAKT_TRY((*on_port)->allocate());
                KOMPAKT_TRY((*reference)->allocate());
                session &s = (*on_port)->session, &r = (*reference)->session;
                std::string wrong;
                bool same = true;
                for (std::uint64_t round = 0; round < 3 && wrong.empty(); ++round) {
                    fill(s, round);
                    fill(r, round);
                    s.run();
                    r.run();
                    wrong = compare(s, r);
                    same = same && std::memcmp(s.output_bytes(0).data(), r.output_bytes(0).data(),
                                               r.output_bytes(0).size()) == 0;
                }
                ++checks;
                if (!wrong.empty() && failures++ == 0) {
                    first_failure = c.name + " " + name_of(type) + " on " + p->port + ": " + wrong;
                }
                if (wrong.empty()) ++(same ? identical : close)[at];
                row.push_back(!wrong.empty() ? "WRONG" : same ? "identical" : "close");
                a.json.member(p->port, wrong.empty());
            }
            a.json.end();
            rows.push_back(std::move(row));
        }
    }
    a.json.end().member("failures", failures);
    if (failures != 0) {
        return fail(errc::bad_data, "selftest: ", failures, " of ", checks, " checks failed; ",
                    first_failure);
    }
    a.table(columns, rows);
    a.say("");
    for (std::size_t at = 0; at < ports.size(); ++at) {
        const std::string near =
            close[at] == 0 ? "" : ", " + report::grouped(close[at]) + " of floats close to it";
        a.say("port ", ports[at]->port, ": ", identical[at], " checks identical to portable", near);
    }
    a.say("The preferred port is ", available.tables[0]->port);
    return {};
}

} // namespace

command selftest_command() {
    return {"selftest",
            "[--port P]",
            "Checks the kernels of every port of this machine against the portable ones.",
            "On small built-in graphs with random weights and inputs: integers have to be the "
            "same, floats\n"
            "close: within 1e-5 + 1e-4 of the value. A port has kernels of its own for some ops; "
            "the\n"
            "others of its table are portable.\n",
            {{"--port", "P", "only this one"}},
            selftest};
}

} // namespace tool
