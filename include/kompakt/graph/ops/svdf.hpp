// svdf: input [batch, n], weights of features [filters, n] and of time [filters, memory], bias
// [units] optional, state [batch, memory * filters]; output [batch, units]. `rank` filters make up
// a unit.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/svdf.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct svdf : op_of<svdf> {
    static constexpr const char* op_name = "svdf";

    std::int32_t rank = 1;
    activation fused = activation::none; // of float32; integers only saturate, as in TFLM

    template <class V>
    void fields(V&& v) {
        v("rank", rank), v("activation", fused);
    }

    std::vector<std::size_t> updates() const override { return {4}; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(3, 5, 1));
        if (!c.has_input(4))
            return fail(errc::bad_file, c.inputs(), " inputs, needed 5: the last is the state");
        for (std::size_t i : {0, 1, 2, 4}) KOMPAKT_TRY(c.expect_rank(i, 2));
        const shape &in = c.input_shape(0), &feature = c.input_shape(1), &time = c.input_shape(2);
        if (!is_known(feature) || !is_known(time)) {
            return fail(errc::unsupported, "weights ", text_of(feature), " and ", text_of(time),
                        " must be numbers");
        }
        const std::int64_t filters = feature[0].value(), memory = time[1].value();
        if (rank < 1 || filters < 1 || filters % rank != 0) {
            return fail(errc::bad_file, filters, " filters, needed a multiple of the rank ", rank);
        }
        if (time[0] != feature[0] || in[1] != feature[1] ||
            c.input_shape(4)[1] != dim(filters * memory)) {
            return fail(errc::bad_file, "weights ", text_of(feature), " and ", text_of(time),
                        " do not fit the input ", text_of(in), " and the state ",
                        text_of(c.input_shape(4)));
        }
        c.set_output(0, c.input(0).type, {in[0], dim(filters / rank)});
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &feature = c.input(1), &time = c.input(2);
        const graph_tensor &state = c.input(4), &out = c.output();
        const std::vector<std::uint32_t> inputs = {c.in(0), c.in(1), c.in(2), c.in(3)};
        const std::vector<std::uint32_t> outputs = {c.out(), c.in(4)};
        if (in.type == dtype::f32 && feature.type == dtype::f32) {
            const float_range r = range_of(fused);
            c.emit<svdf_f32>({rank, {r.min, r.max}}, inputs, outputs);
            return {};
        }
        const bool wide = time.type == dtype::i16;
        if (in.type != dtype::i8 || feature.type != dtype::i8 || out.type != dtype::i8 ||
            (!wide && time.type != dtype::i8) || state.type != time.type) {
            return fail(errc::unsupported, name_of(in.type), " input, ", name_of(feature.type),
                        " and ", name_of(time.type), " weights, ", name_of(state.type), " state, ",
                        name_of(out.type), " output");
        }
        for (const auto& [t, what] :
             {std::pair(&in, "input"), std::pair(&state, "state"), std::pair(&out, "output")}) {
            KOMPAKT_TRY(expect_per_tensor(*t, what));
        }
        for (const graph_tensor* w : {&feature, &time}) {
            KOMPAKT_TRY(expect_weights(*w, -1, 1));
        }
        // Both in float32 (docs/arithmetic.md 22).
        const float s = state.quantization->scale();
        const float first = in.quantization->scale() * feature.quantization->scale() / s;
        const float second = s * time.quantization->scale() / out.quantization->scale();
        const svdf_integer_params p = {rank,
                                       in.quantization->zero_point(),
                                       state.quantization->zero_point(),
                                       out.quantization->zero_point(),
                                       quantize_multiplier(static_cast<double>(first)),
                                       quantize_multiplier(static_cast<double>(second))};
        if (wide) {
            c.emit<svdf_i8_state16>(p, inputs, outputs);
        } else {
            c.emit<svdf_i8_state8>(p, inputs, outputs);
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
    std::vector<input_rule> input_rules() const override {
        return {{},
                input_rule::weights(8),
                input_rule::weights(16),
                input_rule::bias(4, 2),
                input_rule::state_of(16, input_rule::scale_of::observed)};
    }

    std::uint64_t macs(const inference& c) const override {
        const auto batches = element_count({c.input_shape(0)[0]});
        const auto feature = element_count(c.input_shape(1)),
                   time = element_count(c.input_shape(2));
        return batches.ok() && feature.ok() && time.ok() ? *batches * (*feature + *time) : 0;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
