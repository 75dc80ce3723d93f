// Every gradient against central differences of the forward pass, over random shapes.
#include <kompakt/graph/ops/abs.hpp>
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/broadcast_to.hpp>
#include <kompakt/graph/ops/cos.hpp>
#include <kompakt/graph/ops/div.hpp>
#include <kompakt/graph/ops/dropout.hpp>
#include <kompakt/graph/ops/elu.hpp>
#include <kompakt/graph/ops/exp.hpp>
#include <kompakt/graph/ops/gelu.hpp>
#include <kompakt/graph/ops/hard_swish.hpp>
#include <kompakt/graph/ops/leaky_relu.hpp>
#include <kompakt/graph/ops/log.hpp>
#include <kompakt/graph/ops/neg.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/rsqrt.hpp>
#include <kompakt/graph/ops/sin.hpp>
#include <kompakt/graph/ops/slice.hpp>
#include <kompakt/graph/ops/sqrt.hpp>
#include <kompakt/graph/ops/square.hpp>
#include <kompakt/graph/ops/squared_difference.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/graph/ops/sum.hpp>
#include <kompakt/graph/ops/tanh.hpp>
#include <kompakt/graph/ops/transpose.hpp>
#include <kompakt/run/training_kernels.hpp>
#include <kompakt/train/differentiate.hpp>

#include <compress/models.hpp>

namespace {

using namespace kompakt_test;

std::int64_t below(numbers_source& r, std::int64_t n) {
    return static_cast<std::int64_t>((r.next() + 1.0f) / 2.0f * static_cast<float>(n));
}
shape random_shape(numbers_source& r, std::size_t rank) {
    shape s;
    for (std::size_t i = 0; i < rank; ++i) s.push_back(dim(1 + below(r, 4)));
    return s;
}

// A graph of constants: `operand` makes one that is trained.
struct trial {
    graph g;
    std::vector<tensor_id> trained;
    std::vector<float> corners; // that operands stay clear of
    numbers_source& random;

    explicit trial(numbers_source& r) : random(r) {}

    tensor_id operand(shape s, float low = -1.0f, float high = 1.0f) {
        const auto n = element_count(s);
        std::vector<float> v;
        // A grid of distinct values: no two are closer than the differences are wide.
        for (std::size_t i = 0; i < *n; ++i) v.push_back(static_cast<float>(i));
        for (std::size_t i = v.size(); i-- > 1;) {
            std::swap(v[i],
                      v[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(i + 1)))]);
        }
        for (float& x : v) {
            x = low + (high - low) * (x + 0.5f) / static_cast<float>(v.size());
            for (float corner : corners) {
                if (std::fabs(x - corner) < 0.05f) x = corner + 0.06f;
            }
        }
        trained.push_back(g.add_constant("operand" + std::to_string(trained.size()),
                                         make_constant(std::move(s), v)));
        return trained.back();
    }
    tensor_id tensor() {
        graph_tensor t;
        t.name = "t" + std::to_string(g.tensor_count());
        return g.add_tensor(std::move(t));
    }
    template <class Op>
    tensor_id node(Op o, std::vector<tensor_id> in) {
        const tensor_id out = tensor();
        g.add_node("node", std::move(o), std::move(in), {out});
        return out;
    }
};

