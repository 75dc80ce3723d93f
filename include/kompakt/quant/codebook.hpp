// Codebooks: a tensor's elements are indices into a few real numbers (levels). Fitted to the data
// by Lloyd's iteration (k-means in one dimension, Lloyd-Max), in buffers of the caller's. Sources:
// Lloyd 1982, Max 1960; Han et al., "Deep Compression", ICLR 2016.
#pragma once

#include <kompakt/quant/statistics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct codebook_quantizer {
    span<const float> levels; // at least one, in any order

    // The nearest level; of equally near ones the lower index.
    constexpr std::int32_t quantize(float x) const noexcept {
        std::size_t best = 0;
        float least = magnitude_of(x - levels[0]);
        for (std::size_t i = 1; i < levels.size(); ++i) {
            const float d = magnitude_of(x - levels[i]);
            if (d < least) {
                least = d;
                best = i;
            }
        }
        return static_cast<std::int32_t>(best);
    }
    constexpr float dequantize(std::int32_t q) const noexcept {
        return levels[static_cast<std::size_t>(q)];
    }
};

// Levels at equal distances over the data's range, both ends included.
inline status linear_levels(span<const float> values, span<float> levels) noexcept {
    if (values.empty() || levels.empty()) {
        return fail(errc::bad_argument, "codebook: ", values.size(), " values and ", levels.size(),
                    " levels, needed at least one of each");
    }
    KOMPAKT_TRY(expect_finite(values).within("codebook: "));
    float lo = values[0], hi = values[0];
    for (const float x : values) {
        lo = x < lo ? x : lo;
        hi = x > hi ? x : hi;
    }
    const std::size_t last = levels.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
        const float t = last == 0 ? 0.0f : static_cast<float>(i) / static_cast<float>(last);
        levels[i] = lo * (1.0f - t) + hi * t; // no difference that could overflow
    }
    return {};
}

// The members of a level, while it is fitted.
struct codebook_cell {
    compensated_sum sum;
    std::uint32_t count = 0;
};

// Moves each level to the mean of its members until none moves, at most `most_steps` times; a level
// without members stays. `cells` is as long as `levels`. Gives the number of steps made.
inline result<std::uint32_t> fit_codebook(span<const float> values, span<float> levels,
                                          span<codebook_cell> cells,
                                          std::uint32_t most_steps = 50) noexcept {
    if (values.empty() || levels.empty() || cells.size() != levels.size()) {
        return fail(errc::bad_argument, "codebook: ", values.size(), " values, ", levels.size(),
                    " levels, ", cells.size(), " cells, needed values and as many cells as levels");
    }
    KOMPAKT_TRY(expect_finite(values).within("codebook: "));
    const float unit = largest_magnitude(values) > 0x1p90f ? 0x1p-64f : 1.0f; // see mean_magnitude
    for (std::uint32_t step = 0; step < most_steps; ++step) {
        for (codebook_cell& c : cells) c = {};
        const codebook_quantizer q{levels};
        for (const float x : values) {
            codebook_cell& c = cells[static_cast<std::size_t>(q.quantize(x))];
            c.sum.add(x * unit);
            ++c.count;
        }
        bool moved = false;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            if (cells[i].count == 0) continue;
            const float mean = cells[i].sum.value / static_cast<float>(cells[i].count) / unit;
            moved = moved || mean != levels[i];
            levels[i] = mean;
        }
        if (!moved) return step + 1;
    }
    return most_steps;
}

// Fine tuning: the gradient of a level is the sum of its members' gradients.
template <class Index>
constexpr void codebook_gradient(span<const Index> indices, span<const float> gradient,
                                 span<float> levels) noexcept {
    KOMPAKT_ASSERT(indices.size() == gradient.size(), "codebook_gradient: lengths differ");
    for (float& x : levels) x = 0.0f;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        levels[static_cast<std::size_t>(indices[i])] += gradient[i];
    }
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
