// Random calls on the Cortex-M port against the portable kernels, bit for bit. Device grade: the
// host runs it on the port's plain C++, a firmware on its instructions
// (tests/device/cortex_m_fw.cpp).
#pragma once

#include <kompakt/run/kernels.hpp>
#include <kompakt_ports/cortex_m/ports.hpp>

#include <cstring>
#include <new>

namespace kompakt_test {

using namespace kompakt;

// `Tag` is a port whose whole code is in plain C++ too.
template <class Tag>
class port_cases {
  public:
    enum outcome { same, refused, different, outside };

    // Counts what went the port's own way, to see that tests test something.
    std::uint32_t packed = 0, by_rows = 0;

    void seed(std::uint32_t s) noexcept { state_ = s * 2654435761u + 12345u; }

    // Convolution without groups, all else at random.
    outcome convolution() noexcept {
        const bool pointwise = one_in(3);
        const std::int32_t c = one_in(2) ? between(1, 5) : 4 * between(1, 6);
        const std::int32_t o = one_in(2) ? between(1, 9) : between(1, 24);
        conv2d_i8_params p{};
        const std::int32_t kernel_h = pointwise ? 1 : between(1, 4);
        const std::int32_t kernel_w = pointwise ? 1 : between(1, 4);
        window(p.window, pointwise);
        return windowed<conv2d_i8>(p, c, o, kernel_h, kernel_w, {o, kernel_h, kernel_w, c},
                                   kernel_h * kernel_w * c, c * kernel_h * kernel_w, 1);
    }
    // 3x3, or of one channel with any window.
    outcome depthwise() noexcept {
        const bool single = one_in(4);
        const std::int32_t c = single ? 1 : one_in(2) ? 16 * between(1, 2) : between(2, 9);
        const std::int32_t o = single ? between(1, 9) : one_in(8) ? 2 * c : c;
        depthwise_conv2d_i8_params p{};
        const bool odd = single || one_in(8);
        const std::int32_t kernel_h = odd ? between(1, 4) : 3, kernel_w = odd ? between(1, 4) : 3;
        window(p.window, false);
        if (!odd && !one_in(6)) p.window.dilation_h = p.window.dilation_w = 1;
        return windowed<depthwise_conv2d_i8>(p, c, o, kernel_h, kernel_w,
                                             {1, kernel_h, kernel_w, o}, kernel_h * kernel_w, 1, o);
    }
    outcome connected() noexcept {
        const std::int32_t n = one_in(2) ? 1 : between(1, 4);
        const std::int32_t k = one_in(2) ? 4 * between(1, 40) : between(1, 70);
        const std::int32_t o = between(1, 13);
        fully_connected_i8_params p{};
        p.input_zero_point = zero_point();
        stage(p.output, k);
        start();
        add(dtype::i8, place::arena, {n, k}, 0);
        add(dtype::i8, place::constant, {o, k}, 0);
        weights(o, k, k, 1);
        add_stage(o, k);
        add(dtype::i8, place::arena, {n, o}, 0);
        return run<fully_connected_i8>(p, 5, 0);
    }
    outcome addition() noexcept {
        const std::int32_t n = between(1, 300);
        add_i8_params p{};
        p.zero_point_a = zero_point(), p.zero_point_b = zero_point();
        const multiplier half{1 << 30, 0};
        p.a = one_in(2) ? half : less();
        p.b = one_in(2) ? half : less();
        p.result = one_in(8) ? less() : multiplier{between(1 << 30, INT32_MAX), -between(17, 20)};
        stage(p.output, 1);
        start();
        add(dtype::i8, place::arena, {n}, 0);
        add(dtype::i8, place::arena, {one_in(8) ? 1 : n}, 0);
        add(dtype::i8, place::arena, {n}, 0);
        return run<add_i8>(p, 2, 0);
    }
    outcome pooling() noexcept {
        pool2d_i8_params p{};
        const std::int32_t c = between(1, 18), h = between(1, 20), w = between(1, 20);
        p.kernel_h = between(1, h), p.kernel_w = between(1, w);
        p.window.stride_h = between(1, 3), p.window.stride_w = between(1, 3);
        p.window.pad_top = between(0, p.kernel_h - 1),
        p.window.pad_left = between(0, p.kernel_w - 1);
        p.min = one_in(3) ? between(-128, 0) : -128, p.max = one_in(3) ? between(0, 127) : 127;
        start();
        add(dtype::i8, place::arena, {1, h, w, c}, 0);
        const std::int32_t out_h = (h - 1 + p.window.pad_top) / p.window.stride_h + 1;
        const std::int32_t out_w = (w - 1 + p.window.pad_left) / p.window.stride_w + 1;
        add(dtype::i8, place::arena, {1, out_h, out_w, c}, 0);
        return run<average_pool2d_i8>(p, 1, 0);
    }

