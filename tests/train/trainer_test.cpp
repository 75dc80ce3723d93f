// The trainer: end-to-end traces, threads, checkpoints, bad input.
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/dropout.hpp>
#include <kompakt/graph/ops/tanh.hpp>
#include <kompakt/host/thread_pool.hpp>
#include <kompakt/train/trainer.hpp>

#include <compress/models.hpp>
#include <compress/oracle.hpp>

namespace {

using namespace kompakt_test;

void require(const status& s) {
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
}
std::unique_ptr<trainer> make(const graph& g, const trainer_options& o) {
    auto t = trainer::make(g, o);
    REQUIRE_MESSAGE(t.ok(), std::string(t.ok() ? "" : t.error().message()));
    return std::move(*t);
}

// 2 -> 8 tanh -> 3
graph small_net(const std::vector<float>& w1, const std::vector<float>& b1,
                const std::vector<float>& w2, const std::vector<float>& b2) {
    graph_builder b;
    const tensor_id x = b.input({dim(1), dim(2)});
    const auto dense = [&](const char* name, tensor_id in, const std::vector<float>& w,
                           const std::vector<float>& bias, std::int64_t n, std::int64_t k) {
        const tensor_id weights = b.g.add_constant(std::string(name) + "/w",
                                                   make_constant({dim(n), dim(k)}, w)),
                        offset = b.g.add_constant(std::string(name) + "/b",
                                                  make_constant({dim(n)}, bias));
        const tensor_id out = b.tensor(name);
        b.g.add_node(name, ops::fully_connected(), {in, weights, offset}, {out});
        return out;
    };
    const tensor_id hidden = dense("hidden", x, w1, b1, 8, 2), active = b.tensor("active");
    b.g.add_node("active", ops::tanh(), {hidden}, {active});
    return b.done({dense("out", active, w2, b2, 3, 8)});
}
graph random_net() {
    numbers_source r(5);
    return small_net(r.take(16), r.take(8), r.take(24), r.take(3));
}
// Three classes of points around the corners of a triangle.
data_set points(std::size_t n, std::uint32_t seed = 3) {
    numbers_source r(seed);
    std::vector<float> x;
    std::vector<std::int32_t> labels;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::int32_t>(i % 3);
        x.push_back((c == 0 ? 1.0f : -0.5f) + r.next(0.5f));
        x.push_back((c == 1 ? 1.0f : -0.5f) + r.next(0.5f));
        labels.push_back(c);
    }
    return data_set::of(std::move(x), 2, std::move(labels));
}
std::vector<float> weights_of(const graph& g) {
    std::vector<float> all;
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (!g.tensor(t).value) continue;
        for (float x : g.tensor(t).value->values<float>()) all.push_back(x);
    }
    return all;
}
std::string scratch(const char* name) {
    return std::string("trainer_test_") + name + ".checkpoint";
}

} // namespace

TEST_CASE("oracle: twenty steps of a small network, loss by loss") {
    const value file = read_oracle("train_e2e");
    if (file.is_null()) return;
    for (const value& c : file["cases"].items()) {
        const std::string name(c["name"].as_string());
        if (name != "mlp/sgd_momentum" && name != "mlp/adamw") continue;
        INFO(name);
        const value &in = c["inputs"], &p = c["params"];
        trainer_options o;
        o.epochs = 20, o.batch = 16;
        o.schedule.rate = p["lr"].as_number();
        if (name == "mlp/adamw") {
            o.optimizer = optimizer_options::of(optimizer_kind::adamw);
        } else {
            o.optimizer = {};
            o.optimizer.momentum = 0.9f;
        }
        o.optimizer.weight_decay = static_cast<float>(p["weight_decay"].as_number());
        const graph g =
            small_net(numbers(in["w1"]), numbers(in["b1"]), numbers(in["w2"]), numbers(in["b2"]));
        for (const std::size_t pieces : {1, 4}) {
            o.pieces = pieces;
            const auto t = make(g, o);
            const data_set data =
                data_set::of(numbers(in["x"]), 2, numbers<std::int32_t>(in["target"]));
            serial_executor serial;
            require(t->fit(serial, data));
            REQUIRE(t->history().size() == 20);
            // AdamW of the oracle decays biases too, which moves its loss by less than the bound.
            for (std::size_t i = 0; i < 20; ++i) {
                INFO("step " << i);
                CHECK(
                    near(t->history()[i].loss, c["outputs"]["loss"].at(i).as_number(), 2e-4, 1e-5));
            }
        }
    }
}

