// Operators that resize images.
#pragma once

#include <kompakt/graph/ops/resize_bilinear.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_resize(operator_reader& r, std::uint16_t align_corners,
                          std::uint16_t half_pixel_centers, ops::resize_attributes& a) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    const auto size = r.integers(1, "size");
    if (!size.ok()) return size.error();
    if (size->size() != 2) return fail(errc::bad_file, "size of ", size->size(), " numbers");
    a.height = (*size)[0], a.width = (*size)[1];
    a.align_corners = r.options.scalar<bool>(align_corners, false);
    a.half_pixel_centers = r.options.scalar<bool>(half_pixel_centers, false);
    r.inputs.resize(1);
    return {};
}
inline status read_resize_bilinear(operator_reader& r) {
    ops::resize_bilinear b;
    // The size of files before it was an input.
    r.options.scalar<std::int32_t>(resize_bilinear_field::old_height, 0);
    r.options.scalar<std::int32_t>(resize_bilinear_field::old_width, 0);
    KOMPAKT_TRY(read_resize(r, resize_bilinear_field::align_corners,
                            resize_bilinear_field::half_pixel_centers, b.size));
    return r.make(std::move(b));
}
inline status read_resize_nearest_neighbor(operator_reader& r) {
    ops::resize_nearest_neighbor n;
    KOMPAKT_TRY(read_resize(r, resize_nearest_field::align_corners,
                            resize_nearest_field::half_pixel_centers, n.size));
    return r.make(std::move(n));
}

inline status write_resize_bilinear(operator_writer& w, const op& o) {
    const ops::resize_attributes& a = o.as<ops::resize_bilinear>()->size;
    const int version = w.input(0).type == dtype::i16 ? 4
                        : a.half_pixel_centers        ? 3
                                                      : w.version(1, 2, 4);
    w.constant("size", {a.height, a.width});
    w.add(
        builtin::resize_bilinear, version, options_type::resize_bilinear,
        flatbuffer::fields()
            .scalar<bool>(resize_bilinear_field::align_corners, a.align_corners, false)
            .scalar<bool>(resize_bilinear_field::half_pixel_centers, a.half_pixel_centers, false));
    return {};
}
inline status write_resize_nearest_neighbor(operator_writer& w, const op& o) {
    const ops::resize_attributes& a = o.as<ops::resize_nearest_neighbor>()->size;
    const int version = w.input(0).type == dtype::i16             ? 4
                        : a.half_pixel_centers || a.align_corners ? 3
                                                                  : w.version(1, 2, 4);
    w.constant("size", {a.height, a.width});
    w.add(builtin::resize_nearest_neighbor, version, options_type::resize_nearest_neighbor,
          flatbuffer::fields()
              .scalar<bool>(resize_nearest_field::align_corners, a.align_corners, false)
              .scalar<bool>(resize_nearest_field::half_pixel_centers, a.half_pixel_centers, false));
    return {};
}

inline constexpr operator_entry resizing_operators[] = {
    {builtin::resize_bilinear, 4, options_type::resize_bilinear, read_resize_bilinear,
     holds<ops::resize_bilinear>, write_resize_bilinear},
    {builtin::resize_nearest_neighbor, 4, options_type::resize_nearest_neighbor,
     read_resize_nearest_neighbor, holds<ops::resize_nearest_neighbor>,
     write_resize_nearest_neighbor},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
