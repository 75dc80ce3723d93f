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
#include <string>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct encode_options {
    bool special = false; // with what the template adds, [CLS] and the like
    added_tokens added = added_tokens::all;
    bool truncates = true, pads = true; // as the tokenizer says; only with `special`
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
    static result<tokenizer> from_ktok(std::vector<std::byte> bytes) {
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

    const tables& table() const noexcept { return tables_; }
    bytes_view bytes() const noexcept { return {bytes_->data(), bytes_->size()}; }
    std::size_t vocabulary() const noexcept { return tables_.header().vocabulary; }

    // Ids are appended. Any thread may call.
    status encode(std::string_view text, std::vector<std::uint32_t>& ids,
                  const encode_options& o = {}) const {
        if (o.special) {
            encoded_text e;
            KOMPAKT_TRY(encode(text, e, o));
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
        return encode_pair(&text, nullptr, out, o);
    }
    status encode(std::string_view first, std::string_view second, encoded_text& out,
                  const encode_options& o = {}) const {
        return encode_pair(&first, &second, out, o);
    }

    // Texts in parallel; the result of text i is out[i].
    template <class Executor = serial_executor>
    status encode_batch(span<const std::string_view> texts,
                        std::vector<std::vector<std::uint32_t>>& out, const encode_options& o = {},
                        Executor&& executor = {}) const {
        out.clear();
        out.resize(texts.size());
        // Pieces of about equal work, whatever the number of threads.
        std::vector<std::size_t> starts{0};
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            bytes += texts[i].size() + 16;
            if (bytes >= 32768 && i + 1 < texts.size()) {
                starts.push_back(i + 1);
                bytes = 0;
            }
        }
        starts.push_back(texts.size());
        std::vector<status> states(starts.size() - 1);
        executor.parallel_for(starts.size() - 1, [&](std::size_t piece) {
            std::unique_ptr<worker> w = take();
            for (std::size_t i = starts[piece]; i < starts[piece + 1]; ++i) {
                status s;
                if (o.special) {
                    encoded_text e;
                    s = encode_pair(&texts[i], nullptr, e, o);
                    out[i] = std::move(e.ids);
                } else {
                    std::size_t n = 0;
                    s = run(*w, texts[i], false, o, n);
                    if (s.ok())
                        out[i].assign(w->ids.begin(),
                                      w->ids.begin() + static_cast<std::ptrdiff_t>(n));
                }
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
        if (o.special && o.pads) pad_batch(out);
        return {};
    }

    // Ids outside of the vocabulary give nothing.
    std::string decode(span<const std::uint32_t> ids, const decode_options& o = {}) const {
        std::vector<char> scratch(decoder::scratch_bytes(tables_));
        decoder d(tables_, {scratch.data(), scratch.size()}, o);
        std::string out;
        string_sink sink{&out};
        d.decode(ids, sink);
        return out;
    }
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
                                                                const build_options& o) {
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

    // Gives memory until it suffices: what a text needs shows while it is normalized.
    status run(worker& w, std::string_view text, bool offsets, const encode_options& o,
               std::size_t& n) const {
        encoder::options options;
        options.added = o.added;
        std::size_t room = text.size() / 2 + 64;
        for (;;) {
            if (w.ids.size() < room) w.ids.resize(room);
            if (offsets && w.offsets.size() < w.ids.size()) w.offsets.resize(w.ids.size());
            const status s = w.e.encode({text.data(), text.size()}, {w.ids.data(), w.ids.size()}, n,
                                        offsets ? span<origin>(w.offsets.data(), w.offsets.size())
                                                : span<origin>(),
                                        options);
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

    static void append(const worker& w, std::size_t from, std::size_t to, std::uint32_t type,
                       encoded_text& out) {
        const auto f = static_cast<std::ptrdiff_t>(from), t = static_cast<std::ptrdiff_t>(to);
        out.ids.insert(out.ids.end(), w.ids.begin() + f, w.ids.begin() + t);
        out.offsets.insert(out.offsets.end(), w.offsets.begin() + f, w.offsets.begin() + t);
        out.type_ids.resize(out.ids.size(), type);
        out.special.resize(out.ids.size(), 0);
        out.attention.resize(out.ids.size(), 1);
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
    // Parts of `length` that overlap by `stride`; the first one stays, from the side that is kept.
    static status truncate(encoded_text& e, std::size_t length, std::size_t stride, bool left) {
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
        e = std::move(parts[0]);
        e.overflowing.assign(std::make_move_iterator(parts.begin() + 1),
                             std::make_move_iterator(parts.end()));
        return {};
    }

    status encode_pair(const std::string_view* first, const std::string_view* second,
                       encoded_text& out, const encode_options& o) const {
        out = encoded_text();
        encoded_text parts[2];
        const ktok_header& h = tables_.header();
        std::unique_ptr<worker> w = take();
        status s;
        for (int k = 0; k < (second != nullptr ? 2 : 1) && s.ok(); ++k) {
            std::size_t n = 0;
            s = run(*w, k == 0 ? *first : *second, true, o, n);
            if (s.ok()) append(*w, 0, n, static_cast<std::uint32_t>(k), parts[k]);
        }
        give(std::move(w));
        KOMPAKT_TRY(s);
        std::vector<step_record> steps;
        const std::uint32_t at =
            h.normalizers + h.pre_tokenizers + h.decoders + (second != nullptr ? h.templates : 0);
        for (std::uint32_t k = at; k < at + (second != nullptr ? h.pair_templates : h.templates);
             ++k)
            steps.push_back(tables_.step(k));
        if (!o.special) {
            steps.clear();
            for (std::uint32_t k = 0; k < 2; ++k)
                steps.push_back({step_kind::part_sequence, 0, k, k, 0, 0});
        }
        std::size_t added = 0;
        for (const step_record& r : steps) added += r.kind == step_kind::part_special ? 1 : 0;
        if (o.special && o.truncates && h.truncate_to != 0) {
            KOMPAKT_TRY(truncate_pair(parts, second != nullptr,
                                      h.truncate_to > added ? h.truncate_to - added : 0));
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
        const encoded_text* b = second != nullptr ? &parts[1] : nullptr;
        out = compose(&parts[0], b);
        for (const encoded_text& x : parts[0].overflowing)
            out.overflowing.push_back(compose(&x, b));
        if (b != nullptr) {
            for (const encoded_text& x : parts[1].overflowing) {
                out.overflowing.push_back(compose(&parts[0], &x));
                for (const encoded_text& y : parts[0].overflowing)
                    out.overflowing.push_back(compose(&y, &x));
            }
        }
        if (o.special && o.pads && (h.pad_flags & 1) != 0) {
            std::size_t length = h.pad_to != none ? h.pad_to : out.ids.size();
            pad(out, multiple(length));
            for (encoded_text& x : out.overflowing) pad(x, multiple(length));
        }
        return {};
    }
    status truncate_pair(encoded_text (&parts)[2], bool pair, std::size_t length) const {
        const ktok_header& h = tables_.header();
        const bool left = (h.truncate_flags & 1) != 0;
        const std::uint32_t strategy = h.truncate_flags >> 1 & 3;
        const std::size_t stride = h.truncate_flags >> 4;
        std::size_t n1 = parts[0].ids.size(), n2 = pair ? parts[1].ids.size() : 0;
        if (length == 0) {
            KOMPAKT_TRY(truncate(parts[0], 0, stride, left));
            return pair ? truncate(parts[1], 0, stride, left) : status();
        }
        if (n1 + n2 <= length) return {};
        const std::size_t remove = n1 + n2 - length;
        if (strategy == 0) {
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
        if (strategy == 2 && !pair)
            return fail(errc::bad_argument, "truncation: only the second text, and there is none");
        encoded_text& target = parts[strategy - 1];
        if (target.ids.size() <= remove)
            return fail(errc::bad_argument, "truncation: a text of ", target.ids.size(),
                        " tokens is too short to remove ", remove);
        return truncate(target, target.ids.size() - remove, stride, left);
    }
    std::size_t multiple(std::size_t n) const {
        const std::size_t m = tables_.header().pad_multiple;
        return m > 0 && n % m != 0 ? n + m - n % m : n;
    }
    void pad(encoded_text& e, std::size_t length) const {
        const ktok_header& h = tables_.header();
        if (e.ids.size() >= length) return;
        const std::size_t n = length - e.ids.size();
        encoded_text p;
        p.ids.assign(n, h.pad_id);
        p.type_ids.assign(n, h.pad_flags >> 4);
        p.offsets.assign(n, {0, 0});
        p.special.assign(n, 1);
        p.attention.assign(n, 0);
        if ((h.pad_flags & 2) != 0) {
            std::vector<encoded_text> kept = std::move(e.overflowing);
            join(p, e);
            e = std::move(p);
            e.overflowing = std::move(kept);
        } else {
            join(e, p);
        }
    }
    void pad_batch(std::vector<std::vector<std::uint32_t>>& out) const {
        const ktok_header& h = tables_.header();
        if ((h.pad_flags & 1) == 0) return;
        std::size_t length = h.pad_to != none ? h.pad_to : 0;
        if (h.pad_to == none) {
            for (const auto& v : out) length = (std::max)(length, v.size());
        }
        length = multiple(length);
        for (auto& v : out) {
            if (v.size() >= length) continue;
            v.insert((h.pad_flags & 2) != 0 ? v.begin() : v.end(), length - v.size(), h.pad_id);
        }
    }

    std::shared_ptr<const std::vector<std::byte>> bytes_;
    tables tables_;
    std::shared_ptr<pool> pool_;
};

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

inline result<tokenizer> read_tokenizer_bytes(bytes_view bytes, const read_options& o = {},
                                              const build_options& b = {}) {
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
