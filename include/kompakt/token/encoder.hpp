// Text to token ids, from the bytes of a .ktok, in memory of the caller's: no allocation, no
// recursion beyond the number of pre-tokenizers.
//
//     token::tables t;
//     if (const status s = token::tables::open(bytes, t); !s.ok()) …
//     token::encoder e(t, memory);            // memory: e.memory_bytes(t) bytes or more
//     std::size_t n = 0;
//     if (const status s = e.encode(text, ids, n); !s.ok()) …
//
// The parameter `Parts` (parts.hpp) says what a program contains.
#pragma once

#include <kompakt/token/bpe.hpp>
#include <kompakt/token/normalizers.hpp>
#include <kompakt/token/unigram.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// Which added tokens are found in the text.
enum class added_tokens : std::uint8_t {
    all,     // what the tokenizer declares
    regular, // not the special ones, whose text is tokenized as any other
    off,
};

// A word and its ids, for words that come again: up to 60 bytes and 16 ids. Words of up to 28 bytes
// and 8 ids, which are nearly all, touch one cache line only.
struct alignas(64) cached_word {
    std::uint64_t key[3];
    std::uint32_t key_end; // the last 4 of 28 bytes
    std::uint8_t bytes, count, unused[2];
    std::uint32_t ids[8];
    std::uint64_t long_key[4];
    float margin; // sentencepiece's unigram: see `replay`
    std::uint32_t long_ids[7];
};
static_assert(sizeof(cached_word) == 128);

namespace detail {

constexpr bool is_word_character(char32_t c) noexcept { // \w
    if (c < 0x80)
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
               (c >= 'a' && c <= 'z');
    const general_category g = category_of(c);
    return is_letter(c) || is_mark(c) || g == general_category::decimal_number ||
           g == general_category::letter_number || g == general_category::connector_punctuation ||
           c == 0x200c || c == 0x200d || (c >= 0x24b6 && c <= 0x24e9) ||
           (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
           (c >= 0x1f170 && c <= 0x1f189);
}
inline char32_t character_before(const char* first, const char* p) noexcept {
    const char* q = p - 1;
    while (q != first && is_continuation_byte(*q)) --q;
    return decode_utf8(q, p).code_point;
}

// Finds the added tokens of one trie.
class added_finder {
  public:
    added_finder() = default;
    explicit added_finder(bytes_view trie) noexcept : trie_(trie) {
        std::uint32_t firsts = 0;
        for (std::uint32_t b = 0; b < 256 && !trie_.empty(); ++b) {
            trie_view::cursor c = trie_.start();
            if (!c.next(static_cast<char>(b))) continue;
            first_[b >> 5] |= 1u << (b & 31);
            only_ = static_cast<std::uint8_t>(b);
            ++firsts;
        }
        single_ = firsts == 1;
    }
    bool empty() const noexcept { return trie_.empty(); }
    // The leftmost, of these the longest token at or behind `from`; its record's number, or none.
    std::uint32_t next(const char* data, std::size_t size, std::size_t from, std::size_t& begin,
                       std::size_t& end) const noexcept {
        while (from < size) {
            if (single_) {
                const void* hit = std::memchr(data + from, only_, size - from);
                if (hit == nullptr) return none;
                from = static_cast<std::size_t>(static_cast<const char*>(hit) - data);
            } else {
                while (from < size) {
                    const auto b = static_cast<std::uint8_t>(data[from]);
                    if ((first_[b >> 5] >> (b & 31) & 1) != 0) break;
                    ++from;
                }
                if (from == size) return none;
            }
            std::size_t length = 0;
            const std::uint32_t found = trie_.longest(data + from, size - from, length);
            if (found != none) {
                begin = from;
                end = from + length;
                return found;
            }
            ++from;
        }
        return none;
    }

  private:
    trie_view trie_;
    std::uint32_t first_[8] = {};
    std::uint8_t only_ = 0;
    bool single_ = false;
};

} // namespace detail

template <std::uint32_t Parts = all_parts>
class basic_encoder {
  public:
    struct options {
        added_tokens added = added_tokens::all;
    };

    // Memory for texts of up to `text_bytes`: what the normalized text needs is an estimate (three
    // times the text and a kilobyte, and as much for text that is not UTF-8); with less, encode
    // fails and says so. `offsets`: encode will be asked for them.
    static std::size_t memory_bytes(const tables& t, std::size_t text_bytes,
                                    bool offsets) noexcept {
        std::size_t n = window_bytes(t, false) + 64;
        const bool rewrites = t.header().normalizers != 0 || has_rewriting_step(t);
        if (rewrites || offsets) n += 3 * text_bytes + 1024;
        if (offsets) n += 8 * (3 * text_bytes + 1024);
        return n;
    }
    // The same for programs that have memory: long words go faster.
    static std::size_t generous_memory_bytes(const tables& t, std::size_t text_bytes,
                                             bool offsets) noexcept {
        return memory_bytes(t, text_bytes, offsets) - window_bytes(t, false) +
               window_bytes(t, true);
    }

    basic_encoder() = default;
    // The memory and the cache stay the caller's and must outlive the encoder. A cache is optional
    // and makes natural text several times faster; its content is cleared.
    basic_encoder(const tables& t, bytes_span memory, const span<cached_word>& cache = {}) noexcept
        : t_(t), cache_(cache), bpe_(t), unigram_(t), added_(t.get(section::added_trie)),
          added_normalized_(t.get(section::added_trie_normalized)), words_(t.get(section::trie)) {
        is_float_unigram_ = t.header().model == model_kind::unigram && t.flag(flag_sentencepiece);
        bool maps = false;
        for (std::uint32_t k = 0; k < t.header().normalizers; ++k) {
            const step_record s = t.step(k);
            if (s.kind == step_kind::precompiled || s.kind == step_kind::sentencepiece) {
                const ascii_set one = charsmap_view(t.blob(s.a, s.a_bytes)).kept();
                for (int i = 0; i < 4; ++i)
                    kept_.bits[i] = maps ? kept_.bits[i] & one.bits[i] : one.bits[i];
                maps = true;
            }
        }
        if (is_float_unigram_) span_of_scores_ = unigram_.largest_score();
        while ((std::size_t{2} << cache_bits_) <= cache.size()) ++cache_bits_;
        if (cache.size() < 2 || !t.flag(flag_word_cache)) cache_ = {};
        for (cached_word& w : cache_) w.bytes = 0;
        set_memory(memory);
        first_pre_ = t.header().normalizers;
        end_pre_ = first_pre_ + t.header().pre_tokenizers;
        if constexpr ((Parts & part_regex) != 0) {
            for (std::uint32_t k = first_pre_; k < end_pre_; ++k) {
                const step_record s = t.step(k);
                if (s.kind != step_kind::split_regex) continue;
                if (k - first_pre_ >= regex_limit) {
                    state_ =
                        fail(errc::limit, "tokenizer: a regular expression behind pre-tokenizer ",
                             regex_limit);
                    return;
                }
                state_ = regex_view::check(t.blob(s.a, s.a_bytes));
                if (!state_.ok()) return;
                regexes_[k - first_pre_] = regex_view(t.blob(s.a, s.a_bytes));
            }
        }
    }
    // Whether the tokenizer can be used at all; encode says the same.
    const status& state() const noexcept { return state_; }
    void set_memory(bytes_span memory) noexcept { memory_ = memory; }
    const tables& table() const noexcept { return t_; }

