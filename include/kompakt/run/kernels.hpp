// The list of kernel families, and one table of their entries per port.
#pragma once

#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/average_pool2d.hpp>
#include <kompakt/kernel/clamp.hpp>
#include <kompakt/kernel/concatenation.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt/kernel/gru.hpp>
#include <kompakt/kernel/jump.hpp>
#include <kompakt/kernel/logistic.hpp>
#include <kompakt/kernel/lstm.hpp>
#include <kompakt/kernel/max_pool2d.hpp>
#include <kompakt/kernel/mean.hpp>
#include <kompakt/kernel/mul.hpp>
#include <kompakt/kernel/pad.hpp>
#include <kompakt/kernel/quantize.hpp>
#include <kompakt/kernel/softmax.hpp>
#include <kompakt/kernel/sub.hpp>
#include <kompakt/kernel/svdf.hpp>
#include <kompakt/kernel/transpose.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class...>
struct type_list {};

// Every family that a session can run. A new kernel is added here and in kernel_id.hpp.
// clang-format off: one a line
using kernel_list = type_list<copy, conv2d_i8, conv2d_f32, add_i8, add_f32, mul_i8, mul_f32, sub_i8,
                              sub_f32, softmax_i8, softmax_f32, logistic_i8, logistic_f32, clamp_i8,
                              clamp_f32, quantize_f32_i8, dequantize_i8_f32, requantize_i8, pad,
                              concatenation, transpose, depthwise_conv2d_i8, depthwise_conv2d_f32,
                              fully_connected_i8, fully_connected_f32, average_pool2d_i8,
                              average_pool2d_f32, max_pool2d_i8, max_pool2d_f32, mean_i8, mean_f32,
                              svdf_f32,
                              svdf_i8_state16,
                              svdf_i8_state8,
                              lstm_f32,
                              lstm_i8,
                              lstm_i16,
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
};

struct kernel_table {
    const char* port = nullptr;
    const kernel_entry* entries = nullptr;
    std::size_t size = 0;

    // Null for an id that this build does not have.
    constexpr const kernel_entry* find(std::uint16_t id) const noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            if (static_cast<std::uint16_t>(entries[i].id) == id) return &entries[i];
        }
        return nullptr;
    }
};

namespace detail {

// Families without packing, or packing that does not exist for a port, need no member of that name.
template <class Kernel, class Port, class = void>
struct pack_traits {
    static constexpr std::uint32_t id = 0;
    static constexpr std::size_t (*bytes)(const call&) noexcept = nullptr;
    static constexpr void (*pack)(const call&, std::byte*) noexcept = nullptr;
};
template <class Kernel, class Port>
struct pack_traits<Kernel, Port, std::void_t<decltype(Kernel::pack_id(Port{}))>> {
    static constexpr std::uint32_t id = Kernel::pack_id(Port{});
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
                                        packing::id != 0 ? packing::pack : nullptr};
};

template <class Port, class List>
struct table_of;
template <class Port, class... Kernels>
struct table_of<Port, type_list<Kernels...>> {
    static constexpr kernel_entry entries[] = {kernel_entries<Kernels, Port>::value...};
    static constexpr kernel_table value{Port::name, entries, sizeof...(Kernels)};
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

} // namespace KOMPAKT_ABI
} // namespace kompakt
