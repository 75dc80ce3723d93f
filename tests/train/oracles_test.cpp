// Losses, optimizers and schedules against vectors of PyTorch and of the formulas.
#include <kompakt/kernel/loss.hpp>
#include <kompakt/run/optimizer.hpp>
#include <kompakt/train/schedule.hpp>

#include <compress/oracle.hpp>

namespace {

using namespace kompakt;
using namespace kompakt_test;

std::string text(const value& v) {
    return v.is(json::kind::string) ? std::string(v.as_string()) : "";
}
double number(const value& params, const char* name, double otherwise = 0.0) {
    const value* v = params.find(name);
    return v == nullptr ? otherwise : v->as_number();
}
void compare(const std::vector<float>& given, const std::vector<double>& expected, double rtol,
             double atol) {
    REQUIRE(given.size() == expected.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        INFO("element " << i);
        CHECK(near(static_cast<double>(given[i]), expected[i], rtol, atol));
    }
}

} // namespace

TEST_CASE("oracle: losses") {
    const value file = read_oracle("losses");
    if (file.is_null()) return;
    const double rtol = file["tol"]["rtol"].as_number(), atol = file["tol"]["atol"].as_number();
    std::size_t done = 0;
    for (const value& c : file["cases"].items()) {
        const std::string name = text(c["name"]), op = text(c["op"]);
        INFO(name);
        loss_params p;
        using kind = loss_kind;
        const std::pair<const char*, kind> kinds[] = {
            {"cross_entropy", kind::cross_entropy},
            {"nll", kind::cross_entropy},
            {"cross_entropy_soft", kind::soft_cross_entropy},
            {"mse", kind::mse},
            {"l1", kind::mae},
            {"smooth_l1", kind::smooth_l1},
            {"huber", kind::huber},
            {"bce_logits", kind::binary_cross_entropy},
            {"kl_batchmean", kind::kl_divergence},
            {"cosine_embedding", kind::cosine},
            {"focal_softmax", kind::focal}};
        p.kind = kind::count;
        for (const auto& [n, k] : kinds)
            if (op == n) p.kind = k;
        REQUIRE(p.kind != kind::count);
        const value& params = c["params"];
        p.smoothing = static_cast<float>(number(params, "label_smoothing"));
        p.parameter = static_cast<float>(
            number(params, "beta", number(params, "delta", number(params, "gamma", 1.0))));
        const auto x = numbers(c["inputs"]["x"]);
        const auto rows = static_cast<std::int32_t>(extent(c["inputs"]["x"], 0)),
                   depth = static_cast<std::int32_t>(extent(c["inputs"]["x"], 1));
        std::vector<std::int32_t> labels;
        std::vector<float> targets, weights;
        const value* y = c["inputs"].find("target");
        if (y == nullptr) y = c["inputs"].find("y");
        if (takes_labels(p.kind))
            labels = numbers<std::int32_t>(*y);
        else
            targets = numbers(*y);
        for (std::int32_t r = 0; p.kind == kind::kl_divergence && r < rows; ++r) {
            // The oracle's target is logits.
            float* t = targets.data() + r * depth;
            const float sum = kompakt::detail::log_sum_exp(t, depth);
            for (std::int32_t i = 0; i < depth; ++i) t[i] = exp_f32(t[i] - sum);
        }
        for (const char* w : {"weight", "pos_weight"})
            if (c["inputs"].find(w) != nullptr) weights = numbers(c["inputs"][w]);
        std::vector<float> gradient(x.size()), each(static_cast<std::size_t>(rows));
        const loss_sum s =
            loss(p, x.data(), rows, depth, labels.empty() ? nullptr : labels.data(),
                 targets.empty() ? nullptr : targets.data(),
                 weights.empty() ? nullptr : weights.data(), gradient.data(), each.data());
        const std::string reduction =
            params.find("reduction") != nullptr ? text(params["reduction"]) : "mean";
        const float divisor = reduction == "mean" ? s.weight : 1.0f;
        for (float& g : gradient) g /= divisor;
        const value& expected = c["outputs"]["loss"];
        if (reduction == "none") {
            compare(each, numbers<double>(expected), rtol, atol);
        } else if (expected.is_number()) {
            compare({s.loss / divisor}, {expected.as_number()}, rtol, atol);
        } else {
            compare({s.loss / divisor}, numbers<double>(expected), rtol, atol);
        }
        compare(gradient, numbers<double>(c["outputs"]["grad_x"]), rtol, atol);
        ++done;
    }
    CHECK(done == 29);
}

