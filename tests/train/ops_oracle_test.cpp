// Forward and backward passes of layers against PyTorch's in double, whose layouts are NCHW, OIHW.
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/elu.hpp>
#include <kompakt/graph/ops/gelu.hpp>
#include <kompakt/graph/ops/hard_swish.hpp>
#include <kompakt/graph/ops/leaky_relu.hpp>
#include <kompakt/graph/ops/log_softmax.hpp>
#include <kompakt/graph/ops/tanh.hpp>
#include <kompakt/run/training_kernels.hpp>
#include <kompakt/train/differentiate.hpp>

#include <compress/models.hpp>
#include <compress/oracle.hpp>

namespace {

using namespace kompakt_test;

// Channels first to channels last and back, of any rank above two.
std::vector<float> channels_last(const value& t) {
    std::vector<float> from = numbers(t), to(from.size());
    const std::size_t rank = t["shape"].items().size();
    if (rank < 3) return from;
    const std::size_t n = extent(t, 0), c = extent(t, 1), rest = from.size() / (n * c);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < c; ++k)
            for (std::size_t r = 0; r < rest; ++r)
                to[(i * rest + r) * c + k] = from[(i * c + k) * rest + r];
    return to;
}
shape shape_last(const value& t) {
    shape s;
    for (const value& d : t["shape"].items()) s.push_back(dim(d.as_integer()));
    if (s.size() < 3) return s;
    const dim c = s[1];
    s.erase(s.begin() + 1);
    s.push_back(c);
    return s;
}

struct layer {
    graph g;
    std::vector<std::pair<tensor_id, const char*>> operands; // and the names of their gradients

    tensor_id operand(const value& c, const char* name, const char* gradient) {
        const value& t = c["inputs"][name];
        operands.emplace_back(g.add_constant(name, make_constant(shape_last(t), channels_last(t))),
                              gradient);
        return operands.back().first;
    }
    tensor_id constant_of(const value& t) {
        return g.add_constant("running", make_constant(shape_last(t), numbers(t)));
    }
    template <class Op>
    tensor_id node(Op o, std::vector<tensor_id> in) {
        graph_tensor t;
        t.name = "y";
        const tensor_id out = g.add_tensor(std::move(t));
        g.add_node("layer", std::move(o), std::move(in), {out});
        return out;
    }
};

void compare(span<const float> given, const std::vector<float>& expected, double rtol, double atol,
             const char* what) {
    INFO(what);
    REQUIRE(given.size() == expected.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        INFO("element " << i);
        CHECK(near(static_cast<double>(given[i]), static_cast<double>(expected[i]), rtol, atol));
    }
}

// The upstream gradient is that of a squared error whose targets are y - grad_y / 2.
void check(const kernel_table& table, layer l, tensor_id y, const value& c, double rtol,
           double atol, bool freeze = true) {
    l.g.outputs = {y};
    differentiate_options options;
    options.loss.kind = loss_kind::mse;
    options.freeze_batch_norm = freeze;
    options.trains = [](const std::string& name) { return name != "running"; };
    for (const auto& [t, name] : l.operands) options.also.push_back(t);
    REQUIRE(infer(l.g).ok());
    const auto d = differentiate(l.g, options);
    REQUIRE_MESSAGE(d.ok(), std::string(d.ok() ? "" : d.error().message()));
    plan_options planning;
    planning.kernels = &table;
    const auto code = plan(d->graph, planning);
    REQUIRE_MESSAGE(code.ok(), std::string(code.ok() ? "" : code.error().message()));
    session s(code->bytes(), table);
    REQUIRE_MESSAGE(s.check().ok(), std::string(s.check().message()));
    const aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    const auto expected = channels_last(c["outputs"]["y"]),
               up = channels_last(c["inputs"]["grad_y"]);
    s.run(); // for y in float: the targets must not add its error twice
    std::vector<float> targets;
    const auto out = s.output<float>(1);
    for (std::size_t i = 0; i < up.size(); ++i) targets.push_back(out[i] - up[i] / 2);
    s.reset();
    std::memcpy(s.input_bytes(0).data(), targets.data(), targets.size() * sizeof(float));
    s.run();
    compare(s.output<float>(1), expected, rtol, atol, "y");
    for (std::size_t p = 0; p < d->parameters.size(); ++p) {
        for (const auto& [t, name] : l.operands) {
            if (t != d->parameters[p].tensor) continue;
            // y - (y - g / 2) rounds.
            compare(s.output<float>(2 + p), channels_last(c["outputs"][name]), rtol, atol + 4e-6,
                    name);
        }
    }
    for (std::size_t i = 0; i < d->statistics.size(); ++i) {
        const char* names[] = {"running_mean", "running_var"};
        for (std::size_t k = 0; k < s.states(); ++k) {
            if (s.code().notes[s.state_tensor(k)].source != d->statistics[i]) continue;
            const bytes_span b = s.state_bytes(k);
            compare({reinterpret_cast<const float*>(b.data()), b.size() / sizeof(float)},
                    numbers(c["outputs"][names[i]]), rtol, atol, names[i]);
        }
    }
}

} // namespace

