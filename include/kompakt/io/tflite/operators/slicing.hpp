// Operators that take parts of their input.
#pragma once

#include <kompakt/graph/ops/slice.hpp>
#include <kompakt/graph/ops/split.hpp>
#include <kompakt/graph/ops/strided_slice.hpp>
#include <kompakt/graph/ops/unpack.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_slice(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(3, 3));
    ops::slice s;
    if (r.input(1).value) {
        auto begin = r.integers(1, "begin");
        if (!begin.ok()) return begin.error();
        auto size = r.integers(2, "size");
        if (!size.ok()) return size.error();
        s.begin = std::move(*begin), s.size = std::move(*size);
        r.inputs.resize(1);
        return r.make(std::move(s));
    }
    // A beginning that is computed while the model runs: the output's shape is the size.
    const shape& out = r.output(0).shape;
    KOMPAKT_TRY(ops::expect_known(out));
    s.size = ops::dims_of(out);
    r.inputs.resize(2);
    return r.make(std::move(s));
}
inline status write_slice(operator_writer& w, const op& o) {
    const auto& s = *o.as<ops::slice>();
    const graph_tensor& in = w.input(0);
    const int version = in.type == dtype::u32   ? 6
                        : in.shape.size() > 4   ? 5
                        : in.type == dtype::i16 ? 4
                                                : w.version(1, 2, 4);
    if (!w.has_input(1)) w.constant("begin", s.begin);
    // Both of one type.
    if (w.input(1).type == dtype::i64) {
        w.constant("size", make_constant({dim(static_cast<std::int64_t>(s.size.size()))},
                                         std::vector<std::int64_t>(s.size.begin(), s.size.end())));
    } else {
        w.constant("size", s.size);
    }
    w.add(builtin::slice, version, options_type::slice);
    return {};
}

inline status read_strided_slice(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(4, 4));
    ops::strided_slice s;
    auto begin = r.integers(1, "begin");
    if (!begin.ok()) return begin.error();
    auto end = r.integers(2, "end");
    if (!end.ok()) return end.error();
    auto strides = r.integers(3, "strides");
    if (!strides.ok()) return strides.error();
    s.begin = std::move(*begin), s.end = std::move(*end), s.strides = std::move(*strides);
    s.begin_mask = r.options.scalar<std::int32_t>(strided_slice_field::begin_mask, 0);
    s.end_mask = r.options.scalar<std::int32_t>(strided_slice_field::end_mask, 0);
    s.ellipsis_mask = r.options.scalar<std::int32_t>(strided_slice_field::ellipsis_mask, 0);
    s.new_axis_mask = r.options.scalar<std::int32_t>(strided_slice_field::new_axis_mask, 0);
    s.shrink_axis_mask = r.options.scalar<std::int32_t>(strided_slice_field::shrink_axis_mask, 0);
    s.offset = r.options.scalar<bool>(strided_slice_field::offset, false);
    r.inputs.resize(1);
    return r.make(std::move(s));
}
inline status write_strided_slice(operator_writer& w, const op& o) {
    const auto& s = *o.as<ops::strided_slice>();
    const graph_tensor& in = w.input(0);
    const int version = s.offset                                       ? 8
                        : in.type == dtype::u32                        ? 7
                        : s.ellipsis_mask != 0 || s.new_axis_mask != 0 ? 6
                        : in.shape.size() > 4                          ? 4
                        : in.type == dtype::boolean                    ? 3
                                                                       : w.version(1, 2, 1);
    w.constant("begin", s.begin);
    w.constant("end", s.end);
    w.constant("strides", s.strides);
    w.add(builtin::strided_slice, version, options_type::strided_slice,
          flatbuffer::fields()
              .scalar<std::int32_t>(strided_slice_field::begin_mask, s.begin_mask, 0)
              .scalar<std::int32_t>(strided_slice_field::end_mask, s.end_mask, 0)
              .scalar<std::int32_t>(strided_slice_field::ellipsis_mask, s.ellipsis_mask, 0)
              .scalar<std::int32_t>(strided_slice_field::new_axis_mask, s.new_axis_mask, 0)
              .scalar<std::int32_t>(strided_slice_field::shrink_axis_mask, s.shrink_axis_mask, 0)
              .scalar<bool>(strided_slice_field::offset, s.offset, false));
    return {};
}

