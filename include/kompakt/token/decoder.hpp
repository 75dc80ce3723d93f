// Token ids to text, all at once or one by one: what has been given out never changes, so no half
// of a character and no space that a later token takes back appears.
//
//     token::decoder d(t);
//     for (id : ids) d.push(id, out);      // out: any object with put(const char*, std::size_t)
//     d.finish(out);
#pragma once

#include <kompakt/token/parts.hpp>
#include <kompakt/token/regex/regex.hpp>
#include <kompakt/token/stage.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct decode_options {
    bool skip_special = false;
};

// Writes into a buffer, and counts on when it is full.
class text_sink {
  public:
    explicit text_sink(span<char> buffer) noexcept : buffer_(buffer) {}
    void put(const char* p, std::size_t n) noexcept {
        if (size_ < buffer_.size()) {
            const std::size_t room = buffer_.size() - size_;
            if (n != 0) std::memcpy(buffer_.data() + size_, p, n < room ? n : room);
        }
        size_ += n;
    }
    // Bytes that were put; more than the buffer has if it was too small.
    std::size_t size() const noexcept { return size_; }

  private:
    span<char> buffer_;
    std::size_t size_ = 0;
};

namespace detail {
inline constexpr char replacement_text[] = "\xef\xbf\xbd";

// Bytes that become text as soon as they are whole characters.
class lossy_bytes {
  public:
    template <class Sink>
    void put(const char* p, std::size_t n, Sink& sink) {
        while (n != 0) {
            if (held_ == 0) {
                const std::size_t good = valid_utf8_prefix({p, n});
                if (good != 0) sink.put(p, good);
                p += good;
                n -= good;
                if (n == 0) return;
            }
            hold_[held_++] = *p++;
            --n;
            settle(sink);
        }
    }
    // What is held can no longer become a character.
    template <class Sink>
    void finish(Sink& sink) {
        while (held_ != 0) {
            const utf8_character d = decode_utf8(hold_, hold_ + held_);
            sink.put(replacement_text, 3);
            drop(d.length);
        }
    }

  private:
    template <class Sink>
    void settle(Sink& sink) {
        while (held_ != 0) {
            const utf8_character d = decode_utf8(hold_, hold_ + held_);
            if (d.valid) {
                sink.put(hold_, d.length);
            } else if (d.length == held_ && may_grow()) {
                return;
            } else {
                sink.put(replacement_text, 3);
            }
            drop(d.length);
        }
    }
    // Whether the held bytes, no character yet, are the front of one.
    bool may_grow() const noexcept {
        const auto c = static_cast<std::uint8_t>(hold_[0]);
        return c >= 0xc2 && c <= 0xf4 && held_ < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u);
    }
    void drop(std::size_t n) noexcept {
        for (std::size_t i = n; i < held_; ++i) hold_[i - n] = hold_[i];
        held_ -= static_cast<std::uint8_t>(n);
    }
    char hold_[4] = {};
    std::uint8_t held_ = 0;
};
} // namespace detail

template <std::uint32_t Parts = all_parts>
class basic_decoder {
  public:
    basic_decoder() = default;
    // `scratch`, scratch_bytes(t) long, is where steps other than of byte-level vocabularies work.
    explicit basic_decoder(const tables& t, span<char> scratch = {},
                           const decode_options& o = {}) noexcept
        : t_(t), scratch_(scratch), options_(o) {
        first_ = t.header().normalizers + t.header().pre_tokenizers;
        end_ = first_ + t.header().decoders;
        bytes_only_ = t.header().decoders == 1 && t.step(first_).kind == step_kind::decode_bytes;
        sentencepiece_ =
            t.header().decoders == 1 && t.step(first_).kind == step_kind::decode_sentencepiece;
        joins_ = t.flag(flag_join_spaces);
        for (std::uint32_t k = first_; k < end_; ++k) {
            const step_record s = t.step(k);
            if (s.kind == step_kind::decode_fuse && fuse_at_ == none) fuse_at_ = k;
            if (s.kind == step_kind::decode_strip && fuse_at_ != none) {
                strip_front_ = s.b;
                strip_back_ = s.b_bytes;
                strip_char_ = s.a;
            }
        }
    }
    static std::size_t scratch_bytes(const tables& t) noexcept {
        std::size_t most = t.header().longest_piece + 16;
        for (std::uint32_t k = 0; k < t.step_count(); ++k) {
            const step_record s = t.step(k);
            if (s.kind == step_kind::decode_replace) most *= s.b_bytes + 1;
            if (s.kind == step_kind::decode_ctc || s.kind == step_kind::decode_bpe) most *= 2;
            if (most > (std::size_t{1} << 24)) break;
        }
        return 2 * most;
    }

