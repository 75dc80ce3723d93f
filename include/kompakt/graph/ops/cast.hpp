// cast: from one element type to another, elementwise: bool and integers of any width, float32.
// Scales are not looked at. Integers keep their low bits; floats lose their fraction and saturate.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/cast.hpp>
#include <kompakt/kernel/copy.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct cast : op_of<cast> {
    static constexpr const char* op_name = "cast";

    dtype to = dtype::f32;

    template <class V>
    void fields(V&& v) {
        auto number = static_cast<std::int32_t>(to);
        v("to", number);
        to = static_cast<dtype>(number);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        if (to == dtype::none || static_cast<unsigned>(to) >= dtype_count) {
            return fail(errc::bad_file, "to type ", static_cast<unsigned>(to),
                        ", which there is not");
        }
        c.set_output(0, to, c.input_shape(0));
        return {};
    }

    status lower(lowering& c) const override {
        const dtype from = c.input(0).type;
        const auto known = [](dtype t) { return t == dtype::f32 || is_integer(t); };
        if (!known(from) || !known(to)) {
            return fail(errc::unsupported, "from ", name_of(from), " to ", name_of(to),
                        ", needed float32, bool or integers");
        }
        if (from == to && from != dtype::boolean) {
            c.emit<copy>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else if (from == dtype::f32) {
            c.emit<cast_f32_integers>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else if (to == dtype::f32) {
            c.emit<cast_integers_f32>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else {
            c.emit<cast_integers>({}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        }
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
