// Training of Unigram vocabularies (Kudo: Subword Regularization, 2018): all substrings that occur
// more than once are the seed; expectation maximization gives them probabilities; those whose loss
// hurts least are pruned, in rounds, until the vocabulary has its size. The steps are
// SentencePiece's.
#pragma once

#include <kompakt/io/token/train/piece_words.hpp>
#include <kompakt/io/token/train/suffix_array.hpp>

#include <cmath>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

struct unigram_options {
    std::size_t pieces = 8000;          // without special ones, with the alphabet
    std::size_t vocabulary_size = 8000; // with special ones: rounds end at 1.1 times as many
    piece_rules rules;                  // longest at most 64
    std::size_t seed_pieces = 1000000;
    double shrinking_factor = 0.75; // what a round of pruning leaves
    unsigned sub_iterations = 2;    // of expectation maximization before each pruning
    progress_callback progress;
};

struct scored_piece {
    std::string text;
    float score; // natural logarithm of the probability
};

namespace detail {

// Derivative of the logarithm of the gamma function.
inline double digamma(double x) noexcept {
    double r = 0;
    for (; x < 7; ++x) r -= 1 / x;
    x -= 0.5;
    const double y = 1 / x, y2 = y * y, y4 = y2 * y2;
    return r + std::log(x) + y2 / 24 - 7 * y4 / 960 + 31 * y4 * y2 / 8064 - 127 * y4 * y4 / 30720;
}

class unigram_trainer {
  public:
    unigram_trainer(const word_list& list, const piece_alphabet& alphabet,
                    const unigram_options& options)
        : list_(list), alphabet_(alphabet), options_(options) {}

    template <class Executor>
    result<std::vector<scored_piece>> run(Executor& executor) {
        if (options_.rules.longest == 0 || options_.rules.longest > longest) {
            return fail(errc::bad_argument, "longest piece ", options_.rules.longest,
                        ": needs a number from 1 to ", longest);
        }
        if (alphabet_.required.empty()) return fail(errc::bad_data, "there is no text");
        if (alphabet_.required.size() > options_.pieces) {
            return fail(errc::bad_argument, "room for ", options_.pieces,
                        " pieces: the alphabet alone needs ", alphabet_.required.size());
        }
        KOMPAKT_TRY(make_text());
        KOMPAKT_TRY(make_seed());
        const auto goal =
            static_cast<std::size_t>(static_cast<double>(options_.vocabulary_size) * 1.1);
        const std::size_t start = pieces_.size();
        for (;;) {
            for (unsigned i = 0; i < options_.sub_iterations; ++i) {
                expect(executor);
                maximize();
                say(start, goal);
            }
            if (pieces_.size() - 1 <= goal) break;
            const std::size_t before = pieces_.size();
            prune(executor, goal);
            say(start, goal);
            // Every round has to end, whatever the factor.
            if (pieces_.size() == before) break;
        }
        return finish();
    }

  private:
    static constexpr std::uint32_t longest = 64; // characters: six bits of an edge
    static constexpr std::uint32_t unknown = 0;  // number of the piece for rare characters
    static constexpr float unknown_penalty = 10;

    // A possible piece at a position: number << 6 | (characters - 1).
    static std::uint32_t length_of(std::uint32_t edge) noexcept { return (edge & 63) + 1; }
    static std::uint32_t number_of(std::uint32_t edge) noexcept { return edge >> 6; }

    struct piece {
        std::uint32_t at;     // one of its places in the text
        std::uint32_t length; // characters
        float score;          // weights in the seed, logarithms later
    };

    void say(std::size_t start, std::size_t goal) const {
        if (!options_.progress) return;
        options_.progress("pruning", start - (std::min)(start, pieces_.size()),
                          start - (std::min)(start, goal));
    }

