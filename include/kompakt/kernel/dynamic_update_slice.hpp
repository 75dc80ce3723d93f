// The input with a part of it replaced, at indices that are known at run time only, for any element
// type. Starts are moved until the part lies inside.
//
//     in and out of one shape, update of the same rank, 1 to 6; starts one index for each axis
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct dynamic_update_slice {
    struct params {
        template <class F>
        static constexpr void fields(F&&) {}
    };
    static constexpr kernel_id id = kernel_id::dynamic_update_slice;
    static constexpr const char* name = "dynamic_update_slice";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c, 3));
        const tensor_record &in = c.input_record(0), &update = c.input_record(1);
        const tensor_record& out = c.output_record(0);
        KOMPAKT_TRY(check_movable(update, "update", out.type));
        KOMPAKT_TRY(check_box(c, out, update, c.input_record(2)));
        bool same = in.rank == out.rank;
        for (std::size_t i = 0; same && i < in.rank; ++i) {
            same = c.dims_of(in)[i] == c.dims_of(out)[i];
        }
        return same ? status() : fail(errc::bad_file, "input and output of two shapes");
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto update = c.input<std::byte, max_rank>(1);
        const auto out = c.output<std::byte, max_rank>(0);
        const std::size_t size = element_bytes(c.output_record(0));
        // Before anything is written: in a hostile file the output may lie over the indices.
        const placed_box box(out.shape(), update.shape(), c.input_data<std::byte>(2),
                             c.input_record(2).type, c.output_record(0).rank);
        const auto* from = c.input_data<std::byte>(0);
        if (from != out.data()) std::memmove(out.data(), from, c.output_record(0).bytes);
        const std::size_t row = static_cast<std::size_t>(update.dim(max_rank - 1)) * size;
        box.for_each_row([&](std::size_t outer, std::size_t inner) {
            std::memmove(out.data() + outer * size, update.data() + inner * size, row);
        });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
