// broadcast_to: the input repeated along dimensions of one, and leading ones that it lacks.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct broadcast_to : op_of<broadcast_to> {
    static constexpr const char* op_name = "broadcast_to";

    kompakt::shape target;

    template <class V>
    void fields(V&& v) {
        v("target", target);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const kompakt::shape& in = c.input_shape(0);
        KOMPAKT_TRY(expect_known(in));
        KOMPAKT_TRY(expect_known(target));
        bool fits = in.size() <= target.size();
        for (std::size_t i = 1; fits && i <= in.size(); ++i) {
            const dim &from = in[in.size() - i], &to = target[target.size() - i];
            fits = from == to || from == dim(1);
        }
        for (const dim& d : target) fits = fits && d.value() >= 1;
        if (!fits) {
            return fail(errc::bad_file, text_of(in), " does not broadcast to ", text_of(target));
        }
        c.set_output(0, c.input(0).type, target);
        return {};
    }

    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(target));
        return emit_strided(c, map(c.input(0).shape));
    }

    std::vector<constant> fold(const inference& c) const override {
        const auto n = element_count(target);
        if (!foldable(c.input(0)) || !n.ok() || *n > 64) return {};
        return {fold_strided(c, map(c.input_shape(0)))};
    }

    status gradient(differentiation& d) const override {
        give_broadcast(d, 0, d.gradient());
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    strided_map map(const kompakt::shape& from) const {
        const strided_map in = strided_map::of(from);
        strided_map m;
        const std::size_t lead = target.size() - in.levels.size();
        for (std::size_t i = 0; i < target.size(); ++i) {
            const bool moves = i >= lead && in.levels[i - lead].count != 1;
            m.levels.push_back({target[i].value(), moves ? in.levels[i - lead].step : 0});
        }
        return m;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
