// The kernels of microcontrollers, for hosts that plan, pack and test for them: compiled once as
// those in kernels.cpp, but not for speed.
#include <kompakt/run/default_kernels.hpp>

#if defined(KOMPAKT_DETAIL_CORTEX_M)
#include <kompakt_ports/cortex_m/ports.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <>
const kernel_table& kernels_of<cortex_m::v6m>() noexcept {
    return detail::table_of<cortex_m::v6m, kernel_list>::value;
}
template <>
const kernel_table& kernels_of<cortex_m::dsp>() noexcept {
    return detail::table_of<cortex_m::dsp, kernel_list>::value;
}
template <>
const kernel_table& kernels_of<cortex_m::mve>() noexcept {
    return detail::table_of<cortex_m::mve, kernel_list>::value;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
#endif
