// Everything: the device headers, and the host rooms where there is a host.
// The list is written by cmake/single_header.py.
// clang-format off
#pragma once

#include <kompakt/core/macros_push.hpp>

#include <kompakt/device.hpp>

#if KOMPAKT_HOSTED
#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/host/thread_pool.hpp>

#include <kompakt/format/flatbuffer_reader.hpp>
#include <kompakt/format/flatbuffer_writer.hpp>
#include <kompakt/format/json.hpp>
#include <kompakt/format/npy.hpp>

#include <kompakt/graph/activation.hpp>
#include <kompakt/graph/constant.hpp>
#include <kompakt/graph/graph.hpp>
#include <kompakt/graph/graph_tensor.hpp>
#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/inference.hpp>
#include <kompakt/graph/lower.hpp>
#include <kompakt/graph/lowered.hpp>
#include <kompakt/graph/lowering.hpp>
#include <kompakt/graph/multiplier.hpp>
#include <kompakt/graph/op.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/dequantize.hpp>
#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/graph/ops/transpose.hpp>
#include <kompakt/graph/passes/decode_weights.hpp>
#include <kompakt/graph/passes/fold_batch_norm.hpp>
#include <kompakt/graph/passes/fuse_activations.hpp>
#include <kompakt/graph/passes/remove_dead.hpp>
#include <kompakt/graph/passes/remove_identities.hpp>
#include <kompakt/graph/quantization_rule.hpp>
#include <kompakt/graph/shape.hpp>

#include <kompakt/io/tflite/operator_entry.hpp>
#include <kompakt/io/tflite/operator_reader.hpp>
#include <kompakt/io/tflite/operator_writer.hpp>
#include <kompakt/io/tflite/operators/activations.hpp>
#include <kompakt/io/tflite/operators/arithmetic.hpp>
#include <kompakt/io/tflite/operators/conversion.hpp>
#include <kompakt/io/tflite/operators/convolution.hpp>
#include <kompakt/io/tflite/operators/fully_connected.hpp>
#include <kompakt/io/tflite/operators/movement.hpp>
#include <kompakt/io/tflite/operators/pooling.hpp>
#include <kompakt/io/tflite/operators/reduction.hpp>
#include <kompakt/io/tflite/operators/shape.hpp>
#include <kompakt/io/tflite/operators.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/schema.hpp>
#include <kompakt/io/tflite/writer.hpp>

#include <kompakt/plan/constant_folding.hpp>
#include <kompakt/plan/memory_planner.hpp>
#include <kompakt/plan/overlap.hpp>
#include <kompakt/plan/pack_weights.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/plan/plan_memory.hpp>
#include <kompakt/plan/plan_options.hpp>
#include <kompakt/plan/planned.hpp>
#include <kompakt/plan/program_builder.hpp>
#include <kompakt/plan/prune.hpp>
#include <kompakt/plan/write_executable.hpp>

#include <kompakt/compress/assign.hpp>
#include <kompakt/compress/calibrate.hpp>
#include <kompakt/compress/convert.hpp>
#include <kompakt/compress/observers/histogram.hpp>
#include <kompakt/compress/observers/kl.hpp>
#include <kompakt/compress/observers/min_max.hpp>
#include <kompakt/compress/observers/moving_average.hpp>
#include <kompakt/compress/observers/mse.hpp>
#include <kompakt/compress/observers/observer.hpp>
#include <kompakt/compress/observers/percentile.hpp>
#include <kompakt/compress/observers/torch_histogram.hpp>
#include <kompakt/compress/observers.hpp>
#include <kompakt/compress/prepare.hpp>
#include <kompakt/compress/quantization_report.hpp>
#include <kompakt/compress/quantize.hpp>
#include <kompakt/compress/samples.hpp>

#include <kompakt/emit/choose_instances.hpp>
#include <kompakt/emit/header.hpp>
#include <kompakt/emit/identifier.hpp>
#include <kompakt/emit/literals.hpp>
#include <kompakt/emit/options.hpp>

#include <kompakt/report/html.hpp>
#include <kompakt/report/model.hpp>
#include <kompakt/report/model_html.hpp>
#include <kompakt/report/model_json.hpp>
#include <kompakt/report/model_summary.hpp>
#include <kompakt/report/progress.hpp>
#include <kompakt/report/quantization.hpp>
#include <kompakt/report/text.hpp>
#endif

#include <kompakt/core/macros_pop.hpp>
