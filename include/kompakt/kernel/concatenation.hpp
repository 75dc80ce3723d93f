// Concatenation of any number of inputs along one axis, for any element type.
//
//     inputs and out of one rank; all dimensions but the axis are equal, along it out is the sum
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct concatenation_params {
    std::int32_t axis = 0; // of the output, from 0

    template <class F>
    static constexpr void fields(F&& f) {
        f("axis");
    }
};

// Copies one input: `rows` runs of `bytes` bytes, `to_step` bytes apart in the output.
template <class Port>
void concatenate_rows(portable, Port, const std::byte* from, std::byte* to, std::size_t rows,
                      std::size_t bytes, std::size_t to_step) noexcept {
    for (; rows > 0; --rows, from += bytes, to += to_step) std::memmove(to, from, bytes);
}

struct concatenation {
    using params = concatenation_params;
    static constexpr kernel_id id = kernel_id::concatenation;
    static constexpr const char* name = "concatenation";

    static status check(const call& c) noexcept {
        if (c.inputs() < 1 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs inputs and one output");
        }
        const tensor_record& out = c.output_record(0);
        KOMPAKT_TRY(check_movable(out, "output", out.type));
        const std::int32_t axis = c.params<params>().axis;
        if (axis < 0 || axis >= out.rank) {
            return fail(errc::bad_file, "axis ", axis, " of rank ", out.rank);
        }
        std::int64_t along = 0;
        for (std::size_t i = 0; i < c.inputs(); ++i) {
            const tensor_record& in = c.input_record(i);
            KOMPAKT_TRY(check_movable(in, "input", out.type));
            if (in.rank != out.rank) {
                return fail(errc::bad_file, "input ", i, ": rank ", in.rank, ", output ", out.rank);
            }
            along += c.dims_of(in)[axis];
            for (std::int32_t d = 0; d < out.rank; ++d) {
                if (d != axis && c.dims_of(in)[d] != c.dims_of(out)[d]) {
                    return fail(errc::bad_file, "input ", i, ": dimension ", d, " is ",
                                c.dims_of(in)[d], ", output ", c.dims_of(out)[d]);
                }
            }
        }
        if (along == c.dims_of(out)[axis]) return {};
        return fail(errc::bad_file, "inputs have ", along, " along the axis, output ",
                    c.dims_of(out)[axis]);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const tensor_record& out = c.output_record(0);
        std::size_t rows = 1;
        for (std::int32_t d = 0; d < c.params<params>().axis; ++d) {
            rows *= static_cast<std::size_t>(c.dims_of(out)[d]);
        }
        const std::size_t step = out.bytes / rows;
        auto* to = c.output_data<std::byte>(0);
        for (std::size_t i = 0; i < c.inputs(); ++i) {
            const std::size_t bytes = c.input_record(i).bytes / rows;
            concatenate_rows(port, port, c.input_data<std::byte>(i), to, rows, bytes, step);
            to += bytes;
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
