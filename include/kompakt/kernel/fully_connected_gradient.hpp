// What a fully connected layer (fully_connected.hpp) sends back, by its input and by its weights.
//
//     fully_connected_grad_input_f32:   gradient [n, o], weights OI [o, k] -> [n, k]
//     fully_connected_grad_weights_f32: gradient [n, o], input [n, k] -> weights OI [o, k]
//
// Operands of other ranks are seen as these.
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/gemm.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// The extents of the matrices, from the gradient's elements and those of the weights [o, k].
struct dense_extents {
    std::int32_t n, o, k;
};
inline dense_extents dense_extents_of(const call& c, const tensor_record& weights) noexcept {
    const std::int32_t o = c.dims_of(weights)[0], k = c.dims_of(weights)[1];
    return {static_cast<std::int32_t>(c.elements(c.input_record(0))) / (o > 0 ? o : 1), o, k};
}
inline status check_dense_gradient(const call& c, bool weights_out) noexcept {
    if (c.inputs() != 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs two inputs and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "gradient", dtype::f32, max_rank));
    KOMPAKT_TRY(check_operand(c.input_record(1), "second input", dtype::f32, max_rank));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::f32, max_rank));
    const tensor_record& weights = weights_out ? c.output_record(0) : c.input_record(1);
    const tensor_record& in = weights_out ? c.input_record(1) : c.output_record(0);
    if (weights.rank != 2)
        return fail(errc::bad_file, "weights: rank ", weights.rank, ", needed 2");
    const dense_extents e = dense_extents_of(c, weights);
    const auto size = [](std::int32_t a, std::int32_t b) {
        return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    };
    if (e.o < 1 || e.k < 1 || size(e.n, e.o) != c.elements(c.input_record(0)) ||
        size(e.n, e.k) != c.elements(in)) {
        return fail(errc::bad_file, "weights [", e.o, ", ", e.k, "] do not fit ",
                    c.elements(c.input_record(0)), " outputs and ", c.elements(in), " inputs");
    }
    return {};
}

} // namespace detail

struct fully_connected_grad_input_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::fully_connected_grad_input_f32;
    static constexpr const char* name = "fully_connected_grad_input_f32";

    static status check(const call& c) noexcept { return detail::check_dense_gradient(c, false); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto e = detail::dense_extents_of(c, c.input_record(1));
        gemm(port, port, {e.n, e.k, e.o, e.o, 1, e.k, e.k}, c.input_data<float>(0),
             c.input_data<float>(1), c.output_data<float>(0));
    }
};

struct fully_connected_grad_weights_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::fully_connected_grad_weights_f32;
    static constexpr const char* name = "fully_connected_grad_weights_f32";

    static status check(const call& c) noexcept { return detail::check_dense_gradient(c, true); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto e = detail::dense_extents_of(c, c.output_record(0));
        gemm(port, port, {e.o, e.k, e.n, 1, e.o, e.k, e.k}, c.input_data<float>(0),
             c.input_data<float>(1), c.output_data<float>(0));
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
