// The largest or the smallest element over any axes; of bool the logical or and and.
//
// float32: the result is never beyond the largest finite number toward infinities of the losing
// side, and NaN never wins, as in TensorFlow Lite Micro: what has no winner is the start, the
// finite number farthest away.
#pragma once

#include <kompakt/kernel/extreme.hpp>
#include <kompakt/kernel/reduction.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct reduce_extreme_params {
    std::int32_t axes = 0; // reduction.hpp
    extreme_params order;

    template <class F>
    static constexpr void fields(F&& f) {
        reduction_params::fields(f), extreme_params::fields(f);
    }
};

namespace detail {

inline status check_reduce_extreme(const call& c, dtype type) noexcept {
    const auto p = c.params<reduce_extreme_params>();
    KOMPAKT_TRY(check_reduction(c, p.axes, type));
    return check_order(p.order.smallest);
}
template <class T>
void reduce_extreme(const call& c, T start) noexcept {
    const auto p = c.params<reduce_extreme_params>();
    const reduction_loops loops(c, p.axes);
    const T* in = c.input_data<T>(0);
    T* to = c.output_data<T>(0);
    loops.for_each_output([&](std::int32_t at) {
        T best = start;
        loops.for_each_input([&](std::int32_t i) {
            if (p.order.wins(in[at + i], best)) best = in[at + i];
        });
        *to++ = best;
    });
}

} // namespace detail

struct reduce_extreme_int {
    using params = reduce_extreme_params;
    static constexpr kernel_id id = kernel_id::reduce_extreme_int;
    static constexpr const char* name = "reduce_extreme_int";
    static constexpr bool in_place = true; // output i needs inputs from i on only

    static status check(const call& c) noexcept {
        if (c.outputs() != 1) return fail(errc::bad_file, "needs one input and one output");
        const dtype type = c.output_record(0).type;
        KOMPAKT_TRY(detail::check_integer(type));
        return detail::check_reduce_extreme(c, type);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const bool smallest = c.params<params>().order.smallest != 0;
        const dtype type = c.output_record(0).type;
        detail::with_integer(type, [&](auto zero) {
            using T = decltype(zero);
            using limits = std::numeric_limits<T>;
            detail::reduce_extreme<T>(c, smallest ? (limits::max)() : (limits::min)());
        });
    }
};

struct reduce_extreme_f32 {
    using params = reduce_extreme_params;
    static constexpr kernel_id id = kernel_id::reduce_extreme_f32;
    static constexpr const char* name = "reduce_extreme_f32";
    static constexpr bool in_place = true; // output i needs inputs from i on only

    static status check(const call& c) noexcept {
        return detail::check_reduce_extreme(c, dtype::f32);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        constexpr float most = (std::numeric_limits<float>::max)();
        detail::reduce_extreme(c, c.params<params>().order.smallest != 0 ? most : -most);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
