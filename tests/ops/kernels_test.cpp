// Kernel functions called directly: any alignment, extents that the compiler knows, and what
// their checks refuse.
#include "all_specs.hpp"
#include "average_pool2d_spec.hpp"
#include "batch_matmul_spec.hpp"
#include "conv2d_spec.hpp"
#include "depthwise_conv2d_spec.hpp"
#include "fully_connected_spec.hpp"
#include "l2_pool2d_spec.hpp"
#include "max_pool2d_spec.hpp"
#include "mean_spec.hpp"
#include "run.hpp"
#include "transpose_conv2d_spec.hpp"

#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/transpose_conv2d.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <support/text.hpp>

using namespace kompakt;
using namespace kompakt_test;

namespace {

// n elements `offset` bytes above a multiple of 64.
template <class T>
class misaligned {
  public:
    misaligned(const std::vector<T>& v, std::size_t offset)
        : size_(v.size()), storage_(v.size() * sizeof(T) + 128) {
        const auto at = reinterpret_cast<std::uintptr_t>(storage_.data());
        at_ = storage_.data() + (64 - at % 64) % 64 + offset;
        std::memcpy(at_, v.data(), size_ * sizeof(T));
    }
    T* data() { return reinterpret_cast<T*>(at_); }
    std::vector<T> get() { return std::vector<T>(data(), data() + size_); }

