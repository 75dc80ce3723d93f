// What kernels share that work along one axis of a tensor.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace detail {

// The first input seen as [outer, along, inner]: element (o, i, k) at (o * along + i) * inner + k.
struct axis_loops {
    std::int32_t outer = 1, along = 1, inner = 1;

    axis_loops(const call& c, std::int32_t axis) noexcept {
        const tensor_record& in = c.input_record(0);
        for (std::int32_t i = 0; i < in.rank; ++i) {
            (i < axis ? outer : i == axis ? along : inner) *= c.dims_of(in)[i];
        }
    }
    // Calls `lane(first)` for each run of elements along the axis, in the order of the others.
    template <class F>
    void for_each_lane(F&& lane) const noexcept {
        for (std::int32_t o = 0; o < outer; ++o) {
            for (std::int32_t k = 0; k < inner; ++k) lane(o * along * inner + k);
        }
    }
};

// One input of rank 1 to 6, one output; `axis` is one of the input's.
inline status check_axis(const call& c, std::int32_t axis, dtype in, dtype out) noexcept {
    if (c.inputs() != 1 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs one input and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", in, max_rank));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", out, max_rank));
    if (axis >= 0 && axis < c.input_record(0).rank) return {};
    return fail(errc::bad_file, "axis ", axis, " of rank ", c.input_record(0).rank);
}

} // namespace detail
} // namespace KOMPAKT_ABI
} // namespace kompakt
