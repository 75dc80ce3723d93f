// The kernels of all ports of this machine, compiled once: everything that links kompakt::compiled
// finds the tables here instead of instantiating all kernels in each file. Those that a host only
// emulates are in emulated_kernels.cpp.
#include <kompakt/run/default_kernels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <>
const kernel_table& kernels_of<portable>() noexcept {
    return detail::table_of<portable, kernel_list>::value;
}
#if defined(KOMPAKT_DETAIL_X86)
template <>
const kernel_table& kernels_of<x86::avx2>() noexcept {
    return detail::table_of<x86::avx2, kernel_list>::value;
}
#endif
#if defined(KOMPAKT_DETAIL_NEON)
template <>
const kernel_table& kernels_of<neon::neon>() noexcept {
    return detail::table_of<neon::neon, kernel_list>::value;
}
#endif
#if defined(KOMPAKT_DETAIL_NEON64)
template <>
const kernel_table& kernels_of<neon::dotprod>() noexcept {
    return detail::table_of<neon::dotprod, kernel_list>::value;
}
template <>
const kernel_table& kernels_of<neon::i8mm>() noexcept {
    return detail::table_of<neon::i8mm, kernel_list>::value;
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