// Compares the gradients of a squared error with differences over four points, whose error is of
// the fourth order; the loss is summed in double. `width`: how far apart the points are.
void check_on(const kernel_table& table, trial& t, tensor_id out, float width, bool freeze) {
    t.g.outputs = {out};
    const status inferred = infer(t.g);
    REQUIRE_MESSAGE(inferred.ok(), inferred.message());
    if (t.g.tensor(out).shape.empty()) {
        ops::reshape o;
        o.target = {dim(1)};
        t.g.outputs = {t.node(o, {out})};
        REQUIRE(infer(t.g).ok());
    }
    differentiate_options options;
    options.loss.kind = loss_kind::mse;
    options.also = t.trained;
    options.freeze_batch_norm = freeze;
    options.trains = [](const std::string& name) { return name != "running"; };
    const auto d = differentiate(t.g, options);
    REQUIRE_MESSAGE(d.ok(), std::string(d.error().message()));
    plan_options planning;
    planning.kernels = &table;
    const auto code = plan(d->graph, planning);
    REQUIRE_MESSAGE(code.ok(), std::string(code.error().message()));
    session s(code->bytes(), table);
    REQUIRE_MESSAGE(s.check().ok(), std::string(s.check().message()));
    const aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    std::vector<float> targets;
    for (std::size_t i = 0; i < s.inputs(); ++i) {
        if (s.record(s.input_tensor(i)).type == dtype::i32) s.input<std::int32_t>(i)[0] = 7;
    }
    const std::size_t at =
        d->step == no_tensor ? 0 : s.record(s.input_tensor(0)).type == dtype::i32;
    targets = t.random.take(s.input<float>(at).size());
    const auto loss = [&] {
        if (d->step != no_tensor) s.input<std::int32_t>(1 - at)[0] = 7;
        std::memcpy(s.input_bytes(at).data(), targets.data(), targets.size() * sizeof(float));
        s.run();
        double sum = 0;
        const auto y = s.output<float>(1);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double e = static_cast<double>(y[i]) - static_cast<double>(targets[i]);
            sum += e * e;
        }
        return sum;
    };
    const auto state_of = [&](tensor_id tensor) -> span<float> {
        for (std::size_t i = 0; i < s.states(); ++i) {
            if (s.code().notes[s.state_tensor(i)].source != tensor) continue;
            const bytes_span b = s.state_bytes(i);
            return {reinterpret_cast<float*>(b.data()), b.size() / sizeof(float)};
        }
        FAIL("no such state");
        return {};
    };
    loss();
    CHECK(s.output<float>(0)[0] == doctest::Approx(loss()).epsilon(1e-4));
    for (std::size_t p = 0; p < d->parameters.size(); ++p) {
        std::vector<float> gradient;
        loss();
        for (float x : s.output<float>(2 + p)) gradient.push_back(x);
        const span<float> v = state_of(d->parameters[p].tensor);
        REQUIRE(v.size() == gradient.size());
        double largest = 0;
        std::vector<double> expected;
        for (float& x : v) {
            const float kept = x;
            const auto at_offset = [&](float offset) {
                x = kept + offset;
                const double l = loss();
                x = kept;
                return l;
            };
            const double near = at_offset(width) - at_offset(-width),
                         far = at_offset(2 * width) - at_offset(-2 * width);
            expected.push_back((8 * near - far) / (12 * static_cast<double>(width)));
            largest = (std::max)(largest, std::fabs(expected.back()));
        }
        for (std::size_t i = 0; i < v.size(); ++i) {
            INFO("parameter " << d->parameters[p].name << " element " << i << " of " << v.size());
            CHECK(std::fabs(static_cast<double>(gradient[i]) - expected[i]) <=
                  2e-3 * largest + 2e-4);
        }
    }
}

void check(trial& t, tensor_id out, float width = 0.02f, bool freeze = false) {
    const kernel_table own = default_training_kernels(), plain = training_kernels_of<portable>();
    check_on(own, t, out, width, freeze);
    if (std::string(own.port) != plain.port) check_on(plain, t, t.g.outputs[0], width, freeze);
}

ops::window_attributes random_window(numbers_source& r, std::int32_t kernel, bool dilated) {
    ops::window_attributes w;
    w.stride_h = 1 + static_cast<std::int32_t>(below(r, 2));
    w.stride_w = 1 + static_cast<std::int32_t>(below(r, 2));
    if (dilated) w.dilation_h = 1 + static_cast<std::int32_t>(below(r, 2));
    if (dilated) w.dilation_w = 1 + static_cast<std::int32_t>(below(r, 2));
    w.pad_top = static_cast<std::int32_t>(below(r, kernel));
    w.pad_bottom = static_cast<std::int32_t>(below(r, kernel));
    w.pad_left = static_cast<std::int32_t>(below(r, kernel));
    w.pad_right = static_cast<std::int32_t>(below(r, kernel));
    return w;
}