    // Text that is certain goes to the sink. Ids that no token has give nothing.
    template <class Sink>
    void push(std::uint32_t id, Sink& sink) {
        const std::uint8_t kind = t_.kind(id);
        if ((kind & piece_absent) != 0) return;
        if (options_.skip_special && (kind & piece_special) != 0) return;
        if (bytes_only_) {
            const text_view p = t_.piece(id);
            lossy_.put(p.data(), p.size(), sink);
            return;
        }
        if constexpr ((Parts & part_decoders) != 0) {
            if (sentencepiece_) {
                push_sentencepiece(id, kind, sink);
                return;
            }
            // One token late, since some steps treat the last one differently.
            if (has_held_) step(held_, false, sink);
            held_ = id;
            has_held_ = true;
        }
    }
    // All ids, and the end. Hugging Face's ByteFallback makes all bytes of a run U+FFFD when some
    // are no text; with all ids at hand that is known in time, token by token only for runs of up
    // to `run_limit` bytes.
    template <class Sink>
    void decode(span<const std::uint32_t> ids, Sink& sink) {
        if constexpr ((Parts & part_decoders) != 0) {
            if (has_byte_fallback()) {
                for (std::size_t i = 0; i < ids.size(); ++i) {
                    char byte = 0;
                    if (!byte_of(ids[i], byte)) {
                        push(ids[i], sink);
                        continue;
                    }
                    // A run: first whether it is text.
                    bool good = true;
                    char hold[4];
                    std::size_t held = 0, j = i;
                    for (; j < ids.size() && good; ++j) {
                        if (skipped(ids[j])) continue;
                        if (!byte_of(ids[j], hold[held])) break;
                        ++held;
                        const utf8_character d = decode_utf8(hold, hold + held);
                        if (d.valid)
                            held = 0;
                        else if (held == 4 || d.length != held)
                            good = false;
                    }
                    long_run_ = good && held == 0 ? run_kind::text : run_kind::junk;
                    for (; i < ids.size(); ++i) {
                        if (!skipped(ids[i]) && !byte_of(ids[i], byte)) break;
                        push(ids[i], sink);
                    }
                    if (has_held_) step(held_, i == ids.size(), sink);
                    has_held_ = false;
                    flush_bytes(sink);
                    long_run_ = run_kind::open;
                    --i;
                }
                finish(sink);
                return;
            }
        }
        for (const std::uint32_t id : ids) push(id, sink);
        finish(sink);
    }

    template <class Sink>
    void finish(Sink& sink) {
        if constexpr ((Parts & part_decoders) != 0) {
            if (has_held_) step(held_, true, sink);
            has_held_ = false;
            if (!bytes_only_ && !sentencepiece_) flush_bytes(sink);
            // Characters that a strip at the end would have taken are dropped.
            held_strip_ = 0;
        }
        if (sentencepiece_) {
            finish_bytes(sink);
        } else {
            lossy_.finish(sink);
        }
        count_ = 0;
        any_ = false;
        seen_space_ = false;
        at_start_ = true;
        stripped_ = 0;
        previous_ = none;
    }

  private:
    // Bytes that <0xXX> tokens stand for, until the run ends: Hugging Face's ByteFallback takes all
    // of a run or nothing. Runs beyond the buffer are taken in parts.
    static constexpr std::size_t run_limit = 64;
    enum class run_kind : std::uint8_t { open, text, junk };

