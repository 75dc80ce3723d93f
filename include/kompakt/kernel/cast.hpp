// Casts between element types, elementwise, as C++ converts numbers; what C++ leaves open is
// defined: floats beyond the type give its least or greatest number, NaN gives 0.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/integers.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/unary.hpp>
#include <kompakt/numeric/half.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

inline status check_cast(const call& c, bool float_in, bool float_out) noexcept {
    if (c.inputs() != 1 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs one input and one output");
    }
    const dtype in = c.input_record(0).type, out = c.output_record(0).type;
    if (!(float_in ? in == dtype::f32 : is_integer(in)) ||
        !(float_out ? out == dtype::f32 : is_integer(out))) {
        return fail(errc::unsupported, "from ", name_of(in), " to ", name_of(out));
    }
    return check_unary(c, in, out);
}
template <class F>
void for_each_element(const call& c, F&& f) noexcept {
    const tensor_record &from = c.input_record(0), &to = c.output_record(0);
    const std::size_t n = c.elements(to), in_size = bits_of(from.type) / 8,
                      out_size = bits_of(to.type) / 8;
    const auto* in = c.input_data<std::byte>(0);
    auto* out = c.output_data<std::byte>(0);
    for (std::size_t i = 0; i < n; ++i, in += in_size, out += out_size) {
        f(in, from.type, out, to.type);
    }
}

} // namespace detail

// Toward zero.
inline std::int64_t truncate_f32(float x, dtype to) noexcept {
    if (x != x) return 0;
    if (to == dtype::boolean) return x != 0.0f ? 1 : 0;
    const bool is_unsigned = to == dtype::u8 || to == dtype::u16 || to == dtype::u32;
    const unsigned bits = bits_of(to) - (is_unsigned ? 0 : 1);
    // 2^bits, which is a float.
    const float above = float_of_bits((bits + 127) << 23);
    const std::int64_t most = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    if (x >= above) return most;
    if (is_unsigned) return x > 0.0f ? static_cast<std::int64_t>(x) : 0;
    return x <= -above ? -most - 1 : static_cast<std::int64_t>(x);
}

// Integers and bool, which keep their low bits.
struct cast_integers {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::cast_integers;
    static constexpr const char* name = "cast_integers";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_cast(c, false, false); }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::for_each_element(c, [](const std::byte* in, dtype from, std::byte* out, dtype to) {
            store_integer(out, to, load_integer(in, from));
        });
    }
};

struct cast_integers_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::cast_integers_f32;
    static constexpr const char* name = "cast_integers_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_cast(c, false, true); }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::for_each_element(c, [](const std::byte* in, dtype from, std::byte* out, dtype) {
            const auto x = static_cast<float>(load_integer(in, from));
            std::memcpy(out, &x, sizeof x);
        });
    }
};

struct cast_f32_integers {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::cast_f32_integers;
    static constexpr const char* name = "cast_f32_integers";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_cast(c, true, false); }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::for_each_element(c, [](const std::byte* in, dtype, std::byte* out, dtype to) {
            store_integer(out, to, truncate_f32(detail::load_element<float>(in), to));
        });
    }
};

// Half precision: constants of models that are stored so.
struct dequantize_f16_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::dequantize_f16_f32;
    static constexpr const char* name = "dequantize_f16_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return check_unary(c, dtype::f16, dtype::f32); }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::for_each_element(c, [](const std::byte* in, dtype, std::byte* out, dtype) {
            const float x = float_of_half(detail::load_element<std::uint16_t>(in));
            std::memcpy(out, &x, sizeof x);
        });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
