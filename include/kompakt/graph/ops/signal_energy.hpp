// signal_energy: the squared magnitude of complex int16 numbers `first` to `last`, 0 for the
// others; uint32.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_energy : op_of<signal_energy> {
    static constexpr const char* op_name = "signal_energy";

    std::int32_t first = 0;
    std::int32_t last = 0;

    template <class V>
    void fields(V&& v) {
        v("first", first), v("last", last);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        KOMPAKT_TRY(c.expect_rank(0, 1));
        for (std::size_t i = 0; i < 1; ++i) {
            constexpr dtype wanted[] = {dtype::i16};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        const dim n = c.input_shape(0)[0];
        if (!n.known() || n.value() % 2 != 0 || first < 0 || last < first || last > n.value() / 2) {
            return fail(errc::bad_file, "numbers ", first, " to ", last, " of ",
                        text_of(c.input_shape(0)));
        }
        c.set_output(0, dtype::u32, {dim(n.value() / 2)});
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<kompakt::signal_energy>({first, last}, {c.in(0)}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
