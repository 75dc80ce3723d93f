// Unigram: the sequence of pieces with the highest sum of scores (Viterbi), in memory that does not
// grow with the text.
//
// Sums are kept as SentencePiece (float, compared in double) or Hugging Face (double) keep them:
// ties and rounding decide which tokens come out of long texts.
#pragma once

#include <kompakt/token/format.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// Memory of a search, the caller's.
struct unigram_window {
    double* best = nullptr;        // `ring` sums of the best ways to the positions ahead
    std::uint32_t* back = nullptr; // for every position the last piece of the best way to it
    std::uint32_t ring = 0, size = 0;
};

class unigram {
  public:
    unigram() = default;
    explicit unigram(const tables& t) noexcept
        : trie_(t.get(section::trie)),
          scores_(t.has(section::scores) ? t.data(section::scores) : nullptr),
          vocabulary_(t.header().vocabulary), unknown_(t.header().unknown),
          unknown_score_(t.header().unknown_score), longest_(t.header().longest_piece),
          float_sums_(t.flag(flag_sentencepiece)) {}

    static constexpr std::uint32_t length_limit = 2047; // bytes of a piece

    // What a window needs to have at least: sums, and positions.
    static std::uint32_t ring_of(std::uint32_t longest_piece) noexcept {
        std::uint32_t n = 8;
        while (n < longest_piece + 2) n *= 2;
        return n;
    }
    static std::size_t window_bytes(std::uint32_t longest_piece, std::size_t positions) noexcept {
        const std::size_t least = 4 * std::size_t{longest_piece} + 32;
        return ring_of(longest_piece) * sizeof(double) +
               4 * (positions > least ? positions : least);
    }

    // Calls `emit(id, begin, end)` for every piece from left to right; unknown characters have the
    // id of the unknown token, or `none`. False when the window does not suffice: ways through a
    // text may stay apart for ever.
    template <class Emit>
    bool encode(text_view text, const unigram_window& w, double& sum, Emit&& emit) const noexcept {
        return float_sums_ ? run<true>(text, w, sum, emit) : run<false>(text, w, sum, emit);
    }

    double score(std::uint32_t id) const noexcept {
        return id < vocabulary_ && scores_ != nullptr
                   ? load_le<double>(scores_ + std::size_t{id} * 8)
                   : 0;
    }
    // In magnitude.
    double largest_score() const noexcept {
        double most = unknown_score_ < 0 ? -unknown_score_ : unknown_score_;
        for (std::uint32_t i = 0; i < vocabulary_; ++i) {
            const double s = score(i);
            most = s > most ? s : -s > most ? -s : most;
        }
        return most;
    }

    // For a short text of whole words: by how much the best way through it beats all others in sums
    // without rounding to float; `visit(id)` gets its pieces from the last to the first. 0 when
    // that is not known.
    template <class Visit>
    double margin(text_view text, Visit&& visit) const noexcept {
        static constexpr std::size_t most = 64;
        if (text.size() >= most) return 0;
        double best[most], second[most];
        std::uint32_t id_to[most];
        std::uint8_t length_to[most];
        const std::size_t size = text.size();
        best[0] = 0;
        for (std::size_t i = 1; i <= size; ++i) {
            length_to[i] = 0;
            second[i] = -1e300;
        }
        const char* const last = text.data() + size;
        for (std::size_t at = 0; at < size;) {
            const char* const p = text.data() + at;
            const std::uint32_t width = decode_utf8(p, last).length;
            bool single = false;
            const auto improve = [&](std::size_t n, double score, std::uint32_t id) {
                const double candidate = score + best[at];
                const std::size_t to = at + n;
                if (length_to[to] != 0 && !(candidate > best[to])) {
                    if (candidate > second[to]) second[to] = candidate;
                    return;
                }
                if (length_to[to] != 0) second[to] = best[to];
                best[to] = candidate;
                id_to[to] = id;
                length_to[to] = static_cast<std::uint8_t>(n);
            };
            trie_view::cursor c = trie_.start();
            for (std::size_t n = 0; at + n < size && c.next(p[n]);) {
                ++n;
                if (!c.has_value() || c.value() >= vocabulary_) continue;
                improve(n, score(c.value()), c.value());
                single = single || n == width;
            }
            if (!single) improve(width, unknown_score_, unknown_);
            at += width;
        }
        double least = 1e300;
        for (std::size_t i = size; i != 0;) {
            if (length_to[i] == 0) return 0;
            const double gap = best[i] - second[i];
            least = gap < least ? gap : least;
            visit(id_to[i]);
            i -= length_to[i];
        }
        return least > 1e30 ? 1e30 : least;
    }

