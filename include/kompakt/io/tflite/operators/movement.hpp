// Operators that move elements and compute nothing.
#pragma once

#include <kompakt/graph/ops/broadcast_to.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/mirror_pad.hpp>
#include <kompakt/graph/ops/pack.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/reverse.hpp>
#include <kompakt/graph/ops/tile.hpp>
#include <kompakt/graph/ops/transpose.hpp>
#include <kompakt/graph/ops/zeros_like.hpp>
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
    const dtype type = w.input(0).type;
    w.constant("perm", t.perm);
    w.add(builtin::transpose,
          rank > 5                 ? 6
          : type == dtype::i16     ? 5
          : rank > 4               ? 4
          : type == dtype::boolean ? 3
                                   : w.version(1, 2, 5),
          options_type::transpose);
    return {};
}

// The real number that a constant element of `out`'s type and scale stands for; false where there
// is none that gives the same bits again.
inline bool real_value(const graph_tensor& v, const graph_tensor& out, float& value) {
    const auto n = element_count(v.shape);
    if (!v.value || v.value->coding.kind != encoding::dense || !n.ok() || *n != 1) return false;
    const std::byte* at = v.value->bytes().data();
    std::int64_t q = 0;
    switch (v.type) {
    case dtype::f32:
        value = load_le<float>(at);
        return true;
    case dtype::i8:
        q = load_le<std::int8_t>(at);
        break;
    case dtype::u8:
        q = load_le<std::uint8_t>(at);
        break;
    case dtype::i16:
        q = load_le<std::int16_t>(at);
        break;
    case dtype::i32:
        q = load_le<std::int32_t>(at);
        break;
    case dtype::i64:
        q = load_le<std::int64_t>(at);
        break;
    default:
        return false;
    }
    const bool scaled = out.quantization.has_value();
    const double scale = scaled ? static_cast<double>(out.quantization->scale()) : 1.0;
    const std::int32_t zero = scaled ? out.quantization->zero_point() : 0;
    const auto real = static_cast<float>(scale * (static_cast<double>(q) - zero));
    std::uint32_t bits[2] = {};
    if (!ops::element_bits(out, real, bits).ok() || bits[0] != static_cast<std::uint32_t>(q) ||
        bits[1] != static_cast<std::uint32_t>(static_cast<std::uint64_t>(q) >> 32)) {
        return false;
    }
    value = real;
    return true;
}

inline status read_pad(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::pad p;
    KOMPAKT_TRY(r.pairs(1, "paddings", p.before, p.after));
    const std::vector<tensor_id> all = r.inputs;
    r.inputs.resize(1);
    // A value that is known at run time only stays an input, as does one that the attribute cannot
    // hold.
    if (all.size() > 2 && all[2] != no_tensor) {
        r.inputs = {all[0], all[2]};
        const graph_tensor &v = r.input(1), &out = r.output(0);
        if (v.type != out.type || (v.quantization && v.quantization != out.quantization)) {
            return fail(errc::unsupported, "value (tensor ", v.name,
                        "): needed the output's type and scale");
        }
        if (real_value(v, out, p.value)) r.inputs.resize(1);
    }
    return r.make(std::move(p));
}

inline status write_pad(operator_writer& w, const op& o) {
    const auto& p = *o.as<ops::pad>();
    const int version = p.before.size() > 4 ? 4 : w.version(1, 2, 3);
    const std::vector<tensor_id> given = w.inputs;
    w.inputs.resize(1);
    w.pairs("paddings", p.before, p.after);
    if (given.size() > 1) {
        w.inputs.push_back(given[1]);
        w.add(builtin::pad_v2, version, options_type::pad_v2);
        return {};
    }
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

inline status read_mirror_pad(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::mirror_pad p;
    KOMPAKT_TRY(r.pairs(1, "paddings", p.before, p.after));
    const auto mode = r.options.scalar<std::int8_t>(mirror_pad_field::mode, 0);
    if (mode != 0 && mode != 1) return fail(errc::bad_file, "mode ", mode);
    p.reflect = mode == 0;
    r.inputs.resize(1);
    return r.make(std::move(p));
}
inline status write_mirror_pad(operator_writer& w, const op& o) {
    const auto& p = *o.as<ops::mirror_pad>();
    w.pairs("paddings", p.before, p.after);
    w.add(builtin::mirror_pad, w.version(1, 2, 3), options_type::mirror_pad,
          flatbuffer::fields().scalar<std::int8_t>(mirror_pad_field::mode, p.reflect ? 0 : 1, 0));
    return {};
}

inline status read_pack(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, SIZE_MAX));
    ops::pack p;
    p.axis = r.options.scalar<std::int32_t>(pack_field::axis, 0);
    const auto n = r.options.scalar<std::int32_t>(pack_field::count, 0);
    if (n < 0 || static_cast<std::size_t>(n) != r.inputs.size()) {
        return fail(errc::bad_file, n, " values, has ", r.inputs.size(), " inputs");
    }
    return r.make(std::move(p));
}
inline status write_pack(operator_writer& w, const op& o) {
    w.add(
        builtin::pack, w.input(0).type == dtype::u32 ? 4 : w.version(1, 2, 3), options_type::pack,
        flatbuffer::fields()
            .scalar<std::int32_t>(pack_field::count, static_cast<std::int32_t>(w.inputs.size()), 0)
            .scalar<std::int32_t>(pack_field::axis, o.as<ops::pack>()->axis, 0));
    return {};
}