    // Writes the ids of `text`, without what templates add. `offsets`, when it is not empty, must
    // be as long as `ids`, and gets the bytes of `text` that each token stands for.
    status encode(text_view text, span<std::uint32_t> ids, std::size_t& count,
                  span<origin> offsets = {}, const options& o = {}) noexcept {
        count = 0;
        if (!state_.ok()) return state_;
        if (text.size() > 0xfffffff0u) {
            return fail(errc::limit, "text: ", text.size(), " bytes, the limit is 4294967280");
        }
        ids_ = ids;
        offsets_ = offsets;
        n_ = 0;
        full_ = short_ = false;
        options_ = o;
        unknown_before_ = false;
        if constexpr ((Parts & part_offsets) == 0) {
            if (!offsets.empty()) return fail(errc::bad_argument, "offsets: this encoder has none");
        }
        if (!offsets.empty() && offsets.size() < ids.size()) {
            return fail(errc::bad_argument, "offsets: needs room for ", ids.size(), ", has ",
                        offsets.size());
        }
        if (status s = take_memory(!offsets.empty()); !s.ok()) return s;
        sum_ = 0;
        piece_view whole{text.data(), text.size(), nullptr};
        trims_ = !offsets.empty() && trim_step(trim_prefix_);
        if (t_.flag(flag_lossy_text) && !is_valid_utf8(text)) {
            const piece_view source = stage_.original(text, 0);
            stage_.start(source);
            repair(source);
            whole = stage_.finish();
        } else if (!offsets.empty()) {
            whole = stage_.original(text, 0);
        }
        if (stage_.ok()) raw_segments(whole);
        count = n_;
        if (full_) {
            return fail(errc::bad_arena, "ids: room for ", ids.size(), " is not enough");
        }
        if (short_ || !stage_.ok()) {
            return fail(errc::bad_arena, "tokenizer: ", memory_.size(),
                        " bytes of memory are not enough for a text of ", text.size(), " bytes");
        }
        return {};
    }
    // What the normalizers make of `text`; it stays until the next call.
    status normalize(text_view text, text_view& out) noexcept {
        static_assert((Parts & part_steps) != 0);
        if (!state_.ok()) return state_;
        offsets_ = {};
        full_ = short_ = false;
        if (status s = take_memory(false); !s.ok()) return s;
        const piece_view p = normalized({text.data(), text.size(), nullptr}, stage_.here());
        if (!stage_.ok()) {
            return fail(errc::bad_arena, "tokenizer: ", memory_.size(),
                        " bytes of memory are not enough for a text of ", text.size(), " bytes");
        }
        out = {p.data, p.size};
        return {};
    }
    // Whether the last failure was for memory, and not for ids.
    bool memory_was_short() const noexcept { return short_ || !stage_.ok(); }
    bool ids_were_short() const noexcept { return full_; }

  private:
    static constexpr std::uint32_t regex_limit = (Parts & part_steps) != 0 ? 8 : 1;
    static constexpr std::size_t regex_batch = (Parts & part_heap) != 0 ? 16 : 4; // on the stack

    static bool has_rewriting_step(const tables& t) noexcept {
        for (std::uint32_t k = t.header().normalizers;
             k < t.header().normalizers + t.header().pre_tokenizers; ++k) {
            const step_kind s = t.step(k).kind;
            if (s == step_kind::metaspace || s == step_kind::prefix_space ||
                s == step_kind::byte_map)
                return true;
        }
        return false;
    }
    static std::size_t window_bytes(const tables& t, bool generous) noexcept {
        if (t.header().model == model_kind::bpe) {
            // Two tokens side by side must fit.
            std::size_t least = std::size_t{t.header().max_symbols} * 2 + 32;
            if (least < 64) least = 64;
            if (generous && least < 2048) least = 2048;
            return least * (generous ? bpe_window::heap_bytes : bpe_window::scan_bytes);
        }
        if (t.header().model == model_kind::unigram) {
            return unigram::window_bytes(t.header().longest_piece, generous ? 8192 : 0);
        }
        return 0;
    }

    // Lays the window and the text out in the memory.
    status take_memory(bool offsets) noexcept {
        std::byte* p = memory_.data();
        std::size_t size = memory_.size();
        const std::size_t skew = reinterpret_cast<std::uintptr_t>(p) % 8;
        if (skew != 0) {
            if (size < 8)
                size = 0;
            else {
                p += 8 - skew;
                size -= 8 - skew;
            }
        }
        const std::size_t generous = window_bytes(t_, true);
        const bool is_generous = size >= generous + 4096 && (Parts & part_heap) != 0;
        const std::size_t least = is_generous ? generous : window_bytes(t_, false);
        std::size_t window = least;
        if (window > size) window = size / 8 * 8;
        if (t_.header().model == model_kind::bpe) {
            const std::size_t each = is_generous ? bpe_window::heap_bytes : bpe_window::scan_bytes;
            const auto n = static_cast<std::uint32_t>(window / each) & ~1u;
            if (n < 4)
                return fail(errc::bad_arena, "tokenizer: needs ", least, " bytes of memory, has ",
                            memory_.size());
            window_.size = n;
            std::byte* q = p;
            if (is_generous) {
                window_.heap = reinterpret_cast<std::uint64_t*>(q);
                q += std::size_t{n} * 16;
                window_.previous = reinterpret_cast<std::uint32_t*>(q);
                window_.next = window_.previous + n;
                q += std::size_t{n} * 8;
            } else {
                window_.heap = nullptr;
            }
            window_.symbol = reinterpret_cast<std::uint32_t*>(q);
            window_.at = window_.symbol + n;
            window_.candidate = window_.at + n;
        } else if (t_.header().model == model_kind::unigram) {
            // Half of what there is beyond the least: the longer the text, the more may stay open.
            if (size > 2 * window) window = size / 16 * 8;
            const std::uint32_t ring = unigram::ring_of(t_.header().longest_piece);
            if (window < unigram::window_bytes(t_.header().longest_piece, 0)) {
                return fail(errc::bad_arena, "tokenizer: needs ", least, " bytes of memory, has ",
                            memory_.size());
            }
            nodes_.best = reinterpret_cast<double*>(p);
            nodes_.ring = ring;
            nodes_.back = reinterpret_cast<std::uint32_t*>(p + ring * sizeof(double));
            const std::size_t positions = (window - ring * sizeof(double)) / 4;
            nodes_.size =
                positions < 0xffffffffu ? static_cast<std::uint32_t>(positions) : 0xffffffffu;
        }
        window = (window + 7) / 8 * 8;
        if (window > size) window = size;
        stage_ = text_stage(p + window, size - window, offsets);
        return {};
    }

