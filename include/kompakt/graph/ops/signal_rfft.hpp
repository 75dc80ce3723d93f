// signal_rfft: the Fourier transform of real int16 samples along the last axis, zeros up to
// `length`.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal_rfft.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_rfft : op_of<signal_rfft> {
    static constexpr const char* op_name = "signal_rfft";

    std::int32_t length = 0;

    template <class V>
    void fields(V&& v) {
        v("length", length);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        for (std::size_t i = 0; i < 1; ++i) {
            constexpr dtype wanted[] = {dtype::i16};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        shape s = c.input_shape(0);
        if (s.empty() || !s.back().known() || s.back().value() > length) {
            return fail(errc::unsupported, "samples ", text_of(s), ", needed at most ", length);
        }
        s.back() = dim(length + 2);
        c.set_output(0, dtype::i16, std::move(s));
        return {};
    }
    status lower(lowering& c) const override {
        if (length < 8 || length > 32768 || (length & (length - 1)) != 0) {
            return fail(errc::unsupported, "length ", length,
                        ", needed a power of two from 8 to 32768");
        }
        // Rounded as floor(x + 1/2), in double.
        constexpr double pi = 3.14159265358979323846;
        const std::int32_t half = length / 2;
        std::vector<std::int16_t> twiddles, split;
        const auto add = [](std::vector<std::int16_t>& to, double phase) {
            to.push_back(static_cast<std::int16_t>(std::floor(0.5 + 32767 * std::cos(phase))));
            to.push_back(static_cast<std::int16_t>(std::floor(0.5 + 32767 * std::sin(phase))));
        };
        for (std::int32_t i = 0; i < half; ++i) add(twiddles, -2 * pi * i / half);
        for (std::int32_t i = 0; i < half / 2; ++i) {
            add(split, -pi * (static_cast<double>(i + 1) / half + 0.5));
        }
        const std::uint32_t first = c.constant_operand<std::int16_t>({length}, twiddles);
        const std::uint32_t second = c.constant_operand<std::int16_t>({half}, split);
        c.emit<kompakt::signal_rfft>({length}, {c.in(0), first, second}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
