// Nearest neighbour resize of images, for any element type: each output row and column is one of
// the input, by tables that lowering makes for whatever rule of coordinates.
//
//     in [n, h, w, c], rows [oh] and columns [ow] int32 constants, out [n, oh, ow, c]
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Operand `i`: `n` constants of at least 0 and below `most`.
inline status check_index_table(const call& c, std::size_t i, std::int32_t n,
                                std::int32_t most) noexcept {
    const tensor_record& t = c.input_record(i);
    KOMPAKT_TRY(check_operand(t, "table", dtype::i32, 1));
    if (t.where != place::constant || c.elements(t) != static_cast<std::size_t>(n)) {
        return fail(errc::bad_file, "table ", i, " is not ", n, " constants");
    }
    const auto* at = c.input_data<std::int32_t>(i);
    for (std::int32_t k = 0; k < n; ++k) {
        if (at[k] < 0 || at[k] >= most) {
            return fail(errc::bad_file, "table ", i, ": ", at[k], " of ", most);
        }
    }
    return {};
}

struct resize_nearest_neighbor {
    struct params {
        template <class F>
        static constexpr void fields(F&&) {}
    };
    static constexpr kernel_id id = kernel_id::resize_nearest_neighbor;
    static constexpr const char* name = "resize_nearest_neighbor";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c, 3));
        KOMPAKT_TRY(check_image(c));
        const auto in = c.input<std::byte, 4>(0);
        const auto out = c.output<std::byte, 4>(0);
        KOMPAKT_TRY(check_index_table(c, 1, out.dim(1), in.dim(1)));
        return check_index_table(c, 2, out.dim(2), in.dim(2));
    }
    // Rank 4 on both sides, batches and channels alike.
    static status check_image(const call& c) noexcept {
        const tensor_record &in = c.input_record(0), &out = c.output_record(0);
        if (in.rank == 4 && out.rank == 4 && c.dims_of(in)[0] == c.dims_of(out)[0] &&
            c.dims_of(in)[3] == c.dims_of(out)[3]) {
            return {};
        }
        return fail(errc::bad_file, "input and output are not images of as many channels");
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto in = c.input<std::byte, 4>(0);
        const auto out = c.output<std::byte, 4>(0);
        const auto* rows = c.input_data<std::int32_t>(1);
        const auto* columns = c.input_data<std::int32_t>(2);
        const std::size_t pixel =
            static_cast<std::size_t>(in.dim(3)) * element_bytes(c.output_record(0));
        const std::size_t row = static_cast<std::size_t>(in.dim(2)) * pixel;
        const std::byte* image = in.data();
        std::byte* to = out.data();
        for (std::int32_t n = 0; n < out.dim(0); ++n) {
            for (std::int32_t y = 0; y < out.dim(1); ++y) {
                const std::byte* from = image + static_cast<std::size_t>(rows[y]) * row;
                for (std::int32_t x = 0; x < out.dim(2); ++x, to += pixel) {
                    std::memmove(to, from + static_cast<std::size_t>(columns[x]) * pixel, pixel);
                }
            }
            image += static_cast<std::size_t>(in.dim(1)) * row;
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
