// A tokenizer for programs that have memory: it owns its bytes, takes any number of texts at once,
// and adds what models want around them (templates, truncation, padding).
//
//     auto t = kompakt::read_tokenizer("tokenizer.json");
//     if (!t) return t.error();
//     std::vector<std::uint32_t> ids;
//     if (const status s = t->encode("Hello, world", ids); !s.ok()) …
//     std::string text = t->decode(ids);
#pragma once

#include <kompakt/core/executor.hpp>
#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/io/token/build.hpp>
#include <kompakt/io/token/sentencepiece.hpp>
#include <kompakt/io/token/tiktoken.hpp>
#include <kompakt/io/token/vocabulary_files.hpp>
#include <kompakt/token/decoder.hpp>
#include <kompakt/token/encoder.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

enum class truncation_strategy : std::uint8_t { longest_first, only_first, only_second };

// Lengths count tokens, those that a template adds among them.
struct truncation_options {
    std::size_t length = 512;
    std::size_t stride = 0; // tokens that a piece that was cut off shares with the one before
    truncation_strategy strategy = truncation_strategy::longest_first; // of a pair
    bool left = false;                                                 // cuts the front off
};
struct padding_options {
    std::size_t length = 0;   // 0: that of the longest text of a batch
    std::size_t multiple = 0; // 0, or rounds the length up to a multiple
    std::uint32_t id = 0, type = 0;
    bool left = false; // in front of the text
};

struct encode_options {
    bool special = false; // with what the template adds, [CLS] and the like
    added_tokens added = added_tokens::all;
    bool truncates = true, pads = true; // as the tokenizer says; only with `special`
    // Instead of what the tokenizer says, and without `special`, too.
    std::optional<truncation_options> truncation;
    std::optional<padding_options> padding;
};

// One text, or two that a template puts together.
struct text_pair {
    std::string_view first;
    std::optional<std::string_view> second;
};

// What one text, or a pair of them, became.
struct encoded_text {
    std::vector<std::uint32_t> ids, type_ids;
    std::vector<origin>
        offsets; // bytes of the text that the token came from; {0, 0} for what was added
    std::vector<std::uint8_t> special, attention;
    std::vector<encoded_text> overflowing; // what truncation cut off, in pieces of the same length
};

class tokenizer {
  public:
    static constexpr std::size_t cache_words = 32768;

    static result<tokenizer> from_spec(const tokenizer_spec& s, const build_options& o = {}) {
        const bool as_written =
            s.normalizers.empty() || std::none_of(s.added.begin(), s.added.end(), is_normalized);
        auto bytes = as_written ? build_ktok(s, o) : build_with_normalized(s, o);
        if (!bytes.ok()) return bytes.error();
        return from_ktok(std::move(*bytes));
    }
    static result<tokenizer> from_ktok(std::vector<std::byte> bytes);

    const tables& table() const noexcept { return tables_; }
    bytes_view bytes() const noexcept { return {bytes_->data(), bytes_->size()}; }
    std::size_t vocabulary() const noexcept { return tables_.header().vocabulary; }

    // What the tokenizer does with long and short texts where `encode_options` does not say.
    std::optional<truncation_options> truncation() const {
        const ktok_header& h = tables_.header();
        if (h.truncate_to == 0) return {};
        truncation_options o;
        o.length = h.truncate_to;
        o.stride = h.truncate_flags >> 4;
        const std::uint32_t strategy = h.truncate_flags >> 1 & 3;
        o.strategy = strategy == 1   ? truncation_strategy::only_first
                     : strategy == 2 ? truncation_strategy::only_second
                                     : truncation_strategy::longest_first;
        o.left = (h.truncate_flags & 1) != 0;
        return o;
    }
    std::optional<padding_options> padding() const {
        const ktok_header& h = tables_.header();
        if ((h.pad_flags & 1) == 0) return {};
        padding_options o;
        o.length = h.pad_to != none ? h.pad_to : 0;
        o.multiple = h.pad_multiple;
        o.id = h.pad_id;
        o.type = h.pad_flags >> 4;
        o.left = (h.pad_flags & 2) != 0;
        return o;
    }

