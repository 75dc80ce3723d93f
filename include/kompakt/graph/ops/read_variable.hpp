// read_variable: the value that a state has at this point of the run.
#pragma once

#include <kompakt/graph/op.hpp>
#include <kompakt/kernel/copy.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct read_variable : op_of<read_variable> {
    static constexpr const char* op_name = "read_variable";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        if (!c.input(0).state) return fail(errc::bad_file, "input 0 is no state");
        c.set_output(0, c.input(0).type, c.input_shape(0));
        return {};
    }
    status lower(lowering& c) const override {
        c.emit<copy>({}, {c.in(0)}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
