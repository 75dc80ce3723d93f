// The kernels that training adds: losses and what operators send back. A table of them stands on
// that of the inference kernels, so that what only runs models carries none of these.
//
//     const kernel_table kernels = default_training_kernels();
//     plan_options o;
//     o.kernels = &kernels;
//     session s(bytes, kernels);
#pragma once

#include <kompakt/kernel/batch_norm_training.hpp>
#include <kompakt/kernel/conv2d_gradient.hpp>
#include <kompakt/kernel/depthwise_conv2d_gradient.hpp>
#include <kompakt/kernel/dropout.hpp>
#include <kompakt/kernel/fully_connected_gradient.hpp>
#include <kompakt/kernel/loss.hpp>
#include <kompakt/kernel/pool2d_gradient.hpp>
#include <kompakt/kernel/softmax_gradient.hpp>
#include <kompakt/kernel/unary_gradient.hpp>
#include <kompakt/run/default_kernels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// clang-format off
using training_kernel_list = type_list<
    conv2d_grad_input_f32,
    conv2d_grad_filter_f32,
    depthwise_conv2d_grad_input_f32,
    depthwise_conv2d_grad_filter_f32,
    fully_connected_grad_input_f32,
    fully_connected_grad_weights_f32,
    average_pool2d_grad_f32,
    max_pool2d_grad_f32,
    batch_norm_training_f32,
    batch_norm_grad_f32,
    softmax_grad_f32,
    log_softmax_grad_f32,
    unary_grad_f32,
    dropout_f32,
    loss_f32>;
// clang-format on

template <class Port>
kernel_table training_kernels_of() noexcept {
    const kernel_table& added = detail::table_of<Port, training_kernel_list>::value;
    return {Port::name, added.entries, added.size, &kernels_of<Port>(),
            &detail::table_of<portable, training_kernel_list>::value};
}

// Of the port that apps get by default. Returned by value: keep it as long as what uses it.
inline kernel_table default_training_kernels() noexcept {
#if defined(KOMPAKT_DETAIL_X86)
    if (x86::avx2::supported()) return training_kernels_of<x86::avx2>();
#endif
#if defined(KOMPAKT_DETAIL_NEON)
    if (neon::neon::supported()) return training_kernels_of<neon::neon>();
#endif
    return training_kernels_of<portable>();
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
