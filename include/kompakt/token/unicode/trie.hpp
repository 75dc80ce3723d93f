// Small numbers for all code points, in three stages: the shape of the generated tables.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {
namespace detail {

template <class Middle>
struct unicode_trie {
    const std::uint8_t* index;
    const Middle* middle;
    const std::uint8_t* leaves;
    std::uint16_t index_size; // the last entry stands for all code points above
    std::uint8_t low_bits;
    std::uint8_t middle_bits;

    constexpr std::uint8_t operator()(char32_t c) const noexcept {
        const std::uint32_t u = c;
        return leaves[(leaf_of(c) << low_bits) + (u & ((1u << low_bits) - 1u))];
    }
    // Code points with the same leaf, 1 << low_bits of them in a row, have the same numbers.
    constexpr std::uint32_t leaf_of(char32_t c) const noexcept {
        const std::uint32_t u = c;
        const std::uint32_t top = u >> (low_bits + middle_bits);
        const std::uint32_t i = index[top < index_size ? top : index_size - 1u];
        return middle[(i << middle_bits) + (u >> low_bits & ((1u << middle_bits) - 1u))];
    }
};

} // namespace detail
} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
