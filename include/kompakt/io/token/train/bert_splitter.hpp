// Words as BERT's normalizer and pre-tokenizer make them (Hugging Face's BertNormalizer and
// BertPreTokenizer).
#pragma once

#include <kompakt/token/unicode/bert.hpp>
#include <kompakt/token/unicode/case_map.hpp>
#include <kompakt/token/unicode/category.hpp>
#include <kompakt/token/unicode/normalize.hpp>

#include <string>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

struct bert_splitter_options {
    bool clean = true;      // delete control characters
    bool ideographs = true; // each a word
    bool strip_accents = true;
    bool lowercase = true;
};

class bert_splitter {
  public:
    explicit bert_splitter(const bert_splitter_options& options = {}) : options_(options) {}

    template <class Emit>
    bool operator()(std::string_view line, bool, Emit&& emit) {
        const auto* const last = line.data() + line.size();
        const bool ascii = skip_ascii(line.data(), last) == last;
        std::string_view text = line;
        if (options_.clean || !ascii) text = clean(line);
        if (options_.strip_accents && !ascii) {
            apart_.clear();
            token::normalize<token::normal_form::nfd>(
                text,
                [this](const char* bytes, std::size_t n, std::size_t, std::size_t) {
                    apart_.append(bytes, n);
                },
                token::normal_version::unicode_9);
            text = apart_;
        }
        word_.clear();
        const auto flush = [&] {
            if (!word_.empty()) emit(std::string_view(word_));
            word_.clear();
        };
        each(text, [&](char32_t c) {
            if (options_.strip_accents && token::is_bert_accent(c)) return;
            if (!options_.lowercase) {
                add(c, flush);
                return;
            }
            char32_t lower[2];
            const std::size_t n = token::to_lowercase(c, lower);
            for (std::size_t i = 0; i < n; ++i) add(lower[i], flush);
        });
        flush();
        return true;
    }

  private:
    template <class F>
    static void each(std::string_view text, F&& f) {
        const char* p = text.data();
        const char* const last = p + text.size();
        while (p != last) {
            const utf8_character d = decode_utf8(p, last);
            p += d.length;
            f(d.code_point);
        }
    }
    static void append(std::string& to, char32_t c) {
        char bytes[4];
        to.append(bytes, encode_utf8(c, bytes));
    }
    template <class Flush>
    void add(char32_t c, Flush&& flush) {
        if (token::is_white_space(c)) {
            flush();
        } else if (token::is_bert_punctuation(c)) {
            flush();
            append(word_, c);
            flush();
        } else {
            append(word_, c);
        }
    }
    std::string_view clean(std::string_view line) {
        clean_.clear();
        each(line, [this](char32_t c) {
            if (options_.clean && token::is_deleted_by_bert(c)) return;
            if (options_.clean && token::is_white_space(c)) c = U' ';
            const bool alone = options_.ideographs && token::is_bert_ideograph(c);
            if (alone) clean_ += ' ';
            append(clean_, c);
            if (alone) clean_ += ' ';
        });
        return clean_;
    }

    bert_splitter_options options_;
    std::string clean_, apart_, word_;
};

// Words between white space.
class white_space_splitter {
  public:
    template <class Emit>
    bool operator()(std::string_view line, bool, Emit&& emit) {
        const char* p = line.data();
        const char* const last = p + line.size();
        const char* word = p;
        while (p != last) {
            const utf8_character d = decode_utf8(p, last);
            if (token::is_white_space(d.code_point)) {
                if (p != word) emit(std::string_view(word, static_cast<std::size_t>(p - word)));
                word = p + d.length;
            }
            p += d.length;
        }
        if (p != word) emit(std::string_view(word, static_cast<std::size_t>(p - word)));
        return true;
    }
};

// Each character; bad bytes are left out.
class character_splitter {
  public:
    template <class Emit>
    bool operator()(std::string_view line, bool, Emit&& emit) {
        const char* p = line.data();
        const char* const last = p + line.size();
        while (p != last) {
            const utf8_character d = decode_utf8(p, last);
            if (d.valid) emit(std::string_view(p, d.length));
            p += d.length;
        }
        return true;
    }
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
