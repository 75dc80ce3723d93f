// Average, maximum and L2 pooling.
#pragma once

#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/l2_pool2d.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

template <class Op>
status read_pool_2d(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    Op p;
    p.window.stride_h = r.options.scalar<std::int32_t>(pool_field::stride_h, 0);
    p.window.stride_w = r.options.scalar<std::int32_t>(pool_field::stride_w, 0);
    p.kernel_h = r.options.scalar<std::int32_t>(pool_field::kernel_h, 0);
    p.kernel_w = r.options.scalar<std::int32_t>(pool_field::kernel_w, 0);
    KOMPAKT_TRY(r.pads(pool_field::padding, p.kernel_h, p.kernel_w, p.window));
    const auto fused = r.fused(pool_field::activation);
    if (!fused.ok()) return fused.error();
    p.fused = *fused;
    return r.make(std::move(p));
}

inline status write_pool(operator_writer& w, builtin code, const ops::window_attributes& window,
                         std::int32_t kernel_h, std::int32_t kernel_w, activation fused) {
    const auto p = w.place(window, kernel_h, kernel_w,
                           code == builtin::max_pool_2d ? operator_writer::fill::lowest
                                                        : operator_writer::fill::nothing);
    if (!p.ok()) return p.error();
    w.add(code, w.version(1, 2, 3), options_type::pool_2d,
          flatbuffer::fields()
              .scalar<padding>(pool_field::padding, *p, padding::same)
              .scalar<std::int32_t>(pool_field::stride_w, window.stride_w, 0)
              .scalar<std::int32_t>(pool_field::stride_h, window.stride_h, 0)
              .scalar<std::int32_t>(pool_field::kernel_w, kernel_w, 0)
              .scalar<std::int32_t>(pool_field::kernel_h, kernel_h, 0)
              .scalar<std::int8_t>(pool_field::activation, w.number(fused), 0));
    return {};
}

template <class Op, builtin Code>
status write_pool_2d(operator_writer& w, const op& o) {
    const Op& p = *o.as<Op>();
    return write_pool(w, Code, p.window, p.kernel_h, p.kernel_w, p.fused);
}

inline constexpr operator_entry pooling_operators[] = {
    {builtin::average_pool_2d, 3, options_type::pool_2d, read_pool_2d<ops::average_pool2d>,
     holds<ops::average_pool2d>, write_pool_2d<ops::average_pool2d, builtin::average_pool_2d>},
    {builtin::max_pool_2d, 3, options_type::pool_2d, read_pool_2d<ops::max_pool2d>,
     holds<ops::max_pool2d>, write_pool_2d<ops::max_pool2d, builtin::max_pool_2d>},
    {builtin::l2_pool_2d, 1, options_type::pool_2d, read_pool_2d<ops::l2_pool2d>,
     holds<ops::l2_pool2d>, write_pool_2d<ops::l2_pool2d, builtin::l2_pool_2d>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
