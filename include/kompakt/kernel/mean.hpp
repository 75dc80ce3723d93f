// Mean over any axes.
//
//     in of rank 1 to 6, out: the axes that are kept, in order
//
// int8: sum of (input - zero point), then one multiplier that holds 1 / count as well; the host
// folds it in (graph/ops/mean.hpp). Source: TensorFlow Lite's reference_ops::QuantizedMeanOrSum.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Bit k of `axes`: the mean runs over axis `rank - 1 - k`, so that leading ones change nothing.
struct mean_i8_params {
    std::int32_t axes = 0;
    std::int32_t input_zero_point = 0;
    std::int32_t q31 = 0, shift = 0;
    std::int32_t output_zero_point = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("axes"), f("input_zero_point"), f("multiplier"), f("shift"), f("output_zero_point");
    }
};

struct mean_f32_params {
    std::int32_t axes = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("axes");
    }
};

namespace detail {

// A tensor whose neighbouring axes of the same fate are joined: at most three that are kept and
// three that are summed, outermost first, absent ones of extent 1.
struct mean_loops {
    struct axis {
        std::int32_t extent = 1, stride = 0;
    };
    axis kept[3], summed[3];
    std::int32_t count = 1; // elements in one sum

    template <class Extents>
    mean_loops(const Extents& e, std::int32_t axes) noexcept {
        static_assert(Extents::rank() <= 6, "mean: more than three axes of one kind");
        axis* next[2] = {kept + 3, summed + 3};
        axis* current = nullptr;
        bool before = false;
        std::int32_t stride = 1;
        for (std::size_t k = 0; k < Extents::rank(); ++k) {
            const std::int32_t extent = e[Extents::rank() - 1 - k];
            const bool sum = (axes >> k & 1) != 0;
            if (extent == 1) continue;
            if (current == nullptr || sum != before) {
                current = --next[sum ? 1 : 0];
                current->stride = stride;
            }
            before = sum;
            current->extent *= extent;
            stride *= extent;
            if (sum) count *= extent;
        }
    }

    // Calls `element(offset)` for each output in order, offset that of its first input.
    template <class F>
    void for_each_output(F&& element) const noexcept {
        for_each(kept, static_cast<F&&>(element));
    }
    // Calls `element(offset)` for each input of one output.
    template <class F>
    void for_each_input(F&& element) const noexcept {
        for_each(summed, static_cast<F&&>(element));
    }

  private:
    template <class F>
    static void for_each(const axis (&a)[3], F&& element) noexcept {
        for (std::int32_t i = 0; i < a[0].extent; ++i) {
            for (std::int32_t j = 0; j < a[1].extent; ++j) {
                const std::int32_t at = i * a[0].stride + j * a[1].stride;
                for (std::int32_t k = 0; k < a[2].extent; ++k) element(at + k * a[2].stride);
            }
        }
    }
};

} // namespace detail

template <class Port, class InE, class OutE>
void mean(portable, Port, const tensor<const std::int8_t, InE>& in,
          const tensor<std::int8_t, OutE>& out, const mean_i8_params& p) noexcept {
    const detail::mean_loops loops(in.shape(), p.axes);
    // Wraps, as the sum does.
    const std::int32_t zeros = wrap_mul(p.input_zero_point, loops.count);
    std::int8_t* to = out.data();
    loops.for_each_output([&](std::int32_t at) {
        const std::int8_t* from = in.data() + at;
        std::int32_t sum = 0;
        loops.for_each_input([&](std::int32_t i) { sum = wrap_add(sum, from[i]); });
        const std::int32_t scaled = requantize(wrap_sub(sum, zeros), p.q31, p.shift);
        *to++ = static_cast<std::int8_t>(clamp(wrap_add(scaled, p.output_zero_point), -128, 127));
    });
}

template <class Port, class InE, class OutE>
void mean(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
          const mean_f32_params& p) noexcept {
    const detail::mean_loops loops(in.shape(), p.axes);
    float* to = out.data();
    loops.for_each_output([&](std::int32_t at) {
        const float* from = in.data() + at;
        float sum = 0.0f;
        loops.for_each_input([&](std::int32_t i) { sum += from[i]; });
        *to++ = sum / static_cast<float>(loops.count);
    });
}

namespace detail {

inline status check_mean(const call& c, std::int32_t axes, dtype type) noexcept {
    if (c.inputs() != 1 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs one input and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, max_rank));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, max_rank));
    if (axes < 0 || axes >= 1 << max_rank) return fail(errc::bad_file, "axes ", axes);
    const auto in = c.input<std::byte, max_rank>(0);
    std::size_t outputs = 1;
    for (std::size_t k = 0; k < max_rank; ++k) {
        if ((axes >> k & 1) == 0) outputs *= static_cast<std::size_t>(in.dim(max_rank - 1 - k));
    }
    if (c.elements(c.output_record(0)) != outputs) {
        return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                    " elements, needed ", outputs);
    }
    if (c.by_rows()) return fail(errc::bad_file, "cannot run by rows");
    return {};
}

} // namespace detail

struct mean_i8 {
    using params = mean_i8_params;
    static constexpr kernel_id id = kernel_id::mean_i8;
    static constexpr const char* name = "mean_i8";
    static constexpr bool in_place = true; // output i needs inputs from i on only

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(detail::check_mean(c, p.axes, dtype::i8));
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype::i8));
        KOMPAKT_TRY(check_zero_point("output", p.output_zero_point, dtype::i8));
        return check_multiplier(p.q31, p.shift);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mean(port, port, c.input<std::int8_t, max_rank>(0), c.flat_output<std::int8_t>(0),
             c.params<params>());
    }
};

struct mean_f32 {
    using params = mean_f32_params;
    static constexpr kernel_id id = kernel_id::mean_f32;
    static constexpr const char* name = "mean_f32";
    static constexpr bool in_place = true; // output i needs inputs from i on only

    static status check(const call& c) noexcept {
        return detail::check_mean(c, c.params<params>().axes, dtype::f32);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mean(port, port, c.input<float, max_rank>(0), c.flat_output<float>(0), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
