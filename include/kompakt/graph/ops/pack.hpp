// pack: inputs of one shape side by side along a new axis.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/concatenation.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct pack : op_of<pack> {
    static constexpr const char* op_name = "pack";

    std::int32_t axis = 0; // of the output; below zero: from its end

    template <class V>
    void fields(V&& v) {
        v("axis", axis);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, max_joined, 1));
        shape out = c.input_shape(0);
        for (std::size_t i = 1; i < c.inputs(); ++i) {
            if (!c.has_input(i)) return fail(errc::bad_file, "input ", i, " is missing");
            if (c.input(i).type != c.input(0).type || c.input_shape(i) != out) {
                return fail(errc::bad_file, "input ", i, ": ", name_of(c.input(i).type), " ",
                            text_of(c.input_shape(i)), " beside ", name_of(c.input(0).type), " ",
                            text_of(out));
            }
        }
        const auto along = axis_of(axis, out.size() + 1);
        if (!along.ok()) return along.error();
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(*along),
                   dim(static_cast<std::int64_t>(c.inputs())));
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    // A concatenation of the inputs seen with one more dimension.
    status lower(lowering& c) const override {
        const shape& out = c.output().shape;
        KOMPAKT_TRY(expect_movable_rank(out));
        const std::size_t along = *axis_of(axis, out.size());
        std::vector<std::int32_t> dims = dims_of(out);
        dims[along] = 1;
        std::vector<std::uint32_t> parts;
        for (std::size_t i = 0; i < c.inputs(); ++i) {
            parts.push_back(c.temporary(c.input(i).type, dims));
            c.emit<copy>({}, {c.in(i)}, {parts.back()}, {{overlap::kind::same_place, 0}});
        }
        emit_joined(c, along, std::move(parts), {c.inputs(), dims}, c.out());
        return {};
    }

    std::vector<constant> fold(const inference& c) const override { return fold_joined(c); }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
