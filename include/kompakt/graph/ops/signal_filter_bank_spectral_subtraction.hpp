// signal_filter_bank_spectral_subtraction: channels less a smoothed estimate of the noise, which
// lasts from run to run as the second input; the second output is a copy of it.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_filter_bank_spectral_subtraction : op_of<signal_filter_bank_spectral_subtraction> {
    static constexpr const char* op_name = "signal_filter_bank_spectral_subtraction";

    std::int32_t smoothing = 0;
    std::int32_t alternate_smoothing = 0;
    std::int32_t one_minus_smoothing = 0;
    std::int32_t alternate_one_minus_smoothing = 0;
    std::int32_t min_signal_remaining = 0;
    std::int32_t smoothing_bits = 0;
    std::int32_t bits = 0;
    std::int32_t clamping = 0;

    template <class V>
    void fields(V&& v) {
        v("smoothing", smoothing), v("alternate_smoothing", alternate_smoothing),
            v("one_minus_smoothing", one_minus_smoothing),
            v("alternate_one_minus_smoothing", alternate_one_minus_smoothing),
            v("min_signal_remaining", min_signal_remaining), v("smoothing_bits", smoothing_bits),
            v("bits", bits), v("clamping", clamping);
    }

    std::vector<std::size_t> updates() const override { return {1}; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 2));
        for (std::size_t i = 0; i < 2; ++i) {
            constexpr dtype wanted[] = {dtype::u32, dtype::u32};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        if (c.input_shape(0) != c.input_shape(1)) {
            return fail(errc::bad_file, "state ", text_of(c.input_shape(1)), " of ",
                        text_of(c.input_shape(0)));
        }
        c.set_output(0, dtype::u32, c.input_shape(0));
        c.set_output(1, dtype::u32, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        kompakt::signal_filter_bank_spectral_subtraction::params p;
        p.smoothing[0] = smoothing, p.smoothing[1] = alternate_smoothing;
        p.one_minus_smoothing[0] = one_minus_smoothing;
        p.one_minus_smoothing[1] = alternate_one_minus_smoothing;
        p.min_signal_remaining = min_signal_remaining;
        p.smoothing_bits = smoothing_bits, p.bits = bits, p.clamping = clamping;
        c.emit<kompakt::signal_filter_bank_spectral_subtraction>(p, {c.in(0)},
                                                                 {c.out(0), c.out(1), c.in(1)});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
