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
    // 27 was logistic_i8, which is a lookup_i8 now
    logistic_f32 = 28,
    transpose = 29,
    sub_i8 = 30,
    sub_f32 = 31,
    lookup_i8 = 140, // any function of one int8 element, by a table
    unary_abs_f32 = 141,
    unary_neg_f32 = 142,
    unary_sqrt_f32 = 143,
    unary_rsqrt_f32 = 144,
    unary_exp_f32 = 145,
    unary_log_f32 = 146,
    unary_square_f32 = 147,
    unary_sin_f32 = 148,
    unary_cos_f32 = 149,
    unary_floor_f32 = 150,
    unary_ceil_f32 = 151,
    unary_round_f32 = 152,
    unary_tanh_f32 = 153,
    unary_elu_f32 = 154,
    unary_hard_swish_f32 = 155,
    unary_gelu_f32 = 156,
    unary_gelu_tanh_f32 = 157,
    leaky_relu_f32 = 158,
    leaky_relu_i16 = 159,
    abs_i16 = 160,
    rsqrt_i16 = 161,
    logistic_i16 = 162,
    tanh_i16 = 163,
    clamp_i16 = 164,
    softmax_i8_i16 = 165,
    softmax_i16 = 166,
    log_softmax_i8 = 167,
    log_softmax_f32 = 168,
    quantize_f32_u8 = 169,
    quantize_f32_i16 = 170,
    dequantize_u8_f32 = 171,
    dequantize_i16_f32 = 172,
    dequantize_f16_f32 = 173,
    requantize_mixed = 174,
    cast_integers = 175,
    cast_integers_f32 = 176,
    cast_f32_integers = 177,
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