template <class F>
void repeat(std::uint32_t seed, F&& f) {
    for (std::uint32_t i = 0; i < 6; ++i) {
        numbers_source random(seed * 100 + i);
        INFO("trial " << i);
        trial t(random);
        f(t, i);
    }
}

template <class Op>
void unary(std::uint32_t seed, Op o, float low = -2.0f, float high = 2.0f,
           const std::vector<float>& corners = {}) {
    repeat(seed, [&](trial& t, std::uint32_t i) {
        t.corners = corners;
        check(t, t.node(o, {t.operand(random_shape(t.random, 1 + i % 4), low, high)}), 0.01f);
    });
}
template <class Op>
void binary(std::uint32_t seed, float low = -1.0f) {
    repeat(seed, [&](trial& t, std::uint32_t i) {
        const shape full = random_shape(t.random, 3);
        shape part = full;
        if (i % 3 == 1) part[1] = part[0] = dim(1);
        if (i % 3 == 2) part.erase(part.begin());
        const tensor_id a = t.operand(full, low, low + 2.0f), b = t.operand(part, low, low + 2.0f);
        Op o;
        check(t, i % 2 == 0 ? t.node(o, {a, b}) : t.node(o, {b, a}));
    });
}

} // namespace

TEST_CASE("gradients: convolution with groups and dilation") {
    repeat(1, [](trial& t, std::uint32_t i) {
        const std::int64_t groups = i % 3 == 2 ? 2 : 1;
        const std::int64_t kernel = i == 3 ? 1 : 1 + below(t.random, 3);
        const std::int64_t c = groups * (1 + below(t.random, 3)),
                           o = groups * (1 + below(t.random, 9));
        ops::conv2d conv;
        conv.window = random_window(t.random, static_cast<std::int32_t>(kernel), true);
        if (i == 3) conv.window = {}; // the input itself is the matrix
        if (i == 4) conv.fused = activation::relu_n1_to_1;
        const tensor_id x = t.operand({dim(2), dim(5 + below(t.random, 3)), dim(6), dim(c)});
        const tensor_id w = t.operand({dim(o), dim(kernel), dim(kernel), dim(c / groups)});
        const tensor_id b = t.operand({dim(o)});
        check(t, t.node(conv, {x, w, b}), i == 4 ? 0.002f : 0.05f);
    });
}

TEST_CASE("gradients: depthwise convolution") {
    repeat(2, [](trial& t, std::uint32_t i) {
        const std::int64_t kernel = 1 + below(t.random, 3), c = 1 + below(t.random, 4);
        const std::int64_t multiplier = 1 + i % 2;
        ops::depthwise_conv2d conv;
        conv.window = random_window(t.random, static_cast<std::int32_t>(kernel), true);
        const tensor_id x = t.operand({dim(2), dim(6), dim(5 + below(t.random, 3)), dim(c)});
        const tensor_id w = t.operand({dim(1), dim(kernel), dim(kernel), dim(c * multiplier)});
        check(t, t.node(conv, {x, w, t.operand({dim(c * multiplier)})}), 0.05f);
    });
}

TEST_CASE("gradients: fully connected") {
    repeat(3, [](trial& t, std::uint32_t i) {
        const std::int64_t k = 1 + below(t.random, 20), o = 1 + below(t.random, 20);
        ops::fully_connected fc;
        fc.keep_num_dims = i % 2 == 1;
        const tensor_id x = t.operand({dim(2), dim(3), dim(k)});
        check(t, t.node(fc, {x, t.operand({dim(o), dim(k)}), t.operand({dim(o)})}), 0.05f);
    });
}

