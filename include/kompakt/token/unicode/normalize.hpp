// Unicode normalization forms (UAX #15, Unicode 16.0) of text of any length in constant memory.
//
// Text that is normalized already costs one scan. What is not is rewritten in segments that no
// other text can influence. A segment can be the whole text (a letter with a hundred million
// marks): up to `short_run` marks are sorted in a buffer, longer runs are read once for each
// combining class that they have, at most 56 times, so time stays linear and nothing is allocated.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/utf8.hpp>
#include <kompakt/token/unicode/compose.hpp>

#include <cstring>
#include <type_traits>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

enum class normal_form : std::uint8_t { nfc, nfd, nfkc, nfkd };

// Which characters take part.
enum class normal_version : std::uint8_t {
    unicode_16,
    // Those that Unicode 9.0 has; younger ones stay as they are and have combining class 0. This is
    // what Hugging Face's tokenizers do (crate unicode-normalization-alignments).
    unicode_9,
};

namespace detail {

struct norm_record {
    std::uint8_t combining_class;
    std::uint8_t flags;
};

constexpr norm_record record_of(char32_t c, normal_version version) noexcept {
    const std::size_t i = norm_trie(c);
    if (version == normal_version::unicode_9 && (norm_flags[i] & norm_after_unicode_9) != 0) {
        return {0, 0};
    }
    return {norm_class[i], norm_flags[i]};
}

template <normal_form Form>
struct form_traits {
    static constexpr bool composes = Form == normal_form::nfc || Form == normal_form::nfkc;
    static constexpr bool compatibility = Form == normal_form::nfkc || Form == normal_form::nfkd;
    static constexpr std::uint8_t changes = Form == normal_form::nfc    ? norm_nfc_may_change
                                            : Form == normal_form::nfd  ? norm_nfd_changes
                                            : Form == normal_form::nfkc ? norm_nfkc_may_change
                                                                        : norm_nfkd_changes;
    static constexpr std::uint8_t decomposes = compatibility ? norm_nfkd_changes : norm_nfd_changes;
    static constexpr std::uint8_t joins_back =
        compatibility ? norm_joins_back_compat : norm_joins_back;
};

template <normal_form Form, class Sink>
class normalizer {
  public:
    normalizer(text_view text, normal_version version, Sink& sink) noexcept
        : begin_(text.data()), end_(text.data() + text.size()), source_(text.data()),
          version_(version), sink_(sink) {}

    void run() {
        const char* p = begin_;
        const char* from = p;     // what is behind it is copied
        const char* boundary = p; // nothing before it and at or behind it influence each other
        std::uint8_t last_class = 0;
        while (p != end_) {
            if (static_cast<std::uint8_t>(*p) < 0x80) {
                p = skip_ascii(p, end_);
                boundary = p - 1;
                last_class = 0;
                continue;
            }
            const utf8_character d = decode_utf8(p, end_);
            const char* const next = p + d.length;
            if (!d.valid) {
                p = boundary = next;
                last_class = 0;
                continue;
            }
            const norm_record r = record_of(d.code_point, version_);
            if ((r.flags & traits::changes) == 0 &&
                (r.combining_class == 0 || r.combining_class >= last_class)) {
                if ((r.flags & traits::joins_back) == 0) boundary = p;
                last_class = r.combining_class;
                p = next;
                continue;
            }
            if ((r.flags & traits::joins_back) == 0) boundary = p;
            copy(from, boundary);
            p = segment_end(next);
            segment(boundary, p);
            from = boundary = p;
            last_class = 0;
        }
        copy(from, end_);
    }

  private:
    using traits = form_traits<Form>;
    static constexpr std::size_t short_run = 32;

    // One code point of the decomposed text. `change` counts as Hugging Face's: 0 replaces a
    // character of the source, 1 is a new one, -n replaces one and swallows n more.
    struct item {
        char32_t code_point;
        std::uint8_t combining_class;
        std::int8_t change;
    };

    // Reads the decomposed text.
    class reader {
      public:
        reader(const char* first, const char* last, normal_version version) noexcept
            : next_(first), last_(last), version_(version) {}

