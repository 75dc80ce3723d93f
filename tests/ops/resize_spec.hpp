#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/resize_bilinear.hpp>

namespace kompakt_test {

// Coordinates in float32, as TensorFlow Lite computes them.
inline double resize_place(const kompakt::ops::resize_attributes& r, std::int64_t at,
                           std::int64_t in, std::int64_t out) {
    const float scale = r.align_corners && out > 1
                            ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                            : static_cast<float>(in) / static_cast<float>(out);
    return static_cast<double>((static_cast<float>(at) + (r.half_pixel_centers ? 0.5f : 0.0f)) *
                               scale);
}

inline void resize_nearest_neighbor_reference(const op_arguments& a, values& out) {
    const auto& r = a.op<kompakt::ops::resize_nearest_neighbor>().size;
    const values& in = a.inputs[0];
    move_reference(in, out, [&](place_in at) {
        for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
            const double x = resize_place(r, at[i], in.dims[i], out.dims[i]);
            const auto whole =
                static_cast<std::int64_t>(r.align_corners ? std::round(x) : std::floor(x));
            at[i] = (std::min)((std::max)(whole, std::int64_t{0}), in.dims[i] - 1);
        }
        return at;
    });
}

// int8: coordinates and weights in 1/1024, the mean half away from zero.
inline void resize_bilinear_reference(const op_arguments& a, values& out) {
    const auto& r = a.op<kompakt::ops::resize_bilinear>().size;
    const values& in = a.inputs[0];
    const bool integer = a.integer();
    struct axis {
        std::int64_t low, high;
        double weight;
    };
    const auto resolve = [&](std::int64_t at, std::int64_t n, std::int64_t m) {
        double x = resize_place(r, at, n, m) - (r.half_pixel_centers ? 0.5 : 0.0);
        if (integer) {
            const bool corners = r.align_corners && m > 1;
            const std::int64_t parts = corners ? m - 1 : m;
            const std::int64_t scale = (1024 * (corners ? n - 1 : n) + parts / 2) / parts;
            x = static_cast<double>(at * scale + (r.half_pixel_centers ? scale / 2 - 512 : 0)) /
                1024;
        }
        x = (std::min)((std::max)(x, 0.0), static_cast<double>(n - 1));
        const auto low = static_cast<std::int64_t>(x);
        return axis{low, (std::min)(low + 1, n - 1), x - static_cast<double>(low)};
    };
    for (std::int64_t n = 0; n < out.dims[0]; ++n) {
        for (std::int64_t y = 0; y < out.dims[1]; ++y) {
            const axis v = resolve(y, in.dims[1], out.dims[1]);
            for (std::int64_t x = 0; x < out.dims[2]; ++x) {
                const axis h = resolve(x, in.dims[2], out.dims[2]);
                for (std::int64_t c = 0; c < out.dims[3]; ++c) {
                    const double upper = in.at(n, v.low, h.low, c) * (1 - h.weight) +
                                         in.at(n, v.low, h.high, c) * h.weight;
                    const double lower = in.at(n, v.high, h.low, c) * (1 - h.weight) +
                                         in.at(n, v.high, h.high, c) * h.weight;
                    const double mean = upper * (1 - v.weight) + lower * v.weight;
                    out.at(n, y, x, c) = integer ? std::round(mean) : mean;
                }
            }
        }
    }
}

template <class Op>
void add_resizes(op_spec& s, std::initializer_list<dtype> types) {
    struct sizes {
        std::int64_t h, w;
        std::int32_t to_h, to_w;
    };
    const sizes all[] = {{1, 1, 1, 1}, {1, 1, 3, 5},   {5, 7, 1, 1},   {4, 6, 8, 12}, {8, 6, 4, 3},
                         {3, 5, 7, 4}, {7, 3, 20, 33}, {2, 2, 255, 3}, {1, 9, 2, 150}};
    for (const dtype type : types) {
        for (const sizes& z : all) {
            for (int mode = 0; mode < 4; ++mode) {
                Op op;
                op.size.height = z.to_h, op.size.width = z.to_w;
                op.size.align_corners = mode & 1, op.size.half_pixel_centers = mode & 2;
                if (mode == 3 && std::is_same_v<Op, kompakt::ops::resize_bilinear>) continue;
                const kompakt::shape in = {2, kompakt::dim(z.h), kompakt::dim(z.w), 3};
                case_builder b(kompakt::text_of(in) + " to " + std::to_string(z.to_h) + " by " +
                               std::to_string(z.to_w) + ", mode " + std::to_string(mode) + " " +
                               kompakt::name_of(type));
                const auto q = some_scale(type);
                const tensor_id x = b.input(type, in, q);
                s.cases.push_back(b.finish(op, {x}, q));
            }
        }
        Op op;
        op.size.height = op.size.width = 32;
        case_builder b(std::string("16 to 32 ") + kompakt::name_of(type));
        const tensor_id x = b.input(type, {1, 16, 16, 16}, some_scale(type));
        s.cases.push_back(b.finish(op, {x}, some_scale(type), true));
    }
}
inline op_spec resize_nearest_neighbor_spec() {
    op_spec s{"resize_nearest_neighbor", {}, resize_nearest_neighbor_reference};
    add_resizes<kompakt::ops::resize_nearest_neighbor>(
        s, {dtype::i8, dtype::i16, dtype::f32, dtype::i64});
    return s;
}
inline op_spec resize_bilinear_spec() {
    op_spec s{"resize_bilinear", {}, resize_bilinear_reference};
    add_resizes<kompakt::ops::resize_bilinear>(s, {dtype::i8, dtype::f32});
    return s;
}

} // namespace kompakt_test
