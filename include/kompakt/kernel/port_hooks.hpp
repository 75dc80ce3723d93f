// Where a port may do a whole call of a family its own way: with scratch, or with weights in its
// own order.
//
// A family `struct F : with_port_hooks<F, Base>` is the portable one, `Base`, unless a port
// overloads these for its tag and F:
//
//     std::size_t kernel_scratch_bytes(tag, F, const call&);
//     template <class Port, class Call> void run_kernel(tag, F, Port, const Call&);
//     constexpr std::uint32_t kernel_pack_id(tag, F);        // names port, family and layout
//     std::size_t kernel_pack_bytes(tag, F, const call&);    // 0: this call needs no packing
//     void kernel_pack(tag, F, const call&, std::byte* to);
//     constexpr std::uint32_t kernel_pack_absorbs(tag, F);   // optional
//
// `kernel_pack_absorbs` has a bit for each further input that packed weights hold as well: an
// executable with packed weights keeps only the shapes of these, and checks do not see their
// values. Of such an executable `kernel_pack_bytes` is asked again, by shapes and places alone.
//
// `run_kernel` has to be a template on `Call`, or calls with constant extents find it ambiguous. A
// call with less scratch never reaches the port. One whose `packed()` is null has canonical
// weights: the port reads those, or hands the call on with `F::run_portable(port, call)`.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/window.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class Family>
constexpr std::uint32_t kernel_pack_absorbs(portable, Family) noexcept {
    return 0;
}
template <class Family>
std::size_t kernel_scratch_bytes(portable, Family, const call& c) noexcept {
    return row_buffer_bytes(c);
}
template <class Family, class Port, class Call>
void run_kernel(portable, Family, Port port, const Call& c) noexcept {
    Family::run_portable(port, c);
}

template <class Family, class Base>
struct with_port_hooks : Base {
    template <class Port>
    static std::size_t scratch_bytes(Port port, const call& c) noexcept {
        return kernel_scratch_bytes(port, Family{}, c);
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        run_kernel(port, Family{}, port, c);
    }
    template <class Port, class Call>
    static void run_portable(Port port, const Call& c) noexcept {
        Base::run(port, c);
    }
    // Only for ports that pack. (`F` is Family, which is not complete yet.)
    template <class Port, class F = Family>
    static constexpr auto pack_id(Port port) noexcept -> decltype(kernel_pack_id(port, F{})) {
        return kernel_pack_id(port, F{});
    }
    template <class Port, class F = Family>
    static constexpr std::uint32_t pack_absorbs(Port port) noexcept {
        return kernel_pack_absorbs(port, F{});
    }
    template <class Port>
    static std::size_t pack_bytes(Port port, const call& c) noexcept {
        // Computed weights have no order but the canonical one.
        if (c.input_record(packed_input).where != place::constant) return 0;
        return kernel_pack_bytes(port, Family{}, c);
    }
    template <class Port>
    static void pack(Port port, const call& c, std::byte* to) noexcept {
        kernel_pack(port, Family{}, c, to);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
