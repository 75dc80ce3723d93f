// Byte-pair training by Hugging Face's rules: the most frequent pair is merged, of equally frequent
// ones that with the smaller numbers (first the left, then the right). WordPiece's trainer is the
// same with a mark in front of all but the first symbol of a word.
#pragma once

#include <kompakt/core/utf8.hpp>
#include <kompakt/io/token/train/merge_words.hpp>
#include <kompakt/io/token/train/word_counts.hpp>

#include <map>
#include <string>
#include <unordered_map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// The printable character that stands for a byte in byte-level vocabularies (GPT-2's table).
inline char32_t character_of_byte(unsigned byte) noexcept {
    const auto printable = [](unsigned b) {
        return (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    };
    if (printable(byte)) return byte;
    char32_t c = 0x100;
    for (unsigned b = 0; b < byte; ++b) c += printable(b) ? 0u : 1u;
    return c;
}

struct merge_options {
    std::size_t vocabulary_size = 30000; // with special tokens and alphabet
    std::uint64_t min_frequency = 0;     // pairs that occur less often are not merged
    std::vector<std::string> special_tokens;
    // Words are bytes, each written as its printable character; else words are UTF-8.
    bool byte_level = true;
    // Characters that get a token although the text may not have them.
    std::u32string initial_alphabet;
    std::size_t limit_alphabet = SIZE_MAX; // so many characters at most, the most frequent ones
    std::string continuing_subword_prefix; // of all symbols of a word but the first
    std::string end_of_word_suffix;        // of the last symbol of a word
    std::size_t longest_token = SIZE_MAX;  // in characters (symbols of the start)
    progress_callback progress;
};

struct merged_vocabulary {
    std::vector<std::string> tokens; // by number: special tokens, alphabet, merges
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges; // by rank, of token numbers
    std::size_t alphabet = 0;                                    // tokens of single characters
};

namespace detail {

class merge_trainer {
  public:
    merge_trainer(const word_list& list, const merge_options& options)
        : list_(list), options_(options) {}

    result<merged_vocabulary> run() {
        for (const std::string& t : options_.special_tokens) number_of(t);
        std::map<char32_t, std::uint32_t> alphabet;
        KOMPAKT_TRY(make_alphabet(alphabet));
        make_words(alphabet);
        KOMPAKT_TRY(words_.check());
        if (out_.tokens.size() > options_.vocabulary_size) {
            return fail(errc::bad_argument, "vocabulary size ", options_.vocabulary_size,
                        ": special tokens and alphabet need at least ", out_.tokens.size(),
                        "; a limit for the alphabet needs fewer");
        }
        count_pairs();
        merge_all();
        remove_repeated_merges();
        return std::move(out_);
    }

  private:
    struct candidate {
        std::uint64_t count;
        std::uint64_t pair;
        position_lists::list positions;
        std::uint32_t number;
    };
    // Whether `a` is merged after `b`.
    static bool later(const candidate& a, const candidate& b) noexcept {
        if (a.count != b.count) return a.count < b.count;
        return a.pair > b.pair;
    }
    struct pair_state {
        std::int64_t count = 0;
        std::uint32_t local = 0; // number within one merge, plus one
        std::uint32_t found = 0; // how many merges have made it
    };

    std::uint32_t number_of(const std::string& token) {
        const auto [it, added] =
            numbers_.emplace(token, static_cast<std::uint32_t>(out_.tokens.size()));
        if (added) out_.tokens.push_back(token);
        return it->second;
    }

    template <class F>
    void each_character(std::string_view word, F&& f) const {
        if (options_.byte_level) {
            for (const char c : word) f(byte_characters_[static_cast<unsigned char>(c)]);
            return;
        }
        const char* p = word.data();
        const char* const last = p + word.size();
        while (p != last) {
            const utf8_character d = decode_utf8(p, last);
            p += d.length;
            f(d.code_point);
        }
    }
    static std::string text_of(char32_t c) {
        char bytes[4];
        return std::string(bytes, encode_utf8(c, bytes));
    }

    status make_alphabet(std::map<char32_t, std::uint32_t>& alphabet) {
        for (unsigned b = 0; b < 256; ++b) byte_characters_[b] = character_of_byte(b);
        std::unordered_map<char32_t, std::uint64_t> seen;
        for (std::size_t i = 0; i < list_.size(); ++i) {
            const std::uint64_t n = list_.count(i);
            each_character(list_.word(i), [&](char32_t c) { seen[c] += n; });
        }
        for (const char32_t c : options_.initial_alphabet) seen[c] = UINT64_MAX;
        std::vector<std::pair<std::uint64_t, char32_t>> kept;
        for (const auto& s : seen) kept.push_back({s.second, s.first});
        std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        if (kept.size() > options_.limit_alphabet) kept.resize(options_.limit_alphabet);
        std::sort(kept.begin(), kept.end(),
                  [](const auto& a, const auto& b) { return a.second < b.second; });
        for (const auto& k : kept) alphabet[k.second] = number_of(text_of(k.second));
        out_.alphabet = kept.size();
        return {};
    }

    void make_words(const std::map<char32_t, std::uint32_t>& alphabet) {
        const bool marked =
            !options_.continuing_subword_prefix.empty() || !options_.end_of_word_suffix.empty();
        // By position in the word: 1 behind the first, 2 the last.
        std::unordered_map<char32_t, std::uint32_t> plain(alphabet.begin(), alphabet.end());
        std::unordered_map<char32_t, std::uint32_t> numbers[4];
        const auto text = [&](char32_t c, int place) {
            std::string s = text_of(c);
            if ((place & 1) != 0) s.insert(0, options_.continuing_subword_prefix);
            if ((place & 2) != 0) s += options_.end_of_word_suffix;
            return s;
        };
        std::vector<char32_t> characters;
        const auto place_of = [&](std::size_t k) {
            return (k != 0 ? 1 : 0) | (k + 1 == characters.size() ? 2 : 0);
        };
        if (marked) {
            // Marked characters get their numbers in the order of their texts, whatever the order
            // of the words.
            std::map<std::string, std::pair<char32_t, int>> all;
            for (std::size_t i = 0; i < list_.size(); ++i) {
                characters.clear();
                each_character(list_.word(i), [&](char32_t c) { characters.push_back(c); });
                for (std::size_t k = 0; k < characters.size(); ++k) {
                    const char32_t c = characters[k];
                    const int place = place_of(k);
                    if (plain.count(c) == 0) continue;
                    if (!numbers[place].emplace(c, 0u).second) continue;
                    all.emplace(text(c, place), std::make_pair(c, place));
                }
            }
            for (const auto& a : all) number_of(a.first);
            for (int place = 0; place < 4; ++place) {
                for (auto& n : numbers[place]) n.second = number_of(text(n.first, place));
            }
            // All of these have to have room: they are needed for any text at all.
        }
        for (std::size_t i = 0; i < list_.size(); ++i) {
            characters.clear();
            each_character(list_.word(i), [&](char32_t c) { characters.push_back(c); });
            std::size_t kept = 0;
            for (std::size_t k = 0; k < characters.size(); ++k) {
                const auto& from = marked ? numbers[place_of(k)] : plain;
                const auto it = from.find(characters[k]);
                if (it == from.end()) continue;
                words_.add_symbol(it->second);
                ++kept;
            }
            static_cast<void>(kept);
            words_.end_word();
        }
    }

    // The number of a pair, with a state for it.
    std::uint32_t pair_number(std::uint32_t left, std::uint32_t right) {
        std::uint32_t n;
        if (pairs_.add(pair_numbers::key(left, right), n)) states_.emplace_back();
        return n;
    }

    void count_pairs() {
        std::vector<position_lists::list> lists;
        const auto each_pair = [&](auto&& f) {
            for (std::uint32_t p = 1; p + 1 < words_.end(); ++p) {
                if (!words_.starts(p) || !words_.starts(p + 1)) continue;
                f(p, pair_number(words_.at(p), words_.at(p + 1)));
            }
        };
        each_pair([&](std::uint32_t p, std::uint32_t n) {
            if (n >= lists.size()) lists.emplace_back();
            states_[n].count += weight(p);
            ++lists[n].count;
        });
        positions_.reserve(lists);
        each_pair([&](std::uint32_t p, std::uint32_t n) { positions_.push(lists[n], p); });
        queue_.reserve(lists.size());
        for (std::uint32_t n = 0; n < lists.size(); ++n) push(n, lists[n]);
        std::make_heap(queue_.begin(), queue_.end(), later);
    }
    std::int64_t weight(std::uint32_t position) const noexcept {
        return static_cast<std::int64_t>(list_.count(words_.word(position)));
    }
    void push(std::uint32_t number, const position_lists::list& positions) {
        const std::int64_t count = states_[number].count;
        ++states_[number].found;
        if (count <= 0) {
            positions_.drop(positions);
            return;
        }
        queue_.push_back(
            {static_cast<std::uint64_t>(count), pairs_.pair(number), positions, number});
    }

    void merge_all() {
        const std::size_t goal = options_.vocabulary_size;
        while (out_.tokens.size() < goal && !queue_.empty()) {
            std::pop_heap(queue_.begin(), queue_.end(), later);
            candidate& top = queue_.back();
            const std::int64_t count = states_[top.number].count;
            if (static_cast<std::uint64_t>(count) != top.count) {
                // Counts that have sunk below zero are as large as can be here, as they are in the
                // original; they end the training.
                top.count = static_cast<std::uint64_t>(count);
                std::push_heap(queue_.begin(), queue_.end(), later);
                continue;
            }
            if (count < 1 || static_cast<std::uint64_t>(count) < options_.min_frequency) break;
            const candidate best = top;
            queue_.pop_back();
            merge(best);
            if (positions_.wants_packing()) {
                positions_.pack([&](auto&& f) {
                    for (candidate& c : queue_) f(c.positions);
                });
            }
            if (options_.progress && out_.merges.size() % 64 == 0) {
                options_.progress("merging", out_.tokens.size(), goal);
            }
        }
    }

    void merge(const candidate& best) {
        const std::uint32_t left = pairs_.left(best.number), right = pairs_.right(best.number);
        std::string token = out_.tokens[left];
        const std::string& tail = out_.tokens[right];
        const std::string& prefix = options_.continuing_subword_prefix;
        const bool marked = !prefix.empty() && tail.compare(0, prefix.size(), prefix) == 0;
        token.append(tail, marked ? prefix.size() : 0, std::string::npos);
        const std::uint32_t symbol = number_of(token);
        out_.merges.push_back({left, right});

        events_.clear();
        touched_.clear();
        const std::uint32_t* at = positions_.begin(best.positions);
        // With marks one text may have several lengths, so that a pair may be too long in one place
        // and not in another.
        const bool lengths_differ =
            options_.longest_token != SIZE_MAX &&
            !(options_.continuing_subword_prefix.empty() && options_.end_of_word_suffix.empty());
        if (states_[best.number].found == 1 && !lengths_differ) {
            for (std::uint32_t k = 0; k < best.positions.count; ++k) {
                merge_at(at[k], left, right, symbol);
            }
        } else {
            // A token that is made in two ways can make a pair again, which has older positions
            // as well. Then words are merged as wholes, as in the original.
            std::vector<std::uint32_t> starts;
            for (std::uint32_t k = 0; k < best.positions.count; ++k) {
                std::uint32_t p = at[k];
                while (words_.at(p - 1) != merge_words::border) --p;
                starts.push_back(p);
            }
            std::sort(starts.begin(), starts.end());
            starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
            for (std::uint32_t p : starts) {
                for (; words_.at(p) != merge_words::border; ++p) {
                    if (words_.starts(p)) merge_at(p, left, right, symbol);
                }
            }
        }
        positions_.drop(best.positions);
        positions_.add(events_, touched_.size(), lists_);
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            states_[touched_[i]].local = 0;
            const std::size_t before = queue_.size();
            push(touched_[i], lists_[i]);
            if (queue_.size() != before) std::push_heap(queue_.begin(), queue_.end(), later);
        }
    }

    void merge_at(std::uint32_t p, std::uint32_t left, std::uint32_t right, std::uint32_t symbol) {
        if (words_.at(p) != left) return;
        const std::uint32_t q = words_.next(p);
        if (words_.at(q) != right) return;
        const std::uint32_t before = words_.previous(p), after = words_.next(q);
        const std::int64_t n = weight(p);
        const std::size_t length = after - p;
        if (words_.at(before) != merge_words::border) {
            states_[pair_number(words_.at(before), left)].count -= n;
            if (length + (p - before) < options_.longest_token) {
                gain(pair_number(words_.at(before), symbol), before, n);
            }
        }
        if (words_.at(after) != merge_words::border) {
            states_[pair_number(right, words_.at(after))].count -= n;
            if (length + words_.length(after) < options_.longest_token) {
                gain(pair_number(symbol, words_.at(after)), p, n);
            }
        }
        words_.merge(p, symbol);
    }
    void gain(std::uint32_t number, std::uint32_t position, std::int64_t n) {
        pair_state& s = states_[number];
        s.count += n;
        if (s.local == 0) {
            touched_.push_back(number);
            s.local = static_cast<std::uint32_t>(touched_.size());
        }
        events_.push_back({s.local - 1, position});
    }

    // A pair merged twice has the rank of the second time.
    void remove_repeated_merges() {
        std::unordered_map<std::uint64_t, std::size_t> last;
        for (std::size_t i = 0; i < out_.merges.size(); ++i) {
            last[pair_numbers::key(out_.merges[i].first, out_.merges[i].second)] = i;
        }
        if (last.size() == out_.merges.size()) return;
        std::size_t n = 0;
        for (std::size_t i = 0; i < out_.merges.size(); ++i) {
            const auto& m = out_.merges[i];
            if (last[pair_numbers::key(m.first, m.second)] == i) out_.merges[n++] = m;
        }
        out_.merges.resize(n);
    }

    const word_list& list_;
    const merge_options& options_;
    merged_vocabulary out_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    char32_t byte_characters_[256] = {};
    merge_words words_;
    pair_numbers pairs_;
    std::vector<pair_state> states_;
    position_lists positions_;
    std::vector<candidate> queue_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> events_;
    std::vector<std::uint32_t> touched_;
    std::vector<position_lists::list> lists_;
};

} // namespace detail

// Fails with errc::bad_argument if the vocabulary has no room for special tokens and alphabet,
// errc::limit beyond 2^31 symbols in distinct words. Fewer tokens than asked for come out when no
// pair is left that is frequent enough.
KOMPAKT_ONCE result<merged_vocabulary> train_merges(const word_list& words,
                                                    const merge_options& options);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<merged_vocabulary> train_merges(const word_list& words,
                                                    const merge_options& options) {
    return detail::merge_trainer(words, options).run();
}
#endif

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
