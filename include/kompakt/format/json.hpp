// JSON (RFC 8259): values in memory, a reader and a writer.
//
//     const auto file = json::read(text);                 // result<json::value>
//     if (!file) return file.error();
//     const std::int64_t size = (*file)["vocab"]["size"].as_integer(-1);
//
//     json::writer out(2);
//     out.begin_object().member("ops", 12).key("ms").begin_array().value(1.5f).end();
//     out.end();
//     const std::string text = out.take();
//
// Reading is strict. Refused are: text that is not UTF-8, a lone surrogate, a key that an object
// has twice (two readers could disagree about its value), numbers beyond double, nesting beyond a
// limit, anything behind the value. A byte order mark in front is skipped. Numbers without fraction
// and exponent that fit std::int64_t are kept exactly, all others as double.
//
// Writing is deterministic: the same calls give the same bytes, in every locale. Floats have the
// fewest digits that read back as the same float, doubles likewise; NaN and infinities become null.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace json {

struct member;

enum class kind : std::uint8_t { null, boolean, integer, real, string, array, object };

constexpr const char* name_of(kind k) noexcept {
    switch (k) {
    case kind::null:
        return "null";
    case kind::boolean:
        return "boolean";
    case kind::integer:
        return "integer";
    case kind::real:
        return "real";
    case kind::string:
        return "string";
    case kind::array:
        return "array";
    case kind::object:
        return "object";
    }
    return "unknown";
}

// Any JSON value. What is asked for and is not there gives null, an empty thing or the caller's
// default, never a failure: importers test `is(kind)` where it matters.
class value {
  public:
    using array = std::vector<value>;
    using object = std::vector<member>; // in the order of the file

    value() noexcept;
    value(std::nullptr_t) noexcept;
    value(bool b) noexcept;
    // Unsigned values beyond std::int64_t become real.
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer> &&
                                                      !std::is_same_v<Integer, bool>>>
    value(Integer i) noexcept;
    value(double d) noexcept;
    value(std::string text) noexcept;
    value(std::string_view text);
    value(const char* text);
    value(array items) noexcept;
    value(object members) noexcept;

    json::kind kind() const noexcept { return static_cast<json::kind>(data_.index()); }
    bool is(json::kind k) const noexcept { return kind() == k; }
    bool is_null() const noexcept { return is(json::kind::null); }
    bool is_number() const noexcept { return is(json::kind::integer) || is(json::kind::real); }

    bool as_boolean(bool otherwise = false) const noexcept;
    // A real counts if it is whole and no larger than 2^53.
    std::int64_t as_integer(std::int64_t otherwise = 0) const noexcept;
    double as_number(double otherwise = 0) const noexcept;
    const std::string& as_string() const noexcept;
    const array& items() const noexcept;
    const object& members() const noexcept;

    // Elements or members; 0 for all other kinds.
    std::size_t size() const noexcept;
    // Searches from the first to the last; null when there is no such key or element.
    const value* find(std::string_view key) const noexcept;
    const value& operator[](std::string_view key) const noexcept;
    const value& operator[](const char* key) const noexcept {
        return (*this)[std::string_view(key)];
    }
    const value& at(std::size_t i) const noexcept;

    // Makes this an object, or an array, if it is not one, and adds to its end.
    void add(std::string key, value v);
    void append(value v);

    friend bool operator==(const value& a, const value& b) noexcept { return equal(a, b); }
    friend bool operator!=(const value& a, const value& b) noexcept { return !equal(a, b); }

  private:
    static bool equal(const value& a, const value& b) noexcept;
    static const value& null_value() noexcept;

    // In the order of `kind`.
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, array, object> data_;
};

struct member {
    std::string key;
    json::value value;
};

inline value::value() noexcept : data_(nullptr) {}
inline value::value(std::nullptr_t) noexcept : data_(nullptr) {}
inline value::value(bool b) noexcept : data_(b) {}
template <class Integer, class>
value::value(Integer i) noexcept : data_(nullptr) {
    if (std::is_unsigned_v<Integer> && static_cast<std::uint64_t>(i) > std::uint64_t{INT64_MAX}) {
        data_ = static_cast<double>(i);
    } else {
        data_ = static_cast<std::int64_t>(i);
    }
}
inline value::value(double d) noexcept : data_(d) {}
inline value::value(std::string text) noexcept : data_(std::move(text)) {}
inline value::value(std::string_view text) : data_(std::string(text)) {}
inline value::value(const char* text) : data_(std::string(text)) {}
inline value::value(array items) noexcept : data_(std::move(items)) {}
inline value::value(object members) noexcept : data_(std::move(members)) {}