  private:
    std::size_t size_;
    std::vector<std::byte> storage_;
    std::byte* at_;
};

template <class T>
std::vector<T> random_values(std::size_t n, std::uint32_t seed) {
    dice d(seed);
    std::vector<T> v(n);
    for (T& x : v) {
        if constexpr (std::is_same_v<T, float>) {
            x = d.real(-1.0f, 1.0f);
        } else {
            x = static_cast<T>(d.between(-128, 127));
        }
    }
    return v;
}

const std::int32_t multipliers[4] = {1300000000, 1073741824, 2147483647, 1500000001};
const std::int8_t shifts[4] = {-7, -8, -9, -7};
const std::int32_t bias[4] = {100, -2000, 30000, -4};
const float float_bias[4] = {0.5f, -1.0f, 0.0f, 2.0f};

output_stage stage_of(const output_stage_params& p) {
    return {bias, multipliers, shifts, 1, p};
}

template <std::int32_t... Dims, class T>
tensor<T, extents<Dims...>> fixed(T* data) {
    return tensor<T, extents<Dims...>>(data);
}
template <std::int32_t... Dims, class T>
dynamic_tensor<T, sizeof...(Dims)> varying(T* data) {
    return {data, dynamic_extents<sizeof...(Dims)>(Dims...)};
}

// Each kernel once, of element type T, as `run(port, in, weights, out, is_fixed)`: shapes are
// chosen so that all have 4 output channels.
struct conv2d_run {
    static constexpr std::size_t in = 6 * 5 * 3, weights = 4 * 3 * 3 * 3, out = 3 * 3 * 4;
    template <class Port>
    static void run(Port port, const std::int8_t* a, const std::int8_t* w, std::int8_t* o,
                    bool fix) {
        const conv2d_i8_params p{{2, 2, 1, 1, 1, 1}, 5, {-3, -120, 110}};
        const output_stage s = stage_of(p.output);
        if (fix) {
            conv2d(port, port, fixed<1, 6, 5, 3>(a), fixed<4, 3, 3, 3>(w), s, fixed<1, 3, 3, 4>(o),
                   p);
        } else {
            conv2d(port, port, varying<1, 6, 5, 3>(a), varying<4, 3, 3, 3>(w), s,
                   varying<1, 3, 3, 4>(o), p);
        }
    }
    template <class Port>
    static void run(Port port, const float* a, const float* w, float* o, bool fix) {
        const conv2d_f32_params p{{2, 2, 1, 1, 1, 1}, -2.0f, 2.0f};
        if (fix) {
            conv2d(port, port, fixed<1, 6, 5, 3>(a), fixed<4, 3, 3, 3>(w), float_bias,
                   fixed<1, 3, 3, 4>(o), p);
        } else {
            conv2d(port, port, varying<1, 6, 5, 3>(a), varying<4, 3, 3, 3>(w), float_bias,
                   varying<1, 3, 3, 4>(o), p);
        }
    }
};

struct pointwise_run {
    static constexpr std::size_t in = 2 * 3 * 37, weights = 4 * 37, out = 2 * 3 * 4;
    template <class Port>
    static void run(Port port, const std::int8_t* a, const std::int8_t* w, std::int8_t* o,
                    bool fix) {
        const conv2d_i8_params p{{}, -128, {4, -128, 127}};
        const output_stage s = stage_of(p.output);
        if (fix) {
            conv2d(port, port, fixed<1, 2, 3, 37>(a), fixed<4, 1, 1, 37>(w), s,
                   fixed<1, 2, 3, 4>(o), p);
        } else {
            conv2d(port, port, varying<1, 2, 3, 37>(a), varying<4, 1, 1, 37>(w), s,
                   varying<1, 2, 3, 4>(o), p);
        }
    }
    template <class Port>
    static void run(Port port, const float* a, const float* w, float* o, bool fix) {
        const conv2d_f32_params p{{}, -9.0f, 9.0f};
        if (fix) {
            conv2d(port, port, fixed<1, 2, 3, 37>(a), fixed<4, 1, 1, 37>(w), nullptr,
                   fixed<1, 2, 3, 4>(o), p);
        } else {
            conv2d(port, port, varying<1, 2, 3, 37>(a), varying<4, 1, 1, 37>(w), nullptr,
                   varying<1, 2, 3, 4>(o), p);
        }
    }
};

struct depthwise_conv2d_run {
    static constexpr std::size_t in = 5 * 6 * 4, weights = 3 * 3 * 4, out = 5 * 3 * 4;
    template <class Port>
    static void run(Port port, const std::int8_t* a, const std::int8_t* w, std::int8_t* o,
                    bool fix) {
        const depthwise_conv2d_i8_params p{{1, 2, 1, 1, 1, 1}, 5, {-3, -120, 110}};
        const output_stage s = stage_of(p.output);
        if (fix) {
            depthwise_conv2d(port, port, fixed<1, 5, 6, 4>(a), fixed<1, 3, 3, 4>(w), s,
                             fixed<1, 5, 3, 4>(o), p);
        } else {
            depthwise_conv2d(port, port, varying<1, 5, 6, 4>(a), varying<1, 3, 3, 4>(w), s,
                             varying<1, 5, 3, 4>(o), p);
        }
    }
    template <class Port>
    static void run(Port port, const float* a, const float* w, float* o, bool fix) {
        const depthwise_conv2d_f32_params p{{1, 2, 1, 1, 1, 1}, -2.0f, 2.0f};
        if (fix) {
            depthwise_conv2d(port, port, fixed<1, 5, 6, 4>(a), fixed<1, 3, 3, 4>(w), float_bias,
                             fixed<1, 5, 3, 4>(o), p);
        } else {
            depthwise_conv2d(port, port, varying<1, 5, 6, 4>(a), varying<1, 3, 3, 4>(w), float_bias,
                             varying<1, 5, 3, 4>(o), p);
        }
    }
};

struct fully_connected_run {
    static constexpr std::size_t in = 3 * 41, weights = 4 * 41, out = 3 * 4;
    template <class Port>
    static void run(Port port, const std::int8_t* a, const std::int8_t* w, std::int8_t* o,
                    bool fix) {
        const fully_connected_i8_params p{127, {-3, -120, 110}};
        const output_stage s = stage_of(p.output);
        if (fix) {
            fully_connected(port, port, fixed<3, 41>(a), fixed<4, 41>(w), s, fixed<3, 4>(o), p);
        } else {
            fully_connected(port, port, varying<3, 41>(a), varying<4, 41>(w), s, varying<3, 4>(o),
                            p);
        }
    }
    template <class Port>
    static void run(Port port, const float* a, const float* w, float* o, bool fix) {
        const fully_connected_f32_params p{-2.0f, 2.0f};
        if (fix) {
            fully_connected(port, port, fixed<3, 41>(a), fixed<4, 41>(w), float_bias,
                            fixed<3, 4>(o), p);
        } else {
            fully_connected(port, port, varying<3, 41>(a), varying<4, 41>(w), float_bias,
                            varying<3, 4>(o), p);
        }
    }
};

struct average_pool2d_run {
    static constexpr std::size_t in = 5 * 4 * 19, weights = 1, out = 3 * 2 * 19;
    template <class Port, class T>
    static void run(Port port, const T* a, const T*, T* o, bool fix) {
        const pool2d_params<std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>> p{
            {2, 2, 1, 1, 1, 1}, 3, 3, -1, 1};
        if (fix) {
            average_pool2d(port, port, fixed<1, 5, 4, 19>(a), fixed<1, 3, 2, 19>(o), p);
        } else {
            average_pool2d(port, port, varying<1, 5, 4, 19>(a), varying<1, 3, 2, 19>(o), p);
        }
    }
};

struct max_pool2d_run {
    static constexpr std::size_t in = 5 * 4 * 19, weights = 1, out = 3 * 2 * 19;
    template <class Port, class T>
    static void run(Port port, const T* a, const T*, T* o, bool fix) {
        const pool2d_params<std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>> p{
            {2, 2, 1, 1, 1, 1}, 3, 3, -100, 100};
        if (fix) {
            max_pool2d(port, port, fixed<1, 5, 4, 19>(a), fixed<1, 3, 2, 19>(o), p);
        } else {
            max_pool2d(port, port, varying<1, 5, 4, 19>(a), varying<1, 3, 2, 19>(o), p);
        }
    }
};

struct mean_run {
    static constexpr std::size_t in = 2 * 3 * 5 * 19, weights = 1, out = 2 * 19;
    template <class Port>
    static void run(Port port, const std::int8_t* a, const std::int8_t*, std::int8_t* o, bool fix) {
        const mean_i8_params p{6, -7, 1500000000, -2, 3};
        if (fix) {
            mean(port, port, fixed<2, 3, 5, 19>(a), fixed<2, 19>(o), p);
        } else {
            mean(port, port, varying<2, 3, 5, 19>(a), varying<2, 19>(o), p);
        }
    }
    template <class Port>
    static void run(Port port, const float* a, const float*, float* o, bool fix) {
        if (fix) {
            mean(port, port, fixed<2, 3, 5, 19>(a), fixed<2, 19>(o), reduction_params{6});
        } else {
            mean(port, port, varying<2, 3, 5, 19>(a), varying<2, 19>(o), reduction_params{6});
        }
    }
};

// Every port, every offset of each of the three buffers, both kinds of extents: the same as
// portable.
template <class Run, class T>
void sweep() {
    const std::vector<T> in = random_values<T>(Run::in, 1), w = random_values<T>(Run::weights, 2);
    std::vector<T> expected(Run::out);
    Run::run(portable{}, in.data(), w.data(), expected.data(), false);
    CHECK(expected != std::vector<T>(Run::out));
    const auto same = [&](const std::vector<T>& given) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            if constexpr (std::is_same_v<T, float>) {
                if (!(std::fabs(given[i] - expected[i]) <=
                      1e-5f + 1e-4f * std::fabs(expected[i]))) {
                    return false;
                }
            } else {
                if (given[i] != expected[i]) return false;
            }
        }
        return true;
    };
    for_each_port([&](auto port) {
        for (const bool fix : {false, true}) {
            for (std::size_t offset = 0; offset < 16; offset += sizeof(T)) {
                for (int which = 0; which < 4; ++which) { // 3: all three
                    misaligned<T> a(in, which == 0 || which == 3 ? offset : 0),
                        b(w, which == 1 || which == 3 ? offset : 0),
                        o(std::vector<T>(Run::out, T(99)), which == 2 || which == 3 ? offset : 0);
                    Run::run(port, a.data(), b.data(), o.data(), fix);
                    CHECK_MESSAGE(same(o.get()), decltype(port)::name, ", offset ", offset,
                                  " of buffer ", which, ", fixed extents ", fix);
                }
            }
        }
    });
}

} // namespace

