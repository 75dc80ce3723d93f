// What the op specs do not reach: numbers at the edge of float32, kernels with extents that the
// compiler knows, and parameters that checks must refuse or kernels survive.
#include "special_floats.hpp"

#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/cast.hpp>
#include <kompakt/kernel/clamp.hpp>
#include <kompakt/kernel/leaky_relu.hpp>
#include <kompakt/kernel/logistic.hpp>
#include <kompakt/kernel/mul.hpp>
#include <kompakt/kernel/quantize.hpp>
#include <kompakt/kernel/softmax_i16.hpp>
#include <kompakt/kernel/strided_copy.hpp>
#include <kompakt/kernel/unary_i16.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>
#include <vector>

using namespace kompakt;
using kompakt_test::infinity;
using kompakt_test::nan_value;

namespace {

std::int8_t quantize_one(float x, float scale, std::int32_t zero_point) {
    std::int8_t q = 0;
    quantize(portable{}, portable{}, tensor<const float, extents<1>>(&x),
             tensor<std::int8_t, extents<1>>(&q), {scale, zero_point});
    return q;
}

} // namespace

TEST_CASE("round_to_small_int: half away from zero, to the last bit") {
    CHECK(round_to_small_int(0.5f) == 1);
    CHECK(round_to_small_int(-0.5f) == -1);
    CHECK(round_to_small_int(std::nextafter(0.5f, 0.0f)) == 0);
    CHECK(round_to_small_int(-std::nextafter(0.5f, 0.0f)) == 0);
    CHECK(round_to_small_int(1e9f) == 131072);
    CHECK(round_to_small_int(-infinity) == -131072);
    CHECK(round_to_small_int(infinity) == 131072);
    CHECK(round_to_small_int(nan_value) == 0);
    CHECK(round_to_small_int(std::numeric_limits<float>::denorm_min()) == 0);
    for (int i = -4000; i <= 4000; ++i) {
        for (const float x :
             {static_cast<float>(i) / 4.0f, std::nextafter(static_cast<float>(i) / 4.0f, infinity),
              std::nextafter(static_cast<float>(i) / 4.0f, -infinity)}) {
            const bool same = round_to_small_int(x) == static_cast<std::int32_t>(std::round(x));
            if (!same) {
                CAPTURE(x);
                CHECK(same);
            }
        }
    }
}

TEST_CASE("quantize: saturates, gives the zero point for what is not a number") {
    CHECK(quantize_one(infinity, 0.1f, 3) == 127);
    CHECK(quantize_one(-infinity, 0.1f, 3) == -128);
    CHECK(quantize_one(3e38f, 1e-30f, -128) == 127);
    CHECK(quantize_one(-3e38f, 1e-30f, 127) == -128);
    CHECK(quantize_one(nan_value, 0.1f, 3) == 3);
    CHECK(quantize_one(0.25f, 0.5f, 0) == 1);
    CHECK(quantize_one(-0.25f, 0.5f, 0) == -1);
    CHECK(quantize_one(1e-45f, 1e38f, 7) == 7);
}

TEST_CASE("logistic and softmax, float32: no overflow at the ends") {
    const float x[4] = {-200.0f, 200.0f, 0.0f, -3e38f};
    float y[4];
    unary(portable{}, portable{}, x, y, 4, no_params{}, logistic_f32{});
    CHECK(y[0] == 0.0f);
    CHECK(y[1] == 1.0f);
    CHECK(y[2] == 0.5f);
    CHECK(y[3] == 0.0f);
    float row[3] = {3e38f, -3e38f, 3e38f};
    using one_row = extents<1, 3>;
    softmax(portable{}, portable{}, tensor<const float, one_row>(row), tensor<float, one_row>(row),
            softmax_f32_params{});
    CHECK(row[0] == 0.5f);
    CHECK(row[1] == 0.0f);
    CHECK(row[2] == 0.5f);
}

TEST_CASE("broadcast: dimensions that behave alike are one") {
    const auto rows = [](auto a, auto b, auto out) {
        int n = 0;
        std::size_t elements = 0;
        for (broadcast w(a, b, out); w.more(); w.next(), ++n) {
            elements += static_cast<std::size_t>(w.length());
        }
        CHECK(elements == out.size());
        return n;
    };
    CHECK(rows(extents<2, 3, 4>(), extents<2, 3, 4>(), extents<2, 3, 4>()) == 1);
    CHECK(rows(extents<2, 3, 4>(), extents<4>(), extents<2, 3, 4>()) == 6);
    CHECK(rows(extents<2, 3, 4>(), extents<2, 1, 1>(), extents<2, 3, 4>()) == 2);
    CHECK(rows(extents<2, 3, 4>(), extents<1, 1>(), extents<2, 3, 4>()) == 1);
    CHECK(rows(extents<1, 1>(), extents<1>(), extents<1, 1>()) == 1);
    CHECK(rows(extents<2, 1, 4, 1>(), extents<1, 3, 1, 5>(), extents<2, 3, 4, 5>()) == 24);
}