    bool has_byte_fallback() const noexcept {
        for (std::uint32_t k = first_; k < end_; ++k) {
            if (t_.step(k).kind == step_kind::decode_byte_fallback) return true;
        }
        return false;
    }
    bool skipped(std::uint32_t id) const noexcept {
        const std::uint8_t kind = t_.kind(id);
        return (kind & piece_absent) != 0 || (options_.skip_special && (kind & piece_special) != 0);
    }
    bool byte_of(std::uint32_t id, char& out) const noexcept {
        if (skipped(id)) return false;
        const text_view p = t_.piece(id);
        if (!is_byte_token(p.data(), p.size())) return false;
        out = static_cast<char>(hex(p.data()[3]) * 16 + hex(p.data()[4]));
        return true;
    }
    static bool is_byte_token(const char* p, std::size_t n) noexcept {
        return n == 6 && std::memcmp(p, "<0x", 3) == 0 && p[5] == '>' && hex(p[3]) < 16 &&
               hex(p[4]) < 16;
    }

    template <class Sink>
    void flush_bytes(Sink& sink) {
        if (run_ == 0) return;
        const std::size_t n = run_;
        run_ = 0;
        if (long_run_ != run_kind::junk && is_valid_utf8({run_bytes_, n})) {
            fuse(run_bytes_, n, sink);
        } else {
            for (std::size_t i = 0; i < n; ++i) fuse(detail::replacement_text, 3, sink);
        }
    }

    // The buffer is full: whole characters go, the front of one stays.
    template <class Sink>
    void flush_front(Sink& sink) {
        const std::size_t good = valid_utf8_prefix({run_bytes_, run_});
        if (long_run_ == run_kind::junk || run_ - good > 3) {
            flush_bytes(sink);
            return;
        }
        fuse(run_bytes_, good, sink);
        for (std::size_t i = good; i < run_; ++i) run_bytes_[i - good] = run_bytes_[i];
        run_ -= good;
    }

    template <class Sink>
    void push_sentencepiece(std::uint32_t id, std::uint8_t kind, Sink& sink) {
        const text_view p = t_.piece(id);
        if ((kind & piece_byte) != 0) {
            if (p.size() == 1) put_byte(p.data()[0], sink);
            return;
        }
        finish_bytes(sink);
        if (seen_space_ || any_) at_start_ = false;
        seen_space_ = false;
        if ((kind & piece_control) != 0) return;
        if ((kind & piece_unknown) != 0) {
            const text_view s = t_.text(t_.header().unk_surface_at, t_.header().unk_surface_bytes);
            put_text(s.data(), s.size(), sink);
            return;
        }
        const step_record s = t_.step(first_);
        const char* q = p.data();
        std::size_t n = p.size();
        const text_view sign("\xe2\x96\x81", 3);
        if (at_start_ && (s.flags & (step_dummy_prefix | step_remove_spaces)) != 0 && n >= 3 &&
            std::memcmp(q, sign.data(), 3) == 0) {
            q += 3;
            n -= 3;
            seen_space_ = (s.flags & step_remove_spaces) == 0;
        }
        const char* const last = q + n;
        while (q != last) {
            const char* r = q;
            while (r != last && !(last - r >= 3 && std::memcmp(r, sign.data(), 3) == 0)) ++r;
            if (r != q) put_text(q, static_cast<std::size_t>(r - q), sink);
            q = r;
            if (q != last) {
                put_text(" ", 1, sink);
                q += 3;
            }
        }
    }
    template <class Sink>
    void put_text(const char* p, std::size_t n, Sink& sink) {
        if (n == 0) return;
        any_ = true;
        sink.put(p, n);
    }
    template <class Sink>
    void put_byte(char c, Sink& sink) {
        run_bytes_[run_++] = c;
        settle_bytes(false, sink);
    }
    template <class Sink>
    void finish_bytes(Sink& sink) {
        settle_bytes(true, sink);
    }
    // Each byte that is not part of a character is one U+FFFD.
    template <class Sink>
    void settle_bytes(bool final, Sink& sink) {
        while (run_ != 0) {
            const utf8_character d = decode_utf8(run_bytes_, run_bytes_ + run_);
            std::size_t drop = 1;
            if (d.valid) {
                put_text(run_bytes_, d.length, sink);
                drop = d.length;
            } else {
                const auto c = static_cast<std::uint8_t>(run_bytes_[0]);
                const std::size_t need = c < 0xc2 || c > 0xf4 ? 1u
                                         : c < 0xe0           ? 2u
                                         : c < 0xf0           ? 3u
                                                              : 4u;
                if (!final && d.length == run_ && run_ < need) return;
                put_text(detail::replacement_text, 3, sink);
            }
            for (std::size_t i = drop; i < run_; ++i) run_bytes_[i - drop] = run_bytes_[i];
            run_ -= drop;
        }
    }