TEST_CASE_TEMPLATE("kernels: any alignment, and extents that are constants", Run, conv2d_run,
                   pointwise_run, depthwise_conv2d_run, fully_connected_run, average_pool2d_run,
                   max_pool2d_run, mean_run) {
    sweep<Run, std::int8_t>();
    sweep<Run, float>();
}

namespace {

// The lowered form of a case with something broken; what the kernel's check says.
template <class Break>
std::string check_of(const op_case& c, Break&& change) {
    auto p = lower(c.g);
    REQUIRE(p.ok());
    change(*p);
    detail::program_builder tables(*p);
    const program code = tables.code();
    const status s = kernels_of<portable>()
                         .find(tables.ops[0].kernel)
                         ->check(call(code, tables.ops[0], nullptr));
    return s.ok() ? "" : s.message();
}

std::vector<op_spec> weighted_and_windowed_specs() {
    return {conv2d_spec(),         depthwise_conv2d_spec(), fully_connected_spec(),
            average_pool2d_spec(), max_pool2d_spec(),       mean_spec(),
            l2_pool2d_spec(),      transpose_conv2d_spec(), batch_matmul_spec()};
}

// The first case of every kernel among the first cases of a spec.
std::vector<op_case> forms_of(const op_spec& spec) {
    std::vector<op_case> forms;
    std::vector<kernel_id> seen;
    for (std::size_t i = 0; i < spec.cases.size() && i < 20; ++i) {
        const auto p = lower(spec.cases[i].g);
        REQUIRE(p.ok());
        const kernel_id kernel = p->ops[0].kernel;
        if (std::find(seen.begin(), seen.end(), kernel) != seen.end()) continue;
        seen.push_back(kernel);
        forms.push_back(spec.cases[i]);
    }
    return forms;
}

std::string message_of(graph g) {
    if (const status s = infer(g); !s.ok()) return s.message();
    const auto p = plan(g);
    return p.ok() ? "" : p.error().message();
}

} // namespace

