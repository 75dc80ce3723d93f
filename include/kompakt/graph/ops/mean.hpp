// mean: the mean over some axes of an input of rank 1 to 6.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/mean.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct mean : op_of<mean> {
    static constexpr const char* op_name = "mean";

    std::vector<std::int32_t> axes; // negative ones count from the last; twice is once
    bool keep_dims = false;         // averaged axes stay, with extent 1

    template <class V>
    void fields(V&& v) {
        v("axes", axes), v("keep_dims", keep_dims);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const shape& in = c.input_shape(0);
        std::vector<bool> averaged;
        KOMPAKT_TRY(resolve(in, averaged));
        shape out;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (!averaged[i]) {
                out.push_back(in[i]);
            } else if (keep_dims) {
                out.push_back(dim(1));
            }
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &out = c.output();
        std::vector<bool> averaged;
        KOMPAKT_TRY(resolve(in.shape, averaged));
        std::int32_t mask = 0;
        std::int64_t count = 1;
        for (std::size_t i = 0; i < averaged.size(); ++i) {
            if (!averaged[i]) continue;
            mask |= 1 << (averaged.size() - 1 - i);
            count *= in.shape[i].value();
        }
        // Output i needs inputs from i on only: an axis that goes makes every later one denser.
        const std::vector<overlap> overlaps = {{overlap::kind::same_place, 0}};
        if (in.type == dtype::f32 && out.type == dtype::f32) {
            c.emit<mean_f32>({mask}, {c.in(0)}, {c.out()}, overlaps);
            return {};
        }
        if (in.type != dtype::i8 || out.type != dtype::i8) {
            return fail(errc::unsupported, name_of(in.type), " input, ", name_of(out.type),
                        " output");
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        KOMPAKT_TRY(expect_per_tensor(out, "output"));
        const multiplier m =
            mean_multiplier(quantize_multiplier(static_cast<double>(in.quantization->scale()) /
                                                static_cast<double>(out.quantization->scale())),
                            count);
        c.emit<mean_i8>(
            {mask, in.quantization->zero_point(), m.q31, m.shift, out.quantization->zero_point()},
            {c.in(0)}, {c.out()}, overlaps);
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r;
        r.how = quantization_rule::kind::free;
        return r;
    }

  private:
    status resolve(const shape& in, std::vector<bool>& averaged) const {
        const auto rank = static_cast<std::int64_t>(in.size());
        if (rank < 1 || in.size() > max_rank) {
            return fail(errc::unsupported, "input ", text_of(in), ", needed rank 1 to ", max_rank);
        }
        averaged.assign(in.size(), false);
        for (std::int32_t axis : axes) {
            if (axis < -rank || axis >= rank) {
                return fail(errc::bad_file, "axis ", axis, " of ", text_of(in));
            }
            averaged[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
        }
        return {};
    }
    // m / count with a division that truncates (docs/arithmetic.md 8); the mantissa is shifted up
    // first, as far as the shift's range allows.
    static multiplier mean_multiplier(const multiplier& m, std::int64_t count) noexcept {
        int up = 0;
        while (up < 32 && count >> (up + 1) != 0) ++up;
        up = (std::min)(up, 31 + m.shift);
        return {static_cast<std::int32_t>((std::int64_t{m.q31} << up) / count), m.shift - up};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
