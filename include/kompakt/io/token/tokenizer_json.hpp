// Reader of Hugging Face's tokenizer.json.
//
// Parts that are not understood are errors that name them. The vocabulary and the merges, which are
// nearly all of such a file, are read apart from the rest, without building values of them.
#pragma once

#include <kompakt/format/json.hpp>
#include <kompakt/io/token/regex/compile.hpp>
#include <kompakt/io/token/spec.hpp>
#include <kompakt/io/token/text_index.hpp>
#include <kompakt/token/normalizers.hpp>

#include <initializer_list>
#include <memory>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// The pattern of GPT-2, which the file format's ByteLevel step stands for.
inline constexpr std::string_view gpt2_pattern =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// A regular expression as the bytes that a step refers to.
inline result<std::string> regex_bytes(std::string_view pattern) {
    auto compiled = compile_regex(pattern);
    if (!compiled.ok()) return compiled.error();
    return std::string(reinterpret_cast<const char*>(compiled->data()), compiled->size());
}

// The bytes that a token of a byte-level vocabulary stands for; false when a character is none of
// its alphabet.
inline bool bytes_of_token(std::string_view token, std::string& out) {
    static const std::vector<std::int16_t> table = [] {
        std::vector<std::int16_t> t(0x180, -1);
        for (int b = 0; b < 256; ++b)
            t[detail::character_of_byte(static_cast<std::uint8_t>(b))] =
                static_cast<std::int16_t>(b);
        return t;
    }();
    out.clear();
    const char* p = token.data();
    const char* const last = p + token.size();
    while (p != last) {
        const utf8_character d = decode_utf8(p, last);
        if (d.code_point >= 0x180 || table[d.code_point] < 0) return false;
        out += static_cast<char>(table[d.code_point]);
        p += d.length;
    }
    return true;
}

namespace detail {

// Walks over JSON text without making values.
class json_walker {
  public:
    explicit json_walker(std::string_view text) : text_(text) {}

