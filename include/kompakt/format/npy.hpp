// NumPy's .npy files: one array of numbers in row-major order.
//
// Read: versions 1 to 3, little-endian f2 f4 f8 i2 i4 i8 u2 u4, and i1 u1 b1. Other element types,
// big-endian files and Fortran order are refused by name. Written: version 1.
// Source: NumPy reference, "numpy.lib.format".
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/checked.hpp>
#include <kompakt/core/dtype.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace npy {

inline constexpr std::size_t max_rank = 32; // NumPy's own limit for long

struct array {
    dtype type = dtype::none;
    std::vector<std::int64_t> shape; // empty for a single number
    // The elements, row-major and little-endian, at any alignment; part of the bytes that were
    // read. Booleans are whatever bytes the file has.
    bytes_view data;

    std::size_t size() const noexcept {
        return type == dtype::none ? 0 : data.size() / (bits_of(type) / 8);
    }
    // Element i < size(); T has to be the type (std::uint8_t for booleans).
    template <class T>
    T at(std::size_t i) const noexcept {
        KOMPAKT_ASSERT(is<T>(), "npy: not the type of the elements");
        return load_le<T>(data.subspan(i * sizeof(T), sizeof(T)).data());
    }
    template <class T>
    bool is() const noexcept {
        static_assert(!std::is_same_v<T, bool>, "npy: booleans are read as std::uint8_t");
        return dtype_of<T> == type || (type == dtype::boolean && std::is_same_v<T, std::uint8_t>);
    }
    // All elements, or what type was needed and given.
    template <class T>
    result<std::vector<T>> copy() const {
        if (!is<T>()) {
            return fail(errc::bad_file, "npy: needs elements of ", name_of(dtype_of<T>), ", has ",
                        name_of(type));
        }
        std::vector<T> out(size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = at<T>(i);
        return out;
    }
};

namespace detail {

struct type_name {
    const char* name; // without the byte order
    dtype type;
};
inline constexpr type_name type_names[] = {
    {"f4", dtype::f32}, {"f8", dtype::f64}, {"f2", dtype::f16},     {"i1", dtype::i8},
    {"u1", dtype::u8},  {"i2", dtype::i16}, {"u2", dtype::u16},     {"i4", dtype::i32},
    {"u4", dtype::u32}, {"i8", dtype::i64}, {"b1", dtype::boolean},
};

// Reads the header, a Python dictionary in one line.
class header_parser {
  public:
    header_parser(std::string_view text, std::uint64_t start) noexcept
        : text_(text), start_(start) {}

    status parse(array& out) {
        bool has_type = false, has_order = false, has_shape = false;
        KOMPAKT_TRY(expect('{'));
        while (!take('}')) {
            std::string_view key;
            KOMPAKT_TRY(parse_string(key));
            KOMPAKT_TRY(expect(':'));
            bool* seen = key == "descr"           ? &has_type
                         : key == "fortran_order" ? &has_order
                         : key == "shape"         ? &has_shape
                                                  : nullptr;
            if (seen == nullptr) return fail(errc::bad_file, "npy: unknown key \"", key, "\"");
            if (*seen) return fail(errc::bad_file, "npy: the key \"", key, "\" is there twice");
            *seen = true;
            if (seen == &has_type) {
                KOMPAKT_TRY(parse_type(out.type));
            } else if (seen == &has_order) {
                KOMPAKT_TRY(parse_order());
            } else {
                KOMPAKT_TRY(parse_shape(out.shape));
            }
            if (!take(',')) {
                KOMPAKT_TRY(expect('}'));
                break;
            }
        }
        space();
        if (at_ != text_.size()) return wrong("the end of the header");
        if (!has_type || !has_order || !has_shape) {
            return fail(errc::bad_file, "npy: needs the keys descr, fortran_order and shape");
        }
        return {};
    }

  private:
    status wrong(const char* needed) const noexcept {
        if (at_ >= text_.size()) {
            return fail(errc::bad_file, "npy: byte ", start_ + at_, ": needs ", needed,
                        ", has the end of the header");
        }
        return fail(errc::bad_file, "npy: byte ", start_ + at_, ": needs ", needed, ", has '",
                    text_[at_], "'");
    }
    void space() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    bool take(char c) noexcept {
        space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    status expect(char c) noexcept {
        const char needed[] = {'\'', c, '\'', '\0'};
        if (!take(c)) return wrong(needed);
        return {};
    }
    status parse_string(std::string_view& out) noexcept {
        space();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '\'' && quote != '"') return wrong("a string");
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) {
            return fail(errc::bad_file, "npy: byte ", start_ + at_, ": a string has no end");
        }
        out = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return {};
    }
    status parse_type(dtype& out) noexcept {
        if (take('[')) return fail(errc::unsupported, "npy: structured elements");
        std::string_view name;
        KOMPAKT_TRY(parse_string(name));
        if (name.size() == 3) {
            for (const type_name& t : type_names) {
                if (name.substr(1) != t.name) continue;
                const char order = name[0];
                if (order == '<' || (bits_of(t.type) == 8 && (order == '|' || order == '>'))) {
                    out = t.type;
                    return {};
                }
            }
        }
        return fail(errc::unsupported, "npy: elements of type \"", name,
                    "\", needs little-endian f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 or b1");
    }
    status parse_order() noexcept {
        space();
        if (text_.substr(at_, 5) == "False") {
            at_ += 5;
            return {};
        }
        if (text_.substr(at_, 4) != "True") return wrong("True or False");
        return fail(errc::unsupported, "npy: fortran_order, needs row-major elements");
    }
    status parse_shape(std::vector<std::int64_t>& out) {
        KOMPAKT_TRY(expect('('));
        while (!take(')')) {
            if (out.size() == max_rank) {
                return fail(errc::limit, "npy: more than ", max_rank, " dimensions");
            }
            std::int64_t dimension = 0;
            KOMPAKT_TRY(parse_dimension(dimension));
            out.push_back(dimension);
            if (!take(',')) {
                KOMPAKT_TRY(expect(')'));
                // (3) is a number in Python, and (3,) the tuple
                if (out.size() == 1) return wrong("a comma in a shape of one dimension");
                break;
            }
        }
        return {};
    }
    status parse_dimension(std::int64_t& out) noexcept {
        space();
        const std::size_t first = at_;
        std::uint64_t n = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
            if (!checked_mul(n, 10, n) || !checked_add(n, digit, n) || n > INT64_MAX) {
                return fail(errc::limit, "npy: byte ", start_ + first, ": a dimension beyond 2^63");
            }
        }
        if (at_ == first) return wrong("a dimension");
        if (at_ < text_.size() && text_[at_] == 'L') ++at_; // written by Python 2
        out = static_cast<std::int64_t>(n);
        return {};
    }

