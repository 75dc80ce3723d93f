// Operators that move elements: shapes with symbols, everything that they refuse, with the reason,
// and parameters of their kernels that no lowering writes.
#include "one_node.hpp"

#include <kompakt/graph/ops/batch_to_space_nd.hpp>
#include <kompakt/graph/ops/broadcast_to.hpp>
#include <kompakt/graph/ops/depth_to_space.hpp>
#include <kompakt/graph/ops/dynamic_update_slice.hpp>
#include <kompakt/graph/ops/embedding_lookup.hpp>
#include <kompakt/graph/ops/gather.hpp>
#include <kompakt/graph/ops/gather_nd.hpp>
#include <kompakt/graph/ops/mirror_pad.hpp>
#include <kompakt/graph/ops/pack.hpp>
#include <kompakt/graph/ops/range.hpp>
#include <kompakt/graph/ops/resize_bilinear.hpp>
#include <kompakt/graph/ops/reverse.hpp>
#include <kompakt/graph/ops/shape.hpp>
#include <kompakt/graph/ops/slice.hpp>
#include <kompakt/graph/ops/space_to_batch_nd.hpp>
#include <kompakt/graph/ops/split.hpp>
#include <kompakt/graph/ops/strided_slice.hpp>
#include <kompakt/graph/ops/tile.hpp>
#include <kompakt/graph/ops/transpose.hpp>
#include <kompakt/graph/ops/unpack.hpp>

#include <doctest/doctest.h>

using namespace kompakt_test;

namespace {

const dim any_batch = dim::named("batch");
constexpr dtype f32 = dtype::f32, i32 = dtype::i32;
using list = std::vector<std::int32_t>;

std::uint32_t minus(int n) {
    return static_cast<std::uint32_t>(-n);
}

} // namespace

TEST_CASE("slices: symbols and refusals") {
    const auto sliced = [](const shape& in, list begin, list size) {
        ops::slice s;
        s.begin = std::move(begin), s.size = std::move(size);
        return one_node(s, {{f32, in}}).out();
    };
    CHECK(sliced({any_batch, 5}, {0, 1}, {-1, 3}) == "[batch, 3]");
    CHECK(has(sliced({any_batch, 5}, {0, 1}, {2, 3}), "bind it first"));
    CHECK(has(sliced({4, 5}, {1, 1}, {4, 3}), "4 elements from 1 on axis 0"));
    CHECK(has(sliced({4, 5}, {-1, 1}, {1, 3}), "from -1"));
    CHECK(has(sliced({4, 5}, {0, 0}, {-2, 3}), "-2 elements"));
    CHECK(has(sliced({4, 5}, {4, 0}, {-1, 3}), "output is empty"));
    CHECK(has(sliced({4, 5}, {0}, {1}), "1 beginnings and 1 sizes"));
    ops::slice late;
    late.size = {2, 3};
    CHECK(one_node(late, {{f32, {4, 5}}, {i32, {2}}}).out() == "[2, 3]");
    CHECK(has(one_node(late, {{f32, {4, 5}}, {i32, {3}}}).out(), "beginnings [3]"));
    CHECK(has(one_node(late, {{f32, {1, 5}}, {i32, {2}}}).out(), "2 elements"));
    CHECK(has(one_node(late, {{f32, {4, 5}}, {f32, {2}}}).refusal(), "indices float32"));

    const auto strided = [](const shape& in, list begin, list end, list strides,
                            std::int32_t ellipsis = 0, std::int32_t shrink = 0,
                            std::int32_t open = 0) {
        ops::strided_slice s;
        s.begin = std::move(begin), s.end = std::move(end), s.strides = std::move(strides);
        s.ellipsis_mask = ellipsis, s.shrink_axis_mask = shrink;
        s.begin_mask = s.end_mask = open;
        return one_node(s, {{f32, in}}).out();
    };
    CHECK(strided({any_batch, 5}, {0, 1}, {0, 4}, {1, 2}, 0, 0, 1) == "[batch, 2]");
    CHECK(strided({any_batch, 4, 5}, {0, 1}, {0, 4}, {1, 2}, 1) == "[batch, 4, 2]");
    CHECK(has(strided({any_batch, 5}, {0}, {2}, {1}), "bind it first"));
    CHECK(has(strided({5}, {0}, {2}, {0}), "stride 0"));
    CHECK(has(strided({5}, {1}, {2}, {-1}, 0, 1), "takes one element"));
    CHECK(has(strided({5}, {5}, {6}, {1}, 0, 1), "element 5 of axis 0"));
    CHECK(has(strided({5}, {3}, {3}, {1}), "output is empty"));
    CHECK(has(strided({5}, {0, 0}, {1, 1}, {1, 1}), "2 axes and 0 ellipses"));
    CHECK(has(strided({5}, {0, 0}, {1, 1}, {1, 1}, 3), "2 ellipses"));
    CHECK(has(strided({5}, {0}, {1, 1}, {1}), "2 ends"));

    const auto split = [](const shape& in, std::int32_t axis, list sizes) {
        ops::split s;
        s.axis = axis, s.sizes = std::move(sizes);
        return one_node(s, {{f32, in}}).out();
    };
    CHECK(split({any_batch, 4}, -1, {}) == "[batch, 4]");
    CHECK(split({any_batch, 4}, -1, {-1}) == "[batch, 4]");
    CHECK(has(split({any_batch, 4}, 0, {}), "bind it first"));
    CHECK(has(split({4}, 1, {}), "axis 1 of rank 1"));
    CHECK(has(split({4}, 0, {3}), "parts of 3 elements"));
    CHECK(has(split({4}, 0, {-2}), "part 0 of -2"));
    CHECK(has(split({4}, 0, {2, 2}), "2 sizes for 1 outputs"));
    ops::unpack unpack;
    CHECK(has(one_node(unpack, {{f32, {4}}}).out(), "1 outputs for axis 0"));
    CHECK(has(one_node(unpack, {{f32, {}}}).out(), "axis 0 of rank 0"));
    CHECK(one_node(unpack, {{f32, {1, any_batch}}}).out() == "[batch]");
}

