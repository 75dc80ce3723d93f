// The Cortex-M port's plain C++ against the portable kernels. The op tests run every spec on it
// too, and tests/device/cortex_m_fw.cpp its instructions.
#include "cortex_m_cases.hpp"

#include <kompakt/run/default_kernels.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace kompakt;
using kompakt_test::cortex_m_cases;
using kompakt_test::mve_cases;
using kompakt_test::v6m_cases;

namespace {

// `make` some cases; at least one half of them have to be possible, a fifth packed where packing
// is.
template <class Cases>
void run_cases(typename Cases::outcome (Cases::*make)() noexcept, int count, bool packs) {
    const auto cases = std::make_unique<Cases>();
    int ran = 0;
    for (int i = 0; i < count; ++i) {
        cases->seed(static_cast<std::uint32_t>(i));
        const typename Cases::outcome o = (*cases.*make)();
        CAPTURE(i);
        CHECK(o != Cases::different);
        CHECK(o != Cases::outside);
        ran += o == Cases::same;
    }
    CHECK(ran > count / 2);
    if (packs) CHECK(cases->packed > static_cast<std::uint32_t>(count) / 5);
}

} // namespace

TEST_CASE("cortex_m: convolution on random shapes") {
    run_cases(&cortex_m_cases::convolution, 3000, true);
}
TEST_CASE("cortex_m: depthwise convolution on random shapes") {
    run_cases(&cortex_m_cases::depthwise, 3000, true);
}
TEST_CASE("cortex_m: fully connected on random shapes") {
    run_cases(&cortex_m_cases::connected, 3000, true);
}
TEST_CASE("cortex_m: addition") {
    run_cases(&cortex_m_cases::addition, 3000, false);
}
TEST_CASE("cortex_m: average pooling") {
    run_cases(&cortex_m_cases::pooling, 3000, false);
}

TEST_CASE("cortex_m: ARMv6-M kernels on random shapes") {
    run_cases(&v6m_cases::convolution, 1500, true);
    run_cases(&v6m_cases::depthwise, 1500, true);
    run_cases(&v6m_cases::connected, 1500, true);
    run_cases(&v6m_cases::addition, 1500, false);
}
TEST_CASE("cortex_m: MVE kernels on random shapes") {
    run_cases(&mve_cases::convolution, 1500, true);
    run_cases(&mve_cases::depthwise, 1500, true);
    run_cases(&mve_cases::connected, 1500, true);
    run_cases(&mve_cases::addition, 1500, false);
}

// Every shift that packs; the accumulators that bring ties, and all sizes.
TEST_CASE("cortex_m: the MVE stage is the portable one") {
    if constexpr (!cortex_m::mve::supported()) {
        std::mt19937 random(3);
        std::int64_t wrong = 0;
        for (int i = 0; i < 1000000; ++i) {
            const auto r = static_cast<std::uint32_t>(random());
            const auto q31 = static_cast<std::int32_t>(i % 4 == 0 ? (r & 1u ? 1u << 30 : 3u << 29)
                                                                  : random() >> 1);
            const int shift = -1 - static_cast<int>((r >> 8) % 31);
            const auto x = static_cast<std::int32_t>(random()) >> static_cast<int>((r >> 16) % 32);
            const std::int32_t tie = wrap_add(wrap_shl(x, -shift), 1 << (-shift - 1));
            for (const std::int32_t acc : {x, tie, INT32_MIN, INT32_MAX}) {
                wrong += requantize(acc, q31, shift) != cortex_m::mve_scale(acc, q31, shift);
            }
        }
        CHECK(wrong == 0);
    }
}

// The whole range of shifts, accumulators that lie at ties and beside them.
TEST_CASE("cortex_m: the output stage is the portable one") {
    std::mt19937 random(1);
    const auto between = [&](std::int64_t lo, std::int64_t hi) {
        return static_cast<std::int32_t>(
            lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1)));
    };
    constexpr std::int32_t most = (1 << 30) - 1;
    std::int64_t wrong = 0;
    for (int i = 0; i < 3000000; ++i) {
        const int shift = between(cortex_m::least_shift, cortex_m::greatest_shift);
        const std::int32_t special[] = {0, 1, 1 << 30, INT32_MAX, 3 << 29};
        const std::int32_t q31 =
            random() % 4 == 0 ? special[random() % 5] : between(1 << 30, INT32_MAX);
        const std::int32_t z = between(-128, 127);
        std::int32_t acc = between(-most, most);
        if (i % 2 == 0) {
            // Near a multiple of one half in the output.
            const double scale =
                q31 / 2147483648.0 / static_cast<double>(std::int64_t{1} << -shift);
            const double wanted = 0.5 * between(-530, 530) / (scale > 0 ? scale : 1);
            if (wanted > -most && wanted < most) {
                acc = static_cast<std::int32_t>(wanted) + between(-2, 2);
            }
        }
        acc = clamp(acc, -most, most);
        const std::int32_t expected = clamp(wrap_add(requantize(acc, q31, shift), z), -128, 127);
        const auto e1 = static_cast<std::uint32_t>(-shift - 1);
        wrong +=
            expected != cortex_m::stage_output(2 * acc, q31, cortex_m::stage_constant(z, e1), e1);
    }
    CHECK(wrong == 0);
}

TEST_CASE("cortex_m: a target, but no port of a session's own choice elsewhere") {
    CHECK((available_ports().find("cortex_m_dsp") != nullptr) == cortex_m::dsp::supported());
    static_assert(kompakt::detail::pack_traits<conv2d_i8, portable>::absorbs == 0);
    static_assert(kompakt::detail::pack_traits<conv2d_i8, cortex_m::dsp>::absorbs != 0);
    CHECK(std::string(kernels_of<cortex_m::dsp>().port) == "cortex_m_dsp");
}

TEST_CASE("cortex_m: each pair of operands of an addition") {
    add_i8_params p{};
    p.a = {1 << 30, 0};
    p.output.zero_point = 5;
    std::mt19937 random(2);
    std::vector<std::int8_t> a(65536), b(65536), out(65536);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::int8_t>(i % 256), b[i] = static_cast<std::int8_t>(i / 256);
    }
    for (int round = 0; round < 40; ++round) {
        p.zero_point_a = static_cast<std::int32_t>(random() % 256) - 128;
        p.zero_point_b = static_cast<std::int32_t>(random() % 256) - 128;
        p.b = {static_cast<std::int32_t>(random() >> 1 | 1u << 30),
               -static_cast<int>(random() % 5)};
        if (round % 4 == 0) p.b = p.a;
        if (round % 8 == 1) std::swap(p.a, p.b);
        p.result = {static_cast<std::int32_t>(random() >> 1 | 1u << 30),
                    -18 - static_cast<int>(random() % 3)};
        elementwise_row(cortex_m::dsp{}, cortex_m::dsp{}, add_i8{}, a.data(), 1, b.data(), 1,
                        out.data(), 65536, p);
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < a.size(); ++i) wrong += out[i] != add_i8::apply(a[i], b[i], p);
        CHECK(wrong == 0);
        if (round % 8 == 1) std::swap(p.a, p.b);
    }
}