TEST_CASE("loss: hinge, extremes, rows that are left out") {
    loss_params p;
    p.kind = loss_kind::hinge;
    const float x[] = {0.5f, 2.0f, -3.0f, 1.0f}, t[] = {1.0f, 1.0f, 1.0f, -1.0f};
    float g[4];
    loss_sum s = loss(p, x, 1, 4, nullptr, t, nullptr, g);
    CHECK(s.loss == 0.5f + 0.0f + 4.0f + 2.0f);
    CHECK(s.weight == 4.0f);
    CHECK((g[0] == -1.0f && g[1] == 0.0f && g[2] == -1.0f && g[3] == 1.0f));
    p.kind = loss_kind::cross_entropy;
    const float large[] = {1000.0f, -1000.0f, 0.0f, 0.0f};
    const std::int32_t labels[] = {1, -100};
    s = loss(p, large, 2, 2, labels, nullptr, nullptr, g);
    CHECK(s.loss == 2000.0f);
    CHECK(s.weight == 1.0f);
    CHECK((g[0] == 1.0f && g[1] == -1.0f && g[2] == 0.0f && g[3] == 0.0f));
    p.kind = loss_kind::binary_cross_entropy;
    const float logits[] = {-200.0f, 200.0f}, truth[] = {1.0f, 1.0f};
    s = loss(p, logits, 1, 2, nullptr, truth, nullptr, g);
    CHECK(s.loss == 200.0f);
    CHECK((g[0] == -1.0f && g[1] == 0.0f));
}

