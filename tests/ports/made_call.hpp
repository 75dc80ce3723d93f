// Calls of quantized kernels with everything that they point to, laid out by hand: every buffer
// lies between zones that must stay as they are, at any alignment.
#pragma once

#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/kernel/call.hpp>
#include <kompakt/kernel/requantize.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace kompakt_test {

class dice {
  public:
    explicit dice(std::uint32_t seed) : engine_(seed) {}
    std::int32_t between(std::int32_t lo, std::int32_t hi) {
        const auto n = static_cast<std::uint64_t>(std::int64_t{hi} - lo + 1);
        return static_cast<std::int32_t>(lo + static_cast<std::int64_t>(engine_() % n));
    }
    bool one_in(std::int32_t n) { return between(1, n) == 1; }

  private:
    std::mt19937 engine_;
};

// How int8 values are chosen; `tame` leaves out -128, as TensorFlow Lite's weights do.
enum class bytes_of { anything, lowest, highest, extremes, tame };

inline std::vector<std::int8_t> made_bytes(std::size_t n, bytes_of how, dice& d) {
    std::vector<std::int8_t> v(n);
    for (std::int8_t& x : v) {
        const bool low = how == bytes_of::lowest || (how == bytes_of::extremes && d.one_in(2));
        x = static_cast<std::int8_t>(how == bytes_of::anything ? d.between(-128, 127)
                                     : how == bytes_of::tame   ? d.between(-127, 127)
                                     : low                     ? -128
                                                               : 127);
    }
    return v;
}

// Bias, multipliers and shifts of a number of channels.
struct made_stage {
    std::vector<std::int32_t> bias, multipliers;
    std::vector<std::int8_t> shifts;
    kompakt::output_stage_params params;
    bool has_bias = true;
};

// `wild`: any shift and multiplier that a file may have. Otherwise outputs are spread over their
// range, mostly.
inline made_stage stage_for(std::int32_t channels, std::int32_t taps, bool wild, dice& d) {
    made_stage s;
    s.has_bias = !d.one_in(4);
    int size = 0;
    while ((std::int32_t{1} << size) < taps) ++size;
    const std::int32_t stages = d.one_in(3) ? 1 : channels;
    for (std::int32_t i = 0; i < stages; ++i) {
        const bool odd = wild && d.one_in(4);
        s.multipliers.push_back(odd && d.one_in(2) ? d.between(0, 1) * INT32_MAX
                                                   : d.between(1 << 30, INT32_MAX));
        s.shifts.push_back(static_cast<std::int8_t>(
            odd ? d.between(kompakt::min_multiplier_shift, kompakt::max_multiplier_shift)
                : d.between(-9 - size / 2, -7 - size / 2)));
    }
    for (std::int32_t i = 0; i < channels; ++i) {
        s.bias.push_back(wild && d.one_in(16) ? (d.one_in(2) ? INT32_MIN : INT32_MAX)
                                              : d.between(-20000, 20000));
    }
    s.params.zero_point = d.one_in(3) ? (d.one_in(2) ? -128 : 127) : d.between(-128, 127);
    if (d.one_in(2)) { // a fused relu
        s.params.min = d.between(s.params.zero_point, 127);
        s.params.max = d.one_in(2) ? 127 : d.between(s.params.min, 127);
    } else if (d.one_in(2)) {
        s.params.min = d.between(-128, 127);
        s.params.max = d.between(s.params.min, 127);
    }
    return s;
}

class made_call {
  public:
    static constexpr std::size_t zone = 64;

