#include <kompakt/numeric/half.hpp>
#include <kompakt/quant/parameters.hpp>

#include <compress/oracle.hpp>
#include <cstring>
#include <limits>

using namespace kompakt;
using kompakt_test::extent;
using kompakt_test::near;
using kompakt_test::numbers;
using kompakt_test::read_oracle;

namespace {
const float infinity = std::numeric_limits<float>::infinity();
const float nan_value = std::numeric_limits<float>::quiet_NaN();

span<const float> view(const std::vector<float>& v) {
    return {v.data(), v.size()};
}
span<const float> row(const std::vector<float>& v, std::size_t i, std::size_t n) {
    return {v.data() + i * n, n};
}
} // namespace

TEST_CASE("non-uniform quantizers against the oracle") {
    const auto oracle = read_oracle("nonuniform");
    if (oracle["cases"].items().empty()) return;
    std::size_t seen = 0;
    for (const auto& c : oracle["cases"].items()) {
        const std::string op = c["op"].as_string();
        CAPTURE(c["name"].as_string());
        if (op == "xnor_binary" || op == "ternary") {
            const auto w = numbers(c["inputs"]["w"]);
            const std::size_t n = extent(c["inputs"]["w"], 1);
            const auto alpha = numbers<double>(c["outputs"]["alpha"]);
            const auto q = numbers<int>(c["outputs"][op == "ternary" ? "t" : "b"]);
            for (std::size_t f = 0; f < alpha.size(); ++f) {
                if (op == "ternary") {
                    const auto t = fit_ternary(row(w, f, n));
                    REQUIRE(t.ok());
                    CHECK(near(t->scale, alpha[f], 1e-5, 1e-6));
                    CHECK(
                        near(t->threshold, numbers<double>(c["outputs"]["delta"])[f], 1e-5, 1e-6));
                    for (std::size_t i = 0; i < n; ++i) {
                        CHECK(t->quantize(w[f * n + i]) == q[f * n + i]);
                    }
                } else {
                    const auto b = fit_binary(row(w, f, n));
                    REQUIRE(b.ok());
                    CHECK(near(b->scale, alpha[f], 1e-5, 1e-6));
                    for (std::size_t i = 0; i < n; ++i) {
                        CHECK(b->quantize(w[f * n + i]) == q[f * n + i]);
                    }
                }
            }
        } else if (op == "ternary_max_threshold") {
            const auto w = numbers(c["inputs"]["w"]);
            const auto q = numbers<int>(c["outputs"]["t"]);
            const auto t = fit_ternary(view(w), max_threshold{});
            REQUIRE(t.ok());
            CHECK(near(t->threshold, c["outputs"]["delta"].as_number(), 1e-5, 1e-6));
            for (std::size_t i = 0; i < w.size(); ++i) CHECK(t->quantize(w[i]) == q[i]);
        } else if (op == "log2_quant") {
            const auto x = numbers(c["inputs"]["x"]);
            const auto e = numbers<int>(c["outputs"]["exponent"]);
            const auto y = numbers(c["outputs"]["y"]);
            const int bits = static_cast<int>(c["params"]["bits"].as_integer());
            const auto q = fit_log2(view(x), bits);
            REQUIRE(q.ok());
            CHECK(q->highest + 1 == c["params"]["fsr"].as_integer());
            for (std::size_t i = 0; i < x.size(); ++i) {
                CHECK(q->split(x[i]).exponent == e[i]);
                CHECK(q->dequantize(q->quantize(x[i])) == y[i]);
            }
        } else if (op == "apot_levels") {
            const auto levels = numbers<double>(c["outputs"]["levels"]);
            std::vector<float> out(levels.size());
            REQUIRE(apot_levels(static_cast<int>(c["params"]["bits_unsigned"].as_integer()),
                                static_cast<int>(c["params"]["k"].as_integer()),
                                {out.data(), out.size()})
                        .ok());
            for (std::size_t i = 0; i < out.size(); ++i) CHECK(near(out[i], levels[i], 1e-5, 1e-6));
        } else if (op == "kmeans_codebook") {
            const auto w = numbers(c["inputs"]["w"]), g = numbers(c["inputs"]["grad_w"]);
            const auto book = numbers<double>(c["outputs"]["codebook"]),
                       slope = numbers<double>(c["outputs"]["grad_codebook"]);
            const auto index = numbers<int>(c["outputs"]["index"]);
            std::vector<float> levels(book.size()), gradient(book.size());
            std::vector<codebook_cell> cells(book.size());
            const span<float> to(levels.data(), levels.size());
            REQUIRE(linear_levels(view(w), to).ok());
            REQUIRE(fit_codebook(view(w), to, {cells.data(), cells.size()}).ok());
            std::vector<std::uint8_t> q;
            for (std::size_t i = 0; i < w.size(); ++i) {
                q.push_back(
                    static_cast<std::uint8_t>(codebook_quantizer{view(levels)}.quantize(w[i])));
                CHECK(q.back() == index[i]);
            }
            codebook_gradient(span<const std::uint8_t>(q.data(), q.size()), view(g),
                              {gradient.data(), gradient.size()});
            for (std::size_t i = 0; i < book.size(); ++i) {
                CHECK(near(levels[i], book[i], 1e-5, 1e-6));
                CHECK(near(gradient[i], slope[i], 1e-5, 1e-6));
            }
        } else {
            CHECK(op == "huffman_length"); // of another room
            continue;
        }
        ++seen;
    }
    CHECK(seen == 9);
}