TEST_CASE("add and mul with constant extents") {
    const float a[6] = {1, 2, 3, 4, 5, 6}, b[2] = {10, 20};
    float out[6];
    const clamp_f32_params all{-infinity, infinity};
    elementwise(portable{}, portable{}, add_f32{}, tensor<const float, extents<3, 2>>(a),
                tensor<const float, extents<2>>(b), tensor<float, extents<3, 2>>(out), all);
    CHECK(out[0] == 11.0f);
    CHECK(out[3] == 24.0f);
    CHECK(out[5] == 26.0f);
    elementwise(portable{}, portable{}, mul_f32{}, tensor<const float, extents<3, 2>>(a),
                tensor<const float, extents<2>>(b), tensor<float, extents<3, 2>>(out), all);
    CHECK(out[2] == 30.0f);
    CHECK(out[3] == 80.0f);
}

// Whatever a file holds that passes the checks: no undefined behaviour, results inside the clamp.
TEST_CASE("int8 kernels survive every multiplier") {
    std::vector<std::int8_t> x(256), y(256);
    for (int i = 0; i < 256; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
    const tensor<const std::int8_t, extents<256>> in(x.data());
    const tensor<std::int8_t, extents<256>> out(y.data());
    for (int shift = min_multiplier_shift; shift <= max_multiplier_shift; ++shift) {
        for (const std::int32_t q31 : {0, 1, 1 << 30, INT32_MAX}) {
            for (const std::int32_t zero : {-128, 127}) {
                const multiplier m{q31, shift};
                const output_stage_params stage{zero, -100, 90};
                rescale(portable{}, portable{}, in, out, {zero, m, stage});
                for (std::int8_t v : y) REQUIRE((v >= -100 && v <= 90));
                elementwise(portable{}, portable{}, mul_i8{}, in, in, out,
                            mul_i8_params{zero, -zero - 1, m, stage});
                for (std::int8_t v : y) REQUIRE((v >= -100 && v <= 90));
                if (shift > 0) continue;
                elementwise(portable{}, portable{}, add_i8{}, in, in, out,
                            add_i8_params{zero, -zero - 1, m, m, m, stage});
                for (std::int8_t v : y) REQUIRE((v >= -100 && v <= 90));
            }
        }
    }
}

TEST_CASE("softmax, int8: every scale that the checks let through") {
    std::vector<std::int8_t> x(256), y(256);
    for (int i = 0; i < 256; ++i)
        x[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
    for (int shift = 0; shift <= max_multiplier_shift; ++shift) {
        for (const std::int32_t q31 : {0, 1 << 30, INT32_MAX}) {
            const auto most = static_cast<std::int32_t>((std::int64_t{31} << 26) >> shift);
            softmax(portable{}, portable{}, tensor<const std::int8_t, extents<1, 256>>(x.data()),
                    tensor<std::int8_t, extents<1, 256>>(y.data()),
                    softmax_i8_params{{q31, shift}, -most});
            CHECK(y[255] >= y[0]);
        }
    }
}

TEST_CASE("int16 functions: every factor that the checks let through") {
    for (int shift = 0; shift <= 31; ++shift) {
        for (const std::int32_t factor : {0, 1, 3, 16384, 32767}) {
            const table_scale_params p{{factor, shift}};
            REQUIRE(logistic_i16::check_params(p).ok());
            std::int16_t last = INT16_MIN, last_tanh = INT16_MIN;
            for (int q = -32768; q <= 32767; q += 13) {
                const auto x = static_cast<std::int16_t>(q);
                const std::int16_t l = logistic_i16::apply(x, p), t = tanh_i16::apply(x, p);
                const bool rising = l >= last && t >= last_tanh && l >= 0;
                if (!rising) CHECK(rising);
                last = l, last_tanh = t;
            }
        }
    }
    CHECK(!logistic_i16::check_params({{32768, 0}}).ok());
    CHECK(!tanh_i16::check_params({{1, 32}}).ok());
    for (int shift = min_multiplier_shift; shift <= max_multiplier_shift; ++shift) {
        for (const std::int32_t q31 : {0, 1 << 30, INT32_MAX}) {
            const multiplier m{q31, shift};
            for (const std::int16_t x : {INT16_MIN, -1, 0, 1, INT16_MAX}) {
                CHECK(abs_i16::apply(x, {m, 0}) >= INT16_MIN); // no undefined behaviour
                CHECK(rsqrt_i16::apply(x, {m}) >= INT16_MIN);
                CHECK(leaky_relu_i16::apply(x, {INT32_MIN, INT32_MAX, m, m, 1}) >= INT16_MIN);
            }
        }
    }
}

TEST_CASE("softmax of int16 survives every table and scale") {
    for (const std::int16_t entry : {INT16_MIN, -1, 0, 1, INT16_MAX}) {
        std::vector<std::int16_t> table(513, entry), x = {INT16_MIN, 0, INT16_MAX, 5}, y(4);
        for (int shift = min_multiplier_shift; shift <= max_multiplier_shift; ++shift) {
            softmax_by_tables(portable{}, portable{}, x.data(), table.data(), table.data(),
                              y.data(), 1, 4, {INT32_MAX, shift});
            for (const std::int16_t v : y) REQUIRE(v >= 0);
        }
    }
}

TEST_CASE("casts of floats: toward zero, saturating; what is not a number gives 0") {
    CHECK(truncate_f32(-1.9f, dtype::i8) == -1);
    CHECK(truncate_f32(127.9f, dtype::i8) == 127);
    CHECK(truncate_f32(128.0f, dtype::i8) == 127);
    CHECK(truncate_f32(-128.9f, dtype::i8) == -128);
    CHECK(truncate_f32(-1.0f, dtype::u8) == 0);
    CHECK(truncate_f32(255.5f, dtype::u8) == 255);
    CHECK(truncate_f32(1e10f, dtype::u16) == 65535);
    CHECK(truncate_f32(4294967040.0f, dtype::u32) == 4294967040);
    CHECK(truncate_f32(infinity, dtype::u32) == 4294967295);
    CHECK(truncate_f32(-infinity, dtype::i32) == INT32_MIN);
    CHECK(truncate_f32(2147483648.0f, dtype::i32) == INT32_MAX);
    CHECK(truncate_f32(9.3e18f, dtype::i64) == INT64_MAX);
    CHECK(truncate_f32(-9.3e18f, dtype::i64) == INT64_MIN);
    CHECK(truncate_f32(9223371487098961920.0f, dtype::i64) == 9223371487098961920);
    CHECK(truncate_f32(1e-20f, dtype::boolean) == 1);
    CHECK(truncate_f32(-0.0f, dtype::boolean) == 0);
    for (const dtype t : {dtype::i8, dtype::u32, dtype::i64, dtype::boolean}) {
        CHECK(truncate_f32(nan_value, t) == 0);
    }
    // A hostile bool counts as 1.
    const std::byte odd{0xfe};
    CHECK(load_integer(&odd, dtype::boolean) == 1);
}

TEST_CASE("half precision: every number") {
    int wrong = 0;
    for (std::uint32_t h = 0; h < 0x10000; ++h) {
        const int exponent = static_cast<int>(h >> 10 & 31), m = static_cast<int>(h & 1023);
        const float y = float_of_half(static_cast<std::uint16_t>(h));
        if (exponent == 31) {
            wrong += m == 0 ? !std::isinf(y) : !std::isnan(y);
        } else {
            const double magnitude =
                exponent == 0 ? std::ldexp(m, -24) : std::ldexp(m + 1024, exponent - 25);
            wrong += std::fabs(y) != static_cast<float>(magnitude);
        }
        wrong += std::signbit(y) != (h >= 0x8000);
    }
    CHECK(wrong == 0);
}

TEST_CASE("strided copy: elements of 1, 2, 4 and 8 bytes, backwards and repeated") {
    for (const std::size_t size : {1u, 2u, 4u, 8u}) {
        std::vector<std::byte> in(6 * size), out(12 * size);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::byte>(i);
        // [2, 3]: the columns as rows, the last first, each twice.
        strided_copy_params p;
        p.start = 2;
        p.count[5] = 3, p.step[5] = -1;
        p.count[6] = 2, p.step[6] = 0;
        p.count[7] = 2, p.step[7] = 3;
        strided_copy_elements(portable{}, portable{}, in.data(), out.data(), size, p);
        std::size_t to = 0;
        for (std::size_t x = 3; x-- > 0;) {
            for (int again = 0; again < 2; ++again) {
                for (std::size_t y = 0; y < 2; ++y) {
                    for (std::size_t k = 0; k < size; ++k, ++to) {
                        CHECK(out[to] == in[(y * 3 + x) * size + k]);
                    }
                }
            }
        }
    }
}