    void emit(std::uint32_t id, const origin& o, std::uint32_t leading,
              std::uint32_t trailing) noexcept {
        if (n_ == ids_.size()) {
            full_ = true;
            return;
        }
        if constexpr ((Parts & part_offsets) != 0) {
            if (!offsets_.empty()) {
                origin r = o;
                if (trims_) {
                    // A single leading space that the prefix added was not in the text.
                    if (leading == 1 && trim_prefix_ && (n_ == 0 || r.begin == 0)) leading = 0;
                    r.begin = r.begin + leading < r.end ? r.begin + leading : r.end;
                    if (trailing != 0 && r.end >= trailing) {
                        r.end = r.end - trailing > r.begin ? r.end - trailing : r.begin;
                    }
                }
                offsets_.data()[n_] = r;
            }
        }
        ids_.data()[n_++] = id;
    }
    // A token that stands for bytes [begin, end) of w.
    void emit(std::uint32_t id, const piece_view& w, std::size_t begin, std::size_t end) noexcept {
        unknown_before_ = false;
        if constexpr ((Parts & part_offsets) != 0) {
            if (w.origins != nullptr && !offsets_.empty()) {
                origin o{0, 0};
                std::uint32_t leading = 0, trailing = 0;
                if (begin < end && end <= w.size) {
                    o = {w.origin_of(begin).begin, w.origin_of(end - 1).end};
                    if (trims_) {
                        while (begin + leading < end && w.data[begin + leading] == ' ') ++leading;
                        while (begin + trailing < end && w.data[end - 1 - trailing] == ' ')
                            ++trailing;
                    }
                }
                emit(id, o, leading, trailing);
                return;
            }
        }
        if (n_ == ids_.size()) {
            full_ = true;
            return;
        }
        ids_.data()[n_++] = id;
    }
    bool stop() const noexcept { return full_ || short_ || !stage_.ok(); }

    // Text that no token stands for.
    void emit_unknown(const piece_view& w, std::size_t begin, std::size_t end) noexcept {
        const std::uint32_t unknown = t_.header().unknown;
        if constexpr ((Parts & part_sentencepiece) != 0) {
            if (t_.flag(flag_sentencepiece)) {
                if (t_.flag(flag_byte_fallback)) {
                    for (std::size_t i = begin; i < end; ++i) {
                        emit(t_.byte_id(static_cast<std::uint8_t>(w.data[i])), w, i, i + 1);
                    }
                    return;
                }
                // Consecutive unknown pieces are one.
                if (unknown_before_ && n_ != 0) {
                    if (!offsets_.empty() && w.origins != nullptr && begin < end) {
                        offsets_.data()[n_ - 1].end = w.origin_of(end - 1).end;
                    }
                    return;
                }
                emit(unknown, w, begin, end);
                unknown_before_ = true;
                return;
            }
        }
        if (unknown != none) emit(unknown, w, begin, end);
    }

    void repair(const piece_view& in) noexcept {
        const char* const last = in.data + in.size;
        for (const char* p = in.data; p != last;) {
            const std::size_t good = valid_utf8_prefix({p, static_cast<std::size_t>(last - p)});
            const auto at = static_cast<std::size_t>(p - in.data);
            if (good != 0) stage_.put(p, good, at, at + good);
            p += good;
            if (p == last) break;
            const utf8_character d = decode_utf8(p, last);
            const std::size_t bad = at + good;
            if (d.length == 3) {
                for (int i = 0; i < 3; ++i) stage_.put(&"\xef\xbf\xbd"[i], 1, bad, bad + 3);
            } else {
                stage_.put("\xef\xbf\xbd", 3, bad, bad + d.length);
            }
            p += d.length;
        }
    }

    // Splits at added tokens; what is between them goes to `between(part, starts_at_zero)`.
    template <class Between>
    void split_added(const detail::added_finder& finder, const piece_view& in, bool at_zero,
                     Between&& between) noexcept {
        if constexpr ((Parts & part_added) != 0) {
            if (!finder.empty() && options_.added != added_tokens::off) {
                const char* const last = in.data + in.size;
                std::size_t done = 0, from = 0, begin = 0, end = 0;
                while (!stop()) {
                    const std::uint32_t k = finder.next(in.data, in.size, from, begin, end);
                    if (k == none) break;
                    from = end;
                    const added_record a = t_.added(k);
                    if (a.id == none) continue;
                    if (options_.added == added_tokens::regular && (a.flags & added_special) != 0)
                        continue;
                    if constexpr ((Parts & part_categories) != 0) {
                        if ((a.flags & added_single_word) != 0 && !stands_alone(in, begin, end))
                            continue;
                    }
                    if ((a.flags & added_lstrip) != 0) {
                        while (begin > done) {
                            const char* q = in.data + begin - 1;
                            while (q != in.data && is_continuation_byte(*q)) --q;
                            if (!is_white_space(decode_utf8(q, last).code_point)) break;
                            begin = static_cast<std::size_t>(q - in.data);
                        }
                        if (begin < done) begin = done;
                    }
                    if ((a.flags & added_rstrip) != 0) {
                        while (end != in.size) {
                            const utf8_character d = decode_utf8(in.data + end, last);
                            if (!is_white_space(d.code_point)) break;
                            end += d.length;
                        }
                    }
                    if (done < begin) between(in.part(done, begin), at_zero && done == 0);
                    emit_added(a.id, in, begin, end);
                    done = end;
                }
                if (done < in.size) between(in.part(done, in.size), at_zero && done == 0);
                return;
            }
        }
        if (in.size != 0) between(in, at_zero);
    }
    static bool stands_alone(const piece_view& in, std::size_t begin, std::size_t end) noexcept {
        const char* const last = in.data + in.size;
        return !(begin != 0 &&
                 detail::is_word_character(detail::character_before(in.data, in.data + begin))) &&
               !(end != in.size &&
                 detail::is_word_character(decode_utf8(in.data + end, last).code_point));
    }
    void emit_added(std::uint32_t id, const piece_view& in, std::size_t begin,
                    std::size_t end) noexcept {
        unknown_before_ = false;
        origin o{0, 0};
        std::uint32_t leading = 0, trailing = 0;
        if constexpr ((Parts & part_offsets) != 0) {
            if (in.origins != nullptr && begin < end) {
                o = {in.origin_of(begin).begin, in.origin_of(end - 1).end};
                if (trims_) {
                    const char* p = in.data + begin;
                    const char* last = in.data + end;
                    for (; p != last; p += decode_utf8(p, last).length) {
                        if (!is_white_space(decode_utf8(p, last).code_point)) break;
                        ++leading;
                    }
                    while (last != p) {
                        const char* q = last - 1;
                        while (q != p && is_continuation_byte(*q)) --q;
                        if (!is_white_space(decode_utf8(q, last).code_point)) break;
                        last = q;
                        ++trailing;
                    }
                }
            }
        }
        emit(id, o, leading, trailing);
    }

