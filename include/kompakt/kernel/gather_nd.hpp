// Gather by index vectors: each takes one slice of the input, for any element type.
//
//     in [d0, …, dk-1, rest…], indices […, k], out […, rest…] under any shape of as many elements
//
// Indices are known at run time only: one outside its dimension becomes its first or last.
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct gather_nd {
    struct params {
        template <class F>
        static constexpr void fields(F&&) {}
    };
    static constexpr kernel_id id = kernel_id::gather_nd;
    static constexpr const char* name = "gather_nd";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_one_to_one(c, 2));
        const tensor_record &in = c.input_record(0), &indices = c.input_record(1);
        KOMPAKT_TRY(check_indices(indices, "indices"));
        if (indices.rank < 1) return fail(errc::bad_file, "indices: needed a vector at least");
        const std::int32_t depth = c.dims_of(indices)[indices.rank - 1];
        if (depth > in.rank) {
            return fail(errc::bad_file, "indices of ", depth, " numbers, input of rank ", in.rank);
        }
        // At most 2^31 times 2^31.
        const std::uint64_t needed =
            std::uint64_t{c.elements(indices) / static_cast<std::size_t>(depth)} * slice(c);
        if (needed == c.elements(c.output_record(0))) return {};
        return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                    " elements, needed ", needed);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const tensor_record &in = c.input_record(0), &indices = c.input_record(1);
        const auto depth = static_cast<std::size_t>(c.dims_of(indices)[indices.rank - 1]);
        const std::size_t bytes = slice(c) * element_bytes(in);
        const std::size_t n = c.elements(indices);
        const auto* from = c.input_data<std::byte>(0);
        const auto* index = c.input_data<std::byte>(1);
        auto* to = c.output_data<std::byte>(0);
        for (std::size_t i = 0; i < n; i += depth, to += bytes) {
            std::size_t at = 0;
            for (std::size_t k = 0; k < depth; ++k) {
                const std::int32_t d = c.dims_of(in)[k];
                at = at * static_cast<std::size_t>(d) +
                     static_cast<std::size_t>(index_at(index, indices.type, i + k, d - 1));
            }
            std::memmove(to, from + at * bytes, bytes);
        }
    }

  private:
    // Elements that one index vector takes.
    static std::size_t slice(const call& c) noexcept {
        const tensor_record &in = c.input_record(0), &indices = c.input_record(1);
        std::size_t n = 1;
        for (std::int32_t i = c.dims_of(indices)[indices.rank - 1]; i < in.rank; ++i) {
            n *= static_cast<std::size_t>(c.dims_of(in)[i]);
        }
        return n;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