        bool read(item& out) noexcept {
            if (at_ == count_) {
                if (next_ == last_) return false;
                const utf8_character d = decode_utf8(next_, last_);
                character_ = next_;
                next_ += d.length;
                at_ = 0;
                const norm_record r = record_of(d.code_point, version_);
                if ((r.flags & traits::decomposes) == 0) {
                    count_ = 0;
                    index_ = 0;
                    out = {d.code_point, r.combining_class, 0};
                    return true;
                }
                count_ = static_cast<std::uint8_t>(
                    decompose<traits::compatibility>(d.code_point, parts_));
            }
            index_ = at_;
            const char32_t c = parts_[at_++];
            out = {c, record_of(c, version_).combining_class,
                   static_cast<std::int8_t>(index_ == 0 ? 0 : 1)};
            return true;
        }

        // Where the last item came from, and a reader that gives it again.
        const char* character() const noexcept { return character_; }
        std::uint8_t index() const noexcept { return index_; }
        reader(const char* character, std::uint8_t index, const char* last,
               normal_version version) noexcept
            : reader(character, last, version) {
            item skipped;
            for (; index != 0; --index) read(skipped);
        }

      private:
        const char* next_;
        const char* last_;
        const char* character_ = nullptr;
        std::uint8_t at_ = 0, count_ = 0, index_ = 0;
        normal_version version_;
        char32_t parts_[longest_decomposition];
    };

    const char* segment_end(const char* p) const noexcept {
        while (p != end_ && static_cast<std::uint8_t>(*p) >= 0x80) {
            const utf8_character d = decode_utf8(p, end_);
            if (!d.valid || (record_of(d.code_point, version_).flags & traits::joins_back) == 0) {
                break;
            }
            p += d.length;
        }
        return p;
    }

    void segment(const char* first, const char* last) {
        source_ = first;
        reader in(first, last, version_);
        item now;
        bool more = in.read(now);
        item starter{0, 0, 0};
        bool has_starter = false;
        while (more) {
            if (now.combining_class == 0) {
                if constexpr (traits::composes) {
                    if (!(has_starter && join(starter, now))) {
                        if (has_starter) emit(starter);
                        starter = now;
                        has_starter = true;
                    }
                } else {
                    emit(now);
                }
                more = in.read(now);
                continue;
            }
            // A run of marks. It is read to its end before any of it goes out.
            const char* const run = in.character();
            const std::uint8_t run_index = in.index();
            item marks[short_run];
            std::uint32_t classes[8] = {};
            std::size_t count = 0;
            do {
                if (count < short_run) marks[count] = now;
                classes[now.combining_class >> 5] |= std::uint32_t{1} << (now.combining_class & 31);
                ++count;
                more = in.read(now);
            } while (more && now.combining_class != 0);
            const bool kept = count <= short_run
                                  ? short_marks(marks, count, has_starter ? &starter : nullptr)
                                  : long_marks(reader(run, run_index, last, version_), count,
                                               classes, has_starter ? &starter : nullptr);
            if (kept) has_starter = false; // it went out before them
        }
        if (has_starter) emit(starter);
    }

    // Whether `starter` became a composite with `c`.
    bool join(item& starter, const item& c) const noexcept {
        const char32_t composite = compose(starter.code_point, c.code_point);
        if (composite == 0) return false;
        if (version_ == normal_version::unicode_9 &&
            (norm_flags[norm_trie(composite)] & norm_after_unicode_9) != 0) {
            return false;
        }
        starter.code_point = composite;
        starter.change = static_cast<std::int8_t>(starter.change + c.change - 1);
        return true;
    }

    bool short_marks(item (&marks)[short_run], std::size_t count, item* starter) {
        for (std::size_t i = 1; i < count; ++i) { // stable
            const item m = marks[i];
            std::size_t j = i;
            for (; j != 0 && marks[j - 1].combining_class > m.combining_class; --j) {
                marks[j] = marks[j - 1];
            }
            marks[j] = m;
        }
        std::size_t kept = count;
        if constexpr (traits::composes) {
            if (starter != nullptr) {
                kept = 0;
                std::uint8_t last_class = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    if (last_class < marks[i].combining_class && join(*starter, marks[i])) {
                        continue;
                    }
                    last_class = marks[i].combining_class;
                    marks[kept++] = marks[i];
                }
                if (kept == 0) return false;
                emit(*starter);
            }
        }
        for (std::size_t i = 0; i < kept; ++i) emit(marks[i]);
        return true;
    }

