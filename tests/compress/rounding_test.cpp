#include <kompakt/compress/mixed_precision.hpp>
#include <kompakt/compress/quantize.hpp>

#include <compress/models.hpp>

using namespace kompakt;
using kompakt_test::graph_builder;
using kompakt_test::run_graph;

namespace {

memory_samples random_samples(const graph& g, std::size_t count) {
    kompakt_test::numbers_source random(99);
    std::vector<std::vector<float>> all;
    for (tensor_id t : g.inputs) {
        all.push_back(random.take(count * *element_count(g.tensor(t).shape)));
    }
    return memory_samples(std::move(all));
}
const graph_tensor& weights_of(const graph& g, const std::string& output) {
    for (node_id id : g.order()) {
        const node& n = g.node_at(id);
        if (g.tensor(n.outputs[0]).name == output) return g.tensor(n.inputs[1]);
    }
    FAIL("no layer " << output);
    return g.tensor(0);
}
// Three convolutions, one of them depthwise, and a dense layer.
graph make_network() {
    graph_builder b;
    tensor_id t = b.input({1, 6, 6, 3});
    t = b.conv("first", t, 3, 8, activation::relu);
    ops::depthwise_conv2d depthwise;
    depthwise.fused = activation::relu;
    t = b.node("depthwise", depthwise,
               {t, b.constant("depthwise/w", {1, 3, 3, 8}), b.constant("depthwise/b", {8}, 0.3f)});
    t = b.conv("second", t, 8, 5, activation::relu);
    t = b.reshape("flat", t, {1, 80});
    t = b.dense("last", t, 80, 7);
    return b.done({t});
}
// Moments of inputs that go together: neighbours alike.
std::vector<double> correlated(std::size_t n, double by) {
    std::vector<double> h(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            h[i * n + j] = std::pow(by, i > j ? i - j : j - i);
        }
    }
    return h;
}

} // namespace

TEST_CASE("GPTQ makes up for an error with the next weight") {
    // Both weights round to 0; with the first one gone, 0.4 + 0.9 * 0.4 is nearer to 1.
    const rounding_problem p({1.0, 0.9, 0.9, 1.0}, 2, 0.0, false);
    REQUIRE(p.valid());
    const rounded_row row = p.gptq({0.4, 0.4}, 1.0, signed_range(4));
    CHECK(row.integers == std::vector<std::int32_t>{0, 1});
    CHECK(p.error({0.4, 0.4}, row) == doctest::Approx(0.16 + 0.36 - 2 * 0.9 * 0.24).epsilon(1e-4));
    // Inputs that have nothing to do with each other: nearest, whatever the order.
    const rounding_problem q({4.0, 0.0, 0.0, 1.0}, 2, 0.0, true);
    CHECK(q.gptq({0.4, -9.6}, 1.0, signed_range(4)).integers == std::vector<std::int32_t>{0, -8});
}

TEST_CASE("methods with data beat nearest rounding, descent beats GPTQ") {
    kompakt_test::numbers_source random;
    for (const bool ordered : {false, true}) {
        const std::size_t n = 24;
        const rounding_problem p(correlated(n, 0.8), n, 0.01, ordered);
        REQUIRE(p.valid());
        double nearest = 0.0, gptq = 0.0, descent = 0.0, adaround = 0.0;
        for (int row = 0; row < 20; ++row) {
            std::vector<double> w;
            for (std::size_t i = 0; i < n; ++i) w.push_back(static_cast<double>(random.next()));
            const integer_range r = signed_range(3);
            const double s = search_scale(w, r, 0.0);
            rounded_row a;
            a.scale = s;
            for (double x : w) a.integers.push_back(detail::nearest_integer(x / s, r));
            rounded_row b = p.gptq(w, s, r);
            nearest += p.error(w, a);
            gptq += p.error(w, b);
            adaround += p.error(w, p.adaround(w, s, r, 300));
            p.descend(w, b, r, 0.0);
            descent += p.error(w, b);
            for (std::int32_t q : b.integers) CHECK((q >= -4 && q <= 3));
        }
        CHECK(gptq < 0.8 * nearest);
        CHECK(adaround < 0.8 * nearest);
        CHECK(descent < gptq);
    }
}