    void raw_segments(const piece_view& whole) noexcept {
        split_added(added_, whole, true, [this](const piece_view& part, bool at_zero) {
            if constexpr ((Parts & part_steps) != 0) {
                if (t_.header().normalizers != 0) {
                    const text_stage::mark m = stage_.here();
                    normalized_segments(normalized(part, m), at_zero);
                    stage_.release(m);
                    return;
                }
            }
            normalized_segments(part, at_zero);
        });
    }
    // BERT's steps in one pass over what is ASCII, which they treat byte by byte; the rest in
    // stretches, since no step looks over their borders.
    piece_view fused_bert(const step_record& s, const piece_view& in) noexcept {
        const char* p = in.data;
        const char* const last = p + in.size;
        const bool clean = (s.flags & step_clean) != 0, lower = (s.flags & step_lower) != 0;
        std::size_t total = 0;
        while (p != last && stage_.ok()) {
            const char* const q = skip_ascii(p, last);
            if (q != p) {
                stage_.start();
                char* out = stage_.reserve(static_cast<std::size_t>(q - p));
                if (out == nullptr) break;
                std::size_t n = 0;
                for (; p != q; ++p) {
                    const char c = *p;
                    if (clean && (c < 0x20 || c == 0x7f)) {
                        if (c == '\t' || c == '\n' || c == '\r') out[n++] = ' ';
                        continue;
                    }
                    out[n++] = static_cast<char>(c + (lower && c >= 'A' && c <= 'Z' ? 32 : 0));
                }
                stage_.commit(n);
                total += stage_.finish().size;
            }
            const char* r = p;
            while (r != last && static_cast<std::uint8_t>(*r) >= 0x80) ++r;
            if (r == p) continue;
            const text_stage::mark m = stage_.here();
            piece_view part{p, static_cast<std::size_t>(r - p), nullptr};
            for (int pass = 0; pass < 5 && stage_.ok(); ++pass) {
                static constexpr std::uint32_t bits[] = {step_clean, step_chinese, step_accents,
                                                         step_accents, step_lower};
                if ((s.flags & bits[pass]) == 0) continue;
                stage_.start(part);
                run_normalizer<Parts>(t_, s, part, stage_, pass);
                part = stage_.finish_over(m);
            }
            if (part.data == p) { // no step at all
                stage_.start(part);
                stage_.put(p, part.size, 0, part.size);
                part = stage_.finish_over(m);
            }
            total += part.size;
            p = r;
        }
        stage_.start();
        return {stage_.written() - total, stage_.ok() ? total : 0, nullptr};
    }
    piece_view normalized(const piece_view& in, const text_stage::mark& m) noexcept {
        piece_view p = in;
        if constexpr ((Parts & part_bert) != 0) {
            const step_record s = t_.step(0);
            if (t_.header().normalizers == 1 && s.kind == step_kind::bert && offsets_.empty()) {
                return fused_bert(s, in);
            }
        }
        const auto run = [&](const step_record& s, int pass) {
            stage_.start(p);
            run_normalizer<Parts>(t_, s, p, stage_, pass, kept_);
            p = stage_.finish_over(m);
        };
        for (std::uint32_t k = 0; k < t_.header().normalizers && stage_.ok(); ++k) {
            const step_record s = t_.step(k);
            if (s.kind != step_kind::bert) {
                run(s, 0);
                continue;
            }
            if ((s.flags & step_clean) != 0) run(s, 0);
            if ((s.flags & step_chinese) != 0) run(s, 1);
            if ((s.flags & step_accents) != 0) {
                run(s, 2);
                run(s, 3);
            }
            if ((s.flags & step_lower) != 0) run(s, 4);
        }
        return p;
    }
    void normalized_segments(const piece_view& p, bool at_zero) noexcept {
        if (!stage_.ok()) return;
        // How far behind a word memory may be read: to the end of the text or of the workspace.
        const auto* const first = reinterpret_cast<const char*>(memory_.data());
        const char* const last = first + memory_.size();
        const bool own = !(p.data < first) && p.data < last;
        readable_end_ = own ? last : p.data + p.size;
        split_added(added_normalized_, p, at_zero, [this](const piece_view& part, bool zero) {
            pre_tokenize(first_pre_, part, zero);
        });
    }

    // Splits at matches as `how` says. `next(from, begin, end)` finds the next match.
    template <class Next, class Out>
    void split(const piece_view& in, std::uint32_t how, Next&& next, Out&& out) noexcept {
        const auto what = static_cast<behavior>(how & step_behavior);
        const bool invert = (how & step_invert) != 0;
        // A stretch that waits for the one behind it.
        std::size_t held_begin = 0, held_end = 0;
        bool holds = false, held_match = false, before = false;
        const auto flush = [&] {
            if (holds && held_begin < held_end) out(held_begin, held_end);
            holds = false;
        };
        const auto stretch = [&](std::size_t b, std::size_t e, bool match) {
            match = match != invert;
            switch (what) {
            case behavior::removed:
                if (!match && b < e) out(b, e);
                return;
            case behavior::isolated:
                if (b < e) out(b, e);
                return;
            case behavior::contiguous:
                if (holds && held_match == match) {
                    held_end = e;
                    return;
                }
                break;
            case behavior::merged_with_previous:
                if (holds && match && !before) {
                    held_end = e;
                    before = match;
                    return;
                }
                break;
            case behavior::merged_with_next:
                if (holds && held_match && !match) {
                    held_end = e;
                    held_match = false;
                    flush();
                    return;
                }
                break;
            }
            flush();
            holds = true;
            held_begin = b;
            held_end = e;
            held_match = before = match;
        };
        std::size_t from = 0, b = 0, e = 0;
        while (!stop() && next(from, b, e)) {
            if (from < b) stretch(from, b, false);
            stretch(b, e, true);
            from = e;
        }
        if (from < in.size) stretch(from, in.size, false);
        flush();
    }
    template <class Is, class Out>
    void split_characters(const piece_view& in, std::uint32_t how, Is&& is, Out&& out) noexcept {
        const char* const last = in.data + in.size;
        split(
            in, how,
            [&](std::size_t from, std::size_t& b, std::size_t& e) {
                for (const char* p = in.data + from; p != last;) {
                    const utf8_character d = decode_utf8(p, last);
                    if (is(d.code_point)) {
                        b = static_cast<std::size_t>(p - in.data);
                        e = b + d.length;
                        return true;
                    }
                    p += d.length;
                }
                return false;
            },
            out);
    }

