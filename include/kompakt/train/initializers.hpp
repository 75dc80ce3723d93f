// Initializers: the first values of weights, each a function of (seed, stream) alone.
//
// Sources: Glorot 2010 (xavier), He 2015 (kaiming), Saxe 2014 (orthogonal).
#pragma once

#include <kompakt/core/random.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class initializer : std::uint8_t {
    zeros,
    kaiming_normal,  // variance 2 / inputs: before a relu
    kaiming_uniform, // the same variance
    xavier_normal,   // variance 2 / (inputs + outputs)
    xavier_uniform,
    truncated_normal, // deviation 0.02, cut at twice that
    orthogonal        // rows of [outputs, inputs], or columns where there are fewer
};

namespace detail {

// Two normal numbers from two even ones (Box and Muller).
class normal_source {
  public:
    normal_source(std::uint32_t seed, std::uint32_t stream) noexcept : random_(seed, stream) {}
    double even() noexcept {
        return (static_cast<double>(random_.bits(0, count_++)) + 0.5) / 4294967296.0;
    }
    double next() noexcept {
        const double radius = std::sqrt(-2.0 * std::log(even()));
        return radius * std::cos(6.283185307179586 * even());
    }

  private:
    philox random_;
    std::uint64_t count_ = 0;
};

inline void make_orthogonal(std::vector<double>& m, std::size_t rows, std::size_t columns) {
    // Gram-Schmidt, twice for its rounding, over whichever of the two are fewer.
    const bool tall = rows > columns;
    const std::size_t n = tall ? columns : rows, length = tall ? rows : columns;
    const auto at = [&](std::size_t i, std::size_t k) -> double& {
        return tall ? m[k * columns + i] : m[i * columns + k];
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t j = 0; j < i; ++j) {
                double dot = 0;
                for (std::size_t k = 0; k < length; ++k) dot += at(i, k) * at(j, k);
                for (std::size_t k = 0; k < length; ++k) at(i, k) -= dot * at(j, k);
            }
        }
        double norm = 0;
        for (std::size_t k = 0; k < length; ++k) norm += at(i, k) * at(i, k);
        norm = 1.0 / std::sqrt(norm > 0 ? norm : 1.0);
        for (std::size_t k = 0; k < length; ++k) at(i, k) *= norm;
    }
}

} // namespace detail

// `outputs` x `inputs` weights; a filter's inputs are its taps times its depth.
inline std::vector<float> initial_weights(initializer how, std::size_t outputs, std::size_t inputs,
                                          std::uint32_t seed, std::uint32_t stream) {
    std::vector<double> w(outputs * inputs, 0.0);
    detail::normal_source random(seed, stream);
    const auto in = static_cast<double>(inputs), out = static_cast<double>(outputs);
    const bool xavier = how == initializer::xavier_normal || how == initializer::xavier_uniform;
    const double deviation = std::sqrt(xavier ? 2.0 / (in + out) : 2.0 / in);
    for (double& x : w) {
        switch (how) {
        case initializer::zeros:
            break;
        case initializer::kaiming_uniform:
        case initializer::xavier_uniform:
            x = deviation * std::sqrt(3.0) * (2.0 * random.even() - 1.0);
            break;
        case initializer::truncated_normal:
            do x = random.next();
            while (!(std::fabs(x) <= 2.0));
            x *= 0.02;
            break;
        case initializer::orthogonal:
            x = random.next();
            break;
        default:
            x = deviation * random.next();
        }
    }
    if (how == initializer::orthogonal) detail::make_orthogonal(w, outputs, inputs);
    return {w.begin(), w.end()};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