    // Ids are appended. Any thread may call.
    status encode(std::string_view text, std::vector<std::uint32_t>& ids,
                  const encode_options& o = {}) const {
        if (is_composed(o)) {
            encoded_text e;
            KOMPAKT_TRY(encode_pair({text, {}}, e, o, false));
            KOMPAKT_TRY(pad_all({&e, 1}, o));
            ids.insert(ids.end(), e.ids.begin(), e.ids.end());
            return {};
        }
        std::unique_ptr<worker> w = take();
        std::size_t n = 0;
        const status s = run(*w, text, false, o, n);
        if (s.ok())
            ids.insert(ids.end(), w->ids.begin(), w->ids.begin() + static_cast<std::ptrdiff_t>(n));
        give(std::move(w));
        return s;
    }
    // With offsets, and with the template if `special` is set.
    status encode(std::string_view text, encoded_text& out, const encode_options& o = {}) const {
        KOMPAKT_TRY(encode_pair({text, {}}, out, o, true));
        return pad_all({&out, 1}, o);
    }
    status encode(std::string_view first, std::string_view second, encoded_text& out,
                  const encode_options& o = {}) const {
        KOMPAKT_TRY(encode_pair({first, second}, out, o, true));
        return pad_all({&out, 1}, o);
    }

    // Texts in parallel; the result of text i is out[i].
    template <class Executor = serial_executor>
    status encode_batch(span<const std::string_view> texts,
                        std::vector<std::vector<std::uint32_t>>& out, const encode_options& o = {},
                        Executor&& executor = {}) const {
        if (is_composed(o)) {
            std::vector<encoded_text> all(texts.size());
            KOMPAKT_TRY(in_parallel(
                texts.size(), [&](std::size_t i) { return texts[i].size(); },
                [&](worker&, std::size_t i) {
                    return encode_pair({texts[i], {}}, all[i], o, false);
                },
                executor));
            KOMPAKT_TRY(pad_all({all.data(), all.size()}, o));
            out.resize(texts.size());
            for (std::size_t i = 0; i < all.size(); ++i) out[i] = std::move(all[i].ids);
            return {};
        }
        out.clear();
        out.resize(texts.size());
        return in_parallel(
            texts.size(), [&](std::size_t i) { return texts[i].size(); },
            [&](worker& w, std::size_t i) -> status {
                std::size_t n = 0;
                KOMPAKT_TRY(run(w, texts[i], false, o, n));
                out[i].assign(w.ids.begin(), w.ids.begin() + static_cast<std::ptrdiff_t>(n));
                return {};
            },
            executor);
    }
    // With offsets, of texts and pairs. Padding makes all of them as long as the longest.
    template <class Executor = serial_executor>
    status encode_batch(span<const text_pair> texts, std::vector<encoded_text>& out,
                        const encode_options& o = {}, Executor&& executor = {}) const {
        out.clear();
        out.resize(texts.size());
        KOMPAKT_TRY(in_parallel(
            texts.size(),
            [&](std::size_t i) {
                return texts[i].first.size() + (texts[i].second ? texts[i].second->size() : 0);
            },
            [&](worker&, std::size_t i) { return encode_pair(texts[i], out[i], o, true); },
            executor));
        return pad_all({out.data(), out.size()}, o);
    }

    // Ids outside of the vocabulary give nothing.
    std::string decode(span<const std::uint32_t> ids, const decode_options& o = {}) const;
    // The text of one id as the vocabulary has it.
    std::string_view piece(std::uint32_t id) const noexcept {
        const text_view p = tables_.piece(id);
        return {p.data(), p.size()};
    }

  private:
    static bool is_normalized(const added_spec& a) { return (a.flags & added_normalized) != 0; }

    // Added tokens that are looked for in normalized text are normalized themselves, as Hugging
    // Face does. Of two that become the same the last one counts, and one that becomes nothing is
    // lost.
    static result<std::vector<std::byte>> build_with_normalized(tokenizer_spec s,
                                                                const build_options& o);

