// Words as SentencePiece trains on: normalized lines, cut in front of each space mark.
#pragma once

#include <kompakt/io/token/train/character_map.hpp>

#include <memory>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

struct piece_splitter_options {
    std::shared_ptr<const character_map> map; // none: characters stay what they are
    bool add_dummy_prefix = true;             // a space in front of each line
    bool remove_extra_spaces = true;          // in front, at the end, and doubled ones
    std::size_t longest_line = 4192;          // bytes; longer ones are skipped
    // Texts of special pieces: never part of a word that is trained on.
    std::vector<std::string> special;
};

class piece_splitter {
  public:
    explicit piece_splitter(piece_splitter_options options) : options_(std::move(options)) {
        if (!options_.map) options_.map = std::make_shared<character_map>();
        for (const std::string& s : options_.special) {
            if (!s.empty()) special_first_[static_cast<unsigned char>(s[0])] = true;
        }
    }

    // False for lines that are too long, or hold U+2585, which stands for unknown characters.
    template <class Emit>
    bool operator()(std::string_view line, bool continues, Emit&& emit) {
        if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
        if (line.size() > options_.longest_line || continues) return false;
        if (line.find("\xe2\x96\x85") != std::string_view::npos) return false;
        word_.clear();
        marks_ = 0;
        const bool remove = options_.remove_extra_spaces;
        if (remove) {
            // A line of nothing but space is no text.
            while (!line.empty()) {
                std::string_view to;
                const std::size_t n = normalized(line, to);
                if (to != " ") break;
                line.remove_prefix(n);
            }
        }
        if (line.empty()) return true;
        if (options_.add_dummy_prefix) begin_word(emit);
        bool after_space = remove;
        const character_map& map = *options_.map;
        while (!line.empty()) {
            const auto c = static_cast<unsigned char>(line[0]);
            // A rule for several characters begins with an ASCII one only before a combining mark.
            if (c < 0x80 && c > ' ' && map.plain(c) &&
                (line.size() == 1 || static_cast<unsigned char>(line[1]) < 0x80)) {
                word_ += static_cast<char>(c);
                line.remove_prefix(1);
                after_space = false;
                continue;
            }
            std::string_view to;
            const std::size_t n = normalized(line, to);
            if (after_space) {
                while (!to.empty() && to[0] == ' ') to.remove_prefix(1);
            }
            if (!to.empty()) {
                append(to, emit);
                after_space = to.back() == ' ';
            }
            line.remove_prefix(n);
            if (!remove) after_space = false;
        }
        // Space at the end goes; words of nothing but space before it as well.
        if (remove && word_ == mark) {
            word_.clear();
            marks_ = 0;
        }
        flush(emit);
        return true;
    }

  private:
    static constexpr std::string_view mark = "\xe2\x96\x81";

    std::size_t normalized(std::string_view text, std::string_view& to) const noexcept {
        const std::size_t n = options_.map->longest(text, to);
        if (n != 0) return n;
        const utf8_character d = decode_utf8(text.data(), text.data() + text.size());
        if (d.valid) {
            to = text.substr(0, d.length);
            return d.length;
        }
        to = "\xef\xbf\xbd";
        return 1; // each bad byte by itself
    }
    template <class Emit>
    void append(std::string_view to, Emit&& emit) {
        std::size_t i = 0;
        while (i < to.size()) {
            if (to[i] == ' ') {
                begin_word(emit);
                ++i;
            } else if (to.compare(i, mark.size(), mark) == 0) {
                begin_word(emit);
                i += mark.size();
            } else {
                word_ += to[i++];
            }
        }
    }
    template <class Emit>
    void begin_word(Emit&& emit) {
        if (word_ == mark && options_.remove_extra_spaces) {
            // Only if something follows.
            ++marks_;
        } else {
            flush(emit);
        }
        word_.assign(mark);
    }
    template <class Emit>
    void flush(Emit&& emit) {
        for (; marks_ > 0; --marks_) emit(mark);
        if (word_.empty()) return;
        for (const char c : word_) {
            if (special_first_[static_cast<unsigned char>(c)]) {
                hide_special();
                break;
            }
        }
        emit(std::string_view(word_));
        word_.clear();
    }
    // Special pieces become a tab, which no piece may hold.
    void hide_special() {
        std::string out;
        for (std::size_t i = 0; i < word_.size();) {
            std::size_t longest = 0;
            if (special_first_[static_cast<unsigned char>(word_[i])]) {
                for (const std::string& s : options_.special) {
                    if (s.size() > longest && word_.compare(i, s.size(), s) == 0) {
                        longest = s.size();
                    }
                }
            }
            if (longest != 0) {
                out += '\t';
                i += longest;
            } else {
                out += word_[i++];
            }
        }
        word_ = out;
    }

    piece_splitter_options options_;
    bool special_first_[256] = {};
    std::string word_;
    std::size_t marks_ = 0;
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
