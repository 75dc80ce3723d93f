// add_n: the sum of two or more inputs of one shape; int8 inputs have one scale.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/add_n.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Of sums of any number of int8 values with one scale (docs/arithmetic.md 18).
inline result<add_n_i8_params> add_n_params(const quantization& in, const quantization& out) {
    const double common = 2 * static_cast<double>(in.scale());
    add_n_i8_params p;
    p.zero_point = in.zero_point();
    p.input = quantize_multiplier(static_cast<double>(in.scale()) / common);
    p.result = quantize_multiplier(
        common / ((1 << add_left_shift<std::int8_t>)*static_cast<double>(out.scale())));
    p.output = output_stage_for(out, activation::none);
    if (p.result.shift > 0) {
        return fail(errc::unsupported, "output scale ", out.scale(), ", input scale ", in.scale(),
                    ": needed an output scale above 2^-19 of the input's");
    }
    return p;
}

// No quantization rule: the int8 form is off by the inputs' zero point.
struct add_n : op_of<add_n> {
    static constexpr const char* op_name = "add_n";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, max_joined, 1));
        for (std::size_t i = 1; i < c.inputs(); ++i) {
            if (!c.has_input(i)) return fail(errc::bad_file, "input ", i, " is missing");
        }
        KOMPAKT_TRY(expect_one_type(c, 0, c.inputs() - 1));
        auto out = broadcast_inputs(c); // symbols may stand for one number
        if (!out.ok()) return out.error();
        for (std::size_t i = 0; i < c.inputs(); ++i) {
            if (c.input_shape(i).size() == out->size() &&
                (c.input_shape(i) == *out || !is_known(c.input_shape(i)))) {
                continue;
            }
            return fail(errc::bad_file, "input ", i, ": ", text_of(c.input_shape(i)), " beside ",
                        text_of(*out));
        }
        c.set_output(0, c.input(0).type, std::move(*out));
        return {};
    }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            // One by one, from the first on.
            const clamp_f32_params all = clamp_for(activation::none);
            std::uint32_t sum = c.in(0);
            for (std::size_t i = 1; i < c.inputs(); ++i) {
                const bool last = i + 1 == c.inputs();
                const std::uint32_t next =
                    last ? c.out() : c.temporary(dtype::f32, dims_of(c.output()));
                std::vector<overlap> overlaps;
                if (i > 1 || !c.input(0).value) overlaps.push_back({overlap::kind::same_place, 0});
                c.emit<add_f32>(all, {sum, c.in(i)}, {next}, std::move(overlaps));
                sum = next;
            }
            return {};
        }
        if (c.input(0).type != dtype::i8) return refuse_type(c, "float32 or int8");
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        for (std::size_t i = 1; i < c.inputs(); ++i) {
            if (c.input(i).quantization != c.input(0).quantization) {
                return fail(errc::unsupported, "input ", i, ": ", scale_text(c.input(i)),
                            ", needed that of the first, ", scale_text(c.input(0)));
            }
        }
        if (c.inputs() >= max_operands) {
            return fail(errc::limit, c.inputs(), " int8 inputs, needed at most ", max_operands - 1);
        }
        const auto p = add_n_params(*c.input(0).quantization, *c.output().quantization);
        if (!p.ok()) return p.error();
        std::vector<std::uint32_t> inputs;
        for (std::size_t i = 0; i < c.inputs(); ++i) inputs.push_back(c.in(i));
        c.emit<add_n_i8>(*p, std::move(inputs), {c.out()}, elementwise_overlaps(c));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
