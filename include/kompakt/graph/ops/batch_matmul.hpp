// batch_matmul: matrix products of two operands [..., m, k] and [..., k, n], each of which may be
// stored transposed; the dimensions before broadcast.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/batch_matmul.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct batch_matmul : op_of<batch_matmul> {
    static constexpr const char* op_name = "batch_matmul";

    bool transpose_a = false, transpose_b = false;

    template <class V>
    void fields(V&& v) {
        v("transpose_a", transpose_a), v("transpose_b", transpose_b);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        const shape &a = c.input_shape(0), &b = c.input_shape(1);
        if (c.input(0).type != c.input(1).type) {
            return fail(errc::unsupported, "inputs ", name_of(c.input(0).type), " and ",
                        name_of(c.input(1).type), ", needed one type");
        }
        if (a.size() < 2 || b.size() < 2) {
            return fail(errc::bad_file, "inputs ", text_of(a), " and ", text_of(b),
                        ", needed two dimensions or more");
        }
        // From the last dimension: the rows' and the columns'.
        const std::size_t ka = transpose_a ? 2 : 1, kb = transpose_b ? 1 : 2;
        const dim &inner_a = a[a.size() - ka], &inner_b = b[b.size() - kb];
        if (inner_a != inner_b && inner_a.known() == inner_b.known()) {
            return fail(inner_a.known() ? errc::bad_file : errc::bad_argument, "inputs ",
                        text_of(a), " and ", text_of(b), " do not fit: ", inner_a.text(), " and ",
                        inner_b.text());
        }
        auto out = broadcast_shape(shape(a.begin(), a.end() - 2), shape(b.begin(), b.end() - 2));
        if (!out.ok()) return out.error();
        out->push_back(a[a.size() - (3 - ka)]);
        out->push_back(b[b.size() - (3 - kb)]);
        if (out->size() > max_rank) {
            return fail(errc::unsupported, "rank ", out->size(), ", needed at most ", max_rank);
        }
        c.set_output(0, c.input(0).type, std::move(*out));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &a = c.input(0), &b = c.input(1), &out = c.output();
        const std::int32_t ta = transpose_a ? 1 : 0, tb = transpose_b ? 1 : 0;
        if (a.type == dtype::f32) {
            c.emit<batch_matmul_f32>({ta, tb}, {c.in(0), c.in(1)}, {c.out()});
            return {};
        }
        if (a.type != dtype::i8 && a.type != dtype::i16) {
            return fail(errc::unsupported, name_of(a.type), " inputs");
        }
        KOMPAKT_TRY(expect_quantized(c, a.type));
        const bool wide = a.type == dtype::i16;
        const auto m = sum_multiplier(
            matrix_scales(*a.quantization, *b.quantization, *out.quantization)[0], wide);
        if (!m.ok()) return m.error();
        batch_matmul_integer_params p;
        p.transpose_a = ta, p.transpose_b = tb;
        p.zero_point_a = a.quantization->zero_point();
        p.zero_point_b = b.quantization->zero_point();
        p.result = *m;
        p.output = output_stage_for(*out.quantization, activation::none, a.type);
        if (wide) {
            c.emit<batch_matmul_i16>(p, {c.in(0), c.in(1)}, {c.out()});
        } else {
            c.emit<batch_matmul_i8>(p, {c.in(0), c.in(1)}, {c.out()});
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return free_rule(); }

    std::uint64_t macs(const inference& c) const override {
        const auto out = element_count(c.output(0).shape);
        const shape& a = c.input_shape(0);
        return out.ok()
                   ? *out * static_cast<std::uint64_t>(a[a.size() - (transpose_a ? 2 : 1)].value())
                   : 0;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