TEST_CASE("kernels: every 32-bit parameter is checked") {
    for (const op_spec& spec : weighted_and_windowed_specs()) {
        for (const op_case& c : forms_of(spec)) {
            CAPTURE(spec.op);
            CAPTURE(c.name);
            CHECK(check_of(c, [](lowered_program&) {}) == "");
            const auto p = lower(c.g);
            const bool integer = output_type(c) != dtype::f32;
            for (std::size_t w = 0; w < p->ops[0].params.size(); ++w) {
                CAPTURE(w);
                // Of float ops only the integers.
                const bool is_float = !integer && w >= p->ops[0].params.size() - 2 &&
                                      spec.op != "mean" && spec.op != "batch_matmul";
                if (is_float) continue;
                for (const std::uint32_t hostile : {0x7fffffffu, 0x80000000u, 0xffff0000u}) {
                    // A multiplier may be any number that is not negative.
                    if (spec.op == "mean" && w == 2 && hostile == 0x7fffffffu) continue;
                    if (p->ops[0].kernel == kernel_id::batch_matmul_i8 && w == 4 &&
                        hostile == 0x7fffffffu) {
                        continue;
                    }
                    CHECK(check_of(c, [&](lowered_program& x) { x.ops[0].params[w] = hostile; }) !=
                          "");
                }
            }
        }
    }
}

TEST_CASE("kernels: wrong shapes, types and counts of operands are refused") {
    for (const op_spec& spec : weighted_and_windowed_specs()) {
        for (const op_case& c : forms_of(spec)) {
            CAPTURE(spec.op);
            CAPTURE(c.name);
            const auto p = lower(c.g);
            const std::size_t operands = p->ops[0].inputs.size();
            for (std::size_t i = 0; i <= operands; ++i) {
                CAPTURE(i);
                const auto number = [&](const lowered_program& x) {
                    return i < operands ? x.ops[0].inputs[i] : x.ops[0].outputs[0];
                };
                if (p->tensors[number(*p)].where == place::absent) continue;
                CHECK(check_of(c, [&](lowered_program& x) {
                          lowered_tensor& t = x.tensors[number(x)];
                          t.type = t.type == dtype::i16 ? dtype::i8 : dtype::i16;
                          t.payload.resize(t.bytes());
                      }) != "");
                if (i == 0) continue; // any input of the right rank has some right output
                CHECK(check_of(c, [&](lowered_program& x) {
                          lowered_tensor& t = x.tensors[number(x)];
                          if (t.dims.empty()) t.dims.push_back(1);
                          t.dims.back() += 1;
                          t.payload.resize(t.bytes());
                      }) != "");
                CHECK(check_of(c, [&](lowered_program& x) {
                          lowered_tensor& t = x.tensors[number(x)];
                          t.dims = std::vector<std::int32_t>(7, 2);
                          t.payload.resize(t.bytes());
                      }) != "");
                if (i < operands && i < 2) {
                    CHECK(check_of(c, [&](lowered_program& x) {
                              x.tensors[number(x)].where = place::absent;
                          }) != "");
                }
            }
            CHECK(check_of(c, [](lowered_program& x) { x.ops[0].inputs.pop_back(); }) != "");
            CHECK(check_of(c, [](lowered_program& x) {
                      x.ops[0].inputs.push_back(x.ops[0].inputs.back());
                  }) != "");
            CHECK(check_of(c, [](lowered_program& x) {
                      x.ops[0].outputs.push_back(x.ops[0].outputs.back());
                  }) != "");
        }
    }
}