TEST_CASE("integers and real numbers of torch") {
    const auto oracle = read_oracle("int_quant");
    if (oracle["cases"].items().empty()) return;
    std::size_t seen = 0;
    for (const auto& c : oracle["cases"].items()) {
        if (c["op"].as_string() != "quantize_per_channel") continue;
        const auto x = numbers(c["inputs"]["x"]), scale = numbers(c["inputs"]["scale"]),
                   back = numbers<float>(c["outputs"]["dq"]);
        const auto z = numbers<std::int32_t>(c["inputs"]["zero_point"]);
        const auto q = numbers<int>(c["outputs"]["q"]);
        quantizer_parameters p;
        p.which.extent = extent(c["inputs"]["x"], 0);
        p.which.inner = extent(c["inputs"]["x"], 1);
        p.scales = view(scale);
        p.zero_points = {z.data(), z.size()};
        REQUIRE(p.check(x.size()).ok());
        for (std::size_t i = 0; i < x.size(); ++i) {
            CHECK(p.quantize<half_even, by_reciprocal>(i, x[i]) == q[i]);
            CHECK(near(p.dequantize(i, q[i]), back[i], 1e-7));
        }
        ++seen;
    }
    CHECK(seen == 1);
}

TEST_CASE("the integer linear layers of qnnpack, rounded once and twice") {
    const auto oracle = read_oracle("int_quant");
    if (oracle["cases"].items().empty()) return;
    std::size_t seen = 0;
    for (const auto& c : oracle["cases"].items()) {
        if (c["op"].as_string() != "quantized_linear") continue;
        const auto x = numbers<std::int32_t>(c["inputs"]["x"]),
                   w = numbers<std::int32_t>(c["inputs"]["w"]),
                   sums = numbers<std::int32_t>(c["outputs"]["acc_int32"]),
                   y = numbers<std::int32_t>(c["outputs"]["y"]);
        const auto bias = numbers(c["inputs"]["bias"]);
        const auto& p = c["params"];
        const double real =
            p["x_scale"].as_number() * p["w_scale"].as_number() / p["y_scale"].as_number();
        int shift = 0;
        const auto q31 = static_cast<std::int32_t>(std::lround(std::frexp(real, &shift) * 0x1p31));
        const std::size_t depth = extent(c["inputs"]["w"], 1), outs = extent(c["inputs"]["w"], 0);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t n = i / outs, o = i % outs;
            std::int32_t sum = half_even::apply(static_cast<float>(
                bias[o] / (p["x_scale"].as_number() * p["w_scale"].as_number())));
            for (std::size_t k = 0; k < depth; ++k) {
                sum += (x[n * depth + k] - static_cast<std::int32_t>(p["x_zp"].as_integer())) *
                       w[o * depth + k];
            }
            const std::int32_t z = static_cast<std::int32_t>(p["y_zp"].as_integer());
            CHECK(std::abs(clamp(requantize<single_rounding>(sum, q31, shift) + z, 0, 255) -
                           y[i]) <= 1);
            CHECK(std::abs(clamp(requantize<double_rounding>(sum, q31, shift) + z, 0, 255) -
                           y[i]) <= 1);
            CHECK(sum == sums[i]);
        }
        ++seen;
    }
    CHECK(seen == 3);
}

