// Slice at indices that are known at run time only: the part of the input that begins there and
// has the output's extents, for any element type. Starts are moved until the part lies inside.
//
//     in and out of one rank, 1 to 6; starts one index for each axis
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct dynamic_slice {
    struct params {
        template <class F>
        static constexpr void fields(F&&) {}
    };
    static constexpr kernel_id id = kernel_id::dynamic_slice;
    static constexpr const char* name = "dynamic_slice";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c, 2));
        return check_box(c, c.input_record(0), c.output_record(0), c.input_record(1));
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto in = c.input<std::byte, max_rank>(0);
        const auto out = c.output<std::byte, max_rank>(0);
        const std::size_t size = element_bytes(c.output_record(0));
        const placed_box box(in.shape(), out.shape(), c.input_data<std::byte>(1),
                             c.input_record(1).type, c.input_record(0).rank);
        const std::size_t row = static_cast<std::size_t>(out.dim(max_rank - 1)) * size;
        box.for_each_row([&](std::size_t outer, std::size_t inner) {
            std::memmove(out.data() + inner * size, in.data() + outer * size, row);
        });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
