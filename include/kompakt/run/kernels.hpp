// The list of kernel families, and one table of their entries per port.
#pragma once

#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/add_n.hpp>
#include <kompakt/kernel/arg_extreme.hpp>
#include <kompakt/kernel/average_pool2d.hpp>
#include <kompakt/kernel/batch_matmul.hpp>
#include <kompakt/kernel/broadcast_args.hpp>
#include <kompakt/kernel/cast.hpp>
#include <kompakt/kernel/clamp.hpp>
#include <kompakt/kernel/comparison.hpp>
#include <kompakt/kernel/concatenation.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/cumsum.hpp>
#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt/kernel/div.hpp>
#include <kompakt/kernel/dynamic_slice.hpp>
#include <kompakt/kernel/dynamic_update_slice.hpp>
#include <kompakt/kernel/extreme.hpp>
#include <kompakt/kernel/floor_div.hpp>
#include <kompakt/kernel/floor_mod.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt/kernel/gather.hpp>
#include <kompakt/kernel/gather_nd.hpp>
#include <kompakt/kernel/gru.hpp>
#include <kompakt/kernel/jump.hpp>
#include <kompakt/kernel/l2_normalization.hpp>
#include <kompakt/kernel/l2_pool2d.hpp>
#include <kompakt/kernel/leaky_relu.hpp>
#include <kompakt/kernel/log_softmax.hpp>
#include <kompakt/kernel/logistic.hpp>
#include <kompakt/kernel/lstm.hpp>
#include <kompakt/kernel/max_pool2d.hpp>
#include <kompakt/kernel/mean.hpp>
#include <kompakt/kernel/mirror_pad.hpp>
#include <kompakt/kernel/mul.hpp>
#include <kompakt/kernel/pad.hpp>
#include <kompakt/kernel/prelu.hpp>
#include <kompakt/kernel/quantize.hpp>
#include <kompakt/kernel/reduce_extreme.hpp>
#include <kompakt/kernel/requantize_mixed.hpp>
#include <kompakt/kernel/resize_bilinear.hpp>
#include <kompakt/kernel/resize_nearest_neighbor.hpp>
#include <kompakt/kernel/select.hpp>
#include <kompakt/kernel/signal.hpp>
#include <kompakt/kernel/signal_rfft.hpp>
#include <kompakt/kernel/softmax.hpp>
#include <kompakt/kernel/softmax_i16.hpp>
#include <kompakt/kernel/squared_difference.hpp>
#include <kompakt/kernel/strided_copy.hpp>
#include <kompakt/kernel/sub.hpp>
#include <kompakt/kernel/svdf.hpp>
#include <kompakt/kernel/transpose_conv2d.hpp>
#include <kompakt/kernel/unary.hpp>
#include <kompakt/kernel/unary_i16.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class...>
struct type_list {};

