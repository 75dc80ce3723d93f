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
    svdf_f32 = 260,
    svdf_i8_state16 = 261,
    svdf_i8_state8 = 262,
    lstm_f32 = 263,
    lstm_i8 = 264,
    lstm_i16 = 265,
    gru_f32 = 266,
    gru_i8 = 267,
    gru_i16 = 268,
    jump = 269,
    jump_unless = 270,
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
