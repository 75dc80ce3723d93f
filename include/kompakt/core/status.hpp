// status and result<T>: how every fallible call answers. No exceptions, no heap: the message is
// composed inside the status, from text and numbers, and can be stripped (KOMPAKT_MESSAGES 0).
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>

#include <new>
#include <type_traits>
#include <utility>

#if KOMPAKT_HOSTED
#include <string>
#include <string_view>
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class errc : std::uint8_t {
    ok,
    bad_argument, // the caller's request makes no sense: an unknown option, a missing input
    bad_arena,    // a buffer of the caller is null, misaligned or too small
    bad_file,     // bytes that are not what they claim to be: truncated, inconsistent, hostile
    bad_data,     // numbers that cannot be used: NaN in calibration data, a label out of range
    unsupported,  // well formed, but this library does not do it
    limit,        // beyond a stated limit
    io,           // the operating system refused
};

constexpr const char* name_of(errc code) noexcept {
    switch (code) {
    case errc::ok:
        return "ok";
    case errc::bad_argument:
        return "bad argument";
    case errc::bad_arena:
        return "bad arena";
    case errc::bad_file:
        return "bad file";
    case errc::bad_data:
        return "bad data";
    case errc::unsupported:
        return "unsupported";
    case errc::limit:
        return "limit";
    case errc::io:
        return "i/o";
    }
    return "unknown";
}

class [[nodiscard]] status {
  public:
    constexpr status() noexcept = default;
    constexpr bool ok() const noexcept { return code_ == errc::ok; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    constexpr errc code() const noexcept { return code_; }

    // One line, without a final full stop; the code's name when messages are stripped.
    constexpr const char* message() const noexcept {
#if KOMPAKT_MESSAGES
        return length_ != 0 ? text_ : name_of(code_);
#else
        return name_of(code_);
#endif
    }

    // A failure whose message is the arguments one after another: text, numbers, single
    // characters. A message that is too long ends in "...", but a std::string (a name, say) that is
    // long loses its middle, so that the reason behind it still fits.
    template <class... Parts>
    static constexpr status failure(errc code, const Parts&... parts) noexcept {
        status s;
        s.code_ = code;
        (s.append(parts), ...);
        return s;
    }

    // The same failure with text before its message: the file or the layer that it concerns. That
    // text gives way where both do not fit.
    template <class... Parts>
    constexpr status within(const Parts&... parts) const noexcept {
        if (ok()) return *this;
        status s = failure(code_, parts...);
#if KOMPAKT_MESSAGES
        s.leave_room(length_);
#endif
        s.append(message());
        return s;
    }

  private:
#if KOMPAKT_MESSAGES
    // Cuts the middle of the text out so far that `more` characters fit behind it, if that leaves
    // enough to tell what it was.
    constexpr void leave_room(std::size_t more) noexcept {
        constexpr std::size_t least = 24, most = KOMPAKT_MESSAGE_BYTES - 1;
        const std::size_t room = more + least > most ? least : most - more;
        if (length_ <= room) return;
        const status whole = *this;
        length_ = 0;
        append_cut(whole.text_, whole.length_, room);
        for (std::size_t i = length_; i < whole.length_; ++i) text_[i] = '\0';
    }
#endif
    // A third of `room` from the front and the rest from the end of a longer text, not inside a
    // character of UTF-8.
    constexpr void append_cut(const char* text, std::size_t size, std::size_t room) noexcept {
        std::size_t head = room / 3, tail = size - (room - head - 3);
        while (head > 0 && is_continuation(text[head])) --head;
        while (tail < size && is_continuation(text[tail])) ++tail;
        for (std::size_t i = 0; i < head; ++i) append(text[i]);
        append("...");
        for (std::size_t i = tail; i < size; ++i) append(text[i]);
    }
    static constexpr bool is_continuation(char c) noexcept {
        return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    }
    constexpr void append(char c) noexcept {
#if KOMPAKT_MESSAGES
        if (length_ < KOMPAKT_MESSAGE_BYTES - 1) {
            // Messages are one line of printable text whatever names a hostile file contains.
            const auto u = static_cast<unsigned char>(c);
            text_[length_++] = u < 0x20 || u == 0x7f ? '?' : c;
        } else {
            text_[length_ - 1] = text_[length_ - 2] = text_[length_ - 3] = '.';
        }
#else
        static_cast<void>(c);
#endif
    }
    constexpr void append(const char* text) noexcept {
#if KOMPAKT_MESSAGES
        while (*text != '\0') append(*text++);
#else
        static_cast<void>(text);
#endif
    }
#if KOMPAKT_HOSTED
    constexpr void append(std::string_view text) noexcept {
        for (char c : text) append(c);
    }
    void append(const std::string& text) noexcept {
        constexpr std::size_t most = KOMPAKT_MESSAGE_BYTES / 3;
        if (text.size() <= most) return append(std::string_view(text));
        append_cut(text.data(), text.size(), most);
    }
#endif
    template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
    constexpr void append(Integer value) noexcept {
#if KOMPAKT_MESSAGES
        char digits[20] = {};
        int n = 0;
        // Negating after the conversion keeps the most negative value defined.
        auto u = static_cast<std::uint64_t>(value);
        if constexpr (std::is_signed_v<Integer>) {
            if (value < 0) {
                append('-');
                u = 0 - u;
            }
        }
        do {
            digits[n++] = static_cast<char>('0' + u % 10);
            u /= 10;
        } while (u != 0);
        while (n > 0) append(digits[--n]);
#else
        static_cast<void>(value);
#endif
    }

    // Four significant digits.
    template <class Real, std::enable_if_t<std::is_floating_point_v<Real>, int> = 0>
    constexpr void append(Real value) noexcept {
#if KOMPAKT_MESSAGES
        if (value != value) return append("NaN");
        if (value < 0) {
            append('-');
            value = -value;
        }
        if (value > static_cast<Real>(3.4028235e38f)) return append("infinity");
        auto x = static_cast<float>(value);
        if (x == 0.0f) return append('0');
        int exponent = 0;
        for (; x >= 10.0f; ++exponent) x /= 10.0f;
        for (; x < 1.0f; --exponent) x *= 10.0f;
        auto digits = static_cast<std::uint32_t>(x * 1000.0f + 0.5f);
        if (digits == 10000) {
            digits = 1000;
            ++exponent;
        }
        const bool plain = exponent >= -4 && exponent < 4;
        const int point = plain ? exponent : 0; // stands behind this digit
        if (point < 0) append("0.");
        for (int k = point; k < -1; ++k) append('0');
        int left = 4;
        for (std::uint32_t unit = 1000; unit != 0 && (digits != 0 || 4 - left <= point);
             unit /= 10, --left) {
            if (point >= 0 && 4 - left == point + 1) append('.');
            append(static_cast<char>('0' + digits / unit));
            digits %= unit;
        }
        if (!plain) {
            append('e');
            append(exponent);
        }
#else
        static_cast<void>(value);
#endif
    }

    errc code_ = errc::ok;
#if KOMPAKT_MESSAGES
    static_assert(KOMPAKT_MESSAGE_BYTES >= 32 && KOMPAKT_MESSAGE_BYTES <= 65535);
    std::uint16_t length_ = 0;
    char text_[KOMPAKT_MESSAGE_BYTES] = {};
#endif
};

// fail(errc::bad_file, "tensor ", i, ": needs ", n, " bytes, has ", m)
template <class... Parts>
constexpr status fail(errc code, const Parts&... parts) noexcept {
    return status::failure(code, parts...);
}

// A value or the status that says why there is none.
template <class T>
class [[nodiscard]] result {
    static_assert(!std::is_reference_v<T> && !std::is_same_v<std::remove_cv_t<T>, status>);