TEST_CASE("gradients: average and maximum pooling") {
    repeat(4, [](trial& t, std::uint32_t) {
        ops::average_pool2d pool;
        pool.kernel_h = 1 + static_cast<std::int32_t>(below(t.random, 3));
        pool.kernel_w = 1 + static_cast<std::int32_t>(below(t.random, 3));
        pool.window = random_window(t.random, (std::min)(pool.kernel_h, pool.kernel_w), false);
        check(t, t.node(pool, {t.operand({dim(2), dim(5), dim(6), dim(3)})}), 0.05f);
    });
    repeat(5, [](trial& t, std::uint32_t) {
        ops::max_pool2d pool;
        pool.kernel_h = 1 + static_cast<std::int32_t>(below(t.random, 3));
        pool.kernel_w = 1 + static_cast<std::int32_t>(below(t.random, 3));
        pool.window = random_window(t.random, (std::min)(pool.kernel_h, pool.kernel_w), false);
        // Steps of the grid are 1 / 90: no difference changes which is the maximum.
        check(t, t.node(pool, {t.operand({dim(2), dim(5), dim(6), dim(3)}, -9.0f, 9.0f)}), 0.02f);
    });
}

TEST_CASE("gradients: batch normalization, training and frozen") {
    for (const bool frozen : {false, true}) {
        repeat(6, [&](trial& t, std::uint32_t i) {
            ops::batch_norm norm;
            const std::int64_t c = 1 + below(t.random, 4);
            const shape one = {dim(c)};
            shape full = random_shape(t.random, i % 4);
            full.insert(full.begin(), dim(4));
            full.push_back(dim(c));
            const tensor_id x = t.operand(full, -1.0f, 2.0f), gamma = t.operand(one, 0.5f, 1.5f),
                            beta = t.operand(one);
            std::vector<float> mean(static_cast<std::size_t>(c)), variance(mean.size());
            for (float& v : mean) v = t.random.next();
            for (float& v : variance) v = 1.5f + t.random.next();
            const tensor_id m = t.g.add_constant("running", make_constant(one, mean)),
                            v = t.g.add_constant("running", make_constant(one, variance));
            const tensor_id y = t.node(norm, {x, gamma, beta, m, v});
            // Wide: what rounds in a mean moves all elements.
            check(t, y, 0.05f, frozen);
        });
    }
}

