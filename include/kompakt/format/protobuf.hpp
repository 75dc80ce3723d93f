// Protocol Buffers' wire format: a reader that knows no messages and never leaves its bytes.
//
//     for (protobuf_reader r(bytes); r.next();) {
//         if (r.field() == 1) text = r.text();
//     }
//     if (!r.ok()) return r.error("sentencepiece model");
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/status.hpp>

#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class wire_type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

class protobuf_reader {
  public:
    explicit protobuf_reader(bytes_view bytes) noexcept : bytes_(bytes) {}

    // The next field; false at the end and at the first mistake, which `ok` tells apart.
    bool next() noexcept {
        if (!ok_ || at_ == bytes_.size()) return false;
        std::uint64_t key = 0;
        if (!varint(key) || key >> 3 == 0 || key >> 3 > 0x1fffffff) return ok_ = false;
        field_ = static_cast<std::uint32_t>(key >> 3);
        switch (key & 7) {
        case 0:
            type_ = wire_type::varint;
            return ok_ = varint(number_);
        case 1:
            type_ = wire_type::fixed64;
            if (bytes_.size() - at_ < 8) return ok_ = false;
            number_ = load_le<std::uint64_t>(bytes_.data() + at_);
            at_ += 8;
            return true;
        case 2: {
            type_ = wire_type::bytes;
            std::uint64_t n = 0;
            if (!varint(n) || n > bytes_.size() - at_) return ok_ = false;
            content_ = bytes_.subspan(at_, static_cast<std::size_t>(n));
            at_ += static_cast<std::size_t>(n);
            return true;
        }
        case 5:
            type_ = wire_type::fixed32;
            if (bytes_.size() - at_ < 4) return ok_ = false;
            number_ = load_le<std::uint32_t>(bytes_.data() + at_);
            at_ += 4;
            return true;
        default: // groups are of the past
            return ok_ = false;
        }
    }
    bool ok() const noexcept { return ok_; }
    std::size_t position() const noexcept { return at_; }
    status error(const char* what) const noexcept {
        return fail(errc::bad_file, what, ": byte ", at_, ": not a protocol buffer");
    }

    std::uint32_t field() const noexcept { return field_; }
    wire_type type() const noexcept { return type_; }
    bool is(wire_type t) const noexcept { return type_ == t; }
    // Of a varint or a fixed number.
    std::uint64_t number() const noexcept { return type_ == wire_type::bytes ? 0 : number_; }
    bool boolean() const noexcept { return number() != 0; }
    float real() const noexcept {
        if (type_ != wire_type::fixed32) return 0;
        const auto u = static_cast<std::uint32_t>(number_);
        float f;
        std::memcpy(&f, &u, sizeof f);
        return f;
    }
    // Of a string, bytes or a message; empty for numbers.
    bytes_view content() const noexcept {
        return type_ == wire_type::bytes ? content_ : bytes_view();
    }
    std::string_view text() const noexcept {
        const bytes_view c = content();
        return {reinterpret_cast<const char*>(c.data()), c.size()};
    }

  private:
    bool varint(std::uint64_t& out) noexcept {
        out = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == bytes_.size()) return false;
            const auto b = static_cast<std::uint8_t>(bytes_.data()[at_++]);
            if (shift == 63 && b > 1) return false;
            out |= std::uint64_t{b & 0x7fu} << shift;
            if (b < 0x80) return true;
        }
        return false;
    }

    bytes_view bytes_;
    std::size_t at_ = 0;
    std::uint32_t field_ = 0;
    wire_type type_ = wire_type::varint;
    std::uint64_t number_ = 0;
    bytes_view content_;
    bool ok_ = true;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
