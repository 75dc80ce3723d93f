// Operators that move elements to or from places that are known at run time only.
#pragma once

#include <kompakt/graph/ops/dynamic_update_slice.hpp>
#include <kompakt/graph/ops/embedding_lookup.hpp>
#include <kompakt/graph/ops/gather.hpp>
#include <kompakt/graph/ops/gather_nd.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_gather(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::gather g;
    g.axis = r.options.scalar<std::int32_t>(gather_field::axis, 0);
    g.batch_dims = r.options.scalar<std::int32_t>(gather_field::batch_dims, 0);
    return r.make(std::move(g));
}
inline status write_gather(operator_writer& w, const op& o) {
    const auto& g = *o.as<ops::gather>();
    const int version = w.input(1).type == dtype::i16       ? 6
                        : g.batch_dims != 0                 ? 5
                        : w.input(0).type == dtype::boolean ? 3
                                                            : w.version(1, 2, 4);
    w.add(builtin::gather, version, options_type::gather,
          flatbuffer::fields()
              .scalar<std::int32_t>(gather_field::axis, g.axis, 0)
              .scalar<std::int32_t>(gather_field::batch_dims, g.batch_dims, 0));
    return {};
}

inline status read_gather_nd(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    return r.make(ops::gather_nd());
}
inline status write_gather_nd(operator_writer& w, const op&) {
    const int version = w.input(0).type == dtype::boolean ? 5
                        : w.input(1).type == dtype::i16   ? 4
                        : w.input(0).type == dtype::i16   ? 3
                                                          : 1;
    w.add(builtin::gather_nd, version, options_type::gather_nd);
    return {};
}

inline status read_embedding_lookup(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    return r.make(ops::embedding_lookup());
}
inline status write_embedding_lookup(operator_writer& w, const op&) {
    w.add(builtin::embedding_lookup, 1);
    return {};
}

inline status read_dynamic_update_slice(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(3, 3));
    return r.make(ops::dynamic_update_slice());
}
inline status write_dynamic_update_slice(operator_writer& w, const op&) {
    w.add(builtin::dynamic_update_slice, w.input(2).type == dtype::i64 ? 2 : 1,
          options_type::dynamic_update_slice);
    return {};
}

inline constexpr operator_entry indexing_operators[] = {
    {builtin::dynamic_update_slice, 4, options_type::dynamic_update_slice,
     read_dynamic_update_slice, holds<ops::dynamic_update_slice>, write_dynamic_update_slice},
    {builtin::embedding_lookup, 4, options_type::none, read_embedding_lookup,
     holds<ops::embedding_lookup>, write_embedding_lookup},
    {builtin::gather, 7, options_type::gather, read_gather, holds<ops::gather>, write_gather},
    {builtin::gather_nd, 5, options_type::gather_nd, read_gather_nd, holds<ops::gather_nd>,
     write_gather_nd},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
