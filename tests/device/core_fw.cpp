// Core on the target: the parts that depend on its word size, alignment and byte order.
#include "check.hpp"

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/random.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/tensor.hpp>

#include <cstdint>

using namespace kompakt;

int main() {
    CHECK(sizeof(tensor<float, extents<1, 2, 3, 4>>) == sizeof(void*));
    CHECK(sizeof(tensor<float, extents<dynamic_extent, 2, 3, 4>>) == 2 * sizeof(void*));
    CHECK(reinterpret_cast<std::uintptr_t>(&check_failures()) % alignof(int) == 0);

    // Any alignment: a plain word access would fault on Armv6-M.
    alignas(8) std::byte bytes[16] = {};
    for (std::size_t at = 0; at < 8; ++at) {
        store_le(bytes + at, std::uint64_t{0x1122334455667788});
        CHECK(bytes[at] == std::byte{0x88});
        CHECK(load_le<std::uint64_t>(bytes + at) == 0x1122334455667788);
        CHECK(load_le<std::uint32_t>(bytes + at) == 0x55667788);
    }
    byte_reader reader(bytes);
    CHECK(reader.read_bytes(UINT64_MAX).empty() && !reader.ok());

    const philox_block ones = philox4x32({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u);
    CHECK(ones.word[0] == 0x408f276d && ones.word[3] == 0x6d5451fd);

    // The longest numbers, in 64-bit arithmetic that the core does not have.
    const status s = fail(errc::bad_file, INT64_MIN, ' ', UINT64_MAX);
    const char expected[] = "-9223372036854775808 18446744073709551615";
    for (std::size_t i = 0; i < sizeof expected; ++i) CHECK(s.message()[i] == expected[i]);
    return check_failures();
}
