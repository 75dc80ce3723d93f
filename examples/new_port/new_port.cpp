// How to write a port: a program that adds one, runs it and checks it. docs/ports.md is the
// text to it.
//
//     c++ -std=c++17 -I include -I ports examples/new_port/new_port.cpp -o new_port && ./new_port
//
// The processor of this port is imaginary: it multiplies and adds four int8 pairs in one
// instruction.
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>

#include <cstdio>
#include <cstring>

// 1. A namespace for the port, and in it the tag. The tag derives from the port that it falls
//    back to: whatever this file does not overload comes from there.
namespace quad {

struct port : kompakt::portable {
    static constexpr const char* name = "quad";
    // Whether this machine can run the port. On firmware it is a constant; on x86 it asks CPUID.
    static bool supported() noexcept { return true; }
};

// 2. Code for the instruction set sits in a namespace of its own. Where the compiler has to be
//    told to use it, each function carries the attribute (`__attribute__((target("avx2")))`): no
//    flag for a whole file, no lambda, no include. This one counts, so that the check below sees
//    that it ran.
namespace instructions {

struct counter {
    int used = 0;
};
inline counter& count() {
    static counter c; // a real port has no state
    return c;
}

inline std::int32_t multiply_add4(std::int32_t sum, const std::int8_t* a, const std::int8_t* b) {
    ++count().used;
    return sum + a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

} // namespace instructions

// 3. The overload. Its first parameter is the tag, a concrete type: it ranks this function before
//    the portable one for `quad::port` and for every tag derived from it. The second is the port in
//    use, which may be such a derived one; a kernel that calls others hands it on. Being in the
//    tag's namespace, the overload is found wherever the kernel is called from.
//
//    The contract is the kernel's own (kernel/dot.hpp): the same bits. Here the zero point is taken
//    out of the loop: sum a * (b - z) = sum a * b - z * sum a. Sums wrap, hence the casts.
template <class Port>
std::int32_t dot_i8(port, Port, const std::int8_t* a, const std::int8_t* b, std::int32_t n,
                    std::int32_t zero_point, std::int32_t sum) noexcept {
    std::int32_t of_a = 0, i = 0;
    for (; i + 4 <= n; i += 4) {
        const std::int8_t ones[4] = {1, 1, 1, 1};
        sum = kompakt::wrap_add(sum, instructions::multiply_add4(0, a + i, b + i));
        of_a = kompakt::wrap_add(of_a, instructions::multiply_add4(0, a + i, ones));
    }
    sum = kompakt::wrap_sub(sum, kompakt::wrap_mul(zero_point, of_a));
    // 4. What the instructions do not cover goes to the next rung by its tag.
    return kompakt::dot_i8(kompakt::portable{}, Port{}, a + i, b + i, n - i, zero_point, sum);
}

} // namespace quad

namespace {

// 5. The check: the port against the portable kernels, byte for byte, with sizes that do not divide
//    its own, the extremes of int8, and every alignment. Nothing counts as fast before it is equal.
constexpr std::int32_t height = 5, width = 4, depth = 7, channels = 6;

bool equal_convolution(std::size_t offset, std::int32_t zero_point, std::uint32_t seed) {
    alignas(16) std::int8_t in[height * width * depth + 16];
    alignas(16) std::int8_t filter[channels * 9 * depth + 16];
    for (std::int8_t& x : in) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<std::int8_t>(seed >> 24);
    }
    for (std::int8_t& x : filter) {
        seed = seed * 1664525u + 1013904223u;
        x = seed >> 31 != 0 ? std::int8_t{-128} : std::int8_t{127};
    }
    const std::int32_t bias[channels] = {0, 1000, -1000, 5, INT32_MAX, INT32_MIN};
    const std::int32_t multipliers[channels] = {1 << 30, 1 << 30, 1518500250,
                                                1 << 30, 1,       INT32_MAX};
    const std::int8_t shifts[channels] = {-9, -10, -11, -9, 0, -31};
    kompakt::conv2d_i8_params p;
    p.window.pad_top = p.window.pad_left = 1;
    p.input_zero_point = zero_point;
    const kompakt::output_stage stage(bias, multipliers, shifts, 1, p.output);

    std::int8_t expected[height * width * channels], given[sizeof expected];
    using kompakt::extents, kompakt::tensor;
    const tensor<const std::int8_t, extents<1, height, width, depth>> x(in + offset);
    const tensor<const std::int8_t, extents<channels, 3, 3, depth>> w(filter + offset);
    using output = tensor<std::int8_t, extents<1, height, width, channels>>;
    const kompakt::portable portable;
    const quad::port port;
    conv2d(portable, portable, x, w, stage, output(expected), p);
    conv2d(port, port, x, w, stage, output(given), p);
    return std::memcmp(expected, given, sizeof given) == 0;
}

// 6. A tag derived from the port has all that the port has. It would overload only what it
// improves.
struct finer_port : quad::port {
    static constexpr const char* name = "finer";
};

} // namespace

int main() {
    for (std::size_t offset = 0; offset < 16; ++offset) {
        for (const std::int32_t zero_point : {-128, -1, 0, 127}) {
            if (!equal_convolution(offset, zero_point, static_cast<std::uint32_t>(offset))) {
                std::printf("%s differs from portable: offset %d, zero point %d\n",
                            quad::port::name, static_cast<int>(offset), zero_point);
                return 1;
            }
        }
    }
    const int in_conv2d = quad::instructions::count().used;

    const std::int8_t a[5] = {1, 2, 3, 4, 5}, b[5] = {-128, 127, 0, 1, 2};
    const std::int32_t sum = dot_i8(finer_port{}, finer_port{}, a, b, 5, 0, 100);
    const bool reached = in_conv2d > 0 && quad::instructions::count().used > in_conv2d;
    if (!reached || sum != 100 - 128 + 254 + 4 + 10) {
        std::printf("the overload is not reached from %s\n", finer_port::name);
        return 1;
    }
    // 7. A port of the library has a folder in ports/kompakt_ports with `ports.hpp` and a line in
    //    include/kompakt/run/default_kernels.hpp: sessions then choose it, or are told to.
    std::printf("port %s: equal to portable, %d instructions in conv2d\n", quad::port::name,
                in_conv2d);
    return 0;
}
