// Gather: slices of the input in the order of an operand of indices, for any element type.
//
//     in [batch, outer, axis, inner], indices [batch, n], out [batch, outer, n, inner], each under
//     any shape of as many elements; out[b, o, i, …] = in[b, o, indices[b, i], …]
//
// Indices are known at run time only: one outside the axis takes its first or last slice.
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct gather_params {
    std::int32_t batch = 1, outer = 1, inner = 1;

    template <class F>
    static constexpr void fields(F&& f) {
        f("batch"), f("outer"), f("inner");
    }
};

struct gather {
    using params = gather_params;
    static constexpr kernel_id id = kernel_id::gather;
    static constexpr const char* name = "gather";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c, 2));
        KOMPAKT_TRY(check_indices(c.input_record(1), "indices"));
        const auto p = c.params<params>();
        const auto in = static_cast<std::int64_t>(c.elements(c.input_record(0)));
        const auto indices = static_cast<std::int64_t>(c.elements(c.input_record(1)));
        const auto out = static_cast<std::int64_t>(c.elements(c.output_record(0)));
        // Each product is at most 2^31 times 2^31.
        std::int64_t slices = std::int64_t{p.batch} * p.outer;
        const bool positive = p.batch >= 1 && p.outer >= 1 && p.inner >= 1;
        if (positive && slices <= in) slices *= p.inner;
        if (!positive || slices > in || in % slices != 0 || indices % p.batch != 0 ||
            indices / p.batch > out || slices * (indices / p.batch) != out) {
            return fail(errc::bad_file, "batch ", p.batch, ", outer ", p.outer, ", inner ", p.inner,
                        " do not fit ", in, " elements, ", indices, " indices and ", out,
                        " outputs");
        }
        return {};
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const std::size_t slices = static_cast<std::size_t>(p.batch) *
                                   static_cast<std::size_t>(p.outer) *
                                   static_cast<std::size_t>(p.inner);
        const std::size_t axis = c.elements(c.input_record(0)) / slices;
        const std::size_t n = c.elements(c.input_record(1)) / static_cast<std::size_t>(p.batch);
        const std::size_t bytes =
            static_cast<std::size_t>(p.inner) * element_bytes(c.output_record(0));
        const auto* from = c.input_data<std::byte>(0);
        const auto* indices = c.input_data<std::byte>(1);
        const dtype type = c.input_record(1).type;
        auto* to = c.output_data<std::byte>(0);
        std::size_t first = 0;
        for (std::int32_t b = 0; b < p.batch; ++b, first += n) {
            for (std::int32_t o = 0; o < p.outer; ++o, from += axis * bytes) {
                for (std::size_t i = 0; i < n; ++i, to += bytes) {
                    const std::int32_t at =
                        index_at(indices, type, first + i, static_cast<std::int32_t>(axis) - 1);
                    std::memmove(to, from + static_cast<std::size_t>(at) * bytes, bytes);
                }
            }
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
