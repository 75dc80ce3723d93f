// Sums of all elements up to each along one axis; exclusive: without the element itself; reverse:
// from the last element backward.
//
//     out: the shape of in
//
// int8: as the sum of many tensors (add_n.hpp), with its start (docs/arithmetic.md 18). The sum
// wraps; TensorFlow Lite Micro leaves that undefined.
#pragma once

#include <kompakt/kernel/add_n.hpp>
#include <kompakt/kernel/axis.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct cumsum_params {
    std::int32_t axis = 0; // from 0
    std::int32_t exclusive = 0, reverse = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("axis"), f("exclusive"), f("reverse");
    }
};
struct cumsum_i8_params {
    cumsum_params how;
    add_n_i8_params sum;

    template <class F>
    static constexpr void fields(F&& f) {
        cumsum_params::fields(f), add_n_i8_params::fields(f);
    }
};

namespace detail {

inline status check_cumsum(const call& c, const cumsum_params& p, dtype type) noexcept {
    KOMPAKT_TRY(check_axis(c, p.axis, type, type));
    if (c.elements(c.input_record(0)) == c.elements(c.output_record(0))) return {};
    return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)), " elements, input ",
                c.elements(c.input_record(0)));
}
// `add(sum, x)` is the sum with one more element, `finish(sum)` what is stored.
template <class T, class Sum, class Add, class Finish>
void cumsum(const call& c, const cumsum_params& p, Sum start, Add&& add, Finish&& finish) noexcept {
    const axis_loops loops(c, p.axis);
    const T* in = c.input_data<T>(0);
    T* out = c.output_data<T>(0);
    loops.for_each_lane([&](std::int32_t first) {
        Sum sum = start;
        for (std::int32_t i = 0; i < loops.along; ++i) {
            const std::int32_t at =
                first + (p.reverse != 0 ? loops.along - 1 - i : i) * loops.inner;
            const Sum next = add(sum, in[at]);
            out[at] = finish(p.exclusive != 0 ? sum : next);
            sum = next;
        }
    });
}

} // namespace detail

struct cumsum_i8 {
    using params = cumsum_i8_params;
    static constexpr kernel_id id = kernel_id::cumsum_i8;
    static constexpr const char* name = "cumsum_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(detail::check_cumsum(c, p.how, dtype::i8));
        return check_add_n(p.sum);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        detail::cumsum<std::int8_t>(
            c, p.how, p.sum.term(0),
            [&](std::int32_t sum, std::int8_t q) { return wrap_add(sum, p.sum.term(q)); },
            [&](std::int32_t sum) {
                return detail::to_output<std::int8_t>(sum, p.sum.result, p.sum.output);
            });
    }
};

struct cumsum_f32 {
    using params = cumsum_params;
    static constexpr kernel_id id = kernel_id::cumsum_f32;
    static constexpr const char* name = "cumsum_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        return detail::check_cumsum(c, c.params<params>(), dtype::f32);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        detail::cumsum<float>(
            c, c.params<params>(), 0.0f, [](float sum, float x) { return sum + x; },
            [](float sum) { return sum; });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