inline status expect_parts(operator_reader& r) {
    const auto n = r.options.scalar<std::int32_t>(split_field::count, 0);
    if (n >= 0 && static_cast<std::size_t>(n) == r.outputs.size()) return {};
    return fail(errc::bad_file, n, " parts, has ", r.outputs.size(), " outputs");
}
inline status read_split(operator_reader& r) {
    KOMPAKT_TRY(r.expect_operands(2, 2, r.outputs.size()));
    ops::split s;
    const auto axis = r.integer(0, "axis");
    if (!axis.ok()) return axis.error();
    s.axis = *axis;
    KOMPAKT_TRY(expect_parts(r));
    r.inputs = {r.inputs[1]};
    return r.make(std::move(s));
}
inline status read_split_v(operator_reader& r) {
    KOMPAKT_TRY(r.expect_operands(3, 3, r.outputs.size()));
    ops::split s;
    auto sizes = r.integers(1, "sizes");
    if (!sizes.ok()) return sizes.error();
    const auto axis = r.integer(2, "axis");
    if (!axis.ok()) return axis.error();
    KOMPAKT_TRY(expect_parts(r));
    if (sizes->empty()) return fail(errc::bad_file, "no sizes");
    s.sizes = std::move(*sizes);
    s.axis = *axis;
    r.inputs.resize(1);
    return r.make(std::move(s));
}
inline status write_split(operator_writer& w, const op& o) {
    const auto& s = *o.as<ops::split>();
    const dtype type = w.input(0).type;
    const auto options = flatbuffer::fields().scalar<std::int32_t>(
        split_field::count, static_cast<std::int32_t>(w.outputs.size()), 0);
    if (s.sizes.empty()) {
        const int version = type == dtype::i32 ? 3 : w.version(1, 2, 4);
        w.constant("axis", {}, {s.axis});
        std::swap(w.inputs[0], w.inputs[1]);
        w.add(builtin::split, version, options_type::split, options);
    } else {
        w.constant("sizes", s.sizes);
        w.constant("axis", {}, {s.axis});
        w.add(builtin::split_v, type == dtype::i8 ? 2 : 1, options_type::split_v, options);
    }
    return {};
}

inline status read_unpack(operator_reader& r) {
    KOMPAKT_TRY(r.expect_operands(1, 1, r.outputs.size()));
    ops::unpack u;
    u.axis = r.options.scalar<std::int32_t>(unpack_field::axis, 0);
    const auto n = r.options.scalar<std::int32_t>(unpack_field::count, 0);
    if (n < 0 || static_cast<std::size_t>(n) != r.outputs.size()) {
        return fail(errc::bad_file, n, " slices, has ", r.outputs.size(), " outputs");
    }
    return r.make(std::move(u));
}
inline status write_unpack(operator_writer& w, const op& o) {
    const dtype type = w.input(0).type;
    const int version = type == dtype::u8 ? 2 : type == dtype::boolean ? 3 : w.version(1, 2, 4);
    w.add(builtin::unpack, version, options_type::unpack,
          flatbuffer::fields()
              .scalar<std::int32_t>(unpack_field::count,
                                    static_cast<std::int32_t>(w.outputs.size()), 0)
              .scalar<std::int32_t>(unpack_field::axis, o.as<ops::unpack>()->axis, 0));
    return {};
}

inline constexpr operator_entry slicing_operators[] = {
    {builtin::slice, 6, options_type::slice, read_slice, holds<ops::slice>, write_slice},
    {builtin::split, 4, options_type::split, read_split, holds<ops::split>, write_split},
    {builtin::split_v, 2, options_type::split_v, read_split_v, nullptr, nullptr},
    {builtin::strided_slice, 8, options_type::strided_slice, read_strided_slice,
     holds<ops::strided_slice>, write_strided_slice},
    {builtin::unpack, 4, options_type::unpack, read_unpack, holds<ops::unpack>, write_unpack},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
