// fully_connected: input of any rank whose elements are seen as [n, k], weights OI [o, k], bias [o]
// optional; output [n, o], or the input's shape with the last dimension replaced by o.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/fully_connected.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct fully_connected : op_of<fully_connected> {
    static constexpr const char* op_name = "fully_connected";

    activation fused = activation::none;
    bool keep_num_dims = false;

    template <class V>
    void fields(V&& v) {
        v("activation", fused), v("keep_num_dims", keep_num_dims);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 3, 1));
        KOMPAKT_TRY(c.expect_rank(1, 2));
        const shape &in = c.input_shape(0), &weights = c.input_shape(1);
        if (!is_known(weights)) {
            return fail(errc::unsupported, "weights ", text_of(weights), " must be numbers");
        }
        const std::int64_t depth = weights[1].value();
        const auto misfit = [&] {
            return fail(errc::bad_file, "weights ", text_of(weights), " do not fit the input ",
                        text_of(in));
        };
        if (depth < 1) return misfit();
        if (keep_num_dims) {
            if (in.empty() || in.back() != weights[1]) return misfit();
            shape out = in;
            out.back() = weights[0];
            c.set_output(0, c.input(0).type, std::move(out));
            return {};
        }
        // A first dimension that is a symbol passes through where the others make up one row.
        dim batches(1);
        if (!in.empty() && !in[0].known()) {
            const auto rest = element_count(shape(in.begin() + 1, in.end()));
            if (!rest.ok()) return rest.error();
            if (static_cast<std::int64_t>(*rest) != depth) return misfit();
            batches = in[0];
        } else {
            const auto total = element_count(in);
            if (!total.ok()) return total.error();
            if (static_cast<std::int64_t>(*total) % depth != 0) return misfit();
            batches = dim(static_cast<std::int64_t>(*total) / depth);
        }
        c.set_output(0, c.input(0).type, {batches, weights[0]});
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &weights = c.input(1), &out = c.output();
        if (in.shape.size() > max_rank) {
            return fail(errc::unsupported, "input: needed at most rank ", max_rank, ", given ",
                        text_of(in.shape));
        }
        if (in.type == dtype::f32) {
            if (weights.type != dtype::f32 && weights.type != dtype::i8) {
                return fail(errc::unsupported, "float32 input with ", name_of(weights.type),
                            " weights");
            }
            const float_range r = range_of(fused);
            c.emit<fully_connected_f32>({r.min, r.max}, {c.in(0), float_weights(c, 1), c.in(2)},
                                        {c.out()});
            return {};
        }
        if (in.type != dtype::i8 || weights.type != dtype::i8 || out.type != dtype::i8) {
            return fail(errc::unsupported, name_of(in.type), " input, ", name_of(weights.type),
                        " weights, ", name_of(out.type), " output");
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        KOMPAKT_TRY(expect_per_tensor(out, "output"));
        KOMPAKT_TRY(expect_weights(weights, 0, weights.shape[0].value()));
        const stage_operands stage = multiplier_operands(
            c, matrix_scales(*in.quantization, *weights.quantization, *out.quantization));
        c.emit<fully_connected_i8>(
            {in.quantization->zero_point(), output_stage_for(*out.quantization, fused)},
            {c.in(0), c.in(1), c.in(2), stage.multipliers, stage.shifts}, {c.out()});
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r;
        r.how = quantization_rule::kind::free;
        r.weights = 1;
        r.channel_axis = 0;
        r.bias = 2;
        return r;
    }

    std::uint64_t macs(const inference& c) const override {
        const auto out = element_count(c.output(0).shape);
        return out.ok() ? *out * static_cast<std::uint64_t>(c.input_shape(1)[1].value()) : 0;
    }

  private:
    // Unlike convolution, one scale per tensor multiplies the input's in float32, not in double
    // (docs/arithmetic.md 2).
    static std::vector<double> matrix_scales(const quantization& in, const quantization& weights,
                                             const quantization& out) {
        if (!weights.per_tensor()) return effective_scales(in, weights, out);
        const float product = in.scale() * weights.scale();
        return {static_cast<double>(product) / static_cast<double>(out.scale())};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
