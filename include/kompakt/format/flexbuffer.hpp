// Options of custom operators: a FlexBuffer that is a map of integers. Other values are refused.
// Source: FlexBuffers' description of its binary format (flatbuffers.dev).
#pragma once

#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>

#include <map>
#include <string>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// All positions are from the start; every read is checked, and nothing follows what it read but
// backward offsets of one level, so that hostile files end soon.
class flexbuffer_reader {
  public:
    explicit flexbuffer_reader(bytes_view data) : data_(data) {}

    status read(std::map<std::string, std::int64_t>& out) {
        const std::size_t end = data_.size();
        if (end < 3) return fail(errc::bad_file, "FlexBuffer of ", end, " bytes");
        const std::uint64_t root_width = byte(end - 1), type = byte(end - 2);
        if (type >> 2 != map_type) return fail(errc::unsupported, "FlexBuffer that is no map");
        std::uint64_t map = 0, size = 0, keys = 0, key_width = 0;
        KOMPAKT_TRY(follow(end - 2 - root_width, root_width, map));
        const std::uint64_t width = std::uint64_t{1} << (type & 3);
        KOMPAKT_TRY(number(map - width, width, size));
        KOMPAKT_TRY(number(map - 2 * width, width, key_width));
        KOMPAKT_TRY(follow(map - 3 * width, width, keys));
        if (size > 64) return fail(errc::limit, size, " options, needed at most 64");
        for (std::uint64_t i = 0; i < size; ++i) {
            std::uint64_t key = 0, packed = 0;
            KOMPAKT_TRY(follow(keys + i * key_width, key_width, key));
            KOMPAKT_TRY(number(map + size * width + i, 1, packed));
            std::string name;
            while (true) {
                std::uint64_t c = 0;
                KOMPAKT_TRY(number(key + name.size(), 1, c));
                if (c == 0) break;
                if (name.size() == 64) return fail(errc::limit, "option of a long name");
                name.push_back(static_cast<char>(c));
            }
            std::int64_t value = 0;
            KOMPAKT_TRY(integer(map + i * width, width, packed, value).within(name.c_str(), ": "));
            out[name] = value;
        }
        return {};
    }

  private:
    static constexpr std::uint64_t map_type = 9;

    std::uint64_t byte(std::uint64_t at) const {
        return static_cast<std::uint8_t>(data_[static_cast<std::size_t>(at)]);
    }
    // An unsigned number of 1, 2, 4 or 8 bytes. Positions below 0 have wrapped and are too large.
    status number(std::uint64_t at, std::uint64_t width, std::uint64_t& out) const {
        const std::uint64_t size = data_.size();
        if ((width != 1 && width != 2 && width != 4 && width != 8) || at >= size ||
            width > size - at) {
            return fail(errc::bad_file, "FlexBuffer: a position lies outside");
        }
        out = 0;
        for (std::uint64_t i = 0; i < width; ++i) out |= byte(at + i) << 8 * i;
        return {};
    }
    status follow(std::uint64_t at, std::uint64_t width, std::uint64_t& out) const {
        std::uint64_t offset = 0;
        KOMPAKT_TRY(number(at, width, offset));
        if (offset > at) return fail(errc::bad_file, "FlexBuffer: a position lies outside");
        out = at - offset;
        return {};
    }
    status integer(std::uint64_t at, std::uint64_t width, std::uint64_t packed,
                   std::int64_t& out) const {
        const std::uint64_t type = packed >> 2;
        const bool is_signed = type == 1 || type == 6;
        if (!is_signed && type != 2 && type != 7 && type != 26) { // uint, its indirect form, bool
            return fail(errc::unsupported, "option of FlexBuffer type ", type,
                        ", needed an integer");
        }
        if (type == 6 || type == 7) { // indirect
            KOMPAKT_TRY(follow(at, width, at));
            width = std::uint64_t{1} << (packed & 3);
        }
        std::uint64_t raw = 0;
        KOMPAKT_TRY(number(at, width, raw));
        if (is_signed && width < 8 && (raw >> (8 * width - 1) & 1) != 0) {
            raw |= ~std::uint64_t{0} << 8 * width;
        }
        out = static_cast<std::int64_t>(raw);
        return {};
    }

    bytes_view data_;
};

} // namespace detail

inline result<std::map<std::string, std::int64_t>> read_flexbuffer_integers(bytes_view data) {
    std::map<std::string, std::int64_t> out;
    KOMPAKT_TRY(detail::flexbuffer_reader(data).read(out));
    return out;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
