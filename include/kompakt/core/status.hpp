// status and result<T>: how every fallible call answers. No exceptions, no heap: the message is
// composed inside the status, from text and numbers, and can be stripped (KOMPAKT_MESSAGES 0).
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>

#include <limits>
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
    // characters. Of a message that is too long the middle is left out ("..."): names of hostile
    // length stand before the reason, which must be read.
    template <class... Parts>
    static constexpr status failure(errc code, const Parts&... parts) noexcept {
        status s;
        s.code_ = code;
        (s.append(parts), ...);
        return s;
    }

    // The same failure with text before its message: the file or the layer that it concerns.
    template <class... Parts>
    constexpr status within(const Parts&... parts) const noexcept {
        if (ok()) return *this;
        status s = failure(code_, parts...);
        s.append(message());
        return s;
    }

  private:
    constexpr void append(char c) noexcept {
#if KOMPAKT_MESSAGES
        constexpr int most = KOMPAKT_MESSAGE_BYTES - 1;
        if (length_ < most) {
            ++length_;
        } else {
            for (int i = 0; i < 3; ++i) text_[message_head + i] = '.';
            for (int i = message_head + 3; i < most - 1; ++i) text_[i] = text_[i + 1];
        }
        // Messages are one line of printable text whatever names a hostile file contains.
        const auto u = static_cast<unsigned char>(c);
        text_[length_ - 1] = u < 0x20 || u == 0x7f ? '?' : c;
#else
        static_cast<void>(c);
#endif
    }
    constexpr void append(const char* text) noexcept {
#if KOMPAKT_MESSAGES
        std::size_t size = 0;
        while (text[size] != '\0') ++size;
        append(text, size);
#else
        static_cast<void>(text);
#endif
    }
    constexpr void append(const char* text, std::size_t size) noexcept {
#if KOMPAKT_MESSAGES
        // No more than the ends of a long text can stay.
        constexpr std::size_t end = KOMPAKT_MESSAGE_BYTES;
        for (std::size_t i = 0; i < size; ++i) {
            if (i == end && size > 2 * end) i = size - end;
            append(text[i]);
        }
#else
        static_cast<void>(text);
        static_cast<void>(size);
#endif
    }
#if KOMPAKT_HOSTED
    constexpr void append(std::string_view text) noexcept {
        append(text.data(), text.size());
    }
    void append(const std::string& text) noexcept {
        append(std::string_view(text));
    }
#endif
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
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

    // Six digits, as "%g" would write them or one in the last place off: no double, no stdio.
    constexpr void append(float value) noexcept {
#if KOMPAKT_MESSAGES
        if (value != value) return append("nan");
        if (value < 0) append('-');
        float x = value < 0 ? -value : value;
        if (x > (std::numeric_limits<float>::max)()) return append("inf");
        if (x == 0) return append('0');
        int exponent = 0;
        while (x >= 10) x /= 10, ++exponent;
        while (x < 1) x *= 10, --exponent;
        auto digits = static_cast<std::uint32_t>(x * 100000 + 0.5f);
        if (digits >= 1000000) digits /= 10, ++exponent;
        int count = 6;
        while (digits % 10 == 0) digits /= 10, --count;
        char text[6] = {};
        for (int i = count; i-- > 0; digits /= 10) text[i] = static_cast<char>('0' + digits % 10);
        const bool plain = exponent >= -5 && exponent < 6;
        const int point = plain ? exponent : 0; // the digit that the point comes after
        if (point < 0) append("0.");
        for (int i = -1; i > point; --i) append('0');
        for (int i = 0; i < count || i <= point; ++i) {
            if (i != 0 && i == point + 1) append('.');
            append(i < count ? text[i] : '0');
        }
        if (!plain) {
            append('e');
            append(exponent);
        }
#else
        static_cast<void>(value);
#endif
    }
    constexpr void append(double value) noexcept {
        constexpr double most = (std::numeric_limits<float>::max)();
        append(static_cast<float>(value > most ? most : value < -most ? -most : value));
    }

    errc code_ = errc::ok;
#if KOMPAKT_MESSAGES
    // What stays before the dots of a long message; the rest is for the reason.
    static constexpr int message_head = (KOMPAKT_MESSAGE_BYTES - 1) / 3;
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
