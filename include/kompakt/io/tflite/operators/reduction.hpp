// Reductions over axes.
#pragma once

#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_mean(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::mean m;
    m.keep_dims = r.options.scalar<bool>(reducer_field::keep_dims, false);
    auto axes = r.integers(1, "axes");
    if (!axes.ok()) return axes.error();
    m.axes = std::move(*axes);
    r.inputs.resize(1);
    return r.make(std::move(m));
}

inline status write_mean(operator_writer& w, const op& o) {
    const auto& m = *o.as<ops::mean>();
    w.constant("axes", {dim(static_cast<std::int64_t>(m.axes.size()))}, m.axes);
    w.add(builtin::mean, w.version(1, 2, 3), options_type::reducer,
          flatbuffer::fields().scalar<bool>(reducer_field::keep_dims, m.keep_dims, false));
    return {};
}

inline constexpr operator_entry reduction_operators[] = {
    {builtin::mean, 3, options_type::reducer, read_mean, holds<ops::mean>, write_mean},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