TEST_CASE("oracle: forward and backward passes of layers") {
    const value file = read_oracle("ops");
    if (file.is_null()) return;
    const double rtol = file["tol"]["rtol"].as_number(), atol = file["tol"]["atol"].as_number();
    std::size_t done = 0;
    for (const kernel_table& table :
         {default_training_kernels(), training_kernels_of<portable>()}) {
        for (const value& c : file["cases"].items()) {
            const std::string name(c["name"].as_string()), op(c["op"].as_string());
            INFO(name << " on " << table.port);
            const value& p = c["params"];
            const auto whole = [&](const char* n) {
                return static_cast<std::int32_t>(p[n].as_integer());
            };
            layer l;
            const auto unary = [&](auto o) {
                const tensor_id x = l.operand(c, "x", "grad_x");
                const tensor_id y = l.node(o, {x});
                check(table, l, y, c, rtol, atol);
                ++done;
            };
            if (op == "conv2d") {
                ops::conv2d o;
                o.window.stride_h = o.window.stride_w = whole("stride");
                o.window.dilation_h = o.window.dilation_w = whole("dilation");
                o.window.pad_top = o.window.pad_bottom = o.window.pad_left = o.window.pad_right =
                    whole("padding");
                const tensor_id x = l.operand(c, "x", "grad_x"), w = l.operand(c, "w", "grad_w"),
                                b = l.operand(c, "b", "grad_b");
                const tensor_id y = l.node(o, {x, w, b});
                check(table, l, y, c, rtol, atol);
                ++done;
            } else if (op == "linear") {
                const tensor_id x = l.operand(c, "x", "grad_x"), w = l.operand(c, "w", "grad_w"),
                                b = l.operand(c, "b", "grad_b");
                const tensor_id y = l.node(ops::fully_connected(), {x, w, b});
                check(table, l, y, c, rtol, atol);
                ++done;
            } else if (op == "batchnorm2d") {
                ops::batch_norm o;
                o.epsilon = 1e-5f, o.momentum = 0.1f;
                const tensor_id x = l.operand(c, "x", "grad_x"), w = l.operand(c, "w", "grad_w"),
                                b = l.operand(c, "b", "grad_b"),
                                mean = l.constant_of(p["running_mean_before"]),
                                variance = l.constant_of(p["running_var_before"]);
                const tensor_id y = l.node(o, {x, w, b, mean, variance});
                check(table, l, y, c, rtol, atol, !p["training"].as_boolean());
                ++done;
            } else if (op == "maxpool2d" || name == "avgpool2d/False") {
                const auto pool = [&](auto o) {
                    o.kernel_h = o.kernel_w = 3;
                    o.window.stride_h = o.window.stride_w = 2;
                    o.window.pad_top = o.window.pad_left = 1;
                    o.window.pad_bottom = 1, o.window.pad_right = 1;
                    unary(o);
                };
                if (op == "maxpool2d")
                    pool(ops::max_pool2d());
                else
                    pool(ops::average_pool2d());
            } else if (op == "global_avgpool") {
                ops::mean o;
                o.axes = {1, 2};
                unary(o);
            } else if (op == "softmax") {
                unary(ops::softmax());
            } else if (op == "log_softmax") {
                unary(ops::log_softmax());
            } else if (op == "sigmoid") {
                unary(ops::logistic());
            } else if (op == "tanh") {
                unary(ops::tanh());
            } else if (op == "gelu" || op == "gelu_tanh") {
                ops::gelu o;
                o.approximate = op == "gelu_tanh";
                unary(o);
            } else if (op == "elu") {
                unary(ops::elu());
            } else if (op == "hardswish") {
                unary(ops::hard_swish());
            } else if (op == "leaky_relu0.01") {
                ops::leaky_relu o;
                o.alpha = 0.01f;
                unary(o);
            } else if (op == "relu" || op == "relu6" || op == "hardtanh") {
                ops::relu o;
                o.kind = op == "relu"    ? ops::relu_kind::relu
                         : op == "relu6" ? ops::relu_kind::relu6
                                         : ops::relu_kind::relu_n1_to_1;
                unary(o);
            }
        }
    }
    CHECK(done == 2 * 25);
}