TEST_CASE("repetitions and mirrors: symbols and refusals") {
    const auto tiled = [](const shape& in, list multiples) {
        ops::tile t;
        t.multiples = std::move(multiples);
        return one_node(t, {{f32, in}}).out();
    };
    CHECK(tiled({any_batch, 3}, {1, 2}) == "[batch, 6]");
    CHECK(has(tiled({any_batch, 3}, {2, 2}), "bind it first"));
    CHECK(has(tiled({3}, {0}), "multiple 0"));
    CHECK(has(tiled({3}, {1, 1}), "2 multiples"));
    CHECK(has(tiled({65536, 65536 / 4}, {2, 2}), "2147483647"));

    const auto broadcast = [](const shape& in, const shape& to) {
        ops::broadcast_to b;
        b.target = to;
        return one_node(b, {{f32, in}}).out();
    };
    CHECK(has(broadcast({2, 3}, {3}), "does not broadcast"));
    CHECK(has(broadcast({2}, {3}), "does not broadcast"));
    CHECK(has(broadcast({1}, {0}), "does not broadcast"));
    CHECK(has(broadcast({any_batch}, {2}), "bind it first"));

    const auto mirrored = [](const shape& in, list before, list after, bool reflect) {
        ops::mirror_pad p;
        p.before = std::move(before), p.after = std::move(after), p.reflect = reflect;
        return one_node(p, {{f32, in}}).out();
    };
    CHECK(mirrored({any_batch, 3}, {0, 2}, {0, 2}, true) == "[batch, 7]");
    CHECK(has(mirrored({3}, {3}, {0}, true), "needed 0 to 2"));
    CHECK(mirrored({3}, {3}, {0}, false) == "[6]");
    CHECK(has(mirrored({3}, {0}, {4}, false), "needed 0 to 3"));
    CHECK(has(mirrored({3}, {-1}, {0}, false), "needed 0 to 3"));
    CHECK(has(mirrored({3}, {}, {}, false), "pads for"));

    ops::reverse r;
    r.axes = {1, -1};
    CHECK(has(one_node(r, {{f32, {any_batch, 3}}}).out(), "twice"));
    r.axes = {2};
    CHECK(has(one_node(r, {{f32, {2, 3}}}).out(), "axis 2 of rank 2"));

    CHECK(has(one_node(ops::pack{}, {{f32, {2}}, {f32, {3}}}).out(), "beside"));
    CHECK(has(one_node(ops::pack{}, {{f32, {2}}, {i32, {2}}}).out(), "beside"));
    CHECK(one_node(ops::pack{}, {{f32, {any_batch}}, {f32, {any_batch}}}).out() == "[2, batch]");
}

