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

struct unigram_node {
    double best;          // of all ways to get here
    std::uint32_t id;     // the last piece of the best way
    std::uint32_t length; // its bytes; 0: nothing ends here
};

class unigram {
  public:
    unigram() = default;
    explicit unigram(const tables& t) noexcept
        : trie_(t.get(section::trie)), scores_(t.data(section::scores)),
          vocabulary_(t.header().vocabulary), unknown_(t.header().unknown),
          unknown_score_(t.header().unknown_score), longest_(t.header().longest_piece),
          float_sums_(t.flag(flag_sentencepiece)) {}

    // The nodes that a text needs at least: fewer and `encode` may have to give up.
    std::uint32_t least_nodes() const noexcept { return 4 * (longest_ < 4 ? 4 : longest_) + 8; }

    // Calls `emit(id, begin, end)` for every piece from left to right; unknown characters have the
    // id of the unknown token, or `none`. False when the nodes do not suffice.
    template <class Emit>
    bool encode(text_view text, unigram_node* nodes, std::uint32_t node_count, double& sum,
                Emit&& emit) const noexcept {
        return float_sums_ ? run<true>(text, nodes, node_count, sum, emit)
                           : run<false>(text, nodes, node_count, sum, emit);
    }

    double score(std::uint32_t id) const noexcept {
        return id < vocabulary_ ? load_le<double>(scores_ + std::size_t{id} * 8) : 0;
    }
    // In magnitude.
    double largest_score() const noexcept {
        double most = unknown_score_ < 0 ? -unknown_score_ : unknown_score_;
        for (std::uint32_t i = 0; i < vocabulary_ && scores_ != nullptr; ++i) {
            const double s = score(i);
            most = s > most ? s : -s > most ? -s : most;
        }
        return most;
    }

    // For a short text of whole words: by how much the best way through it beats all others in sums
    // without rounding to float; `visit(id)` gets its pieces from the last to the first. 0 when
    // that is not known.
    template <class Visit>
    double margin(text_view text, unigram_node* nodes, std::uint32_t node_count,
                  Visit&& visit) const noexcept {
        static constexpr std::size_t most = 64;
        if (text.size() >= most || text.size() + 1 > node_count) return 0;
        double second[most + 1];
        const std::size_t size = text.size();
        nodes[0] = {0, none, 0};
        for (std::size_t i = 1; i <= size; ++i) {
            nodes[i].length = 0;
            second[i] = -1e300;
        }
        const char* const last = text.data() + size;
        for (std::size_t at = 0; at < size;) {
            const char* const p = text.data() + at;
            const std::uint32_t width = decode_utf8(p, last).length;
            bool single = false;
            const auto improve = [&](std::size_t n, double score, std::uint32_t id) {
                const double candidate = score + nodes[at].best;
                unigram_node& node = nodes[at + n];
                if (node.length != 0 && !(candidate > node.best)) {
                    if (candidate > second[at + n]) second[at + n] = candidate;
                    return;
                }
                if (node.length != 0) second[at + n] = node.best;
                node = {candidate, id, static_cast<std::uint32_t>(n)};
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
            if (nodes[i].length == 0) return 0;
            const double gap = nodes[i].best - second[i];
            least = gap < least ? gap : least;
            visit(nodes[i].id);
            i -= nodes[i].length;
        }
        return least > 1e30 ? 1e30 : least;
    }

  private:
    template <bool FloatSums, class Emit>
    bool run(text_view text, unigram_node* const nodes, const std::uint32_t node_count, double& sum,
             Emit&& emit) const noexcept {
        const std::size_t size = text.size();
        const std::uint32_t reach = longest_ < 4 ? 4 : longest_;
        if (node_count < reach + 2) return false;
        std::size_t base = 0; // the byte that nodes[0] stands for
        std::uint32_t at = 0;
        nodes[0] = {sum, none, 0};
        const std::uint32_t clear =
            size + 1 < node_count ? static_cast<std::uint32_t>(size + 1) : node_count;
        for (std::uint32_t i = 1; i < clear; ++i) nodes[i].length = 0;
        const char* const last = text.data() + size;
        while (base + at < size) {
            if (at + reach >= node_count && base + node_count <= size) {
                const std::uint32_t settled = settle(nodes, at, node_count);
                if (settled == 0) return false;
                emit_path(nodes, settled, base, emit);
                const std::uint32_t kept = node_count - settled;
                std::memmove(static_cast<void*>(nodes), nodes + settled,
                             kept * sizeof(unigram_node));
                nodes[0].length = 0;
                base += settled;
                at -= settled;
                const std::size_t until =
                    size - base + 1 < node_count ? size - base + 1 : node_count;
                for (std::size_t i = kept; i < until; ++i) nodes[i].length = 0;
                if (at + reach >= node_count && base + node_count <= size) return false;
            }
            const char* const p = text.data() + base + at;
            const std::uint32_t width = decode_utf8(p, last).length;
            const double here = nodes[at].best;
            bool single = false;
            trie_view::cursor c = trie_.start();
            const std::size_t left = static_cast<std::size_t>(last - p);
            const std::size_t most = left < reach ? left : reach;
            for (std::uint32_t n = 0; n < most && c.next(p[n]);) {
                ++n;
                if (!c.has_value()) continue;
                const std::uint32_t id = c.value();
                if (id >= vocabulary_) continue;
                improve<FloatSums>(nodes[at + n],
                                   load_le<double>(scores_ + std::size_t{id} * 8) + here, id, n);
                single = single || n == width;
            }
            if (!single) {
                // SentencePiece adds this one in float.
                const double candidate =
                    FloatSums ? static_cast<double>(static_cast<float>(unknown_score_ + here))
                              : unknown_score_ + here;
                improve<FloatSums>(nodes[at + width], candidate, unknown_, width);
            }
            at += width;
        }
        sum = nodes[at].best;
        emit_path(nodes, at, base, emit);
        return true;
    }

    template <bool FloatSums>
    static void improve(unigram_node& node, double candidate, std::uint32_t id,
                        std::uint32_t length) noexcept {
        if (node.length != 0 && !(candidate > node.best)) return;
        node.best = FloatSums ? static_cast<double>(static_cast<float>(candidate)) : candidate;
        node.id = id;
        node.length = length;
    }

    // The last node that all ways to the open nodes, those at or behind `at`, lead through.
    static std::uint32_t settle(const unigram_node* nodes, std::uint32_t at,
                                std::uint32_t count) noexcept {
        std::uint32_t common = none;
        for (std::uint32_t i = at; i < count; ++i) {
            if (i != at && nodes[i].length == 0) continue;
            if (common == none) {
                common = i;
                continue;
            }
            std::uint32_t a = common, b = i;
            while (a != b) {
                if (a < b) {
                    b -= nodes[b].length;
                } else {
                    a -= nodes[a].length;
                }
            }
            common = a;
        }
        return common;
    }

    // The path to nodes[end]; its lengths are turned round so that it can be walked forward.
    template <class Emit>
    static void emit_path(unigram_node* nodes, std::uint32_t end, std::size_t base,
                          Emit&& emit) noexcept {
        std::uint32_t i = end, next_id = none, next_length = 0;
        while (i != 0) {
            const std::uint32_t id = nodes[i].id, length = nodes[i].length;
            nodes[i].id = next_id;
            nodes[i].length = next_length;
            next_id = id;
            next_length = length;
            i -= length;
        }
        std::uint32_t id = next_id, length = next_length;
        while (i != end) {
            emit(id, base + i, base + i + length);
            i += length;
            id = nodes[i].id;
            length = nodes[i].length;
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