    struct string_sink {
        std::string* out;
        void put(const char* p, std::size_t n) { out->append(p, n); }
    };
    // An encoder with its memory. They are lent to whoever encodes, so that caches stay warm.
    struct worker {
        aligned_buffer memory;
        std::vector<cached_word> cache;
        std::vector<std::uint32_t> ids;
        std::vector<origin> offsets;
        encoder e;
    };
    struct pool {
        std::mutex mutex;
        std::vector<std::unique_ptr<worker>> free;
    };

    std::unique_ptr<worker> take() const {
        {
            const std::lock_guard<std::mutex> lock(pool_->mutex);
            if (!pool_->free.empty()) {
                std::unique_ptr<worker> w = std::move(pool_->free.back());
                pool_->free.pop_back();
                return w;
            }
        }
        auto w = std::make_unique<worker>();
        w->memory = aligned_buffer(encoder::generous_memory_bytes(tables_, 4096, false) + 8192);
        if (tables_.flag(flag_word_cache)) w->cache.resize(cache_words);
        w->e = encoder(tables_, {w->memory.data(), w->memory.size()},
                       {w->cache.data(), w->cache.size()});
        return w;
    }
    void give(std::unique_ptr<worker> w) const {
        // What one huge text needed is not kept for ever.
        if (w->memory.size() > (std::size_t{64} << 20)) return;
        const std::lock_guard<std::mutex> lock(pool_->mutex);
        pool_->free.push_back(std::move(w));
    }

