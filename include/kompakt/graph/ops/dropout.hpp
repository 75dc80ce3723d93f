// dropout: the input while a model runs; while it trains, elements are dropped at `rate` and the
// others scaled by 1 / (1 - rate) (kernel/dropout.hpp). The last input is then the step.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/dropout.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct dropout : op_of<dropout> {
    static constexpr const char* op_name = "dropout";

    float rate = 0.5f;
    std::int32_t seed = 0, stream = 0; // layers of one model need streams of their own
    bool training = false;

    template <class V>
    void fields(V&& v) {
        v("rate", rate), v("seed", seed), v("stream", stream), v("training", training);
    }
    void enter_training() override { training = true; }
    bool draws_numbers() const override { return training; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(training ? 2 : 1, training ? 2 : 1, 1));
        if (!(rate >= 0.0f && rate < 1.0f)) {
            return fail(errc::bad_argument, "rate is not from 0 to below 1");
        }
        c.set_output(0, c.input(0).type, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        if (!training) return emit_strided(c, strided_map::of(c.input(0).shape));
        c.emit<dropout_f32>({rate, seed, stream}, {c.in(0), c.in(1)}, {c.out()},
                            {{overlap::kind::same_place, 0}});
        return {};
    }
    quantization_rule quantize_rule() const override { return same_scale_rule(); }
    status gradient(differentiation& d) const override {
        d.give(0, training ? d.add(*this, {d.gradient(), d.in(1)}) : d.gradient());
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
