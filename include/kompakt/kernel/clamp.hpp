// The relu family: a clamp, on int8 and int16 with a change of scale and zero point.
#pragma once

#include <kompakt/kernel/quantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class Port, class InE, class OutE>
void clamp(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
           const clamp_f32_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) out.data()[i] = p.apply(in.data()[i]);
}

template <class T>
struct clamp_of {
    using params = rescale_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return check_rescale(c, dtype_of<T>); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        rescale(port, port, c.flat_input<T>(0), c.flat_output<T>(0), c.params<params>());
    }
};
struct clamp_i8 : clamp_of<std::int8_t> {
    static constexpr kernel_id id = kernel_id::clamp_i8;
    static constexpr const char* name = "clamp_i8";
};
struct clamp_i16 : clamp_of<std::int16_t> {
    static constexpr kernel_id id = kernel_id::clamp_i16;
    static constexpr const char* name = "clamp_i16";
};

struct clamp_f32 {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::clamp_f32;
    static constexpr const char* name = "clamp_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype::f32, dtype::f32));
        return check_float_clamp(c.params<params>());
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        clamp(port, port, c.flat_input<float>(0), c.flat_output<float>(0), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