    std::size_t at() const noexcept { return at_; }
    void seek(std::size_t at) noexcept { at_ = at; }
    void space() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }
    bool take(char c) noexcept {
        space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    char peek() noexcept {
        space();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    // A string's text between the quotes; whether it has escapes.
    bool raw_string(std::string_view& out, bool& escapes) noexcept {
        if (!take('"')) return false;
        const std::size_t from = at_;
        escapes = false;
        for (;;) {
            if (at_ >= text_.size()) return false;
            const auto c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') break;
            if (c < 0x20) return false;
            if (c == '\\') {
                escapes = true;
                ++at_;
            }
            ++at_;
        }
        out = text_.substr(from, at_ - from);
        ++at_;
        return true;
    }
    // `storage` holds the text if it has escapes.
    bool string(std::string_view& out, std::string& storage) {
        bool escapes = false;
        const std::size_t from = (space(), at_);
        if (!raw_string(out, escapes)) return false;
        if (!escapes) return true;
        const auto v = json::read(text_.substr(from, at_ - from));
        if (!v.ok()) return false;
        storage = v->as_string();
        out = storage;
        return true;
    }
    bool skip_value() noexcept {
        space();
        std::size_t depth = 0;
        for (;;) {
            const char c = peek();
            if (c == '\0') return false;
            if (c == '"') {
                std::string_view s;
                bool e = false;
                if (!raw_string(s, e)) return false;
            } else if (c == '[' || c == '{') {
                ++depth;
                ++at_;
            } else if (c == ']' || c == '}') {
                if (depth == 0) return false;
                --depth;
                ++at_;
            } else if (c == ',' || c == ':') {
                if (depth == 0) return false;
                ++at_;
                continue;
            } else {
                const std::size_t from = at_;
                while (at_ < text_.size() && std::string_view(",]}: \n\r\t\"[{").find(text_[at_]) ==
                                                 std::string_view::npos)
                    ++at_;
                if (at_ == from) return false;
            }
            if (depth == 0) return true;
        }
    }
    bool number(std::string_view& out) noexcept {
        space();
        const std::size_t from = at_;
        while (at_ < text_.size() &&
               std::string_view("0123456789+-.eE").find(text_[at_]) != std::string_view::npos)
            ++at_;
        out = text_.substr(from, at_ - from);
        return !out.empty();
    }
    std::string_view part(std::size_t from, std::size_t to) const noexcept {
        return text_.substr(from, to - from);
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

// A number as serde_json's fast reader makes it: the digits as an integer, then one multiplication
// or division by a power of ten, which is not always the nearest double.
inline bool serde_number(std::string_view t, double& out) {
    std::size_t i = 0;
    bool negative = false;
    if (i < t.size() && t[i] == '-') {
        negative = true;
        ++i;
    }
    std::uint64_t digits = 0;
    std::int64_t exponent = 0;
    bool any = false, full = false;
    const auto add = [&](char c, bool fraction) {
        any = true;
        const auto d = static_cast<std::uint64_t>(c - '0');
        if (full || digits > (UINT64_MAX - d) / 10) {
            full = true;
            if (!fraction) ++exponent;
            return;
        }
        digits = digits * 10 + d;
        if (fraction) --exponent;
    };
    for (; i < t.size() && t[i] >= '0' && t[i] <= '9'; ++i) add(t[i], false);
    if (i < t.size() && t[i] == '.') {
        for (++i; i < t.size() && t[i] >= '0' && t[i] <= '9'; ++i) add(t[i], true);
    }
    if (!any) return false;
    if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
        ++i;
        bool minus = false;
        if (i < t.size() && (t[i] == '+' || t[i] == '-')) minus = t[i++] == '-';
        std::int64_t e = 0;
        if (i == t.size()) return false;
        for (; i < t.size() && t[i] >= '0' && t[i] <= '9'; ++i)
            e = e > 100000 ? e : e * 10 + (t[i] - '0');
        exponent += minus ? -e : e;
    }
    if (i != t.size()) return false;
    double f = static_cast<double>(digits);
    static const std::vector<double> powers = [] {
        std::vector<double> p;
        for (int k = 0; k <= 308; ++k)
            p.push_back(std::strtod(("1e" + std::to_string(k)).c_str(), nullptr));
        return p;
    }();
    while (digits != 0) {
        const auto k = static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent);
        if (k <= 308) {
            f = exponent >= 0 ? f * powers[k] : f / powers[k];
            break;
        }
        if (f == 0) break;
        if (exponent >= 0) return false;
        f /= 1e308;
        exponent += 308;
    }
    if (!json::detail::is_finite(f)) return false;
    out = negative ? -f : f;
    return true;
}

class tokenizer_json_reader {
  public:
    explicit tokenizer_json_reader(std::string_view text) : text_(text) {}

    result<tokenizer_spec> read() {
        if (!is_valid_utf8({text_.data(), text_.size()}))
            return fail(errc::bad_file, "tokenizer.json: not UTF-8");
        KOMPAKT_TRY(cut());
        const auto rest = json::read(rest_);
        if (!rest.ok()) return rest.error();
        root_ = &*rest;
        if (!root_->is(json::kind::object)) return wrong("needs an object");
        KOMPAKT_TRY(only(*root_, "tokenizer.json",
                         {"version", "truncation", "padding", "added_tokens", "normalizer",
                          "pre_tokenizer", "post_processor", "decoder", "model"}));
        KOMPAKT_TRY(pre_tokenizers((*root_)["pre_tokenizer"], "pre_tokenizer"));
        KOMPAKT_TRY(normalizers((*root_)["normalizer"], "normalizer"));
        KOMPAKT_TRY(decoders((*root_)["decoder"], "decoder"));
        if ((*root_)["decoder"].is_null()) s_.join_spaces = true;
        finish_byte_level();
        KOMPAKT_TRY(model());
        KOMPAKT_TRY(added());
        KOMPAKT_TRY(post((*root_)["post_processor"], "post_processor"));
        finish_templates();
        KOMPAKT_TRY(truncation());
        KOMPAKT_TRY(padding());
        return std::move(s_);
    }

  private:
    using value = json::value;

    template <class... Parts>
    static status wrong(const Parts&... parts) {
        return fail(errc::bad_file, "tokenizer.json: ", parts...);
    }
    static status unsupported(const std::string& where, std::string_view what) {
        return fail(errc::unsupported, "tokenizer.json: ", where, ": ", what, " is not supported");
    }
    static status only(const value& v, const std::string& where,
                       std::initializer_list<const char*> keys) {
        if (!v.is(json::kind::object)) return wrong(where, ": needs an object");
        for (const json::member& m : v.members()) {
            bool known = false;
            for (const char* k : keys) known = known || m.key == k;
            if (!known) return unsupported(where, "\"" + m.key + "\"");
        }
        return {};
    }
    static status flag(const value& v, const std::string& where, const char* key, bool otherwise,
                       bool& out) {
        const value& b = v[key];
        if (b.is_null()) {
            out = otherwise;
            return {};
        }
        if (!b.is(json::kind::boolean)) return wrong(where, ": \"", key, "\" needs true or false");
        out = b.as_boolean();
        return {};
    }
    static status text(const value& v, const std::string& where, const char* key,
                       std::string& out) {
        if (!v[key].is(json::kind::string)) return wrong(where, ": \"", key, "\" needs a string");
        out = v[key].as_string();
        return {};
    }
    static status one_char(const value& v, const std::string& where, const char* key,
                           std::uint32_t& out) {
        std::string s;
        KOMPAKT_TRY(text(v, where, key, s));
        const utf8_character d =
            s.empty() ? utf8_character{0, 0, false} : decode_utf8(s.data(), s.data() + s.size());
        if (!d.valid || d.length != s.size())
            return wrong(where, ": \"", key, "\" needs one character");
        out = static_cast<std::uint32_t>(d.code_point);
        return {};
    }
    static status count(const value& v, const std::string& where, const char* key,
                        std::uint32_t& out) {
        const std::int64_t n = v[key].as_integer(-1);
        if (n < 0 || n > 0x7fffffff) return wrong(where, ": \"", key, "\" needs a whole number");
        out = static_cast<std::uint32_t>(n);
        return {};
    }

    // Finds model.vocab and model.merges, and leaves the rest of the text with null in their
    // places.
    status cut() {
        json_walker w(text_);
        if (text_.substr(0, 3) == "\xef\xbb\xbf") w.seek(3);
        const auto broken = [&] { return json::read(text_); };
        const auto fails = [&]() -> status {
            const auto r = broken();
            return r.ok() ? wrong("needs an object with a \"model\"") : r.error();
        };
        if (!w.take('{')) return fails();
        std::size_t done = 0;
        bool found = false;
        while (w.peek() == '"') {
            std::string_view key;
            bool escapes = false;
            if (!w.raw_string(key, escapes) || !w.take(':')) return fails();
            if (key == "model" && !found && w.peek() == '{') {
                found = true;
                w.take('{');
                while (w.peek() == '"') {
                    if (!w.raw_string(key, escapes) || !w.take(':')) return fails();
                    w.space();
                    const std::size_t from = w.at();
                    if (!w.skip_value()) return fails();
                    std::string_view* part = key == "vocab"    ? &vocab_
                                             : key == "merges" ? &merges_
                                                               : nullptr;
                    if (part != nullptr && (text_[from] == '{' || text_[from] == '[')) {
                        if (!part->empty()) return wrong("model: \"", key, "\" is there twice");
                        *part = w.part(from, w.at());
                        rest_ += text_.substr(done, from - done);
                        rest_ += "null";
                        done = w.at();
                    }
                    if (!w.take(',')) break;
                }
                if (!w.take('}')) return fails();
            } else if (!w.skip_value()) {
                return fails();
            }
            if (!w.take(',')) break;
        }
        rest_ += text_.substr(done);
        return {};
    }

    // ---- normalizers

    status normalizers(const value& v, const std::string& where) {
        if (v.is_null()) return {};
        const std::string type = v["type"].as_string();
        const std::string here = where + " " + type;
        step_spec s;
        if (type == "Sequence") {
            KOMPAKT_TRY(only(v, here, {"type", "normalizers"}));
            if (!v["normalizers"].is(json::kind::array))
                return wrong(here, ": needs an array \"normalizers\"");
            if (++nesting_ > 16)
                return fail(errc::limit, "tokenizer.json: ", where,
                            ": sequences are nested too deeply");
            for (const value& n : v["normalizers"].items()) KOMPAKT_TRY(normalizers(n, where));
            --nesting_;
            return {};
        }
        if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD" ||
            type == "Lowercase" || type == "StripAccents" || type == "Nmt" || type == "ByteLevel") {
            KOMPAKT_TRY(only(v, here, {"type"}));
            s.kind = type == "NFC"            ? step_kind::nfc
                     : type == "NFD"          ? step_kind::nfd
                     : type == "NFKC"         ? step_kind::nfkc
                     : type == "NFKD"         ? step_kind::nfkd
                     : type == "Lowercase"    ? step_kind::lowercase
                     : type == "StripAccents" ? step_kind::strip_accents
                     : type == "Nmt"          ? step_kind::nmt
                                              : step_kind::byte_level_text;
        } else if (type == "BertNormalizer") {
            KOMPAKT_TRY(
                only(v, here,
                     {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}));
            bool clean = true, chinese = true, lower = true, accents = false;
            KOMPAKT_TRY(flag(v, here, "clean_text", true, clean));
            KOMPAKT_TRY(flag(v, here, "handle_chinese_chars", true, chinese));
            KOMPAKT_TRY(flag(v, here, "lowercase", true, lower));
            KOMPAKT_TRY(flag(v, here, "strip_accents", lower, accents));
            s.kind = step_kind::bert;
            s.flags = (clean ? step_clean : 0u) | (chinese ? step_chinese : 0u) |
                      (accents ? step_accents : 0u) | (lower ? step_lower : 0u);
        } else if (type == "Strip" || type == "StripNormalizer") {
            KOMPAKT_TRY(only(v, here, {"type", "strip_left", "strip_right"}));
            bool left = true, right = true;
            KOMPAKT_TRY(flag(v, here, "strip_left", true, left));
            KOMPAKT_TRY(flag(v, here, "strip_right", true, right));
            s.kind = step_kind::strip;
            s.flags = (left ? step_left : 0u) | (right ? step_right : 0u);
        } else if (type == "Replace") {
            KOMPAKT_TRY(replace(v, here, s));
            s.kind = step_kind::replace;
        } else if (type == "Prepend") {
            KOMPAKT_TRY(only(v, here, {"type", "prepend"}));
            s.kind = step_kind::prepend;
            KOMPAKT_TRY(text(v, here, "prepend", s.a));
        } else if (type == "Precompiled") {
            KOMPAKT_TRY(only(v, here, {"type", "precompiled_charsmap"}));
            s.kind = step_kind::precompiled;
            std::string base64;
            KOMPAKT_TRY(text(v, here, "precompiled_charsmap", base64));
            if (!decode_base64(base64, s.a))
                return wrong(here, ": \"precompiled_charsmap\" is not base64");
            if (charsmap_view(
                    bytes_view(reinterpret_cast<const std::byte*>(s.a.data()), s.a.size()))
                    .empty() &&
                !s.a.empty()) {
                return wrong(here, ": \"precompiled_charsmap\" is broken");
            }
        } else {
            return unsupported(where, type.empty() ? "a normalizer without type" : type);
        }
        s_.normalizers.push_back(std::move(s));
        return {};
    }

    status replace(const value& v, const std::string& where, step_spec& s) {
        KOMPAKT_TRY(only(v, where, {"type", "pattern", "content"}));
        KOMPAKT_TRY(text(v, where, "content", s.b));
        return pattern(v["pattern"], where, s.a, s.flags, 1);
    }
    // {"String": ...} or {"Regex": ...}; `bit` is set in the flags for a regex, whose bytes a gets.
    status pattern(const value& p, const std::string& where, std::string& a, std::uint32_t& flags,
                   std::uint32_t bit) {
        if (p["String"].is(json::kind::string)) {
            a = p["String"].as_string();
            if (a.empty()) return wrong(where, ": an empty pattern");
            return {};
        }
        if (!p["Regex"].is(json::kind::string))
            return wrong(where, ": \"pattern\" needs a String or a Regex");
        auto r = regex_bytes(p["Regex"].as_string());
        if (!r.ok()) return r.error().within("tokenizer.json: ", where, ": ");
        a = std::move(*r);
        flags |= bit;
        return {};
    }

  public:
    static bool decode_base64(std::string_view in, std::string& out) {
        static constexpr char alphabet[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        static const std::vector<std::int8_t> table = [] {
            std::vector<std::int8_t> t(256, -1);
            for (int i = 0; i < 64; ++i)
                t[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
            return t;
        }();
        while (!in.empty() && in.back() == '=') in.remove_suffix(1);
        if (in.size() % 4 == 1) return false;
        out.clear();
        out.reserve(in.size() * 3 / 4);
        std::uint32_t bits = 0;
        int n = 0;
        for (const char c : in) {
            const int d = table[static_cast<unsigned char>(c)];
            if (d < 0) return false;
            bits = bits << 6 | static_cast<std::uint32_t>(d);
            n += 6;
            if (n >= 8) {
                n -= 8;
                out += static_cast<char>(bits >> n & 0xff);
            }
        }
        return true;
    }

  private:
    // ---- pre-tokenizers

    status how(const value& v, const std::string& where, std::uint32_t& flags) {
        const std::string& b = v["behavior"].as_string();
        const auto set = [&](behavior x) { flags |= static_cast<std::uint32_t>(x); };
        if (b == "Removed")
            set(behavior::removed);
        else if (b == "Isolated")
            set(behavior::isolated);
        else if (b == "MergedWithPrevious")
            set(behavior::merged_with_previous);
        else if (b == "MergedWithNext")
            set(behavior::merged_with_next);
        else if (b == "Contiguous")
            set(behavior::contiguous);
        else
            return unsupported(where, "behavior \"" + b + "\"");
        return {};
    }
    static step_spec split(step_kind kind, behavior b) {
        step_spec s;
        s.kind = kind;
        s.flags = static_cast<std::uint32_t>(b);
        return s;
    }
    status regex_split(std::string_view expression, const std::string& where, std::uint32_t flags) {
        auto r = regex_bytes(expression);
        if (!r.ok()) return r.error().within("tokenizer.json: ", where, ": ");
        step_spec s;
        s.kind = step_kind::split_regex;
        s.flags = flags;
        s.a = std::move(*r);
        s_.pre_tokenizers.push_back(std::move(s));
        return {};
    }

    status pre_tokenizers(const value& v, const std::string& where) {
        if (v.is_null()) return {};
        const std::string type = v["type"].as_string();
        const std::string here = where + " " + type;
        auto& out = s_.pre_tokenizers;
        if (type == "Sequence") {
            KOMPAKT_TRY(only(v, here, {"type", "pretokenizers"}));
            if (!v["pretokenizers"].is(json::kind::array))
                return wrong(here, ": needs an array \"pretokenizers\"");
            if (++nesting_ > 16)
                return fail(errc::limit, "tokenizer.json: ", where,
                            ": sequences are nested too deeply");
            for (const value& p : v["pretokenizers"].items()) KOMPAKT_TRY(pre_tokenizers(p, where));
            --nesting_;
            return {};
        }
        if (type == "ByteLevel") {
            KOMPAKT_TRY(only(v, here, {"type", "add_prefix_space", "trim_offsets", "use_regex"}));
            bool prefix = true, regex = true;
            KOMPAKT_TRY(flag(v, here, "add_prefix_space", true, prefix));
            KOMPAKT_TRY(flag(v, here, "use_regex", true, regex));
            if (prefix) {
                step_spec s;
                s.kind = step_kind::prefix_space;
                out.push_back(s);
            }
            if (regex)
                KOMPAKT_TRY(regex_split(gpt2_pattern, here,
                                        static_cast<std::uint32_t>(behavior::isolated)));
            step_spec s;
            s.kind = step_kind::byte_map;
            out.push_back(s);
            return {};
        }
        if (type == "Split") {
            KOMPAKT_TRY(only(v, here, {"type", "pattern", "behavior", "invert"}));
            step_spec s;
            s.kind = step_kind::split_text;
            std::uint32_t is_regex = 0;
            KOMPAKT_TRY(pattern(v["pattern"], here, s.a, is_regex, 1));
            if (is_regex != 0) s.kind = step_kind::split_regex;
            KOMPAKT_TRY(how(v, here, s.flags));
            bool invert = false;
            KOMPAKT_TRY(flag(v, here, "invert", false, invert));
            if (invert) s.flags |= step_invert;
            // Isolated cuts at both ends of a match whichever side is called the match.
            if ((s.flags & step_behavior) == static_cast<std::uint32_t>(behavior::isolated))
                s.flags &= ~std::uint32_t{step_invert};
            out.push_back(std::move(s));
            return {};
        }
        if (type == "Whitespace") {
            KOMPAKT_TRY(only(v, here, {"type"}));
            return regex_split("\\w+|[^\\w\\s]+", here,
                               static_cast<std::uint32_t>(behavior::removed) | step_invert);
        }
        if (type == "WhitespaceSplit" || type == "BertPreTokenizer") {
            KOMPAKT_TRY(only(v, here, {"type"}));
            out.push_back(split(step_kind::split_whitespace, behavior::removed));
            if (type == "BertPreTokenizer")
                out.push_back(split(step_kind::split_punctuation, behavior::isolated));
            return {};
        }
        if (type == "Punctuation") {
            KOMPAKT_TRY(only(v, here, {"type", "behavior"}));
            step_spec s;
            s.kind = step_kind::split_punctuation;
            if (v["behavior"].is_null())
                s.flags = static_cast<std::uint32_t>(behavior::isolated);
            else
                KOMPAKT_TRY(how(v, here, s.flags));
            out.push_back(s);
            return {};
        }
        if (type == "Digits") {
            KOMPAKT_TRY(only(v, here, {"type", "individual_digits"}));
            bool individual = false;
            KOMPAKT_TRY(flag(v, here, "individual_digits", false, individual));
            out.push_back(split(step_kind::split_digits,
                                individual ? behavior::isolated : behavior::contiguous));
            return {};
        }
        if (type == "CharDelimiterSplit") {
            KOMPAKT_TRY(only(v, here, {"type", "delimiter"}));
            step_spec s = split(step_kind::split_char, behavior::removed);
            KOMPAKT_TRY(one_char(v, here, "delimiter", s.numbers[0]));
            out.push_back(s);
            return {};
        }
        if (type == "FixedLength") {
            KOMPAKT_TRY(only(v, here, {"type", "length"}));
            step_spec s;
            s.kind = step_kind::fixed_length;
            s.numbers[0] = 5;
            if (!v["length"].is_null()) KOMPAKT_TRY(count(v, here, "length", s.numbers[0]));
            if (s.numbers[0] == 0) return wrong(here, ": a length of 0");
            out.push_back(s);
            return {};
        }
        if (type == "Metaspace") {
            step_spec s;
            KOMPAKT_TRY(metaspace(v, here, s));
            s.kind = step_kind::metaspace;
            out.push_back(std::move(s));
            return {};
        }
        return unsupported(where, type.empty() ? "a pre-tokenizer without type" : type);
    }

    status metaspace(const value& v, const std::string& where, step_spec& s) {
        KOMPAKT_TRY(only(
            v, where,
            {"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"}));
        std::uint32_t c = 0;
        KOMPAKT_TRY(one_char(v, where, "replacement", c));
        s.a = v["replacement"].as_string();
        bool splits = true, prefix = true;
        KOMPAKT_TRY(flag(v, where, "split", true, splits));
        KOMPAKT_TRY(flag(v, where, "add_prefix_space", true, prefix));
        std::string scheme =
            v["prepend_scheme"].is_null() ? "always" : v["prepend_scheme"].as_string();
        if (!prefix) {
            if (!v["prepend_scheme"].is_null() && scheme != "never")
                return wrong(where, ": \"add_prefix_space\" contradicts \"prepend_scheme\"");
            scheme = "never";
        }
        if (scheme == "always")
            s.flags |= step_prepend_always;
        else if (scheme == "first")
            s.flags |= step_prepend_first;
        else if (scheme != "never")
            return unsupported(where, "prepend_scheme \"" + scheme + "\"");
        if (splits) s.flags |= step_split;
        return {};
    }

    // A byte map at the end of all steps need not be carried out: the vocabulary is turned into
    // bytes instead.
    void finish_byte_level() {
        auto& p = s_.pre_tokenizers;
        std::size_t maps = 0;
        for (const step_spec& s : p) maps += s.kind == step_kind::byte_map ? 1 : 0;
        for (const step_spec& s : s_.normalizers)
            maps += s.kind == step_kind::byte_level_text ? 1 : 0;
        const std::string& type = (*root_)["model"]["type"].as_string();
        const bool is_bpe = type == "BPE" || (type.empty() && !merges_.empty());
        if (maps == 1 && !p.empty() && p.back().kind == step_kind::byte_map && is_bpe) {
            p.pop_back();
            s_.byte_level = true;
        }
    }

    // ---- decoders

    status decoders(const value& v, const std::string& where) {
        if (v.is_null()) return {};
        const std::string type = v["type"].as_string();
        const std::string here = where + " " + type;
        step_spec s;
        if (type == "Sequence") {
            KOMPAKT_TRY(only(v, here, {"type", "decoders"}));
            if (!v["decoders"].is(json::kind::array))
                return wrong(here, ": needs an array \"decoders\"");
            if (++nesting_ > 16)
                return fail(errc::limit, "tokenizer.json: ", where,
                            ": sequences are nested too deeply");
            for (const value& d : v["decoders"].items()) KOMPAKT_TRY(decoders(d, where));
            --nesting_;
            return {};
        }
        if (type == "ByteLevel") {
            KOMPAKT_TRY(only(v, here, {"type", "add_prefix_space", "trim_offsets", "use_regex"}));
            s.kind = step_kind::decode_bytes;
        } else if (type == "ByteFallback" || type == "Fuse") {
            KOMPAKT_TRY(only(v, here, {"type"}));
            s.kind = type == "Fuse" ? step_kind::decode_fuse : step_kind::decode_byte_fallback;
        } else if (type == "Replace") {
            KOMPAKT_TRY(replace(v, here, s));
            if ((s.flags & 1) != 0) return unsupported(here, "a Regex");
            if (has(step_kind::decode_fuse)) return unsupported(here, "Replace behind Fuse");
            s.kind = step_kind::decode_replace;
        } else if (type == "Strip") {
            KOMPAKT_TRY(only(v, here, {"type", "content", "start", "stop"}));
            KOMPAKT_TRY(one_char(v, here, "content", s.numbers[0]));
            KOMPAKT_TRY(count(v, here, "start", s.numbers[2]));
            KOMPAKT_TRY(count(v, here, "stop", s.numbers[3]));
            if (has(step_kind::decode_strip)) return unsupported(here, "a second Strip");
            s.kind = step_kind::decode_strip;
        } else if (type == "Metaspace") {
            KOMPAKT_TRY(metaspace(v, here, s));
            s.kind = step_kind::decode_metaspace;
        } else if (type == "WordPiece") {
            KOMPAKT_TRY(only(v, here, {"type", "prefix", "cleanup"}));
            bool cleanup = true;
            s.a = "##";
            if (!v["prefix"].is_null()) KOMPAKT_TRY(text(v, here, "prefix", s.a));
            KOMPAKT_TRY(flag(v, here, "cleanup", true, cleanup));
            s.flags = cleanup ? std::uint32_t{step_cleanup} : 0u;
            s.kind = step_kind::decode_wordpiece;
        } else if (type == "BPEDecoder") {
            KOMPAKT_TRY(only(v, here, {"type", "suffix"}));
            KOMPAKT_TRY(text(v, here, "suffix", s.a));
            s.kind = step_kind::decode_bpe;
        } else if (type == "CTC") {
            KOMPAKT_TRY(only(v, here, {"type", "pad_token", "word_delimiter_token", "cleanup"}));
            KOMPAKT_TRY(text(v, here, "pad_token", s.a));
            KOMPAKT_TRY(text(v, here, "word_delimiter_token", s.b));
            bool cleanup = true;
            KOMPAKT_TRY(flag(v, here, "cleanup", true, cleanup));
            s.flags = cleanup ? std::uint32_t{step_cleanup} : 0u;
            s.kind = step_kind::decode_ctc;
        } else {
            return unsupported(where, type.empty() ? "a decoder without type" : type);
        }
        s_.decoders.push_back(std::move(s));
        if (s_.decoders.size() > 1 && has(step_kind::decode_bytes))
            return unsupported(where, "ByteLevel beside other decoders");
        return {};
    }
    bool has(step_kind k) const {
        for (const step_spec& s : s_.decoders) {
            if (s.kind == k) return true;
        }
        return false;
    }

    // ---- the model

    status model() {
        const value& m = (*root_)["model"];
        if (!m.is(json::kind::object)) return wrong("needs an object \"model\"");
        std::string type = m["type"].as_string();
        if (vocab_.empty()) return wrong("model: needs a \"vocab\"");
        if (type.empty()) { // old files
            type = !merges_.empty()                                ? "BPE"
                   : vocab_[0] == '['                              ? "Unigram"
                   : m.find("max_input_chars_per_word") != nullptr ? "WordPiece"
                                                                   : "WordLevel";
        }
        const std::string where = "model " + type;
        if (type == "BPE") {
            KOMPAKT_TRY(only(m, where,
                             {"type", "dropout", "unk_token", "continuing_subword_prefix",
                              "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges",
                              "vocab", "merges"}));
            s_.model = model_kind::bpe;
            if (!m["dropout"].is_null() && m["dropout"].as_number(1) != 0)
                return unsupported(where, "dropout");
            KOMPAKT_TRY(flag(m, where, "fuse_unk", false, s_.fuse_unknown));
            KOMPAKT_TRY(flag(m, where, "byte_fallback", false, s_.byte_fallback));
            KOMPAKT_TRY(flag(m, where, "ignore_merges", false, s_.whole_words));
            s_.prefix = m["continuing_subword_prefix"].as_string();
            s_.suffix = m["end_of_word_suffix"].as_string();
            KOMPAKT_TRY(vocabulary());
            KOMPAKT_TRY(unknown(m, where));
            if (s_.byte_level)
                s_.byte_fallback = false; // every byte is in the vocabulary or unknown
            return merges();
        }
        if (type == "WordPiece") {
            KOMPAKT_TRY(only(m, where,
                             {"type", "unk_token", "continuing_subword_prefix",
                              "max_input_chars_per_word", "vocab"}));
            s_.model = model_kind::wordpiece;
            s_.prefix = m["continuing_subword_prefix"].is_null()
                            ? "##"
                            : m["continuing_subword_prefix"].as_string();
            if (!m["max_input_chars_per_word"].is_null())
                KOMPAKT_TRY(count(m, where, "max_input_chars_per_word", s_.max_word_chars));
            KOMPAKT_TRY(vocabulary());
            KOMPAKT_TRY(unknown(m, where));
            return needs_unknown(where);
        }
        if (type == "WordLevel") {
            KOMPAKT_TRY(only(m, where, {"type", "unk_token", "vocab"}));
            s_.model = model_kind::wordlevel;
            KOMPAKT_TRY(vocabulary());
            KOMPAKT_TRY(unknown(m, where));
            return needs_unknown(where);
        }
        if (type == "Unigram") {
            KOMPAKT_TRY(only(m, where, {"type", "unk_id", "byte_fallback", "vocab"}));
            s_.model = model_kind::unigram;
            KOMPAKT_TRY(flag(m, where, "byte_fallback", false, s_.byte_fallback));
            KOMPAKT_TRY(scored_vocabulary());
            if (!m["unk_id"].is_null()) {
                KOMPAKT_TRY(count(m, where, "unk_id", s_.unknown));
                if (s_.unknown >= s_.tokens.size())
                    return wrong(where, ": \"unk_id\" ", s_.unknown,
                                 " is outside of the vocabulary");
            }
            s_.fuse_unknown = true;
            return {};
        }
        return unsupported("model", type);
    }
    status needs_unknown(const std::string& where) {
        return s_.unknown == none ? wrong(where, ": the unknown token is not in the vocabulary")
                                  : status();
    }
    status unknown(const value& m, const std::string& where) {
        if (m["unk_token"].is_null()) {
            if (s_.model == model_kind::bpe) return {};
        }
        const std::string t = m["unk_token"].is_null()
                                  ? (s_.model == model_kind::wordlevel ? "<unk>" : "[UNK]")
                                  : m["unk_token"].as_string();
        if (t.empty() && s_.model == model_kind::bpe) return {};
        s_.unknown = index_.find(t);
        if (s_.unknown == none && s_.model == model_kind::bpe)
            return wrong(where, ": the unknown token \"", t, "\" is not in the vocabulary");
        return {};
    }

    // Room for ids up to this one. Files whose ids leave huge gaps would need memory that has
    // nothing to do with their size.
    status reach(std::uint64_t id, std::uint64_t entries) {
        if (id > vocabulary_limit)
            return fail(errc::limit, "tokenizer.json: id ", id, ", the limit is ",
                        vocabulary_limit);
        if (id > 64 * entries + 65536)
            return fail(errc::limit, "tokenizer.json: id ", id, " in a vocabulary of ", entries);
        if (s_.tokens.size() <= id) {
            s_.tokens.resize(static_cast<std::size_t>(id) + 1);
            names_.resize(static_cast<std::size_t>(id) + 1);
        }
        return {};
    }
    status vocabulary() {
        json_walker w(vocab_);
        if (!w.take('{')) return wrong("model: \"vocab\" needs an object");
        struct entry {
            std::string_view name;
            std::uint64_t id;
        };
        std::vector<entry> entries;
        std::uint64_t most = 0;
        while (w.peek() == '"') {
            std::string_view name, number;
            std::string storage;
            if (!w.string(name, storage) || !w.take(':') || !w.number(number))
                return broken_vocabulary(entries.size());
            if (!storage.empty()) name = keep(std::move(storage));
            std::uint64_t id = 0;
            const auto r = std::from_chars(number.data(), number.data() + number.size(), id);
            if (r.ec != std::errc() || r.ptr != number.data() + number.size()) {
                return wrong("model: vocab: \"", name, "\" needs a whole number, has ", number);
            }
            entries.push_back({name, id});
            most = (std::max)(most, id);
            if (!w.take(',')) break;
        }
        if (!w.take('}')) return broken_vocabulary(entries.size());
        if (!entries.empty()) KOMPAKT_TRY(reach(most, entries.size()));
        index_ = text_index(entries.size());
        for (const entry& e : entries) {
            const auto id = static_cast<std::uint32_t>(e.id);
            if (!index_.add(e.name, id))
                return wrong("model: vocab: \"", e.name, "\" is there twice");
            if ((s_.tokens[id].kind & piece_absent) == 0)
                return wrong("model: vocab: id ", id, " is there twice: \"", names_[id], "\", \"",
                             e.name, "\"");
            set_token(id, e.name);
        }
        return {};
    }
    status broken_vocabulary(std::size_t n) {
        const auto r = json::read(vocab_);
        return r.ok() ? wrong("model: vocab: entry ", n, " is not a text with an id")
                      : r.error().within("tokenizer.json: model: vocab: ");
    }
    void set_token(std::uint32_t id, std::string_view name) {
        token_spec& t = s_.tokens[id];
        names_[id] = name;
        t.kind = 0;
        t.text = name;
        const bool decodes = has(step_kind::decode_bytes);
        if (s_.byte_level) {
            std::string bytes;
            if (bytes_of_token(name, bytes)) {
                t.text = std::move(bytes);
                if (!decodes) {
                    t.decoded = name;
                    t.decodes_apart = true;
                }
            } else {
                t.usable = false;
            }
        } else if (decodes) {
            t.decodes_apart = bytes_of_token(name, t.decoded);
        }
    }
    status scored_vocabulary() {
        json_walker w(vocab_);
        if (!w.take('[')) return wrong("model: \"vocab\" needs an array");
        std::vector<std::string_view> names;
        std::vector<double> scores;
        while (w.peek() == '[') {
            std::string_view name, number;
            std::string storage;
            double score = 0;
            if (!w.take('[') || !w.string(name, storage) || !w.take(',') || !w.number(number) ||
                !w.take(']'))
                return broken_vocabulary(names.size());
            if (!storage.empty()) name = keep(std::move(storage));
            if (!serde_number(number, score))
                return wrong("model: vocab: \"", name, "\" needs a score, has ", number);
            names.push_back(name);
            scores.push_back(score);
            if (names.size() > vocabulary_limit)
                return fail(errc::limit, "tokenizer.json: more than ", vocabulary_limit, " pieces");
            if (!w.take(',')) break;
        }
        if (!w.take(']')) return broken_vocabulary(names.size());
        s_.tokens.resize(names.size());
        names_.resize(names.size());
        index_ = text_index(names.size());
        for (std::uint32_t id = 0; id < names.size(); ++id) {
            index_.add(names[id], id);
            set_token(id, names[id]);
            s_.tokens[id].score = scores[id];
        }
        return {};
    }
    std::string_view keep(std::string s) {
        kept_.push_back(std::make_unique<std::string>(std::move(s)));
        return *kept_.back();
    }

    status merges() {
        if (merges_.empty()) return wrong("model BPE: needs \"merges\"");
        json_walker w(merges_);
        if (!w.take('[')) return wrong("model BPE: \"merges\" needs an array");
        struct merge_names {
            std::string_view left, right;
            std::size_t at, size; // in `whole`
        };
        std::vector<merge_names> names;
        std::string left_storage, right_storage, whole;
        std::size_t k = 0;
        const auto broken = [&]() -> status {
            const auto r = json::read(merges_);
            return r.ok() ? wrong("model BPE: merge ", k, ": needs two tokens")
                          : r.error().within("tokenizer.json: model BPE: merges: ");
        };
        for (; w.peek() == '"' || w.peek() == '['; ++k) {
            std::string_view left, right;
            if (w.peek() == '[') {
                if (!w.take('[') || !w.string(left, left_storage) || !w.take(',') ||
                    !w.string(right, right_storage) || !w.take(']'))
                    return broken();
            } else {
                if (!w.string(left, left_storage)) return broken();
                if (left.substr(0, 8) == "#version") {
                    if (!w.take(',')) break;
                    continue;
                }
                const std::size_t space = left.find(' ');
                if (space == std::string_view::npos ||
                    left.find(' ', space + 1) != std::string_view::npos) {
                    return wrong("model BPE: merge ", k, ": \"", left,
                                 "\" is not two tokens with one space between them");
                }
                right = left.substr(space + 1);
                left = left.substr(0, space);
            }
            // Text with escapes is not in the file as it is.
            const auto lasting = [&](std::string_view t) {
                const bool in_file =
                    t.data() >= merges_.data() && t.data() <= merges_.data() + merges_.size();
                return in_file ? t : keep(std::string(t));
            };
            std::string_view rest = right;
            if (!s_.prefix.empty()) {
                if (right.substr(0, s_.prefix.size()) != s_.prefix)
                    return wrong("model BPE: merge ", k, ": \"", right, "\" lacks the prefix");
                rest.remove_prefix(s_.prefix.size());
            }
            const std::size_t at = whole.size();
            whole += left;
            whole += rest;
            names.push_back({lasting(left), lasting(right), at, whole.size() - at});
            if (!w.take(',')) {
                ++k;
                break;
            }
        }
        if (!w.take(']')) return broken();
        s_.merges.resize(names.size());
        status missing;
        const auto look = [&](auto&& name, std::uint32_t merge_spec::*to) {
            index_.find_all(names.size(), name, [&](std::size_t i, std::uint32_t id) {
                s_.merges[i].*to = id;
                if (id == none && missing.ok()) {
                    missing = wrong("model BPE: merge ", i, ": \"", name(i),
                                    "\" is not in the vocabulary");
                }
            });
        };
        look([&](std::size_t i) { return names[i].left; }, &merge_spec::left);
        look([&](std::size_t i) { return names[i].right; }, &merge_spec::right);
        look(
            [&](std::size_t i) {
                return std::string_view(whole).substr(names[i].at, names[i].size);
            },
            &merge_spec::result);
        return missing;
    }
    // ---- added tokens

    status added() {
        const value& list = (*root_)["added_tokens"];
        if (list.is_null()) return {};
        if (!list.is(json::kind::array)) return wrong("\"added_tokens\" needs an array");
        text_index seen(list.size());
        for (const value& v : list.items()) {
            KOMPAKT_TRY(only(
                v, "added_tokens",
                {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"}));
            added_spec a;
            KOMPAKT_TRY(text(v, "added_tokens", "content", a.text));
            if (a.text.empty()) continue;
            const std::string where = "added token \"" + a.text + "\"";
            KOMPAKT_TRY(count(v, where, "id", a.id));
            bool single = false, left = false, right = false, normalized = false, special = false;
            KOMPAKT_TRY(flag(v, where, "special", false, special));
            KOMPAKT_TRY(flag(v, where, "single_word", false, single));
            KOMPAKT_TRY(flag(v, where, "lstrip", false, left));
            KOMPAKT_TRY(flag(v, where, "rstrip", false, right));
            KOMPAKT_TRY(flag(v, where, "normalized", !special, normalized));
            a.flags = (single ? added_single_word : 0u) | (left ? added_lstrip : 0u) |
                      (right ? added_rstrip : 0u) | (special ? added_special : 0u) |
                      (normalized ? added_normalized : 0u);
            const std::uint32_t known = index_.find(a.text);
            if (known != none) a.id = known;
            KOMPAKT_TRY(reach(a.id, s_.tokens.size() + list.size()));
            token_spec& t = s_.tokens[a.id];
            if ((t.kind & piece_absent) != 0) {
                set_token(a.id, a.text);
                t.usable = false;
            } else if (names_[a.id] != a.text) {
                return wrong(where, ": id ", a.id, " is \"", names_[a.id], "\" already");
            }
            t.kind |= piece_added;
            if (special) t.kind |= piece_special;
            added_texts_.push_back(std::make_unique<std::string>(a.text));
            if (!seen.add(*added_texts_.back(), static_cast<std::uint32_t>(s_.added.size()))) {
                // The same text again: the last one counts, as a map would have it.
                s_.added[seen.find(a.text)] = std::move(a);
                continue;
            }
            s_.added.push_back(std::move(a));
        }
        return {};
    }

    // ---- post-processing

    static step_spec special(std::uint32_t id, std::uint32_t type) {
        step_spec s;
        s.kind = step_kind::part_special;
        s.numbers[0] = id;
        s.numbers[1] = type;
        return s;
    }
    static step_spec sequence(std::uint32_t which, std::uint32_t type) {
        step_spec s;
        s.kind = step_kind::part_sequence;
        s.numbers[0] = which;
        s.numbers[1] = type;
        return s;
    }
    status named_id(const value& v, const std::string& where, const char* key, std::uint32_t& id) {
        const value& p = v[key];
        const std::int64_t n = p.at(1).as_integer(-1);
        if (p.size() != 2 || !p.at(0).is(json::kind::string) || n < 0 ||
            n >= static_cast<std::int64_t>(s_.tokens.size())) {
            return wrong(where, ": \"", key, "\" needs a token and its id");
        }
        id = static_cast<std::uint32_t>(n);
        return {};
    }
    status post(const value& v, const std::string& where) {
        if (v.is_null()) return {};
        const std::string type = v["type"].as_string();
        const std::string here = where + " " + type;
        if (type == "Sequence") {
            KOMPAKT_TRY(only(v, here, {"type", "processors"}));
            if (!v["processors"].is(json::kind::array))
                return wrong(here, ": needs an array \"processors\"");
            if (++nesting_ > 16)
                return fail(errc::limit, "tokenizer.json: ", where,
                            ": sequences are nested too deeply");
            for (const value& p : v["processors"].items()) KOMPAKT_TRY(post(p, where));
            --nesting_;
            return {};
        }
        bool trims = false, prefix = false;
        if (type == "ByteLevel") {
            KOMPAKT_TRY(only(v, here, {"type", "add_prefix_space", "trim_offsets", "use_regex"}));
            KOMPAKT_TRY(flag(v, here, "trim_offsets", true, trims));
            KOMPAKT_TRY(flag(v, here, "add_prefix_space", true, prefix));
            if (trims) trim(prefix);
            return {};
        }
        if (!s_.single.empty()) return unsupported(here, "a second template");
        if (type == "TemplateProcessing") {
            KOMPAKT_TRY(only(v, here, {"type", "single", "pair", "special_tokens"}));
            KOMPAKT_TRY(pieces(v, v["single"], here, s_.single));
            return pieces(v, v["pair"], here, s_.pair);
        }
        if (type == "BertProcessing" || type == "RobertaProcessing") {
            KOMPAKT_TRY(only(v, here, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"}));
            std::uint32_t sep = 0, cls = 0;
            KOMPAKT_TRY(named_id(v, here, "sep", sep));
            KOMPAKT_TRY(named_id(v, here, "cls", cls));
            s_.single = {special(cls, 0), sequence(0, 0), special(sep, 0)};
            if (type == "BertProcessing") {
                s_.pair = {special(cls, 0), sequence(0, 0), special(sep, 0), sequence(1, 1),
                           special(sep, 1)};
                return {};
            }
            s_.pair = {special(cls, 0), sequence(0, 0), special(sep, 0),
                       special(sep, 0), sequence(1, 0), special(sep, 0)};
            KOMPAKT_TRY(flag(v, here, "trim_offsets", true, trims));
            KOMPAKT_TRY(flag(v, here, "add_prefix_space", true, prefix));
            if (trims) trim(prefix);
            return {};
        }
        return unsupported(where, type.empty() ? "a post-processor without type" : type);
    }
    void trim(bool prefix) {
        trims_ = true;
        trim_prefix_ = prefix;
    }
    status pieces(const value& v, const value& list, const std::string& where,
                  std::vector<step_spec>& out) {
        if (!list.is(json::kind::array)) return wrong(where, ": needs an array of pieces");
        for (const value& p : list.items()) {
            const value& s = p["Sequence"];
            const value& t = p["SpecialToken"];
            std::uint32_t type = 0;
            if (s.is(json::kind::object) && p.size() == 1) {
                const std::string& id = s["id"].as_string();
                if (id != "A" && id != "B") return unsupported(where, "sequence \"" + id + "\"");
                if (!s["type_id"].is_null()) KOMPAKT_TRY(count(s, where, "type_id", type));
                out.push_back(sequence(id == "A" ? 0 : 1, type));
            } else if (t.is(json::kind::object) && p.size() == 1) {
                if (!t["type_id"].is_null()) KOMPAKT_TRY(count(t, where, "type_id", type));
                const value& ids = v["special_tokens"][t["id"].as_string()]["ids"];
                if (!ids.is(json::kind::array))
                    return wrong(where, ": no ids of \"", t["id"].as_string(), "\"");
                for (const value& id : ids.items()) {
                    const std::int64_t n = id.as_integer(-1);
                    if (n < 0 || n >= static_cast<std::int64_t>(s_.tokens.size()))
                        return wrong(where, ": an id outside of the vocabulary");
                    out.push_back(special(static_cast<std::uint32_t>(n), type));
                }
            } else {
                return unsupported(where, "a piece that is neither Sequence nor SpecialToken");
            }
        }
        return {};
    }
    void finish_templates() {
        if (s_.single.empty()) s_.single = {sequence(0, 0)};
        if (s_.pair.empty()) s_.pair = {sequence(0, 0), sequence(1, 1)};
        if (!trims_) return;
        step_spec s;
        s.kind = step_kind::trim_offsets;
        s.numbers[0] = trim_prefix_ ? 1 : 0;
        s_.single.push_back(s);
    }

    // One of `words`, the first where nothing is said.
    static status word(const value& v, const std::string& where, const char* key,
                       std::initializer_list<const char*> words, std::uint32_t& out) {
        out = 0;
        if (v[key].is_null()) return {};
        for (const char* w : words) {
            if (v[key].as_string() == w) return {};
            ++out;
        }
        return unsupported(where, std::string(key) + " \"" + v[key].as_string() + "\"");
    }
    status truncation() {
        const value& v = (*root_)["truncation"];
        if (v.is_null()) return {};
        KOMPAKT_TRY(only(v, "truncation", {"direction", "max_length", "strategy", "stride"}));
        KOMPAKT_TRY(count(v, "truncation", "max_length", s_.truncate_to));
        if (!v["stride"].is_null())
            KOMPAKT_TRY(count(v, "truncation", "stride", s_.truncate_stride));
        std::uint32_t left = 0;
        KOMPAKT_TRY(word(v, "truncation", "direction", {"Right", "Left"}, left));
        s_.truncate_left = left != 0;
        return word(v, "truncation", "strategy", {"LongestFirst", "OnlyFirst", "OnlySecond"},
                    s_.truncate_strategy);
    }
    status padding() {
        const value& v = (*root_)["padding"];
        if (v.is_null()) return {};
        KOMPAKT_TRY(only(
            v, "padding",
            {"strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"}));
        s_.pads = true;
        s_.pad_to = none;
        std::uint32_t left = 0;
        if (v["strategy"].is(json::kind::object)) {
            KOMPAKT_TRY(count(v["strategy"], "padding", "Fixed", s_.pad_to));
        } else {
            KOMPAKT_TRY(word(v, "padding", "strategy", {"BatchLongest"}, left));
        }
        KOMPAKT_TRY(word(v, "padding", "direction", {"Right", "Left"}, left));
        s_.pad_left = left != 0;
        if (!v["pad_to_multiple_of"].is_null())
            KOMPAKT_TRY(count(v, "padding", "pad_to_multiple_of", s_.pad_multiple));
        KOMPAKT_TRY(count(v, "padding", "pad_id", s_.pad_id));
        if (!v["pad_type_id"].is_null())
            KOMPAKT_TRY(count(v, "padding", "pad_type_id", s_.pad_type));
        return {};
    }

    std::string_view text_, vocab_, merges_;
    std::string rest_;
    const value* root_ = nullptr;
    tokenizer_spec s_;
    text_index index_;
    std::vector<std::string_view> names_;
    std::vector<std::unique_ptr<std::string>> kept_, added_texts_;
    std::size_t nesting_ = 0;
    bool trims_ = false, trim_prefix_ = false;
};

} // namespace detail

// Errors say which part of the file is wrong or not supported.
KOMPAKT_ONCE result<tokenizer_spec> read_tokenizer_json(std::string_view text);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer_spec> read_tokenizer_json(std::string_view text) {
    return detail::tokenizer_json_reader(text).read();
}
#endif

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
