// The one list of op specs: what tests and benchmark run over.
#pragma once

#include "add_spec.hpp"
#include "average_pool2d_spec.hpp"
#include "batch_norm_spec.hpp"
#include "concatenation_spec.hpp"
#include "conv2d_spec.hpp"
#include "depthwise_conv2d_spec.hpp"
#include "dequantize_spec.hpp"
#include "fully_connected_spec.hpp"
#include "gru_spec.hpp"
#include "logistic_spec.hpp"
#include "lstm_spec.hpp"
#include "max_pool2d_spec.hpp"
#include "mean_spec.hpp"
#include "mul_spec.hpp"
#include "pad_spec.hpp"
#include "quantize_spec.hpp"
#include "relu_spec.hpp"
#include "reshape_spec.hpp"
#include "softmax_spec.hpp"
#include "sub_spec.hpp"
#include "svdf_spec.hpp"
#include "transpose_spec.hpp"

namespace kompakt_test {

inline const std::vector<op_spec>& all_op_specs() {
    // clang-format off: one a line
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
        svdf_spec(),
        lstm_spec(),
        gru_spec(),
    };
    // clang-format on
    return all;
}

} // namespace kompakt_test