    // Texts in pieces of about equal work, whatever the number of threads.
    template <class Size, class One, class Executor>
    status in_parallel(std::size_t n, Size&& size, One&& one, Executor&& executor) const {
        std::vector<std::size_t> starts{0};
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < n; ++i) {
            bytes += size(i) + 16;
            if (bytes >= 32768 && i + 1 < n) {
                starts.push_back(i + 1);
                bytes = 0;
            }
        }
        starts.push_back(n);
        std::vector<status> states(starts.size() - 1);
        executor.parallel_for(starts.size() - 1, [&](std::size_t piece) {
            std::unique_ptr<worker> w = take();
            for (std::size_t i = starts[piece]; i < starts[piece + 1]; ++i) {
                const status s = one(*w, i);
                if (!s.ok()) {
                    states[piece] = s.within("text ", i, ": ");
                    break;
                }
            }
            give(std::move(w));
        });
        for (const status& s : states) {
            if (!s.ok()) return s;
        }
        return {};
    }

    static bool is_composed(const encode_options& o) {
        return o.special || o.truncation || o.padding;
    }

    // Gives memory until it suffices: what a text needs shows while it is normalized.
    status run(worker& w, std::string_view text, bool offsets, const encode_options& o,
               std::size_t& n) const;

    static void take_over(const worker& w, std::size_t n, bool offsets, encoded_text& out) {
        const auto to = static_cast<std::ptrdiff_t>(n);
        out.ids.assign(w.ids.begin(), w.ids.begin() + to);
        if (offsets) {
            out.offsets.assign(w.offsets.begin(), w.offsets.begin() + to);
        } else {
            out.offsets.resize(n);
        }
        out.type_ids.resize(n, 0);
        out.special.resize(n, 0);
        out.attention.resize(n, 1);
    }
    static encoded_text part(const encoded_text& e, std::size_t from, std::size_t to) {
        const auto cut = [&](const auto& v) {
            return std::decay_t<decltype(v)>(v.begin() + static_cast<std::ptrdiff_t>(from),
                                             v.begin() + static_cast<std::ptrdiff_t>(to));
        };
        encoded_text p;
        p.ids = cut(e.ids);
        p.type_ids = cut(e.type_ids);
        p.offsets = cut(e.offsets);
        p.special = cut(e.special);
        p.attention = cut(e.attention);
        return p;
    }
    static void join(encoded_text& e, const encoded_text& more) {
        const auto add = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
        add(e.ids, more.ids);
        add(e.type_ids, more.type_ids);
        add(e.offsets, more.offsets);
        add(e.special, more.special);
        add(e.attention, more.attention);
    }
    // Where offsets leave leading spaces out, the space that a prefix may have put in front of the
    // first token is kept: of each part, in Hugging Face's reading.
    void keep_first_space(encoded_text& e) const {
        for (std::uint32_t k = 0; k < tables_.step_count(); ++k) {
            const step_record s = tables_.step(k);
            if (s.kind != step_kind::trim_offsets || s.a == 0 || e.ids.empty()) continue;
            const std::string_view p = piece(e.ids[0]);
            origin& o = e.offsets[0];
            if (p.empty() || p[0] != ' ' || (p.size() > 1 && p[1] == ' ') || o.begin == 0) continue;
            --o.begin;
            if (p.size() == 1) o.end = o.begin;
        }
    }
    // Parts of `length` that overlap by `stride`; the first one stays, from the side that is kept.
    status truncate(encoded_text& e, std::size_t length, std::size_t stride, bool left) const {
        const std::size_t n = e.ids.size();
        if (length >= n) return {};
        if (length == 0) {
            encoded_text all = std::move(e);
            e = encoded_text();
            e.overflowing.push_back(std::move(all));
            return {};
        }
        if (stride >= length)
            return fail(errc::bad_argument, "truncation: a stride of ", stride, " for parts of ",
                        length);
        std::vector<encoded_text> parts;
        if (!left) {
            for (std::size_t from = 0;; from += length - stride) {
                const std::size_t to = (std::min)(from + length, n);
                parts.push_back(part(e, from, to));
                if (to == n) break;
            }
        } else {
            for (std::size_t to = n;; to -= length - stride) {
                const std::size_t from = to > length ? to - length : 0;
                parts.push_back(part(e, from, to));
                if (from == 0) break;
            }
        }
        for (std::size_t k = left ? 0 : 1; k < parts.size() - (left ? 1 : 0); ++k)
            keep_first_space(parts[k]);
        e = std::move(parts[0]);
        e.overflowing.assign(std::make_move_iterator(parts.begin() + 1),
                             std::make_move_iterator(parts.end()));
        return {};
    }

    // Without padding, which needs to know the other texts.
    status encode_pair(const text_pair& texts, encoded_text& out, const encode_options& o,
                       bool offsets) const;
    status truncate_pair(encoded_text (&parts)[2], bool pair, const truncation_options& o) const {
        const bool left = o.left;
        const std::size_t length = o.length, stride = o.stride;
        std::size_t n1 = parts[0].ids.size(), n2 = pair ? parts[1].ids.size() : 0;
        if (length == 0) {
            KOMPAKT_TRY(truncate(parts[0], 0, stride, left));
            return pair ? truncate(parts[1], 0, stride, left) : status();
        }
        if (n1 + n2 <= length) return {};
        const std::size_t remove = n1 + n2 - length;
        if (o.strategy == truncation_strategy::longest_first) {
            if (!pair) return truncate(parts[0], length, stride, left);
            const bool swapped = n1 > n2;
            if (swapped) std::swap(n1, n2);
            n2 = n1 > length ? n1 : (std::max)(n1, length - n1);
            if (n1 + n2 > length) {
                n1 = length / 2;
                n2 = n1 + length % 2;
            }
            if (swapped) std::swap(n1, n2);
            KOMPAKT_TRY(truncate(parts[0], n1, stride, left));
            return truncate(parts[1], n2, stride, left);
        }
        const bool first = o.strategy == truncation_strategy::only_first;
        if (!first && !pair)
            return fail(errc::bad_argument, "truncation: only the second text, and there is none");
        encoded_text& target = parts[first ? 0 : 1];
        if (target.ids.size() <= remove)
            return fail(errc::bad_argument, "truncation: a text of ", target.ids.size(),
                        " tokens is too short to remove ", remove);
        return truncate(target, target.ids.size() - remove, stride, left);
    }
    status pad_all(span<encoded_text> all, const encode_options& o) const {
        std::optional<padding_options> p = o.padding;
        if (!p && o.special && o.pads) p = padding();
        if (!p || all.empty()) return {};
        std::size_t length = p->length;
        if (length == 0) {
            for (const encoded_text& e : all) length = (std::max)(length, e.ids.size());
        }
        if (p->multiple != 0 && length % p->multiple != 0)
            length += p->multiple - length % p->multiple;
        if (length > padding_limit)
            return fail(errc::limit, "padding: to ", length, " tokens, the limit is ",
                        padding_limit);
        for (encoded_text& e : all) {
            pad(e, length, *p);
            for (encoded_text& x : e.overflowing) pad(x, length, *p);
        }
        return {};
    }
    // Pieces of two long texts multiply.
    static constexpr std::size_t overflow_limit = std::size_t{1} << 20;
    // Files say how long, so this bounds what a hostile one takes.
    static constexpr std::size_t padding_limit = std::size_t{1} << 24;

    static void pad(encoded_text& e, std::size_t length, const padding_options& o) {
        if (e.ids.size() >= length) return;
        const std::size_t n = length - e.ids.size();
        const auto add = [&](auto& v, const auto& what) {
            v.insert(o.left ? v.begin() : v.end(), n, what);
        };
        add(e.ids, o.id);
        add(e.type_ids, o.type);
        add(e.offsets, origin{0, 0});
        add(e.special, std::uint8_t{1});
        add(e.attention, std::uint8_t{0});
    }

    std::shared_ptr<const std::vector<std::byte>> bytes_;
    tables tables_;
    std::shared_ptr<pool> pool_;
};

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer> tokenizer::from_ktok(std::vector<std::byte> bytes) {
    tokenizer t;
    t.bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    KOMPAKT_TRY(tables::open({t.bytes_->data(), t.bytes_->size()}, t.tables_));
    t.pool_ = std::make_shared<pool>();
    std::unique_ptr<worker> w = t.take();
    const status s = w->e.state();
    t.give(std::move(w));
    if (!s.ok()) return s;
    return t;
}