    void pre_tokenize(std::uint32_t k, const piece_view& p, bool at_zero) noexcept {
        if (stop() || p.size == 0) return;
        if (k == end_pre_) {
            word(p);
            return;
        }
        const step_record s = t_.step(k);
        const auto out = [&](std::size_t b, std::size_t e) {
            pre_tokenize(k + 1, p.part(b, e), at_zero && b == 0);
        };
        if constexpr ((Parts & part_regex) != 0) {
            if (s.kind == step_kind::split_regex) {
                const regex_view& regex = regexes_[k - first_pre_];
                if (s.flags == static_cast<std::uint32_t>(behavior::isolated)) {
                    isolated(k, p, regex, at_zero);
                    return;
                }
                if constexpr ((Parts & part_steps) != 0) {
                    regex_cursor cursor;
                    split(
                        p, s.flags,
                        [&](std::size_t, std::size_t& b, std::size_t& e) {
                            regex_match m{};
                            if (!regex.find_next(p.text(), cursor, m)) return false;
                            b = m.begin;
                            e = m.end;
                            return true;
                        },
                        out);
                }
                return;
            }
        }
        if constexpr ((Parts & part_steps) != 0) rewriting_step(k, s, p, at_zero, out);
    }
    template <class Regex>
    void isolated(std::uint32_t k, const piece_view& p, const Regex& regex, bool at_zero) noexcept {
        std::size_t from = 0;
        const bool last_step = k + 1 == end_pre_;
        regex_cursor cursor;
        regex_match found[regex_batch];
        for (;;) {
            const std::size_t count = regex.find_many(p.text(), cursor, found);
            if (count == 0) break;
            for (std::size_t i = 0; i < count && !stop(); ++i) {
                const regex_match& m = found[i];
                if (from < m.begin)
                    pre_tokenize(k + 1, p.part(from, m.begin), at_zero && from == 0);
                from = m.end;
                if (m.begin == m.end) continue;
                if (last_step) {
                    word(p.part(m.begin, m.end));
                } else {
                    pre_tokenize(k + 1, p.part(m.begin, m.end), at_zero && m.begin == 0);
                }
            }
            if (stop()) return;
        }
        if (from < p.size && !stop())
            pre_tokenize(k + 1, p.part(from, p.size), at_zero && from == 0);
    }
    template <class Out>
    void rewriting_step(std::uint32_t k, const step_record& s, const piece_view& p, bool at_zero,
                        Out&& out) noexcept {
        switch (s.kind) {
        case step_kind::split_text: {
            const text_view what = t_.text(s.a, s.a_bytes);
            split(
                p, s.flags,
                [&](std::size_t from, std::size_t& b, std::size_t& e) {
                    const char* hit = detail::search(p.data + from, p.data + p.size, what);
                    b = static_cast<std::size_t>(hit - p.data);
                    e = b + what.size();
                    return b < p.size;
                },
                out);
            return;
        }
        case step_kind::split_whitespace:
            if constexpr ((Parts & part_classes) != 0) {
                split_characters(
                    p, s.flags, [](char32_t c) { return is_white_space(c); }, out);
            }
            return;
        case step_kind::split_punctuation:
            if constexpr ((Parts & part_classes) != 0) {
                split_characters(
                    p, s.flags, [](char32_t c) { return is_bert_punctuation(c); }, out);
            }
            return;
        case step_kind::split_digits:
            if constexpr ((Parts & part_categories) != 0) {
                split_characters(
                    p, s.flags,
                    [](char32_t c) { return c < 0x80 ? c >= '0' && c <= '9' : is_number(c); }, out);
            }
            return;
        case step_kind::split_char:
            split_characters(
                p, s.flags, [&](char32_t c) { return c == s.a; }, out);
            return;
        case step_kind::fixed_length: {
            const char* const last = p.data + p.size;
            for (const char* q = p.data; q != last;) {
                const char* r = q;
                for (std::uint32_t i = 0; i < s.a && r != last; ++i)
                    r += decode_utf8(r, last).length;
                if (r == q) return;
                out(static_cast<std::size_t>(q - p.data), static_cast<std::size_t>(r - p.data));
                q = r;
            }
            return;
        }
        case step_kind::metaspace:
            metaspace(k, s, p, at_zero);
            return;
        case step_kind::prefix_space:
            if (p.data[0] == ' ') {
                pre_tokenize(k + 1, p, at_zero);
                return;
            }
            rewrite(k, p, at_zero, [&] { detail::prepend(p, stage_, {" ", 1}); });
            return;
        case step_kind::byte_map:
            rewrite(k, p, at_zero, [&] { detail::map_bytes(p, stage_); });
            return;
        default:
            pre_tokenize(k + 1, p, at_zero);
            return;
        }
    }
    template <class Write>
    void rewrite(std::uint32_t k, const piece_view& p, bool at_zero, Write&& write) noexcept {
        const text_stage::mark m = stage_.here();
        stage_.start(p);
        write();
        const piece_view q = stage_.finish();
        const char* const readable = readable_end_;
        readable_end_ = reinterpret_cast<const char*>(memory_.data()) + memory_.size();
        if (stage_.ok()) pre_tokenize(k + 1, q, at_zero);
        readable_end_ = readable;
        stage_.release(m);
    }
    void metaspace(std::uint32_t k, const step_record& s, const piece_view& p,
                   bool at_zero) noexcept {
        const text_view sign = t_.text(s.a, s.a_bytes);
        if (sign.empty()) return;
        const text_stage::mark m = stage_.here();
        stage_.start(p);
        const bool starts = p.data[0] == ' ' || detail::equal(p.data, p.data + p.size, sign);
        const bool prepends = !starts && ((s.flags & step_prepend_always) != 0 ||
                                          ((s.flags & step_prepend_first) != 0 && at_zero));
        std::size_t from = 0;
        if (prepends) {
            const std::uint32_t n = decode_utf8(p.data, p.data + p.size).length;
            for (std::size_t i = 0; i < sign.size(); ++i) stage_.put(sign.data() + i, 1, 0, 1);
            stage_.put(p.data, n, 0, n);
            from = n;
        }
        while (from < p.size) {
            const void* hit = std::memchr(p.data + from, ' ', p.size - from);
            const std::size_t to =
                hit != nullptr ? static_cast<std::size_t>(static_cast<const char*>(hit) - p.data)
                               : p.size;
            if (from != to) stage_.put(p.data + from, to - from, from, to);
            if (to == p.size) break;
            stage_.put(sign.data(), sign.size(), to, to + 1);
            from = to + 1;
        }
        const piece_view q = stage_.finish();
        const char* const readable = readable_end_;
        readable_end_ = reinterpret_cast<const char*>(memory_.data()) + memory_.size();
        if (stage_.ok()) {
            if ((s.flags & step_split) == 0) {
                pre_tokenize(k + 1, q, at_zero);
            } else {
                split(
                    q, static_cast<std::uint32_t>(behavior::merged_with_next),
                    [&](std::size_t f, std::size_t& b, std::size_t& e) {
                        const char* hit = detail::search(q.data + f, q.data + q.size, sign);
                        b = static_cast<std::size_t>(hit - q.data);
                        e = b + sign.size();
                        return b < q.size;
                    },
                    [&](std::size_t b, std::size_t e) {
                        pre_tokenize(k + 1, q.part(b, e), at_zero && b == 0);
                    });
            }
        }
        readable_end_ = readable;
        stage_.release(m);
    }

