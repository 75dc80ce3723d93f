#include <kompakt/graph/constant.hpp>

#include <cstring>
#include <doctest/doctest.h>

using namespace kompakt;

namespace {
constant packed(int bits, std::int64_t n, std::vector<std::uint8_t> bytes) {
    std::vector<std::byte> payload(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) payload[i] = std::byte{bytes[i]};
    constant c = make_constant_bytes(dtype::i8, shape{n}, {payload.data(), payload.size()});
    c.coding.kind = encoding::packed;
    c.coding.bits = bits;
    return c;
}
} // namespace

TEST_CASE("packed constants are decoded, low bits first") {
    const auto signs = decode(packed(1, 10, {0x81, 0x02}));
    REQUIRE(signs.ok());
    CHECK(signs->coding.kind == encoding::dense);
    CHECK(signs->values<std::int8_t>() ==
          std::vector<std::int8_t>{-1, 1, 1, 1, 1, 1, 1, -1, 1, -1});
    const auto two = decode(packed(2, 5, {0xe4, 0x03}));
    REQUIRE(two.ok());
    CHECK(two->values<std::int8_t>() == std::vector<std::int8_t>{0, 1, -2, -1, -1});
    const auto four = decode(packed(4, 3, {0x8f, 0x07}));
    REQUIRE(four.ok());
    CHECK(four->values<std::int8_t>() == std::vector<std::int8_t>{-1, -8, 7});
}

TEST_CASE("packed constants of another length or width are refused") {
    const auto few = decode(packed(2, 5, {0}));
    REQUIRE(!few.ok());
    CHECK(std::strstr(few.error().message(), "packed int2: needs 2 bytes, has 1") != nullptr);
    CHECK(!decode(packed(1, 8, {0, 0})).ok());
    CHECK(!decode(packed(4, 2, {})).ok());
    constant other = packed(2, 4, {0}); // int4 is packed in 4 bits
    other.type = dtype::i4;
    CHECK(!decode(other).ok());
    const auto odd = decode(packed(3, 8, {0, 0, 0}));
    REQUIRE(!odd.ok());
    CHECK(std::strstr(odd.error().message(), "packed of 3 bits") != nullptr);
}
