// Lowercase, character by character: what Rust's char::to_lowercase gives, and Hugging Face's
// Lowercase and BertNormalizer with it. A final sigma is not special.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/utf8.hpp>
#include <kompakt/token/unicode/case_run.hpp>
#include <kompakt/token/unicode/lower_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// U+0130 gives two characters (i and a dot above), all others one.
constexpr std::size_t to_lowercase(char32_t c, char32_t (&out)[2]) noexcept {
    out[1] = 0;
    if (c < 0x80) {
        out[0] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        return 1;
    }
    if (c == 0x130) {
        out[0] = 'i';
        out[1] = 0x307;
        return 2;
    }
    out[0] = detail::map_case(detail::lower_runs, c);
    return 1;
}

// Calls `sink(const char* bytes, std::size_t n, std::size_t begin, std::size_t end)` in order for
// runs that together are the lowercase text; bytes [begin, end) of `text` became the run. When both
// have the same length the run belongs byte for byte, otherwise each byte of it to the whole range.
// A bad subpart of UTF-8 passes as it is.
template <class Sink>
void lowercase(text_view text, Sink&& sink) {
    const char* const data = text.data();
    const char* const last = data + text.size();
    const auto offset = [data](const char* q) { return static_cast<std::size_t>(q - data); };
    const char* p = data;
    char buffer[64];
    while (p != last) {
        const char* const from = p;
        std::size_t n = 0;
        while (p != last && n != sizeof buffer && static_cast<std::uint8_t>(*p) < 0x80) {
            const char c = *p++;
            buffer[n++] = static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 32 : 0));
        }
        if (n != 0) sink(static_cast<const char*>(buffer), n, offset(from), offset(p));
        if (p == last || static_cast<std::uint8_t>(*p) < 0x80) continue;
        const char* const at = p;
        const utf8_character d = decode_utf8(p, last);
        p += d.length;
        if (!d.valid) {
            sink(at, std::size_t{d.length}, offset(at), offset(p));
            continue;
        }
        char32_t lower[2];
        const std::size_t count = to_lowercase(d.code_point, lower);
        if (count == 1 && lower[0] == d.code_point) {
            sink(at, std::size_t{d.length}, offset(at), offset(p));
            continue;
        }
        n = 0;
        for (std::size_t i = 0; i < count; ++i) n += encode_utf8(lower[i], buffer + n);
        sink(static_cast<const char*>(buffer), n, offset(at), offset(p));
    }
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
