#include <kompakt/core/bytes.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace kompakt;

TEST_CASE("load_le and store_le: little-endian at any alignment") {
    alignas(8) std::byte b[24] = {};
    for (std::size_t at = 0; at < 8; ++at) {
        store_le(b + at, std::uint32_t{0x01020304});
        CHECK(b[at] == std::byte{4});
        CHECK(b[at + 3] == std::byte{1});
        CHECK(load_le<std::uint32_t>(b + at) == 0x01020304);
        store_le(b + at, std::int16_t{-2});
        CHECK(load_le<std::int16_t>(b + at) == -2);
        store_le(b + at, -0.5f);
        CHECK(load_le<float>(b + at) == -0.5f);
        CHECK(load_le<std::uint32_t>(b + at) == 0xbf000000);
        store_le(b + at, std::int64_t{INT64_MIN});
        CHECK(load_le<std::int64_t>(b + at) == INT64_MIN);
        store_le(b + at, 1.0);
        CHECK(load_le<double>(b + at) == 1.0);
    }
    enum class small : std::uint8_t { seven = 7 };
    store_le(b, small::seven);
    CHECK(load_le<small>(b) == small::seven);
}

TEST_CASE("swap_bytes") {
    CHECK(detail::swap_bytes(std::uint8_t{0x12}) == 0x12);
    CHECK(detail::swap_bytes(std::uint16_t{0x1234}) == 0x3412);
    CHECK(detail::swap_bytes(std::uint32_t{0x12345678}) == 0x78563412);
    CHECK(detail::swap_bytes(std::uint64_t{0x0102030405060708}) == 0x0807060504030201);
}

TEST_CASE("byte_reader: reads forward") {
    // On the heap and of the exact size, so that a sanitizer sees a read outside.
    std::vector<std::byte> b(7);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::byte>(i + 1);
    byte_reader r(b);
    CHECK(r.read<std::uint16_t>() == 0x0201);
    CHECK(r.position() == 2);
    CHECK(r.read_bytes(2).size() == 2);
    r.skip(1);
    CHECK(r.remaining() == 2);
    CHECK(r.read<std::uint8_t>() == 6);
    r.seek(0);
    CHECK(r.read<std::uint32_t>() == 0x04030201);
    r.seek(7);
    CHECK(r.remaining() == 0);
    CHECK(r.read_bytes(0).empty());
    CHECK(r.ok());
}

TEST_CASE("byte_reader: after the first read outside everything fails") {
    std::vector<std::byte> b(3, std::byte{0xff});
    {
        byte_reader r(b);
        CHECK(r.read<std::uint32_t>() == 0);
        CHECK(!r.ok());
        CHECK(r.read<std::uint8_t>() == 0);
        CHECK(r.read_bytes(1).empty());
    }
    for (std::uint64_t far : {std::uint64_t{4}, std::uint64_t{1} << 32, UINT64_MAX}) {
        byte_reader seeks(b), skips(b), takes(b);
        seeks.seek(far);
        skips.skip(far);
        CHECK(takes.read_bytes(far).empty());
        CHECK(!seeks.ok());
        CHECK(!skips.ok());
        CHECK(!takes.ok());
    }
    CHECK(byte_reader({}).remaining() == 0);
}