  private:
    static constexpr std::uint32_t id_bits = 21, id_mask = (1u << id_bits) - 1;
    static std::uint32_t length_of(std::uint32_t back) noexcept { return back >> id_bits; }

    template <bool FloatSums, class Emit>
    bool run(text_view text, const unigram_window& w, double& sum, Emit&& emit) const noexcept {
        const std::size_t size = text.size();
        const std::uint32_t reach = longest_ < 4              ? 4
                                    : longest_ < length_limit ? longest_
                                                              : length_limit;
        if (w.size < reach + 2 || w.ring < reach + 2) return false;
        std::uint32_t* const back = w.back;
        const std::size_t mask = w.ring - 1;
        std::size_t base = 0; // the byte that back[0] stands for
        std::uint32_t at = 0;
        w.best[0] = sum;
        back[0] = 0;
        std::uint32_t cleared = 1; // positions up to here are not reached yet, or are
        const char* const last = text.data() + size;
        while (base + at < size) {
            if (at + reach >= w.size) {
                const std::uint32_t settled = settle(back, at, cleared);
                if (settled == 0) return false;
                emit_path(back, settled, base, emit);
                std::memmove(back, back + settled, (cleared - settled) * sizeof(std::uint32_t));
                back[0] = 0;
                base += settled;
                at -= settled;
                cleared -= settled;
                if (at + reach >= w.size) return false;
            }
            while (cleared <= at + reach) back[cleared++] = 0;
            const char* const p = text.data() + base + at;
            const std::uint32_t width = decode_utf8(p, last).length;
            const double here = w.best[(base + at) & mask];
            const auto improve = [&](std::uint32_t n, double candidate, std::uint32_t id) {
                double& best = w.best[(base + at + n) & mask];
                if (back[at + n] != 0 && !(candidate > best)) return;
                best = FloatSums ? static_cast<double>(static_cast<float>(candidate)) : candidate;
                back[at + n] = n << id_bits | (id & id_mask);
            };
            bool single = false;
            trie_view::cursor c = trie_.start();
            const std::size_t left = static_cast<std::size_t>(last - p);
            const std::size_t most = left < reach ? left : reach;
            for (std::uint32_t n = 0; n < most && c.next(p[n]);) {
                ++n;
                if (!c.has_value()) continue;
                const std::uint32_t id = c.value();
                if (id >= vocabulary_) continue;
                improve(n, load_le<double>(scores_ + std::size_t{id} * 8) + here, id);
                single = single || n == width;
            }
            if (!single) {
                // SentencePiece adds this one in float.
                const double candidate =
                    FloatSums ? static_cast<double>(static_cast<float>(unknown_score_ + here))
                              : unknown_score_ + here;
                improve(width, candidate, unknown_);
            }
            at += width;
        }
        sum = w.best[size & mask];
        emit_path(back, at, base, emit);
        return true;
    }

    // The last position that all ways to the open ones, those at or behind `at`, lead through.
    static std::uint32_t settle(const std::uint32_t* back, std::uint32_t at,
                                std::uint32_t cleared) noexcept {
        std::uint32_t common = at;
        for (std::uint32_t i = at + 1; i < cleared; ++i) {
            if (back[i] == 0) continue;
            std::uint32_t b = i;
            while (common != b) {
                if (common < b) {
                    b -= length_of(back[b]);
                } else {
                    common -= length_of(back[common]);
                }
            }
        }
        return common;
    }

    // The path to `end`; it is turned round in place so that it can be walked forward.
    template <class Emit>
    void emit_path(std::uint32_t* back, std::uint32_t end, std::size_t base,
                   Emit&& emit) const noexcept {
        std::uint32_t i = end, next = 0;
        while (i != 0) {
            const std::uint32_t b = back[i];
            back[i] = next;
            next = b;
            i -= length_of(b);
        }
        while (i != end) {
            const std::uint32_t id = next & id_mask, length = length_of(next);
            emit(id == id_mask ? none : id, base + i, base + i + length);
            i += length;
            next = back[i];
        }
    }

    trie_view trie_;
    const std::byte* scores_ = nullptr;
    std::uint32_t vocabulary_ = 0, unknown_ = none;
    double unknown_score_ = 0;
    std::uint32_t longest_ = 0;
    bool float_sums_ = false;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