TEST_CASE("kernels: a multiplier that is out of range is refused") {
    for (const op_spec& spec : {conv2d_spec(), depthwise_conv2d_spec(), fully_connected_spec(),
                                transpose_conv2d_spec()}) {
        for (const op_case& c : forms_of(spec)) {
            if (output_type(c) == dtype::f32) continue;
            CAPTURE(c.name);
            CHECK(check_of(c, [](lowered_program& x) {
                      x.tensors[x.ops[0].inputs[3]].payload[3] = std::byte{0x80};
                  }) != "");
            CHECK(check_of(c, [](lowered_program& x) {
                      x.tensors[x.ops[0].inputs[4]].payload[0] = std::byte{31};
                  }) != "");
            CHECK(check_of(c, [](lowered_program& x) {
                      x.tensors[x.ops[0].inputs[4]].payload[0] = std::byte{0xe0};
                  }) != "");
            // Sums of 64 bits have multipliers of 15 bits and shifts of 14 at most.
            const bool wide = output_type(c) == dtype::i16 &&
                              (c.g.tensor(2).type == dtype::i64 || spec.op == "transpose_conv_2d");
            if (!wide) continue;
            CHECK(check_of(c, [](lowered_program& x) {
                      x.tensors[x.ops[0].inputs[3]].payload[2] = std::byte{1};
                  }) != "");
            CHECK(check_of(c, [](lowered_program& x) {
                      x.tensors[x.ops[0].inputs[4]].payload[0] = std::byte{15};
                  }) != "");
        }
    }
}

TEST_CASE("graph: int16 refuses zero points, other biases and scales too far apart") {
    const auto first = [](const op_spec& spec, dtype bias) {
        for (const op_case& c : spec.cases) {
            if (output_type(c) == dtype::i16 && c.g.node_at(0).inputs.size() == 3 &&
                c.g.tensor(2).type == bias) {
                return c.g;
            }
        }
        FAIL("no such case");
        return graph();
    };
    for (const op_spec& spec : {conv2d_spec(), depthwise_conv2d_spec(), fully_connected_spec(),
                                transpose_conv2d_spec()}) {
        CAPTURE(spec.op);
        const graph g = first(spec, dtype::i64);
        CHECK(message_of(g) == "");
        graph x = g;
        x.tensor(0).quantization->zero_points[0] = 1;
        CHECK(has(message_of(x), "zero point 1"));
        x = g;
        x.tensor(x.outputs[0]).quantization->zero_points[0] = -1;
        CHECK(has(message_of(x), "zero point -1"));
        x = g;
        x.tensor(x.outputs[0]).quantization->scales[0] = 1e-30f;
        CHECK(has(message_of(x), "products' scale is "));
        // A bias of another type.
        const auto with_bias = [&](constant c) {
            graph y = g;
            y.tensor(2).type = c.type;
            c.shape = y.tensor(2).shape;
            y.tensor(2).value = std::move(c);
            return message_of(y);
        };
        const auto n = static_cast<std::size_t>(g.tensor(2).shape[0].value());
        const shape s{static_cast<std::int64_t>(n)};
        const bool transposed = spec.op == "transpose_conv_2d";
        const bool depthwise = spec.op == "depthwise_conv_2d";
        CHECK((with_bias(make_constant(s, std::vector<std::int16_t>(n))) == "") == transposed);
        CHECK((with_bias(make_constant(s, std::vector<std::int32_t>(n))) == "") ==
              (!transposed && !depthwise));
        CHECK(with_bias(make_constant(s, std::vector<std::int8_t>(n))) != "");
        if (depthwise) {
            CHECK(has(with_bias(make_constant(s, std::vector<std::int32_t>(n))),
                      "int32 bias, needed int64"));
        }
    }
}