    // `offset` shifts the arena off its alignment.
    template <class Params>
    made_call(kompakt::kernel_id id, const Params& p, const std::vector<std::int32_t>& in_dims,
              const std::vector<std::int8_t>& in, const std::vector<std::int32_t>& filter_dims,
              const std::vector<std::int8_t>& filter, const std::vector<std::int32_t>& out_dims,
              const made_stage& stage, bool by_rows, std::size_t offset)
        : in_(in), out_size_(product(out_dims)), offset_(offset) {
        const std::size_t channels = stage.bias.size(), stages = stage.multipliers.size();
        const std::size_t bias_at = whole(filter.size()),
                          multipliers_at = bias_at + whole(channels * 4),
                          shifts_at = multipliers_at + whole(stages * 4);
        constants_ = kompakt::aligned_buffer(shifts_at + stages);
        std::memcpy(constants_.data(), filter.data(), filter.size());
        std::memcpy(constants_.data() + bias_at, stage.bias.data(), channels * 4);
        std::memcpy(constants_.data() + multipliers_at, stage.multipliers.data(), stages * 4);
        std::memcpy(constants_.data() + shifts_at, stage.shifts.data(), stages);
        out_at_ = 2 * zone + whole(in.size());
        scratch_at_ = out_at_ + zone + whole(out_size_);

        using kompakt::dtype;
        using kompakt::place;
        add(dtype::i8, place::arena, zone, in_dims);
        add(dtype::i8, place::constant, 0, filter_dims);
        add(dtype::i32, stage.has_bias ? place::constant : place::absent, bias_at,
            {static_cast<std::int32_t>(channels)});
        add(dtype::i32, place::constant, multipliers_at, {static_cast<std::int32_t>(stages)});
        add(dtype::i8, place::constant, shifts_at, {static_cast<std::int32_t>(stages)});
        add(dtype::i8, place::arena, out_at_, out_dims);
        op_.kernel = static_cast<std::uint16_t>(id);
        op_.flags = by_rows ? kompakt::op_by_rows : 0;
        op_.inputs = 5, op_.outputs = 1;
        op_.operands_at = static_cast<std::uint32_t>(words_.size());
        for (std::uint32_t i = 0; i < 6; ++i) words_.push_back(i);
        op_.params_at = static_cast<std::uint32_t>(words_.size());
        words_.resize(words_.size() + sizeof p / 4);
        std::memcpy(words_.data() + op_.params_at, &p, sizeof p);
        code_ = {tensors_.data(), &op_, words_.data(), constants_.data(), 6, 1};
        scratch_of(0);
    }
    made_call(const made_call&) = delete;

    // Room for exactly n bytes of scratch; outputs become what they were before a run.
    void scratch_of(std::size_t n) {
        scratch_size_ = n;
        op_.scratch_at = static_cast<std::uint32_t>(scratch_at_ / kompakt::block_bytes);
        op_.scratch_bytes = static_cast<std::uint32_t>(n);
        bytes_.assign(scratch_at_ + n + zone + offset_ + 16, std::byte{0x5a});
        const auto off = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 16;
        arena_ = bytes_.data() + (off == 0 ? 0 : 16 - off) + offset_;
        std::memcpy(arena_ + zone, in_.data(), in_.size());
    }
    // Right before use: the call refers to this object's tables.
    kompakt::call with(const std::byte* packed) { return {code_, op_, arena_, packed}; }
    kompakt::call unplaced() { return {code_, op_, nullptr}; }

    std::vector<std::int8_t> output() const {
        const auto* at = reinterpret_cast<const std::int8_t*>(arena_ + out_at_);
        return {at, at + out_size_};
    }
    // Nothing but the output and the scratch was written.
    bool intact() const {
        const auto clean = [&](std::size_t from, std::size_t to) {
            return std::all_of(arena_ + from, arena_ + to,
                               [](std::byte x) { return x == std::byte{0x5a}; });
        };
        const std::size_t end = scratch_at_ + scratch_size_;
        return clean(0, zone) && std::memcmp(arena_ + zone, in_.data(), in_.size()) == 0 &&
               clean(zone + in_.size(), out_at_) && clean(out_at_ + out_size_, scratch_at_) &&
               clean(end, end + zone);
    }

  private:
    static std::size_t whole(std::size_t n) { return (n + 15) / 16 * 16; }
    static std::size_t product(const std::vector<std::int32_t>& dims) {
        std::size_t n = 1;
        for (const std::int32_t d : dims) n *= static_cast<std::size_t>(d);
        return n;
    }
    void add(kompakt::dtype type, kompakt::place where, std::size_t at,
             const std::vector<std::int32_t>& dims) {
        kompakt::tensor_record r{};
        r.type = type, r.where = where, r.coding = kompakt::encoding::dense;
        r.rank = static_cast<std::uint8_t>(dims.size());
        r.at = static_cast<std::uint32_t>(at / kompakt::block_bytes);
        r.dims_at = static_cast<std::uint32_t>(words_.size());
        for (const std::int32_t n : dims) words_.push_back(static_cast<std::uint32_t>(n));
        tensors_.push_back(r);
    }

