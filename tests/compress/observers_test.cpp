#include <kompakt/compress/observers.hpp>
#include <kompakt/quant/affine.hpp>

#include <compress/oracle.hpp>
#include <limits>

using namespace kompakt;
using kompakt_test::near;
using kompakt_test::numbers;

namespace {

span<const float> view(const std::vector<float>& v) {
    return {v.data(), v.size()};
}

affine_quantizer torch_parameters(const value_range& r, const json::value& params) {
    const integer_range range{static_cast<std::int32_t>(params["quant_min"].as_integer()),
                              static_cast<std::int32_t>(params["quant_max"].as_integer())};
    return params["qscheme"].as_string() == "symmetric"
               ? symmetric_affine<torch_rule>(r.min, r.max, range)
               : asymmetric_affine<torch_rule>(r.min, r.max, range);
}

// A bell of some values, no library's distribution.
std::vector<float> bell(std::size_t n, std::uint32_t seed = 1) {
    std::vector<float> out(n);
    for (float& x : out) {
        float sum = 0.0f;
        for (int k = 0; k < 8; ++k) {
            seed = seed * 1664525u + 1013904223u;
            sum += static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
        }
        x = sum;
    }
    return out;
}

} // namespace

TEST_CASE("oracle observers") {
    const auto file = kompakt_test::read_oracle("observers");
    std::size_t checked = 0;
    for (const auto& c : file["cases"].items()) {
        const auto &params = c["params"], &out = c["outputs"];
        CAPTURE(c["name"].as_string());
        const std::string op = c["op"].as_string();
        // Zero points that are no integers belong to embedding tables, which have no kernel here.
        if (params["qscheme"].as_string() == "affine_float") continue;
        const bool moving = op.find("MovingAverage") == 0;
        const auto constant = static_cast<float>(params["averaging_constant"].as_number(0.01));
        const auto make = [&]() -> std::unique_ptr<observer> {
            if (moving) return std::make_unique<moving_average_observer>(constant);
            return std::make_unique<min_max_observer>();
        };
        const auto& batches = c["inputs"]["batches"].items();
        if (op.find("PerChannel") == std::string::npos) {
            const auto o = make();
            for (std::size_t b = 0; b < batches.size(); ++b) {
                REQUIRE(o->observe(view(numbers(batches[b]))).ok());
                if (!moving) continue;
                const auto& trace = out["minmax_trace"].at(b);
                CHECK(near(o->range().min, trace.at(0).as_number(), 1e-6));
                CHECK(near(o->range().max, trace.at(1).as_number(), 1e-6));
            }
            const affine_quantizer a = torch_parameters(o->range(), params);
            CHECK(near(a.scale, out["scale"].as_number(), 1e-6));
            CHECK(a.zero_point == out["zero_point"].as_integer());
        } else {
            const auto axis = static_cast<std::size_t>(params["ch_axis"].as_integer());
            const auto& shape = batches[0]["shape"];
            granularity which;
            which.extent = static_cast<std::size_t>(shape.at(axis).as_integer());
            for (std::size_t i = axis + 1; i < shape.size(); ++i) {
                which.inner *= static_cast<std::size_t>(shape.at(i).as_integer());
            }
            for (std::size_t k = 0; k < which.extent; ++k) {
                const auto o = make();
                for (const auto& batch : batches) {
                    std::vector<float> slice;
                    const auto all = numbers(batch);
                    for (std::size_t i = 0; i < all.size(); ++i) {
                        if (which(i) == k) slice.push_back(all[i]);
                    }
                    REQUIRE(o->observe(view(slice)).ok());
                }
                const affine_quantizer a = torch_parameters(o->range(), params);
                CHECK(near(a.scale, numbers<double>(out["scale"])[k], 1e-6));
                CHECK(a.zero_point == numbers<std::int32_t>(out["zero_point"])[k]);
            }
        }
        ++checked;
    }
    if (!file.is_null()) CHECK(checked > 45);
}