TEST_CASE("graph: int4 weights stay packed for the kernels that run on them") {
    for (const op_spec& spec : {conv2d_spec(), depthwise_conv2d_spec(), fully_connected_spec(),
                                transpose_conv2d_spec()}) {
        CAPTURE(spec.op);
        for (const op_case& c : spec.cases) {
            if (c.g.tensor(1).type != dtype::i4) continue;
            const auto p = plan(c.g);
            REQUIRE(p.ok());
            const bool packed = spec.op != "transpose_conv_2d";
            const std::size_t n = *element_count(c.g.tensor(1).shape);
            std::size_t found = 0;
            for (const lowered_tensor& t : p->lowered.tensors) {
                found += t.where == place::constant && t.name == "filter" ? t.bytes() : 0;
            }
            CHECK(found == (packed ? (n + 1) / 2 : n));
        }
    }
}

TEST_CASE("graph: matrix products and transposed convolutions that do not fit are refused") {
    const auto matmul = [](shape a, shape b, bool ta, bool tb) {
        return message_of(
            batch_matmul_case("x", dtype::f32, std::move(a), std::move(b), ta, tb, false).g);
    };
    CHECK(matmul({2, 3}, {3, 4}, false, false) == "");
    CHECK(matmul({2, 3}, {4, 3}, false, false) != "");
    CHECK(matmul({2, 3}, {4, 3}, false, true) == "");
    CHECK(matmul({3, 2}, {3, 4}, false, false) != "");
    CHECK(matmul({2, 2, 3}, {3, 3, 4}, false, false).find("do not broadcast") != std::string::npos);
    CHECK(matmul({3}, {3, 4}, false, false) != "");
    CHECK(matmul({1, 1, 1, 1, 1, 2, 3}, {3, 4}, false, false).find("rank") != std::string::npos);
    {
        graph g = batch_matmul_case("x", dtype::i8, {2, 3}, {3, 4}, false, false, true).g;
        g.tensor(1).quantization->scales = {0.1f, 0.1f, 0.1f};
        g.tensor(1).quantization->zero_points = {0, 0, 0};
        g.tensor(1).quantization->axis = 0;
        CHECK(message_of(g).find("per-channel") != std::string::npos);
    }
    const auto transposed = [](std::vector<int> pads, int dilation, int stride) {
        layer l;
        l.h = 3, l.w = 3, l.c = 2, l.out = 2, l.kernel_h = l.kernel_w = 3, l.stride_h = stride;
        graph g = transpose_conv2d_case(l, dtype::i8, pads).g;
        g.node_at(0).op->as<ops::transpose_conv2d>()->window.dilation_w = dilation;
        return message_of(g);
    };
    CHECK(transposed({0, 0, 0, 0}, 1, 1) == "");
    CHECK(transposed({0, 0, 0, 0}, 2, 1).find("dilation") != std::string::npos);
    CHECK(transposed({-1, 0, 0, 0}, 1, 1) != "");
    CHECK(transposed({3, 2, 0, 0}, 1, 1) != "");
    CHECK(transposed({0, -20000, 0, 0}, 1, 1) != "");
    CHECK(transposed({0, 0, 0, 0}, 1, 0) != "");
}

TEST_CASE("graph: shapes that do not fit are refused, with the reason") {
    const auto broken = [](const op_spec& spec, std::size_t input, shape s) {
        graph g = spec.cases[0].g;
        const tensor_id t = g.node_at(0).inputs[input];
        g.tensor(t).shape = s;
        if (g.tensor(t).value) {
            auto bytes = std::vector<std::byte>(*element_count(s));
            g.tensor(t).value = make_constant_bytes(dtype::i8, s, bytes);
            g.tensor(t).quantization = quantization::per_tensor_affine(0.1f, 0);
        }
        return message_of(g);
    };
    CHECK(broken(conv2d_spec(), 0, {1, 1, 1, 1}) == "");
    CHECK(has(broken(conv2d_spec(), 0, {1, 1, 1}), "rank 4"));
    CHECK(has(broken(conv2d_spec(), 1, {1, 2, 1, 1}), "does not fit"));
    CHECK(has(broken(conv2d_spec(), 1, {1, 1, 1, 2}), "does not fit 1 input channels"));
    CHECK(has(broken(depthwise_conv2d_spec(), 0, {1, 1, 1, 2}), "does not fit 2 input channels"));
    CHECK(has(broken(depthwise_conv2d_spec(), 1, {2, 1, 1, 1}), "does not fit"));
    CHECK(has(broken(fully_connected_spec(), 0, {1, 0}), "executable") == false);
    CHECK(has(broken(fully_connected_spec(), 1, {1, 2}), "do not fit the input [1, 1]"));
    CHECK(has(broken(fully_connected_spec(), 1, {1}), "rank 2"));
    CHECK(has(broken(average_pool2d_spec(), 0, {1, 1}), "rank 4"));
    CHECK(has(broken(mean_spec(), 0, {1, 1}), "axis 2"));
    CHECK(has(broken(mean_spec(), 0, {2, 2, 2, 2, 2, 2, 2}), "rank 0 to 6"));
    CHECK(has(broken(fully_connected_spec(), 0, {1, 1, 1, 1, 1, 1, 1}), "rank"));
}

