// Numbers and names for people, the same in every locale.
#pragma once

#include <kompakt/core/config.hpp>

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
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
        bool whole = c < 0x80 || (c >= 0xc2 && c < 0xf5 && i + n <= text.size());
        for (std::size_t k = 1; whole && k < n; ++k) {
            whole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
        }
        if (!whole || (c < 0x20 && (one_line || (c != '\n' && c != '\t'))) || c == 0x7f) {
            out += '?';
            ++i;
        } else {
            out += text.substr(i, n);
            i += n;
        }
    }
    return out;
}

// Names in converted models are joined from many; the first part says enough. `most` counts bytes,
// and a character of several bytes is never cut. One line of printable text.
inline std::string short_name(std::string_view name, std::size_t most = 40) {
    name = name.substr(0, name.find(';'));
    if (name.size() <= most) return printable(name, true);
    std::size_t from = name.size() - (most - 3);
    while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xc0) == 0x80) ++from;
    return "..." + printable(name.substr(from), true);
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