    // Calls f(mark) in canonical order; f says whether to go on with the marks of this class.
    template <class F>
    static void in_order(const reader& run, std::size_t count, const std::uint32_t (&classes)[8],
                         F&& f) {
        for (unsigned k = 1; k < 256; ++k) {
            if ((classes[k >> 5] >> (k & 31) & 1u) == 0) continue;
            reader in = run;
            item now;
            for (std::size_t i = 0; i < count && in.read(now); ++i) {
                if (now.combining_class == k && !f(now)) break;
            }
        }
    }

    bool long_marks(const reader& run, std::size_t count, const std::uint32_t (&classes)[8],
                    item* starter) {
        // In each class a front is swallowed: once one mark is kept it blocks those behind it.
        // No character decomposes into more than three marks and a starter.
        std::uint8_t joined_class[8] = {};
        std::size_t joined = 0;
        if constexpr (traits::composes) {
            if (starter != nullptr) {
                in_order(run, count, classes, [&](const item& m) {
                    if (joined == sizeof joined_class || !join(*starter, m)) return false;
                    joined_class[joined++] = m.combining_class;
                    return true;
                });
                if (joined == count) return false;
                emit(*starter);
            }
        }
        std::uint8_t at_class = 0;
        std::size_t skip = 0;
        in_order(run, count, classes, [&](const item& m) {
            if (m.combining_class != at_class) {
                at_class = m.combining_class;
                skip = 0;
                for (std::size_t i = 0; i < joined; ++i) skip += joined_class[i] == at_class;
            }
            if (skip != 0) {
                --skip;
            } else {
                emit(m);
            }
            return true;
        });
        return true;
    }

    std::size_t offset(const char* p) const noexcept {
        return static_cast<std::size_t>(p - begin_);
    }
    std::size_t length(const char* p) const noexcept { return decode_utf8(p, end_).length; }

    void copy(const char* first, const char* last) {
        if (first == last) return;
        sink_(first, static_cast<std::size_t>(last - first), offset(first), offset(last));
        source_ = last;
    }

    void emit(const item& c) {
        char bytes[4];
        const std::size_t n = encode_utf8(c.code_point, bytes);
        const char* first = source_;
        const char* last = source_;
        if (c.change > 0) { // belongs to what the character before belongs to
            while (first != begin_ && is_continuation_byte(*--first)) {
            }
            // Bad bytes before it are no character.
            if (first != last) last = first + length(first);
        } else {
            last = first + length(first);
            source_ = last;
            for (int i = c.change; i < 0; ++i) source_ += length(source_);
        }
        sink_(static_cast<const char*>(bytes), n, offset(first), offset(last));
    }

    const char* const begin_;
    const char* const end_;
    const char* source_; // the first character of the source that no output stands for yet
    const normal_version version_;
    Sink& sink_;
};

} // namespace detail

// Calls `sink(const char* bytes, std::size_t n, std::size_t begin, std::size_t end)` in order for
// runs that together are the normalized text; bytes [begin, end) of `text` stand for the run. When
// both have the same length the run belongs byte for byte, otherwise each byte of it to the whole
// range. The ranges are those of Hugging Face's alignments: the k-th character goes to the k-th
// character of the source that it replaces, so U+00E9 made of two characters has the range of the
// first, and what a decomposition adds has the range of the character before it. A bad subpart of
// UTF-8 passes as it is.
template <normal_form Form, class Sink>
void normalize(text_view text, Sink&& sink, normal_version version = normal_version::unicode_16) {
    detail::normalizer<Form, std::remove_reference_t<Sink>>(text, version, sink).run();
}

template <class Sink>
void normalize(normal_form form, text_view text, Sink&& sink,
               normal_version version = normal_version::unicode_16) {
    switch (form) {
    case normal_form::nfc:
        return normalize<normal_form::nfc>(text, sink, version);
    case normal_form::nfd:
        return normalize<normal_form::nfd>(text, sink, version);
    case normal_form::nfkc:
        return normalize<normal_form::nfkc>(text, sink, version);
    case normal_form::nfkd:
        return normalize<normal_form::nfkd>(text, sink, version);
    }
}

template <normal_form Form>
bool is_normalized(text_view text, normal_version version = normal_version::unicode_16) {
    bool same = true;
    std::size_t at = 0;
    normalize<Form>(
        text,
        [&](const char* bytes, std::size_t n, std::size_t, std::size_t) {
            same = same && n <= text.size() - at &&
                   (bytes == text.data() + at || std::memcmp(bytes, text.data() + at, n) == 0);
            at += same ? n : 0;
        },
        version);
    return same && at == text.size();
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