TEST_CASE("inputs that are always 0 and dead filters round to nearest") {
    const rounding_problem p(std::vector<double>(9, 0.0), 3, 0.01, true);
    REQUIRE(p.valid());
    CHECK(p.gptq({1.2, -0.4, 0.6}, 1.0, signed_range(4)).integers ==
          std::vector<std::int32_t>{1, 0, 1});
    CHECK(search_scale({0.0, 0.0}, signed_range(4), 0.0) > 0.0);
    CHECK(search_scale({0.0, 0.0}, signed_range(4), 0.5) == 0.5);
    // An outlier of 1e6 is cut to a quarter at most: the others are lost either way.
    CHECK(search_scale({1e6, 1.0}, signed_range(4), 0.0) >= 0.25e6 / 7);
}

TEST_CASE("rows of a layer times its weights are its results") {
    graph_builder b;
    const tensor_id in = b.input({1, 7, 6, 4});
    ops::conv2d grouped;
    grouped.window.stride_h = 2;
    grouped.window.dilation_w = 2;
    grouped.window.pad_top = grouped.window.pad_left = 1;
    ops::depthwise_conv2d depthwise;
    depthwise.window.stride_w = 2;
    depthwise.window.pad_bottom = 1;
    const tensor_id x =
        b.node("grouped", grouped, {in, b.constant("g/w", {6, 3, 2, 2}), b.constant("g/b", {6})});
    const tensor_id y = b.node("depthwise", depthwise,
                               {in, b.constant("d/w", {1, 2, 3, 8}), b.constant("d/b", {8})});
    const tensor_id z = b.dense("dense", in, 4, 5);
    const graph g = b.done({x, y, z});
    const auto input = b.random.take(7 * 6 * 4);
    const auto results = run_graph(g, {input});
    for (std::size_t k = 0; k < 3; ++k) {
        const node& n = g.node_at(*g.producer(g.outputs[k]));
        CAPTURE(n.name);
        const auto l = layout_of(g, n);
        REQUIRE(l);
        const auto w = g.tensor(n.inputs[1]).value->values<float>();
        const auto bias = g.tensor(n.inputs[2]).value->values<float>();
        REQUIRE(row_count(*l, input.size()) * l->outputs == results[k].size());
        std::vector<float> row(l->length);
        for (std::size_t i = 0; i < results[k].size(); ++i) {
            const std::size_t o = i % l->outputs;
            copy_row(*l, {input.data(), input.size()}, i / l->outputs, o / l->per_group(),
                     row.data());
            float sum = bias[o];
            for (std::size_t j = 0; j < l->length; ++j) sum += row[j] * w[l->at(o, j)];
            CHECK(results[k][i] == doctest::Approx(sum).epsilon(1e-4));
        }
    }
}

TEST_CASE("4 bits are stored as int4, others as narrow int8; first and last keep 8") {
    const graph g = make_network();
    auto samples = random_samples(g, 16);
    quantize_options o;
    o.assign.weight_bits = 4;
    const auto q = quantize(g, samples, o);
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    CHECK(weights_of(*q, "second").type == dtype::i4);
    CHECK(weights_of(*q, "second").value->bytes().size() == 5 * 9 * 8 / 2);
    CHECK(weights_of(*q, "depthwise").type == dtype::i4);
    o.assign.first_last_bits = 8;
    o.assign.layer_bits = {{"second", 3}};
    const auto m = quantize(g, samples, o);
    REQUIRE_MESSAGE(m.ok(), m.error().message());
    CHECK(weights_of(*m, "first").type == dtype::i8);
    CHECK(weights_of(*m, "last").type == dtype::i8);
    CHECK(weights_of(*m, "depthwise").type == dtype::i4);
    CHECK(weights_of(*m, "second").type == dtype::i8);
    for (std::int8_t v : weights_of(*m, "second").value->values<std::int8_t>()) {
        CHECK((v >= -3 && v <= 3));
    }
    o.assign.layer_bits = {{"second", 9}};
    const auto bad = quantize(g, samples, o);
    REQUIRE(!bad.ok());
    CHECK(std::string(bad.error().message()).find("9 bits, needed 2 to 8") != std::string::npos);
}

