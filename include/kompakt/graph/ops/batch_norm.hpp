// batch_norm: gamma * (x - mean) / sqrt(variance + epsilon) + beta, per channel of the last axis,
// with the statistics of training: inputs x [..., c], gamma, beta, mean, variance [c]; gamma and
// beta are optional. A pass folds it into the layer before; one that is left is lowered in float32.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/mul.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct batch_norm : op_of<batch_norm> {
    static constexpr const char* op_name = "batch_norm";

    float epsilon = 1e-3f;

    template <class V>
    void fields(V&& v) {
        v("epsilon", epsilon);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 5, 1));
        const shape& in = c.input_shape(0);
        if (in.empty() || !in.back().known()) {
            return fail(errc::unsupported, "input ", text_of(in), ": channels must be a number");
        }
        if (!c.has_input(3) || !c.has_input(4)) {
            return fail(errc::bad_file, "mean or variance is missing");
        }
        for (std::size_t i = 1; i < c.inputs(); ++i) {
            if (c.has_input(i) && c.input_shape(i) != shape{in.back()}) {
                return fail(errc::bad_file, "input ", i, ": ", text_of(c.input_shape(i)),
                            ", needed [", in.back().value(), "]");
            }
        }
        c.set_output(0, c.input(0).type, in);
        return {};
    }

    // One channel's y = scale * x + offset, in double: what folding uses too.
    struct line {
        double scale, offset;
    };
    line line_of(double gamma, double beta, double mean, double variance) const noexcept {
        const double scale = gamma / std::sqrt(variance + static_cast<double>(epsilon));
        return {scale, beta - mean * scale};
    }

    // The lines of all channels; an error where the parameters are not float32 constants.
    template <class Context>
    result<std::vector<line>> lines(const Context& c) const {
        std::vector<float> values[5];
        for (std::size_t i = 1; i < 5; ++i) {
            if (!c.has_input(i)) continue;
            if (!c.input(i).value || c.input(i).type != dtype::f32) {
                return fail(errc::unsupported, "input ", i, " is not a float32 constant");
            }
            const auto dense = decode(*c.input(i).value);
            if (!dense.ok()) return dense.error();
            values[i] = dense->template values<float>();
        }
        std::vector<line> all;
        for (std::size_t k = 0; k < values[3].size(); ++k) {
            const auto at = [&](std::size_t i, double otherwise) {
                return values[i].empty() ? otherwise : static_cast<double>(values[i][k]);
            };
            const line l = line_of(at(1, 1.0), at(2, 0.0), at(3, 0.0), at(4, 1.0));
            if (!std::isfinite(l.scale) || !std::isfinite(l.offset)) {
                return fail(errc::bad_data, "channel ", k,
                            ": variance plus epsilon is not positive");
            }
            all.push_back(l);
        }
        return all;
    }

    status lower(lowering& c) const override {
        const graph_tensor& in = c.input(0);
        if (in.type != dtype::f32) {
            return fail(errc::unsupported, name_of(in.type),
                        " input: batch_norm runs in float32 only, fold it before quantizing");
        }
        const auto all = lines(c);
        if (!all.ok()) return all.error();
        std::vector<float> scales, offsets;
        for (const line& l : *all) {
            scales.push_back(static_cast<float>(l.scale));
            offsets.push_back(static_cast<float>(l.offset));
        }
        const std::vector<std::int32_t> dims = {static_cast<std::int32_t>(scales.size())};
        std::vector<std::int32_t> full;
        for (const dim& d : in.shape) full.push_back(static_cast<std::int32_t>(d.value()));
        const float_range r = range_of(activation::none);
        const std::vector<overlap> same = {{overlap::kind::same_place, 0}};
        const std::uint32_t scaled = c.temporary(dtype::f32, std::move(full));
        c.emit<mul_f32>({r.min, r.max}, {c.in(0), c.constant_operand<float>(dims, scales)},
                        {scaled}, same);
        c.emit<add_f32>({r.min, r.max}, {scaled, c.constant_operand<float>(dims, offsets)},
                        {c.out()}, same);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
