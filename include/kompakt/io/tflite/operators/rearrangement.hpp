// Operators that move elements between space, channels and batches.
#pragma once

#include <kompakt/graph/ops/batch_to_space_nd.hpp>
#include <kompakt/graph/ops/depth_to_space.hpp>
#include <kompakt/graph/ops/space_to_batch_nd.hpp>
#include <kompakt/graph/ops/space_to_depth.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

template <class Op>
status read_block(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    Op o;
    o.block = r.options.scalar<std::int32_t>(block_field::size, 0);
    return r.make(std::move(o));
}
template <class Op, builtin Code, options_type Type>
status write_block(operator_writer& w, const op& o) {
    w.add(Code, w.version(1, 2, 1), Type,
          flatbuffer::fields().scalar<std::int32_t>(block_field::size, o.as<Op>()->block, 0));
    return {};
}

template <class Op>
status read_blocks(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(3, 3));
    Op o;
    auto block = r.integers(1, "block");
    if (!block.ok()) return block.error();
    o.block = std::move(*block);
    KOMPAKT_TRY(r.pairs(2, "pads", o.before, o.after));
    r.inputs.resize(1);
    return r.make(std::move(o));
}
template <class Op, builtin Code, options_type Type>
status write_blocks(operator_writer& w, const op& o) {
    const Op& x = *o.as<Op>();
    const int version = w.input(0).type == dtype::i16  ? 4
                        : w.input(0).shape.size() != 4 ? 3
                                                       : w.version(1, 2, 4);
    w.constant("block", x.block);
    w.pairs("pads", x.before, x.after);
    w.add(Code, version, Type);
    return {};
}

inline constexpr operator_entry rearrangement_operators[] = {
    {builtin::batch_to_space_nd, 4, options_type::batch_to_space_nd,
     read_blocks<ops::batch_to_space_nd>, holds<ops::batch_to_space_nd>,
     write_blocks<ops::batch_to_space_nd, builtin::batch_to_space_nd,
                  options_type::batch_to_space_nd>},
    {builtin::depth_to_space, 2, options_type::depth_to_space, read_block<ops::depth_to_space>,
     holds<ops::depth_to_space>,
     write_block<ops::depth_to_space, builtin::depth_to_space, options_type::depth_to_space>},
    {builtin::space_to_batch_nd, 4, options_type::space_to_batch_nd,
     read_blocks<ops::space_to_batch_nd>, holds<ops::space_to_batch_nd>,
     write_blocks<ops::space_to_batch_nd, builtin::space_to_batch_nd,
                  options_type::space_to_batch_nd>},
    {builtin::space_to_depth, 2, options_type::space_to_depth, read_block<ops::space_to_depth>,
     holds<ops::space_to_depth>,
     write_block<ops::space_to_depth, builtin::space_to_depth, options_type::space_to_depth>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
