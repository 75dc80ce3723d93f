// Copy: reshape, squeeze and every other op that changes the shape only.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct copy {
    struct params {
        template <class F>
        static constexpr void fields(F&&) {}
    };
    static constexpr kernel_id id = kernel_id::copy;
    static constexpr const char* name = "copy";
    static constexpr bool in_place = true;

    // One input, one output of the same type and byte count.
    static status check(const call& c) noexcept {
        if (c.inputs() != 1 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs one input and one output");
        }
        const tensor_record &in = c.input_record(0), &out = c.output_record(0);
        KOMPAKT_TRY(check_operand(in, "input", out.type, max_rank));
        if (in.bytes != out.bytes) {
            return fail(errc::bad_file, "output has ", out.bytes, " bytes, input ", in.bytes);
        }
        return {};
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto* from = c.input_data<std::byte>(0);
        auto* to = c.output_data<std::byte>(0);
        // The planner gives both the same place where it can.
        if (to != from) std::memmove(to, from, c.output_record(0).bytes);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
