// Words as the byte-level pre-tokenizer of GPT-2 makes them.
#pragma once

#include <kompakt/core/utf8.hpp>
#include <kompakt/token/unicode/category.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// by hand, since training has to do with nothing else for most of its reading. Bytes that are not
// UTF-8 count as punctuation and stay what they are.
class byte_splitter {
  public:
    // A space is put in front of a line that does not begin with one.
    explicit byte_splitter(bool add_prefix_space = false) : add_prefix_space_(add_prefix_space) {
        for (unsigned c = 0; c < 128; ++c) ascii_[c] = classify(c);
    }

    template <class Emit>
    bool operator()(std::string_view line, bool continues, Emit&& emit) {
        if (line.empty()) return true;
        if (add_prefix_space_ && !continues && line[0] != ' ') {
            buffer_.assign(1, ' ');
            buffer_ += line;
            line = buffer_;
        }
        std::size_t at = 0;
        while (at < line.size()) {
            const std::size_t end = word_end(line, at);
            emit(line.substr(at, end - at));
            at = end;
        }
        return true;
    }

  private:
    enum kind_of : std::uint8_t { letter, number, white, other };
    struct character {
        kind_of kind;
        std::uint8_t length;
    };
    static kind_of classify(char32_t c) noexcept {
        if (token::is_white_space(c)) return white;
        if (token::is_letter(c)) return letter;
        return token::is_number(c) ? number : other;
    }
    character class_at(std::string_view s, std::size_t i) const noexcept {
        const auto c = static_cast<unsigned char>(s[i]);
        if (c < 128) return {ascii_[c], 1};
        const utf8_character d = decode_utf8(s.data() + i, s.data() + s.size());
        return {d.valid ? classify(d.code_point) : other, d.length};
    }
    std::size_t run_end(std::string_view s, std::size_t i, kind_of kind) const noexcept {
        while (i < s.size()) {
            const character c = class_at(s, i);
            if (c.kind != kind) break;
            i += c.length;
        }
        return i;
    }
    std::size_t word_end(std::string_view s, std::size_t at) const noexcept {
        if (s[at] == '\'' && at + 1 < s.size()) {
            const char c = s[at + 1], d = at + 2 < s.size() ? s[at + 2] : '\0';
            if (c == 's' || c == 't' || c == 'm' || c == 'd') return at + 2;
            if ((c == 'r' && d == 'e') || (c == 'v' && d == 'e') || (c == 'l' && d == 'l')) {
                return at + 3;
            }
        }
        character c = class_at(s, at);
        if (c.kind != white) return run_end(s, at + c.length, c.kind);
        if (s[at] == ' ' && at + 1 < s.size()) {
            const character next = class_at(s, at + 1);
            if (next.kind != white) return run_end(s, at + 1 + next.length, next.kind);
        }
        // White space, but the last one goes to what follows it.
        std::size_t last = at, end = at;
        while (end < s.size()) {
            c = class_at(s, end);
            if (c.kind != white) break;
            last = end;
            end += c.length;
        }
        return end < s.size() && last > at ? last : end;
    }

    bool add_prefix_space_;
    std::array<kind_of, 128> ascii_ = {};
    std::string buffer_;
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
