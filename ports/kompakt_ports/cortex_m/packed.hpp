// What the hooks of all packing kernels share.
#pragma once

#include <kompakt/kernel/requantize.hpp>
#include <kompakt_ports/cortex_m/tags.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// Packed weights hold bias, multipliers and shifts too: operands 2, 3 and 4.
inline constexpr std::uint32_t absorbs_stage = 7u << 2;

// Whether an executable stores the weights in a port's order already.
inline bool is_packed(const call& c) noexcept {
    return c.input_record(packed_input).coding == encoding::port;
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
