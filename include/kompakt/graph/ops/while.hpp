// while: the inputs are values that a body replaces for as long as a condition block says so; the
// outputs are the last ones. How often is up to the model: a run may never end.
#pragma once

#include <kompakt/graph/ops/block.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct while_op : op_of<while_op> {
    static constexpr const char* op_name = "while";

    block condition, body;

    template <class V>
    void fields(V&&) {}

    bool has_blocks() const override { return true; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(c.inputs(), c.inputs(), c.inputs()));
        KOMPAKT_TRY(check_block(c, condition, "condition", 0));
        KOMPAKT_TRY(check_block(c, body, "body", 0));
        if (condition->outputs.size() != 1 || body->outputs.size() != c.outputs()) {
            return fail(errc::bad_file, "condition gives ", condition->outputs.size(),
                        " values, body ", body->outputs.size(), ", needed 1 and ", c.outputs());
        }
        KOMPAKT_TRY(check_condition(condition->tensor(condition->outputs[0])));
        for (std::size_t i = 0; i < c.outputs(); ++i) {
            const graph_tensor& next = body->tensor(body->outputs[i]);
            if (next.type != c.input(i).type || next.shape != c.input(i).shape) {
                return fail(errc::unsupported, "value ", i, " is ", text_of_value(c.input(i)),
                            " before and ", text_of_value(next), " after the body");
            }
            c.set_output(i, next.type, next.shape);
        }
        return {};
    }

    //     values = inputs
    //     again: condition …; jump_unless to end
    //     body …; values = what it gave; jump to again
    //     end:
    status lower(lowering& c) const override {
        std::vector<std::uint32_t> values;
        for (std::size_t i = 0; i < c.outputs(); ++i) {
            values.push_back(c.out(i));
            c.rewrite(c.out(i));
        }
        for (std::size_t i = 0; i < values.size(); ++i) assign(c, c.in(i), values[i]);
        const std::size_t again = c.ops();
        const auto test = lower_block(c, *condition, values, {});
        if (!test.ok()) return test.error().within("condition: ");
        const std::size_t leave = c.ops();
        c.emit<jump_unless>({}, {test->outputs[0]}, {});
        const auto next = lower_block(c, *body, values, {});
        if (!next.ok()) return next.error().within("body: ");
        std::vector<std::uint32_t> from = next->outputs;
        for (std::size_t i = 0; i < from.size(); ++i) {
            // One value becomes another: it is read before anything is replaced.
            if (from[i] == values[i] ||
                std::find(values.begin(), values.end(), from[i]) == values.end()) {
                continue;
            }
            const std::uint32_t kept = c.temporary(c.output(i).type, dims_of(c.output(i)));
            assign(c, from[i], kept);
            from[i] = kept;
        }
        for (std::size_t i = 0; i < from.size(); ++i) assign(c, from[i], values[i]);
        const std::size_t back = c.ops();
        c.emit<jump>({}, {}, {});
        c.aim(back, again);
        c.aim(leave, c.ops());
        return {};
    }

    // Of one round.
    std::uint64_t macs(const inference&) const override {
        return block_macs(condition) + block_macs(body);
    }

  private:
    static std::vector<std::int32_t> dims_of(const graph_tensor& t) {
        std::vector<std::int32_t> dims;
        for (const dim& d : t.shape) dims.push_back(static_cast<std::int32_t>(d.value()));
        return dims;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
