// Transpose: out[i0, i1, …] = in with its axes in another order, for any element type.
//
//     axis k of out is axis perm[k] of in; rank at most 6
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Axes are those of a tensor of rank 6: one of a lower rank has leading dimensions of one.
struct transpose_params {
    std::int32_t perm[max_rank] = {0, 1, 2, 3, 4, 5};

    template <class F>
    static constexpr void fields(F&& f) {
        f("perm_0"), f("perm_1"), f("perm_2"), f("perm_3"), f("perm_4"), f("perm_5");
    }
};

// `n` pieces of `bytes` bytes, `from_step` bytes apart in the input and side by side in the output.
template <class Port>
void gather_row(portable, Port, const std::byte* from, std::size_t from_step, std::byte* to,
                std::size_t n, std::size_t bytes) noexcept {
    if (bytes == 1) {
        for (; n > 0; --n, from += from_step) *to++ = *from;
    } else if (bytes == 4) {
        for (; n > 0; --n, from += from_step, to += 4) std::memcpy(to, from, 4);
    } else {
        for (; n > 0; --n, from += from_step, to += bytes) std::memmove(to, from, bytes);
    }
}

template <class Port, class InE, class OutE>
void transpose_elements(portable, Port port, const tensor<const std::byte, InE>& in,
                        const tensor<std::byte, OutE>& out, std::size_t size,
                        const transpose_params& p) noexcept {
    static_assert(InE::rank() == max_rank && OutE::rank() == max_rank);
    std::size_t in_step[max_rank], step[max_rank]; // bytes, by axis of the input and of the output
    std::size_t total = size;
    for (std::size_t i = max_rank; i-- > 0;) {
        in_step[i] = total;
        total *= static_cast<std::size_t>(in.dim(i));
    }
    for (std::size_t i = 0; i < max_rank; ++i) step[i] = in_step[p.perm[i]];
    // Axes at the end that follow each other in the input too move as one piece.
    std::size_t row = max_rank - 1, piece = size;
    while (row > 0 && (step[row] == piece || out.dim(row) == 1)) {
        piece *= static_cast<std::size_t>(out.dim(row));
        --row;
    }
    const auto n = static_cast<std::size_t>(out.dim(row));
    const std::byte* from = in.data();
    std::byte* to = out.data();
    std::byte* const end = to + total;
    std::int32_t index[max_rank] = {};
    while (to != end) {
        gather_row(port, port, from, step[row], to, n, piece);
        to += n * piece;
        for (std::size_t i = row; i-- > 0;) {
            from += step[i];
            if (++index[i] < out.dim(i)) break;
            index[i] = 0;
            from -= step[i] * static_cast<std::size_t>(out.dim(i));
        }
    }
}

struct transpose {
    using params = transpose_params;
    static constexpr kernel_id id = kernel_id::transpose;
    static constexpr const char* name = "transpose";

    static status check(const call& c) noexcept {
        if (c.inputs() != 1 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs one input and one output");
        }
        KOMPAKT_TRY(check_movable(c.input_record(0), "input", c.output_record(0).type));
        KOMPAKT_TRY(check_movable(c.output_record(0), "output", c.output_record(0).type));
        const auto p = c.params<params>();
        const auto in = c.input<std::byte, max_rank>(0);
        const auto out = c.output<std::byte, max_rank>(0);
        unsigned seen = 0;
        for (std::size_t i = 0; i < max_rank; ++i) {
            const std::int32_t from = p.perm[i];
            if (from < 0 || from >= static_cast<std::int32_t>(max_rank) ||
                (seen & 1u << from) != 0) {
                return fail(errc::bad_file, "axis ", from, " does not exist or comes twice");
            }
            seen |= 1u << from;
            if (out.dim(i) != in.dim(static_cast<std::size_t>(from))) {
                return fail(errc::bad_file, "output dimension ", out.dim(i), ", input ",
                            in.dim(static_cast<std::size_t>(from)));
            }
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        transpose_elements(port, port, c.input<std::byte, max_rank>(0),
                           c.output<std::byte, max_rank>(0), element_bytes(c.output_record(0)),
                           c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