  private:
    static constexpr std::size_t guard = 32, arena_bytes = 1 << 16;
    static constexpr std::byte untouched{0x5a};

    std::int32_t between(std::int32_t lo, std::int32_t hi) noexcept {
        state_ ^= state_ << 13, state_ ^= state_ >> 17, state_ ^= state_ << 5;
        const auto n = static_cast<std::uint32_t>(hi) - static_cast<std::uint32_t>(lo) + 1;
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(lo) +
                                         (n == 0 ? state_ : state_ % n));
    }
    bool one_in(std::int32_t n) noexcept { return between(1, n) == 1; }
    std::int32_t zero_point() noexcept {
        return one_in(3) ? (one_in(2) ? -128 : 127) : between(-128, 127);
    }
    multiplier less() noexcept { return {between(0, INT32_MAX), -between(0, 31)}; }

    void window(window_params& w, bool pointwise) noexcept {
        w.stride_h = pointwise && !one_in(4) ? 1 : between(1, 3);
        w.stride_w = pointwise && !one_in(4) ? 1 : between(1, 3);
        w.dilation_h = one_in(4) ? between(1, 3) : 1, w.dilation_w = one_in(4) ? between(1, 3) : 1;
        w.pad_top = pointwise ? 0 : between(0, 2), w.pad_left = pointwise ? 0 : between(0, 2);
    }
    void stage(output_stage_params& p, std::int32_t taps) noexcept {
        taps_ = taps;
        p.zero_point = zero_point();
        p.min = one_in(4) ? between(-128, 127) : -128;
        p.max = one_in(4) ? between(p.min, 127) : 127;
    }

    // Operands, guards between those in the arena.
    struct dims {
        std::int32_t value[4];
        std::uint8_t rank = 0;
        template <class... N>
        dims(N... n) noexcept : value{n...}, rank(sizeof...(N)) {}
    };
    void start() noexcept {
        tensors_ = words_ = 0;
        arena_end_ = guard, constants_end_ = 0;
    }
    static std::size_t up(std::size_t n) noexcept { return (n + 15) / 16 * 16; }
    std::byte* constant(std::size_t bytes) noexcept {
        std::byte* at = constants + constants_end_;
        constants_end_ = up(constants_end_ + bytes);
        return at;
    }
    void add(dtype type, place where, const dims& d, std::size_t at) noexcept {
        tensor_record& r = records[tensors_++];
        r = {};
        r.type = type, r.where = where, r.coding = encoding::dense, r.rank = d.rank;
        r.dims_at = static_cast<std::uint32_t>(words_);
        std::size_t n = bits_of(type) / 8;
        for (std::size_t i = 0; i < d.rank; ++i) {
            words[words_++] = static_cast<std::uint32_t>(d.value[i]);
            n *= static_cast<std::size_t>(d.value[i]);
        }
        r.bytes = static_cast<std::uint32_t>(n);
        if (where == place::arena) {
            if (at == 0) {
                at = arena_end_;
                arena_end_ = up(arena_end_ + n) + guard;
            }
            r.at = static_cast<std::uint32_t>(at / block_bytes);
        } else if (where == place::constant) {
            r.at = static_cast<std::uint32_t>(static_cast<std::size_t>(constant(n) - constants) /
                                              block_bytes);
        }
    }
    template <class T>
    T* constant_data(std::size_t tensor) noexcept {
        return reinterpret_cast<T*>(constants + std::size_t{records[tensor].at} * block_bytes);
    }
    // Of tensor 1: mostly such as fit, sometimes extreme.
    void weights(std::int32_t channels, std::int32_t taps, std::int32_t channel,
                 std::int32_t tap) noexcept {
        auto* w = constant_data<std::int8_t>(1);
        const bool extreme = one_in(8), lowest = one_in(16);
        for (std::int32_t o = 0; o < channels; ++o) {
            const bool none = one_in(12);
            for (std::int32_t t = 0; t < taps; ++t) {
                const std::int32_t x = extreme ? (one_in(2) ? 127 : -127) : between(-127, 127);
                w[o * channel + t * tap] = static_cast<std::int8_t>(none                  ? 0
                                                                    : lowest && one_in(9) ? -128
                                                                                          : x);
            }
        }
    }
    void add_stage(std::int32_t channels, std::int32_t taps) noexcept {
        const std::int32_t stages = one_in(3) ? 1 : channels;
        int size = 0;
        while ((1 << size) < taps) ++size;
        const bool wild = one_in(10);
        add(dtype::i32, one_in(4) ? place::absent : place::constant, {channels}, 0);
        if (records[2].where == place::absent) records[2] = {}, records[2].where = place::absent;
        for (std::int32_t i = 0; i < channels && records[2].where == place::constant; ++i) {
            constant_data<std::int32_t>(2)[i] =
                wild && one_in(4) ? between(INT32_MIN, INT32_MAX) : between(-20000, 20000);
        }
        add(dtype::i32, place::constant, {stages}, 0);
        add(dtype::i8, place::constant, {stages}, 0);
        for (std::int32_t i = 0; i < stages; ++i) {
            const bool odd = wild && one_in(3);
            constant_data<std::int32_t>(3)[i] = one_in(12) ? 0
                                                : odd      ? between(0, INT32_MAX)
                                                           : between(1 << 30, INT32_MAX);
            constant_data<std::int8_t>(4)[i] =
                static_cast<std::int8_t>(one_in(20) ? -between(1, 31)
                                         : odd ? between(min_multiplier_shift, max_multiplier_shift)
                                               : -between(6 + size / 2, 9 + size / 2));
        }
    }

