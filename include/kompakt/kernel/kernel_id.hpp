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
    mean_i8 = 20, // also sum
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
    add_i16 = 100,
    add_i32 = 101,
    sub_i16 = 102,
    sub_i32 = 103,
    mul_i16 = 104,
    mul_i32 = 105,
    div_i8 = 106,
    div_i32 = 107,
    div_f32 = 108,
    floor_div_f32 = 109,
    floor_mod_f32 = 110,
    squared_difference_i8 = 111,
    squared_difference_i16 = 112,
    extreme_int = 113, // maximum and minimum; logical and, or
    extreme_f32 = 114,
    add_n_i8 = 115,
    equal_int = 116, // also not_equal, logical not
    equal_f32 = 117,
    equal_i8 = 118, // of quantized numbers
    less_int = 119, // with its operands swapped or its result inverted: all four orders
    less_f32 = 120,
    less_i8 = 121,
    less_equal_f32 = 122,
    select = 123,
    prelu_i8 = 124,
    prelu_i16 = 125,
    prelu_f32 = 126,
    mean_i16 = 127, // also sum, as mean_i8
    sum_f32 = 128,
    reduce_extreme_int = 129, // maximum and minimum over axes; all, any
    reduce_extreme_f32 = 130,
    arg_extreme_int = 131,
    arg_extreme_f32 = 132,
    cumsum_i8 = 133,
    cumsum_f32 = 134,
    l2_normalization_i8 = 135,
    l2_normalization_f32 = 136,
    broadcast_args = 137,
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