TEST_CASE("graph: pools refuse other scales, dilation and windows of nothing but padding") {
    for (const bool maximum : {false, true}) {
        const auto change = [&](auto&& f) {
            const op_spec spec = maximum ? max_pool2d_spec() : average_pool2d_spec();
            const auto found =
                std::find_if(spec.cases.begin(), spec.cases.end(), [](const op_case& c) {
                    return c.name == "2x2, stride 2, odd channels, batch 2 int8";
                });
            REQUIRE(found != spec.cases.end());
            graph g = found->g;
            if (maximum) {
                f(g, *g.node_at(0).op->as<ops::max_pool2d>());
            } else {
                f(g, *g.node_at(0).op->as<ops::average_pool2d>());
            }
            return message_of(g);
        };
        CHECK(change([](graph&, auto&) {}) == "");
        CHECK(change([](graph&, auto& o) { o.window.dilation_w = 2; }) != "");
        CHECK(change([](graph&, auto& o) { o.window.pad_top = 2; }) != "");
        CHECK(change([](graph&, auto& o) { o.window.pad_right = 2; }) != "");
        CHECK(change([](graph&, auto& o) { o.kernel_h = 0; }) != "");
        CHECK(change([](graph&, auto& o) { o.window.stride_h = 0; }) != "");
        CHECK(change([](graph& g, auto&) {
                  g.tensor(g.outputs[0]).quantization->zero_points[0] += 1;
              }).find("requantization") != std::string::npos);
        CHECK(change([](graph& g, auto&) {
                  g.tensor(g.outputs[0]).quantization->scales[0] *= 2;
              }) != "");
        CHECK(change([](graph& g, auto&) { g.tensor(g.outputs[0]).quantization.reset(); }) != "");
    }
}

TEST_CASE(
    "graph: int8 weights need a scale of their own, along the right axis, and no zero point") {
    for (const op_spec& spec : {conv2d_spec(), depthwise_conv2d_spec(), fully_connected_spec()}) {
        CAPTURE(spec.op);
        const op_case* c = nullptr;
        for (const op_case& x : spec.cases) {
            if (output_type(x) == dtype::i8 && x.g.tensor(1).type == dtype::i8 &&
                x.g.tensor(1).quantization->scales.size() > 2) {
                c = &x;
            }
        }
        REQUIRE(c != nullptr);
        const auto change = [&](auto&& f) {
            graph g = c->g;
            f(*g.tensor(1).quantization);
            return message_of(g);
        };
        CHECK(change([](quantization&) {}) == "");
        CHECK(change([](quantization& q) { q.zero_points[1] = 1; }) != "");
        CHECK(change([](quantization& q) { q.scales.pop_back(), q.zero_points.pop_back(); }) != "");
        CHECK(change([](quantization& q) { q.axis = q.axis == 0 ? 1 : 0; }) != "");
        CHECK(change([](quantization& q) { q.scheme = scheme::codebook; }) != "");
        graph g = c->g;
        g.tensor(g.outputs[0]).quantization.reset();
        CHECK(message_of(g).find("no scale") != std::string::npos);
    }
}