    std::vector<std::int8_t> in_;
    std::size_t out_size_, out_at_ = 0, scratch_at_ = 0, scratch_size_ = 0, offset_;
    std::vector<std::byte> bytes_;
    std::byte* arena_ = nullptr;
    kompakt::aligned_buffer constants_;
    std::vector<kompakt::tensor_record> tensors_;
    std::vector<std::uint32_t> words_;
    kompakt::op_record op_{};
    kompakt::program code_{};
};

// A window over an image; `m` is what output channels are counted by.
struct made_window {
    std::int32_t n = 1, h = 1, w = 1, c = 1, kernel_h = 1, kernel_w = 1;
    std::int32_t pad_bottom = 0, pad_right = 0;
    kompakt::window_params window;

    std::int32_t out_h() const {
        return (h + window.pad_top + pad_bottom - (kernel_h - 1) * window.dilation_h - 1) /
                   window.stride_h +
               1;
    }
    std::int32_t out_w() const {
        return (w + window.pad_left + pad_right - (kernel_w - 1) * window.dilation_w - 1) /
                   window.stride_w +
               1;
    }
    std::vector<std::int32_t> in_dims() const { return {n, h, w, c}; }
    std::size_t in_size() const { return static_cast<std::size_t>(n * h * w * c); }
    std::string text() const {
        const auto s = [](std::int32_t x) { return std::to_string(x); };
        return s(n) + "x" + s(h) + "x" + s(w) + "x" + s(c) + " window " + s(kernel_h) + "x" +
               s(kernel_w) + " stride " + s(window.stride_h) + "x" + s(window.stride_w) +
               " dilation " + s(window.dilation_h) + "x" + s(window.dilation_w) + " pads " +
               s(window.pad_top) + " " + s(window.pad_left) + " " + s(pad_bottom) + " " +
               s(pad_right);
    }
};

inline made_window random_window(std::int32_t most_channels, dice& d) {
    made_window s;
    s.n = d.one_in(3) ? d.between(1, 3) : 1;
    s.c = d.one_in(2) ? d.between(1, most_channels) : (d.between(1, most_channels) + 7) / 8 * 8;
    s.kernel_h = d.between(1, 4), s.kernel_w = d.between(1, 4);
    if (d.one_in(3)) s.kernel_h = s.kernel_w = d.one_in(2) ? 1 : 3;
    s.window.dilation_h = d.one_in(4) ? d.between(2, 3) : 1;
    s.window.dilation_w = d.one_in(4) ? d.between(2, 3) : 1;
    s.window.stride_h = d.one_in(2) ? 1 : d.between(1, 3);
    s.window.stride_w = d.one_in(2) ? 1 : d.between(1, 3);
    s.window.pad_top = d.one_in(3) ? 0 : d.between(0, 3);
    s.window.pad_left = d.one_in(3) ? 0 : d.between(0, 3);
    s.pad_bottom = d.between(0, 3), s.pad_right = d.between(0, 3);
    const auto least = [](std::int32_t taps, std::int32_t dilation, std::int32_t pads) {
        return (std::max)(1, (taps - 1) * dilation + 1 - pads);
    };
    s.h = least(s.kernel_h, s.window.dilation_h, s.window.pad_top + s.pad_bottom) + d.between(0, 5);
    s.w = least(s.kernel_w, s.window.dilation_w, s.window.pad_left + s.pad_right) + d.between(0, 9);
    // The last window has to start inside the input.
    while ((s.out_h() - 1) * s.window.stride_h - s.window.pad_top >= s.h) --s.pad_bottom;
    while ((s.out_w() - 1) * s.window.stride_w - s.window.pad_left >= s.w) --s.pad_right;
    return s;
}

} // namespace kompakt_test