    // The words in one array of symbols: 1 … are the alphabet's characters, 0 a border behind each
    // word, the last one unknown characters.
    status make_text() {
        std::unordered_map<char32_t, std::uint32_t> numbers;
        for (std::size_t i = 0; i < alphabet_.required.size(); ++i) {
            numbers[alphabet_.required[i].character] = static_cast<std::uint32_t>(i + 1);
        }
        other_ = static_cast<std::uint32_t>(alphabet_.required.size() + 1);
        starts_.reserve(list_.size() + 1);
        for (std::size_t i = 0; i < list_.size(); ++i) {
            starts_.push_back(static_cast<std::uint32_t>(text_.size()));
            each_character(list_.word(i), [&](char32_t c) {
                const auto it = numbers.find(c);
                text_.push_back(it == numbers.end() ? other_ : it->second);
            });
            text_.push_back(0);
            if (text_.size() > 0x7ffffff0u) {
                return fail(errc::limit, "the distinct words have more than ", 0x7ffffff0u,
                            " characters");
            }
        }
        starts_.push_back(static_cast<std::uint32_t>(text_.size()));
        return {};
    }
    char32_t character(std::uint32_t at) const noexcept {
        const std::uint32_t c = text_[at];
        return c == 0 || c == other_ ? 0 : alphabet_.required[c - 1].character;
    }

    struct node {
        std::uint32_t parent;
        std::uint32_t at;
        std::uint32_t length;
        std::uint32_t piece;
        std::uint64_t weight;
    };

    // Inner nodes of the words' suffix tree are the substrings that occur in more than one way.
    status make_seed() {
        const std::size_t n = text_.size();
        std::vector<std::uint32_t> leaf(n, none); // the deepest node above each position
        std::vector<node> nodes;
        {
            std::vector<std::uint32_t> word_of;
            {
                word_of.resize(n);
                for (std::size_t w = 0; w + 1 < starts_.size(); ++w) {
                    std::fill(word_of.begin() + starts_[w], word_of.begin() + starts_[w + 1],
                              static_cast<std::uint32_t>(w));
                }
            }
            const std::vector<std::uint32_t> sa = suffix_array(text_, other_ + 1u);
            find_nodes(sa, word_of, leaf, nodes);
        }
        // How long a piece at a position may be, to tell which nodes are pieces.
        struct seed {
            std::uint64_t weight;
            std::uint32_t node;
        };
        std::vector<seed> seeds;
        std::u32string text;
        for (std::uint32_t k = 0; k < nodes.size(); ++k) {
            const node& d = nodes[k];
            if (d.length < 2) continue;
            text.clear();
            bool known = true;
            for (std::uint32_t i = 0; i < d.length; ++i) {
                known = known && text_[d.at + i] != other_;
                text += character(d.at + i);
            }
            if (!known || options_.rules.longest_piece(text) != d.length) continue;
            seeds.push_back({d.weight * d.length, k});
        }
        std::sort(seeds.begin(), seeds.end(), [](const seed& a, const seed& b) {
            return a.weight != b.weight ? a.weight > b.weight : a.node < b.node;
        });
        const std::size_t most =
            (std::min)((std::max)(options_.seed_pieces, alphabet_.required.size()),
                       std::size_t{1} << 26) -
            1;
        if (alphabet_.required.size() > most) {
            return fail(errc::limit, "an alphabet of ", alphabet_.required.size(), " characters");
        }
        seeds.resize((std::min)(seeds.size(), most - alphabet_.required.size()));

        pieces_.push_back({0, 1, 0});
        double sum = 0;
        for (const alphabet_entry& a : alphabet_.required) {
            pieces_.push_back({0, 1, static_cast<float>(a.count)});
            sum += static_cast<double>(a.count);
        }
        for (const seed& s : seeds) {
            nodes[s.node].piece = static_cast<std::uint32_t>(pieces_.size());
            pieces_.push_back(
                {nodes[s.node].at, nodes[s.node].length, static_cast<float>(s.weight)});
            sum += static_cast<double>(s.weight);
        }
        for (std::uint32_t p = 0; p < n; ++p) {
            if (text_[p] != 0 && text_[p] != other_) pieces_[text_[p]].at = p;
        }
        for (std::size_t i = 1; i < pieces_.size(); ++i) {
            // What `required` has only by request occurs nowhere.
            const double w = (std::max)(static_cast<double>(pieces_[i].score), 1e-3);
            pieces_[i].score = static_cast<float>(std::log(w) - std::log(sum));
        }
        return make_edges(leaf, nodes);
    }

