// Kernels that read packed weights give what they give for the same weights as int8.
#include <kompakt/core/random.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt/quant/packing.hpp>

#include <doctest/doctest.h>
#include <vector>

using namespace kompakt;

namespace {

// What the elements of `Weight` hold, drawn evenly, as int8 and as stored.
template <class Weight, unsigned Bits>
struct drawn {
    std::vector<std::int8_t> dense;
    std::vector<std::byte> bytes;

    drawn(std::size_t n, std::uint32_t seed) : dense(n), bytes(packed_bits<Bits>::bytes(n)) {
        const philox random(seed, 1);
        for (std::size_t i = 0; i < n; ++i) {
            const auto bits = random.below(1u << Bits, 0, i);
            dense[i] =
                static_cast<std::int8_t>(Bits == 1 ? 1 - 2 * static_cast<int>(bits)
                                                   : static_cast<int>(bits) - (1 << (Bits - 1)));
            packed_bits<Bits>::store({bytes.data(), bytes.size()}, i,
                                     dense[i] < 0 || Bits > 1 ? dense[i] : 0);
        }
    }
    const Weight* data() const { return reinterpret_cast<const Weight*>(bytes.data()); }
};

std::vector<std::int8_t> inputs(std::size_t n) {
    std::vector<std::int8_t> v(n);
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = static_cast<std::int8_t>(static_cast<int>(philox(5, 2).below(256, 0, i)) - 128);
    }
    return v;
}

struct stage_data {
    std::vector<std::int32_t> bias, multipliers;
    std::vector<std::int8_t> shifts;
    output_stage_params params;

    explicit stage_data(std::size_t n) : bias(n), multipliers(n), shifts(n) {
        for (std::size_t i = 0; i < n; ++i) {
            bias[i] = static_cast<std::int32_t>(i * 37 % 101) - 50;
            multipliers[i] = 1500000000 + static_cast<std::int32_t>(i * 1000003 % 500000000);
            shifts[i] = static_cast<std::int8_t>(-3 - static_cast<int>(i % 3));
        }
        params.zero_point = 3;
        params.min = -128;
        params.max = 127;
    }
    basic_output_stage<std::int8_t, std::int32_t> stage() const {
        return {bias.data(), multipliers.data(), shifts.data(), 1, params};
    }
};

template <class Weight, unsigned Bits>
void compare_fully_connected() {
    for (const std::int32_t outs : {1, 5, 8}) {
        for (const std::int32_t depth : {1, 3, 8, 31, 33, 257}) {
            CAPTURE(outs);
            CAPTURE(depth);
            const drawn<Weight, Bits> w(static_cast<std::size_t>(outs * depth), 11);
            const auto in = inputs(static_cast<std::size_t>(2 * depth));
            const stage_data stage(static_cast<std::size_t>(outs));
            fully_connected_i8_params p;
            p.input_zero_point = -128;
            p.output = stage.params;
            std::vector<std::int8_t> a(static_cast<std::size_t>(2 * outs)), b(a.size());
            const dynamic_tensor<const std::int8_t, 2> x(in.data(), dynamic_extents<2>(2, depth));
            const dynamic_extents<2> shape(outs, depth), out(2, outs);
            fully_connected(portable{}, portable{}, x,
                            dynamic_tensor<const std::int8_t, 2>(w.dense.data(), shape),
                            stage.stage(), dynamic_tensor<std::int8_t, 2>(a.data(), out), p);
            fully_connected(portable{}, portable{}, x,
                            dynamic_tensor<const Weight, 2>(w.data(), shape), stage.stage(),
                            dynamic_tensor<std::int8_t, 2>(b.data(), out), p);
            CHECK(a == b);
        }
    }
}

template <class Weight, unsigned Bits>
void compare_conv2d() {
    // Odd depths, so that rows of weights begin inside a byte; groups; padding.
    for (const std::int32_t groups : {1, 3}) {
        for (const std::int32_t depth : {1, 5, 12}) {
            CAPTURE(groups);
            CAPTURE(depth);
            const std::int32_t channels = groups * depth, outs = groups * 5;
            const drawn<Weight, Bits> w(static_cast<std::size_t>(outs * 9 * depth), 23);
            const auto in = inputs(static_cast<std::size_t>(5 * 4 * channels));
            const stage_data stage(static_cast<std::size_t>(outs));
            conv2d_i8_params p;
            p.window.stride_h = p.window.stride_w = 1;
            p.window.dilation_h = p.window.dilation_w = 1;
            p.window.pad_top = p.window.pad_left = 1;
            p.input_zero_point = 7;
            p.output = stage.params;
            std::vector<std::int8_t> a(static_cast<std::size_t>(5 * 4 * outs)), b(a.size());
            const dynamic_tensor<const std::int8_t, 4> x(in.data(),
                                                         dynamic_extents<4>(1, 5, 4, channels));
            const dynamic_extents<4> shape(outs, 3, 3, depth), out(1, 5, 4, outs);
            conv2d(portable{}, portable{}, x,
                   dynamic_tensor<const std::int8_t, 4>(w.dense.data(), shape), stage.stage(),
                   dynamic_tensor<std::int8_t, 4>(a.data(), out), p);
            conv2d(portable{}, portable{}, x, dynamic_tensor<const Weight, 4>(w.data(), shape),
                   stage.stage(), dynamic_tensor<std::int8_t, 4>(b.data(), out), p);
            CHECK(a == b);
        }
    }
}

template <unsigned Bits>
void compare_unpacked() {
    const drawn<std::byte, Bits> w(100, 3);
    const packed_weights<Bits> from{w.bytes.data(), 0};
    for (std::int32_t first = 0; first < 20; ++first) {
        for (std::int32_t n = 0; n + first <= 40; ++n) {
            std::vector<std::int8_t> to(static_cast<std::size_t>(n) + 1, 99);
            detail::unpack(from + first, n, to.data());
            bool same = to.back() == 99;
            for (std::int32_t i = 0; i < n; ++i) {
                const std::int8_t x = w.dense[static_cast<std::size_t>(first + i)];
                same = same && to[static_cast<std::size_t>(i)] == x && (from + first)[i] == x;
            }
            CHECK(same);
        }
    }
}

} // namespace

TEST_CASE("packed weights: elements, wherever a run begins and ends") {
    compare_unpacked<1>();
    compare_unpacked<2>();
    compare_unpacked<4>();
}

TEST_CASE("packed weights: fully connected as with int8") {
    compare_fully_connected<packed_signs, 1>();
    compare_fully_connected<packed_i2, 2>();
    compare_fully_connected<std::byte, 4>();
}

TEST_CASE("packed weights: convolution as with int8") {
    compare_conv2d<packed_signs, 1>();
    compare_conv2d<packed_i2, 2>();
    compare_conv2d<std::byte, 4>();
}
