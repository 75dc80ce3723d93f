// The index (int32) of the largest or the smallest element along one axis; of equal ones the first.
// NaN never wins, and nothing wins against a NaN in front.
//
//     out: the input's shape without the axis
#pragma once

#include <kompakt/kernel/axis.hpp>
#include <kompakt/kernel/extreme.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct arg_extreme_params {
    std::int32_t axis = 0; // of the input, from 0
    extreme_params order;

    template <class F>
    static constexpr void fields(F&& f) {
        f("axis"), extreme_params::fields(f);
    }
};

namespace detail {

inline status check_arg_extreme(const call& c, dtype type) noexcept {
    const auto p = c.params<arg_extreme_params>();
    KOMPAKT_TRY(check_axis(c, p.axis, type, dtype::i32));
    const axis_loops loops(c, p.axis);
    const auto needed =
        static_cast<std::size_t>(loops.outer) * static_cast<std::size_t>(loops.inner);
    if (c.elements(c.output_record(0)) != needed) {
        return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                    " elements, needed ", needed);
    }
    return check_order(p.order.smallest);
}
template <class T>
void arg_extreme(const call& c) noexcept {
    const auto p = c.params<arg_extreme_params>();
    const axis_loops loops(c, p.axis);
    const T* in = c.input_data<T>(0);
    auto* to = c.output_data<std::int32_t>(0);
    loops.for_each_lane([&](std::int32_t first) {
        std::int32_t best = 0;
        for (std::int32_t i = 1; i < loops.along; ++i) {
            if (p.order.wins(in[first + i * loops.inner], in[first + best * loops.inner])) best = i;
        }
        *to++ = best;
    });
}

} // namespace detail

struct arg_extreme_int {
    using params = arg_extreme_params;
    static constexpr kernel_id id = kernel_id::arg_extreme_int;
    static constexpr const char* name = "arg_extreme_int";

    static status check(const call& c) noexcept {
        if (c.inputs() != 1) return fail(errc::bad_file, "needs one input and one output");
        const dtype type = c.input_record(0).type;
        KOMPAKT_TRY(detail::check_integer(type));
        return detail::check_arg_extreme(c, type);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::with_integer(c.input_record(0).type,
                             [&](auto zero) { detail::arg_extreme<decltype(zero)>(c); });
    }
};

struct arg_extreme_f32 {
    using params = arg_extreme_params;
    static constexpr kernel_id id = kernel_id::arg_extreme_f32;
    static constexpr const char* name = "arg_extreme_f32";

    static status check(const call& c) noexcept { return detail::check_arg_extreme(c, dtype::f32); }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::arg_extreme<float>(c);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
