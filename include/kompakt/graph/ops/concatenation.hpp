// concatenation: any number of inputs along one axis; a fused activation.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/kernel/clamp.hpp>
#include <kompakt/kernel/concatenation.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct concatenation : op_of<concatenation> {
    static constexpr const char* op_name = "concatenation";

    std::int32_t axis = 0; // below zero: from the end
    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        v("axis", axis), v("activation", fused);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, max_joined, 1));
        shape s = c.input_shape(0);
        const auto at = axis_of(axis, s.size());
        if (!at.ok()) return fail(errc::bad_file, "axis ", axis, " of ", text_of(s));
        const std::size_t along = *at;
        for (std::size_t i = 1; i < c.inputs(); ++i) {
            if (!c.has_input(i)) return fail(errc::bad_file, "input ", i, " is missing");
            shape x = c.input_shape(i);
            if (c.input(i).type != c.input(0).type) {
                return fail(errc::unsupported, "inputs ", name_of(c.input(0).type), " and ",
                            name_of(c.input(i).type), ", needed one type");
            }
            if (x.size() != s.size()) {
                return fail(errc::bad_file, "input ", i, ": ", text_of(x), " beside ",
                            text_of(c.input_shape(0)));
            }
            KOMPAKT_TRY(expect_known(s[along]));
            KOMPAKT_TRY(expect_known(x[along]));
            const dim sum(s[along].value() + x[along].value());
            s[along] = x[along];
            if (x != s) {
                return fail(errc::bad_file, "input ", i, ": ", text_of(x), " beside ",
                            text_of(c.input_shape(0)), " along axis ", axis);
            }
            s[along] = sum;
        }
        c.set_output(0, c.input(0).type, std::move(s));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor& out = c.output();
        KOMPAKT_TRY(expect_movable_rank(out.shape));
        const bool int8 = out.type == dtype::i8 && out.quantization;
        if (fused != activation::none && !int8 && out.type != dtype::f32) {
            return fail(errc::unsupported, "activation ", name_of(fused), " on ",
                        name_of(out.type));
        }
        const std::vector<overlap> same = {{overlap::kind::same_place, 0}};
        std::vector<std::uint32_t> parts;
        std::vector<std::vector<std::int32_t>> part_dims;
        for (std::size_t i = 0; i < c.inputs(); ++i) {
            const graph_tensor& in = c.input(i);
            std::uint32_t part = c.in(i);
            if (int8) {
                KOMPAKT_TRY(expect_per_tensor(in, "input"));
                KOMPAKT_TRY(expect_per_tensor(out, "output"));
                // TensorFlow Lite Micro refuses inputs of other scales than the output's.
                if (in.quantization->scale() != out.quantization->scale() ||
                    in.quantization->zero_point() != out.quantization->zero_point()) {
                    const std::uint32_t scaled = c.temporary(dtype::i8, dims_of(in.shape));
                    c.emit<requantize_i8>(rescale_for(*in.quantization, *out.quantization), {part},
                                          {scaled}, same);
                    part = scaled;
                }
            }
            parts.push_back(part);
            part_dims.push_back(dims_of(in.shape));
        }
        const std::size_t along = *axis_of(axis, out.shape.size());
        if (fused == activation::none) {
            emit_joined(c, along, std::move(parts), part_dims, c.out());
            return {};
        }
        const std::uint32_t joined = c.temporary(out.type, dims_of(out.shape));
        emit_joined(c, along, std::move(parts), part_dims, joined);
        if (int8) {
            rescale_i8_params r = rescale_for(*out.quantization, *out.quantization);
            r.output = output_stage_for(*out.quantization, fused);
            c.emit<clamp_i8>(r, {joined}, {c.out()}, same);
        } else {
            c.emit<clamp_f32>(clamp_for(fused), {joined}, {c.out()}, same);
        }
        return {};
    }

    std::vector<constant> fold(const inference& c) const override {
        return fused == activation::none ? fold_joined(c) : std::vector<constant>();
    }

    status gradient(differentiation& d) const override {
        const tensor_id g = gradient_before(d, fused);
        const std::size_t along = *axis_of(axis, d.out_shape().size());
        std::vector<std::int32_t> begin(d.out_shape().size(), 0);
        for (std::size_t i = 0; i < d.inputs(); ++i) {
            if (d.wants(i)) d.give(i, cut(d, g, begin, d.in_shape(i)));
            begin[along] += static_cast<std::int32_t>(d.in_shape(i)[along].value());
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
