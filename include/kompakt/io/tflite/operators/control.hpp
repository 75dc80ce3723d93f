// Conditions and loops over subgraphs.
#pragma once

#include <kompakt/graph/ops/if.hpp>
#include <kompakt/graph/ops/while.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// Both options hold two numbers of subgraphs.
inline status read_blocks(operator_reader& r, ops::block& first, ops::block& second) {
    for (std::uint16_t field = 0; field < 2; ++field) {
        auto b = r.block(r.options.scalar<std::int32_t>(field, 0));
        if (!b.ok()) return b.error();
        (field == 0 ? first : second) = std::move(*b);
    }
    return {};
}
inline status write_blocks(operator_writer& w, builtin code, options_type type,
                           const ops::block& first, const ops::block& second) {
    const auto one = w.block(first);
    if (!one.ok()) return one.error();
    const auto two = w.block(second);
    if (!two.ok()) return two.error();
    w.add(code, 1, type,
          flatbuffer::fields().scalar<std::int32_t>(0, *one, 0).scalar<std::int32_t>(1, *two, 0));
    return {};
}

inline status read_if(operator_reader& r) {
    static_assert(if_field::then_subgraph == 0 && if_field::else_subgraph == 1);
    ops::if_op o;
    KOMPAKT_TRY(read_blocks(r, o.then_block, o.else_block));
    return r.make(std::move(o));
}
inline status write_if(operator_writer& w, const op& o) {
    const auto& i = *o.as<ops::if_op>();
    return write_blocks(w, builtin::if_, options_type::if_, i.then_block, i.else_block);
}

inline status read_while(operator_reader& r) {
    static_assert(while_field::cond_subgraph == 0 && while_field::body_subgraph == 1);
    ops::while_op o;
    KOMPAKT_TRY(read_blocks(r, o.condition, o.body));
    return r.make(std::move(o));
}
inline status write_while(operator_writer& w, const op& o) {
    const auto& l = *o.as<ops::while_op>();
    return write_blocks(w, builtin::while_, options_type::while_, l.condition, l.body);
}

inline constexpr operator_entry control_operators[] = {
    {builtin::if_, 1, options_type::if_, read_if, holds<ops::if_op>, write_if},
    {builtin::while_, 1, options_type::while_, read_while, holds<ops::while_op>, write_while},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