    static constexpr std::uint32_t none = 0xffffffff;

    // `leaf` gets the deepest node of each position.
    void find_nodes(const std::vector<std::uint32_t>& sa, const std::vector<std::uint32_t>& word_of,
                    std::vector<std::uint32_t>& leaf, std::vector<node>& nodes) const {
        struct open_node {
            std::uint32_t number, length;
        };
        std::vector<open_node> open;
        const auto add = [&](std::uint32_t length, std::uint32_t at) {
            nodes.push_back({none, at, length, 0, 0});
            return static_cast<std::uint32_t>(nodes.size() - 1);
        };
        const auto close = [&] {
            const open_node top = open.back();
            open.pop_back();
            if (open.empty()) return;
            nodes[top.number].parent = open.back().number;
            nodes[open.back().number].weight += nodes[top.number].weight;
        };
        // Borders come first.
        std::size_t first = 0;
        while (first < sa.size() && text_[sa[first]] == 0) ++first;
        for (std::size_t i = first; i < sa.size(); ++i) {
            const std::uint32_t p = sa[i];
            const std::uint32_t before = i > first ? common(sa[i - 1], p) : 0;
            const std::uint32_t after = i + 1 < sa.size() ? common(p, sa[i + 1]) : 0;
            // Nodes that do not reach this suffix are complete.
            while (!open.empty() && open.back().length > before) {
                const open_node top = open.back();
                const std::uint32_t outer = open.size() > 1 ? open[open.size() - 2].length : 0;
                if (outer < before) {
                    // A node between the two begins where the inner one began.
                    const std::uint32_t k = add(before, nodes[top.number].at);
                    open.back() = {k, before};
                    nodes[top.number].parent = k;
                    nodes[k].weight = nodes[top.number].weight;
                    break;
                }
                close();
            }
            if (after > before && after > (open.empty() ? 0 : open.back().length)) {
                open.push_back({add(after, p), after});
            }
            const std::uint64_t weight = list_.count(word_of[p]);
            std::uint32_t deepest = open.empty() ? none : open.back().number;
            // A whole word that occurs more than once is a piece, though no other begins with it.
            if (weight > 1 && p == starts_[word_of[p]]) {
                const std::uint32_t length = starts_[word_of[p] + 1] - 1 - p;
                if (length > (std::max)(before, after) && length <= options_.rules.longest) {
                    const std::uint32_t k = add(length, p);
                    nodes[k].parent = deepest;
                    nodes[k].weight = weight;
                    if (deepest != none) nodes[deepest].weight += weight;
                    leaf[p] = k;
                    continue;
                }
            }
            if (deepest != none) nodes[deepest].weight += weight;
            leaf[p] = deepest;
        }
        while (!open.empty()) close();
    }
    // Common characters of two suffixes within their words, up to the longest piece.
    std::uint32_t common(std::uint32_t a, std::uint32_t b) const noexcept {
        std::uint32_t k = 0;
        while (k < options_.rules.longest && text_[a + k] == text_[b + k] && text_[a + k] != 0) {
            ++k;
        }
        return k;
    }