// Every family that a session can run. A new kernel is added here and in kernel_id.hpp.
// clang-format off
using kernel_list = type_list<
    copy,
    conv2d_i8,
    conv2d_f32,
    add_i8,
    add_f32,
    mul_i8,
    mul_f32,
    sub_i8,
    sub_f32,
    softmax_i8,
    softmax_f32,
    logistic_f32,
    clamp_i8,
    clamp_f32,
    quantize_f32_i8,
    dequantize_i8_f32,
    requantize_i8,
    pad,
    concatenation,
    depthwise_conv2d_i8,
    depthwise_conv2d_f32,
    fully_connected_i8,
    fully_connected_f32,
    average_pool2d_i8,
    average_pool2d_f32,
    max_pool2d_i8,
    max_pool2d_f32,
    mean_i8,
    mean_f32,
    strided_copy,
    mirror_pad,
    resize_nearest_neighbor,
    resize_bilinear_i8,
    resize_bilinear_f32,
    gather,
    gather_nd,
    dynamic_slice,
    dynamic_update_slice,
    lookup_i8,
    unary_abs_f32,
    unary_neg_f32,
    unary_sqrt_f32,
    unary_rsqrt_f32,
    unary_exp_f32,
    unary_log_f32,
    unary_square_f32,
    unary_sin_f32,
    unary_cos_f32,
    unary_floor_f32,
    unary_ceil_f32,
    unary_round_f32,
    unary_tanh_f32,
    unary_elu_f32,
    unary_hard_swish_f32,
    unary_gelu_f32,
    unary_gelu_tanh_f32,
    leaky_relu_f32,
    leaky_relu_i16,
    abs_i16,
    rsqrt_i16,
    logistic_i16,
    tanh_i16,
    clamp_i16,
    softmax_i8_i16,
    softmax_i16,
    log_softmax_i8,
    log_softmax_f32,
    quantize_f32_u8,
    quantize_f32_i16,
    dequantize_u8_f32,
    dequantize_i16_f32,
    dequantize_f16_f32,
    requantize_mixed,
    cast_integers,
    cast_integers_f32,
    cast_f32_integers,
    add_i16,
    add_i32,
    sub_i16,
    sub_i32,
    mul_i16,
    mul_i32,
    div_i8,
    div_i32,
    div_f32,
    floor_div_f32,
    floor_mod_f32,
    squared_difference_i8,
    squared_difference_i16,
    extreme_int,
    extreme_f32,
    add_n_i8,
    equal_int,
    equal_f32,
    equal_i8,
    less_int,
    less_f32,
    less_i8,
    less_equal_f32,
    select,
    prelu_i8,
    prelu_i16,
    prelu_f32,
    mean_i16,
    sum_f32,
    reduce_extreme_int,
    reduce_extreme_f32,
    arg_extreme_int,
    arg_extreme_f32,
    cumsum_i8,
    cumsum_f32,
    l2_normalization_i8,
    l2_normalization_f32,
    broadcast_args,
    conv2d_i4,
    conv2d_i16,
    conv2d_i16_sum32,
    depthwise_conv2d_i4,
    depthwise_conv2d_i16,
    fully_connected_i4,
    fully_connected_i16,
    fully_connected_i16_sum32,
    transpose_conv2d_i8,
    transpose_conv2d_i16,
    transpose_conv2d_f32,
    batch_matmul_i8,
    batch_matmul_i16,
    batch_matmul_f32,
    average_pool2d_i16,
    max_pool2d_i16,
    l2_pool2d_f32,
    svdf_f32,
    svdf_i8_state16,
    svdf_i8_state8,
    lstm_f32,
    lstm_i8,
    lstm_i16,
    signal_window,
    signal_fft_auto_scale,
    signal_rfft,
    signal_energy,
    signal_filter_bank,
    signal_filter_bank_square_root,
    signal_filter_bank_spectral_subtraction,
    signal_pcan,
    signal_filter_bank_log,
    gru_f32,
    gru_i8,
    gru_i16,
    jump,
    jump_unless>;
// clang-format on

// What a session, a validator and the planner know of one kernel on one port.
struct kernel_entry {
    kernel_id id = kernel_id::none;
    const char* name = nullptr;
    std::uint32_t params_bytes = 0;
    bool in_place = false; // works, or at least stays harmless, when an output overlaps an input
    bool by_rows = false;  // can run by rows
    status (*check)(const call&) noexcept = nullptr;
    std::size_t (*scratch_bytes)(const call&) noexcept = nullptr;
    void (*run)(const call&) noexcept = nullptr;
    // Weights in the port's own order: 0 and null where the port reads canonical ones.
    std::uint32_t pack_id = 0;
    std::size_t (*pack_bytes)(const call&) noexcept = nullptr;
    void (*pack)(const call&, std::byte* to) noexcept = nullptr;
    std::uint32_t absorbs = 0; // inputs that packed weights hold as well, by bit

    constexpr bool absorbed(std::uint32_t input) const noexcept {
        return input < 32 && (absorbs >> input & 1) != 0;
    }
};

struct kernel_table {
    const char* port = nullptr;
    const kernel_entry* entries = nullptr;
    std::size_t size = 0;
    // Of a table that adds kernels to another (training_kernels.hpp): that other one, and the
    // portable forms of the kernels that it adds.
    const kernel_table* base = nullptr;
    const kernel_table* added_portable = nullptr;

