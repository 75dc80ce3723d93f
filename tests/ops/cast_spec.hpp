#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/cast.hpp>

namespace kompakt_test {

inline void cast_reference(const op_arguments& a, values& out) {
    const dtype from = a.tensor(0).type, to = a.output().type;
    const bool is_signed =
        to == dtype::i8 || to == dtype::i16 || to == dtype::i32 || to == dtype::i64;
    const auto bits = static_cast<int>(kompakt::bits_of(to));
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        const double x = a.inputs[0].data[i];
        if (to == dtype::f32) {
            out.data[i] = x;
        } else if (to == dtype::boolean) {
            out.data[i] = x != 0;
        } else if (from == dtype::f32) {
            const double most = std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1;
            const double least = is_signed ? -most - 1 : 0;
            out.data[i] = (std::min)((std::max)(std::trunc(x), least), most);
        } else {
            // The low bits.
            auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
            if (bits < 64) low &= (std::uint64_t{1} << bits) - 1;
            const bool negative = is_signed && (low >> (bits - 1) & 1) != 0;
            out.data[i] = bits == 64 ? static_cast<double>(static_cast<std::int64_t>(low))
                          : negative ? static_cast<double>(low) - std::ldexp(1.0, bits)
                                     : static_cast<double>(low);
        }
    }
}

inline op_spec cast_spec() {
    op_spec s{"cast", {}, cast_reference};
    constexpr dtype types[] = {dtype::boolean, dtype::i8,  dtype::u8,  dtype::i16, dtype::u16,
                               dtype::i32,     dtype::u32, dtype::i64, dtype::f32};
    for (const dtype from : types) {
        for (const dtype to : types) {
            kompakt::ops::cast op;
            op.to = to;
            for (const kompakt::shape& in : {kompakt::shape{}, {2, 1, 3, 1, 2, 5}, {257}}) {
                op_case c = unary_case(op, from, in);
                c.name += std::string(" to ") + kompakt::name_of(to);
                s.cases.push_back(std::move(c));
            }
        }
    }
    return s;
}

} // namespace kompakt_test