    // One word, or all of the text where nothing splits it.
    void word(const piece_view& w) noexcept {
        if (!t_.flag(flag_cut_spaces)) {
            single_word(w);
            return;
        }
        // No token reaches over a space sign from the left, nor over two ASCII characters that no
        // token has side by side: what starts there is a word.
        const std::byte* const rows = t_.has(section::cuts) ? t_.data(section::cuts) : nullptr;
        std::size_t from = 0;
        for (std::size_t i = 1; i < w.size; ++i) {
            const auto a = static_cast<std::uint8_t>(w.data[i - 1]);
            const auto b = static_cast<std::uint8_t>(w.data[i]);
            bool cuts = false;
            if (b < 0x80) {
                cuts = a < 0x80 && rows != nullptr &&
                       (static_cast<unsigned>(rows[a * 16u + b / 8]) >> b % 8 & 1) == 0;
            } else if (b == 0xe2) {
                cuts = w.size - i >= 3 && w.data[i + 1] == '\x96' && w.data[i + 2] == '\x81' &&
                       !(i - from >= 3 && std::memcmp(w.data + i - 3, "\xe2\x96\x81", 3) == 0);
            }
            if (!cuts) continue;
            single_word(w.part(from, i));
            if (stop()) return;
            from = i;
        }
        if (from < w.size) single_word(w.part(from, w.size));
    }

    void single_word(const piece_view& w) noexcept {
        if (!cache_.empty() && offsets_.empty() && w.size <= longest_cached) {
            cached(w);
            return;
        }
        tokenize(w);
    }
    static constexpr std::size_t longest_cached = 60, short_cached = 28;
    static constexpr std::size_t most_ids = 15, short_ids = 8;

    struct word_key {
        std::uint64_t k[8];
    };
    // The bytes of a word, then zeros.
    static void load_key(const piece_view& w, const char* readable_end, word_key& key) noexcept {
#if !KOMPAKT_BIG_ENDIAN
        if (w.size <= 32 && readable_end - w.data >= 32) {
            std::memcpy(key.k, w.data, 32);
            for (std::size_t i = 0; i < 4; ++i) {
                const std::size_t n = w.size > 8 * i ? w.size - 8 * i : 0;
                if (n < 8) key.k[i] &= (std::uint64_t{1} << 8 * n) - 1;
            }
            if (w.size > short_cached) key.k[4] = key.k[5] = key.k[6] = key.k[7] = 0;
            return;
        }
#else
        static_cast<void>(readable_end);
#endif
        for (std::uint64_t& x : key.k) x = 0;
        std::memcpy(key.k, w.data, w.size);
    }
    static bool same_key(const cached_word& c, const word_key& key, std::size_t n) noexcept {
        std::uint32_t end;
        std::memcpy(&end, &key.k[3], 4);
        if (((c.key[0] ^ key.k[0]) | (c.key[1] ^ key.k[1]) | (c.key[2] ^ key.k[2]) |
             (c.key_end ^ end)) != 0 ||
            c.bytes != n) {
            return false;
        }
        return n <= short_cached ||
               std::memcmp(c.long_key, reinterpret_cast<const char*>(key.k) + short_cached, 32) ==
                   0;
    }
    void cached(const piece_view& w) noexcept {
        word_key key;
        load_key(w, readable_end_, key);
        std::uint64_t h = (key.k[0] ^ w.size) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 32 ^ key.k[1]) * 0xc2b2ae3d27d4eb4fu;
        h ^= h >> 32;
        if (w.size > 16) {
            h = (h ^ key.k[2] ^ key.k[3] << 7) * 0x165667b19e3779f9u;
            h ^= h >> 32;
            if (w.size > short_cached) {
                for (int i = 4; i < 8; ++i) h = (h ^ key.k[i]) * 0x9e3779b97f4a7c15u ^ h >> 29;
            }
        }
        h *= 0xd6e8feb86659fd93u;
        cached_word& c = cache_.data()[h >> (64 - cache_bits_ - 1) >> 1];
        if (same_key(c, key, w.size)) {
            if (ids_.size() - n_ >= 16 && replay(c)) {
                std::uint32_t* out = ids_.data() + n_;
                std::memcpy(out, c.ids, sizeof c.ids);
                if (c.count > short_ids)
                    std::memcpy(out + short_ids, c.long_ids, sizeof c.long_ids);
                n_ += c.count;
                unknown_before_ = false;
                return;
            }
            tokenize(w);
            return;
        }
        const std::size_t before = n_;
        const bool unknown_before = unknown_before_;
        tokenize(w);
        const std::size_t count = n_ - before;
        // Unknown pieces join over words, so these are not the word's own.
        if (stop() || count > most_ids || count == 0 || unknown_before_ || unknown_before) return;
        float margin = 0;
        if constexpr ((Parts & part_unigram) != 0 && (Parts & part_sentencepiece) != 0) {
            if (is_float_unigram_ && !margin_of(w, before, count, margin)) return;
        }
        std::memcpy(c.key, key.k, 24);
        std::memcpy(&c.key_end, &key.k[3], 4);
        if (w.size > short_cached)
            std::memcpy(c.long_key, reinterpret_cast<const char*>(key.k) + short_cached, 32);
        c.bytes = static_cast<std::uint8_t>(w.size);
        c.count = static_cast<std::uint8_t>(count);
        c.margin = margin;
        std::memcpy(c.ids, ids_.data() + before, (count < short_ids ? count : short_ids) * 4);
        if (count > short_ids)
            std::memcpy(c.long_ids, ids_.data() + before + short_ids, (count - short_ids) * 4);
    }