TEST_CASE("oracle histogram_observer") {
    const auto file = kompakt_test::read_oracle("histogram_observer");
    for (const auto& c : file["cases"].items()) {
        CAPTURE(c["name"].as_string());
        const auto &params = c["params"], &out = c["outputs"];
        torch_histogram_observer o(static_cast<std::size_t>(params["bins"].as_integer()),
                                   static_cast<std::size_t>(params["upsample_rate"].as_integer()),
                                   static_cast<std::size_t>(params["dst_nbins"].as_integer()));
        for (const auto& b : c["inputs"]["batches"].items()) {
            REQUIRE(o.observe(view(numbers(b))).ok());
        }
        CHECK(near(o.observed().min, out["min"].as_number(), 1e-4));
        CHECK(near(o.observed().max, out["max"].as_number(), 1e-4));
        std::vector<double> expected(o.counts().size(), 0.0);
        for (const auto& pair : out["histogram"].items()) {
            expected[static_cast<std::size_t>(pair.at(0).as_integer())] = pair.at(1).as_number();
        }
        // Values at the very edge of a bin may fall to either side.
        double moved = 0.0, total = 0.0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            moved += std::fabs(o.counts()[i] - expected[i]);
            total += expected[i];
        }
        CHECK(moved <= 0.01 * total);
        const double width = out["bin_width"].as_number();
        const value_range r = o.range();
        CHECK(near(r.min, out["new_min"].as_number(), 0.0, 2 * width));
        CHECK(near(r.max, out["new_max"].as_number(), 0.0, 2 * width));
        const affine_quantizer a = torch_parameters(r, params);
        const double steps = static_cast<double>(a.range.qmax - a.range.qmin);
        CHECK(near(a.scale, out["scale"].as_number(), 1e-4, 2 * width / steps));
    }
}

TEST_CASE("oracle calibration: percentile, squared and absolute error, KL of TensorRT") {
    const auto file = kompakt_test::read_oracle("calibration");
    for (const auto& c : file["cases"].items()) {
        CAPTURE(c["name"].as_string());
        const auto &params = c["params"], &out = c["outputs"], &in = c["inputs"];
        const std::string op = c["op"].as_string();
        if (op == "percentile_abs") {
            // 14 bits tell all values of these data apart.
            histogram h(14);
            REQUIRE(h.add(view(numbers(in["x"]))).ok());
            const double p = params["percentile"].as_number();
            CHECK(near(percentile_of(magnitudes(h.bins()), p), out["threshold"].as_number(), 1e-4));
            percentile_observer o(p, 14);
            REQUIRE(o.observe(view(numbers(in["x"]))).ok());
            CHECK(near(o.range().min, out["lo"].as_number(), 1e-4));
            CHECK(near(o.range().max, out["hi"].as_number(), 1e-4));
        } else if (op == "grid_search_mse" || op == "grid_search_mae") {
            histogram h(14);
            REQUIRE(h.add(view(numbers(in["x"]))).ok());
            const value_range r = h.range();
            const integer_range integers{static_cast<std::int32_t>(params["qmin"].as_integer()),
                                         static_cast<std::int32_t>(params["qmax"].as_integer())};
            const range_search s = search_symmetric(h.bins(), std::fmax(-r.min, r.max), integers,
                                                    op == "grid_search_mse" ? error_norm::squared
                                                                            : error_norm::absolute);
            CHECK(s.best_step == out["best_step"].as_integer());
            CHECK(near(s.error, out["error"].as_number(), 1e-4, 1e-6));
        } else if (op == "kl_calibrate_one_sided") {
            const auto counts = numbers<double>(in["hist"]);
            const kl_search s = search_kl(
                counts, static_cast<std::size_t>(params["num_quantized_bins"].as_integer()));
            CHECK(s.best_bins == static_cast<std::size_t>(out["best_bins"].as_integer()));
            CHECK(near(s.divergence, out["divergence"].as_number(), 1e-4, 1e-6));
            const double width = in["max"].as_number() / static_cast<double>(counts.size());
            CHECK(near((static_cast<double>(s.best_bins) + 0.5) * width,
                       out["threshold"].as_number(), 1e-4));
        }
    }
}

