// Byte-pair training by SentencePiece's rules: the most frequent pair is merged; of equally
// frequent ones the shorter, then the one whose bytes come first. A pair that gives a piece that is
// already there is dropped, and stays unmerged.
#pragma once

#include <kompakt/io/token/train/merge_words.hpp>
#include <kompakt/io/token/train/piece_words.hpp>

#include <unordered_set>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

struct piece_merge_options {
    std::size_t pieces = 8000; // without special ones, with the alphabet
    piece_rules rules;
    progress_callback progress;
};

struct piece_merges {
    // In the order of the vocabulary: merged pieces, then the alphabet.
    std::vector<std::string> pieces;
    std::size_t merged = 0;
};

namespace detail {

class piece_merge_trainer {
  public:
    piece_merge_trainer(const word_list& list, const piece_alphabet& alphabet,
                        const piece_merge_options& options)
        : list_(list), alphabet_(alphabet), options_(options) {}

    result<piece_merges> run() {
        if (alphabet_.required.size() > options_.pieces) {
            return fail(errc::bad_argument, "room for ", options_.pieces,
                        " pieces: the alphabet alone needs ", alphabet_.required.size());
        }
        make_words();
        KOMPAKT_TRY(words_.check());
        count_pairs();
        merge_all();
        out_.merged = out_.pieces.size();
        for (const alphabet_entry& a : alphabet_.required) {
            out_.pieces.push_back(utf8_of({&a.character, 1}));
        }
        return std::move(out_);
    }

  private:
    // Rare characters: never part of a pair.
    static constexpr std::uint32_t unknown = 0;

    struct candidate {
        std::uint64_t count;
        std::uint32_t number;
    };
    struct pair_state {
        std::uint64_t count = 0;
        std::uint32_t characters = 0; // 0: not a possible piece
        std::uint32_t local = 0;      // number within one merge, plus one
        position_lists::list positions;
    };

    void make_words() {
        std::unordered_map<char32_t, std::uint32_t> numbers;
        texts_.emplace_back();
        for (const alphabet_entry& a : alphabet_.required) {
            numbers[a.character] = static_cast<std::uint32_t>(texts_.size());
            texts_.push_back(std::u32string(1, a.character));
        }
        for (std::size_t i = 0; i < list_.size(); ++i) {
            each_character(list_.word(i), [&](char32_t c) {
                const auto it = numbers.find(c);
                words_.add_symbol(it == numbers.end() ? unknown : it->second);
            });
            words_.end_word();
        }
    }

    std::uint32_t pair_number(std::uint32_t left, std::uint32_t right) {
        std::uint32_t n;
        if (pairs_.add(pair_numbers::key(left, right), n)) {
            states_.emplace_back();
            const std::size_t length = texts_[left].size() + texts_[right].size();
            if (left != unknown && right != unknown && length <= options_.rules.longest) {
                text_ = texts_[left];
                text_ += texts_[right];
                if (options_.rules.longest_piece(text_) == length) {
                    states_[n].characters = static_cast<std::uint32_t>(length);
                }
            }
        }
        return n;
    }
    bool possible(std::uint32_t number) const noexcept { return states_[number].characters != 0; }
    bool doubled(std::uint32_t number) const noexcept {
        return pairs_.left(number) == pairs_.right(number);
    }
    std::uint64_t weight(std::uint32_t position) const noexcept {
        return list_.count(words_.word(position));
    }

    void count_pairs() {
        const auto each_pair = [&](auto&& f) {
            for (std::uint32_t p = 1; p + 1 < words_.end(); ++p) {
                if (!words_.starts(p) || !words_.starts(p + 1)) continue;
                const std::uint32_t n = pair_number(words_.at(p), words_.at(p + 1));
                if (possible(n)) f(p, n);
            }
        };
        each_pair([&](std::uint32_t p, std::uint32_t n) {
            states_[n].count += weight(p);
            ++states_[n].positions.count;
        });
        std::vector<position_lists::list> lists(states_.size());
        for (std::size_t n = 0; n < lists.size(); ++n) lists[n] = states_[n].positions;
        positions_.reserve(lists);
        each_pair([&](std::uint32_t p, std::uint32_t n) { positions_.push(lists[n], p); });
        for (std::uint32_t n = 0; n < lists.size(); ++n) {
            states_[n].positions = lists[n];
            if (!possible(n)) continue;
            if (doubled(n)) recount(n);
            queue_.push_back({states_[n].count, n});
        }
        std::make_heap(queue_.begin(), queue_.end(), later());
    }

    // Counts the positions of a new pair of equal symbols: in a row of three the first two. What is
    // not counted now is forgotten, as in the original, even if the row is broken up later.
    void recount(std::uint32_t number) {
        pair_state& s = states_[number];
        std::uint32_t* at = positions_.begin(s.positions);
        const std::uint32_t symbol = pairs_.left(number);
        s.count = 0;
        std::uint32_t kept = 0, taken = 0; // where the pair before ends
        for (std::uint32_t k = 0; k < s.positions.count; ++k) {
            const std::uint32_t p = at[k];
            if (words_.at(p) != symbol) {
                taken = 0;
                continue;
            }
            const std::uint32_t q = words_.next(p);
            if (words_.at(q) != symbol || p == taken) {
                taken = 0;
                continue;
            }
            taken = q;
            s.count += weight(p);
            at[kept++] = p;
        }
        s.positions.count = kept;
    }

