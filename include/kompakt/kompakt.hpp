// Everything: the device headers, and the host rooms where there is a host.
// The list is written by cmake/single_header.py.
// clang-format off
#pragma once

#include <kompakt/core/macros_push.hpp>

#include <kompakt/device.hpp>

#if KOMPAKT_HOSTED
#include <kompakt/host/aligned_buffer.hpp>

#include <kompakt/format/flatbuffer_reader.hpp>
#include <kompakt/format/flatbuffer_writer.hpp>
#include <kompakt/format/json.hpp>
#include <kompakt/format/npy.hpp>

#include <kompakt/graph/constant.hpp>
#include <kompakt/graph/graph.hpp>
#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/lower.hpp>
#include <kompakt/graph/lowered.hpp>
#include <kompakt/graph/multiplier.hpp>
#include <kompakt/graph/op.hpp>
#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/graph/shape.hpp>

#include <kompakt/plan/memory_planner.hpp>
#include <kompakt/plan/overlap.hpp>
#include <kompakt/plan/plan.hpp>

#include <kompakt/emit/header.hpp>
#endif

#include <kompakt/core/macros_pop.hpp>
