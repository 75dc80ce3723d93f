#include <kompakt/core/checked.hpp>

#include <doctest/doctest.h>

using namespace kompakt;

TEST_CASE("checked_mul and checked_add: right up to the edge") {
    std::uint64_t out = 77;
    CHECK(checked_mul(0xffffffff, 0x100000001, out));
    CHECK(out == UINT64_MAX);
    CHECK(!checked_mul(UINT64_MAX, 2, out));
    CHECK(!checked_mul(2, UINT64_MAX, out));
    CHECK(!checked_mul(0x100000000, 0x100000000, out));
    CHECK(out == UINT64_MAX);
    CHECK(checked_mul(0, UINT64_MAX, out));
    CHECK(out == 0);
    CHECK(checked_mul(UINT64_MAX, 0, out));
    CHECK(out == 0);

    CHECK(checked_add(UINT64_MAX - 1, 1, out));
    CHECK(out == UINT64_MAX);
    CHECK(!checked_add(UINT64_MAX, 1, out));
    CHECK(out == UINT64_MAX);
}

TEST_CASE("inside: no sum that wraps") {
    CHECK(inside(0, 0, 0));
    CHECK(inside(4, 0, 4));
    CHECK(inside(1, 3, 4));
    CHECK(!inside(2, 3, 4));
    CHECK(!inside(5, 0, 4));
    CHECK(!inside(4, UINT64_MAX, 4));
    CHECK(!inside(UINT64_MAX, 2, 4));
}

TEST_CASE("round_up") {
    CHECK(round_up(0, 16) == 0);
    CHECK(round_up(1, 16) == 16);
    CHECK(round_up(16, 16) == 16);
    CHECK(round_up(17, 3) == 18);
}
