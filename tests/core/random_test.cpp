#include <kompakt/core/random.hpp>

#include <doctest/doctest.h>
#include <initializer_list>

using namespace kompakt;

namespace {
constexpr bool equal(philox_block a, philox_block b) {
    for (int i = 0; i < 4; ++i) {
        if (a.word[i] != b.word[i]) return false;
    }
    return true;
}
} // namespace

// The known answers that come with Random123 (kat_vectors, philox4x32-10).
TEST_CASE("philox4x32: known answers") {
    static_assert(equal(philox4x32({{0, 0, 0, 0}}, 0, 0),
                        {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
    static_assert(equal(philox4x32({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u),
                        {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
    // Digits of pi.
    static_assert(equal(
        philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
        {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST_CASE("philox: one word for each element, in blocks of four") {
    const philox p(12, 34);
    const std::uint64_t step = 0x100000005, far = 0x400000000;
    for (std::uint64_t e : {std::uint64_t{0}, std::uint64_t{7}, far + 2}) {
        CHECK(p.bits(step, e) == p.block(step, e / 4).word[e % 4]);
    }
    // Each of the four inputs matters, their high halves too.
    const std::uint32_t b = p.bits(step, far);
    CHECK(b != p.bits(step, 0));
    CHECK(b != p.bits(5, far));
    CHECK(b != philox(13, 34).bits(step, far));
    CHECK(b != philox(12, 35).bits(step, far));
}

TEST_CASE("philox: uniform and below stay inside and are spread") {
    const philox p(1, 2);
    double sum = 0;
    int count[10] = {};
    for (std::uint64_t e = 0; e < 10000; ++e) {
        const float u = p.uniform(0, e);
        REQUIRE(u >= 0.0f);
        REQUIRE(u < 1.0f);
        sum += static_cast<double>(u);
        const std::uint32_t n = p.below(10, 0, e);
        REQUIRE(n < 10);
        ++count[n];
    }
    CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.02));
    for (int c : count) {
        CHECK(c > 900);
        CHECK(c < 1100);
    }
    CHECK(p.below(1, 3, 4) == 0);
}
