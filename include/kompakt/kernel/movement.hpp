// What kernels share that move elements of any type: by the size of an element.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Bytes of one element; only for types that check_movable accepts.
constexpr std::size_t element_bytes(const tensor_record& t) noexcept {
    return bits_of(t.type) / 8;
}

// Any type of whole bytes, the same as `type`.
inline status check_movable(const tensor_record& t, const char* what, dtype type) noexcept {
    KOMPAKT_TRY(check_operand(t, what, type, max_rank));
    if (bits_of(t.type) >= 8) return {};
    return fail(errc::unsupported, what, ": ", name_of(t.type), " elements are less than a byte");
}

// Input 0 and the only output: one movable type. `inputs` is how many inputs there must be.
inline status check_one_to_one(const call& c, std::size_t inputs = 1) noexcept {
    if (c.inputs() != inputs || c.outputs() != 1) {
        return fail(errc::bad_file, "needs ", inputs, " inputs and one output, has ", c.inputs(),
                    " and ", c.outputs());
    }
    KOMPAKT_TRY(check_movable(c.output_record(0), "output", c.output_record(0).type));
    return check_movable(c.input_record(0), "input", c.output_record(0).type);
}

// `n` pieces of `bytes` bytes, `step` bytes apart in the input and side by side in the output.
template <class Port>
void gather_row(portable, Port, const std::byte* from, std::ptrdiff_t step, std::byte* to,
                std::size_t n, std::size_t bytes) noexcept {
    if (bytes == 1) {
        for (; n > 0; --n, from += step) *to++ = *from;
    } else if (bytes == 2) {
        for (; n > 0; --n, from += step, to += 2) std::memcpy(to, from, 2);
    } else if (bytes == 4) {
        for (; n > 0; --n, from += step, to += 4) std::memcpy(to, from, 4);
    } else {
        for (; n > 0; --n, from += step, to += bytes) std::memmove(to, from, bytes);
    }
}

// Index operands that are known at run time only: int16, int32 or int64, of any values. Kernels
// bring them into range as they read them.
inline status check_indices(const tensor_record& t, const char* what) noexcept {
    KOMPAKT_TRY(check_operand(t, what, t.type, max_rank));
    if (t.type == dtype::i32 || t.type == dtype::i64 || t.type == dtype::i16) return {};
    return fail(errc::unsupported, what, ": ", name_of(t.type), ", needed int16, int32 or int64");
}
// Element `i`, at least 0 and at most `most`.
inline std::int32_t index_at(const std::byte* indices, dtype type, std::size_t i,
                             std::int32_t most) noexcept {
    std::int64_t v = 0;
    if (type == dtype::i32) {
        std::int32_t x;
        std::memcpy(&x, indices + 4 * i, 4);
        v = x;
    } else if (type == dtype::i16) {
        std::int16_t x;
        std::memcpy(&x, indices + 2 * i, 2);
        v = x;
    } else {
        std::memcpy(&v, indices + 8 * i, 8);
    }
    return v < 0 ? 0 : v > most ? most : static_cast<std::int32_t>(v);
}

// A box of one tensor's rank inside another tensor, placed by an operand of start indices, one for
// each axis of the outer tensor; starts are moved until the box lies inside.
struct placed_box {
    std::int32_t outer[max_rank], inner[max_rank], at[max_rank];

    placed_box(const dynamic_extents<max_rank>& outer_dims,
               const dynamic_extents<max_rank>& inner_dims, const std::byte* starts, dtype type,
               std::size_t rank) noexcept {
        for (std::size_t i = 0; i < max_rank; ++i) {
            outer[i] = outer_dims[i], inner[i] = inner_dims[i];
            at[i] = i < max_rank - rank
                        ? 0
                        : index_at(starts, type, i - (max_rank - rank), outer[i] - inner[i]);
        }
    }

    // `f(offset in the outer tensor, offset in the box)`, in elements, for each row of the box.
    template <class F>
    void for_each_row(F&& f) const noexcept {
        constexpr std::size_t last = max_rank - 1;
        std::int32_t index[max_rank] = {};
        std::size_t in_box = 0;
        while (true) {
            std::size_t offset = 0;
            for (std::size_t i = 0; i < max_rank; ++i) {
                offset = offset * static_cast<std::size_t>(outer[i]) +
                         static_cast<std::size_t>(at[i] + index[i]);
            }
            f(offset, in_box);
            in_box += static_cast<std::size_t>(inner[last]);
            std::size_t i = last;
            while (i > 0) {
                --i;
                if (++index[i] < inner[i]) break;
                index[i] = 0;
                if (i == 0) return;
            }
        }
    }
};

// `starts` are one index for each axis of `outer`, and `inner` fits in it.
inline status check_box(const call& c, const tensor_record& outer, const tensor_record& inner,
                        const tensor_record& starts) noexcept {
    KOMPAKT_TRY(check_indices(starts, "start indices"));
    if (outer.rank < 1 || inner.rank != outer.rank || c.elements(starts) != outer.rank) {
        return fail(errc::bad_file, "a part of rank ", inner.rank, " at ", c.elements(starts),
                    " indices in rank ", outer.rank);
    }
    for (std::size_t i = 0; i < outer.rank; ++i) {
        if (c.dims_of(inner)[i] > c.dims_of(outer)[i]) {
            return fail(errc::bad_file, "dimension ", i, " of the part is ", c.dims_of(inner)[i],
                        ", of the whole ", c.dims_of(outer)[i]);
        }
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