TEST_CASE("blocks and resizes: refusals") {
    ops::space_to_depth s;
    s.block = 2;
    CHECK(one_node(s, {{f32, {any_batch, 4, 2, 3}}}).out() == "[batch, 2, 1, 12]");
    CHECK(has(one_node(s, {{f32, {1, 3, 2, 1}}}).out(), "blocks of 2"));
    CHECK(has(one_node(s, {{f32, {3, 2, 1}}}).out(), "needed rank 4"));
    s.block = 0;
    CHECK(has(one_node(s, {{f32, {1, 3, 2, 1}}}).out(), "block of 0"));
    ops::depth_to_space d;
    d.block = 2;
    CHECK(has(one_node(d, {{f32, {1, 3, 2, 6}}}).out(), "blocks of 2"));

    ops::space_to_batch_nd b;
    b.block = {2}, b.before = {0}, b.after = {0};
    CHECK(has(one_node(b, {{f32, {1, 3, 1}}}).out(), "blocks of 2 in 3"));
    b.after = {-1};
    CHECK(has(one_node(b, {{f32, {1, 3, 1}}}).out(), "pads 0 and -1"));
    b.block = {2, 2};
    CHECK(has(one_node(b, {{f32, {1, 3, 1}}}).out(), "2 blocks"));
    ops::batch_to_space_nd n;
    n.block = {2}, n.before = {0}, n.after = {0};
    CHECK(has(one_node(n, {{f32, {3, 3, 1}}}).out(), "block of 2"));
    n.after = {7};
    CHECK(has(one_node(n, {{f32, {2, 3, 1}}}).out(), "leave -1"));
    n.after = {6};
    CHECK(has(one_node(n, {{f32, {2, 3, 1}}}).out(), "empty"));

    ops::resize_bilinear r;
    r.size.height = r.size.width = 3;
    CHECK(one_node(r, {{f32, {any_batch, 2, 2, any_batch}}}).out() == "[batch, 3, 3, batch]");
    CHECK(
        has(one_node(r, {{dtype::i16, {1, 2, 2, 1}}}).refusal(), "int16, needed float32 or int8"));
    CHECK(has(one_node(r, {{f32, {1, any_batch, 2, 1}}}).out(), "bind it first"));
    CHECK(has(one_node(r, {{f32, {2, 2}}}).out(), "needed rank 4"));
    r.size.height = 0;
    CHECK(has(one_node(r, {{f32, {1, 2, 2, 1}}}).out(), "needed sides of 1"));
    r.size.height = 1 << 20;
    CHECK(has(one_node(r, {{f32, {1, 2, 2, 1}}}).out(), "needed sides of 1"));
    r.size.align_corners = r.size.half_pixel_centers = true;
    CHECK(has(one_node(r, {{f32, {1, 2, 2, 1}}}).out(), "at once"));
}