inline bool value::as_boolean(bool otherwise) const noexcept {
    const bool* b = std::get_if<bool>(&data_);
    return b != nullptr ? *b : otherwise;
}
inline std::int64_t value::as_integer(std::int64_t otherwise) const noexcept {
    if (const auto* i = std::get_if<std::int64_t>(&data_)) return *i;
    if (const auto* d = std::get_if<double>(&data_)) {
        if (*d >= -9007199254740992.0 && *d <= 9007199254740992.0) {
            const auto i = static_cast<std::int64_t>(*d);
            if (static_cast<double>(i) == *d) return i;
        }
    }
    return otherwise;
}
inline double value::as_number(double otherwise) const noexcept {
    if (const auto* d = std::get_if<double>(&data_)) return *d;
    if (const auto* i = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*i);
    return otherwise;
}
inline const std::string& value::as_string() const noexcept {
    static const std::string empty;
    const auto* s = std::get_if<std::string>(&data_);
    return s != nullptr ? *s : empty;
}
inline const value::array& value::items() const noexcept {
    static const array empty;
    const auto* a = std::get_if<array>(&data_);
    return a != nullptr ? *a : empty;
}
inline const value::object& value::members() const noexcept {
    static const object empty;
    const auto* o = std::get_if<object>(&data_);
    return o != nullptr ? *o : empty;
}
inline std::size_t value::size() const noexcept {
    return items().size() + members().size();
}
inline const value* value::find(std::string_view key) const noexcept {
    for (const member& m : members()) {
        if (m.key == key) return &m.value;
    }
    return nullptr;
}
inline const value& value::null_value() noexcept {
    static const value null;
    return null;
}
inline const value& value::operator[](std::string_view key) const noexcept {
    const value* v = find(key);
    return v != nullptr ? *v : null_value();
}
inline const value& value::at(std::size_t i) const noexcept {
    return i < items().size() ? items()[i] : null_value();
}
inline void value::add(std::string key, value v) {
    if (!is(json::kind::object)) data_ = object();
    std::get_if<object>(&data_)->push_back({std::move(key), std::move(v)});
}
inline void value::append(value v) {
    if (!is(json::kind::array)) data_ = array();
    std::get_if<array>(&data_)->push_back(std::move(v));
}
inline bool value::equal(const value& a, const value& b) noexcept {
    if (a.kind() != b.kind() || a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.items().size(); ++i) {
        if (a.items()[i] != b.items()[i]) return false;
    }
    for (std::size_t i = 0; i < a.members().size(); ++i) {
        const member& m = a.members()[i];
        const member& n = b.members()[i];
        if (m.key != n.key || m.value != n.value) return false;
    }
    return a.as_boolean() == b.as_boolean() && a.as_string() == b.as_string() &&
           (a.is(json::kind::integer) ? a.as_integer() == b.as_integer()
                                      : a.as_number() == b.as_number());
}