KOMPAKT_ONCE std::string tokenizer::decode(span<const std::uint32_t> ids,
                                           const decode_options& o) const {
    std::vector<char> scratch(decoder::scratch_bytes(tables_));
    decoder d(tables_, {scratch.data(), scratch.size()}, o);
    std::string out;
    string_sink sink{&out};
    d.decode(ids, sink);
    return out;
}

KOMPAKT_ONCE result<std::vector<std::byte>>
tokenizer::build_with_normalized(tokenizer_spec s, const build_options& o) {
    std::vector<added_spec> added = std::move(s.added);
    s.added.clear();
    const auto without = from_spec(s, o);
    if (!without.ok()) return without.error();
    const std::unique_ptr<worker> w = without->take();
    std::map<std::pair<bool, std::string>, std::size_t> last;
    for (std::size_t i = 0; i < added.size(); ++i) {
        added_spec& a = added[i];
        if (is_normalized(a)) {
            w->memory = aligned_buffer(
                encoder::generous_memory_bytes(without->tables_, a.text.size(), false) + 8192);
            w->e.set_memory({w->memory.data(), w->memory.size()});
            text_view text;
            KOMPAKT_TRY(w->e.normalize({a.text.data(), a.text.size()}, text)
                            .within("added token ", a.text, ": "));
            a.text.assign(text.data(), text.size());
        }
        last[{is_normalized(a), a.text}] = i;
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
        const added_spec& a = added[i];
        if (!a.text.empty() && last[{is_normalized(a), a.text}] == i) s.added.push_back(a);
    }
    return build_ktok(s, o);
}

KOMPAKT_ONCE status tokenizer::run(worker& w, std::string_view text, bool offsets,
                                   const encode_options& o, std::size_t& n) const {
    encoder::options options;
    options.added = o.added;
    std::size_t room = text.size() / 2 + 64;
    for (;;) {
        if (w.ids.size() < room) w.ids.resize(room);
        if (offsets && w.offsets.size() < w.ids.size()) w.offsets.resize(w.ids.size());
        const status s = w.e.encode(
            {text.data(), text.size()}, {w.ids.data(), w.ids.size()}, n,
            offsets ? span<origin>(w.offsets.data(), w.offsets.size()) : span<origin>(), options);
        if (s.ok()) return s;
        if (w.e.ids_were_short()) {
            if (room > std::size_t{64} * (text.size() + 64)) return s;
            room = room * 2;
            continue;
        }
        if (!w.e.memory_was_short()) return s;
        // A character becomes at most 18 of up to 4 bytes; maps may add to that.
        if (w.memory.size() > std::size_t{200} * (text.size() + 65536) * (offsets ? 9 : 1))
            return s;
        const std::size_t more =
            w.memory.size() + w.memory.size() / 2 + text.size() * (offsets ? 10 : 1) + 65536;
        w.memory = aligned_buffer();
        w.memory = aligned_buffer(more);
        w.e.set_memory({w.memory.data(), w.memory.size()});
    }
}

