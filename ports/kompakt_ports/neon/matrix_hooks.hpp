// Hooks of the matrix kernels (kernel/port_hooks.hpp), the same for every NEON port. What differs
// is the engine: `with_engine(port, family, call, use)` gives the port's to `use`, one choice for
// packing, scratch and running.
#pragma once

#include <kompakt_ports/neon/matrix_i8mm.hpp>

#if defined(KOMPAKT_DETAIL_NEON)

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {

constexpr std::uint32_t matrix_number(conv2d_i8) noexcept {
    return 1;
}
constexpr std::uint32_t matrix_number(fully_connected_i8) noexcept {
    return 2;
}
template <class Port, class Family>
using matrix_hook =
    std::enable_if_t<std::is_base_of_v<neon, Port> && (std::is_same_v<Family, conv2d_i8> ||
                                                       std::is_same_v<Family, fully_connected_i8>),
                     int>;

template <class Port, class Family, matrix_hook<Port, Family> = 0>
constexpr std::uint32_t kernel_pack_id(Port port, Family f) noexcept {
    return matrix_pack_id(port) + matrix_number(f);
}
template <class Port, class Family, matrix_hook<Port, Family> = 0>
std::size_t kernel_pack_bytes(Port port, Family f, const call& c) noexcept {
    return code::with_engine(
        port, f, c, [&](auto engine) { return code::packed_bytes<decltype(engine)>(f, c); });
}
template <class Port, class Family, matrix_hook<Port, Family> = 0>
void kernel_pack(Port port, Family f, const call& c, std::byte* to) noexcept {
    code::with_engine(port, f, c, [&](auto engine) { code::pack<decltype(engine)>(f, c, to); });
}
template <class Port, class Family, matrix_hook<Port, Family> = 0>
std::size_t kernel_scratch_bytes(Port port, Family f, const call& c) noexcept {
    const std::size_t own = code::with_engine(
        port, f, c, [&](auto engine) { return code::own_scratch<decltype(engine)>(f, c); });
    const std::size_t row = row_buffer_bytes(c);
    return own > row ? own : row;
}
template <class Tag, class Family, class Port, class Call, matrix_hook<Tag, Family> = 0>
void run_kernel(Tag tag, Family f, Port port, const Call& c) noexcept {
    const bool done = code::with_engine(tag, f, c, [&](auto engine) {
        const code::matrix_plan plan = code::plan_of<decltype(engine)>(f, c);
        if (c.packed() == nullptr || plan.bytes == 0) return false;
        code::run_packed<decltype(engine)>(f, c, plan);
        return true;
    });
    if (!done) Family::run_portable(port, c);
}

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
