// pad: a value before and after the elements of each axis. Negative pads (cuts) are refused. A
// second input of one element of the same type and scale takes the place of the attribute `value`:
// for values that are known at run time only, and integers that float32 does not hold.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/pad.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The bits of one element of t's type that stands for the real number `value`: quantized, where t
// is, and then saturated.
inline status element_bits(const graph_tensor& t, float value, std::uint32_t (&bits)[2]) {
    bits[0] = bits[1] = 0;
    if (t.type == dtype::f32) {
        std::memcpy(bits, &value, sizeof value);
        return {};
    }
    if (value == 0.0f && !t.quantization) return {};
    std::int64_t least = 0, most = 0;
    switch (t.type) {
    case dtype::i8:
        least = INT8_MIN, most = INT8_MAX;
        break;
    case dtype::u8:
        most = UINT8_MAX;
        break;
    case dtype::i16:
        least = INT16_MIN, most = INT16_MAX;
        break;
    case dtype::u16:
        most = UINT16_MAX;
        break;
    case dtype::i32:
        least = INT32_MIN, most = INT32_MAX;
        break;
    case dtype::u32:
        most = UINT32_MAX;
        break;
    case dtype::i64:
        least = INT32_MIN, most = INT32_MAX;
        break;
    case dtype::boolean:
        most = 1;
        break;
    default:
        return fail(errc::unsupported, "value of ", name_of(t.type), " elements, needed 0");
    }
    double q = static_cast<double>(value);
    if (t.quantization) {
        KOMPAKT_TRY(expect_per_tensor(t, "output"));
        q = (std::round)(q / static_cast<double>(t.quantization->scale())) +
            t.quantization->zero_point();
        if (std::isnan(q)) return fail(errc::bad_file, "value is not a number");
        q = q < static_cast<double>(least)  ? static_cast<double>(least)
            : q > static_cast<double>(most) ? static_cast<double>(most)
                                            : q;
    } else if (!(q >= static_cast<double>(least) && q <= static_cast<double>(most)) ||
               q != std::floor(q)) {
        return fail(errc::bad_file, "value is not an ", name_of(t.type));
    }
    const auto u = static_cast<std::uint64_t>(static_cast<std::int64_t>(q));
    bits[0] = static_cast<std::uint32_t>(u);
    bits[1] = static_cast<std::uint32_t>(u >> 32);
    return {};
}

struct pad : op_of<pad> {
    static constexpr const char* op_name = "pad";

    std::vector<std::int32_t> before, after; // one for each axis
    float value = 0.0f;                      // a real number, also for quantized tensors

    template <class V>
    void fields(V&& v) {
        v("before", before), v("after", after), v("value", value);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 2, 1));
        if (c.has_input(1)) {
            const auto n = element_count(c.input_shape(1));
            if (!n.ok() || *n != 1 || c.input(1).type != c.input(0).type) {
                return fail(errc::bad_file, "value ", name_of(c.input(1).type), " ",
                            text_of(c.input_shape(1)), ", needed one ", name_of(c.input(0).type));
            }
        }
        shape s = c.input_shape(0);
        if (before.size() != s.size() || after.size() != s.size()) {
            return fail(errc::bad_file, before.size(), " and ", after.size(), " pads for ",
                        text_of(s));
        }
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (before[i] < 0 || after[i] < 0) {
                return fail(errc::unsupported, "pads ", before[i], " and ", after[i],
                            ", needed 0 or more");
            }
            if (before[i] == 0 && after[i] == 0) continue;
            KOMPAKT_TRY(expect_known(s[i]));
            s[i] = dim(s[i].value() + before[i] + after[i]);
        }
        c.set_output(0, c.input(0).type, std::move(s));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor& out = c.output();
        KOMPAKT_TRY(expect_movable_rank(out.shape));
        pad_params p;
        std::vector<std::uint32_t> inputs = {c.in(0)};
        if (c.has_input(1)) {
            KOMPAKT_TRY(expect_movable_rank(c.input(1).shape));
            inputs.push_back(c.in(1));
        } else {
            KOMPAKT_TRY(element_bits(out, value, p.value));
        }
        const std::size_t lead = max_rank - out.shape.size();
        for (std::size_t i = 0; i < before.size(); ++i) p.before[lead + i] = before[i];
        c.emit<kompakt::pad>(p, std::move(inputs), {c.out()});
        return {};
    }

    status gradient(differentiation& d) const override {
        if (d.wants(1)) return fail(errc::unsupported, "has no gradient by its value");
        if (d.wants(0)) d.give(0, cut(d, d.gradient(), before, d.in_shape(0)));
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