    // SentencePiece's sums are floats that run through the whole text, so what is best may depend
    // on rounding, and with it on all that came before. `margin` is by how much the best way
    // through a word beats every other in exact sums; each of the sums of both ways is rounded by
    // half a unit of the last place at most. While that cannot make up the margin, the word's ids
    // are the ones that a search would find, and the sum goes on over their scores as it would
    // there.
    bool replay(const cached_word& c) noexcept {
        if constexpr ((Parts & part_unigram) != 0 && (Parts & part_sentencepiece) != 0) {
            if (!is_float_unigram_) return true;
            const double size = (sum_ < 0 ? -sum_ : sum_) + span_of_scores_ * c.bytes;
            // 2^-24 of the size for each sum, on both ways; and once more for safety.
            if (!(size * (static_cast<double>(c.count) + c.bytes + 2) * (1.0 / 8388608.0) <
                  c.margin))
                return false;
            for (std::uint32_t i = 0; i < c.count; ++i) {
                const std::uint32_t id = i < short_ids ? c.ids[i] : c.long_ids[i - short_ids];
                sum_ = static_cast<double>(static_cast<float>(sum_ + unigram_.score(id)));
            }
        }
        return true;
    }
    bool margin_of(const piece_view& w, std::size_t first, std::size_t count,
                   float& margin) noexcept {
        std::size_t k = 0;
        bool same = true;
        const double m = unigram_.margin(w.text(), [&](std::uint32_t id) {
            // Unknown characters have a score of their own, and no share in this.
            same = same && id != t_.header().unknown && k < count &&
                   ids_.data()[first + count - 1 - k] == id;
            ++k;
        });
        margin = static_cast<float>(m);
        return same && k == count && m > 0;
    }

    void tokenize(const piece_view& w) noexcept {
        switch (t_.header().model) {
        case model_kind::bpe:
            if constexpr ((Parts & part_bpe) != 0) bpe_word(w);
            return;
        case model_kind::unigram:
            if constexpr ((Parts & part_unigram) != 0) unigram_word(w);
            return;
        case model_kind::wordpiece:
            if constexpr ((Parts & part_wordpiece) != 0) wordpiece_word(w);
            return;
        case model_kind::wordlevel:
            if constexpr ((Parts & part_wordpiece) != 0) {
                const std::uint32_t id = words_.find(w.data, w.size);
                if (id != none) {
                    emit(id, w, 0, w.size);
                } else {
                    emit_unknown(w, 0, w.size);
                }
            }
            return;
        }
    }

