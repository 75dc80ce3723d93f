// signal_filter_bank_square_root: the rounded square root of uint64 channels, shifted right by the
// second input; uint32.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_filter_bank_square_root : op_of<signal_filter_bank_square_root> {
    static constexpr const char* op_name = "signal_filter_bank_square_root";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        for (std::size_t i = 0; i < 2; ++i) {
            constexpr dtype wanted[] = {dtype::u64, dtype::i32};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        c.set_output(0, dtype::u32, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<kompakt::signal_filter_bank_square_root>({}, {c.in(0), c.in(1)}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