// docs/arithmetic.md 2. The two ways differ in the last bits only, which outputs rarely show.
TEST_CASE("graph: which operators multiply scales in float32 and which in double") {
    const auto multiplier_of = [](const op_spec& spec, bool per_channel) {
        for (const op_case& c : spec.cases) {
            graph g = c.g;
            if (output_type(c) != dtype::i8) continue;
            quantization& w = *g.tensor(1).quantization;
            if ((w.scales.size() > 1) != per_channel) continue;
            for (float& x : w.scales) x = 0.0123f;
            g.tensor(0).quantization->scales[0] = 0.0457f;
            g.tensor(g.outputs[0]).quantization->scales[0] = 0.0789f;
            const auto p = lower(g);
            REQUIRE(p.ok());
            return load_le<std::int32_t>(p->tensors[p->ops[0].inputs[3]].payload.data());
        }
        return 0;
    };
    const float narrow = 0.0457f * 0.0123f;
    const double out = static_cast<double>(0.0789f);
    const std::int32_t in_float = quantize_multiplier(static_cast<double>(narrow) / out).q31;
    const std::int32_t in_double =
        quantize_multiplier(static_cast<double>(0.0457f) * static_cast<double>(0.0123f) / out).q31;
    REQUIRE(in_float != in_double);
    CHECK(multiplier_of(fully_connected_spec(), false) == in_float);
    CHECK(multiplier_of(fully_connected_spec(), true) == in_double);
    for (const bool per_channel : {false, true}) {
        CHECK(multiplier_of(conv2d_spec(), per_channel) == in_double);
        CHECK(multiplier_of(depthwise_conv2d_spec(), per_channel) == in_double);
    }
}

TEST_CASE("graph: output shapes") {
    const auto shape_of = [](auto op, shape in, std::optional<shape> weights) {
        graph g;
        graph_tensor a, o;
        a.name = "a", a.type = dtype::f32, a.shape = in;
        o.name = "o";
        g.inputs = {g.add_tensor(a)};
        std::vector<tensor_id> inputs = g.inputs;
        if (weights) {
            inputs.push_back(g.add_constant(
                "w", make_constant(*weights, std::vector<float>(*element_count(*weights)))));
        }
        g.outputs = {g.add_tensor(o)};
        g.add_node("", op, inputs, g.outputs);
        const status s = infer(g);
        return s.ok() ? text_of(g.tensor(g.outputs[0]).shape) : std::string(s.message());
    };
    ops::fully_connected fc, kept;
    kept.keep_num_dims = true;
    CHECK(shape_of(fc, {2, 3, 4}, shape{5, 12}) == "[2, 5]");
    CHECK(shape_of(fc, {2, 3, 4}, shape{5, 4}) == "[6, 5]");
    CHECK(shape_of(kept, {2, 3, 4}, shape{5, 4}) == "[2, 3, 5]");
    CHECK(shape_of(fc, {dim::named("n"), 3, 4}, shape{5, 12}) == "[n, 5]");
    CHECK(shape_of(kept, {dim::named("n"), 3, 4}, shape{5, 4}) == "[n, 3, 5]");
    CHECK(shape_of(kept, {2, 3, 4}, shape{5, 12}).find("do not fit") != std::string::npos);
    ops::mean m;
    m.axes = {1, -2};
    CHECK(shape_of(m, {dim::named("n"), 3, 4, 5}, {}) == "[n, 5]");
    m.keep_dims = true;
    CHECK(shape_of(m, {dim::named("n"), 3, 4, 5}, {}) == "[n, 1, 1, 5]");
    ops::average_pool2d pool;
    pool.kernel_h = 2, pool.kernel_w = 3, pool.window.stride_w = 2;
    CHECK(shape_of(pool, {dim::named("n"), 6, 9, 5}, {}) == "[n, 5, 4, 5]");
    ops::depthwise_conv2d d;
    d.window.pad_left = d.window.pad_right = 1;
    CHECK(shape_of(d, {dim::named("n"), 6, 9, 2}, shape{1, 3, 3, 6}) == "[n, 4, 9, 6]");
}

TEST_CASE("graph: multiply-accumulates and how to quantize") {
    const auto macs_of = [](const op_spec& spec, const std::string& name) {
        for (const op_case& c : spec.cases) {
            graph g = c.g;
            if (c.name == name) return macs(g);
        }
        return std::uint64_t{0};
    };
    CHECK(macs_of(conv2d_spec(), "kws first layer int8") == 25 * 5 * 64 * 40);
    CHECK(macs_of(depthwise_conv2d_spec(), "kws depthwise int8") == 25 * 5 * 64 * 9);
    CHECK(macs_of(fully_connected_spec(), "kws last layer int8") == 64 * 12);
    using kind = quantization_rule::kind;
    CHECK(ops::depthwise_conv2d().quantize_rule().channel_axis == 3);
    CHECK(ops::fully_connected().quantize_rule().channel_axis == 0);
    CHECK(ops::average_pool2d().quantize_rule().how == kind::same_scale);
    CHECK(ops::max_pool2d().quantize_rule().how == kind::same_scale);
    CHECK(ops::mean().quantize_rule().how == kind::free);
}
