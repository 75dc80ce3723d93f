// mean: the mean over some axes of an input of rank up to 6.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/reduction.hpp>
#include <kompakt/kernel/mean.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Of a sum that `scale` brings to the output.
inline mean_i8_params sum_params(const lowering& c, std::int32_t mask, const multiplier& scale) {
    return {mask, c.input(0).quantization->zero_point(), scale.q31, scale.shift,
            c.output().quantization->zero_point()};
}
// The multiplier of input scale / output scale, once both are checked.
inline result<multiplier> sum_multiplier(const lowering& c, dtype type) {
    for (const graph_tensor* t : {&c.input(0), &c.output()}) {
        KOMPAKT_TRY(expect_per_tensor(*t, t == &c.input(0) ? "input" : "output"));
        KOMPAKT_TRY(check_zero_point(t == &c.input(0) ? "input" : "output",
                                     t->quantization->zero_point(), type));
    }
    return quantize_multiplier(static_cast<double>(c.input(0).quantization->scale()) /
                               static_cast<double>(c.output().quantization->scale()));
}

struct mean : reduction_op<mean> {
    static constexpr const char* op_name = "mean";

    status lower(lowering& c) const override {
        const auto r = reduced_by(c);
        if (!r.ok()) return r.error();
        const dtype type = c.input(0).type;
        if (type == dtype::f32) {
            c.emit<mean_f32>({r->mask}, {c.in(0)}, {c.out()}, overlaps());
            return {};
        }
        if (type != dtype::i8 && type != dtype::i16) {
            return fail(errc::unsupported, name_of(type), " input, needed float32, int8 or int16");
        }
        const auto scale = sum_multiplier(c, type);
        if (!scale.ok()) return scale.error();
        const mean_i8_params p = sum_params(c, r->mask, mean_multiplier(*scale, r->count));
        if (type == dtype::i8) {
            c.emit<mean_i8>(p, {c.in(0)}, {c.out()}, overlaps());
        } else {
            c.emit<mean_i16>(p, {c.in(0)}, {c.out()}, overlaps());
        }
        return {};
    }

    status gradient(differentiation& d) const override { return give_spread(d, true); }

    quantization_rule quantize_rule() const override { return free_rule(); }

  private:
    // m / count with a division that truncates (docs/arithmetic.md 8); the mantissa is shifted up
    // first, as far as the shift's range allows.
    static multiplier mean_multiplier(const multiplier& m, std::int64_t count) noexcept {
        int up = 0;
        while (up < 32 && count >> (up + 1) != 0) ++up;
        up = (std::min)(up, 31 + m.shift);
        return {static_cast<std::int32_t>((std::int64_t{m.q31} << up) / count), m.shift - up};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