TEST_CASE("oracle: optimizers, ten steps") {
    const value file = read_oracle("optim");
    if (file.is_null()) return;
    const double rtol = file["tol"]["rtol"].as_number(), atol = file["tol"]["atol"].as_number();
    const value& shared = file["shared_inputs"];
    std::size_t done = 0;
    for (const value& c : file["cases"].items()) {
        const std::string name = text(c["name"]), op = text(c["op"]);
        INFO(name);
        const value& params = c["params"];
        const auto expect_steps = [&](const value& out, const auto& step) {
            for (const value& row : out.items()) {
                std::vector<float> now = step();
                compare(now, numbers<double>(row), rtol, atol);
            }
            ++done;
        };
        if (c["inputs"].is(json::kind::string)) { // the shared ones
            std::string kind = op.substr(0, op.find('_'));
            if (kind == "momentum" || kind == "nesterov") kind = "sgd";
            const bool ams = kind == "amsgrad";
            if (ams) kind = "adam";
            optimizer_options o;
            o.kind = optimizer_kind::count;
            for (std::int32_t k = 0; k < static_cast<std::int32_t>(optimizer_kind::count); ++k)
                if (kind == name_of(static_cast<optimizer_kind>(k)))
                    o = optimizer_options::of(static_cast<optimizer_kind>(k));
            REQUIRE(o.kind != optimizer_kind::count);
            o.momentum = static_cast<float>(number(params, "momentum"));
            o.dampening = static_cast<float>(number(params, "dampening"));
            o.weight_decay = static_cast<float>(number(params, "weight_decay"));
            o.epsilon = static_cast<float>(number(params, "eps", static_cast<double>(o.epsilon)));
            o.alpha = static_cast<float>(
                number(params, "alpha", number(params, "rho", static_cast<double>(o.alpha))));
            o.nesterov = params.find("nesterov") != nullptr && params["nesterov"].as_boolean();
            o.centered = params.find("centered") != nullptr && params["centered"].as_boolean();
            o.amsgrad = ams;
            if (params.find("betas") != nullptr) {
                o.beta1 = static_cast<float>(params["betas"].at(0).as_number());
                o.beta2 = static_cast<float>(params["betas"].at(1).as_number());
            }
            auto p = numbers(shared["p0"]);
            std::vector<float> memory(optimizer_floats(o, p.size()), 0.0f);
            std::int32_t t = 0;
            expect_steps(c["outputs"]["p"], [&] {
                const auto g = numbers(shared["grads"].at(static_cast<std::size_t>(t)));
                optimizer_update(o, {static_cast<float>(number(params, "lr")), ++t},
                                 {p.data(), p.size()}, {g.data(), g.size()}, memory.data());
                return p;
            });
            continue;
        }
        if (op == "sam" || op == "lookahead" || op == "weight_average") {
            const auto a = numbers(c["inputs"]["A"]), bias = numbers(c["inputs"]["c"]);
            auto p = numbers(c["inputs"]["p0"]);
            const std::size_t n = p.size();
            const auto slope = [&] {
                std::vector<float> g(n);
                for (std::size_t i = 0; i < n; ++i) {
                    g[i] = -bias[i];
                    for (std::size_t k = 0; k < n; ++k) g[i] += a[i * n + k] * p[k];
                }
                return g;
            };
            const auto descend = [&](const std::vector<float>& g) {
                optimizer_update({}, {static_cast<float>(number(params, "lr")), 1}, {p.data(), n},
                                 {g.data(), n}, nullptr);
            };
            std::vector<float> other = p;
            std::int32_t t = 0;
            if (op == "sam") {
                expect_steps(c["outputs"]["p"], [&] {
                    auto g = slope();
                    const span<float> all[] = {{g.data(), n}};
                    sam_ascend({p.data(), n}, {g.data(), n}, gradient_norm({all, 1}),
                               static_cast<float>(number(params, "rho")), {other.data(), n});
                    g = slope();
                    p = other;
                    descend(g);
                    return p;
                });
            } else if (op == "lookahead") {
                expect_steps(c["outputs"]["p"], [&] {
                    descend(slope());
                    if (++t % 5 == 0) look_ahead({other.data(), n}, {p.data(), n}, 0.5f);
                    return p;
                });
            } else {
                expect_steps(c["outputs"]["ema"], [&] {
                    descend(slope());
                    average_exponentially({other.data(), n}, {p.data(), n}, 0.9f);
                    return other;
                });
            }
            continue;
        }
        const double most = number(params, "max_norm");
        if (op == "clip_grad_value") {
            auto g = numbers(c["inputs"]["grad"]);
            clip_by_value({g.data(), g.size()}, static_cast<float>(number(params, "clip")));
            compare(g, numbers<double>(c["outputs"]["grad"]), rtol, atol);
            ++done;
            continue;
        }
        REQUIRE(op == "clip_grad_norm");
        std::vector<std::vector<float>> gradients;
        for (const value& g : c["inputs"]["grads"].items()) gradients.push_back(numbers(g));
        std::vector<span<float>> views;
        for (auto& g : gradients) views.emplace_back(g.data(), g.size());
        const value& type = params["norm_type"];
        const norm_kind kind = type.is(json::kind::string) ? norm_kind::infinity
                               : type.as_number() == 1.0   ? norm_kind::one
                                                           : norm_kind::two;
        const float total =
            clip_by_norm({views.data(), views.size()}, static_cast<float>(most), kind);
        compare({total}, {c["outputs"]["total_norm"].as_number()}, rtol, atol);
        for (std::size_t i = 0; i < gradients.size(); ++i)
            compare(gradients[i], numbers<double>(c["outputs"]["grads"].at(i)), rtol, atol);
        ++done;
    }
    CHECK(done == file["cases"].items().size());
}

