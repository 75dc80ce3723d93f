// transpose: axis k of the output is axis perm[k] of the input.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/transpose.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct transpose : op_of<transpose> {
    static constexpr const char* op_name = "transpose";

    std::vector<std::int32_t> perm;

    template <class V>
    void fields(V&& v) {
        v("perm", perm);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const shape& in = c.input_shape(0);
        if (perm.size() != in.size()) {
            return fail(errc::bad_file, perm.size(), " axes for ", text_of(in));
        }
        std::vector<bool> seen(in.size(), false);
        shape out;
        for (std::int32_t axis : perm) {
            if (axis < 0 || static_cast<std::size_t>(axis) >= in.size() ||
                seen[static_cast<std::size_t>(axis)]) {
                return fail(errc::bad_file, "axis ", axis, " of ", text_of(in),
                            " does not exist or comes twice");
            }
            seen[static_cast<std::size_t>(axis)] = true;
            out.push_back(in[static_cast<std::size_t>(axis)]);
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        // Where only dimensions of one move, the elements stay.
        std::int32_t last = -1;
        bool stays = true;
        for (std::int32_t axis : perm) {
            if (in[static_cast<std::size_t>(axis)] == dim(1)) continue;
            stays = stays && axis > last;
            last = axis;
        }
        if (stays) {
            c.emit<copy>({}, {c.in(0)}, {c.out()}, {{overlap::kind::same_place, 0}});
            return {};
        }
        if (in.size() > max_rank) {
            return fail(errc::unsupported, "rank ", in.size(), ", needed at most ", max_rank);
        }
        transpose_params p;
        const std::size_t lead = max_rank - in.size();
        for (std::size_t i = 0; i < perm.size(); ++i) {
            p.perm[lead + i] = static_cast<std::int32_t>(lead) + perm[i];
        }
        c.emit<kompakt::transpose>(p, {c.in(0)}, {c.out()});
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r;
        r.how = quantization_rule::kind::same_scale;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
