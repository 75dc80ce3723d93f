// if: input 0 is a condition (one bool), the others go to one of two blocks, whose outputs are the
// node's. Values keep their bytes: scales and zero points are not compared.
#pragma once

#include <kompakt/graph/ops/block.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct if_op : op_of<if_op> {
    static constexpr const char* op_name = "if";

    block then_block, else_block;

    template <class V>
    void fields(V&&) {}

    bool has_blocks() const override { return true; }

    status infer(inference& c) const override {
        if (c.inputs() < 1 || !c.has_input(0)) return fail(errc::bad_file, "needs a condition");
        KOMPAKT_TRY(c.expect(c.inputs(), c.inputs(), c.outputs()));
        KOMPAKT_TRY(check_condition(c.input(0)));
        KOMPAKT_TRY(check_block(c, then_block, "then", 1));
        KOMPAKT_TRY(check_block(c, else_block, "else", 1));
        if (then_block->outputs.size() != c.outputs() ||
            else_block->outputs.size() != c.outputs()) {
            return fail(errc::bad_file, "blocks give ", then_block->outputs.size(), " and ",
                        else_block->outputs.size(), " values, needed ", c.outputs());
        }
        for (std::size_t i = 0; i < c.outputs(); ++i) {
            const graph_tensor& one = then_block->tensor(then_block->outputs[i]);
            const graph_tensor& other = else_block->tensor(else_block->outputs[i]);
            if (one.type != other.type || one.shape != other.shape) {
                return fail(errc::unsupported, "output ", i, " is ", text_of_value(one), " or ",
                            text_of_value(other));
            }
            c.set_output(i, one.type, one.shape);
        }
        return {};
    }

    //     jump_unless condition to otherwise
    //     then …; jump to end
    //     otherwise: else …
    //     end:
    status lower(lowering& c) const override {
        std::vector<std::uint32_t> inputs, outputs;
        for (std::size_t i = 1; i < c.inputs(); ++i) inputs.push_back(c.in(i));
        for (std::size_t i = 0; i < c.outputs(); ++i) {
            outputs.push_back(c.out(i));
            c.rewrite(c.out(i));
        }
        const std::size_t branch = c.ops();
        c.emit<jump_unless>({}, {c.in(0)}, {});
        KOMPAKT_TRY(lower_branch(c, *then_block, inputs, outputs).within("then: "));
        const std::size_t leave = c.ops();
        c.emit<jump>({}, {}, {});
        c.aim(branch, c.ops());
        KOMPAKT_TRY(lower_branch(c, *else_block, inputs, outputs).within("else: "));
        c.aim(leave, c.ops());
        return {};
    }

    // As if both were run.
    std::uint64_t macs(const inference&) const override {
        return block_macs(then_block) + block_macs(else_block);
    }

  private:
    static status lower_branch(lowering& c, const graph& b,
                               const std::vector<std::uint32_t>& inputs,
                               const std::vector<std::uint32_t>& outputs) {
        const auto made = lower_block(c, b, inputs, outputs);
        if (!made.ok()) return made.error();
        for (std::size_t i = 0; i < outputs.size(); ++i) assign(c, made->outputs[i], outputs[i]);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
