#include <kompakt/quant/affine.hpp>
#include <kompakt/quant/packing.hpp>

#include <compress/oracle.hpp>
#include <limits>

using namespace kompakt;
using kompakt_test::numbers;

static_assert(half_even::apply(2.5f) == 2 && half_away::apply(2.5f) == 3 &&
              half_up::apply(2.5f) == 3);
static_assert(asymmetric_affine(-1.0f, 3.0f, signed_range(8)).range.qmax == 127);

TEST_CASE("rounding policies differ in ties only") {
    const float ties[] = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f};
    const std::int32_t even[] = {-2, -2, 0, 0, 2, 2}, away[] = {-3, -2, -1, 1, 2, 3},
                       up[] = {-2, -1, 0, 1, 2, 3};
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(half_even::apply(ties[i]) == even[i]);
        CHECK(half_away::apply(ties[i]) == away[i]);
        CHECK(half_up::apply(ties[i]) == up[i]);
    }
    // The float below one half: adding a half to it would round up.
    const float below = std::nextafter(0.5f, 0.0f);
    CHECK(half_even::apply(below) == 0);
    CHECK(half_away::apply(below) == 0);
    CHECK(half_up::apply(below) == 0);
    CHECK(half_up::apply(-below) == 0);
    for (float x = -1000.0f; x < 1000.0f; x += 0.37f) {
        CHECK(half_even::apply(x) == static_cast<std::int32_t>(std::nearbyint(x)));
        CHECK(half_away::apply(x) == static_cast<std::int32_t>(std::round(x)));
        CHECK(half_up::apply(x) ==
              static_cast<std::int32_t>(std::floor(static_cast<double>(x) + 0.5)));
    }
    CHECK(half_away::apply(std::numeric_limits<float>::infinity()) == 1 << 30);
    CHECK(half_even::apply(-std::numeric_limits<float>::infinity()) == -(1 << 30));
    CHECK(half_up::apply(std::numeric_limits<float>::quiet_NaN()) == 0);
}

TEST_CASE("parameters of a range") {
    const affine_quantizer a = asymmetric_affine(-1.0f, 3.0f, signed_range(8));
    CHECK(a.scale == 4.0f / 255.0f);
    CHECK(a.zero_point == -64); // -128 + 63.75
    CHECK(a.quantize(0.0f) == a.zero_point);
    CHECK(a.dequantize(a.zero_point) == 0.0f);
    CHECK(a.quantize(100.0f) == 127);
    CHECK(a.quantize(-100.0f) == -128);
    // 0 belongs to every range.
    CHECK(asymmetric_affine(2.0f, 4.0f, signed_range(8)).zero_point == -128);
    CHECK(asymmetric_affine(2.0f, 4.0f, signed_range(8)).scale == 4.0f / 255.0f);
    CHECK(asymmetric_affine(-4.0f, -2.0f, signed_range(8)).zero_point == 127);
    // Both divisors, and the restricted range.
    CHECK(symmetric_affine(-2.0f, 1.0f, signed_range(8, true)).scale == 2.0f / 127.0f);
    CHECK(symmetric_affine<torch_rule>(-2.0f, 1.0f, signed_range(8)).scale == 2.0f / 127.5f);
    CHECK(signed_range(8, true).qmin == -127);
    // Where nothing is left of the scale, and where the width of the range overflows.
    CHECK(asymmetric_affine(0.0f, 0.0f, signed_range(8)).scale == 0x1p-60f);
    CHECK(asymmetric_affine(-1e-42f, 1e-42f, signed_range(8)).scale == 0x1p-60f);
    CHECK(asymmetric_affine<torch_rule>(0.0f, 0.0f, signed_range(8)).scale == 0x1p-23f);
    const float huge = std::numeric_limits<float>::max();
    const affine_quantizer h = asymmetric_affine(-huge, huge, signed_range(8));
    CHECK(std::isfinite(h.scale));
    CHECK(h.quantize(huge) == 127);
    for (int bits = 1; bits <= 16; ++bits) {
        const affine_quantizer b = asymmetric_affine(-3.0f, 1.0f, signed_range(bits));
        for (float x = -3.0f; x <= 1.0f; x += 0.01f) {
            // The nudge of the zero point cuts off half a step at either end.
            CHECK(std::fabs(b.dequantize(b.quantize(x)) - x) <= b.scale * 1.001f);
        }
        CHECK(unsigned_range(bits).qmax - unsigned_range(bits).qmin ==
              signed_range(bits).qmax - signed_range(bits).qmin);
    }
}

TEST_CASE("granularity") {
    CHECK(granularity{}(17) == 0);
    const granularity channels{3, 4, 0}; // axis 1 of [n, 3, 4]
    CHECK(channels(0) == 0);
    CHECK(channels(4) == 1);
    CHECK(channels(11) == 2);
    CHECK(channels(12) == 0);
    const granularity groups{10, 1, 4}; // last axis of [n, 10]: runs of 4, 4 and 2
    CHECK(groups(3) == 0);
    CHECK(groups(4) == 1);
    CHECK(groups(9) == 2);
    CHECK(groups(10) == 3);
    const granularity middle{4, 2, 2}; // axis 1 of [n, 4, 2]
    CHECK(middle(0) == 0);
    CHECK(middle(1) == 1);
    CHECK(middle(2) == 0);
    CHECK(middle(4) == 2);
    CHECK(middle(8) == 4);
}