    // The pieces that begin at each position, shorter ones first; a single character always.
    status make_edges(const std::vector<std::uint32_t>& leaf, const std::vector<node>& nodes) {
        const std::size_t n = text_.size();
        first_.reserve(n + 1);
        std::size_t total = 0;
        for (std::size_t p = 0; p < n; ++p) {
            if (text_[p] == 0) continue;
            ++total;
            for (std::uint32_t k = leaf[p]; k != none; k = nodes[k].parent) {
                if (nodes[k].piece != 0) ++total;
            }
        }
        if (total >= none) return fail(errc::limit, "the text has ", total, " possible pieces");
        edges_.reserve(total);
        for (std::size_t p = 0; p < n; ++p) {
            first_.push_back(static_cast<std::uint32_t>(edges_.size()));
            if (text_[p] == 0) continue;
            edges_.push_back((text_[p] == other_ ? unknown : text_[p]) << 6);
            const auto begin = static_cast<std::ptrdiff_t>(edges_.size());
            for (std::uint32_t k = leaf[p]; k != none; k = nodes[k].parent) {
                if (nodes[k].piece == 0) continue;
                edges_.push_back(nodes[k].piece << 6 | (nodes[k].length - 1));
            }
            std::reverse(edges_.begin() + begin, edges_.end());
        }
        first_.push_back(static_cast<std::uint32_t>(edges_.size()));
        return {};
    }

    // Pieces whose new number is `none` go; a single character that goes leaves the unknown piece.
    void renumber(const std::vector<std::uint32_t>& numbers) {
        std::size_t to = 0;
        for (std::size_t p = 0; p + 1 < first_.size(); ++p) {
            const std::size_t begin = first_[p], end = first_[p + 1];
            first_[p] = static_cast<std::uint32_t>(to);
            for (std::size_t e = begin; e < end; ++e) {
                const std::uint32_t number = numbers[number_of(edges_[e])];
                if (number != none) {
                    edges_[to++] = number << 6 | (edges_[e] & 63);
                } else if ((edges_[e] & 63) == 0) {
                    edges_[to++] = unknown << 6;
                }
            }
        }
        first_.back() = static_cast<std::uint32_t>(to);
        edges_.resize(to);
    }

    float lowest() const noexcept {
        float low = 0;
        for (std::size_t i = 1; i < pieces_.size(); ++i) low = (std::min)(low, pieces_[i].score);
        return low;
    }

    // Work is cut into so many parts, each with its own sums: as many as fit a bound of memory.
    std::size_t parts() const noexcept {
        const std::size_t fit = (std::size_t{16} << 20) / (pieces_.size() * sizeof(double));
        return (std::min)((std::max)(fit, std::size_t{2}), std::size_t{16});
    }
    // Words [first, last) of a part: equal numbers of characters.
    std::pair<std::size_t, std::size_t> words_of(std::size_t part, std::size_t parts) const {
        const auto border = [&](std::size_t k) {
            const auto at = static_cast<std::uint32_t>(std::uint64_t{text_.size()} * k / parts);
            return static_cast<std::size_t>(
                std::lower_bound(starts_.begin(), starts_.end() - 1, at) - starts_.begin());
        };
        return {border(part), border(part + 1)};
    }

    // How often each piece is expected, over all segmentations of all words.
    template <class Executor>
    void expect(Executor& executor) {
        pieces_[unknown].score = lowest() - unknown_penalty;
        probability_.resize(pieces_.size());
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            probability_[i] = std::exp(static_cast<double>(pieces_[i].score));
        }
        const std::size_t n = parts();
        std::vector<std::vector<double>> sums(n);
        executor.parallel_for(n, [&](std::size_t part) {
            sums[part].assign(pieces_.size(), 0.0);
            const auto [first, last] = words_of(part, n);
            workspace w;
            for (std::size_t i = first; i < last; ++i) expect_word(i, w, sums[part].data());
        });
        expected_.assign(pieces_.size(), 0.0);
        for (const auto& s : sums) {
            for (std::size_t i = 0; i < s.size(); ++i) expected_[i] += s[i];
        }
    }

