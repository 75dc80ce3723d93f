// Writes protocol buffers (the wire format; it knows no messages).
//
//     protobuf_writer m, piece;
//     piece.text(1, "the").number(2, -3.5f);
//     m.message(1, piece);
//     const std::string bytes = m.take();
#pragma once

#include <kompakt/core/bytes.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Fields are written in the order of the calls; field numbers are from 1 to 2^29 - 1. Negative
// integers take ten bytes, as int32 and int64 want it (not sint32, sint64).
class protobuf_writer {
  public:
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    protobuf_writer& integer(std::uint32_t field, Integer value) {
        key(field, 0);
        varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    protobuf_writer& boolean(std::uint32_t field, bool value) {
        return integer(field, value ? 1 : 0);
    }
    protobuf_writer& number(std::uint32_t field, float value) { return fixed(field, 5, value); }
    protobuf_writer& number(std::uint32_t field, double value) { return fixed(field, 1, value); }
    // A string, which has to be UTF-8, or bytes.
    protobuf_writer& text(std::uint32_t field, std::string_view value) {
        key(field, 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    protobuf_writer& message(std::uint32_t field, const protobuf_writer& value) {
        return text(field, value.bytes_);
    }

    std::size_t size() const noexcept { return bytes_.size(); }
    std::string take() { return std::exchange(bytes_, std::string()); }

  private:
    void key(std::uint32_t field, unsigned wire_type) {
        KOMPAKT_ASSERT(field > 0 && field < (1u << 29), "protobuf_writer: a field number");
        varint(std::uint64_t{field} << 3 | wire_type);
    }
    void varint(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) bytes_ += static_cast<char>(0x80 | (v & 0x7f));
        bytes_ += static_cast<char>(v);
    }
    template <class Float>
    protobuf_writer& fixed(std::uint32_t field, unsigned wire_type, Float value) {
        key(field, wire_type);
        char raw[sizeof(Float)];
        store_le(raw, value);
        bytes_.append(raw, sizeof raw);
        return *this;
    }

    std::string bytes_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
