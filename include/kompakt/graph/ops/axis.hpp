// What operators along one axis have in common.
#pragma once

#include <kompakt/graph/ops/shared.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// `axis`, below zero from the end, as one from 0 of a tensor of rank 1 to 6.
inline result<std::int32_t> resolve_axis(std::int32_t axis, const shape& s) {
    const auto rank = static_cast<std::int32_t>(s.size());
    if (rank < 1 || s.size() > max_rank) {
        return fail(errc::unsupported, "input ", text_of(s), ", needed rank 1 to ", max_rank);
    }
    if (axis < -rank || axis >= rank)
        return fail(errc::bad_file, "axis ", axis, " of ", text_of(s));
    return axis < 0 ? axis + rank : axis;
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
