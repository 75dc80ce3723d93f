#include "support/dice.hpp"

#include <kompakt/core/utf8.hpp>

#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

using namespace kompakt;

namespace {

// Lengths and code points of the parts that decoding gives, from a buffer that ends with the text.
std::vector<utf8_character> decode_all(const std::string& text) {
    const std::unique_ptr<char[]> copy(new char[text.size()]);
    std::memcpy(copy.get(), text.data(), text.size());
    std::vector<utf8_character> out;
    for (const char* p = copy.get(); p != copy.get() + text.size();) {
        out.push_back(decode_utf8(p, copy.get() + text.size()));
        p += out.back().length;
    }
    return out;
}

std::vector<int> lengths(const std::string& text) {
    std::vector<int> out; // negative: bad
    for (const auto& d : decode_all(text)) out.push_back(d.valid ? d.length : -d.length);
    return out;
}

} // namespace

TEST_CASE("utf8: every code point there and back") {
    for (char32_t c = 0; c <= last_code_point; ++c) {
        char bytes[4];
        const std::size_t n = encode_utf8(c, bytes);
        const auto d = decode_utf8(bytes, bytes + n);
        const bool surrogate = c >= 0xd800 && c <= 0xdfff;
        const bool same = d.valid && d.length == n &&
                          d.code_point == (surrogate ? replacement_character : c) &&
                          n == (c < 0x80      ? 1u
                                : c < 0x800   ? 2u
                                : c < 0x10000 ? 3u
                                              : 4u);
        if (!same) {
            CAPTURE(static_cast<std::uint32_t>(c));
            REQUIRE(same);
        }
    }
    char bytes[4];
    CHECK(encode_utf8(0x110000, bytes) == 3);
    CHECK(std::string(bytes, 3) == "\xef\xbf\xbd");
}

TEST_CASE("utf8: bad text in maximal subparts") {
    using v = std::vector<int>;
    // The Unicode standard's own examples (chapter 3.9, tables 3-8 to 3-11).
    CHECK(lengths("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
                  "A") == v{-1, -1, -1, -1, -1, -1, -1, -1, 1});
    CHECK(lengths("\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
                  "A") == v{-1, -1, -1, -1, -1, -1, -1, -1, 1});
    CHECK(lengths("\xf4\x91\x92\x93\xff"
                  "A\x80\xbf"
                  "B") == v{-1, -1, -1, -1, -1, 1, -1, -1, 1});
    CHECK(lengths("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
                  "A") == v{-2, -1, -3, -2, 1});
    CHECK(lengths("\xf0\x9f\x98") == v{-3});
    CHECK(lengths("\xf4\x8f\xbf\xbf\xf4\x90\x80\x80") == v{4, -1, -1, -1, -1});
    CHECK(valid_utf8_prefix(std::string("abcdefghijk\xe4\xb8\xad\xe4\xb8")) == 14);
    CHECK(is_valid_utf8(std::string()));
    CHECK(count_characters(std::string("a\xe4\xb8\xad\xff\xe4\xb8z")) == 5);
}

TEST_CASE("utf8: random bytes agree with a check by the letter") {
    dice r(1);
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (unsigned n = r.below(12); n != 0; --n) {
            static const unsigned char edges[] = {0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                                  0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef,
                                                  0xf0, 0xf1, 0xf4, 0xf5, 0xff};
            text += static_cast<char>(edges[r.below(sizeof edges)]);
        }
        // Whatever is good encodes to the bytes that it was read from; bad parts never hold a
        // character.
        std::string again;
        std::size_t at = 0;
        bool all_good = true;
        for (const auto& d : decode_all(text)) {
            if (d.valid) {
                char bytes[4];
                const std::size_t n = encode_utf8(d.code_point, bytes);
                REQUIRE(text.compare(at, d.length, std::string(bytes, n)) == 0);
            } else {
                if (all_good) CHECK(valid_utf8_prefix(text) == at);
                all_good = false;
                REQUIRE(d.code_point == replacement_character);
            }
            at += d.length;
        }
        REQUIRE(at == text.size());
        REQUIRE(is_valid_utf8(text) == all_good);
    }
}