TEST_CASE("a histogram does not depend on order and parts") {
    std::vector<float> data = bell(5000);
    data.push_back(1e6f);
    data.push_back(-0.0f);
    data.push_back(1e-30f);
    histogram whole, first, second;
    REQUIRE(whole.add(view(data)).ok());
    for (std::size_t i = data.size(); i-- > 0;) {
        REQUIRE((i % 3 == 0 ? first : second).add({&data[i], 1}).ok());
    }
    second.merge(first);
    second.merge(histogram());
    CHECK(second.count() == data.size());
    CHECK(second.range().min == whole.range().min);
    CHECK(second.range().max == 1e6f);
    const auto a = whole.bins(), b = second.bins();
    REQUIRE(a.size() == b.size());
    double before = -1e30;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i].count == b[i].count);
        CHECK(a[i].mean == b[i].mean);
        CHECK(a[i].low <= a[i].mean);
        CHECK(a[i].mean <= a[i].high);
        CHECK(a[i].mean > before);
        before = a[i].mean;
        count += a[i].count;
    }
    CHECK(count == data.size());
}

TEST_CASE("observers of nothing, constants, one outlier") {
    for (int m = 0; m < 5; ++m) {
        observer_options options;
        options.method = static_cast<calibration_method>(m);
        options.percentile = 99.99;
        CAPTURE(name_of(options.method));
        const auto nothing = make_observer(options);
        REQUIRE(nothing->observe({}).ok());
        CHECK(nothing->range().min == 0.0f);
        CHECK(nothing->range().max == 0.0f);

        const auto zeros = make_observer(options);
        REQUIRE(zeros->observe(view(std::vector<float>(100, 0.0f))).ok());
        CHECK(zeros->range().min == 0.0f);
        CHECK(zeros->range().max == 0.0f);

        const auto constant = make_observer(options);
        REQUIRE(constant->observe(view(std::vector<float>(100, -0.75f))).ok());
        CHECK(constant->range().min == doctest::Approx(-0.75).epsilon(0.01));
        CHECK(constant->range().max <= 0.0f);

        const auto outlier = make_observer(options);
        std::vector<float> data = bell(100000);
        data[17] = 1e6f;
        REQUIRE(outlier->observe(view(data)).ok());
        if (options.method == calibration_method::percentile) {
            CHECK(outlier->range().max < 10.0f);
        } else {
            CHECK(outlier->range().max > 10.0f);
        }
    }
}

TEST_CASE("NaN and infinity are errors, and nothing is taken in") {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()}) {
        for (int m = 0; m < 5; ++m) {
            observer_options options;
            options.method = static_cast<calibration_method>(m);
            const auto o = make_observer(options);
            REQUIRE(o->observe(view({1.0f, 2.0f})).ok());
            const value_range before = o->range();
            const status s = o->observe(view({100.0f, bad}));
            CHECK(s.code() == errc::bad_data);
            CHECK(std::string(s.message()).find("value 1 of 2 is ") == 0);
            CHECK(o->range().max == before.max);
        }
    }
}

TEST_CASE("searches clip what costs more than it gives") {
    // Eight bits on a bell of 10^5 values plus a few at ten times its width: the best range is
    // narrower than all values, and its error no larger than that of the full range.
    std::vector<float> data = bell(100000);
    for (std::size_t i = 0; i < 10; ++i) data[i] *= 10.0f;
    mse_observer mse(signed_range(4));
    REQUIRE(mse.observe(view(data)).ok());
    const value_range all = mse.values().range(), best = mse.range();
    CHECK(best.max < all.max);
    const auto bins = mse.values().bins();
    const auto error = [&](value_range r) {
        return quantization_error(bins, asymmetric_affine(r.min, r.max, signed_range(4)),
                                  error_norm::squared);
    };
    CHECK(error(best) < 0.5 * error(all));
    kl_observer kl;
    REQUIRE(kl.observe(view(data)).ok());
    CHECK(kl.range().max <= all.max);
    CHECK(kl.range().max > 0.5f);
}
