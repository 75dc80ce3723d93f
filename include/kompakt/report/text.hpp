// Numbers and names for people, the same in every locale.
#pragma once

#include <kompakt/core/utf8.hpp>

#include <cmath>
#include <string>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

// 1234567 as 1,234,567
inline std::string grouped(std::uint64_t n) {
    std::string s = std::to_string(n);
    for (std::size_t at = s.size(); at > 3; at -= 3) s.insert(at - 3, 1, ',');
    return s;
}

// Rounded half away from zero to `decimals` digits behind the point.
inline std::string fixed(double value, int decimals) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    double power = 1;
    for (int i = 0; i < decimals; ++i) power *= 10;
    const double scaled = (std::round)(std::fabs(value) * power);
    if (!(scaled < 9e15)) return value < 0 ? "-beyond" : "beyond";
    const auto n = static_cast<std::uint64_t>(scaled);
    const auto unit = static_cast<std::uint64_t>(power);
    std::string s = (value < 0 && n != 0 ? "-" : "") + std::to_string(n / unit);
    if (decimals > 0) {
        std::string fraction = std::to_string(n % unit);
        s +=
            "." + std::string(static_cast<std::size_t>(decimals) - fraction.size(), '0') + fraction;
    }
    return s;
}

// Some four significant digits, whatever the size: scales, ranges, times.
inline std::string significant(double value) {
    if (value == 0 || !std::isfinite(value)) return fixed(value, 0);
    const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value))));
    if (exponent >= -4 && exponent < 7) return fixed(value, exponent >= 3 ? 0 : 3 - exponent);
    std::string mantissa = fixed(value / std::pow(10.0, exponent), 3);
    return mantissa + "e" + std::to_string(exponent);
}

// What may go to a terminal or a page: names come from model files. Control characters but line
// feed and tab, and bytes that are not UTF-8, become question marks; on request those two as well.
inline std::string printable(std::string_view text, bool one_line = false) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const utf8_character u = decode_utf8(text.data() + i, text.data() + text.size());
        const char32_t c = u.code_point;
        const bool space = !one_line && (c == '\n' || c == '\t');
        // Control characters of ASCII and of Latin 1.
        const bool shows = u.valid && (space || (c >= 0x20 && !(c >= 0x7f && c < 0xa0)));
        out += shows ? text.substr(i, u.length) : std::string_view("?");
        i += u.valid ? u.length : 1;
    }
    return out;
}

// Names in converted models are joined from many; the first part says enough. `most` counts bytes,
// and a character of several bytes is never cut. One line of printable text.
inline std::string short_name(std::string_view name, std::size_t most = 40) {
    name = name.substr(0, name.find(';'));
    if (name.size() <= most) return printable(name, true);
    std::size_t from = name.size() - (most - 3);
    while (from < name.size() && is_continuation_byte(name[from])) ++from;
    return "..." + printable(name.substr(from), true);
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
