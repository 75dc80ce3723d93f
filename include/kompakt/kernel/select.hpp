// Elementwise choice between two operands by a third, with broadcasting, for any element type.
//
//     out = condition ? x : y; the shapes of all three broadcast to that of out
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// One row of elements of `Size` bytes; steps are 1, or 0 for an operand that stays.
template <std::size_t Size, class Port>
void select_row(portable, Port, const std::uint8_t* condition, std::int32_t step_condition,
                const std::byte* x, std::int32_t step_x, const std::byte* y, std::int32_t step_y,
                std::byte* out, std::int32_t n) noexcept {
    const std::ptrdiff_t move_x = step_x * static_cast<std::ptrdiff_t>(Size),
                         move_y = step_y * static_cast<std::ptrdiff_t>(Size);
    for (; n > 0; --n, condition += step_condition, x += move_x, y += move_y, out += Size) {
        // By way of a register: `out` may be where x or y is.
        std::byte element[Size];
        std::memcpy(element, *condition != 0 ? x : y, Size);
        std::memcpy(out, element, Size);
    }
}

struct select {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::select;
    static constexpr const char* name = "select";
    static constexpr bool in_place = true;

    // Inputs: condition (bool), x, y.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_broadcast(c, 3));
        KOMPAKT_TRY(check_operand(c.input_record(0), "condition", dtype::boolean, max_rank));
        const dtype type = c.output_record(0).type;
        KOMPAKT_TRY(check_movable(c.input_record(1), "input 1", type));
        return check_movable(c.input_record(2), "input 2", type);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        switch (element_bytes(c.output_record(0))) {
        case 1:
            return rows<1>(port, c);
        case 2:
            return rows<2>(port, c);
        case 4:
            return rows<4>(port, c);
        default:
            return rows<8>(port, c);
        }
    }

  private:
    template <std::size_t Size, class Port>
    static void rows(Port port, const call& c) noexcept {
        constexpr auto size = static_cast<std::ptrdiff_t>(Size);
        for (broadcast<3> w(c); w.more(); w.next()) {
            select_row<Size>(port, port, c.input_data<std::uint8_t>(0) + w.at(0), w.step(0),
                             c.input_data<std::byte>(1) + w.at(1) * size, w.step(1),
                             c.input_data<std::byte>(2) + w.at(2) * size, w.step(2),
                             c.output_data<std::byte>(0) + w.out() * size, w.length());
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
