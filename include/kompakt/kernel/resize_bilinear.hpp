// Bilinear resize of images: each output pixel is a mean of up to four of the input, by tables of
// positions and weights that lowering makes for whatever rule of coordinates.
//
//     in [n, h, w, c], out [n, oh, ow, c]; for rows and then for columns, constants: first [oh]
//     int32, the upper (left) of two neighbours, and weight [oh] of the lower (right) one. Where
//     the weight is 0 only the first is read. int8: weights in 1/1024, half away from zero.
#pragma once

#include <kompakt/kernel/resize_nearest_neighbor.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline constexpr std::int32_t bilinear_one = 1 << 10; // weights of int8, as in TensorFlow Lite

// What differs by element type. A mean of means is exact for int8: 127 * 2^20 fits int32.
struct bilinear_i8 {
    using element = std::int8_t;
    using weight = std::int32_t;
    static constexpr dtype type = dtype::i8, weight_type = dtype::i32;
    static constexpr weight one = bilinear_one;
    static std::int8_t mix(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d,
                           std::int32_t y, std::int32_t x) noexcept {
        const std::int32_t sum = (a * (one - y) + c * y) * (one - x) + (b * (one - y) + d * y) * x;
        return static_cast<std::int8_t>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
    }
};
struct bilinear_f32 {
    using element = float;
    using weight = float;
    static constexpr dtype type = dtype::f32, weight_type = dtype::f32;
    static constexpr weight one = 1.0f;
    static float mix(float a, float b, float c, float d, float y, float x) noexcept {
        return a * (one - y) * (one - x) + c * y * (one - x) + b * (one - y) * x + d * y * x;
    }
};

template <class Rule>
status check_bilinear_axis(const call& c, std::size_t first, std::int32_t n,
                           std::int32_t size) noexcept {
    KOMPAKT_TRY(check_index_table(c, first, n, size));
    const tensor_record& t = c.input_record(first + 1);
    KOMPAKT_TRY(check_operand(t, "weights", Rule::weight_type, 1));
    if (t.where != place::constant || c.elements(t) != static_cast<std::size_t>(n)) {
        return fail(errc::bad_file, "weights are not ", n, " constants");
    }
    const auto* at = c.input_data<std::int32_t>(first);
    const auto* w = c.input_data<typename Rule::weight>(first + 1);
    for (std::int32_t i = 0; i < n; ++i) {
        const bool reads_one = w[i] == typename Rule::weight{};
        if (reads_one || (w[i] > 0 && w[i] <= Rule::one && at[i] + 1 < size)) continue;
        return fail(errc::bad_file, "weight ", i, " is outside 0 to 1, or of an element outside");
    }
    return {};
}

template <class Rule, class Port, class InE, class OutE>
void resize_bilinear(portable, Port, const tensor<const typename Rule::element, InE>& in,
                     const std::int32_t* rows, const typename Rule::weight* row_weights,
                     const std::int32_t* columns, const typename Rule::weight* column_weights,
                     const tensor<typename Rule::element, OutE>& out) noexcept {
    using weight = typename Rule::weight;
    static_assert(InE::rank() == 4 && OutE::rank() == 4);
    const auto channels = static_cast<std::size_t>(in.dim(3));
    const std::size_t row = static_cast<std::size_t>(in.dim(2)) * channels;
    const auto* image = in.data();
    auto* to = out.data();
    for (std::int32_t n = 0; n < out.dim(0); ++n) {
        for (std::int32_t y = 0; y < out.dim(1); ++y) {
            const weight wy = row_weights[y];
            const auto* upper = image + static_cast<std::size_t>(rows[y]) * row;
            const std::size_t down = wy != weight{} ? row : 0;
            for (std::int32_t x = 0; x < out.dim(2); ++x) {
                const weight wx = column_weights[x];
                const auto* p = upper + static_cast<std::size_t>(columns[x]) * channels;
                const std::size_t right = wx != weight{} ? channels : 0;
                for (std::size_t k = 0; k < channels; ++k, ++p) {
                    *to++ = Rule::mix(p[0], p[right], p[down], p[down + right], wy, wx);
                }
            }
        }
        image += static_cast<std::size_t>(in.dim(1)) * row;
    }
}

template <class Rule>
struct resize_bilinear_family {
    struct params {
        template <class F>
        static constexpr void fields(F&&) {}
    };

    static status check(const call& c) noexcept {
        if (c.output_record(0).type != Rule::type) {
            return fail(errc::unsupported, "output: needed ", name_of(Rule::type));
        }
        KOMPAKT_TRY(check_one_to_one(c, 5));
        KOMPAKT_TRY(resize_nearest_neighbor::check_image(c));
        const auto in = c.input<std::byte, 4>(0);
        const auto out = c.output<std::byte, 4>(0);
        KOMPAKT_TRY(check_bilinear_axis<Rule>(c, 1, out.dim(1), in.dim(1)));
        return check_bilinear_axis<Rule>(c, 3, out.dim(2), in.dim(2));
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        using element = typename Rule::element;
        using weight = typename Rule::weight;
        resize_bilinear<Rule>(port, port, c.input<element, 4>(0), c.input_data<std::int32_t>(1),
                              c.input_data<weight>(2), c.input_data<std::int32_t>(3),
                              c.input_data<weight>(4), c.output<element, 4>(0));
    }
};

struct resize_bilinear_i8 : resize_bilinear_family<bilinear_i8> {
    static constexpr kernel_id id = kernel_id::resize_bilinear_i8;
    static constexpr const char* name = "resize_bilinear_i8";
};
struct resize_bilinear_f32 : resize_bilinear_family<bilinear_f32> {
    static constexpr kernel_id id = kernel_id::resize_bilinear_f32;
    static constexpr const char* name = "resize_bilinear_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
