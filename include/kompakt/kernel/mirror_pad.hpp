// Mirror pad: the elements at the edges repeat backwards before and after each axis, for any
// element type.
//
//     in and out of one rank, at most 6; symmetric: … c b a | a b c | c b a …, at most the
//     dimension; reflect leaves out the edge: … c b | a b c | b a …, at most one less
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Axes are those of a tensor of rank 6: one of a lower rank has leading dimensions of one. What
// comes after follows from the output's extents.
struct mirror_pad_params {
    std::int32_t before[max_rank] = {};
    std::int32_t edge = 0; // 0: the edge is repeated, 1: it is not

    template <class F>
    static constexpr void fields(F&& f) {
        f("before_0"), f("before_1"), f("before_2"), f("before_3"), f("before_4"), f("before_5");
        f("edge");
    }
};

template <class Port, class InE, class OutE>
void mirror_pad_elements(portable, Port port, const tensor<const std::byte, InE>& in,
                         const tensor<std::byte, OutE>& out, std::size_t size,
                         const mirror_pad_params& p) noexcept {
    static_assert(InE::rank() == max_rank && OutE::rank() == max_rank);
    constexpr std::size_t last = max_rank - 1;
    const auto n = static_cast<std::size_t>(in.dim(last));
    const auto before = static_cast<std::size_t>(p.before[last]);
    const std::size_t after = static_cast<std::size_t>(out.dim(last)) - n - before;
    const auto edge = static_cast<std::size_t>(p.edge);
    const auto back = -static_cast<std::ptrdiff_t>(size);
    std::byte* to = out.data();
    std::byte* const end = to + out.size() * size;
    std::int32_t index[max_rank] = {};
    while (to != end) {
        std::size_t row = 0;
        for (std::size_t i = 0; i < last; ++i) {
            std::int32_t at = index[i] - p.before[i];
            if (at < 0) at = p.edge - 1 - at;
            if (at >= in.dim(i)) at = in.dim(i) - 1 - p.edge - (at - in.dim(i));
            row = row * static_cast<std::size_t>(in.dim(i)) + static_cast<std::size_t>(at);
        }
        const std::byte* from = in.data() + row * n * size;
        if (before > 0) {
            gather_row(port, port, from + (before - 1 + edge) * size, back, to, before, size);
        }
        std::memmove(to + before * size, from, n * size);
        to += (before + n) * size;
        if (after > 0) {
            gather_row(port, port, from + (n - 1 - edge) * size, back, to, after, size);
        }
        to += after * size;
        for (std::size_t i = last; i-- > 0;) {
            if (++index[i] < out.dim(i)) break;
            index[i] = 0;
        }
    }
}

struct mirror_pad {
    using params = mirror_pad_params;
    static constexpr kernel_id id = kernel_id::mirror_pad;
    static constexpr const char* name = "mirror_pad";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c));
        const auto p = c.params<params>();
        if (p.edge != 0 && p.edge != 1) return fail(errc::bad_file, "edge ", p.edge);
        const auto in = c.input<std::byte, max_rank>(0);
        const auto out = c.output<std::byte, max_rank>(0);
        for (std::size_t i = 0; i < max_rank; ++i) {
            const std::int64_t after = std::int64_t{out.dim(i)} - in.dim(i) - p.before[i];
            const std::int32_t most = in.dim(i) - p.edge;
            if (p.before[i] < 0 || after < 0 || p.before[i] > most || after > most) {
                return fail(errc::unsupported, "pads ", p.before[i], " and ", after,
                            ", needed 0 to ", most);
            }
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mirror_pad_elements(port, port, c.input<std::byte, max_rank>(0),
                            c.output<std::byte, max_rank>(0), element_bytes(c.output_record(0)),
                            c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