TEST_CASE("ties, extremes, and numbers that are none") {
    CHECK(binary_quantizer::quantize(0.0f) == 1);
    CHECK(binary_quantizer::quantize(-0.0f) == 1);
    CHECK(ternary_quantizer{1.0f, 0.5f}.quantize(0.5f) == 0);
    CHECK(ternary_quantizer{1.0f, 0.5f}.quantize(-0.5f) == 0);
    // 2^(k + 1/2) lies between two floats; 1.5 2^k is one.
    const log2_quantizer q{-7, 3};
    const float below = std::sqrt(2.0f), above = std::nextafter(below, 2.0f);
    CHECK(below * static_cast<double>(below) < 2.0);
    CHECK(above * static_cast<double>(above) > 2.0);
    CHECK(q.split(above).exponent == 1);
    CHECK(q.split(below).exponent == 0);
    CHECK(q.split<nearest_value>(1.5f).exponent == 1);
    CHECK(q.split<nearest_value>(std::nextafter(1.5f, 0.0f)).exponent == 0);
    CHECK(q.dequantize(q.quantize<nearest_value>(0x1p-8f)) == 0x1p-7f);
    CHECK(q.quantize<nearest_value>(std::nextafter(0x1p-8f, 0.0f)) == 0);
    CHECK(q.quantize(0x1p-8f) == 0);
    CHECK(q.quantize(-100.0f) == -11);
    CHECK(q.quantize(-infinity) == -11);
    CHECK(q.quantize(nan_value) == 0);
    CHECK(floor_log2(std::numeric_limits<float>::denorm_min()) == -149);
    CHECK(floor_log2(std::numeric_limits<float>::max()) == 127);
    // Equally near levels: the lower index, whatever their order.
    const float levels[] = {1.0f, -1.0f, 0.0f};
    CHECK(codebook_quantizer{levels}.quantize(0.5f) == 0);
    CHECK(codebook_quantizer{levels}.quantize(-0.5f) == 1);

    for (const float bad : {nan_value, infinity, -infinity}) {
        std::vector<float> v = {1.0f, bad, 2.0f}, room(2);
        const span<float> to(room.data(), room.size());
        CHECK(!fit_binary(view(v)).ok());
        CHECK(!fit_ternary(view(v)).ok());
        CHECK(!fit_log2(view(v), 3).ok());
        CHECK(!fit_power_of_two(view(v), 3).ok());
        CHECK(!fit_qmn(view(v), 8).ok());
        CHECK(!linear_levels(view(v), to).ok());
        CHECK(std::strstr(fit_binary(view(v)).error().message(), "element 1 of 3") != nullptr);
    }
    const std::vector<float> some = {1.0f};
    CHECK(!fit_log2(view(some), 0).ok());
    CHECK(!fit_log2(view(some), 8).ok());
    CHECK(!fit_qmn(view(some), 17).ok());
    float sixteen[16];
    CHECK(!apot_levels(5, 2, sixteen).ok());
    CHECK(!apot_levels(2, 2, sixteen).ok());
}