    struct workspace {
        std::vector<double> forward, backward;
        std::vector<int> forward_exponent, backward_exponent;
    };

    void expect_word(std::size_t word, workspace& w, double* sums) const {
        const std::size_t at = starts_[word];
        const std::size_t n = starts_[word + 1] - 1 - at;
        if (n == 0) return;
        const auto count = static_cast<double>(list_.count(word));
        if (n <= 64) {
            double forward[64 + 1] = {};
            double backward[64 + 1];
            forward[0] = 1;
            const std::uint32_t* edge = edges_.data() + first_[at];
            for (std::size_t i = 0; i < n; ++i) {
                const double f = forward[i];
                const std::uint32_t* const end = edges_.data() + first_[at + i + 1];
                for (; edge != end; ++edge) {
                    forward[i + length_of(*edge)] += f * probability_[number_of(*edge)];
                }
            }
            // Far from the smallest double: no term that matters was lost.
            if (forward[n] > 1e-250) {
                const double scale = count / forward[n];
                backward[n] = scale;
                for (std::size_t i = n; i-- > 0;) {
                    double b = 0;
                    const std::uint32_t* const begin = edges_.data() + first_[at + i];
                    while (edge != begin) {
                        --edge;
                        const double t =
                            probability_[number_of(*edge)] * backward[i + length_of(*edge)];
                        b += t;
                        sums[number_of(*edge)] += forward[i] * t;
                    }
                    backward[i] = b;
                }
                return;
            }
        }
        expect_long_word(at, n, count, w, sums);
    }

