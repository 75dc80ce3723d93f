// The kernel ops: what devices run. The numbers are part of the .kpk format: never change one, add
// at the end. An id names the op and its element type.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class kernel_id : std::uint16_t {
    none = 0,
    copy = 1, // reshape and other changes of shape only
    conv2d_i8 = 2,
    conv2d_f32 = 3,
    depthwise_conv2d_i8 = 4,
    depthwise_conv2d_f32 = 5,
    fully_connected_i8 = 6,
    fully_connected_f32 = 7,
    add_i8 = 8,
    add_f32 = 9,
    mul_i8 = 10,
    mul_f32 = 11,
    average_pool2d_i8 = 12,
    average_pool2d_f32 = 13,
    max_pool2d_i8 = 14,
    max_pool2d_f32 = 15,
    softmax_i8 = 16,
    softmax_f32 = 17,
    pad = 18,
    concatenation = 19,
    mean_i8 = 20,
    mean_f32 = 21,
    quantize_f32_i8 = 22,
    dequantize_i8_f32 = 23,
    requantize_i8 = 24,
    clamp_i8 = 25, // relu, relu6 … on int8, rescaling included
    clamp_f32 = 26,
    logistic_i8 = 27,
    logistic_f32 = 28,
    transpose = 29,
    sub_i8 = 30,
    sub_f32 = 31,
    conv2d_i4 = 230, // int8 by packed int4 weights
    conv2d_i16 = 231,
    conv2d_i16_sum32 = 232,
    depthwise_conv2d_i4 = 233,
    depthwise_conv2d_i16 = 234,
    fully_connected_i4 = 235,
    fully_connected_i16 = 236,
    fully_connected_i16_sum32 = 237,
    transpose_conv2d_i8 = 238,
    transpose_conv2d_i16 = 239,
    transpose_conv2d_f32 = 240,
    batch_matmul_i8 = 241,
    batch_matmul_i16 = 242,
    batch_matmul_f32 = 243,
    average_pool2d_i16 = 244,
    max_pool2d_i16 = 245,
    l2_pool2d_f32 = 246,
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
