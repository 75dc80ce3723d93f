// extents and tensor: a view of elements in row-major order whose dimensions are compile-time
// constants or run-time values, each by itself (as in std::mdspan).
//
//     tensor<const std::int8_t, extents<1, 49, 10, 1>> a(pointer);         // all known
//     tensor<float, dynamic_extents<4>> b(pointer, {n, h, w, c});           // none known
#pragma once

#include <kompakt/core/config.hpp>

#include <utility>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline constexpr std::int32_t dynamic_extent = -1;

namespace detail {
// Keeps the run-time values of the dynamic dimensions only; a fully static shape is empty.
template <std::size_t N>
struct extent_values {
    std::int32_t value[N];
};
template <>
struct extent_values<0> {};
} // namespace detail

template <std::int32_t... Dims>
class extents : detail::extent_values<((Dims == dynamic_extent ? 1 : 0) + ... + 0)> {
    static constexpr std::size_t dynamic_count = ((Dims == dynamic_extent ? 1 : 0) + ... + 0);
    using values = detail::extent_values<dynamic_count>;

    static constexpr std::int32_t static_dims[sizeof...(Dims) + 1] = {Dims..., 0};

    static constexpr std::size_t slot(std::size_t i) noexcept {
        std::size_t n = 0;
        for (std::size_t k = 0; k < i; ++k) n += static_dims[k] == dynamic_extent ? 1 : 0;
        return n;
    }

  public:
    static constexpr std::size_t rank() noexcept { return sizeof...(Dims); }
    static constexpr bool all_static() noexcept { return dynamic_count == 0; }
    static constexpr bool all_dynamic() noexcept { return dynamic_count == sizeof...(Dims); }
    // The constant, or dynamic_extent.
    static constexpr std::int32_t static_dim(std::size_t i) noexcept { return static_dims[i]; }

    constexpr extents() noexcept : values{} {}

    // All dimensions, static ones included (they are asserted to agree).
    template <class... Ints,
              class = std::enable_if_t<sizeof...(Ints) == sizeof...(Dims) && (sizeof...(Ints) > 0)>>
    constexpr explicit extents(Ints... dims) noexcept : values{} {
        const std::int32_t all[] = {static_cast<std::int32_t>(dims)...};
        assign(all);
    }
    static constexpr extents from(const std::int32_t* dims) noexcept {
        extents e;
        e.assign(dims);
        return e;
    }

    template <std::size_t Axis>
    constexpr std::int32_t get() const noexcept {
        if constexpr (static_dims[Axis] != dynamic_extent) {
            return static_dims[Axis];
        } else {
            return this->value[slot(Axis)];
        }
    }
    constexpr std::int32_t operator[](std::size_t i) const noexcept {
        if constexpr (dynamic_count == 0) {
            return static_dims[i];
        } else if constexpr (dynamic_count == sizeof...(Dims)) {
            return this->value[i];
        } else {
            return static_dims[i] != dynamic_extent ? static_dims[i] : this->value[slot(i)];
        }
    }
    constexpr std::size_t size() const noexcept {
        return product(std::make_index_sequence<rank()>{});
    }

  private:
    constexpr void assign(const std::int32_t* dims) noexcept {
        if constexpr (dynamic_count > 0) {
            std::size_t n = 0;
            for (std::size_t i = 0; i < sizeof...(Dims); ++i) {
                if (static_dims[i] == dynamic_extent) {
                    this->value[n++] = dims[i];
                } else {
                    KOMPAKT_ASSERT(dims[i] == static_dims[i], "extents: not the static dimension");
                }
            }
        } else {
            static_cast<void>(dims);
        }
    }
    template <std::size_t... Axis>
    constexpr std::size_t product(std::index_sequence<Axis...>) const noexcept {
        return (static_cast<std::size_t>(get<Axis>()) * ... * std::size_t{1});
    }
};

namespace detail {
template <std::size_t, std::int32_t V>
inline constexpr std::int32_t repeated = V;

template <class Indices>
struct dynamic_extents_of;
template <std::size_t... Axis>
struct dynamic_extents_of<std::index_sequence<Axis...>> {
    using type = extents<repeated<Axis, dynamic_extent>...>;
};
} // namespace detail

template <std::size_t Rank>
using dynamic_extents = typename detail::dynamic_extents_of<std::make_index_sequence<Rank>>::type;

template <class T, class Extents>
class tensor : Extents {
  public:
    using element_type = T;
    using extents_type = Extents;

    constexpr tensor() noexcept = default;
    constexpr explicit tensor(T* data) noexcept : data_(data) {
        static_assert(Extents::all_static(), "tensor: dynamic dimensions need values");
    }
    constexpr tensor(T* data, const Extents& e) noexcept : Extents(e), data_(data) {}

    static constexpr std::size_t rank() noexcept { return Extents::rank(); }
    constexpr T* data() const noexcept { return data_; }
    constexpr const Extents& shape() const noexcept { return *this; }
    template <std::size_t Axis>
    constexpr std::int32_t dim() const noexcept {
        return this->template get<Axis>();
    }
    constexpr std::int32_t dim(std::size_t i) const noexcept { return shape()[i]; }
    constexpr std::size_t size() const noexcept { return Extents::size(); }

    constexpr operator tensor<const T, Extents>() const noexcept { return {data_, shape()}; }

  private:
    T* data_ = nullptr;
};

// A tensor of run-time dimensions: what sessions use.
template <class T, std::size_t Rank>
using dynamic_tensor = tensor<T, dynamic_extents<Rank>>;

} // namespace KOMPAKT_ABI
} // namespace kompakt