namespace detail {

inline bool is_finite(double d) noexcept {
    // Not by comparison, which -ffast-math would fold away.
    std::uint64_t u;
    std::memcpy(&u, &d, sizeof u);
    return ((u >> 52) & 0x7ff) != 0x7ff;
}
inline bool is_finite(float f) noexcept {
    std::uint32_t u;
    std::memcpy(&u, &f, sizeof u);
    return ((u >> 23) & 0xff) != 0xff;
}

// The double nearest to a number in JSON's grammar; infinity beyond the range. For standard
// libraries whose from_chars reads no floats; strtod obeys the locale.
inline double read_double_by_locale(std::string_view text) {
    const char* point = std::localeconv()->decimal_point;
    std::string local;
    for (const char c : text) {
        if (c == '.') {
            local += point;
        } else {
            local += c;
        }
    }
    return std::strtod(local.c_str(), nullptr);
}

// Whether a number in JSON's grammar is at least 1 in magnitude, so that what a double cannot hold
// is an overflow and not an underflow.
inline bool is_large(std::string_view text) noexcept {
    std::int64_t exponent = 0; // of ten; the number is 0.d... * 10^exponent, d not zero
    bool leading = true, fraction = false;
    std::size_t i = text[0] == '-' ? 1 : 0;
    for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '.') {
            fraction = true;
        } else {
            if (leading && text[i] != '0') leading = false;
            if (!fraction && !leading) ++exponent;
            if (fraction && leading) --exponent;
        }
    }
    std::int64_t written = 0;
    bool negative = false;
    for (++i; i < text.size(); ++i) {
        if (text[i] == '-') negative = true;
        if (text[i] >= '0' && text[i] <= '9' && written < (std::int64_t{1} << 52)) {
            written = written * 10 + (text[i] - '0');
        }
    }
    return exponent + (negative ? -written : written) > 0;
}

// False when the number is beyond double. Too small a number becomes zero.
inline bool read_double(std::string_view text, double& out) {
#if defined(__cpp_lib_to_chars)
    const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
    if (r.ec == std::errc::result_out_of_range) {
        if (is_large(text)) return false;
        out = text[0] == '-' ? -0.0 : 0.0;
    }
#else
    out = read_double_by_locale(text);
#endif
    return is_finite(out);
}

// The fewest significant digits that read back as the same value: d.ddd times ten to the exponent.
struct decimal {
    char digits[20] = {};
    int count = 0;
    int exponent = 0;
    bool negative = false;
};

inline decimal parse_scientific(const char* text, const char* end) noexcept {
    decimal d;
    for (; text != end && *text != 'e'; ++text) {
        if (*text == '-') d.negative = true;
        if (*text >= '0' && *text <= '9' && d.count < 20) d.digits[d.count++] = *text;
    }
    bool negative = false;
    for (; text != end; ++text) {
        if (*text == '-') negative = true;
        if (*text >= '0' && *text <= '9') d.exponent = d.exponent * 10 + (*text - '0');
    }
    if (negative) d.exponent = -d.exponent;
    while (d.count > 1 && d.digits[d.count - 1] == '0') --d.count;
    return d;
}

// For standard libraries whose to_chars writes no floats.
template <class Float>
decimal shortest_by_trial(Float value) noexcept {
    char text[48];
    int n = 0;
    for (int precision = 0; precision < (sizeof(Float) == 4 ? 9 : 17); ++precision) {
        n = std::snprintf(text, sizeof text, "%.*e", precision, static_cast<double>(value));
        const Float back = sizeof(Float) == 4 ? static_cast<Float>(std::strtof(text, nullptr))
                                              : static_cast<Float>(std::strtod(text, nullptr));
        if (back == value) break;
    }
    return parse_scientific(text, text + n);
}

template <class Float>
decimal shortest(Float value) noexcept {
#if defined(__cpp_lib_to_chars)
    char text[48];
    const auto r = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
    return parse_scientific(text, r.ptr);
#else
    return shortest_by_trial(value);
#endif
}

// 0.00012, 1.0, 123.5, 1.5e-7, 1e+30: never the shape of an integer, so that reals stay reals.
inline void append_decimal(std::string& out, const decimal& d) {
    if (d.negative) out += '-';
    const std::string_view digits(d.digits, static_cast<std::size_t>(d.count));
    if (d.exponent < -5 || d.exponent > 16) {
        out += digits[0];
        if (d.count > 1) {
            out += '.';
            out += digits.substr(1);
        }
        out += d.exponent < 0 ? "e-" : "e+";
        out += std::to_string(d.exponent < 0 ? -d.exponent : d.exponent);
    } else if (d.exponent < 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-d.exponent - 1), '0');
        out += digits;
    } else {
        const auto whole = static_cast<std::size_t>(d.exponent) + 1;
        if (digits.size() > whole) {
            out += digits.substr(0, whole);
            out += '.';
            out += digits.substr(whole);
        } else {
            out += digits;
            out.append(whole - digits.size(), '0');
            out += ".0";
        }
    }
}