TEST_CASE("gathers: symbols and refusals") {
    ops::gather g;
    g.axis = 1;
    CHECK(one_node(g, {{f32, {any_batch, 4, 5}}, {i32, {2, 3}}}).out() == "[batch, 2, 3, 5]");
    CHECK(has(one_node(g, {{f32, {2, 4}}, {f32, {2}}}).out(), "indices float32"));
    CHECK(has(one_node(g, {{f32, {2}}, {i32, {2}}}).out(), "axis 1 of rank 1"));
    g.batch_dims = 1;
    CHECK(one_node(g, {{f32, {any_batch, 4}}, {i32, {any_batch, 3}}}).out() == "[batch, 3]");
    CHECK(has(one_node(g, {{f32, {2, 4}}, {i32, {3, 3}}}).out(), "batch dimensions of"));
    g.batch_dims = 2;
    CHECK(has(one_node(g, {{f32, {2, 4}}, {i32, {2, 4}}}).out(), "2 batch dimensions"));
    g.batch_dims = -3;
    CHECK(has(one_node(g, {{f32, {2, 4}}, {i32, {2, 4}}}).out(), "-3 batch dimensions"));
    g.batch_dims = 0;
    CHECK(has(one_node(g, {{f32, {1, 2, 1, 1, 1}}, {i32, {1, 2, 1}}}).out(), "rank 7"));
    CHECK(has(one_node(ops::gather_nd{}, {{f32, {2, 4}}, {i32, {3}}}).out(), "indices of 3"));
    CHECK(has(one_node(ops::gather_nd{}, {{f32, {2, 4}}, {i32, {}}}).out(), "scalar"));
    CHECK(has(one_node(ops::embedding_lookup{}, {{i32, {2}}, {f32, {4}}}).out(), "table"));
    CHECK(has(one_node(ops::embedding_lookup{}, {{i32, {2, 1}}, {f32, {4, 2}}}).out(), "rank 1"));
    const ops::dynamic_update_slice u;
    CHECK(one_node(u, {{f32, {any_batch, 3}}, {f32, {any_batch, 2}}, {i32, {2}}}).out() ==
          "[batch, 3]");
    CHECK(has(one_node(u, {{f32, {4, 3}}, {f32, {5, 2}}, {i32, {2}}}).out(), "a part"));
    CHECK(has(one_node(u, {{f32, {4, 3}}, {f32, {2, 2}}, {i32, {1}}}).out(), "a part"));
    CHECK(has(one_node(u, {{f32, {}}, {f32, {}}, {i32, {1}}}).out(), "a part"));
    CHECK(has(one_node(u, {{f32, {4}}, {i32, {2}}, {i32, {1}}}).out(), "needed one type"));
    CHECK(has(one_node(ops::range{}, {{i32, {}}, {i32, {}}, {i32, {}}}).out(), "not one constant"));
}

TEST_CASE("kernels that move elements refuse parameters that lowering never writes") {
    ops::transpose turn;
    turn.perm = {1, 0};
    const one_node copied(turn, {{f32, {2, 3}}});
    // Words: start, then eight counts, then eight steps; here (3, 2) by (1, 3).
    CHECK(verdict(copied, {}) == "");
    CHECK(has(verdict(copied, {{0, 1}}), "reads elements 1 to 6"));
    CHECK(has(verdict(copied, {{0, minus(1)}}), "reads elements -1"));
    CHECK(has(verdict(copied, {{16, 4}}), "reads elements 0 to 6"));
    CHECK(has(verdict(copied, {{16, minus(3)}}), "reads elements -3"));
    CHECK(has(verdict(copied, {{16, 0x7fffffff}, {15, 0x7fffffff}}), "reads elements 0 to"));
    CHECK(has(verdict(copied, {{8, 0}}), "level 7 counts 0"));
    CHECK(has(verdict(copied, {{8, minus(2)}}), "level 7 counts -2"));
    CHECK(has(verdict(copied, {{8, 3}}), "reads elements 0 to 8"));
    CHECK(has(verdict(copied, {{8, 1}}), "levels 3"));
    CHECK(has(verdict(copied, {{1, 0x7fffffff}, {2, 0x7fffffff}}), "output has 6"));
    CHECK(has(verdict(copied, {{1, 0x7fffffff}, {9, 0x7fffffff}}), "reads elements 0 to"));

    ops::mirror_pad mirror;
    mirror.before = {1}, mirror.after = {2};
    const one_node mirrored(mirror, {{f32, {3}}});
    CHECK(verdict(mirrored, {}) == "");
    CHECK(has(verdict(mirrored, {{5, 3}}), "pads 3 and 0"));
    CHECK(has(verdict(mirrored, {{5, minus(1)}}), "pads -1"));
    CHECK(has(verdict(mirrored, {{0, 1}}), "pads 1"));
    CHECK(has(verdict(mirrored, {{6, 2}}), "edge 2"));

    ops::gather take;
    take.axis = 1;
    const one_node gathered(take, {{f32, {2, 4, 3}}, {i32, {5}}});
    CHECK(verdict(gathered, {}) == "");
    for (const std::uint32_t bad : {0u, minus(1), 4u, 0x7fffffffu}) {
        for (std::size_t word = 0; word < 3; ++word) {
            CHECK(has(verdict(gathered, {{word, bad}}), "do not fit"));
        }
    }
    CHECK(
        has(verdict(gathered, {{0, 0x7fffffff}, {1, 0x7fffffff}, {2, 0x7fffffff}}), "do not fit"));
}