    // Null for an id that this build does not have.
    constexpr const kernel_entry* find(std::uint16_t id) const noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            if (static_cast<std::uint16_t>(entries[i].id) == id) return &entries[i];
        }
        return base != nullptr ? base->find(id) : nullptr;
    }
};

namespace detail {

// Families without packing, or packing that does not exist for a port, need no member of that name.
template <class Kernel, class Port, class = void>
struct pack_traits {
    static constexpr std::uint32_t id = 0, absorbs = 0;
    static constexpr std::size_t (*bytes)(const call&) noexcept = nullptr;
    static constexpr void (*pack)(const call&, std::byte*) noexcept = nullptr;
};
template <class Kernel, class Port>
struct pack_traits<Kernel, Port, std::void_t<decltype(Kernel::pack_id(Port{}))>> {
    static constexpr std::uint32_t id = Kernel::pack_id(Port{});
    static constexpr std::uint32_t absorbs = Kernel::pack_absorbs(Port{});
    static std::size_t bytes(const call& c) noexcept { return Kernel::pack_bytes(Port{}, c); }
    static void pack(const call& c, std::byte* to) noexcept { Kernel::pack(Port{}, c, to); }
};

// Families say `static constexpr bool in_place = true;` when output and input may share memory.
template <class Kernel, class = void>
inline constexpr bool works_in_place = false;
template <class Kernel>
inline constexpr bool works_in_place<Kernel, std::void_t<decltype(Kernel::in_place)>> =
    Kernel::in_place;

// Likewise `by_rows`, of windows over rows.
template <class Kernel, class = void>
inline constexpr bool runs_by_rows = false;
template <class Kernel>
inline constexpr bool runs_by_rows<Kernel, std::void_t<decltype(Kernel::by_rows)>> =
    Kernel::by_rows;

// Families that say nothing of scratch need the row buffer, and only by rows.
template <class Kernel, class Port, class = void>
struct scratch_of_kernel {
    static std::size_t bytes(const call& c) noexcept { return row_buffer_bytes(c); }
};
template <class Kernel, class Port>
struct scratch_of_kernel<
    Kernel, Port,
    std::void_t<decltype(Kernel::scratch_bytes(Port{}, std::declval<const call&>()))>> {
    static std::size_t bytes(const call& c) noexcept { return Kernel::scratch_bytes(Port{}, c); }
};

template <class Kernel, class Port>
struct kernel_entries {
    static void run(const call& c) noexcept { Kernel::run(Port{}, c); }

    using packing = pack_traits<Kernel, Port>;
    static constexpr kernel_entry value{Kernel::id,
                                        Kernel::name,
                                        std::is_empty_v<typename Kernel::params>
                                            ? 0
                                            : std::uint32_t{sizeof(typename Kernel::params)},
                                        works_in_place<Kernel>,
                                        runs_by_rows<Kernel>,
                                        &Kernel::check,
                                        &scratch_of_kernel<Kernel, Port>::bytes,
                                        &run,
                                        packing::id,
                                        packing::id != 0 ? packing::bytes : nullptr,
                                        packing::id != 0 ? packing::pack : nullptr,
                                        packing::absorbs};
};

template <class Port, class List>
struct table_of;
template <class Port, class... Kernels>
struct table_of<Port, type_list<Kernels...>> {
    static constexpr kernel_entry entries[] = {kernel_entries<Kernels, Port>::value...};
    static constexpr kernel_table value{Port::name, entries, sizeof...(Kernels), nullptr, nullptr};
};

} // namespace detail

// The kernels of a port. A build that compiles them once (CMake: kompakt::compiled) declares the
// instances of its ports here and defines them in cmake/compiled/kernels.cpp.
template <class Port>
const kernel_table& kernels_of() noexcept {
    return detail::table_of<Port, kernel_list>::value;
}
#if KOMPAKT_COMPILED
template <>
const kernel_table& kernels_of<portable>() noexcept;
#endif

// The portable form of a kernel of `table`, which every executable has scratch for.
inline const kernel_entry* portable_entry(const kernel_table& table, std::uint16_t id) noexcept {
    const kernel_entry* e = kernels_of<portable>().find(id);
    return e != nullptr || table.added_portable == nullptr ? e : table.added_portable->find(id);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