  public:
    result(const status& s) noexcept : status_(s), has_value_(false) {
        KOMPAKT_ASSERT(!s.ok(), "result: a status that is ok needs a value");
    }
    result(const T& value) : has_value_(true) { new (&value_) T(value); }
    result(T&& value) noexcept : has_value_(true) { new (&value_) T(std::move(value)); }

    result(const result& other) : status_(other.status_), has_value_(other.has_value_) {
        if (has_value_) new (&value_) T(other.value_);
    }
    result(result&& other) noexcept : status_(other.status_), has_value_(other.has_value_) {
        if (has_value_) new (&value_) T(std::move(other.value_));
    }
    result& operator=(result other) noexcept {
        destroy();
        status_ = other.status_;
        has_value_ = other.has_value_;
        if (has_value_) new (&value_) T(std::move(other.value_));
        return *this;
    }
    ~result() { destroy(); }

    bool ok() const noexcept { return has_value_; }
    explicit operator bool() const noexcept { return has_value_; }
    const status& error() const noexcept { return status_; }

    T& value() & noexcept { return checked(); }
    const T& value() const& noexcept { return const_cast<result*>(this)->checked(); }
    T&& value() && noexcept { return std::move(checked()); }
    T& operator*() & noexcept { return checked(); }
    const T& operator*() const& noexcept { return const_cast<result*>(this)->checked(); }
    T&& operator*() && noexcept { return std::move(checked()); }
    T* operator->() noexcept { return &checked(); }
    const T* operator->() const noexcept { return &const_cast<result*>(this)->checked(); }

  private:
    T& checked() noexcept {
        KOMPAKT_ASSERT(has_value_, "result: no value");
        return value_;
    }
    void destroy() noexcept {
        if (has_value_) value_.~T();
    }

    status status_;
    bool has_value_;
    union {
        T value_;
    };
};

} // namespace KOMPAKT_ABI
} // namespace kompakt

// Leaves the enclosing function with the failure, if there is one.
#define KOMPAKT_TRY(expression)                                                                    \
    do {                                                                                           \
        if (auto kompakt_try_ = (expression); !kompakt_try_.ok()) return kompakt_try_;             \
    } while (false)
