// Compiled once: the specs of a hundred operators are long.
#include "all_specs.hpp"

#include "abs_spec.hpp"
#include "add_n_spec.hpp"
#include "add_spec.hpp"
#include "arg_extreme_spec.hpp"
#include "average_pool2d_spec.hpp"
#include "batch_matmul_spec.hpp"
#include "batch_norm_spec.hpp"
#include "blocks_spec.hpp"
#include "broadcast_args_spec.hpp"
#include "cast_spec.hpp"
#include "ceil_spec.hpp"
#include "comparison_spec.hpp"
#include "concatenation_spec.hpp"
#include "conv2d_spec.hpp"
#include "cos_spec.hpp"
#include "depthwise_conv2d_spec.hpp"
#include "dequantize_spec.hpp"
#include "div_spec.hpp"
#include "elu_spec.hpp"
#include "exp_spec.hpp"
#include "extreme_spec.hpp"
#include "floor_div_spec.hpp"
#include "floor_spec.hpp"
#include "fully_connected_spec.hpp"
#include "gather_spec.hpp"
#include "gelu_spec.hpp"
#include "gru_spec.hpp"
#include "hard_swish_spec.hpp"
#include "l2_normalization_spec.hpp"
#include "l2_pool2d_spec.hpp"
#include "leaky_relu_spec.hpp"
#include "log_softmax_spec.hpp"
#include "log_spec.hpp"
#include "logistic_spec.hpp"
#include "lstm_spec.hpp"
#include "max_pool2d_spec.hpp"
#include "mean_spec.hpp"
#include "mirror_pad_spec.hpp"
#include "mul_spec.hpp"
#include "neg_spec.hpp"
#include "pack_spec.hpp"
#include "pad_spec.hpp"
#include "prelu_spec.hpp"
#include "quantize_spec.hpp"
#include "reduce_extreme_spec.hpp"
#include "relu_spec.hpp"
#include "repeat_spec.hpp"
#include "reshape_spec.hpp"
#include "resize_spec.hpp"
#include "round_spec.hpp"
#include "rsqrt_spec.hpp"
#include "select_spec.hpp"
#include "sin_spec.hpp"
#include "slice_spec.hpp"
#include "softmax_spec.hpp"
#include "split_spec.hpp"
#include "sqrt_spec.hpp"
#include "square_spec.hpp"
#include "squared_difference_spec.hpp"
#include "strided_slice_spec.hpp"
#include "sub_spec.hpp"
#include "svdf_spec.hpp"
#include "tanh_spec.hpp"
#include "transpose_conv2d_spec.hpp"
#include "transpose_spec.hpp"

namespace kompakt_test {

const std::vector<op_spec>& all_op_specs() {
    // clang-format off
    static const std::vector<op_spec> all = {
        conv2d_spec(),
        depthwise_conv2d_spec(),
        fully_connected_spec(),
        average_pool2d_spec(),
        max_pool2d_spec(),
        mean_spec(),
        add_spec(),
        sub_spec(),
        mul_spec(),
        softmax_spec(),
        logistic_spec(),
        relu_spec(),
        pad_spec(),
        concatenation_spec(),
        quantize_spec(),
        dequantize_spec(),
        reshape_spec(),
        transpose_spec(),
        batch_norm_spec(),
        mirror_pad_spec(),
        slice_spec(),
        strided_slice_spec(),
        split_spec(),
        unpack_spec(),
        pack_spec(),
        reverse_spec(),
        tile_spec(),
        broadcast_to_spec(),
        zeros_like_spec(),
        shape_spec(),
        rank_spec(),
        range_spec(),
        space_to_depth_spec(),
        depth_to_space_spec(),
        space_to_batch_nd_spec(),
        batch_to_space_nd_spec(),
        gather_spec(),
        gather_nd_spec(),
        embedding_lookup_spec(),
        dynamic_update_slice_spec(),
        resize_nearest_neighbor_spec(),
        resize_bilinear_spec(),
        abs_spec(),
        cast_spec(),
        ceil_spec(),
        cos_spec(),
        elu_spec(),
        exp_spec(),
        floor_spec(),
        gelu_spec(),
        hard_swish_spec(),
        leaky_relu_spec(),
        log_spec(),
        log_softmax_spec(),
        neg_spec(),
        round_spec(),
        rsqrt_spec(),
        sin_spec(),
        sqrt_spec(),
        square_spec(),
        tanh_spec(),
        transpose_conv2d_spec(),
        batch_matmul_spec(),
        l2_pool2d_spec(),
        svdf_spec(),
        lstm_spec(),
        sum_spec(),
        div_spec(),
        floor_div_spec(),
        floor_mod_spec(),
        squared_difference_spec(),
        maximum_spec(),
        minimum_spec(),
        add_n_spec(),
        logical_and_spec(),
        logical_or_spec(),
        logical_not_spec(),
        equal_spec(),
        not_equal_spec(),
        less_spec(),
        less_equal_spec(),
        greater_spec(),
        greater_equal_spec(),
        select_spec(),
        prelu_spec(),
        reduce_max_spec(),
        reduce_min_spec(),
        reduce_any_spec(),
        reduce_all_spec(),
        arg_max_spec(),
        arg_min_spec(),
        cumsum_spec(),
        l2_normalization_spec(),
        broadcast_args_spec(),
        gru_spec(),
    };
    // clang-format on
    return all;
}

} // namespace kompakt_test
