// Single steps of normalization: classes, decompositions, compositions (Unicode 16.0).
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/token/unicode/canonical_table.hpp>
#include <kompakt/token/unicode/compat_table.hpp>
#include <kompakt/token/unicode/compose_table.hpp>
#include <kompakt/token/unicode/normalize_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

namespace detail {

// Bits of norm_flags.
enum norm_flag : std::uint8_t {
    norm_nfd_changes = 1,
    norm_nfkd_changes = 2,
    norm_nfc_may_change = 4,
    norm_nfkc_may_change = 8,
    norm_joins_back = 16,        // may change together with a character before it
    norm_joins_back_compat = 32, // the same when compatibility decompositions are made
    norm_after_unicode_9 = 64,
};

inline constexpr std::uint32_t hangul_s = 0xac00, hangul_l = 0x1100, hangul_v = 0x1161,
                               hangul_t = 0x11a7;
inline constexpr std::uint32_t hangul_v_count = 21, hangul_t_count = 28, hangul_count = 11172;

// The rank of c among the code points with a bit, or -1. Blocks of 32; block 0 is an empty one.
template <class Block>
constexpr std::int32_t rank_of(char32_t c, const std::uint8_t* top, std::size_t top_size,
                               const Block* block, const std::uint32_t* bits,
                               const std::uint16_t* rank) noexcept {
    const std::uint32_t at = static_cast<std::uint32_t>(c) >> 9;
    if (at >= top_size) return -1;
    const std::size_t b = block[top[at] * 16u + (c >> 5 & 15u)];
    const std::uint32_t word = bits[b];
    const std::uint32_t bit = std::uint32_t{1} << (c & 31);
    if ((word & bit) == 0) return -1;
    std::uint32_t below = word & (bit - 1); // counted without an instruction for it (Cortex-M)
    below -= below >> 1 & 0x55555555u;
    below = (below & 0x33333333u) + (below >> 2 & 0x33333333u);
    below = (below + (below >> 4)) & 0x0f0f0f0fu;
    return rank[b] + static_cast<std::int32_t>(below * 0x01010101u >> 24);
}

constexpr std::size_t copy_pool(const std::uint16_t* from, std::size_t units,
                                char32_t* out) noexcept {
    std::size_t n = 0;
    for (std::size_t i = 0; i < units; ++i) {
        char32_t c = from[i];
        if (c >= 0xd800 && c < 0xdc00) {
            c = 0x10000 + ((c - 0xd800) << 10) + (from[++i] - 0xdc00u);
        }
        out[n++] = c;
    }
    return n;
}

constexpr std::size_t decompose_canonical(char32_t c, char32_t* out) noexcept {
    const std::uint32_t s = static_cast<std::uint32_t>(c) - hangul_s;
    if (s < hangul_count) {
        out[0] = hangul_l + s / (hangul_v_count * hangul_t_count);
        out[1] = hangul_v + s / hangul_t_count % hangul_v_count;
        if (s % hangul_t_count == 0) return 2;
        out[2] = hangul_t + s % hangul_t_count;
        return 3;
    }
    const std::int32_t i = rank_of(c, canonical_top, sizeof canonical_top, canonical_block,
                                   canonical_bits, canonical_rank);
    if (i < 0) {
        out[0] = c;
        return 1;
    }
    return copy_pool(canonical_pool + canonical_offset[i], canonical_length[i], out);
}

} // namespace detail

inline constexpr std::size_t longest_decomposition = 18; // U+FDFA

constexpr std::uint8_t combining_class(char32_t c) noexcept {
    return detail::norm_class[detail::norm_trie(c)];
}

// The complete decomposition, 1 to longest_decomposition code points; `c` when it has none.
template <bool Compatibility>
constexpr std::size_t decompose(char32_t c, char32_t (&out)[longest_decomposition]) noexcept {
    using namespace detail;
    if constexpr (Compatibility) {
        const std::int32_t i =
            rank_of(c, compat_top, sizeof compat_top, compat_block, compat_bits, compat_rank);
        if (i >= 0) return copy_pool(compat_pool + compat_offset[i], compat_length[i], out);
    }
    return decompose_canonical(c, out);
}

// The primary composite of a and b, 0 when there is none.
constexpr char32_t compose(char32_t a, char32_t b) noexcept {
    using namespace detail;
    if (a - hangul_l < 19u && b - hangul_v < hangul_v_count) {
        return hangul_s + ((a - hangul_l) * hangul_v_count + (b - hangul_v)) * hangul_t_count;
    }
    if (a - hangul_s < hangul_count && (a - hangul_s) % hangul_t_count == 0 &&
        b - hangul_t - 1u < hangul_t_count - 1u) {
        return a + (b - hangul_t);
    }
    constexpr std::size_t large = sizeof compose_large / sizeof compose_large[0];
    if (a >= 0x10000) {
        for (std::size_t i = 0; i < large; i += 3) {
            if (compose_large[i] == a && compose_large[i + 1] == b) return compose_large[i + 2];
        }
        return 0;
    }
    if (b >= 0x10000) return 0;
    std::size_t low = 0, high = sizeof compose_second / sizeof compose_second[0];
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (compose_second[middle] < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == sizeof compose_second / sizeof compose_second[0] || compose_second[low] != b) {
        return 0;
    }
    std::size_t first = compose_start[low];
    std::size_t end = compose_start[low + 1];
    while (first < end) {
        const std::size_t middle = (first + end) / 2;
        if (compose_first[middle] < a) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < compose_start[low + 1] && compose_first[first] == a ? compose_to[first] : 0;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
