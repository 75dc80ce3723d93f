// Strided copy: elements of any type from regular places of the input, in the order of the output.
//
//     out, row-major over the levels' counts; its element [i0, i1, …] is
//     in[start + i0 * step0 + i1 * step1 + …]; steps may be negative (backwards) or zero (repeats)
//
// One kernel is transpose, slice, reverse, split, tile, broadcast, space to depth and back, and so
// on: lowering finds the levels (graph/ops/movement.hpp).
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// A tensor of rank 4 each of whose axes is split in two.
inline constexpr std::size_t max_copy_levels = 8;

// In elements of the input, the outermost level first; unused levels, which come first, count one.
struct strided_copy_params {
    std::int32_t start = 0;
    std::int32_t count[max_copy_levels] = {1, 1, 1, 1, 1, 1, 1, 1};
    std::int32_t step[max_copy_levels] = {};

    template <class F>
    static constexpr void fields(F&& f) {
        f("start");
        f("count_0"), f("count_1"), f("count_2"), f("count_3");
        f("count_4"), f("count_5"), f("count_6"), f("count_7");
        f("step_0"), f("step_1"), f("step_2"), f("step_3");
        f("step_4"), f("step_5"), f("step_6"), f("step_7");
    }
};

// Elements of `size` bytes. The input is there for every index of the levels.
template <class Port>
void strided_copy_elements(portable, Port port, const std::byte* in, std::byte* out,
                           std::size_t size, const strided_copy_params& p) noexcept {
    const auto bytes = static_cast<std::ptrdiff_t>(size);
    std::ptrdiff_t step[max_copy_levels];
    std::size_t total = size;
    for (std::size_t i = 0; i < max_copy_levels; ++i) {
        step[i] = p.step[i] * bytes;
        total *= static_cast<std::size_t>(p.count[i]);
    }
    // Levels at the end that follow each other in the input too move as one piece.
    std::size_t row = max_copy_levels - 1, piece = size;
    while (row > 0 && (step[row] == static_cast<std::ptrdiff_t>(piece) || p.count[row] == 1)) {
        piece *= static_cast<std::size_t>(p.count[row]);
        --row;
    }
    const auto n = static_cast<std::size_t>(p.count[row]);
    const std::byte* from = in + p.start * bytes;
    std::byte* const end = out + total;
    std::int32_t index[max_copy_levels] = {};
    while (true) {
        gather_row(port, port, from, step[row], out, n, piece);
        out += n * piece;
        if (out == end) return;
        for (std::size_t i = row; i-- > 0;) {
            from += step[i];
            if (++index[i] < p.count[i]) break;
            index[i] = 0;
            from -= step[i] * p.count[i];
        }
    }
}

struct strided_copy {
    using params = strided_copy_params;
    static constexpr kernel_id id = kernel_id::strided_copy;
    static constexpr const char* name = "strided_copy";

    // The output's shape is free: its elements are as many as the levels say.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c));
        const auto p = c.params<params>();
        const auto in = static_cast<std::int64_t>(c.elements(c.input_record(0)));
        const auto out = static_cast<std::int64_t>(c.elements(c.output_record(0)));
        std::int64_t elements = 1, first = p.start, last = p.start;
        for (std::size_t i = 0; i < max_copy_levels; ++i) {
            if (p.count[i] < 1) return fail(errc::bad_file, "level ", i, " counts ", p.count[i]);
            elements *= p.count[i];
            const std::int64_t reach = (std::int64_t{p.count[i]} - 1) * p.step[i];
            (reach < 0 ? first : last) += reach;
            // Before the next product or sum could leave int64.
            if (elements > out || first < 0 || last >= in) break;
        }
        if (elements != out) {
            return fail(errc::bad_file, "output has ", out, " elements, levels ", elements);
        }
        if (first < 0 || last >= in) {
            return fail(errc::bad_file, "reads elements ", first, " to ", last, " of ", in);
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        strided_copy_elements(port, port, c.input_data<std::byte>(0), c.output_data<std::byte>(0),
                              element_bytes(c.output_record(0)), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