inline void append_number(std::string& out, float f) {
    if (is_finite(f)) {
        append_decimal(out, shortest(f));
    } else {
        out += "null";
    }
}
inline void append_number(std::string& out, double d) {
    if (is_finite(d)) {
        append_decimal(out, shortest(d));
    } else {
        out += "null";
    }
}

// The length of the UTF-8 sequence at the front of `text`, 0 if there is none that is valid.
inline std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const utf8_character c = decode_utf8(text.data(), text.data() + text.size());
    return c.valid ? c.length : 0;
}

inline void append_utf8(std::string& out, std::uint32_t code) {
    char bytes[4];
    out.append(bytes, encode_utf8(static_cast<char32_t>(code), bytes));
}

// In quotes. Bytes that are not UTF-8 become U+FFFD, so that the text is JSON whatever it holds.
inline void append_quoted(std::string& out, std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    out += '"';
    while (!text.empty()) {
        const auto c = static_cast<unsigned char>(text[0]);
        std::size_t n = 1;
        if (c == '"' || c == '\\') {
            out += '\\';
            out += text[0];
        } else if (c < 0x20) {
            const char* named = "btn.fr"; // \b is 8, \r is 13; there is no \v
            out += '\\';
            if (c >= 8 && c <= 13 && c != 11) {
                out += named[c - 8];
            } else {
                out += "u00";
                out += hex[c >> 4];
                out += hex[c & 15];
            }
        } else {
            n = utf8_length(text);
            if (n == 0) {
                out += "\xef\xbf\xbd";
                n = 1;
            } else {
                out += text.substr(0, n);
            }
        }
        text.remove_prefix(n);
    }
    out += '"';
}

// nullptr, or a key that is there twice.
inline const std::string* repeated_key(const value::object& members) {
    if (members.size() < 2) return nullptr;
    std::vector<const std::string*> keys;
    keys.reserve(members.size());
    for (const member& m : members) keys.push_back(&m.key);
    std::sort(keys.begin(), keys.end(),
              [](const std::string* a, const std::string* b) { return *a < *b; });
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (*keys[i - 1] == *keys[i]) return keys[i];
    }
    return nullptr;
}

class parser {
  public:
    parser(std::string_view text, std::size_t depth) noexcept : text_(text), depth_left_(depth) {}

    result<value> parse() {
        if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
        value v;
        space();
        if (!parse_value(v)) return error_;
        space();
        if (at_ != text_.size()) {
            wrong("nothing more");
            return error_;
        }
        return result<value>(std::move(v));
    }

