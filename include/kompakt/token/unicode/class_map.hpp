// Code point -> class, for classes that a file brings along: three stages in bytes, used in place.
//
//     0  u16  middle blocks        2  u16  leaf blocks      4  u8  classes   5  u8[3]  0
//                                                         (up to 16: leaves have 4 bits a class)
//     8  u8[272]  code point >> 12 -> middle block (its low 8 bits)
//   280  u8[272]  the high 8 bits
//   552  u16[middle blocks][64]    code point >> 6 & 63 -> leaf block
//        u8 [leaf blocks][64]      code point & 63 -> class; or u8[leaf blocks][32], of two classes
//                                  the first one in the low bits
//
// The stages are cut where UTF-8 cuts, so that each byte of a sequence is one step. The host side
// is io/token/regex/class_map_builder.hpp.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/utf8.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

class class_map_view {
  public:
    static constexpr std::size_t header_bytes = 8;
    static constexpr std::size_t top_entries = 272;
    static constexpr std::size_t middle_at = header_bytes + 2 * top_entries;

    class_map_view() noexcept = default;
    // Bytes that `check` has found good. Bytes behind the map are allowed.
    explicit class_map_view(bytes_view checked) noexcept
        : data_(reinterpret_cast<const std::uint8_t*>(checked.data())),
          leaves_(data_ + leaves_at(checked)), packed_(data_[4] <= 16 ? 1 : 0) {}

    static status check(bytes_view bytes) noexcept {
        if (bytes.size() < middle_at) {
            return fail(errc::bad_file, "class map: ", bytes.size(), " bytes");
        }
        const std::size_t middles = load_le<std::uint16_t>(bytes.data());
        const std::size_t leaves = load_le<std::uint16_t>(bytes.data() + 2);
        const std::size_t classes = byte_at(bytes, 4);
        if (middles == 0 || leaves == 0 || classes == 0) {
            return fail(errc::bad_file, "class map: empty");
        }
        const bool packed = classes <= 16;
        const std::size_t leaf_bytes = leaves * (packed ? 32 : 64);
        const std::size_t needed = middle_at + middles * 128 + leaf_bytes;
        if (bytes.size() < needed) {
            return fail(errc::bad_file, "class map: needs ", needed, " bytes, has ", bytes.size());
        }
        for (std::size_t i = 0; i < top_entries; ++i) {
            const std::size_t middle = byte_at(bytes, header_bytes + i) |
                                       byte_at(bytes, header_bytes + top_entries + i) << 8;
            if (middle >= middles) return fail(errc::bad_file, "class map: middle block ", middle);
        }
        for (std::size_t i = 0; i < middles * 64; ++i) {
            const std::size_t leaf = load_le<std::uint16_t>(bytes.data() + middle_at + 2 * i);
            if (leaf >= leaves) return fail(errc::bad_file, "class map: leaf block ", leaf);
        }
        for (std::size_t i = 0; i < leaf_bytes; ++i) {
            const std::size_t leaf = byte_at(bytes, middle_at + middles * 128 + i);
            if (packed ? (leaf & 15) >= classes || leaf >> 4 >= classes : leaf >= classes) {
                return fail(errc::bad_file, "class map: class ", leaf, " of ", classes);
            }
        }
        return {};
    }

    std::size_t size_bytes() const noexcept {
        return static_cast<std::size_t>(leaves_ - data_) +
               std::size_t{load_le<std::uint16_t>(data_ + 2)} * (64u >> packed_);
    }
    // At most 255.
    unsigned classes() const noexcept { return data_[4]; }

    std::uint8_t class_of(char32_t c) const noexcept {
        return leaf(middle(c >> 12), c >> 6 & 63, c & 63);
    }

    // The class of the character at p != last and its length. A bad subpart counts as one U+FFFD.
    std::uint8_t class_at(const char* p, const char* last, unsigned& length) const noexcept {
        const auto at = [p](int i) { return std::uint32_t{static_cast<std::uint8_t>(p[i])}; };
        const std::uint32_t b = at(0);
        if (b < 0x80) {
            length = 1;
            return leaf(middle(0), b >> 6, b & 63);
        }
        // Well-formed sequences of two and three bytes need no code point on the way.
        if (last - p >= 3) {
            if (b >= 0xe1 && b <= 0xef && b != 0xed && (at(1) & 0xc0) == 0x80 &&
                (at(2) & 0xc0) == 0x80) {
                length = 3;
                return leaf(middle(b & 15), at(1) & 63, at(2) & 63);
            }
            if (b >= 0xc2 && b <= 0xdf && (at(1) & 0xc0) == 0x80) {
                length = 2;
                return leaf(middle(0), b & 31, at(1) & 63);
            }
        }
        const utf8_character d = decode_utf8(p, last);
        length = d.length;
        return class_of(d.code_point);
    }

  private:
    static std::size_t byte_at(bytes_view bytes, std::size_t i) noexcept {
        return static_cast<std::size_t>(bytes.data()[i]);
    }
    static std::size_t leaves_at(bytes_view bytes) noexcept {
        return middle_at + std::size_t{load_le<std::uint16_t>(bytes.data())} * 128;
    }
    const std::uint8_t* middle(std::uint32_t top) const noexcept {
        const std::size_t block =
            data_[header_bytes + top] | std::size_t{data_[header_bytes + top_entries + top]} << 8;
        return data_ + middle_at + block * 128;
    }
    std::uint8_t leaf(const std::uint8_t* block, std::uint32_t i, std::uint32_t j) const noexcept {
        const std::size_t at = std::size_t{load_le<std::uint16_t>(block + 2 * i)} * 64 + j;
        const unsigned value = leaves_[at >> packed_];
        return static_cast<std::uint8_t>(value >> ((j & packed_) * 4) & (0xffu >> packed_ * 4));
    }

    const std::uint8_t* data_ = nullptr;
    const std::uint8_t* leaves_ = nullptr;
    std::uint32_t packed_ = 0; // 1: two classes in a byte
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
