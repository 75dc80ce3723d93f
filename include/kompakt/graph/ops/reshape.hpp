// reshape: the same elements under another shape, in which one dimension may be left open.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct reshape : op_of<reshape> {
    static constexpr const char* op_name = "reshape";

    // Numbers; -1 for at most one dimension, which follows from the others; or symbols of the
    // input, which stand for themselves and, once bound, count as open.
    kompakt::shape target;

    template <class V>
    void fields(V&& v) {
        v("target", target);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const kompakt::shape& in = c.input_shape(0);
        const auto bad = [&](const auto&... parts) {
            return fail(errc::bad_file, "from ", text_of(in), " to ", text_of(target), parts...);
        };
        // Symbols that both have are equal on both sides; what remains must be equal as numbers,
        // with at most one open dimension.
        std::uint64_t has = 1, needs = 1;
        std::vector<dim> symbols;
        for (const dim& d : in) {
            if (!d.known()) {
                symbols.push_back(d);
            } else if (d.value() < 1 ||
                       !checked_mul(has, static_cast<std::uint64_t>(d.value()), has)) {
                return bad(": input is empty or too large");
            }
        }
        kompakt::shape out = target;
        dim* open = nullptr;
        for (dim& d : out) {
            if (!d.known()) {
                const auto same = std::find(symbols.begin(), symbols.end(), d);
                if (same != symbols.end()) {
                    symbols.erase(same);
                    continue;
                }
            } else if (d.value() != -1) {
                if (d.value() < 1 ||
                    !checked_mul(needs, static_cast<std::uint64_t>(d.value()), needs)) {
                    return bad(": dimensions must be -1, or 1 or more");
                }
                continue;
            }
            if (open != nullptr) return bad(": more than one open dimension");
            open = &d;
        }
        if (!symbols.empty()) {
            if (open == nullptr || symbols.size() > 1 || has != needs) {
                return fail(errc::bad_argument, "from ", text_of(in), " to ", text_of(target),
                            ": dimension ", symbols[0].symbol(), " has no value; bind it first");
            }
            *open = symbols[0];
        } else if (open != nullptr) {
            if (has % needs != 0) return bad(": not the same number of elements");
            *open = dim(static_cast<std::int64_t>(has / needs));
        } else if (has != needs) {
            return bad(": not the same number of elements");
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        return emit_strided(c, strided_map::of(c.input(0).shape));
    }

    std::vector<constant> fold(const inference& c) const override {
        if (!foldable(c.input(0))) return {};
        constant same = *c.input(0).value;
        same.shape = c.output(0).shape;
        return {std::move(same)};
    }

    status gradient(differentiation& d) const override {
        reshape o;
        o.target = d.in_shape(0);
        d.give(0, d.add(o, {d.gradient()}));
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