TEST_CASE("dead and constant channels, an outlier, numbers near both ends of float") {
    for (const std::size_t channels : {1u, 255u, 257u, 1001u}) {
        std::vector<float> dead(channels), constant(channels, -0.25f), outlier(channels, 0.5f);
        outlier[channels / 2] = 1e6f;
        CHECK(fit_binary(view(dead))->scale == 0.0f);
        CHECK(fit_ternary(view(dead))->scale == 0.0f);
        CHECK(fit_ternary(view(dead))->quantize(0.0f) == 0);
        CHECK(fit_log2(view(dead), 3)->quantize(0.0f) == 0);
        CHECK(fit_qmn(view(dead), 8)->fraction == 7);
        CHECK(fit_binary(view(constant))->scale == 0.25f);
        CHECK(fit_ternary(view(constant))->scale == 0.25f);
        CHECK(fit_ternary(view(constant))->quantize(-0.25f) == -1);
        CHECK(fit_qmn(view(constant), 8)->fraction == 9);
        CHECK(fit_qmn(view(constant), 8)->quantize(-0.25f) == -128);
        const double mean =
            (0.5 * static_cast<double>(channels - 1) + 1e6) / static_cast<double>(channels);
        CHECK(near(fit_binary(view(outlier))->scale, mean, 1e-6));
        CHECK(fit_ternary(view(outlier))->scale == 1e6f);
        std::vector<float> levels(4);
        std::vector<codebook_cell> cells(4);
        const span<float> to(levels.data(), 4);
        REQUIRE(linear_levels(view(outlier), to).ok());
        REQUIRE(fit_codebook(view(outlier), to, {cells.data(), 4}).ok());
        const codebook_quantizer book{view(levels)};
        CHECK(book.dequantize(book.quantize(1e6f)) == 1e6f);
        if (channels > 1) CHECK(book.dequantize(book.quantize(0.5f)) == 0.5f);
    }
    const std::vector<float> huge(1000, std::numeric_limits<float>::max()), tiny(3, 1e-44f);
    CHECK(near(fit_binary(view(huge))->scale, huge[0], 1e-6));
    CHECK(near(fit_ternary(view(huge))->scale, huge[0], 1e-6));
    CHECK(fit_binary(view(tiny))->scale == tiny[0]);
    const auto q = fit_log2(view(tiny), 2);
    CHECK(q->dequantize(q->quantize(tiny[0])) > 0.0f);
    // A million equal weights: plain float sums would be off in the third digit.
    const std::vector<float> many(1000000, 0.1f);
    CHECK(fit_binary(view(many))->scale == 0.1f);
}

TEST_CASE("Qm.n") {
    using q7 = qmn<std::int8_t, 7>;
    using q15 = qmn<std::int16_t, 15>;
    static_assert(q7::of(0.5f).raw == 64 && q7::of(1.0f).raw == 127 && q7::of(-1.0f).raw == -128);
    static_assert((q15::of(0.5f) * q15::of(-0.25f)).value() == -0.125f);
    CHECK((q7{-128} * q7{-128}).raw == 127);
    CHECK((q7{127} + q7{1}).raw == 127);
    CHECK((q7{-128} - q7{1}).raw == -128);
    CHECK((-q7{-128}).raw == 127);
    for (int a = -128; a < 128; ++a) {
        for (int b = -128; b < 128; ++b) {
            const q7 x{static_cast<std::int8_t>(a)}, y{static_cast<std::int8_t>(b)};
            const int product = static_cast<int>(std::lround(a * b / 128.0));
            CHECK((x * y).raw == (product > 127 ? 127 : product));
        }
    }
    const std::vector<float> v = {0.75f, -3.0f, 2.9f};
    CHECK(fit_qmn(view(v), 8)->fraction == 5);
    CHECK(fit_qmn(view(v), 16)->fraction == 13);
    CHECK(fit_qmn(view(v), 8)->quantize(-3.0f) == -96);
    const std::vector<float> wide = {1e6f};
    CHECK(fit_qmn(view(wide), 8)->fraction == -13);
    CHECK(near(fit_qmn(view(wide), 8)->dequantize(fit_qmn(view(wide), 8)->quantize(1e6f)), 1e6,
               1e-2));
    // Many small numbers and one just beyond a power of two: a finer step is better.
    std::vector<float> mostly(1000, 0.305f);
    mostly.push_back(1.01f);
    CHECK(fit_qmn(view(mostly), 8)->fraction == 6);
    CHECK(fit_qmn_by_error(view(mostly), 8)->fraction == 7);
}

TEST_CASE("stochastic rounding is right in the mean and depends on the place only") {
    const stochastic random{philox(7, 3), 5};
    for (const float x : {-2.75f, -0.125f, 0.0f, 0.25f, 3.5f}) {
        double sum = 0.0;
        const std::uint64_t n = 20000;
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::int32_t q = random.apply(x, i);
            CHECK((q == std::floor(x) || q == std::ceil(x)));
            CHECK(q == random.apply(x, i));
            sum += q;
        }
        // Five standard deviations of the mean of n trials.
        CHECK(std::fabs(sum / static_cast<double>(n) - static_cast<double>(x)) < 5 * 0.5 / 141.0);
    }
    const affine_quantizer a{0.5f, 3, signed_range(4)};
    CHECK(a.quantize(100.0f, random, 0) == 7);
    CHECK(a.quantize(-100.0f, random, 0) == -8);
}

