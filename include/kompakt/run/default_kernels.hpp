// The one file that chooses a port: firmware at compile time (KOMPAKT_PORT), apps once at run time
// from what the processor can do. It is the only header that knows the ports.
#pragma once

#include <kompakt/run/kernels.hpp>

#include <cstring>

#if KOMPAKT_HOSTED && defined(__has_include)
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__)) &&     \
    __has_include(<kompakt_ports/x86/ports.hpp>)
#include <kompakt_ports/x86/ports.hpp>
#define KOMPAKT_DETAIL_X86 1
#elif (defined(__aarch64__) || defined(__ARM_NEON)) && __has_include(<kompakt_ports/neon/ports.hpp>)
#include <kompakt_ports/neon/ports.hpp>
#endif
#endif

// A host plans and packs for microcontrollers if kompakt::compiled has the kernels for it; it needs
// the tag only.
#if defined(__has_include)
#if __has_include(<kompakt_ports/cortex_m/ports.hpp>)
#include <kompakt_ports/cortex_m/tags.hpp>
#if KOMPAKT_DETAIL_CORTEX_M_ANY
#include <kompakt_ports/cortex_m/ports.hpp>
#define KOMPAKT_DETAIL_CORTEX_M 1
#elif KOMPAKT_HOSTED && KOMPAKT_COMPILED
#define KOMPAKT_DETAIL_CORTEX_M 1
#endif
#endif
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The tags by their names, which KOMPAKT_PORT and emitted code use.
struct ports_by_name {
    using portable = kompakt::portable;
#if defined(KOMPAKT_DETAIL_X86)
    using avx2 = x86::avx2;
#endif
#if defined(KOMPAKT_DETAIL_CORTEX_M)
    using cortex_m_v6m = cortex_m::v6m;
    using cortex_m_dsp = cortex_m::dsp;
    using cortex_m_mve = cortex_m::mve;
#endif
#if defined(KOMPAKT_DETAIL_NEON)
    using neon = kompakt::neon::neon;
#endif
#if defined(KOMPAKT_DETAIL_NEON64)
    using neon_dotprod = kompakt::neon::dotprod;
    using neon_i8mm = kompakt::neon::i8mm;
#endif
};

// The port of code that makes no choice at run time: emitted models, unless they name another.
using default_port = ports_by_name::KOMPAKT_PORT;

#if KOMPAKT_COMPILED && defined(KOMPAKT_DETAIL_X86)
template <>
const kernel_table& kernels_of<x86::avx2>() noexcept;
#endif
#if KOMPAKT_COMPILED && defined(KOMPAKT_DETAIL_CORTEX_M)
template <>
const kernel_table& kernels_of<cortex_m::v6m>() noexcept;
template <>
const kernel_table& kernels_of<cortex_m::dsp>() noexcept;
template <>
const kernel_table& kernels_of<cortex_m::mve>() noexcept;
#endif
#if KOMPAKT_COMPILED && defined(KOMPAKT_DETAIL_NEON)
template <>
const kernel_table& kernels_of<neon::neon>() noexcept;
#endif
#if KOMPAKT_COMPILED && defined(KOMPAKT_DETAIL_NEON64)
template <>
const kernel_table& kernels_of<neon::dotprod>() noexcept;
template <>
const kernel_table& kernels_of<neon::i8mm>() noexcept;
#endif

// All ports of this build that this processor can run, the preferred one first, portable last.
struct port_list {
    const kernel_table* tables[8] = {};
    std::size_t size = 0;

    // Null for a port that is unknown or that the processor lacks.
    const kernel_table* find(const char* name) const noexcept {
        for (std::size_t i = 0; i < size; ++i) {
            if (std::strcmp(name, tables[i]->port) == 0) return tables[i];
        }
        return nullptr;
    }
#if KOMPAKT_HOSTED
    const kernel_table* find(const std::string& name) const noexcept {
        return find(name.c_str());
    }
#endif
};

inline port_list available_ports() noexcept {
    port_list list;
    const auto add = [&](auto port, const kernel_table& table) {
        if (decltype(port)::supported()) list.tables[list.size++] = &table;
    };
#if defined(KOMPAKT_DETAIL_X86)
    add(x86::avx2{}, kernels_of<x86::avx2>());
#endif
#if defined(KOMPAKT_DETAIL_NEON64)
    add(neon::i8mm{}, kernels_of<neon::i8mm>());
    add(neon::dotprod{}, kernels_of<neon::dotprod>());
#endif
#if defined(KOMPAKT_DETAIL_NEON)
    add(neon::neon{}, kernels_of<neon::neon>());
#endif
    add(portable{}, kernels_of<portable>());
    return list;
}

inline const kernel_table& default_kernels() noexcept {
#if KOMPAKT_HOSTED
    return *available_ports().tables[0];
#else
    return kernels_of<default_port>();
#endif
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
