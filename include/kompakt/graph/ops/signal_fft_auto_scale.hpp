// signal_fft_auto_scale: samples shifted left as far as the greatest allows; the second output is
// the shift.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_fft_auto_scale : op_of<signal_fft_auto_scale> {
    static constexpr const char* op_name = "signal_fft_auto_scale";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 2));
        for (std::size_t i = 0; i < 1; ++i) {
            constexpr dtype wanted[] = {dtype::i16};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        c.set_output(0, dtype::i16, c.input_shape(0));
        c.set_output(1, dtype::i32, {});
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<kompakt::signal_fft_auto_scale>({}, {c.in(0)}, {c.out(0), c.out(1)},
                                               {{overlap::kind::same_place, 0}});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
