// SentencePiece's precompiled character map: a double array of 32-bit units (Darts-clone's layout),
// whose values are places in a string of texts that end in zero.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/utf8.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// A set of ASCII characters.
struct ascii_set {
    std::uint32_t bits[4] = {};
    bool has(std::uint8_t c) const noexcept { return (bits[c >> 5 & 3] >> (c & 31) & 1) != 0; }
    void add(std::uint8_t c) noexcept { bits[c >> 5 & 3] |= 1u << (c & 31); }
};

class charsmap_view {
  public:
    charsmap_view() = default;
    // 4 bytes: the size of the double array; the array; the texts. Empty when that is not so.
    explicit charsmap_view(bytes_view b) noexcept {
        if (b.size() < 4) return;
        const auto n = load_le<std::uint32_t>(b.data());
        if (n % 4 != 0 || n > b.size() - 4 || n == 0) return;
        units_ = b.data() + 4;
        count_ = n / 4;
        texts_ = reinterpret_cast<const char*>(b.data()) + 4 + n;
        text_bytes_ = b.size() - 4 - n;
    }
    bool empty() const noexcept { return count_ == 0; }

    // The first key (the shortest, or the longest) at the front of the text; 0 when there is none.
    std::size_t match(const char* p, std::size_t n, bool longest, text_view& to) const noexcept {
        std::size_t length = 0;
        if (count_ == 0) return 0;
        std::uint32_t node = offset(unit(0));
        for (std::size_t i = 0; i < n; ++i) {
            const auto c = static_cast<std::uint8_t>(p[i]);
            if (c == 0) break;
            node ^= c;
            if (node >= count_) break;
            const std::uint32_t u = unit(node);
            if ((u & 0x800000ffu) != c) break;
            node ^= offset(u);
            if ((u >> 8 & 1) != 0 && node < count_) {
                to = text(unit(node) & 0x7fffffffu);
                length = i + 1;
                if (!longest) break;
            }
        }
        return length;
    }
    // The characters that stay as they are when another ASCII character follows.
    ascii_set kept() const noexcept {
        ascii_set s;
        for (std::uint32_t c = 0; c < 128; ++c) {
            if (keeps(static_cast<std::uint8_t>(c))) s.add(static_cast<std::uint8_t>(c));
        }
        return s;
    }

  private:
    bool keeps(std::uint8_t c) const noexcept {
        if (count_ == 0) return true;
        const std::uint32_t node = offset(unit(0)) ^ c;
        if (c == 0 || node >= count_) return true;
        const std::uint32_t u = unit(node);
        if ((u & 0x800000ffu) != c) return true;
        if ((u >> 8 & 1) != 0) return false;
        const std::uint32_t base = node ^ offset(u);
        for (std::uint32_t next = 1; next < 0x80; ++next) {
            if ((base ^ next) < count_ && (unit(base ^ next) & 0x800000ffu) == next) return false;
        }
        return true;
    }

    static std::uint32_t offset(std::uint32_t u) noexcept {
        return (u >> 10) << ((u & (1u << 9)) >> 6);
    }
    std::uint32_t unit(std::uint32_t i) const noexcept {
        return load_le<std::uint32_t>(units_ + std::size_t{i} * 4);
    }
    text_view text(std::size_t at) const noexcept {
        if (at >= text_bytes_) return {};
        const void* zero = std::memchr(texts_ + at, 0, text_bytes_ - at);
        const std::size_t n =
            zero != nullptr ? static_cast<std::size_t>(static_cast<const char*>(zero) - texts_) - at
                            : text_bytes_ - at;
        return {texts_ + at, n};
    }

    const std::byte* units_ = nullptr;
    std::uint32_t count_ = 0;
    const char* texts_ = nullptr;
    std::size_t text_bytes_ = 0;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