TEST_CASE("trainer: the same bytes whatever the number of threads, and it learns") {
    trainer_options o;
    o.epochs = 12, o.batch = 32, o.pieces = 4;
    o.schedule.rate = 0.02;
    const data_set data = points(300), validation = points(99, 7);
    std::vector<float> first;
    for (const std::size_t threads : {1, 2, 5}) {
        thread_pool pool(threads);
        const auto t = make(random_net(), o);
        require(t->fit(pool, data, &validation));
        if (first.empty()) first = weights_of(t->trained());
        CHECK(weights_of(t->trained()) == first);
        CHECK(t->history().back().validation_accuracy > 0.95);
        CHECK(t->history().back().validation_loss < 0.3);
        const auto e = t->evaluate(pool, validation);
        REQUIRE(e.ok());
        CHECK(e->accuracy == t->history().back().validation_accuracy);
    }
    CHECK(first != weights_of(random_net()));
}

TEST_CASE("trainer: killed at any step and resumed, the weights are the same bytes") {
    graph_builder b;
    b.random = numbers_source(9);
    const tensor_id x = b.input({dim::named("batch"), dim(2)});
    const auto weights = b.random.take(16), more = b.random.take(24);
    const tensor_id w1 = b.g.add_constant("w1", make_constant({dim(8), dim(2)}, weights)),
                    w2 = b.g.add_constant("w2", make_constant({dim(3), dim(8)}, more));
    const auto channels = [&](const char* name, float v) {
        return b.g.add_constant(name, make_constant({dim(8)}, std::vector<float>(8, v)));
    };
    const tensor_id h = b.tensor("h"), n = b.tensor("n"), d = b.tensor("d"), y = b.tensor("y");
    b.g.add_node("h", ops::fully_connected(), {x, w1}, {h});
    b.g.add_node("n", ops::batch_norm(),
                 {h, channels("gamma", 1), channels("beta", 0), channels("mean", 0),
                  channels("variance", 1)},
                 {n});
    ops::dropout drop;
    drop.rate = 0.2f;
    b.g.add_node("d", drop, {n}, {d});
    b.g.add_node("y", ops::fully_connected(), {d, w2}, {y});
    const graph g = b.done({y});
    trainer_options o;
    o.epochs = 4, o.batch = 16, o.accumulate = 2, o.average = 0.9f, o.clip_norm = 1.0f;
    o.schedule.rate = 0.02, o.schedule.kind = schedule_kind::cosine;
    const data_set data = points(100), validation = points(30, 8); // 6 steps an epoch
    serial_executor serial;
    const auto whole = make(g, o);
    CHECK(whole->pieces() == 1);
    require(whole->fit(serial, data, &validation));
    const auto expected = weights_of(whole->trained(false)), best = weights_of(whole->trained());
    CHECK(expected != weights_of(g));
    const std::string path = scratch("kill");
    o.checkpoint = path, o.checkpoint_steps = 1;
    for (const std::uint64_t stop : {1, 5, 6, 7, 13, 23}) {
        INFO("killed after step " << stop);
        std::remove(path.c_str());
        const auto killed = make(g, o);
        require(killed->fit(serial, data, &validation,
                            [&](const train_progress& p) { return p.step < stop; }));
        const auto resumed = make(g, o);
        require(resumed->resume(path));
        CHECK(resumed->step() == stop);
        require(resumed->fit(serial, data, &validation));
        CHECK(weights_of(resumed->trained(false)) == expected);
        CHECK(weights_of(resumed->trained()) == best);
        REQUIRE(resumed->history().size() == 4);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(resumed->history()[i].loss == whole->history()[i].loss);
            CHECK(resumed->history()[i].validation_loss == whole->history()[i].validation_loss);
        }
    }
    SUBCASE("bad checkpoints") {
        auto bytes = read_file(path);
        REQUIRE(bytes.ok());
        const auto refused = [&](const char* why) {
            const auto t = make(g, o);
            const status s = t->resume(path);
            REQUIRE_FALSE(s.ok());
            INFO(std::string(s.message()));
            CHECK(std::string(s.message()).find(why) != std::string::npos);
            CHECK(t->step() == 0);
        };
        const auto less = make(g, o);
        require(less->resume(path));
        const status s = less->fit(serial, points(90), &validation);
        CHECK(std::string(s.message()).find("the checkpoint is of 100") != std::string::npos);
        auto other = o;
        o.epochs = 5; // another cosine
        refused("another model or recipe");
        o = other;
        o.batch = 20;
        refused("another model or recipe");
        o = other;
        for (const std::size_t cut : {bytes->size() - 1, bytes->size() / 2, std::size_t{40}}) {
            require(write_file_atomic(path, bytes_view(bytes->data(), cut)));
            refused("checksum");
        }
        require(write_file_atomic(path, bytes_view(bytes->data(), 20)));
        refused("no checkpoint");
        (*bytes)[100] ^= std::byte{1};
        require(write_file_atomic(path, bytes_view(bytes->data(), bytes->size())));
        refused("checksum");
    }
    std::remove(path.c_str());
}

