// Little-endian numbers in byte sequences of any alignment, and a reader that never leaves
// its bytes.
#pragma once

#include <kompakt/core/checked.hpp>
#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>

#include <cstring>
#include <type_traits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {
template <std::size_t N>
struct unsigned_of;
template <>
struct unsigned_of<1> {
    using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
    using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
    using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
    using type = std::uint64_t;
};

template <class Unsigned>
constexpr Unsigned swap_bytes(Unsigned u) noexcept {
    Unsigned r = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
        r = static_cast<Unsigned>((r << 8 * (sizeof(Unsigned) > 1)) | ((u >> 8 * i) & 0xffu));
    }
    return r;
}
} // namespace detail

// One T (integer, float or enum) from `from`, which needs no alignment.
template <class T>
T load_le(const void* from) noexcept {
    typename detail::unsigned_of<sizeof(T)>::type u;
    std::memcpy(&u, from, sizeof u);
#if KOMPAKT_BIG_ENDIAN
    u = detail::swap_bytes(u);
#endif
    T value;
    std::memcpy(&value, &u, sizeof value);
    return value;
}

template <class T>
void store_le(void* to, T value) noexcept {
    typename detail::unsigned_of<sizeof(T)>::type u;
    std::memcpy(&u, &value, sizeof u);
#if KOMPAKT_BIG_ENDIAN
    u = detail::swap_bytes(u);
#endif
    std::memcpy(to, &u, sizeof u);
}

// Reads forward through hostile bytes. After the first read outside, `ok()` is false and every
// further read gives zeros, so a caller may check once after a group of reads.
class byte_reader {
  public:
    explicit byte_reader(bytes_view bytes) noexcept : bytes_(bytes) {}

    bool ok() const noexcept { return ok_; }
    std::size_t position() const noexcept { return at_; }
    std::size_t remaining() const noexcept { return bytes_.size() - at_; }

    void seek(std::uint64_t at) noexcept {
        if (at <= bytes_.size()) {
            at_ = static_cast<std::size_t>(at);
        } else {
            ok_ = false;
        }
    }
    void skip(std::uint64_t n) noexcept {
        if (n <= remaining()) {
            at_ += static_cast<std::size_t>(n);
        } else {
            ok_ = false;
        }
    }
    template <class T>
    T read() noexcept {
        if (!ok_ || remaining() < sizeof(T)) {
            ok_ = false;
            return T{};
        }
        const T value = load_le<T>(bytes_.data() + at_);
        at_ += sizeof(T);
        return value;
    }
    bytes_view read_bytes(std::uint64_t n) noexcept {
        if (!ok_ || n > remaining()) {
            ok_ = false;
            return {};
        }
        const bytes_view part = bytes_.subspan(at_, static_cast<std::size_t>(n));
        at_ += part.size();
        return part;
    }

  private:
    bytes_view bytes_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
