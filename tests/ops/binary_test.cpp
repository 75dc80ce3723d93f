// What operators of two inputs, comparisons and reductions refuse, with the reason, and what
// kernels refuse to run.
#include "add_n_spec.hpp"
#include "all_specs.hpp"
#include "arg_extreme_spec.hpp"
#include "comparison_spec.hpp"
#include "div_spec.hpp"
#include "extreme_spec.hpp"
#include "l2_normalization_spec.hpp"
#include "mean_spec.hpp"
#include "one_node.hpp"
#include "prelu_spec.hpp"
#include "reduce_extreme_spec.hpp"
#include "run.hpp"
#include "squared_difference_spec.hpp"

#include <kompakt/graph/ops/add_n.hpp>
#include <kompakt/graph/ops/arg_extreme.hpp>
#include <kompakt/graph/ops/broadcast_args.hpp>
#include <kompakt/graph/ops/comparison.hpp>
#include <kompakt/graph/ops/cumsum.hpp>
#include <kompakt/graph/ops/div.hpp>
#include <kompakt/graph/ops/extreme.hpp>
#include <kompakt/graph/ops/floor_div.hpp>
#include <kompakt/graph/ops/floor_mod.hpp>
#include <kompakt/graph/ops/l2_normalization.hpp>
#include <kompakt/graph/ops/logical.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/prelu.hpp>
#include <kompakt/graph/ops/reduce_extreme.hpp>
#include <kompakt/graph/ops/select.hpp>
#include <kompakt/graph/ops/squared_difference.hpp>
#include <kompakt/graph/ops/sum.hpp>

#include <doctest/doctest.h>

using namespace kompakt;
using namespace kompakt_test;

namespace {

// Why a graph of one operator is refused; empty: it is not.
template <class Op>
std::string refusal(Op op, const std::vector<operand>& in, std::optional<quantization> out = {}) {
    case_builder b("");
    std::vector<tensor_id> ids;
    for (const operand& o : in) ids.push_back(b.input(o.type, o.dims, o.q));
    const op_case c = b.finish(std::move(op), std::move(ids), std::move(out));
    if (!c.name.empty()) return c.name;
    const auto p = lower(c.g);
    return p.ok() ? std::string() : p.error().message();
}

} // namespace

TEST_CASE("binary operators refuse by reason") {
    const operand f{dtype::f32, {2}}, i32{dtype::i32, {2}}, i64{dtype::i64, {2}},
        flag{dtype::boolean, {2}}, i8{dtype::i8, {2}, affine(0.1f)},
        i16{dtype::i16, {2}, affine(0.1f)};
    CHECK(refusal(ops::div{}, {f, f}) == "");
    CHECK(has(refusal(ops::div{}, {i16, i16}, affine(0.1f)), "input int16, needed"));
    CHECK(has(refusal(ops::div{}, {f, i32}), "needed one type"));
    CHECK(has(refusal(ops::mul{}, {i64, i64}), "input int64, needed"));
    CHECK(has(refusal(ops::mul{}, {{dtype::i32, {2}, affine(1)}, i32}), "int32 with a scale"));
    CHECK(has(refusal(ops::mul{}, {i32, i32}, affine(1)), "output: int32 with a scale"));
    CHECK(has(refusal(ops::floor_div{}, {i32, i32}), "needed float32"));
    CHECK(has(refusal(ops::floor_mod{}, {i8, i8}, affine(0.1f)), "needed float32"));
    CHECK(has(refusal(ops::squared_difference{}, {i64, i64}), "input int64"));
    CHECK(has(
        refusal(ops::squared_difference{}, {{dtype::i16, {2}, affine(0.1f, 1)}, i16}, affine(0.1f)),
        "zero point 1, needed 0"));
    CHECK(refusal(ops::maximum{}, {i8, i8}, affine(0.1f)) == "");
    CHECK(has(refusal(ops::maximum{}, {i8, i8}, affine(0.2f)), "needed that of the output"));
    CHECK(has(refusal(ops::minimum{}, {i8, {dtype::i8, {2}, affine(0.1f, 1)}}, affine(0.1f)),
              "input 1: scale 0.1, zero point 1, needed that of the output"));
    CHECK(has(refusal(ops::maximum{}, {flag, flag}), "input bool"));
    CHECK(has(refusal(ops::logical_and{}, {f, f}), "needed bool"));
    CHECK(has(refusal(ops::logical_not{}, {i8}, affine(0.1f)), "needed bool"));
    CHECK(has(refusal(ops::greater{}, {i16, i16}), "input int16, needed float32, int8"));
    CHECK(has(refusal(ops::less{}, {flag, flag}), "input bool, needed"));
    CHECK(refusal(ops::equal{}, {flag, flag}) == "");
    CHECK(has(refusal(ops::equal{}, {{dtype::i8, {2}}, i8}), "no scale"));
    CHECK(has(refusal(ops::equal{}, {i32, {dtype::i32, {3}}}), "do not broadcast"));
    CHECK(has(refusal(ops::select{}, {f, f, f}), "condition float32, needed bool"));
    CHECK(has(refusal(ops::select{}, {flag, f, i32}), "needed one type"));
    CHECK(has(refusal(ops::select{}, {flag, i8, i8}, affine(0.2f)), "needed that of the output"));
    CHECK(has(refusal(ops::select{}, {{dtype::boolean, {3}}, f, f}), "do not broadcast"));
    CHECK(has(refusal(ops::prelu{}, {i16, i16}, affine(0.1f)), "int16 slopes"));
    CHECK(has(refusal(ops::prelu{}, {i32, i32}), "input int32"));
    CHECK(has(refusal(ops::add_n{}, {f}), "needed 2 to"));
    CHECK(has(refusal(ops::add_n{}, {f, {dtype::f32, {1}}}), "[1] beside [2]"));
    CHECK(has(refusal(ops::add_n{}, {i16, i16}, affine(0.1f)), "needed float32 or int8"));
    CHECK(has(refusal(ops::add_n{}, {i8, {dtype::i8, {2}, affine(0.2f)}}, affine(0.1f)),
              "needed that of the first"));
    CHECK(has(refusal(ops::broadcast_args{}, {f, f}), "needed int32 or int64"));
    CHECK(has(refusal(ops::broadcast_args{}, {{dtype::i32, {1, 2}}, i32}), "needed rank 1"));
}

