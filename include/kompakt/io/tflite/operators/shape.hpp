// Operators that change the shape only, or say it.
#pragma once

#include <kompakt/graph/ops/range.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/shape.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_reshape(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 2));
    ops::reshape s;
    const auto stated = r.options.vector<std::int32_t>(reshape_field::shape);
    // The input decides, as in TensorFlow Lite; the option is what older files have.
    if (r.has_input(1) && r.input(1).value) {
        const auto target = r.integers(1, "shape");
        if (!target.ok()) return target.error();
        s.target = shape(target->begin(), target->end());
    } else if (r.has_input(1)) {
        // Computed while the model runs: what the file says of the output, as in TensorFlow Lite
        // Micro. Dimensions that it leaves open follow from the input.
        s.target = r.output(0).shape;
    } else if (r.options.has(reshape_field::shape)) {
        for (std::int32_t d : stated) s.target.push_back(dim(d));
        if (s.target == shape{dim(0)}) s.target.clear(); // old files' way to say scalar
    } else {
        return fail(errc::bad_file, "has no shape");
    }
    r.inputs.resize(1);
    return r.make(std::move(s));
}

inline status write_reshape(operator_writer& w, const op& o) {
    std::vector<std::int32_t> target;
    int open = 0;
    for (const dim& d : o.as<ops::reshape>()->target) {
        target.push_back(d.known() ? static_cast<std::int32_t>(d.value()) : -1);
        open += target.back() == -1;
    }
    if (open > 1) {
        return fail(errc::unsupported, "shape ", text_of(o.as<ops::reshape>()->target),
                    " has more than one open dimension; bind them first");
    }
    w.constant("shape", {dim(static_cast<std::int64_t>(target.size()))}, target);
    const flatbuffer::offset stated = w.out().vector(target);
    w.add(builtin::reshape, 1, options_type::reshape,
          flatbuffer::fields().reference(reshape_field::shape, stated));
    return {};
}

// squeeze and expand_dims are reshapes to a shape that follows from the input's.
inline status read_squeeze(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    const shape& in = r.input(0).shape;
    const auto rank = static_cast<std::int64_t>(in.size());
    std::vector<bool> drop(in.size(), false);
    const auto axes = r.options.vector<std::int32_t>(squeeze_field::axes);
    for (std::int32_t axis : axes) {
        const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
        if (axis < -rank || axis >= rank || in[at] != dim(1)) {
            return fail(errc::bad_file, "axis ", axis, " of ", text_of(in), " is not a one");
        }
        drop[at] = true;
    }
    ops::reshape s;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!(axes.empty() ? in[i] == dim(1) : drop[i])) s.target.push_back(in[i]);
    }
    return r.make(std::move(s));
}

inline status read_expand_dims(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::reshape s;
    s.target = r.input(0).shape;
    const auto rank = static_cast<std::int32_t>(s.target.size());
    const auto axis = r.integers(1, "axis");
    if (!axis.ok()) return axis.error();
    if (axis->size() != 1 || (*axis)[0] < -rank - 1 || (*axis)[0] > rank) {
        return fail(errc::bad_file, "needs one axis in a tensor of rank ", rank);
    }
    const std::int32_t at = (*axis)[0] < 0 ? (*axis)[0] + rank + 1 : (*axis)[0];
    s.target.insert(s.target.begin() + at, dim(1));
    r.inputs.resize(1);
    return r.make(std::move(s));
}

inline status read_shape(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::shape_of s;
    const auto type = r.options.scalar<std::int8_t>(shape_field::type, 0);
    // The default of the field is FLOAT32; files that leave it out mean int32.
    s.wide = type == number_of(dtype::i64);
    if (!s.wide && type != 0 && type != number_of(dtype::i32)) {
        return fail(errc::unsupported, "output type ", type, ", needed int32 or int64");
    }
    return r.make(std::move(s));
}
inline status write_shape(operator_writer& w, const op& o) {
    const dtype type = o.as<ops::shape_of>()->wide ? dtype::i64 : dtype::i32;
    w.add(builtin::shape, 1, options_type::shape,
          flatbuffer::fields().scalar<std::int8_t>(shape_field::type, number_of(type), 0));
    return {};
}

inline status read_range(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(3, 3));
    return r.make(ops::range());
}
inline status write_range(operator_writer& w, const op&) {
    w.add(builtin::range, w.input(0).type == dtype::i64 ? 2 : 1, options_type::range);
    return {};
}

inline constexpr operator_entry shape_operators[] = {
    {builtin::expand_dims, 1, options_type::expand_dims, read_expand_dims, nullptr, nullptr},
    {builtin::range, 2, options_type::range, read_range, holds<ops::range>, write_range},
    {builtin::rank, 1, options_type::rank, read_plain<ops::rank_of>, holds<ops::rank_of>,
     write_plain<builtin::rank, options_type::rank, 1, 1, 1>},
    {builtin::reshape, 1, options_type::reshape, read_reshape, holds<ops::reshape>, write_reshape},
    {builtin::shape, 1, options_type::shape, read_shape, holds<ops::shape_of>, write_shape},
    {builtin::squeeze, 2, options_type::squeeze, read_squeeze, nullptr, nullptr},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
