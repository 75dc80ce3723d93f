// signal_filter_bank: energies summed by triangular filters to uint64 channels.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_filter_bank : op_of<signal_filter_bank> {
    static constexpr const char* op_name = "signal_filter_bank";

    std::int32_t channels = 0;

    template <class V>
    void fields(V&& v) {
        v("channels", channels);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(6, 6, 1));
        for (std::size_t i = 0; i < 6; ++i) {
            constexpr dtype wanted[] = {dtype::u32, dtype::i16, dtype::i16,
                                        dtype::i16, dtype::i16, dtype::i16};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        if (channels < 1) return fail(errc::bad_file, channels, " channels");
        c.set_output(0, dtype::u64, {dim(channels)});
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<kompakt::signal_filter_bank>(
            {}, {c.in(0), c.in(1), c.in(2), c.in(3), c.in(4), c.in(5)}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