TEST_CASE("trainer: bad input is refused by name") {
    serial_executor serial;
    const auto refused = [&](data_set data, trainer_options o, const char* why) {
        const auto t = make(random_net(), o);
        const status s = t->fit(serial, data);
        REQUIRE_FALSE(s.ok());
        INFO(std::string(s.message()));
        CHECK(std::string(s.message()).find(why) != std::string::npos);
    };
    trainer_options o;
    o.batch = 16, o.epochs = 1;
    data_set data = points(40);
    data.labels[7] = 3;
    refused(data, o, "label 7 is 3, the model has 3 classes");
    data = points(40);
    data.labels.pop_back();
    refused(data, o, "39 labels, needed 40");
    refused(points(10), o, "10 samples are less than a batch of 16");
    refused(data_set(), o, "no samples");
    data = points(40);
    const auto fill = data.fill;
    data.fill = [fill](std::size_t s, std::uint64_t e, float* to) {
        fill(s, e, to);
        if (s == 11) to[1] = std::nanf("");
    };
    o.epochs = 3;
    refused(data, o, "the input is not a number");
    trainer_options wild = o;
    wild.schedule.rate = 1e38;
    wild.optimizer = {};
    refused(points(40), wild, "is not a number");
    wild = o;
    wild.batch = 0;
    CHECK_FALSE(trainer::make(random_net(), wild).ok());
    wild.batch = 16, wild.pieces = 3;
    CHECK_FALSE(trainer::make(random_net(), wild).ok());
    differentiate_options nothing;
    nothing.trains = [](const std::string&) { return false; };
    wild = o;
    wild.differentiate = nothing;
    CHECK_FALSE(trainer::make(random_net(), wild).ok());
}

TEST_CASE("shuffled: a permutation that depends on seed and epoch, within windows") {
    const auto sorted = [](std::vector<std::uint32_t> v) {
        std::sort(v.begin(), v.end());
        return v;
    };
    std::vector<std::uint32_t> identity(1000);
    for (std::uint32_t i = 0; i < 1000; ++i) identity[i] = i;
    const auto a = shuffled(1000, 1, 0), b = shuffled(1000, 1, 1), c = shuffled(1000, 2, 0);
    CHECK(sorted(a) == identity);
    CHECK(a != identity);
    CHECK((a != b && a != c && b != c));
    CHECK(a == shuffled(1000, 1, 0));
    const auto w = shuffled(1000, 1, 0, 64);
    CHECK(sorted(w) == identity);
    for (std::uint32_t i = 0; i < 1000; ++i) CHECK(w[i] / 64 == i / 64);
}
