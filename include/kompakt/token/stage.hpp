// Text on its way through the normalizers: each reads the text before it and writes the next, in
// one piece of memory of the caller's.
//
// The bytes grow from the front of the memory, and, when offsets are wanted, the origin of every
// byte grows from its end. An origin is a range of the original text.
#pragma once

#include <kompakt/core/status.hpp>
#include <kompakt/core/utf8.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct origin {
    std::uint32_t begin, end; // bytes of the original text
};

// A part of some text. `origins` points behind the origin of the first byte; they go downwards.
struct piece_view {
    const char* data = nullptr;
    std::size_t size = 0;
    const origin* origins = nullptr;

    const origin& origin_of(std::size_t i) const noexcept {
        return origins[-static_cast<std::ptrdiff_t>(i) - 1];
    }
    piece_view part(std::size_t from, std::size_t to) const noexcept {
        return {data + from, to - from,
                origins != nullptr ? origins - static_cast<std::ptrdiff_t>(from) : nullptr};
    }
    text_view text() const noexcept { return {data, size}; }
};

class text_stage {
  public:
    text_stage() = default;
    // `with_origins`: the memory must be aligned to 4.
    text_stage(std::byte* memory, std::size_t size, bool with_origins) noexcept
        : data_(reinterpret_cast<char*>(memory)), with_origins_(with_origins) {
        if (with_origins) size -= size % sizeof(origin);
        top_ = reinterpret_cast<origin*>(memory + size);
        end_ = size;
    }

    bool ok() const noexcept { return ok_; }
    bool with_origins() const noexcept { return with_origins_; }

    struct mark {
        std::size_t size;
        origin* top;
    };
    // What is taken from now on is given back by `release`.
    mark here() const noexcept { return {size_, top_}; }
    void release(const mark& m) noexcept {
        size_ = m.size;
        top_ = m.top;
        end_ = static_cast<std::size_t>(reinterpret_cast<char*>(top_) - data_);
        out_ = 0;
    }

    // The origins of text that is its own original.
    piece_view original(text_view text, std::uint32_t at) noexcept {
        piece_view p{text.data(), text.size(), nullptr};
        if (!with_origins_) return p;
        start();
        if (!room(0, text.size())) return p;
        const char* q = text.data();
        const char* const last = q + text.size();
        while (q != last) {
            const std::uint32_t n = decode_utf8(q, last).length;
            for (std::uint32_t i = 0; i < n; ++i)
                top_[-static_cast<std::ptrdiff_t>(++out_)] = {at, at + n};
            at += n;
            q += n;
        }
        return finish_origins(p);
    }

    // A new text behind all that is taken. `from` is what `put` speaks of.
    void start(const piece_view& from = {}) noexcept {
        from_ = from;
        out_ = 0;
        out_text_ = 0;
    }
    // Bytes that came from [begin, end) of the text before: byte for byte when the lengths agree,
    // otherwise each from the whole range.
    void put(const char* bytes, std::size_t n, std::size_t begin, std::size_t end) noexcept {
        if (!room(n, with_origins_ ? n : 0)) return;
        if (n != 0) std::memcpy(data_ + size_ + out_text_, bytes, n);
        out_text_ += n;
        if (!with_origins_) return;
        if (n == end - begin) {
            for (std::size_t i = 0; i < n; ++i) push(from_.origin_of(begin + i));
        } else {
            const origin o =
                begin < end ? origin{from_.origin_of(begin).begin, from_.origin_of(end - 1).end}
                            : origin_near(begin);
            for (std::size_t i = 0; i < n; ++i) push(o);
        }
    }
    // Room to write n bytes of the new text at once, without origins; null if there is none.
    // `commit` says how many it became.
    char* reserve(std::size_t n) noexcept {
        return room(n, 0) ? data_ + size_ + out_text_ : nullptr;
    }
    void commit(std::size_t n) noexcept { out_text_ += n; }
    // Where the new text begins, and its size so far.
    char* written() noexcept { return data_ + size_; }
    std::size_t written_bytes() const noexcept { return out_text_; }
    void drop_last(std::size_t n) noexcept {
        out_text_ -= n;
        if (with_origins_) out_ -= n;
    }

    // Keeps the new text above all that was taken before.
    piece_view finish() noexcept {
        piece_view p{data_ + size_, out_text_, nullptr};
        size_ += out_text_;
        return finish_origins(p);
    }
    // Keeps the new text in the place of `m`, which forgets what was taken since.
    piece_view finish_over(const mark& m) noexcept {
        std::memmove(data_ + m.size, data_ + size_, out_text_);
        piece_view p{data_ + m.size, out_text_, nullptr};
        size_ = m.size + out_text_;
        if (with_origins_) {
            std::memmove(m.top - out_, top_ - out_, out_ * sizeof(origin));
            top_ = m.top;
        }
        return finish_origins(p);
    }

  private:
    piece_view finish_origins(piece_view p) noexcept {
        if (with_origins_) {
            p.origins = top_;
            top_ -= out_;
            end_ = static_cast<std::size_t>(reinterpret_cast<char*>(top_) - data_);
        }
        out_ = out_text_ = 0;
        return p;
    }
    origin origin_near(std::size_t i) const noexcept {
        if (from_.size == 0) return {0, 0};
        return from_.origin_of(i < from_.size ? i : from_.size - 1);
    }
    void push(const origin& o) noexcept { top_[-static_cast<std::ptrdiff_t>(++out_)] = o; }
    bool room(std::size_t n, std::size_t origins) noexcept {
        const std::size_t used = size_ + out_text_ + out_ * sizeof(origin) * with_origins_;
        if (used > end_ || n > end_ - used || origins > (end_ - used - n) / sizeof(origin)) {
            ok_ = false;
        }
        return ok_;
    }

    char* data_ = nullptr;
    std::size_t size_ = 0;     // bytes taken from the front
    origin* top_ = nullptr;    // origins are taken below
    std::size_t end_ = 0;      // byte offset of top_
    std::size_t out_ = 0;      // origins of the text that is being written
    std::size_t out_text_ = 0; // its bytes
    piece_view from_;
    bool with_origins_ = false, ok_ = true;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
