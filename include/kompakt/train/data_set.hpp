// data_set: what a model is trained and judged with, and the order of its samples.
#pragma once

#include <kompakt/core/random.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/kernel/loss.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct data_set {
    std::size_t samples = 0;
    std::size_t input_elements = 0; // of one sample
    // Writes a sample's input. Called from several threads; what augments draws its numbers from
    // (epoch, sample), so that a resumed run sees the same.
    std::function<void(std::size_t sample, std::uint64_t epoch, float* to)> fill;
    std::vector<std::int32_t> labels; // one a sample and position, or
    std::vector<float> targets;       // as many for each sample as the model has outputs

    // Of samples in memory, one after another, taken over.
    static data_set of(std::vector<float> inputs, std::size_t elements) {
        data_set d;
        d.samples = elements != 0 ? inputs.size() / elements : 0;
        d.input_elements = elements;
        d.fill = [inputs = std::move(inputs), elements](std::size_t s, std::uint64_t, float* to) {
            for (std::size_t i = 0; i < elements; ++i) to[i] = inputs[s * elements + i];
        };
        return d;
    }
    static data_set of(std::vector<float> inputs, std::size_t elements,
                       std::vector<std::int32_t> labels) {
        data_set d = of(std::move(inputs), elements);
        d.labels = std::move(labels);
        return d;
    }

    // Whether a model with so many inputs and outputs (`depth` the last dimension) can use it.
    status check(const char* what, std::size_t inputs, std::size_t outputs, std::size_t depth,
                 loss_kind kind) const {
        const auto bad = [&](const auto&... parts) {
            return fail(errc::bad_data, what, " data: ", parts...);
        };
        if (samples == 0) return bad("no samples");
        if (samples >= UINT32_MAX) return bad(samples, " samples, needed less than 2^32");
        if (input_elements != inputs || !fill) {
            return bad("samples of ", input_elements, " elements, the model takes ", inputs);
        }
        if (takes_labels(kind)) {
            const std::size_t needed = samples * (outputs / depth);
            if (labels.size() != needed) return bad(labels.size(), " labels, needed ", needed);
            for (std::size_t i = 0; i < labels.size(); ++i) {
                // A label below zero leaves its sample out.
                if (labels[i] < static_cast<std::int64_t>(depth)) continue;
                return bad("label ", i, " is ", labels[i], ", the model has ", depth, " classes");
            }
            return {};
        }
        if (targets.size() != samples * outputs) {
            return bad(targets.size(), " targets, needed ", samples * outputs);
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (!std::isfinite(targets[i])) return bad("target ", i, " is not a number");
        }
        return {};
    }
};

// The order of an epoch: a function of (seed, epoch) alone. `window` 0 shuffles all; otherwise
// samples stay within windows of that length, for data that is read from slow storage.
inline std::vector<std::uint32_t> shuffled(std::size_t samples, std::uint32_t seed,
                                           std::uint64_t epoch, std::size_t window = 0) {
    constexpr std::uint32_t stream = 0x73687566; // apart from dropout's and augmentation's
    const philox random(seed, stream);
    std::vector<std::uint32_t> order(samples);
    for (std::size_t i = 0; i < samples; ++i) order[i] = static_cast<std::uint32_t>(i);
    if (window == 0) window = samples;
    for (std::size_t first = 0; first < samples; first += window) {
        const std::size_t n = samples - first < window ? samples - first : window;
        for (std::size_t i = n; i > 1; --i) {
            const std::uint32_t k =
                random.below(static_cast<std::uint32_t>(i), epoch, first + i - 1);
            std::swap(order[first + i - 1], order[first + k]);
        }
    }
    return order;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
