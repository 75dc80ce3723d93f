// Reductions over axes, and operators along one axis.
#pragma once

#include <kompakt/graph/ops/arg_extreme.hpp>
#include <kompakt/graph/ops/broadcast_args.hpp>
#include <kompakt/graph/ops/cumsum.hpp>
#include <kompakt/graph/ops/l2_normalization.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/reduce_extreme.hpp>
#include <kompakt/graph/ops/sum.hpp>
#include <kompakt/io/tflite/operators/arithmetic.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

template <class Op>
status read_reduction(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    Op m;
    m.keep_dims = r.options.scalar<bool>(reducer_field::keep_dims, false);
    auto axes = r.integers(1, "axes");
    if (!axes.ok()) return axes.error();
    m.axes = std::move(*axes);
    r.inputs.resize(1);
    return r.make(std::move(m));
}

template <class Op, builtin Code, int I8, int I16>
status write_reduction(operator_writer& w, const op& o) {
    const auto& m = *o.as<Op>();
    w.constant("axes", {dim(static_cast<std::int64_t>(m.axes.size()))}, m.axes);
    w.add(Code, w.version(1, I8, I16), options_type::reducer,
          flatbuffer::fields().scalar<bool>(reducer_field::keep_dims, m.keep_dims, false));
    return {};
}

// The second input is one axis.
inline result<std::int32_t> read_axis(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    const auto axes = r.integers(1, "axis");
    if (!axes.ok()) return axes.error();
    if (axes->size() != 1) return fail(errc::bad_file, axes->size(), " axes, needed one");
    r.inputs.resize(1);
    return (*axes)[0];
}
inline void write_axis(operator_writer& w, std::int32_t axis) {
    w.constant("axis", {}, {axis});
}

template <class Op>
status read_arg_extreme(operator_reader& r) {
    const auto axis = read_axis(r);
    if (!axis.ok()) return axis.error();
    Op o;
    o.axis = *axis;
    const auto type = r.options.scalar<std::int8_t>(arg_field::output_type, 0);
    // 0 is float32: old files leave the field out. The tensor decides, as in TensorFlow Lite.
    if ((type == 0 || type == number_of(dtype::i32)) && r.output(0).type == dtype::i32) {
        return r.make(std::move(o));
    }
    return fail(errc::unsupported, "output ", name_of(r.output(0).type), ", needed int32");
}

template <class Op, builtin Code, options_type Type>
status write_arg_extreme(operator_writer& w, const op& o) {
    const int version = w.input(0).type == dtype::boolean ? 3 : w.version(1, 2, 1);
    write_axis(w, o.as<Op>()->axis);
    w.add(
        Code, version, Type,
        flatbuffer::fields().scalar<std::int8_t>(arg_field::output_type, number_of(dtype::i32), 0));
    return {};
}

inline status read_cumsum(operator_reader& r) {
    const auto axis = read_axis(r);
    if (!axis.ok()) return axis.error();
    ops::cumsum c;
    c.axis = *axis;
    c.exclusive = r.options.scalar<bool>(cumsum_field::exclusive, false);
    c.reverse = r.options.scalar<bool>(cumsum_field::reverse, false);
    return r.make(std::move(c));
}

inline status write_cumsum(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::cumsum>();
    write_axis(w, c.axis);
    w.add(builtin::cumsum, 1, options_type::cumsum,
          flatbuffer::fields()
              .scalar<bool>(cumsum_field::exclusive, c.exclusive, false)
              .scalar<bool>(cumsum_field::reverse, c.reverse, false));
    return {};
}

inline status read_l2_normalization(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    const auto fused = r.fused(l2_normalization_field::activation);
    if (!fused.ok()) return fused.error();
    if (*fused == activation::none) return r.make(ops::l2_normalization());
    return fail(errc::unsupported, "fused activation ", name_of(*fused), ", needed none");
}

inline constexpr operator_entry reduction_operators[] = {
    {builtin::arg_max, 3, options_type::arg_max, read_arg_extreme<ops::arg_max>,
     holds<ops::arg_max>, write_arg_extreme<ops::arg_max, builtin::arg_max, options_type::arg_max>},
    {builtin::arg_min, 3, options_type::arg_min, read_arg_extreme<ops::arg_min>,
     holds<ops::arg_min>, write_arg_extreme<ops::arg_min, builtin::arg_min, options_type::arg_min>},
    {builtin::broadcast_args, 1, options_type::none, read_inputs<ops::broadcast_args, 2>,
     holds<ops::broadcast_args>, write_inputs<builtin::broadcast_args, options_type::none>},
    {builtin::cumsum, 1, options_type::cumsum, read_cumsum, holds<ops::cumsum>, write_cumsum},
    {builtin::l2_normalization, 2, options_type::l2_normalization, read_l2_normalization,
     holds<ops::l2_normalization>,
     write_plain<builtin::l2_normalization, options_type::l2_normalization, 1, 2, 1>},
    {builtin::mean, 3, options_type::reducer, read_reduction<ops::mean>, holds<ops::mean>,
     write_reduction<ops::mean, builtin::mean, 2, 3>},
    {builtin::reduce_all, 1, options_type::reducer, read_reduction<ops::reduce_all>,
     holds<ops::reduce_all>, write_reduction<ops::reduce_all, builtin::reduce_all, 1, 1>},
    {builtin::reduce_any, 1, options_type::reducer, read_reduction<ops::reduce_any>,
     holds<ops::reduce_any>, write_reduction<ops::reduce_any, builtin::reduce_any, 1, 1>},
    {builtin::reduce_max, 3, options_type::reducer, read_reduction<ops::reduce_max>,
     holds<ops::reduce_max>, write_reduction<ops::reduce_max, builtin::reduce_max, 2, 3>},
    {builtin::reduce_min, 3, options_type::reducer, read_reduction<ops::reduce_min>,
     holds<ops::reduce_min>, write_reduction<ops::reduce_min, builtin::reduce_min, 2, 3>},
    {builtin::sum, 2, options_type::reducer, read_reduction<ops::sum>, holds<ops::sum>,
     write_reduction<ops::sum, builtin::sum, 2, 1>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