    void emit_symbol(std::uint32_t s, const piece_view& w, std::size_t begin,
                     std::size_t end) noexcept {
        if (bpe::is_byte(s)) {
            emit(t_.byte_id(static_cast<std::uint8_t>(s - bpe::symbol_byte)), w, begin, end);
            return;
        }
        const std::uint32_t id = s == symbol_unknown ? none : t_.id_of_symbol(s);
        if (id == none) {
            emit_unknown(w, begin, end);
        } else if (id >= expand_bit) {
            expand(s, w, begin, end, 0);
        } else {
            emit(id, w, begin, end);
        }
    }
    // A piece that is not to be used goes out as what it was joined from. The list: the number of
    // its symbols, then them.
    static constexpr std::uint32_t expand_bit = 0x80000000u;
    void expand(std::uint32_t s, const piece_view& w, std::size_t begin, std::size_t end,
                int) noexcept {
        const bytes_view ids = t_.get(section::symbol_ids);
        const std::size_t at = (t_.id_of_symbol(s) & ~expand_bit) * std::size_t{4};
        if (!inside(at, 4, ids.size())) return;
        const auto n = load_le<std::uint32_t>(ids.data() + at);
        if (!inside(at + 4, std::uint64_t{n} * 8, ids.size())) return;
        std::size_t p = begin;
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto id = load_le<std::uint32_t>(ids.data() + at + 4 + 8 * std::size_t{i});
            const auto bytes = load_le<std::uint32_t>(ids.data() + at + 8 + 8 * std::size_t{i});
            const std::size_t q = p + bytes < end ? p + bytes : end;
            if (id == none) {
                emit_unknown(w, p, q);
            } else {
                emit(id, w, p, q);
            }
            p = q;
        }
    }

    void bpe_word(const piece_view& w) noexcept {
        if (t_.flag(flag_whole_words)) {
            const std::uint32_t id = words_.find(w.data, w.size);
            if (id != none) {
                emit(id, w, 0, w.size);
                return;
            }
        }
        if (bpe_.has_byte_pairs() && w.size <= bpe::scan_limit && w.size <= window_.size &&
            bpe_.read_ranked(w.text(), window_)) {
            emit_window(bpe_.scan(t_, window_, static_cast<std::uint32_t>(w.size), true), w, 0,
                        w.size);
            return;
        }
        std::size_t from = 0, base = 0;
        std::uint32_t n = bpe_.read(t_, w.text(), from, w.size, window_);
        if (from >= w.size) {
            emit_window(bpe_.all(t_, window_, n), w, base, from);
            return;
        }
        // Windows. `accepted` is the start of the last token that was kept but not yet given out.
        std::size_t last_begin = 0;
        std::uint32_t last_symbol = none;
        for (;;) {
            n = bpe_.all(t_, window_, n);
            const bool final = from >= w.size;
            if (final) {
                if (last_symbol != none) emit_symbol(last_symbol, w, last_begin, base);
                emit_window(n, w, base, from);
                return;
            }
            // Keep tokens up to a border such that the next window agrees with it.
            std::uint32_t keep = n - 1 - (n / 8 < n - 1 ? n / 8 : 0);
            bool settled = false;
            while (keep != 0 && !settled) {
                const std::size_t border = base + window_.at[keep];
                settled = agrees(w, base, border, keep, from);
                if (!settled) keep = keep > 8 ? keep - keep / 4 - 1 : keep - 1;
            }
            if (!settled) {
                short_ = true;
                return;
            }
            if (last_symbol != none) emit_symbol(last_symbol, w, last_begin, base);
            const std::size_t border = base + window_.at[keep];
            for (std::uint32_t i = 0; i + 1 < keep; ++i) {
                emit_symbol(window_.symbol[i], w, base + window_.at[i], base + window_.at[i + 1]);
                if (stop()) return;
            }
            last_symbol = window_.symbol[keep - 1];
            last_begin = base + window_.at[keep - 1];
            base = from = border;
            n = bpe_.read(t_, w.text(), from, w.size, window_);
        }
    }
    // Whether the next window, which starts at the border behind the first `keep` tokens, begins
    // with a token that stays apart from the one in front of the border. The window's first `keep`
    // tokens are put back afterwards by joining again, which is why the whole is done in place.
    bool agrees(const piece_view& w, std::size_t base, std::size_t border, std::uint32_t keep,
                std::size_t& from) noexcept {
        if (inside_character(w, border)) return false;
        std::uint32_t first = keep - 1;
        while (first != 0 && inside_character(w, base + window_.at[first])) --first;
        const std::uint32_t before = keep - first;
        const std::size_t left = base + window_.at[first];
        // The first token of the next window.
        std::size_t end = border;
        std::uint32_t n = bpe_.read(t_, w.text(), end, w.size, window_);
        n = bpe_.all(t_, window_, n);
        bool good = false;
        if (n != 0) {
            // A token that ends with the window may be shorter than the true one.
            // Characters that are several tokens, their bytes, are looked at as a whole.
            std::uint32_t m = 1;
            while (m < n && inside_character(w, border + window_.at[m])) ++m;
            const bool whole = m < n || end >= w.size;
            const std::size_t right = m < n ? border + window_.at[m] : end;
            if (whole) {
                std::size_t p = left;
                n = bpe_.read(t_, w.text(), p, right, window_);
                if (p >= right) {
                    n = bpe_.all(t_, window_, n);
                    good = n == before + m && left + window_.at[before] == border;
                }
            }
        }
        // Back to the window that this began with.
        from = base;
        n = bpe_.read(t_, w.text(), from, w.size, window_);
        bpe_.all(t_, window_, n);
        return good;
    }
    bool inside_character(const piece_view& w, std::size_t at) const noexcept {
        return !t_.flag(flag_byte_level) && at < w.size && is_continuation_byte(w.data[at]);
    }
    void emit_window(std::uint32_t n, const piece_view& w, std::size_t base,
                     std::size_t end) noexcept {
        for (std::uint32_t i = 0; i < n && !full_; ++i) {
            emit_symbol(window_.symbol[i], w, base + window_.at[i],
                        i + 1 < n ? base + window_.at[i + 1] : end);
        }
    }

    void unigram_word(const piece_view& w) noexcept {
        const bool sentencepiece = t_.flag(flag_sentencepiece);
        const std::uint32_t unknown = t_.header().unknown;
        double own = 0;
        // Unknown characters wait: neighbours are one token.
        std::size_t waits = 0, waits_end = 0;
        const auto flush = [&] {
            if (waits == waits_end) return;
            const std::uint32_t id = words_.find(w.data + waits, waits_end - waits);
            if (id != none) {
                emit(id, w, waits, waits_end);
            } else if (t_.flag(flag_byte_fallback) && t_.has(section::byte_ids) &&
                       all_bytes(w, waits, waits_end)) {
                for (std::size_t i = waits; i < waits_end; ++i) {
                    emit(t_.byte_id(static_cast<std::uint8_t>(w.data[i])), w, waits, waits_end);
                }
            } else {
                emit_unknown(w, waits, waits_end);
            }
            waits = waits_end;
        };
        const bool good = unigram_.encode(w.text(), nodes_, sentencepiece ? sum_ : own,
                                          [&](std::uint32_t id, std::size_t b, std::size_t e) {
                                              if (id == unknown) {
                                                  if (sentencepiece) {
                                                      emit_unknown(w, b, e);
                                                  } else {
                                                      if (waits == waits_end) waits = b;
                                                      waits_end = e;
                                                  }
                                                  return;
                                              }
                                              flush();
                                              emit(id, w, b, e);
                                          });
        flush();
        if (!good) short_ = true;
    }
    bool all_bytes(const piece_view& w, std::size_t begin, std::size_t end) const noexcept {
        for (std::size_t i = begin; i < end; ++i) {
            if (t_.byte_id(static_cast<std::uint8_t>(w.data[i])) == none) return false;
        }
        return true;
    }

    void wordpiece_word(const piece_view& w) noexcept {
        const std::uint32_t root = t_.header().continuing_root;
        const std::size_t before = n_;
        bool good = w.size <= t_.header().max_word_chars ||
                    count_characters(w.text()) <= t_.header().max_word_chars;
        for (std::size_t at = 0; good && at < w.size;) {
            trie_view::cursor c = words_.start(at == 0 ? 0 : root);
            if (at != 0 && root == none) {
                good = false;
                break;
            }
            std::uint32_t best = none;
            std::size_t length = 0;
            for (std::size_t i = at; i < w.size && c.next(w.data[i]); ++i) {
                if (c.has_value()) {
                    best = c.value();
                    length = i + 1 - at;
                }
            }
            if (best == none) {
                good = false;
                break;
            }
            emit(best, w, at, at + length);
            if (full_) return;
            at += length;
        }
        if (good) return;
        n_ = before;
        emit_unknown(w, 0, w.size);
    }

    bool trim_step(bool& prefix) const noexcept {
        for (std::uint32_t k = 0; k < t_.step_count(); ++k) {
            const step_record s = t_.step(k);
            if (s.kind == step_kind::trim_offsets) {
                prefix = s.a != 0;
                return true;
            }
        }
        return false;
    }

    tables t_;
    status state_;
    bytes_span memory_;
    span<cached_word> cache_;
    std::uint32_t cache_bits_ = 0;
    ascii_set kept_; // of the character map
    bool is_float_unigram_ = false;
    double span_of_scores_ = 0;
    const char* readable_end_ = nullptr;
    bpe bpe_;
    unigram unigram_;
    detail::added_finder added_, added_normalized_;
    trie_view words_;
    regex_view regexes_[(Parts & part_regex) != 0 ? regex_limit : 1];
    std::uint32_t first_pre_ = 0, end_pre_ = 0;

    // Of the call that is running.
    bpe_window window_;
    unigram_window nodes_;
    text_stage stage_;
    span<std::uint32_t> ids_;
    span<origin> offsets_;
    std::size_t n_ = 0;
    double sum_ = 0;
    options options_;
    bool full_ = false, short_ = false, unknown_before_ = false, trims_ = false,
         trim_prefix_ = false;
};

using encoder = basic_encoder<>;

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
