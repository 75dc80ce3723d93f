// split: the input cut along one axis, one output a part.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct split : op_of<split> {
    static constexpr const char* op_name = "split";

    std::int32_t axis = 0;           // below zero: from the end
    std::vector<std::int32_t> sizes; // of the parts, one of which may be -1: what is left; empty:
                                     // as many equal parts as there are outputs

    template <class V>
    void fields(V&& v) {
        v("axis", axis), v("sizes", sizes);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, c.outputs()));
        const shape& in = c.input_shape(0);
        std::vector<std::int64_t> parts;
        KOMPAKT_TRY(resolve(in, c.outputs(), parts));
        const std::size_t along = *axis_of(axis, in.size());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            shape out = in;
            out[along] = dim(parts[i]);
            c.set_output(i, c.input(0).type, std::move(out));
        }
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        std::vector<std::int64_t> parts;
        KOMPAKT_TRY(resolve(in, c.outputs(), parts));
        std::int64_t from = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            strided_map m = strided_map::of(in);
            m.take(*axis_of(axis, in.size()), from, 1, parts[i]);
            KOMPAKT_TRY(emit_strided(c, std::move(m), i));
            from += parts[i];
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    status resolve(const shape& in, std::size_t outputs, std::vector<std::int64_t>& parts) const {
        const auto along = axis_of(axis, in.size());
        if (!along.ok()) return along.error();
        KOMPAKT_TRY(expect_known(in[*along]));
        const std::int64_t whole = in[*along].value();
        const auto n = static_cast<std::int64_t>(outputs);
        if (sizes.empty()) {
            if (whole % n != 0) {
                return fail(errc::bad_file, whole, " elements in ", n, " equal parts");
            }
            parts.assign(outputs, whole / n);
            return {};
        }
        if (sizes.size() != outputs) {
            return fail(errc::bad_file, sizes.size(), " sizes for ", outputs, " outputs");
        }
        std::int64_t sum = 0;
        std::size_t open = outputs;
        for (std::size_t i = 0; i < outputs; ++i) {
            parts.push_back(sizes[i]);
            if (sizes[i] == -1 && open == outputs) {
                open = i;
            } else if (sizes[i] < 0) {
                return fail(errc::bad_file, "part ", i, " of ", sizes[i], " elements");
            } else {
                sum += sizes[i];
            }
        }
        if (open < outputs) parts[open] = whole - sum;
        if (sum > whole || (open == outputs && sum != whole)) {
            return fail(errc::bad_file, "parts of ", sum, " elements together, input has ", whole);
        }
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
