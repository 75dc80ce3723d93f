// Jumps between the ops of a program: what conditions and loops are made of. They compute nothing;
// the session and emitted code ask where to go on.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct jump_params {
    std::int32_t target = 0; // number of an op, or the number of ops: the end

    template <class F>
    static constexpr void fields(F&& f) {
        f("target");
    }
};

// Always.
struct jump {
    using params = jump_params;
    static constexpr kernel_id id = kernel_id::jump;
    static constexpr const char* name = "jump";

    static status check(const call& c) noexcept {
        if (c.inputs() == 0 && c.outputs() == 0) return {};
        return fail(errc::bad_file, "needs no operands");
    }
    template <class Port>
    static void run(Port, const call&) noexcept {}
};

// Where the bool of one element is false.
struct jump_unless {
    using params = jump_params;
    static constexpr kernel_id id = kernel_id::jump_unless;
    static constexpr const char* name = "jump_unless";

    static status check(const call& c) noexcept {
        if (c.inputs() != 1 || c.outputs() != 0) return fail(errc::bad_file, "needs one input");
        KOMPAKT_TRY(check_operand(c.input_record(0), "condition", dtype::boolean, max_rank));
        if (c.elements(c.input_record(0)) == 1) return {};
        return fail(errc::bad_file, "condition of ", c.elements(c.input_record(0)), " elements");
    }
    template <class Port>
    static void run(Port, const call&) noexcept {}

    static bool taken(const call& c) noexcept {
        return *c.input_data<std::uint8_t>(0) == 0; // any other byte is true
    }
};

constexpr bool is_jump(std::uint16_t kernel) noexcept {
    return kernel == static_cast<std::uint16_t>(kernel_id::jump) ||
           kernel == static_cast<std::uint16_t>(kernel_id::jump_unless);
}
// The op after `c`, which is number `i`.
inline std::uint32_t next_op(const call& c, std::uint32_t i) noexcept {
    const bool jumps = c.op().kernel == static_cast<std::uint16_t>(kernel_id::jump) ||
                       (c.op().kernel == static_cast<std::uint16_t>(kernel_id::jump_unless) &&
                        jump_unless::taken(c));
    return jumps ? static_cast<std::uint32_t>(c.params<jump_params>().target) : i + 1;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