TEST_CASE("oracle: schedules") {
    const value file = read_oracle("sched");
    if (file.is_null()) return;
    const double rtol = file["tol"]["rtol"].as_number(), atol = file["tol"]["atol"].as_number();
    std::size_t done = 0;
    for (const value& c : file["cases"].items()) {
        const std::string name = text(c["name"]), op = text(c["op"]);
        INFO(name);
        const value& p = c["params"];
        ++done;
        if (op == "batch_lr_scaling") {
            const double rate = c["inputs"]["base_lr"].as_number(),
                         batch = c["inputs"]["base_batch"].as_number();
            for (std::size_t i = 0; i < 4; ++i) {
                const double other = c["inputs"]["batch"].at(i).as_number();
                CHECK(near(scaled_rate(rate, batch, other),
                           c["outputs"]["linear"].at(i).as_number(), rtol, atol));
                CHECK(near(root_scaled_rate(rate, batch, other),
                           c["outputs"]["sqrt"].at(i).as_number(), rtol, atol));
            }
            continue;
        }
        if (op == "plateau") {
            plateau s;
            s.rate = number(p, "base_lr"), s.factor = number(p, "factor");
            s.patience = 2, s.cooldown = 1, s.least = number(p, "min_lr");
            for (std::size_t i = 0; i < c["inputs"]["metrics"].items().size(); ++i) {
                CHECK(near(s.update(c["inputs"]["metrics"].at(i).as_number()),
                           c["outputs"]["lr_after"].at(i).as_number(), rtol, atol));
            }
            continue;
        }
        schedule s;
        s.rate = number(p, "base_lr", number(p, "max_lr", 1.0));
        s.gamma = number(p, "gamma", 0.1);
        s.least = number(p, "eta_min");
        const auto whole = [&](const char* n) { return static_cast<std::int64_t>(number(p, n)); };
        using kind = schedule_kind;
        if (op == "step") s.kind = kind::step, s.period = whole("step_size");
        if (op == "multistep") s.kind = kind::multistep, s.milestones = {4, 9, 15};
        if (op == "exponential") s.kind = kind::exponential;
        if (op == "cosine") s.kind = kind::cosine, s.total = whole("T_max");
        if (op == "cosine_restarts")
            s.kind = kind::cosine_restarts, s.period = whole("T_0"), s.grow = whole("T_mult");
        if (op == "linear_warmup")
            s.warmup = whole("total_iters"), s.warmup_from = number(p, "start_factor");
        if (op == "constant") s.factor = number(p, "factor"), s.total = whole("total_iters");
        if (op == "polynomial")
            s.kind = kind::polynomial, s.total = whole("total_iters"), s.power = number(p, "power");
        if (op == "warmup_then_cosine") {
            s.kind = kind::cosine, s.total = whole("T_max"), s.warmup = whole("warmup");
            s.warmup_from = number(p, "start_factor");
        }
        if (op == "onecycle") {
            s.kind = kind::one_cycle, s.total = whole("total_steps");
            s.up = number(p, "pct_start"), s.first_divisor = number(p, "div_factor");
            s.last_divisor = number(p, "final_div_factor");
            s.straight = text(p["anneal_strategy"]) == "linear";
            s.three_phases = p["three_phase"].as_boolean();
        }
        if (op == "cyclic") {
            s.kind = kind::cyclic, s.period = whole("step_size_up");
            s.least = number(p, "base_lr"), s.rate = number(p, "max_lr");
            s.halves = text(p["mode"]) == "triangular2", s.fades = text(p["mode"]) == "exp_range";
        }
        if (op == "budgeted_linear") s.kind = kind::linear, s.total = whole("budget");
        if (op == "inverse_sqrt_noam")
            s.kind = kind::noam, s.width = whole("d_model"), s.warmup = whole("warmup");
        if (op == "warmup_stable_decay") {
            s.kind = kind::warmup_stable_decay, s.warmup = whole("warmup");
            s.period = whole("decay"), s.total = whole("total");
        }
        CHECK(s.check().ok());
        std::int64_t t = 0;
        for (const value& lr : c["outputs"]["lr"].items()) {
            INFO("step " << t);
            CHECK(near(s.at(t), lr.as_number(), rtol, atol));
            if (c["outputs"].find("momentum") != nullptr) {
                CHECK(near(s.momentum_at(t),
                           c["outputs"]["momentum"].at(static_cast<std::size_t>(t)).as_number(),
                           rtol, atol));
            }
            ++t;
        }
    }
    CHECK(done == 20);
}
