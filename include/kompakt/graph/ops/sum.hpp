// sum: the sum over some axes of an input of rank up to 6.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/mean.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct sum : reduction_op<sum> {
    static constexpr const char* op_name = "sum";

    status lower(lowering& c) const override {
        const auto r = reduced_by(c);
        if (!r.ok()) return r.error();
        const dtype type = c.input(0).type;
        if (type == dtype::f32) {
            c.emit<sum_f32>({r->mask}, {c.in(0)}, {c.out()}, overlaps());
            return {};
        }
        if (type != dtype::i8 && type != dtype::i16) {
            return fail(errc::unsupported, name_of(type), " input, needed float32, int8 or int16");
        }
        // A mean without its division.
        const auto scale = sum_multiplier(c, type);
        if (!scale.ok()) return scale.error();
        const mean_i8_params p = sum_params(c, r->mask, *scale);
        if (type == dtype::i8) {
            c.emit<mean_i8>(p, {c.in(0)}, {c.out()}, overlaps());
        } else {
            c.emit<mean_i16>(p, {c.in(0)}, {c.out()}, overlaps());
        }
        return {};
    }

    status gradient(differentiation& d) const override { return give_spread(d, false); }

    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