  private:
    template <class... Parts>
    bool stop(errc code, std::size_t at, const Parts&... parts) noexcept {
        std::size_t line = 1;
        for (const char c : text_.substr(0, at)) line += c == '\n' ? 1 : 0;
        error_ = status::failure(code, "json: line ", line, ", byte ", at, ": ", parts...);
        return false;
    }
    bool wrong(const char* needed) noexcept {
        if (at_ >= text_.size()) {
            return stop(errc::bad_file, at_, "needs ", needed, ", has the end of the text");
        }
        const std::size_t n = utf8_length(text_.substr(at_));
        return stop(errc::bad_file, at_, "needs ", needed, ", has '",
                    n == 0 ? std::string_view("?") : text_.substr(at_, n), "'");
    }

    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) noexcept {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void space() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\r' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    bool word(std::string_view w) noexcept {
        if (text_.substr(at_, w.size()) != w) return wrong("a value");
        at_ += w.size();
        return true;
    }

    bool parse_value(value& out) {
        switch (peek()) {
        case 'n':
            return word("null");
        case 't':
            out = value(true);
            return word("true");
        case 'f':
            out = value(false);
            return word("false");
        case '"': {
            std::string s;
            if (!parse_string(s)) return false;
            out = value(std::move(s));
            return true;
        }
        case '[':
        case '{': {
            if (depth_left_ == 0) return stop(errc::limit, at_, "nested too deeply");
            --depth_left_;
            const bool ok = peek() == '[' ? parse_array(out) : parse_object(out);
            ++depth_left_;
            return ok;
        }
        default:
            return parse_number(out);
        }
    }

    bool parse_array(value& out) {
        value::array items;
        take('[');
        space();
        if (!take(']')) {
            do {
                space();
                items.emplace_back();
                if (!parse_value(items.back())) return false;
                space();
            } while (take(','));
            if (!take(']')) return wrong("',' or ']'");
        }
        out = value(std::move(items));
        return true;
    }

    bool parse_object(value& out) {
        const std::size_t start = at_;
        value::object members;
        take('{');
        space();
        if (!take('}')) {
            do {
                space();
                if (peek() != '"') return wrong("a key");
                members.emplace_back();
                if (!parse_string(members.back().key)) return false;
                space();
                if (!take(':')) return wrong("':'");
                space();
                if (!parse_value(members.back().value)) return false;
                space();
            } while (take(','));
            if (!take('}')) return wrong("',' or '}'");
        }
        if (const std::string* key = repeated_key(members)) {
            return stop(errc::bad_file, start, "an object has the key \"", *key, "\" twice");
        }
        out = value(std::move(members));
        return true;
    }

    bool parse_string(std::string& out) {
        const std::size_t start = at_;
        take('"');
        for (;;) {
            if (at_ >= text_.size()) {
                return stop(errc::bad_file, start, "a string has no end");
            }
            const auto c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') {
                ++at_;
                return true;
            }
            if (c == '\\') {
                if (!parse_escape(out)) return false;
            } else if (c < 0x20) {
                return stop(errc::bad_file, at_, "a string holds control character ", unsigned{c});
            } else {
                const std::size_t n = utf8_length(text_.substr(at_));
                if (n == 0) return stop(errc::bad_file, at_, "a string is not UTF-8");
                out += text_.substr(at_, n);
                at_ += n;
            }
        }
    }

    bool parse_escape(std::string& out) {
        ++at_;
        const char c = peek();
        ++at_;
        switch (c) {
        case '"':
        case '\\':
        case '/':
            out += c;
            return true;
        case 'b':
            out += '\b';
            return true;
        case 'f':
            out += '\f';
            return true;
        case 'n':
            out += '\n';
            return true;
        case 'r':
            out += '\r';
            return true;
        case 't':
            out += '\t';
            return true;
        case 'u':
            break;
        default:
            --at_;
            return wrong("an escape");
        }
        const std::size_t start = at_ - 2;
        std::uint32_t code = 0;
        if (!parse_hex4(code)) return false;
        if (code >= 0xd800 && code < 0xe000) {
            std::uint32_t low = 0;
            if (code >= 0xdc00 || text_.substr(at_, 2) != "\\u") {
                return stop(errc::bad_file, start, "half of a surrogate pair");
            }
            at_ += 2;
            if (!parse_hex4(low)) return false;
            if (low < 0xdc00 || low >= 0xe000) {
                return stop(errc::bad_file, start, "half of a surrogate pair");
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        append_utf8(out, code);
        return true;
    }
    bool parse_hex4(std::uint32_t& code) noexcept {
        for (int i = 0; i < 4; ++i) {
            const char c = peek();
            std::uint32_t digit = 0;
            if (c >= '0' && c <= '9') {
                digit = static_cast<std::uint32_t>(c - '0');
            } else if (c >= 'a' && c <= 'f') {
                digit = static_cast<std::uint32_t>(c - 'a' + 10);
            } else if (c >= 'A' && c <= 'F') {
                digit = static_cast<std::uint32_t>(c - 'A' + 10);
            } else {
                return wrong("four hexadecimal digits");
            }
            code = code * 16 + digit;
            ++at_;
        }
        return true;
    }

    bool digits() noexcept {
        if (peek() < '0' || peek() > '9') return wrong("a digit");
        while (peek() >= '0' && peek() <= '9') ++at_;
        return true;
    }
    bool parse_number(value& out) {
        const std::size_t start = at_;
        if (!take('-') && (peek() < '0' || peek() > '9')) return wrong("a value");
        if (!take('0') && !digits()) return false;
        bool integer = true;
        if (take('.')) {
            integer = false;
            if (!digits()) return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            integer = false;
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digits()) return false;
        }
        const std::string_view text = text_.substr(start, at_ - start);
        std::int64_t i = 0;
        // -0 is real: an integer would lose the sign.
        if (integer && text != "-0" &&
            std::from_chars(text.data(), text.data() + text.size(), i).ec == std::errc()) {
            out = value(i);
            return true;
        }
        double d = 0;
        if (!read_double(text, d)) return stop(errc::limit, start, "a number is beyond double");
        out = value(d);
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_left_;
    status error_;
};

} // namespace detail