KOMPAKT_ONCE status tokenizer::encode_pair(const text_pair& texts, encoded_text& out,
                                           const encode_options& o, bool offsets) const {
    out = encoded_text();
    encoded_text parts[2];
    const ktok_header& h = tables_.header();
    const bool pair = texts.second.has_value();
    std::unique_ptr<worker> w = take();
    status s;
    for (int k = 0; k < (pair ? 2 : 1) && s.ok(); ++k) {
        std::size_t n = 0;
        s = run(*w, k == 0 ? texts.first : *texts.second, offsets, o, n);
        if (s.ok()) take_over(*w, n, offsets, parts[k]);
    }
    give(std::move(w));
    KOMPAKT_TRY(s);
    std::vector<step_record> steps;
    const std::uint32_t at =
        h.normalizers + h.pre_tokenizers + h.decoders + (pair ? h.templates : 0);
    for (std::uint32_t k = at; k < at + (pair ? h.pair_templates : h.templates); ++k) {
        // Without special tokens the template still says the order and the types.
        const step_record r = tables_.step(k);
        if (o.special || r.kind != step_kind::part_special) steps.push_back(r);
    }
    std::size_t added = 0;
    for (const step_record& r : steps) added += r.kind == step_kind::part_special ? 1 : 0;
    std::optional<truncation_options> cut = o.truncation;
    if (!cut && o.special && o.truncates) cut = truncation();
    if (cut) {
        cut->length = cut->length > added ? cut->length - added : 0;
        KOMPAKT_TRY(truncate_pair(parts, pair, *cut));
    }
    const auto compose = [&](const encoded_text* a, const encoded_text* b) {
        encoded_text e;
        for (const step_record& r : steps) {
            if (r.kind == step_kind::part_special) {
                e.ids.push_back(r.a);
                e.type_ids.push_back(r.a_bytes);
                e.offsets.push_back({0, 0});
                e.special.push_back(1);
                e.attention.push_back(1);
            } else if (r.kind == step_kind::part_sequence) {
                const encoded_text* p = r.a == 0 ? a : b;
                if (p == nullptr) continue;
                const std::size_t from = e.ids.size();
                join(e, *p);
                for (std::size_t i = from; i < e.ids.size(); ++i) e.type_ids[i] = r.a_bytes;
            }
        }
        return e;
    };
    const encoded_text* b = pair ? &parts[1] : nullptr;
    out = compose(&parts[0], b);
    // Each piece of what the template has first with each of the other, in this order.
    const auto first = std::find_if(steps.begin(), steps.end(), [](const step_record& r) {
        return r.kind == step_kind::part_sequence;
    });
    const std::size_t outer = first != steps.end() && first->a != 0 && pair ? 1 : 0;
    const auto add = [&](const encoded_text& x, const encoded_text& y) {
        const encoded_text* const other = pair ? &y : nullptr;
        out.overflowing.push_back(outer == 0 ? compose(&x, other) : compose(&y, &x));
    };
    const std::size_t pieces =
        (parts[0].overflowing.size() + 1) * (parts[1].overflowing.size() + 1);
    if (pieces > overflow_limit)
        return fail(errc::limit, "truncation: ", pieces, " pieces, the limit is ", overflow_limit);
    for (const encoded_text& x : parts[outer].overflowing) {
        add(x, parts[1 - outer]);
        for (const encoded_text& y : parts[1 - outer].overflowing) add(x, y);
    }
    for (const encoded_text& y : parts[1 - outer].overflowing) add(parts[outer], y);
    return {};
}
#endif

// What a file does not say, and how it is to be read.
struct read_options {
    tiktoken_options tiktoken;
    gpt2_options gpt2;
    std::string merges; // text of merges.txt, for a vocab.json
    bert_options bert;
};

