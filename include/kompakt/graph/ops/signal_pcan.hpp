// signal_pcan: automatic gain control of channels by a noise estimate and a table of gains; uint32.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_pcan : op_of<signal_pcan> {
    static constexpr const char* op_name = "signal_pcan";

    std::int32_t snr_shift = 0;

    template <class V>
    void fields(V&& v) {
        v("snr_shift", snr_shift);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(3, 3, 1));
        for (std::size_t i = 0; i < 3; ++i) {
            constexpr dtype wanted[] = {dtype::u32, dtype::u32, dtype::i16};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        c.set_output(0, dtype::u32, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<kompakt::signal_pcan>({snr_shift}, {c.in(0), c.in(1), c.in(2)}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
