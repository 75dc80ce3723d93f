// zeros_like: zero bytes of the input's type and shape, whatever its values and scale.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct zeros_like : op_of<zeros_like> {
    static constexpr const char* op_name = "zeros_like";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        c.set_output(0, c.input(0).type, c.input_shape(0));
        return {};
    }

    status lower(lowering& c) const override {
        const std::vector<std::byte> zero(bits_of(c.output().type) / 8);
        strided_map m;
        for (const dim& d : c.output().shape) m.levels.push_back({d.value(), 0});
        return emit_strided(c, std::move(m),
                            c.constant_operand(make_constant_bytes(c.output().type, {},
                                                                   {zero.data(), zero.size()})),
                            1, c.out());
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