// Arrays and objects inside each other beyond `depth` are refused, as the reader calls itself for
// each level. Memory is at most some 100 times the text.
inline result<value> read(std::string_view text, std::size_t depth = 128) {
    return detail::parser(text, depth).parse();
}
inline result<value> read(bytes_view bytes, std::size_t depth = 128) {
    return read(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), depth);
}

// Builds text piece by piece. Calls in an order that makes no JSON are misuse.
class writer {
  public:
    // Spaces for each level; 0 puts all on one line without spaces.
    explicit writer(unsigned indent = 0) : indent_(indent) {}

    writer& begin_object() { return begin('{', '}'); }
    writer& begin_array() { return begin('[', ']'); }
    // Closes the innermost object or array.
    writer& end() {
        KOMPAKT_ASSERT(!open_.empty() && !after_key_, "json: nothing to end");
        if (open_.empty()) return *this;
        const level last = open_.back();
        open_.pop_back();
        if (last.count != 0) new_line();
        text_ += last.closing;
        return *this;
    }
    writer& key(std::string_view k) {
        KOMPAKT_ASSERT(!open_.empty() && open_.back().closing == '}' && !after_key_,
                       "json: a key outside an object");
        separate();
        detail::append_quoted(text_, k);
        text_ += indent_ != 0 ? ": " : ":";
        after_key_ = true;
        return *this;
    }

    writer& value(std::nullptr_t) { return raw("null"); }
    writer& value(bool b) { return raw(b ? "true" : "false"); }
    template <class Integer>
    std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, writer&>
    value(Integer i) {
        return raw(std::to_string(i));
    }
    writer& value(float f) {
        separate();
        detail::append_number(text_, f);
        return *this;
    }
    writer& value(double d) {
        separate();
        detail::append_number(text_, d);
        return *this;
    }
    writer& value(std::string_view s) {
        separate();
        detail::append_quoted(text_, s);
        return *this;
    }
    writer& value(const char* s) { return value(std::string_view(s)); }
    writer& value(const std::string& s) { return value(std::string_view(s)); }
    writer& value(const json::value& v) {
        switch (v.kind()) {
        case kind::null:
            return value(nullptr);
        case kind::boolean:
            return value(v.as_boolean());
        case kind::integer:
            return value(v.as_integer());
        case kind::real:
            return value(v.as_number());
        case kind::string:
            return value(v.as_string());
        case kind::array:
            begin_array();
            for (const json::value& item : v.items()) value(item);
            return end();
        case kind::object:
            begin_object();
            for (const json::member& m : v.members()) key(m.key).value(m.value);
            return end();
        }
        return *this;
    }

    template <class T>
    writer& member(std::string_view k, const T& v) {
        return key(k).value(v);
    }

    // The text; the writer is empty afterwards.
    std::string take() {
        KOMPAKT_ASSERT(open_.empty() && !after_key_, "json: not all is ended");
        std::string out = std::move(text_);
        *this = writer(indent_);
        return out;
    }

  private:
    struct level {
        char closing;
        std::size_t count;
    };

    writer& begin(char opening, char closing) {
        separate();
        text_ += opening;
        open_.push_back({closing, 0});
        return *this;
    }
    writer& raw(std::string_view text) {
        separate();
        text_ += text;
        return *this;
    }
    void new_line() {
        if (indent_ == 0) return;
        text_ += '\n';
        text_.append(open_.size() * indent_, ' ');
    }
    // What has to stand before a key or a value.
    void separate() {
        if (after_key_) {
            after_key_ = false;
            return;
        }
        if (open_.empty()) return;
        if (open_.back().count++ != 0) text_ += ',';
        new_line();
    }

    unsigned indent_;
    std::string text_;
    std::vector<level> open_;
    bool after_key_ = false;
};

inline std::string write(const value& v, unsigned indent = 0) {
    return writer(indent).value(v).take();
}

} // namespace json
} // namespace KOMPAKT_ABI
} // namespace kompakt
