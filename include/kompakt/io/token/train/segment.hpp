// How a word is cut into pieces: the textbook's greedy longest match, beside the true order of the
// merges. For teaching and for comparing vocabularies; token/ has the fast encoders.
#pragma once

#include <kompakt/core/utf8.hpp>
#include <kompakt/io/token/train/trained.hpp>

#include <algorithm>
#include <unordered_map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// Cuts words with the pieces and merges of a vocabulary, which must outlive this.
class segmenter {
  public:
    explicit segmenter(const trained_tokenizer& t) : t_(t) {
        for (std::size_t i = 0; i < t.pieces.size(); ++i) {
            ids_.emplace(t.pieces[i].text, static_cast<std::uint32_t>(i));
            longest_ = (std::max)(longest_, t.pieces[i].text.size());
        }
        for (std::size_t i = 0; i < t.merges.size(); ++i) {
            const auto& m = t.merges[i];
            ranks_[std::uint64_t{m.first} << 32 | m.second] = i;
        }
    }

    // From left to right the longest piece that fits. If none does, the rest of the word is one
    // unknown piece (id -1). `word` as the vocabulary writes it, with its end-of-word mark. Time is
    // the word's length times the longest piece's.
    std::vector<std::int64_t> longest_match(std::string_view word) const {
        std::vector<std::int64_t> out;
        std::size_t at = 0;
        while (at < word.size()) {
            const bool inside = at > 0 && !t_.continuing_subword_prefix.empty();
            std::size_t n = (std::min)(word.size() - at, longest_);
            for (; n > 0; --n) {
                const std::string_view part = word.substr(at, n);
                const auto it = inside ? ids_.find(t_.continuing_subword_prefix + std::string(part))
                                       : ids_.find(std::string(part));
                if (it == ids_.end()) continue;
                out.push_back(it->second);
                break;
            }
            if (n == 0) {
                out.push_back(-1);
                break;
            }
            at += n;
        }
        return out;
    }

    // Characters, merged pair by pair in the order in which the pairs were learnt; of equal ranks
    // the leftmost. Unknown characters are -1 and never merge. Quadratic in the word's length.
    std::vector<std::int64_t> merge_order(std::string_view word) const {
        std::vector<std::int64_t> out;
        std::size_t suffix = t_.end_of_word_suffix.size();
        if (suffix == 0 || word.size() < suffix ||
            word.substr(word.size() - suffix) != t_.end_of_word_suffix) {
            suffix = 0;
        }
        const std::size_t end = word.size() - suffix;
        for (std::size_t at = 0; at < end;) {
            std::size_t n = decode_utf8(word.data() + at, word.data() + end).length;
            if (at + n == end) n += suffix; // the last character carries the mark
            std::string part(word.substr(at, n));
            if (at > 0) part.insert(0, t_.continuing_subword_prefix);
            const auto it = ids_.find(part);
            out.push_back(it == ids_.end() ? -1 : static_cast<std::int64_t>(it->second));
            at += n;
        }
        for (;;) {
            std::size_t best = SIZE_MAX, where = 0;
            for (std::size_t i = 0; i + 1 < out.size(); ++i) {
                if (out[i] < 0 || out[i + 1] < 0) continue;
                const auto it = ranks_.find(static_cast<std::uint64_t>(out[i]) << 32 |
                                            static_cast<std::uint64_t>(out[i + 1]));
                if (it != ranks_.end() && it->second < best) {
                    best = it->second;
                    where = i;
                }
            }
            if (best == SIZE_MAX) return out;
            const auto& merge = t_.merges[best];
            std::string text = t_.pieces[merge.first].text;
            const std::string& right = t_.pieces[merge.second].text;
            const std::string& prefix = t_.continuing_subword_prefix;
            const bool marked = !prefix.empty() && right.compare(0, prefix.size(), prefix) == 0;
            text.append(right, marked ? prefix.size() : 0, std::string::npos);
            out[where] = ids_.at(text);
            out.erase(out.begin() + static_cast<std::ptrdiff_t>(where) + 1);
        }
    }

  private:
    const trained_tokenizer& t_;
    std::unordered_map<std::string, std::uint32_t> ids_;
    std::unordered_map<std::uint64_t, std::size_t> ranks_;
    std::size_t longest_ = 0;
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