TEST_CASE("every scheme and granularity by one parameter type") {
    const float scales[] = {0.5f, 2.0f, 4.0f, 8.0f}, thresholds[] = {0.25f, 1.0f, 2.0f, 4.0f},
                levels[] = {-1.0f, 0.0f, 0.5f, 1.0f};
    quantizer_parameters p;
    p.scales = scales;
    p.thresholds = thresholds;
    p.levels = levels;
    p.bits = 2;
    p.which = {4, 1, 2}; // two groups of two
    REQUIRE(p.check(4).ok());
    CHECK(p.quantize(0, 10.0f) == 1);
    CHECK(p.quantize(2, 1.0f) == 1); // half of a step, away
    CHECK(p.quantize(2, -100.0f) == -2);
    p.scheme = scheme::ternary;
    CHECK(p.dequantize(0, p.quantize(0, 0.3f)) == 0.5f);
    CHECK(p.dequantize(3, p.quantize(3, 0.3f)) == 0.0f);
    p.scheme = scheme::binary;
    CHECK(p.dequantize(3, p.quantize(3, -0.1f)) == -2.0f);
    p.scheme = scheme::log2;
    CHECK(p.dequantize(3, p.quantize(3, -3.9f)) == -4.0f);
    CHECK(p.quantize(3, 1.0f) == 0);
    p.scheme = scheme::codebook;
    CHECK(p.dequantize(3, p.quantize(3, 0.9f)) == 1.0f);
    REQUIRE(p.check(4).ok());
    p.bits = 3;
    CHECK(!p.check(4).ok()); // four levels
    p.bits = 0;
    CHECK(!p.check(4).ok());
    p.bits = 2;
    p.which = {5, 1, 0};
    const status few = p.check(5);
    REQUIRE(!few.ok());
    CHECK(std::strstr(few.message(), "codebook: 4 scales, needed 5") != nullptr);
}

TEST_CASE("half and bfloat") {
    // Every half there and back; what lies between two goes to the nearer, a tie to the even one.
    for (std::uint32_t h = 0; h < 0x7c00; ++h) {
        const auto a = static_cast<std::uint16_t>(h);
        const float x = float_of_half(a);
        const float next =
            h == 0x7bff ? 65536.0f : float_of_half(static_cast<std::uint16_t>(h + 1));
        const float middle = (x + next) / 2;
        bool same = half_of_float(x) == h && half_of_float(-x) == (h | 0x8000u);
        same = same && half_of_float(middle) == (h % 2 == 0 ? h : h + 1);
        same = same && half_of_float(std::nextafter(middle, 0.0f)) == h;
        same = same && half_of_float(std::nextafter(middle, infinity)) == h + 1;
        if (!same) FAIL_CHECK(h);
    }
    CHECK(half_of_float(infinity) == 0x7c00);
    CHECK(half_of_float(-std::numeric_limits<float>::max()) == 0xfc00);
    CHECK(half_of_float(nan_value) == 0x7e00);
    CHECK(std::isnan(float_of_half(0x7c01)));
    CHECK(half_of_float(1e-30f) == 0);

    CHECK(bfloat_of_float(1.0f) == 0x3f80);
    CHECK(bfloat_of_float(1.00390625f) == 0x3f80); // a tie
    CHECK(bfloat_of_float(std::nextafter(1.00390625f, 2.0f)) == 0x3f81);
    CHECK(bfloat_of_float(1.01171875f) == 0x3f82); // a tie
    CHECK(bfloat_of_float(std::numeric_limits<float>::max()) == 0x7f80);
    CHECK(bfloat_of_float(-infinity) == 0xff80);
    CHECK(std::isnan(float_of_bfloat(bfloat_of_float(nan_value))));
    CHECK(std::isnan(float_of_bfloat(bfloat_of_float(float_of_bits(0x7f800001u)))));
    for (std::uint32_t h = 0; h < 0x7f80; ++h) {
        if (bfloat_of_float(float_of_bfloat(static_cast<std::uint16_t>(h))) != h) FAIL_CHECK(h);
    }
}