TEST_CASE("packing puts the first element in the low bits") {
    const std::int8_t four[] = {1, -2, 7, -8, 3};
    std::byte bytes[3];
    pack_values<4>(span<const std::int8_t>(four), bytes_span(bytes, 3));
    CHECK(static_cast<int>(bytes[0]) == 0xe1);
    CHECK(static_cast<int>(bytes[1]) == 0x87);
    CHECK(static_cast<int>(bytes[2]) == 0x03);
    std::int8_t back[5];
    unpack_signed_values<4>(bytes_view(bytes, 3), span<std::int8_t>(back));
    for (std::size_t i = 0; i < 5; ++i) CHECK(back[i] == four[i]);

    const std::int8_t two[] = {0, 1, -2, -1, 1};
    pack_values<2>(span<const std::int8_t>(two), bytes_span(bytes, 2));
    CHECK(static_cast<int>(bytes[0]) == 0xe4);
    CHECK(static_cast<int>(bytes[1]) == 0x01);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(packed_bits<2>::load_signed(bytes_view(bytes, 2), i) == two[i]);
    }
    const std::int8_t one[] = {1, 0, 0, 1, 0, 0, 0, 1, 1};
    pack_values<1>(span<const std::int8_t>(one), bytes_span(bytes, 2));
    CHECK(static_cast<int>(bytes[0]) == 0x89);
    CHECK(static_cast<int>(bytes[1]) == 0x01);
    for (std::size_t i = 0; i < 9; ++i) {
        CHECK(packed_bits<1>::load_unsigned(bytes_view(bytes, 2), i) ==
              static_cast<std::uint32_t>(one[i]));
    }
}

TEST_CASE("oracle int_quant: quantize and dequantize") {
    const auto file = kompakt_test::read_oracle("int_quant");
    for (const auto& c : file["cases"].items()) {
        const std::string op = c["op"].as_string();
        const auto &in = c["inputs"], &out = c["outputs"], &params = c["params"];
        if (op != "quantize_per_tensor" && op != "quantize_per_channel") continue;
        CAPTURE(c["name"].as_string());
        const auto x = numbers(in["x"]), dq = numbers(out["dq"]);
        const auto q = numbers<std::int32_t>(out["q"]);
        const bool channels = op == "quantize_per_channel";
        const auto scales =
            channels ? numbers(in["scale"])
                     : std::vector<float>{static_cast<float>(params["scale"].as_number())};
        const auto zeros = channels ? numbers<std::int32_t>(in["zero_point"])
                                    : std::vector<std::int32_t>{static_cast<std::int32_t>(
                                          params["zero_point"].as_integer())};
        granularity which;
        if (channels) which = {scales.size(), x.size() / scales.size(), 0};
        const integer_range range =
            params["dtype"].as_string() == "quint8" ? unsigned_range(8) : signed_range(8);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const affine_quantizer a{scales[which(i)], zeros[which(i)], range};
            CHECK(a.quantize<half_even, by_reciprocal>(x[i]) == q[i]);
            CHECK(kompakt_test::near(a.dequantize(q[i]), dq[i], 1e-6));
        }
    }
}

TEST_CASE("oracle bnfold_ptq: groups of int4") {
    const auto file = kompakt_test::read_oracle("bnfold_ptq");
    for (const auto& c : file["cases"].items()) {
        if (c["op"].as_string() != "groupwise_int4") continue;
        CAPTURE(c["name"].as_string());
        const bool symmetric = c["params"]["symmetric"].as_boolean();
        const auto& w = c["inputs"]["w"];
        const auto x = numbers(w), scale = numbers(c["outputs"]["scale"]),
                   dq = numbers(c["outputs"]["w_dq"]);
        const auto zeros = numbers<std::int32_t>(c["outputs"]["zero_point"]);
        const granularity which{kompakt_test::extent(w, 1), 1,
                                static_cast<std::size_t>(c["params"]["group"].as_integer())};
        std::vector<float> lo(scale.size(), 0.0f), hi(scale.size(), 0.0f);
        for (std::size_t i = 0; i < x.size(); ++i) {
            lo[which(i)] = std::fmin(lo[which(i)], x[i]);
            hi[which(i)] = std::fmax(hi[which(i)], x[i]);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t g = which(i);
            affine_quantizer a =
                symmetric ? symmetric_affine(lo[g], hi[g], signed_range(4))
                          : asymmetric_affine<torch_rule>(lo[g], hi[g], unsigned_range(4));
            CHECK(kompakt_test::near(a.scale, scale[g], 1e-5));
            CHECK(a.zero_point == zeros[g]);
            CHECK(kompakt_test::near(a.dequantize(a.quantize<half_even>(x[i])), dq[i], 1e-4, 1e-5));
        }
    }
}
