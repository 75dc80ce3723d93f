// signal_window: samples times a window, shifted right by `shift`; int16.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_window : op_of<signal_window> {
    static constexpr const char* op_name = "signal_window";

    std::int32_t shift = 0;

    template <class V>
    void fields(V&& v) {
        v("shift", shift);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        for (std::size_t i = 0; i < 2; ++i) {
            constexpr dtype wanted[] = {dtype::i16, dtype::i16};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        c.set_output(0, dtype::i16, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<kompakt::signal_window>({shift}, {c.in(0), c.in(1)}, {c.out()},
                                       {{overlap::kind::same_place, 0}});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
