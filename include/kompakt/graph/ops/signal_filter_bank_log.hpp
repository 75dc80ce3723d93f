// signal_filter_bank_log: the scaled natural logarithm of uint32 channels, as int16.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct signal_filter_bank_log : op_of<signal_filter_bank_log> {
    static constexpr const char* op_name = "signal_filter_bank_log";

    std::int32_t output_scale = 0;
    std::int32_t correction_bits = 0;

    template <class V>
    void fields(V&& v) {
        v("output_scale", output_scale), v("correction_bits", correction_bits);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        for (std::size_t i = 0; i < 1; ++i) {
            constexpr dtype wanted[] = {dtype::u32};
            if (c.input(i).type == wanted[i]) continue;
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(wanted[i]));
        }
        c.set_output(0, dtype::i16, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        std::vector<std::int16_t> table;
        for (int i = 0; i <= 128; ++i) {
            const double x = i / 128.0;
            table.push_back(
                static_cast<std::int16_t>((std::round)(65536 * (std::log2(1 + x) - x))));
        }
        table.push_back(0);
        const std::uint32_t operand = c.constant_operand<std::int16_t>({130}, table);
        c.emit<kompakt::signal_filter_bank_log>({output_scale, correction_bits}, {c.in(0), operand},
                                                {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