    // The same with exponents of their own, for any length.
    void expect_long_word(std::size_t at, std::size_t n, double count, workspace& w,
                          double* sums) const {
        const auto add = [](double& sum, int& exponent, double value, int value_exponent) {
            const int d = value_exponent - exponent;
            if (sum == 0 || d > 900) {
                sum = value;
                exponent = value_exponent;
            } else if (d > -900) {
                sum += d == 0 ? value : std::ldexp(value, d);
            }
        };
        // Products of three such values are still far from the smallest double.
        const auto normalize = [](double& value, int& exponent) {
            while (value < 0x1p-200 && value > 0) {
                value *= 0x1p200;
                exponent -= 200;
            }
        };
        const auto scaled = [](double value, int e) {
            return e == 0 ? value : std::ldexp(value, e);
        };
        w.forward.assign(n + 1, 0);
        w.backward.assign(n + 1, 0);
        w.forward_exponent.assign(n + 1, 0);
        w.backward_exponent.assign(n + 1, 0);
        w.forward[0] = 1;
        for (std::size_t i = 0; i < n; ++i) {
            normalize(w.forward[i], w.forward_exponent[i]);
            for (std::size_t e = first_[at + i]; e < first_[at + i + 1]; ++e) {
                const std::size_t j = i + length_of(edges_[e]);
                add(w.forward[j], w.forward_exponent[j],
                    w.forward[i] * probability_[number_of(edges_[e])], w.forward_exponent[i]);
            }
        }
        w.backward[n] = 1;
        const double scale = count / w.forward[n];
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t e = first_[at + i]; e < first_[at + i + 1]; ++e) {
                const std::size_t j = i + length_of(edges_[e]);
                const double t = probability_[number_of(edges_[e])] * w.backward[j];
                add(w.backward[i], w.backward_exponent[i], t, w.backward_exponent[j]);
                const int exponent =
                    w.forward_exponent[i] + w.backward_exponent[j] - w.forward_exponent[n];
                sums[number_of(edges_[e])] += scaled(scale * w.forward[i] * t, exponent);
            }
            normalize(w.backward[i], w.backward_exponent[i]);
        }
    }

    // Scores from expected counts; pieces that are hardly used go. The digamma function in place of
    // the logarithm is a sparse prior.
    void maximize() {
        std::vector<std::uint32_t> numbers(pieces_.size(), none);
        std::vector<piece> kept = {pieces_[unknown]};
        std::vector<double> counts = {0};
        numbers[unknown] = unknown;
        double sum = 0;
        for (std::size_t i = 1; i < pieces_.size(); ++i) {
            if (expected_[i] < 0.5) continue;
            numbers[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(pieces_[i]);
            counts.push_back(expected_[i]);
            sum += expected_[i];
        }
        const double log_sum = digamma(sum);
        for (std::size_t i = 1; i < kept.size(); ++i) {
            kept[i].score = static_cast<float>(digamma(counts[i]) - log_sum);
        }
        const bool changed = kept.size() != pieces_.size();
        pieces_ = std::move(kept);
        if (changed) renumber(numbers);
    }

    // The best segmentation of n characters, as edges from the end to the start; without the edge
    // that spans all of them if there are several.
    void best_path(std::size_t at, std::size_t n, bool without_whole, std::vector<float>& best,
                   std::vector<std::uint32_t>& back, std::vector<std::uint32_t>& path) const {
        best.assign(n + 1, -INFINITY);
        back.assign(n + 1, 0);
        best[0] = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t e = first_[at + i]; e < first_[at + i + 1]; ++e) {
                const std::uint32_t edge = edges_[e];
                const std::size_t j = i + length_of(edge);
                if (j > n) break;
                if (without_whole && i == 0 && j == n) break;
                const float score = best[i] + pieces_[number_of(edge)].score;
                if (score > best[j]) {
                    best[j] = score;
                    back[j] = edge;
                }
            }
        }
        path.clear();
        for (std::size_t j = n; j > 0; j -= length_of(back[j])) path.push_back(back[j]);
    }

    template <class Executor>
    void prune(Executor& executor, std::size_t goal) {
        pieces_[unknown].score = lowest() - unknown_penalty;
        const std::size_t n = pieces_.size(), part_count = parts();
        // What a piece would be cut into without itself.
        struct replacement {
            bool keep = true;
            std::vector<std::uint32_t> pieces;
        };
        // How often pieces are on the best paths.
        std::vector<std::vector<double>> sums(part_count);
        executor.parallel_for(part_count, [&](std::size_t part) {
            sums[part].assign(n, 0.0);
            const auto [first, last] = words_of(part, part_count);
            std::vector<float> best;
            std::vector<std::uint32_t> back, path;
            for (std::size_t i = first; i < last; ++i) {
                const std::size_t at = starts_[i];
                best_path(at, starts_[i + 1] - 1 - at, false, best, back, path);
                const auto count = static_cast<double>(list_.count(i));
                for (const std::uint32_t edge : path) sums[part][number_of(edge)] += count;
            }
        });
        std::vector<double> used(n, 0.0);
        for (const auto& s : sums) {
            for (std::size_t i = 0; i < n; ++i) used[i] += s[i];
        }
        sums.clear();
        double total = 0, words = 0;
        for (std::size_t i = 1; i < n; ++i) total += used[i];
        for (std::size_t i = 0; i < list_.size(); ++i) words += static_cast<double>(list_.count(i));

        struct candidate {
            float loss;
            std::uint32_t number;
        };
        constexpr float always = INFINITY, never = -INFINITY;
        std::vector<float> losses(n, never);
        const double log_total = std::log(total);
        executor.parallel_for(part_count, [&](std::size_t part) {
            std::vector<float> best;
            std::vector<std::uint32_t> back, path;
            for (std::size_t i = 1 + (n - 1) * part / part_count;
                 i < 1 + (n - 1) * (part + 1) / part_count; ++i) {
                if (used[i] == 0) continue;
                if (pieces_[i].length == 1) {
                    losses[i] = always;
                    continue;
                }
                best_path(pieces_[i].at, pieces_[i].length, true, best, back, path);
                // A piece that the best path cuts can go.
                if (best[pieces_[i].length] > pieces_[i].score) continue;
                // How much less likely the text would be if its uses went to the replacement.
                const double with = std::log(used[i]) - log_total;
                const double log_without =
                    std::log(total + used[i] * static_cast<double>(path.size() - 1));
                double without = 0;
                for (const std::uint32_t edge : path) {
                    without += std::log(used[number_of(edge)] + used[i]) - log_without;
                }
                losses[i] = static_cast<float>(used[i] / words * (with - without));
            }
        });
        std::vector<candidate> order;
        std::vector<std::uint32_t> numbers(n, none);
        std::vector<piece> kept = {pieces_[unknown]};
        numbers[unknown] = unknown;
        const auto keep = [&](std::uint32_t i) {
            numbers[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(pieces_[i]);
        };
        for (std::uint32_t i = 1; i < n; ++i) {
            if (losses[i] == always) {
                keep(i);
            } else if (losses[i] != never) {
                order.push_back({losses[i], i});
            }
        }
        std::sort(order.begin(), order.end(), [](const candidate& a, const candidate& b) {
            return a.loss != b.loss ? a.loss > b.loss : a.number < b.number;
        });
        const std::size_t size = (std::max)(
            goal, static_cast<std::size_t>(options_.shrinking_factor * static_cast<double>(n - 1)));
        for (const candidate& c : order) {
            if (kept.size() - 1 >= size) break;
            keep(c.number);
        }
        pieces_ = std::move(kept);
        renumber(numbers);
    }

    std::string text_of(const piece& p) const {
        std::u32string s;
        for (std::uint32_t i = 0; i < p.length; ++i) s += character(p.at + i);
        return utf8_of(s);
    }

    // All characters of the alphabet, then the best of the others.
    std::vector<scored_piece> finish() const {
        std::unordered_map<std::string, float> scores;
        std::vector<scored_piece> all;
        for (std::size_t i = 1; i < pieces_.size(); ++i) {
            all.push_back({text_of(pieces_[i]), pieces_[i].score});
            scores[all.back().text] = all.back().score;
        }
        const auto better = [](const scored_piece& a, const scored_piece& b) {
            return a.score != b.score ? a.score > b.score : a.text < b.text;
        };
        std::sort(all.begin(), all.end(), better);
        std::vector<scored_piece> out;
        std::unordered_map<std::string, bool> taken;
        const float low = lowest();
        float penalty = 0;
        for (const alphabet_entry& a : alphabet_.required) {
            const std::string s = utf8_of({&a.character, 1});
            const auto it = scores.find(s);
            taken[s] = true;
            if (it != scores.end()) {
                out.push_back({s, it->second});
            } else {
                // No two of the same score.
                out.push_back({s, low + penalty});
                penalty += 0.0001f;
            }
        }
        for (const scored_piece& p : all) {
            if (out.size() >= options_.pieces) break;
            if (taken.count(p.text) == 0) out.push_back(p);
        }
        std::sort(out.begin(), out.end(), better);
        return out;
    }

    const word_list& list_;
    const piece_alphabet& alphabet_;
    const unigram_options& options_;
    std::uint32_t other_ = 0;
    std::vector<std::uint32_t> text_, starts_;
    std::vector<std::uint32_t> first_, edges_; // first_[position]: its first edge
    std::vector<piece> pieces_;                // [0] is the unknown piece
    std::vector<double> probability_, expected_;
};

} // namespace detail

// Fails with errc::bad_argument if the pieces have no room for the alphabet, errc::bad_data if
// there is no text, errc::limit beyond 2^31 characters in distinct words. The result does not
// depend on the executor.
template <class Executor>
result<std::vector<scored_piece>>
train_unigram(const word_list& words, const piece_alphabet& alphabet,
              const unigram_options& options, Executor& executor) {
    return detail::unigram_trainer(words, alphabet, options).run(executor);
}

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
