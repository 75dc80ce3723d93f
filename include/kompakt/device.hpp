// Every device-grade header, and the ports if they are on the include path.
// The list is written by cmake/single_header.py.
// clang-format off
#pragma once

#include <kompakt/core/macros_push.hpp>

#include <kompakt/core/buffer.hpp>
#include <kompakt/core/bytes.hpp>
#include <kompakt/core/checked.hpp>
#include <kompakt/core/config.hpp>
#include <kompakt/core/dtype.hpp>
#include <kompakt/core/executor.hpp>
#include <kompakt/core/port.hpp>
#include <kompakt/core/random.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/tensor.hpp>
#include <kompakt/core/utf8.hpp>

#include <kompakt/numeric/fixed_exp.hpp>
#include <kompakt/numeric/fixed_point.hpp>
#include <kompakt/numeric/float_math.hpp>
#include <kompakt/numeric/sigmoid_table.hpp>

#include <kompakt/quant/affine.hpp>
#include <kompakt/quant/packing.hpp>
#include <kompakt/quant/rounding.hpp>

#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/add_n.hpp>
#include <kompakt/kernel/arg_extreme.hpp>
#include <kompakt/kernel/average_pool2d.hpp>
#include <kompakt/kernel/axis.hpp>
#include <kompakt/kernel/batch_matmul.hpp>
#include <kompakt/kernel/broadcast_args.hpp>
#include <kompakt/kernel/call.hpp>
#include <kompakt/kernel/cast.hpp>
#include <kompakt/kernel/clamp.hpp>
#include <kompakt/kernel/comparison.hpp>
#include <kompakt/kernel/concatenation.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/cumsum.hpp>
#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt/kernel/div.hpp>
#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/dynamic_slice.hpp>
#include <kompakt/kernel/dynamic_update_slice.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/extreme.hpp>
#include <kompakt/kernel/float_parts.hpp>
#include <kompakt/kernel/floor_div.hpp>
#include <kompakt/kernel/floor_mod.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt/kernel/gates.hpp>
#include <kompakt/kernel/gather.hpp>
#include <kompakt/kernel/gather_nd.hpp>
#include <kompakt/kernel/gru.hpp>
#include <kompakt/kernel/integers.hpp>
#include <kompakt/kernel/jump.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/l2_normalization.hpp>
#include <kompakt/kernel/l2_pool2d.hpp>
#include <kompakt/kernel/leaky_relu.hpp>
#include <kompakt/kernel/log_softmax.hpp>
#include <kompakt/kernel/logistic.hpp>
#include <kompakt/kernel/lstm.hpp>
#include <kompakt/kernel/max_pool2d.hpp>
#include <kompakt/kernel/mean.hpp>
#include <kompakt/kernel/mirror_pad.hpp>
#include <kompakt/kernel/movement.hpp>
#include <kompakt/kernel/mul.hpp>
#include <kompakt/kernel/pad.hpp>
#include <kompakt/kernel/pool2d.hpp>
#include <kompakt/kernel/port_hooks.hpp>
#include <kompakt/kernel/prelu.hpp>
#include <kompakt/kernel/program.hpp>
#include <kompakt/kernel/quantize.hpp>
#include <kompakt/kernel/reduce_extreme.hpp>
#include <kompakt/kernel/reduction.hpp>
#include <kompakt/kernel/requantize.hpp>
#include <kompakt/kernel/requantize_mixed.hpp>
#include <kompakt/kernel/resize_bilinear.hpp>
#include <kompakt/kernel/resize_nearest_neighbor.hpp>
#include <kompakt/kernel/select.hpp>
#include <kompakt/kernel/signal.hpp>
#include <kompakt/kernel/signal_rfft.hpp>
#include <kompakt/kernel/softmax.hpp>
#include <kompakt/kernel/softmax_i16.hpp>
#include <kompakt/kernel/squared_difference.hpp>
#include <kompakt/kernel/state.hpp>
#include <kompakt/kernel/static_call.hpp>
#include <kompakt/kernel/strided_copy.hpp>
#include <kompakt/kernel/sub.hpp>
#include <kompakt/kernel/svdf.hpp>
#include <kompakt/kernel/taps.hpp>
#include <kompakt/kernel/transpose_conv2d.hpp>
#include <kompakt/kernel/unary.hpp>
#include <kompakt/kernel/unary_i16.hpp>
#include <kompakt/kernel/window.hpp>

