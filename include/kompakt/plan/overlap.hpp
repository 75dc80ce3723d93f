// How far below its input an output must start to lie over it (lowered.hpp: overlap).
#pragma once

#include <kompakt/graph/lowered.hpp>

#include <algorithm>
#include <optional>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// In bytes, a multiple of 16; none where the op must not share memory at all.
inline std::optional<std::uint64_t> overlap_distance(const lowered_program& p, const lowered_op& op,
                                                     const overlap& o) {
    const lowered_tensor& in = p.tensors[op.inputs[o.input]];
    const lowered_tensor& out = p.tensors[op.outputs[0]];
    std::int64_t distance = 0;
    if (o.how == overlap::kind::same_place) {
        // After element i is written, elements from i + 1 on are still to be read.
        if (in.elements() != out.elements()) return std::nullopt;
        distance = static_cast<std::int64_t>(out.bytes()) - static_cast<std::int64_t>(in.bytes());
    } else {
        // After output row y is written, the input rows from the next window's first on are needed.
        if (in.dims.size() != 4 || out.dims.size() != 4 || in.dims[0] != 1) return std::nullopt;
        const std::int64_t in_h = in.dims[1], out_h = out.dims[1];
        const std::int64_t in_row = static_cast<std::int64_t>(in.bytes()) / in_h;
        const std::int64_t out_row = static_cast<std::int64_t>(out.bytes()) / out_h;
        for (std::int64_t y = 0; y + 1 < out_h; ++y) {
            const std::int64_t next = (y + 1) * o.stride_h - o.pad_top;
            const std::int64_t first_needed = (std::clamp)(next, std::int64_t{0}, in_h);
            distance = (std::max)(distance, (y + 1) * out_row - first_needed * in_row);
        }
    }
    return round_up(static_cast<std::uint64_t>((std::max)(distance, std::int64_t{0})), 16);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
