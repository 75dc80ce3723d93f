// What recurrent kernels share: the sizes of a sequence, and products in the numbers of integer
// gates.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/state.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace detail {

// A row of weights by a row of activations less their zero point, in the gate's numbers.
template <class Port>
std::int16_t gate_product(Port port, const std::int8_t* w, const std::int8_t* x, std::int32_t n,
                          std::int32_t zero_point, std::int32_t bias,
                          const multiplier& m) noexcept {
    return saturate_i16(requantize(dot_i8(port, port, w, x, n, zero_point, bias), m));
}
template <class Port>
std::int16_t gate_product(Port, const std::int8_t* w, const std::int16_t* x, std::int32_t n,
                          std::int32_t, std::int64_t bias, const multiplier& m) noexcept {
    auto sum = static_cast<std::uint64_t>(bias);
    for (std::int32_t i = 0; i < n; ++i) {
        sum += static_cast<std::uint64_t>(std::int64_t{w[i] * x[i]});
    }
    return saturate_i16(
        requantize_wide(static_cast<std::int64_t>(sum), narrow_multiplier(m.q31), m.shift));
}

// Input 0 is [batch, time, n] or [time, batch, n], input `recurrent` [units, units], output 0 like
// the input with `units` features.
struct sequence_sizes {
    std::int32_t batches, steps, depth, units;
    bool time_major;

    sequence_sizes(const call& c, std::int32_t time_major_, std::size_t recurrent) noexcept
        : time_major(time_major_ != 0) {
        const auto in = c.input<std::byte, 3>(0);
        steps = in.dim(time_major ? 0 : 1), batches = in.dim(time_major ? 1 : 0);
        depth = in.dim(2);
        units = c.input<std::byte, 2>(recurrent).dim(0);
    }
    std::int32_t row(std::int32_t batch, std::int32_t step) const noexcept {
        return time_major ? step * batches + batch : batch * steps + step;
    }
};
inline status check_sequence_output(const call& c, const sequence_sizes& n) noexcept {
    const auto in = c.input<std::byte, 3>(0);
    const auto out = c.output<std::byte, 3>(0);
    if (out.dim(0) == in.dim(0) && out.dim(1) == in.dim(1) && out.dim(2) == n.units) return {};
    return fail(errc::bad_file, "output [", out.dim(0), ", ", out.dim(1), ", ", out.dim(2),
                "], needed [", in.dim(0), ", ", in.dim(1), ", ", n.units, "]");
}

} // namespace detail
} // namespace KOMPAKT_ABI
} // namespace kompakt