#if __has_include(<kompakt_ports/cortex_m/add.hpp>)
#include <kompakt_ports/cortex_m/add.hpp>
#include <kompakt_ports/cortex_m/average_pool2d.hpp>
#include <kompakt_ports/cortex_m/columns.hpp>
#include <kompakt_ports/cortex_m/conv2d.hpp>
#include <kompakt_ports/cortex_m/depthwise_conv2d.hpp>
#include <kompakt_ports/cortex_m/fully_connected.hpp>
#include <kompakt_ports/cortex_m/intrinsics.hpp>
#include <kompakt_ports/cortex_m/output_stage.hpp>
#include <kompakt_ports/cortex_m/packed.hpp>
#include <kompakt_ports/cortex_m/panels.hpp>
#include <kompakt_ports/cortex_m/ports.hpp>
#include <kompakt_ports/cortex_m/tags.hpp>
#endif

#if __has_include(<kompakt_ports/neon/depthwise.hpp>)
#include <kompakt_ports/neon/depthwise.hpp>
#include <kompakt_ports/neon/lane_tiles.hpp>
#include <kompakt_ports/neon/matrix.hpp>
#include <kompakt_ports/neon/matrix_dotprod.hpp>
#include <kompakt_ports/neon/matrix_hooks.hpp>
#include <kompakt_ports/neon/matrix_i8mm.hpp>
#include <kompakt_ports/neon/matrix_neon.hpp>
#include <kompakt_ports/neon/ports.hpp>
#include <kompakt_ports/neon/requantize.hpp>
#include <kompakt_ports/neon/tags.hpp>
#endif

#if __has_include(<kompakt_ports/x86/avx2.hpp>)
#include <kompakt_ports/x86/avx2.hpp>
#include <kompakt_ports/x86/avx2_add.hpp>
#include <kompakt_ports/x86/avx2_conv2d.hpp>
#include <kompakt_ports/x86/avx2_depthwise_conv2d.hpp>
#include <kompakt_ports/x86/avx2_output_stage.hpp>
#include <kompakt_ports/x86/avx2_target.hpp>
#include <kompakt_ports/x86/ports.hpp>
#include <kompakt_ports/x86/tags.hpp>
#endif

#include <kompakt/run/default_kernels.hpp>
#include <kompakt/run/executable.hpp>
#include <kompakt/run/kernels.hpp>
#include <kompakt/run/session.hpp>

#include <kompakt/token/bpe.hpp>
#include <kompakt/token/charsmap.hpp>
#include <kompakt/token/decoder.hpp>
#include <kompakt/token/encoder.hpp>
#include <kompakt/token/format.hpp>
#include <kompakt/token/normalizers.hpp>
#include <kompakt/token/parts.hpp>
#include <kompakt/token/regex/regex.hpp>
#include <kompakt/token/stage.hpp>
#include <kompakt/token/unicode/bert.hpp>
#include <kompakt/token/unicode/bert_table.hpp>
#include <kompakt/token/unicode/canonical_table.hpp>
#include <kompakt/token/unicode/case_map.hpp>
#include <kompakt/token/unicode/case_run.hpp>
#include <kompakt/token/unicode/category.hpp>
#include <kompakt/token/unicode/category_table.hpp>
#include <kompakt/token/unicode/class_map.hpp>
#include <kompakt/token/unicode/compat_table.hpp>
#include <kompakt/token/unicode/compose.hpp>
#include <kompakt/token/unicode/compose_table.hpp>
#include <kompakt/token/unicode/grapheme.hpp>
#include <kompakt/token/unicode/grapheme_table.hpp>
#include <kompakt/token/unicode/lower_table.hpp>
#include <kompakt/token/unicode/normalize.hpp>
#include <kompakt/token/unicode/normalize_table.hpp>
#include <kompakt/token/unicode/trie.hpp>
#include <kompakt/token/unigram.hpp>

#include <kompakt/core/macros_pop.hpp>