TEST_CASE("each method gives a model that runs, and is nearer to float32 than nearest") {
    const graph g = make_network();
    auto samples = random_samples(g, 400);
    const auto noise = [&](const rounding_options& r) {
        quantize_options o;
        o.assign.weight_bits = 3;
        o.rounding = r;
        o.rounding.iterations = 200;
        const auto q = quantize(g, samples, o);
        REQUIRE_MESSAGE(q.ok(), q.error().message());
        kompakt_test::numbers_source random(7);
        double sum = 0.0;
        for (int i = 0; i < 16; ++i) {
            const auto x = random.take(108);
            const auto a = run_graph(g, {x})[0], b = run_graph(*q, {x})[0];
            for (std::size_t k = 0; k < a.size(); ++k) {
                const double d = static_cast<double>(a[k]) - static_cast<double>(b[k]);
                sum += d * d;
            }
        }
        return sum;
    };
    rounding_options r;
    const double nearest = noise(r);
    for (auto m : {rounding_method::mse, rounding_method::gptq, rounding_method::adaround,
                   rounding_method::descent}) {
        CAPTURE(name_of(m));
        r.method = m;
        CHECK(noise(r) < nearest);
    }
    r.correct_bias = r.correct_inputs = r.equalize = true;
    CHECK(noise(r) < 0.7 * nearest);
}

TEST_CASE("equalization keeps the results and evens out the ranges") {
    graph g = make_network();
    const auto x = kompakt_test::numbers_source(3).take(108);
    const auto before = run_graph(g, {x})[0];
    REQUIRE(equalize_layers(g).ok());
    const auto after = run_graph(g, {x})[0];
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(after[i] == doctest::Approx(before[i]).epsilon(1e-3));
    }
    // "first" gives to "depthwise": a filter and the channel that reads it are as large.
    const auto a = weights_of(g, "depthwise").value->values<float>();
    const auto b = weights_of(g, "second").value->values<float>();
    for (std::size_t c = 0; c < 8; ++c) {
        float ra = 0.0f, rb = 0.0f;
        for (std::size_t i = c; i < a.size(); i += 8) ra = (std::max)(ra, std::fabs(a[i]));
        for (std::size_t i = c; i < b.size(); i += 8) rb = (std::max)(rb, std::fabs(b[i]));
        CHECK(ra == doctest::Approx(rb).epsilon(0.02));
    }
}

TEST_CASE("mixed precision keeps within its budget or says what is needed") {
    const graph g = make_network();
    auto samples = random_samples(g, 8);
    mixed_options o;
    // 216 + 72 + 360 + 560 weights, 28 biases of four bytes.
    o.budget_bytes = 1000;
    const auto m = choose_weight_bits(g, samples, o);
    REQUIRE_MESSAGE(m.ok(), m.error().message());
    CHECK(m->bytes <= 1000);
    CHECK(m->layers.size() == 4);
    for (const auto& l : m->layers) {
        CHECK(l.error.size() == 2);
        CHECK(l.error[0] < l.error[1]);
    }
    quantize_options q;
    q.assign.layer_bits = m->layer_bits();
    const auto made = quantize(g, samples, q);
    REQUIRE_MESSAGE(made.ok(), made.error().message());
    std::size_t stored = 0;
    for (const auto& l : made->report.layers) stored += l.bytes_after;
    CHECK(stored == m->bytes);
    o.budget_bytes = 700;
    const auto small = choose_weight_bits(g, samples, o);
    REQUIRE(!small.ok());
    CHECK(std::string(small.error().message()).find("budget 700") != std::string::npos);
    o.budget_bytes = 0;
    CHECK(!choose_weight_bits(g, samples, o).ok());
    o.average_bits = 5.0;
    o.bits = {8, 6, 4, 2};
    const auto average = choose_weight_bits(g, samples, o);
    REQUIRE(average.ok());
    CHECK(average->average_bits <= 5.0);
    o.bits = {4, 8};
    CHECK(!choose_weight_bits(g, samples, o).ok());
}