TEST_CASE("gradients: relu family") {
    for (const auto kind : {ops::relu_kind::relu, ops::relu_kind::relu6,
                            ops::relu_kind::relu_n1_to_1, ops::relu_kind::relu_0_to_1}) {
        ops::relu o;
        o.kind = kind;
        unary(7, o, -8.0f, 8.0f, {-1.0f, 0.0f, 1.0f, 6.0f});
    }
}
TEST_CASE("gradients: sigmoid, tanh, gelu, elu, hard swish, leaky relu") {
    unary(8, ops::logistic());
    unary(9, ops::tanh());
    unary(10, ops::gelu());
    ops::gelu approximate;
    approximate.approximate = true;
    unary(11, approximate);
    unary(12, ops::elu(), -2.0f, 2.0f, {0.0f});
    unary(13, ops::hard_swish(), -5.0f, 5.0f, {-3.0f, 3.0f});
    ops::leaky_relu leaky;
    leaky.alpha = 0.3f;
    unary(14, leaky, -2.0f, 2.0f, {0.0f});
}
TEST_CASE("gradients: exp, log, roots, square, abs, sin, cos, neg") {
    unary(15, ops::exp());
    unary(16, ops::log(), 0.5f, 2.0f);
    unary(17, ops::sqrt(), 0.5f, 2.0f);
    unary(18, ops::rsqrt(), 0.5f, 2.0f);
    unary(19, ops::square());
    unary(20, ops::abs(), -2.0f, 2.0f, {0.0f});
    unary(21, ops::sin());
    unary(22, ops::cos());
    unary(23, ops::neg());
}
TEST_CASE("gradients: add, sub, mul, div, squared difference, with broadcasts") {
    binary<ops::add>(24);
    binary<ops::sub>(25);
    binary<ops::mul>(26);
    binary<ops::div>(27, 1.0f);
    binary<ops::squared_difference>(28);
}
TEST_CASE("gradients: softmax and log-softmax") {
    repeat(29, [](trial& t, std::uint32_t i) {
        ops::softmax o;
        o.beta = i % 2 == 0 ? 1.0f : 0.5f;
        check(t, t.node(o, {t.operand(random_shape(t.random, 2 + i % 2))}));
    });
    unary(30, ops::log_softmax());
}
TEST_CASE("gradients: reshape, transpose, pad, slice, broadcast, concatenation") {
    repeat(31, [](trial& t, std::uint32_t) {
        const shape s = random_shape(t.random, 3);
        ops::reshape o;
        o.target = {dim(-1), s[2]};
        check(t, t.node(ops::square(), {t.node(o, {t.operand(s)})}));
    });
    repeat(32, [](trial& t, std::uint32_t i) {
        ops::transpose o;
        o.perm =
            i % 2 == 0 ? std::vector<std::int32_t>{2, 0, 1} : std::vector<std::int32_t>{1, 0, 2};
        check(t, t.node(ops::square(), {t.node(o, {t.operand(random_shape(t.random, 3))})}));
    });
    repeat(33, [](trial& t, std::uint32_t i) {
        ops::pad o;
        o.before = {0, 1, static_cast<std::int32_t>(i % 3)};
        o.after = {2, 0, 1};
        o.value = 0.5f;
        check(t, t.node(o, {t.operand(random_shape(t.random, 3))}));
    });
    repeat(34, [](trial& t, std::uint32_t i) {
        ops::slice o;
        o.begin = {1, 0, static_cast<std::int32_t>(i % 2)};
        o.size = {-1, 2, 1};
        check(t, t.node(o, {t.operand({dim(3), dim(3), dim(2)})}));
    });
    repeat(35, [](trial& t, std::uint32_t) {
        ops::broadcast_to o;
        o.target = {dim(2), dim(3), dim(4)};
        check(t, t.node(o, {t.operand({dim(3), dim(1)})}));
    });
    repeat(36, [](trial& t, std::uint32_t i) {
        ops::concatenation o;
        o.axis = static_cast<std::int32_t>(i % 3) - 1;
        shape a = random_shape(t.random, 2), b = a;
        b[o.axis == 0 ? 0 : 1] = dim(3);
        check(t, t.node(o, {t.operand(a), t.operand(b), t.operand(a)}));
    });
}
TEST_CASE("gradients: mean and sum") {
    for (const bool keep : {false, true}) {
        repeat(37, [&](trial& t, std::uint32_t i) {
            ops::mean o;
            o.keep_dims = keep;
            o.axes =
                i % 2 == 0 ? std::vector<std::int32_t>{1, 2} : std::vector<std::int32_t>{0, -1};
            check(t, t.node(o, {t.operand(random_shape(t.random, 4))}));
        });
        repeat(38, [&](trial& t, std::uint32_t i) {
            ops::sum o;
            o.keep_dims = keep;
            o.axes = {static_cast<std::int32_t>(i % 3)};
            check(t, t.node(o, {t.operand(random_shape(t.random, 3))}));
        });
    }
}
TEST_CASE("gradients: dropout keeps what the forward pass kept") {
    repeat(39, [](trial& t, std::uint32_t i) {
        ops::dropout o;
        o.rate = 0.4f;
        o.stream = static_cast<std::int32_t>(i);
        check(t, t.node(o, {t.operand({dim(4), dim(5)})}));
    });
}
TEST_CASE("gradients: a tensor that several nodes read") {
    repeat(40, [](trial& t, std::uint32_t) {
        const shape s = random_shape(t.random, 3);
        const tensor_id x = t.operand(s);
        const tensor_id y = t.node(ops::mul(), {x, x}), z = t.node(ops::tanh(), {x});
        check(t, t.node(ops::add(), {t.node(ops::sub(), {y, z}), x}));
    });
}
