// Operators that move elements and compute nothing.
#pragma once

#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/transpose.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_concatenation(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, SIZE_MAX));
    ops::concatenation c;
    c.axis = r.options.scalar<std::int32_t>(concatenation_field::axis, 0);
    const auto fused = r.fused(concatenation_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    return r.make(std::move(c));
}

inline status write_concatenation(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::concatenation>();
    w.add(builtin::concatenation, w.input(0).type == dtype::u32 ? 4 : w.version(1, 2, 3),
          options_type::concatenation,
          flatbuffer::fields()
              .scalar<std::int32_t>(concatenation_field::axis, c.axis, 0)
              .scalar<std::int8_t>(concatenation_field::activation, w.number(c.fused), 0));
    return {};
}

inline status read_transpose(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::transpose t;
    auto perm = r.integers(1, "permutation");
    if (!perm.ok()) return perm.error();
    t.perm = std::move(*perm);
    r.inputs.resize(1);
    return r.make(std::move(t));
}

inline status write_transpose(operator_writer& w, const op& o) {
    const auto& t = *o.as<ops::transpose>();
    const std::size_t rank = t.perm.size();
    w.constant("perm", {dim(static_cast<std::int64_t>(rank))}, t.perm);
    w.add(builtin::transpose,
          rank > 5   ? 6
          : rank > 4 ? 4
                     : w.version(1, 2, 5),
          options_type::transpose);
    return {};
}

inline status read_pad(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::pad p;
    auto pads = r.integers(1, "paddings");
    if (!pads.ok()) return pads.error();
    const shape& s = r.input(1).shape;
    if (s.size() != 2 || s[1] != dim(2)) {
        return fail(errc::bad_file, "paddings ", text_of(s), ", needed [rank, 2]");
    }
    for (std::size_t i = 0; i + 1 < pads->size(); i += 2) {
        p.before.push_back((*pads)[i]);
        p.after.push_back((*pads)[i + 1]);
    }
    // In the numbers of the output.
    if (r.has_input(2)) {
        const graph_tensor &v = r.input(2), &out = r.output(0);
        if (!v.value || v.value->coding.kind != encoding::dense) {
            return fail(errc::unsupported, "value (tensor ", v.name, ") is not constant");
        }
        const auto n = element_count(v.shape);
        if (!n.ok()) return n.error();
        if (*n != 1 || v.type != out.type ||
            (v.quantization && v.quantization != out.quantization)) {
            return fail(errc::unsupported, "value (tensor ", v.name,
                        "): needed one element of the output's type and scale");
        }
        std::uint32_t raw[2] = {}, bits[2] = {};
        const bytes_view bytes = v.value->bytes();
        std::int64_t q = 0;
        switch (v.type) {
        case dtype::f32:
            p.value = load_le<float>(bytes.data());
            break;
        case dtype::i8:
            q = load_le<std::int8_t>(bytes.data());
            break;
        case dtype::u8:
            q = load_le<std::uint8_t>(bytes.data());
            break;
        case dtype::i16:
            q = load_le<std::int16_t>(bytes.data());
            break;
        case dtype::i32:
            q = load_le<std::int32_t>(bytes.data());
            break;
        case dtype::i64:
            q = load_le<std::int64_t>(bytes.data());
            break;
        default:
            return fail(errc::unsupported, "value is ", name_of(v.type));
        }
        if (v.type != dtype::f32) {
            const float scale = out.quantization ? out.quantization->scale() : 1.0f;
            const std::int32_t zero = out.quantization ? out.quantization->zero_point() : 0;
            p.value = static_cast<float>(static_cast<double>(scale) *
                                         (static_cast<double>(q) - static_cast<double>(zero)));
            raw[0] = static_cast<std::uint32_t>(q);
            raw[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(q) >> 32);
            KOMPAKT_TRY(ops::element_bits(out, p.value, bits));
            if (bits[0] != raw[0] || bits[1] != raw[1]) {
                return fail(errc::unsupported, "value ", q, " does not survive float32");
            }
        }
    }
    r.inputs.resize(1);
    return r.make(std::move(p));
}

inline status write_pad(operator_writer& w, const op& o) {
    const auto& p = *o.as<ops::pad>();
    const std::size_t rank = p.before.size();
    std::vector<std::int32_t> pads;
    for (std::size_t i = 0; i < rank; ++i) pads.push_back(p.before[i]), pads.push_back(p.after[i]);
    const int version = rank > 4 ? 4 : w.version(1, 2, 3);
    w.constant("paddings", {dim(static_cast<std::int64_t>(rank)), dim(2)}, pads);
    std::uint32_t zero[2] = {}, bits[2] = {};
    const graph_tensor& out = w.output();
    KOMPAKT_TRY(ops::element_bits(out, 0.0f, zero));
    KOMPAKT_TRY(ops::element_bits(out, p.value, bits));
    if (std::equal(zero, zero + 2, bits)) {
        w.add(builtin::pad, version, options_type::pad);
        return {};
    }
    std::byte element[8];
    store_le(element, bits[0]), store_le(element + 4, bits[1]);
    w.constant("value",
               make_constant_bytes(out.type, {}, bytes_view(element, bits_of(out.type) / 8)),
               out.quantization);
    w.add(builtin::pad_v2, version, options_type::pad_v2);
    return {};
}

inline constexpr operator_entry movement_operators[] = {
    {builtin::concatenation, 4, options_type::concatenation, read_concatenation,
     holds<ops::concatenation>, write_concatenation},
    {builtin::pad, 4, options_type::pad, read_pad, holds<ops::pad>, write_pad},
    {builtin::pad_v2, 4, options_type::pad_v2, read_pad, nullptr, nullptr},
    {builtin::transpose, 6, options_type::transpose, read_transpose, holds<ops::transpose>,
     write_transpose},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
