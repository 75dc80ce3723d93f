// batch_norm: gamma * (x - mean) / sqrt(variance + epsilon) + beta, per channel of the last axis,
// with the statistics of training: inputs x [..., c], gamma, beta, mean, variance [c]; gamma and
// beta are optional. A pass folds it into the layer before; one that is left is lowered in float32.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/batch_norm_training.hpp>
#include <kompakt/kernel/mul.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// batch_norm_gradient: gradient, input, gamma, mean, 1 / sqrt(variance + epsilon) -> gradients of
// input, gamma, beta.
struct batch_norm_gradient : op_of<batch_norm_gradient> {
    static constexpr const char* op_name = "batch_norm_gradient";

    bool frozen = false; // the statistics are constants

    template <class V>
    void fields(V&& v) {
        v("frozen", frozen);
    }
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(5, 5, 3));
        c.set_output(0, dtype::f32, c.input_shape(1));
        c.set_output(1, dtype::f32, c.input_shape(2));
        c.set_output(2, dtype::f32, c.input_shape(2));
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<batch_norm_grad_f32>({frozen ? 1 : 0}, {c.in(0), c.in(1), c.in(2), c.in(3), c.in(4)},
                                    {c.out(0), c.out(1), c.out(2)});
        return {};
    }
};

struct batch_norm : op_of<batch_norm> {
    static constexpr const char* op_name = "batch_norm";

    float epsilon = 1e-3f;
    float momentum = 0.1f; // of the running statistics, which training updates
    bool training = false; // with the batch's statistics, which outputs 1 and 2 are

    template <class V>
    void fields(V&& v) {
        v("epsilon", epsilon), v("momentum", momentum), v("training", training);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 5, training ? 3 : 1));
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
        for (std::size_t i = 1; training && i < 3; ++i) c.set_output(i, dtype::f32, {in.back()});
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
        if (training) return lower_training(c);
        if ((c.has_input(1) && c.input(1).state) || (c.has_input(2) && c.input(2).state)) {
            return lower_trained(c);
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

    std::vector<std::size_t> parameters() const override { return {1, 2}; }
    void enter_training() override { training = true; }
    std::size_t training_outputs() const override { return 2; }
    bool mixes_samples() const override { return training; }
    std::vector<std::size_t> updates() const override {
        return training ? std::vector<std::size_t>{3, 4} : std::vector<std::size_t>();
    }
    status gradient(differentiation& d) const override {
        const auto channels = static_cast<std::size_t>(d.in_shape(0).back().value());
        const shape one = {d.in_shape(0).back()};
        const tensor_id gamma =
            d.has_input(1)
                ? d.in(1)
                : d.constant_tensor(make_constant(one, std::vector<float>(channels, 1.0f)));
        batch_norm_gradient o;
        o.frozen = !training;
        std::vector<tensor_id> statistics;
        if (training) {
            statistics = {d.out(1), d.out(2)};
        } else {
            const constant* variance = d.value_of(d.in(4));
            if (variance == nullptr || d.value_of(d.in(3)) == nullptr) {
                return fail(errc::unsupported, "has no gradient by computed statistics");
            }
            statistics = {d.in(3), d.constant_tensor(inverse_deviation(*variance))};
        }
        const auto all = d.add(o, {d.gradient(), d.in(0), gamma, statistics[0], statistics[1]}, 3);
        for (std::size_t i = 0; i < 3; ++i) {
            if (d.wants(i)) d.give(i, all[i]);
        }
        return {};
    }

  private:
    constant inverse_deviation(const constant& variance) const {
        std::vector<float> inverse = variance.values<float>();
        for (float& x : inverse) {
            x = static_cast<float>(
                1.0 / std::sqrt(static_cast<double>(x) + static_cast<double>(epsilon)));
        }
        return make_constant(variance.shape, inverse);
    }
    static std::uint32_t filled(lowering& c, float value) {
        const auto channels = static_cast<std::size_t>(c.input(0).shape.back().value());
        return c.constant_operand<float>({static_cast<std::int32_t>(channels)},
                                         std::vector<float>(channels, value));
    }
    status lower_training(lowering& c) const {
        c.emit<batch_norm_training_f32>({epsilon, momentum},
                                        {c.in(0), c.has_input(1) ? c.in(1) : filled(c, 1.0f),
                                         c.has_input(2) ? c.in(2) : filled(c, 0.0f)},
                                        {c.out(0), c.out(1), c.out(2), c.in(3), c.in(4)});
        return {};
    }
    // Constant statistics, gamma or beta that training changes.
    status lower_trained(lowering& c) const {
        if (!c.input(3).value || !c.input(4).value || c.input(3).type != dtype::f32 ||
            c.input(4).type != dtype::f32) {
            return fail(errc::unsupported, "computed mean or variance");
        }
        const constant inverse = inverse_deviation(*c.input(4).value);
        std::vector<float> offset = inverse.values<float>();
        const std::vector<float> mean = c.input(3).value->values<float>();
        for (std::size_t i = 0; i < offset.size(); ++i) offset[i] *= -mean[i];
        const float_range r = range_of(activation::none);
        const std::vector<overlap> same = {{overlap::kind::same_place, 0}};
        const auto full = dims_of(c.input(0));
        std::uint32_t x = c.in(0);
        const auto next = [&](auto kernel, std::uint32_t with, bool last) {
            const std::uint32_t to = last ? c.out() : c.temporary(dtype::f32, full);
            c.emit<decltype(kernel)>({r.min, r.max}, {x, with}, {to}, same);
            x = to;
        };
        const auto dims = dims_of(c.input(3));
        next(mul_f32{}, c.constant_operand(inverse), false);
        next(add_f32{}, c.constant_operand<float>(dims, offset), false);
        next(mul_f32{}, c.has_input(1) ? c.in(1) : filled(c, 1.0f), false);
        next(add_f32{}, c.has_input(2) ? c.in(2) : filled(c, 0.0f), true);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
