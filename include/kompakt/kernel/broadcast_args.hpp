// The shape that two shapes broadcast to, as numbers: of each pair, aligned at the end, the one
// that is not one. A pair that does not broadcast gives the first (TensorFlow Lite Micro stops).
//
//     a [n], b [m], out [max(n, m)], all int32 or all int64
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct broadcast_args {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::broadcast_args;
    static constexpr const char* name = "broadcast_args";

    static status check(const call& c) noexcept {
        if (c.inputs() != 2 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs two inputs and one output");
        }
        const dtype type = c.output_record(0).type;
        if (type != dtype::i32 && type != dtype::i64) {
            return fail(errc::unsupported, name_of(type), ", needed int32 or int64");
        }
        KOMPAKT_TRY(check_operand(c.input_record(0), "input 0", type, 1));
        KOMPAKT_TRY(check_operand(c.input_record(1), "input 1", type, 1));
        KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, 1));
        const std::size_t a = c.elements(c.input_record(0)), b = c.elements(c.input_record(1));
        if (c.elements(c.output_record(0)) == (a > b ? a : b)) return {};
        return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                    " elements, inputs ", a, " and ", b);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        if (c.output_record(0).type == dtype::i32) {
            pairs<std::int32_t>(c);
        } else {
            pairs<std::int64_t>(c);
        }
    }

  private:
    template <class T>
    static void pairs(const call& c) noexcept {
        const std::size_t n = c.elements(c.output_record(0));
        // One where a shape has no dimension.
        const auto dimension = [&](std::size_t input, std::size_t i) -> T {
            const std::size_t missing = n - c.elements(c.input_record(input));
            return i < missing ? T{1} : c.input_data<T>(input)[i - missing];
        };
        for (std::size_t i = 0; i < n; ++i) {
            const T a = dimension(0, i), b = dimension(1, i);
            c.output_data<T>(0)[i] = a == 1 ? b : a;
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