// What kind of file it is shows in its content.
enum class tokenizer_format : std::uint8_t {
    ktok,
    tokenizer_json,
    vocab_json,
    sentencepiece,
    tiktoken,
    vocab_txt
};
constexpr const char* name_of(tokenizer_format f) noexcept {
    switch (f) {
    case tokenizer_format::ktok:
        return "ktok";
    case tokenizer_format::tokenizer_json:
        return "tokenizer.json";
    case tokenizer_format::vocab_json:
        return "vocab.json";
    case tokenizer_format::sentencepiece:
        return "SentencePiece model";
    case tokenizer_format::tiktoken:
        return "tiktoken";
    case tokenizer_format::vocab_txt:
        return "vocab.txt";
    }
    return "unknown";
}
inline tokenizer_format format_of(bytes_view bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (bytes.size() >= 4 && load_le<std::uint32_t>(bytes.data()) == ktok_magic)
        return tokenizer_format::ktok;
    std::size_t at = text.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        ++at;
    if (at < text.size() && text[at] == '{') {
        // Only a tokenizer's object has objects in it.
        detail::json_walker w(text);
        w.seek(at);
        w.take('{');
        std::string_view key;
        bool escapes = false;
        while (w.raw_string(key, escapes) && w.take(':')) {
            if (key == "model" && w.peek() == '{') return tokenizer_format::tokenizer_json;
            const char c = w.peek();
            if (c == '{' || c == '[') return tokenizer_format::tokenizer_json;
            if (!w.skip_value() || !w.take(',')) break;
        }
        return tokenizer_format::vocab_json;
    }
    // A model begins with its first piece: field 1, a message that begins with its text.
    protobuf_reader r(bytes);
    if (r.next() && r.is(wire_type::bytes) && r.field() <= 5) {
        protobuf_reader inner(r.content());
        if (inner.next() && inner.field() <= 60 && r.content().size() > 2)
            return tokenizer_format::sentencepiece;
    }
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t space = line.find(' ');
    std::string decoded;
    if (space != std::string_view::npos && space + 1 < line.size() && line[space + 1] >= '0' &&
        line[space + 1] <= '9' &&
        detail::tokenizer_json_reader::decode_base64(line.substr(0, space), decoded)) {
        return tokenizer_format::tiktoken;
    }
    return tokenizer_format::vocab_txt;
}

KOMPAKT_ONCE result<tokenizer> read_tokenizer_bytes(bytes_view bytes, const read_options& o = {},
                                                    const build_options& b = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer> read_tokenizer_bytes(bytes_view bytes, const read_options& o,
                                                    const build_options& b) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto made = [&](result<tokenizer_spec> s) -> result<tokenizer> {
        if (!s.ok()) return s.error();
        return tokenizer::from_spec(*s, b);
    };
    switch (format_of(bytes)) {
    case tokenizer_format::ktok:
        return tokenizer::from_ktok(std::vector<std::byte>(bytes.begin(), bytes.end()));
    case tokenizer_format::tokenizer_json:
        return made(read_tokenizer_json(text));
    case tokenizer_format::vocab_json:
        if (o.merges.empty()) return fail(errc::bad_argument, "vocab.json: needs its merges.txt");
        return made(read_gpt2(text, o.merges, o.gpt2));
    case tokenizer_format::sentencepiece:
        return made(read_sentencepiece(bytes));
    case tokenizer_format::tiktoken:
        return made(read_tiktoken(text, o.tiktoken));
    case tokenizer_format::vocab_txt:
        return made(read_bert_vocabulary(text, o.bert));
    }
    return fail(errc::bad_file, "not a tokenizer");
}
#endif

inline constexpr std::uint64_t tokenizer_file_limit = std::uint64_t{1} << 30;

} // namespace token

using token::tokenizer;

// Any tokenizer file; errors name it.
inline result<token::tokenizer> read_tokenizer(const std::string& path,
                                               const token::read_options& o = {},
                                               const token::build_options& b = {}) {
    const auto bytes = read_file(path, token::tokenizer_file_limit);
    if (!bytes.ok()) return bytes.error();
    auto t = token::read_tokenizer_bytes({bytes->data(), bytes->size()}, o, b);
    if (!t.ok()) return t.error().within(path, ": ");
    return t;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