inline status read_tile(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::tile t;
    auto multiples = r.integers(1, "multiples");
    if (!multiples.ok()) return multiples.error();
    t.multiples = std::move(*multiples);
    r.inputs.resize(1);
    return r.make(std::move(t));
}
inline status write_tile(operator_writer& w, const op& o) {
    w.constant("multiples", o.as<ops::tile>()->multiples);
    w.add(builtin::tile, w.version(1, 3, 1), options_type::tile);
    return {};
}

inline status read_reverse(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::reverse v;
    auto axes = r.integers(1, "axes");
    if (!axes.ok()) return axes.error();
    v.axes = std::move(*axes);
    r.inputs.resize(1);
    return r.make(std::move(v));
}
inline status write_reverse(operator_writer& w, const op& o) {
    w.constant("axes", o.as<ops::reverse>()->axes);
    w.add(builtin::reverse_v2, w.input(0).type == dtype::boolean ? 2 : w.version(1, 3, 1),
          options_type::reverse_v2);
    return {};
}

inline result<shape> target_shape(const operator_reader& r, std::size_t i) {
    const auto dims = r.integers(i, "shape");
    if (!dims.ok()) return dims.error();
    return shape(dims->begin(), dims->end());
}
inline status read_broadcast_to(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::broadcast_to b;
    auto target = target_shape(r, 1);
    if (!target.ok()) return target.error();
    b.target = std::move(*target);
    r.inputs.resize(1);
    return r.make(std::move(b));
}
inline status write_broadcast_to(operator_writer& w, const op& o) {
    w.constant("shape", ops::dims_of(o.as<ops::broadcast_to>()->target));
    w.add(builtin::broadcast_to, w.version(2, 3, 3), options_type::broadcast_to);
    return {};
}
// fill broadcasts a scalar.
inline status read_fill(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::broadcast_to b;
    auto target = target_shape(r, 0);
    if (!target.ok()) return target.error();
    if (!r.input(1).shape.empty()) {
        return fail(errc::bad_file, "value ", text_of(r.input(1).shape), ", needed a scalar");
    }
    b.target = std::move(*target);
    r.inputs = {r.inputs[1]};
    return r.make(std::move(b));
}

inline constexpr operator_entry movement_operators[] = {
    {builtin::broadcast_to, 3, options_type::broadcast_to, read_broadcast_to,
     holds<ops::broadcast_to>, write_broadcast_to},
    {builtin::concatenation, 4, options_type::concatenation, read_concatenation,
     holds<ops::concatenation>, write_concatenation},
    {builtin::fill, 4, options_type::fill, read_fill, nullptr, nullptr},
    {builtin::mirror_pad, 3, options_type::mirror_pad, read_mirror_pad, holds<ops::mirror_pad>,
     write_mirror_pad},
    {builtin::pack, 4, options_type::pack, read_pack, holds<ops::pack>, write_pack},
    {builtin::pad, 4, options_type::pad, read_pad, holds<ops::pad>, write_pad},
    {builtin::pad_v2, 4, options_type::pad_v2, read_pad, nullptr, nullptr},
    {builtin::reverse_v2, 3, options_type::reverse_v2, read_reverse, holds<ops::reverse>,
     write_reverse},
    {builtin::tile, 3, options_type::tile, read_tile, holds<ops::tile>, write_tile},
    {builtin::transpose, 6, options_type::transpose, read_transpose, holds<ops::transpose>,
     write_transpose},
    {builtin::zeros_like, 1, options_type::zeros_like, read_plain<ops::zeros_like>,
     holds<ops::zeros_like>, write_plain<builtin::zeros_like, options_type::zeros_like, 1, 1, 1>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