    template <class Family, class Params>
    outcome windowed(Params& p, std::int32_t c, std::int32_t o, std::int32_t kernel_h,
                     std::int32_t kernel_w, const dims& filter, std::int32_t taps,
                     std::int32_t channel, std::int32_t tap) noexcept {
        const std::int32_t h = between(1, 12), w = between(1, 12);
        // As many outputs as start inside, or one less.
        const auto outputs = [&](std::int32_t in, std::int32_t stride, std::int32_t pad) {
            const std::int32_t most = (in - 1 + pad) / stride + 1;
            return most > 1 && one_in(2) ? most - 1 : most;
        };
        const std::int32_t out_h = outputs(h, p.window.stride_h, p.window.pad_top);
        const std::int32_t out_w = outputs(w, p.window.stride_w, p.window.pad_left);
        const bool rows = one_in(2);
        const std::int32_t n = rows ? 1 : between(1, 2);
        static_cast<void>(kernel_h), static_cast<void>(kernel_w);
        p.input_zero_point = zero_point();
        stage(p.output, taps);
        start();
        std::size_t distance = 0;
        if (rows) {
            // plan/overlap.hpp
            for (std::int32_t y = 0; y + 1 < out_h; ++y) {
                const std::int32_t needed =
                    clamp((y + 1) * p.window.stride_h - p.window.pad_top, 0, h);
                const std::int32_t d = (y + 1) * out_w * o - needed * w * c;
                if (d > static_cast<std::int32_t>(distance)) distance = static_cast<std::size_t>(d);
            }
            distance = up(distance) + (one_in(3) ? 16 : 0);
            const auto in_bytes = static_cast<std::size_t>(h * w * c);
            const auto out_bytes = static_cast<std::size_t>(out_h * out_w * o);
            add(dtype::i8, place::arena, {1, h, w, c}, guard + distance);
            const std::size_t end =
                distance + in_bytes > out_bytes ? distance + in_bytes : out_bytes;
            arena_end_ = up(guard + end) + guard;
        } else {
            add(dtype::i8, place::arena, {n, h, w, c}, 0);
        }
        add(dtype::i8, place::constant, filter, 0);
        weights(o, taps, channel, tap);
        add_stage(o, taps);
        add(dtype::i8, place::arena, {n, out_h, out_w, o}, rows ? guard : 0);
        return run<Family>(p, 5, rows ? op_by_rows : 0);
    }

