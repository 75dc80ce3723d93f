// loss: prediction [..., depth], labels int32 [...] or targets like the prediction, optional
// weights [depth] -> {sum of losses, what a mean divides it by} [2], and the gradient of the sum by
// the prediction (kernel/loss.hpp).
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/loss.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct loss : op_of<loss> {
    static constexpr const char* op_name = "loss";

    loss_params params;

    template <class V>
    void fields(V&& v) {
        auto number = static_cast<std::int32_t>(params.kind);
        v("kind", number), v("smoothing", params.smoothing), v("parameter", params.parameter);
        params.kind = static_cast<loss_kind>(number);
    }
    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 3, 2));
        if (c.input_shape(0).empty()) {
            return fail(errc::unsupported, "prediction: needed rank 1 at least, given a scalar");
        }
        c.set_output(0, dtype::f32, {dim(2)});
        c.set_output(1, dtype::f32, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        if (c.input(0).type != dtype::f32) return refuse_type(c, "float32");
        c.emit<loss_f32>(params, {c.in(0), c.in(1), c.in(2)}, {c.out(0), c.out(1)});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
