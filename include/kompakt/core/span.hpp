// A pointer and a length (std::span is C++20). Misuse is an assertion.
#pragma once

#include <kompakt/core/config.hpp>

#include <type_traits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class T>
class span {
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <std::size_t N>
    constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}

    // Any contiguous container: std::vector, std::array, std::string, another span.
    template <
        class Container,
        class = std::enable_if_t<
            !std::is_array_v<std::remove_reference_t<Container>> &&
            std::is_convertible_v<
                std::remove_pointer_t<decltype(std::declval<Container&>().data())> (*)[], T (*)[]>>>
    constexpr span(Container&& c) noexcept : data_(c.data()), size_(c.size()) {}

    constexpr T* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T* begin() const noexcept { return data_; }
    constexpr T* end() const noexcept { return data_ + size_; }
    constexpr T& front() const noexcept { return (*this)[0]; }
    constexpr T& back() const noexcept { return (*this)[size_ - 1]; }

    constexpr T& operator[](std::size_t i) const noexcept {
        KOMPAKT_ASSERT(i < size_, "span: index outside");
        return data_[i];
    }
    constexpr span first(std::size_t n) const noexcept { return subspan(0, n); }
    constexpr span subspan(std::size_t at) const noexcept { return subspan(at, size_ - at); }
    constexpr span subspan(std::size_t at, std::size_t n) const noexcept {
        KOMPAKT_ASSERT(at <= size_ && n <= size_ - at, "span: part outside");
        return {data_ + at, n};
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

using bytes_view = span<const std::byte>;
using bytes_span = span<std::byte>;

template <class T>
bytes_view as_bytes(span<T> s) noexcept {
    return {reinterpret_cast<const std::byte*>(s.data()), s.size_bytes()};
}
template <class T>
bytes_span as_writable_bytes(span<T> s) noexcept {
    return {reinterpret_cast<std::byte*>(s.data()), s.size_bytes()};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