    // All decoder steps for one token.
    template <class Sink>
    void step(std::uint32_t id, bool last, Sink& sink) {
        const text_view piece = t_.piece(id);
        const std::uint64_t index = count_++;
        const char* p = piece.data();
        std::size_t n = piece.size();
        std::size_t half = scratch_.size() / 2;
        bool second = false;
        const auto room = [&] {
            second = !second;
            return scratch_.data() + (second ? 0 : half);
        };
        for (std::uint32_t k = first_; k < end_; ++k) {
            const step_record s = t_.step(k);
            switch (s.kind) {
            case step_kind::decode_byte_fallback:
                if (is_byte_token(p, n)) {
                    if (run_ == run_limit) flush_front(sink);
                    run_bytes_[run_++] = static_cast<char>(hex(p[3]) * 16 + hex(p[4]));
                    return;
                }
                flush_bytes(sink);
                break;
            case step_kind::decode_replace:
                replace(t_.text(s.a, s.a_bytes), t_.text(s.b, s.b_bytes), p, n, room(), half);
                break;
            case step_kind::decode_metaspace: {
                const text_view sign = t_.text(s.a, s.a_bytes);
                const bool drops =
                    index == 0 && (s.flags & (step_prepend_always | step_prepend_first)) != 0;
                replace(sign, drops ? text_view() : text_view(" ", 1), p, n, room(), half);
                break;
            }
            case step_kind::decode_wordpiece: {
                const text_view prefix = t_.text(s.a, s.a_bytes);
                char* out = room();
                std::size_t m = 0;
                if (index != 0) {
                    if (n >= prefix.size() &&
                        (prefix.empty() || std::memcmp(p, prefix.data(), prefix.size()) == 0)) {
                        p += prefix.size();
                        n -= prefix.size();
                    } else if (half != 0) {
                        out[m++] = ' ';
                    }
                }
                n = n < half - m ? n : half - m;
                if (n != 0) std::memcpy(out + m, p, n);
                p = out;
                n += m;
                if ((s.flags & step_cleanup) != 0) cleanup(p, n, room, half);
                break;
            }
            case step_kind::decode_bpe:
                replace(t_.text(s.a, s.a_bytes), last ? text_view() : text_view(" ", 1), p, n,
                        room(), half);
                break;
            case step_kind::decode_ctc: {
                if (id == previous_) return;
                previous_ = id;
                replace(t_.text(s.a, s.a_bytes), {}, p, n, room(), half);
                if ((s.flags & step_cleanup) != 0) {
                    cleanup(p, n, room, half);
                    replace(t_.text(s.b, s.b_bytes), {" ", 1}, p, n, room(), half);
                }
                if (n == 0) return;
                break;
            }
            case step_kind::decode_strip:
                if (k < fuse_at_) strip(s, p, n);
                break;
            default:
                break;
            }
        }
        if (joins_ && index != 0) fuse(" ", 1, sink);
        fuse(p, n, sink);
    }
    static std::uint32_t hex(char c) noexcept {
        return c >= '0' && c <= '9'   ? static_cast<std::uint32_t>(c - '0')
               : c >= 'a' && c <= 'f' ? static_cast<std::uint32_t>(c - 'a' + 10)
               : c >= 'A' && c <= 'F' ? static_cast<std::uint32_t>(c - 'A' + 10)
                                      : 16u;
    }
    static void replace(text_view what, text_view with, const char*& p, std::size_t& n, char* out,
                        std::size_t room) noexcept {
        if (what.empty()) return;
        std::size_t m = 0;
        const auto put = [&](const char* q, std::size_t k) {
            k = k < room - m ? k : room - m;
            if (k != 0) std::memcpy(out + m, q, k);
            m += k;
        };
        for (std::size_t i = 0; i < n;) {
            if (n - i >= what.size() && std::memcmp(p + i, what.data(), what.size()) == 0) {
                if (!with.empty()) put(with.data(), with.size());
                i += what.size();
            } else {
                put(p + i++, 1);
            }
        }
        p = out;
        n = m;
    }
    template <class Room>
    static void cleanup(const char*& p, std::size_t& n, Room& room, std::size_t half) noexcept {
        static constexpr struct {
            const char* from;
            const char* to;
        } rules[] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                     {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                     {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
        // All begin with a space.
        if (n == 0 || std::memchr(p, ' ', n) == nullptr) return;
        for (const auto& r : rules) {
            replace({r.from, length(r.from)}, {r.to, length(r.to)}, p, n, room(), half);
        }
    }
    static std::size_t length(const char* s) noexcept {
        std::size_t n = 0;
        while (s[n] != 0) ++n;
        return n;
    }
    static void strip(const step_record& s, const char*& p, std::size_t& n) noexcept {
        char sign[4];
        const std::size_t k = encode_utf8(s.a, sign);
        for (std::uint32_t i = 0; i < s.b && n >= k && std::memcmp(p, sign, k) == 0; ++i) {
            p += k;
            n -= k;
        }
        for (std::uint32_t i = 0; i < s.b_bytes && n >= k && std::memcmp(p + n - k, sign, k) == 0;
             ++i)
            n -= k;
    }

    // All tokens as one text: strips its front, holds back what may have to be stripped at its end.
    template <class Sink>
    void fuse(const char* p, std::size_t n, Sink& sink) {
        if (strip_front_ != 0 || strip_back_ != 0) {
            char sign[4];
            const std::size_t k = encode_utf8(strip_char_, sign);
            while (stripped_ < strip_front_ && n >= k && std::memcmp(p, sign, k) == 0) {
                p += k;
                n -= k;
                ++stripped_;
            }
            if (n != 0) stripped_ = strip_front_;
            if (strip_back_ != 0 && n != 0) {
                std::uint64_t tail = 0;
                while (n >= k && std::memcmp(p + n - k, sign, k) == 0) {
                    n -= k;
                    ++tail;
                }
                if (n != 0) {
                    for (; held_strip_ != 0; --held_strip_) sink.put(sign, k);
                    sink.put(p, n);
                }
                held_strip_ += tail;
                for (; held_strip_ > strip_back_; --held_strip_) sink.put(sign, k);
                return;
            }
        }
        if (n != 0) sink.put(p, n);
    }

    tables t_;
    span<char> scratch_;
    decode_options options_;
    std::uint32_t first_ = 0, end_ = 0;
    bool bytes_only_ = false, sentencepiece_ = false, joins_ = false;
    std::uint32_t fuse_at_ = none;
    std::uint32_t strip_front_ = 0, strip_back_ = 0, strip_char_ = 0;

    std::uint64_t count_ = 0, held_strip_ = 0;
    std::uint32_t stripped_ = 0, held_ = 0, previous_ = none;
    bool has_held_ = false, any_ = false, seen_space_ = false, at_start_ = true;
    detail::lossy_bytes lossy_;
    char run_bytes_[run_limit] = {};
    std::size_t run_ = 0;
    run_kind long_run_ = run_kind::open;
};

using decoder = basic_decoder<>;

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
