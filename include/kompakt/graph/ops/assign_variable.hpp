// assign_variable: gives a state (input 0) the value of input 1. No output.
#pragma once

#include <kompakt/graph/op.hpp>
#include <kompakt/kernel/copy.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct assign_variable : op_of<assign_variable> {
    static constexpr const char* op_name = "assign_variable";

    template <class V>
    void fields(V&&) {}

    std::vector<std::size_t> updates() const override { return {0}; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 0));
        const graph_tensor &to = c.input(0), &from = c.input(1);
        if (to.type == from.type && to.shape == from.shape) return {};
        return fail(errc::unsupported, "variable ", name_of(to.type), " ", text_of(to.shape),
                    " gets ", name_of(from.type), " ", text_of(from.shape));
    }
    status lower(lowering& c) const override {
        c.emit<copy>({}, {c.in(1)}, {c.in(0)});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