TEST_CASE("reductions and operators along an axis refuse by reason") {
    const operand f{dtype::f32, {2, 3}}, i32{dtype::i32, {2, 3}}, flag{dtype::boolean, {2, 3}},
        i8{dtype::i8, {2, 3}, affine(0.1f)};
    ops::sum sum;
    sum.axes = {2};
    CHECK(has(refusal(sum, {f}), "axis 2 of [2, 3]"));
    sum.axes = {-3};
    CHECK(has(refusal(sum, {f}), "axis -3"));
    sum.axes = {1};
    CHECK(has(refusal(sum, {i32}), "int32 input, needed"));
    CHECK(has(refusal(sum, {i8}), "no scale"));
    CHECK(has(refusal(ops::mean{}, {flag}), "bool input, needed"));
    CHECK(has(refusal(ops::reduce_max{}, {i8}, affine(0.3f)), "needed that of the output"));
    CHECK(has(refusal(ops::reduce_min{}, {flag}), "input bool"));
    CHECK(has(refusal(ops::reduce_all{}, {i8}, affine(0.1f)), "needed bool"));
    CHECK(has(refusal(ops::reduce_any{}, {f}), "needed bool"));
    ops::arg_max arg;
    arg.axis = 2;
    CHECK(has(refusal(arg, {f}), "axis 2 of [2, 3]"));
    CHECK(has(refusal(ops::arg_min{}, {{dtype::f32, {}}}), "needed rank 1 to 6"));
    CHECK(has(refusal(ops::arg_min{}, {{dtype::u8, {2}}}), "input uint8"));
    ops::cumsum cumsum;
    cumsum.axis = -3;
    CHECK(has(refusal(cumsum, {f}), "axis -3"));
    cumsum.axis = 0;
    CHECK(has(refusal(cumsum, {i32}), "needed float32 or int8"));
    CHECK(has(refusal(cumsum, {i8}, affine(1e-8f)), "needed an output scale above"));
    CHECK(has(refusal(ops::l2_normalization{}, {i8}, affine(0.1f)), "needed 1/128 and 0"));
    CHECK(has(refusal(ops::l2_normalization{}, {{dtype::f32, {}}}), "a scalar"));
}

// Parameters and shapes of a broken .kpk.
TEST_CASE("kernels of two inputs and reductions refuse what they cannot run") {
    const auto broken = [](const op_spec& spec, std::size_t number, std::size_t word,
                           std::uint32_t value) {
        auto p = lower(spec.cases[number].g);
        REQUIRE(p.ok());
        REQUIRE(word < p->ops[0].params.size());
        p->ops[0].params[word] = value;
        kompakt::detail::program_builder tables(*p);
        const kernel_entry* k = kernels_of<portable>().find(tables.ops[0].kernel);
        const program code = tables.code();
        const status s = k->check(call(code, tables.ops[0], nullptr));
        return s.ok() ? std::string() : std::string(s.message());
    };
    CHECK(has(broken(maximum_spec(), 0, 0, 2), "smallest is 2"));
    CHECK(has(broken(maximum_spec(), 1, 0, 2), "smallest is 2"));
    CHECK(has(broken(equal_spec(), 0, 0, 7), "inverted is 7"));
    CHECK(has(broken(less_spec(), 1, 0, 200), "zero point 200"));
    CHECK(has(broken(div_spec(), 0, 3, 31), "shift 31"));
    CHECK(has(broken(squared_difference_spec(), 0, 3, 0x80000000u), "shift"));
    CHECK(has(broken(prelu_spec(), 1, 1, 300), "slope zero point 300"));
    CHECK(has(broken(add_n_spec(), 1, 0, 128), "zero point 128"));
    CHECK(has(broken(sum_spec(), 0, 0, 64), "axes 64"));
    CHECK(has(broken(reduce_max_spec(), 0, 1, 3), "smallest is 3"));
    CHECK(has(broken(reduce_all_spec(), 0, 0, 0x80000000u), "axes -2147483648"));
    CHECK(has(broken(arg_max_spec(), 0, 0, 1), "axis 1 of rank 1"));
    CHECK(has(broken(cumsum_spec(), 0, 0, 0xffffffffu), "axis -1 of rank 1"));
    CHECK(has(broken(l2_normalization_spec(), 1, 0, 1000), "zero point 1000"));
}