    std::string_view text_;
    std::uint64_t start_; // of the header in the file
    std::size_t at_ = 0;
};

// Bytes of all elements; false when they are beyond 2^64 or a dimension is negative.
inline bool count_bytes(dtype type, span<const std::int64_t> shape, std::uint64_t& out) noexcept {
    out = bits_of(type) / 8;
    for (const std::int64_t d : shape) {
        if (d < 0) return false;
    }
    for (const std::int64_t d : shape) {
        if (d == 0) {
            out = 0;
            return true;
        }
    }
    for (const std::int64_t d : shape) {
        if (!checked_mul(out, static_cast<std::uint64_t>(d), out)) return false;
    }
    return true;
}

inline constexpr char magic[] = "\x93NUMPY";

} // namespace detail

inline bool has_magic(bytes_view bytes) noexcept {
    return bytes.size() >= 6 && std::memcmp(bytes.data(), detail::magic, 6) == 0;
}

// The array in a whole file. Its data stays in `bytes`.
inline result<array> read(bytes_view bytes) {
    if (!has_magic(bytes)) return fail(errc::bad_file, "npy: does not start with \\x93NUMPY");
    byte_reader in(bytes);
    in.skip(6);
    const auto major_version = in.read<std::uint8_t>();
    in.skip(1);
    if (in.ok() && (major_version < 1 || major_version > 3)) {
        return fail(errc::unsupported, "npy: version ", major_version, ", needs 1 to 3");
    }
    const std::uint64_t header_size =
        major_version == 1 ? in.read<std::uint16_t>() : in.read<std::uint32_t>();
    const std::uint64_t header_at = in.position();
    if (!in.ok() || header_size > in.remaining()) {
        return fail(errc::bad_file, "npy: byte ", header_at, ": the header needs ", header_size,
                    " bytes, has ", in.remaining());
    }
    const bytes_view header = in.read_bytes(header_size);

    array a;
    const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
    const status s = detail::header_parser(text, header_at).parse(a);
    if (!s.ok()) return s;

    std::uint64_t needed = 0;
    if (!detail::count_bytes(a.type, a.shape, needed)) {
        return fail(errc::limit, "npy: the shape has more than 2^64 bytes");
    }
    if (needed != in.remaining()) {
        return fail(errc::bad_file, "npy: byte ", in.position(), ": the elements need ", needed,
                    " bytes, has ", in.remaining());
    }
    a.data = in.read_bytes(needed);
    return a;
}

// A whole file. `data` holds the elements, row-major and little-endian.
inline result<std::vector<std::byte>> write(dtype type, span<const std::int64_t> shape,
                                            bytes_view data) {
    const char* name = nullptr;
    for (const detail::type_name& t : detail::type_names) {
        if (t.type == type) name = t.name;
    }
    if (name == nullptr) {
        return fail(errc::unsupported, "npy: there is no type for elements of ", name_of(type));
    }
    if (shape.size() > max_rank) {
        return fail(errc::limit, "npy: ", shape.size(), " dimensions, the limit is ", max_rank);
    }
    std::uint64_t needed = 0;
    if (!detail::count_bytes(type, shape, needed)) {
        return fail(errc::bad_argument, "npy: a negative dimension, or more than 2^64 bytes");
    }
    std::string header = "{'descr': '";
    header += bits_of(type) == 8 ? '|' : '<';
    header += name;
    header += "', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != 0) header += ", ";
        header += std::to_string(shape[i]);
    }
    header += shape.size() == 1 ? ",), }" : "), }";
    if (needed != data.size()) {
        return fail(errc::bad_argument, "npy: the shape needs ", needed, " bytes, given ",
                    data.size());
    }
    // The elements start at a multiple of 64, after magic, version, size and a final line feed.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';

    std::vector<std::byte> file(10 + header.size() + data.size());
    std::memcpy(file.data(), detail::magic, 6);
    file[6] = std::byte{1};
    file[7] = std::byte{0};
    store_le(file.data() + 8, static_cast<std::uint16_t>(header.size()));
    std::memcpy(file.data() + 10, header.data(), header.size());
    if (data.size() != 0) {
        std::memcpy(file.data() + 10 + header.size(), data.data(), data.size());
    }
    return file;
}

} // namespace npy
} // namespace KOMPAKT_ABI
} // namespace kompakt