    // Whether `a` is merged after `b`.
    struct later_pair {
        const piece_merge_trainer* self;
        bool operator()(const candidate& a, const candidate& b) const noexcept {
            if (a.count != b.count) return a.count < b.count;
            return self->larger(a.number, b.number);
        }
    };
    later_pair later() const noexcept { return {this}; }
    bool larger(std::uint32_t a, std::uint32_t b) const noexcept {
        const std::uint32_t n = states_[a].characters;
        if (n != states_[b].characters) return n > states_[b].characters;
        // Code points are in the order of their UTF-8 bytes.
        const std::u32string& la = texts_[pairs_.left(a)];
        const std::u32string& ra = texts_[pairs_.right(a)];
        const std::u32string& lb = texts_[pairs_.left(b)];
        const std::u32string& rb = texts_[pairs_.right(b)];
        for (std::size_t i = 0; i < n; ++i) {
            const char32_t x = i < la.size() ? la[i] : ra[i - la.size()];
            const char32_t y = i < lb.size() ? lb[i] : rb[i - lb.size()];
            if (x != y) return x > y;
        }
        return a > b;
    }

    void merge_all() {
        const std::size_t goal = options_.pieces - alphabet_.required.size();
        while (out_.pieces.size() < goal && !queue_.empty()) {
            std::pop_heap(queue_.begin(), queue_.end(), later());
            candidate& top = queue_.back();
            const std::uint64_t count = states_[top.number].count;
            if (count != top.count) {
                if (count == 0) {
                    positions_.drop(states_[top.number].positions);
                    states_[top.number].positions = {};
                    queue_.pop_back();
                } else {
                    top.count = count;
                    std::push_heap(queue_.begin(), queue_.end(), later());
                }
                continue;
            }
            if (count == 0) break;
            const std::uint32_t number = top.number;
            queue_.pop_back();
            text_ = texts_[pairs_.left(number)];
            text_ += texts_[pairs_.right(number)];
            std::string piece = utf8_of(text_);
            if (made_.insert(piece).second) {
                out_.pieces.push_back(std::move(piece));
                texts_.push_back(text_);
                merge(number, static_cast<std::uint32_t>(texts_.size() - 1));
            }
            positions_.drop(states_[number].positions);
            states_[number].positions = {};
            if (positions_.wants_packing()) {
                positions_.pack([&](auto&& f) {
                    for (const candidate& c : queue_) f(states_[c.number].positions);
                });
            }
            if (options_.progress && out_.pieces.size() % 64 == 0) {
                options_.progress("merging", out_.pieces.size(), goal);
            }
        }
    }

    void merge(std::uint32_t number, std::uint32_t symbol) {
        const std::uint32_t left = pairs_.left(number), right = pairs_.right(number);
        events_.clear();
        touched_.clear();
        const position_lists::list list = states_[number].positions;
        const std::uint32_t* at = positions_.begin(list);
        for (std::uint32_t k = 0; k < list.count; ++k) {
            const std::uint32_t p = at[k];
            if (words_.at(p) != left) continue;
            const std::uint32_t q = words_.next(p);
            if (words_.at(q) != right) continue;
            const std::uint32_t before = words_.previous(p), after = words_.next(q);
            const std::uint64_t n = weight(p);
            if (words_.at(before) != merge_words::border) {
                lose(pair_number(words_.at(before), left), number, before, n);
                gain(pair_number(words_.at(before), symbol), before, n);
            }
            if (words_.at(after) != merge_words::border) {
                lose(pair_number(right, words_.at(after)), number, q, n);
                gain(pair_number(symbol, words_.at(after)), p, n);
            }
            words_.merge(p, symbol);
        }
        positions_.add(events_, touched_.size(), lists_);
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            const std::uint32_t t = touched_[i];
            states_[t].local = 0;
            states_[t].positions = lists_[i];
            if (doubled(t)) recount(t);
            queue_.push_back({states_[t].count, t});
            std::push_heap(queue_.begin(), queue_.end(), later());
        }
    }
    // The pair at a position is gone.
    void lose(std::uint32_t other, std::uint32_t merged, std::uint32_t position, std::uint64_t n) {
        if (other == merged || !possible(other)) return;
        pair_state& s = states_[other];
        if (doubled(other)) {
            // Those of a new symbol are counted when all are known; of the others only some of
            // their positions count.
            if (s.local != 0) return;
            const std::uint32_t* at = positions_.begin(s.positions);
            if (!std::binary_search(at, at + s.positions.count, position)) return;
        }
        s.count -= (std::min)(s.count, n);
    }
    // Pairs of the new symbol have all of their positions from this merge.
    void gain(std::uint32_t number, std::uint32_t position, std::uint64_t n) {
        if (!possible(number)) return;
        pair_state& s = states_[number];
        if (s.local == 0) {
            touched_.push_back(number);
            s.local = static_cast<std::uint32_t>(touched_.size());
        }
        s.count += n;
        events_.push_back({s.local - 1, position});
    }

    const word_list& list_;
    const piece_alphabet& alphabet_;
    const piece_merge_options& options_;
    piece_merges out_;
    std::vector<std::u32string> texts_; // of symbols
    std::u32string text_;
    std::unordered_set<std::string> made_;
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

// Fails with errc::bad_argument if the pieces have no room for the alphabet, errc::limit beyond
// 2^31 characters in distinct words. Fewer pieces come out when no pair is left.
KOMPAKT_ONCE result<piece_merges> train_piece_merges(const word_list& words,
                                                     const piece_alphabet& alphabet,
                                                     const piece_merge_options& options);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<piece_merges> train_piece_merges(const word_list& words,
                                                     const piece_alphabet& alphabet,
                                                     const piece_merge_options& options) {
    return detail::piece_merge_trainer(words, alphabet, options).run();
}
#endif

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