    template <class Family, class Params>
    outcome run(const Params& p, std::uint16_t inputs, std::uint16_t flags) noexcept {
        // Two more tensors for the reference: operands apart, in a second arena.
        op_record op{};
        op.kernel = static_cast<std::uint16_t>(Family::id);
        op.inputs = inputs, op.outputs = 1;
        op.operands_at = static_cast<std::uint32_t>(words_);
        for (std::uint32_t i = 0; i <= inputs; ++i) words[words_++] = i;
        op.params_at = static_cast<std::uint32_t>(words_);
        std::memcpy(words + words_, &p, sizeof p);
        words_ += sizeof p / 4;
        const program code{records, &op, words, constants, inputs + 1u, 1};
        tensor_record &in = records[0], &out = records[inputs];
        if (!Family::check(call(code, op, nullptr)).ok()) return refused;

        const std::size_t at_end = arena_end_ + up(in.bytes) + up(out.bytes) + 4 * guard;
        std::memset(arena, static_cast<int>(untouched), arena_bytes);
        std::memset(reference, static_cast<int>(untouched), arena_bytes);
        const bool extreme = one_in(8);
        for (std::uint32_t t = 0; t < inputs; ++t) {
            if (records[t].where != place::arena) continue;
            for (std::uint32_t i = 0; i < records[t].bytes; ++i) {
                const std::int32_t x = extreme ? (one_in(2) ? -128 : 127) : between(-128, 127);
                arena[std::size_t{records[t].at} * block_bytes + i] = static_cast<std::byte>(x);
            }
        }
        std::memcpy(reference, arena, arena_bytes);
        const std::uint32_t out_at = out.at;
        out.at = static_cast<std::uint32_t>(up(arena_end_ + guard) / block_bytes);
        if (at_end > arena_bytes) return refused;
        Family::run(portable{}, call(code, op, reference));
        const std::byte* expected = reference + std::size_t{out.at} * block_bytes;
        out.at = out_at;

        constexpr Tag port{};
        op.flags = flags;
        op.scratch_at = static_cast<std::uint32_t>(arena_end_ / block_bytes);
        using scratch = kompakt::detail::scratch_of_kernel<Family, Tag>;
        op.scratch_bytes = static_cast<std::uint32_t>(scratch::bytes(call(code, op, nullptr)));
        const std::size_t scratch_from = arena_end_, scratch_to = arena_end_ + op.scratch_bytes;
        if (scratch_to + guard > arena_bytes) return refused;
        using packing = kompakt::detail::pack_traits<Family, Tag>;
        const std::byte* weights_packed = nullptr;
        std::byte* after = nullptr;
        if constexpr (packing::id != 0) {
            const std::size_t bytes = packing::bytes(call(code, op, nullptr));
            if (bytes != 0) {
                std::byte* to = constant(bytes);
                after = to + bytes;
                std::memset(after, static_cast<int>(untouched), guard);
                packing::pack(call(code, op, nullptr), to);
                // As stored in an executable: the answer follows from shapes and places.
                records[packed_input].coding = encoding::port;
                if (packing::bytes(call(code, op, nullptr)) != bytes) return different;
                records[packed_input].coding = encoding::dense;
                weights_packed = to;
                ++packed;
            }
        }
        if (flags != 0) ++by_rows;
        if (weights_packed != nullptr) {
            Family::run(port, packed_call<call>(code, op, arena, weights_packed));
        } else {
            Family::run(port, call(code, op, arena));
        }
        const std::size_t first = std::size_t{out.at} * block_bytes;
        if (std::memcmp(arena + first, expected, out.bytes) != 0) return different;
        // Where there is no overlap inputs stay; else they are only overwritten.
        for (std::size_t i = 0; i < arena_bytes; ++i) {
            const bool written =
                (i >= first && i < first + out.bytes) || (i >= scratch_from && i < scratch_to);
            if (!written && arena[i] != reference[i] && !inside_output(out, i)) return outside;
        }
        for (std::size_t i = 0; after != nullptr && i < guard; ++i) {
            if (after[i] != untouched) return outside;
        }
        return same;
    }
    // The reference's own output lies where the arena has nothing.
    bool inside_output(const tensor_record& out, std::size_t i) const noexcept {
        const std::size_t at = up(arena_end_ + guard);
        return i >= at && i < at + out.bytes && arena[i] == untouched;
    }

    std::uint32_t state_ = 1;
    std::int32_t taps_ = 1;
    std::size_t tensors_ = 0, words_ = 0, arena_end_ = 0, constants_end_ = 0;
    tensor_record records[8];
    std::uint32_t words[128];
    alignas(16) std::byte arena[arena_bytes], reference[arena_bytes], constants[arena_bytes];
};

using v6m_cases = port_cases<cortex_m::v6m>;
using cortex_m_cases = port_cases<cortex_m::dsp>;
using mve_cases = port_cases<cortex_m::mve>;

} // namespace kompakt_test
