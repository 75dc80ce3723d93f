// The x86 ports against the portable kernels, bit for bit. On a processor without AVX2 (or under
// `qemu-x86_64 -cpu Nehalem`) only the choice is tested: it must fall to the portable port.
#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/kernel/static_call.hpp>
#include <kompakt/run/session.hpp>

#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <ops/conv2d_spec.hpp>
#include <ops/fully_connected_spec.hpp>
#include <random>
#include <string>
#include <vector>

using namespace kompakt;

namespace {

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

// Bytes that end where their allocation ends, so that the address sanitizer sees any read beyond.
class exact {
  public:
    exact(std::size_t n, std::size_t offset)
        : size_(n), offset_(offset), bytes_(new std::int8_t[offset + n]()) {}
    std::int8_t* data() { return bytes_.get() + offset_; }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_, offset_;
    std::unique_ptr<std::int8_t[]> bytes_;
};

// Bytes between two zones that must stay as they are.
class guarded {
  public:
    static constexpr std::size_t zone = 64;

    guarded(std::size_t n, std::size_t offset)
        : size_(n), offset_(offset), bytes_(n + 2 * zone + offset + 16, 0x5a) {
        const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 16;
        offset_ += zone + (at == 0 ? 0 : 16 - at);
    }
    std::int8_t* data() { return bytes_.data() + offset_; }
    std::vector<std::int8_t> value() { return {data(), data() + size_}; }
    bool intact() const {
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            if ((i < offset_ || i >= offset_ + size_) && bytes_[i] != 0x5a) return false;
        }
        return true;
    }

  private:
    std::size_t size_, offset_;
    std::vector<std::int8_t> bytes_;
};

enum class filling { random, lowest, highest, mixed };

void fill(std::int8_t* to, std::size_t n, filling how, dice& d) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool low = how == filling::lowest || (how == filling::mixed && d.one_in(2));
        to[i] = static_cast<std::int8_t>(how == filling::random ? d.between(-128, 127)
                                         : low                  ? -128
                                                                : 127);
    }
}

struct stage_data {
    std::vector<std::int32_t> bias, multipliers;
    std::vector<std::int8_t> shifts;
    output_stage_params params;
    bool has_bias = true;

    output_stage view() const {
        return {has_bias ? bias.data() : nullptr, multipliers.data(), shifts.data(),
                multipliers.size() > 1 ? 1 : 0, params};
    }
};

stage_data random_stage(std::int32_t channels, std::int32_t taps, dice& d) {
    stage_data s;
    s.has_bias = !d.one_in(4);
    // Mostly such that the outputs are spread over their range; sometimes anything.
    int size = 0;
    while ((std::int32_t{1} << size) < taps) ++size;
    const std::int32_t stages = d.one_in(3) ? 1 : channels;
    for (std::int32_t i = 0; i < stages; ++i) {
        const bool wild = d.one_in(8);
        s.multipliers.push_back(wild && d.one_in(2) ? d.between(0, 1) * INT32_MAX
                                                    : d.between(1 << 30, INT32_MAX));
        s.shifts.push_back(
            static_cast<std::int8_t>(wild ? d.between(min_multiplier_shift, max_multiplier_shift)
                                          : d.between(-9 - size / 2, -7 - size / 2)));
    }
    for (std::int32_t i = 0; i < channels; ++i) {
        s.bias.push_back(d.one_in(16) ? (d.one_in(2) ? INT32_MIN : INT32_MAX)
                                      : d.between(-20000, 20000));
    }
    s.params.zero_point = d.one_in(4) ? (d.one_in(2) ? -128 : 127) : d.between(-128, 127);
    if (d.one_in(3)) {
        s.params.min = d.between(-128, 127);
        s.params.max = d.between(s.params.min, 127);
    }
    return s;
}

std::int32_t random_zero_point(dice& d) {
    return d.one_in(3) ? (d.one_in(2) ? -128 : 127) : d.between(-128, 127);
}

struct conv_shape {
    std::int32_t n = 1, h = 1, w = 1, c = 1, out_c = 1, kernel_h = 1, kernel_w = 1, groups = 1;
    std::int32_t pad_bottom = 0, pad_right = 0;
    window_params window;

    std::int32_t depth() const { return c / groups; }
    std::int32_t taps() const { return kernel_h * kernel_w * depth(); }
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
    std::size_t in_size() const { return static_cast<std::size_t>(n * h * w * c); }
    std::size_t filter_size() const { return static_cast<std::size_t>(out_c * taps()); }
    std::size_t out_size() const { return static_cast<std::size_t>(n * out_h() * out_w() * out_c); }
    dynamic_extents<4> in_dims() const { return dynamic_extents<4>(n, h, w, c); }
    dynamic_extents<4> filter_dims() const {
        return dynamic_extents<4>(out_c, kernel_h, kernel_w, depth());
    }
    // Of a depthwise convolution, where each channel is a group.
    dynamic_extents<4> depthwise_filter_dims() const {
        return dynamic_extents<4>(1, kernel_h, kernel_w, out_c);
    }
    dynamic_extents<4> out_dims() const { return dynamic_extents<4>(n, out_h(), out_w(), out_c); }

    std::string text() const {
        std::string s = "in " + std::to_string(n) + "x" + std::to_string(h) + "x" +
                        std::to_string(w) + "x" + std::to_string(c) + ", out " +
                        std::to_string(out_h()) + "x" + std::to_string(out_w()) + "x" +
                        std::to_string(out_c) + ", kernel " + std::to_string(kernel_h) + "x" +
                        std::to_string(kernel_w) + ", groups " + std::to_string(groups);
        return s + ", stride " + std::to_string(window.stride_h) + "x" +
               std::to_string(window.stride_w) + ", dilation " + std::to_string(window.dilation_h) +
               "x" + std::to_string(window.dilation_w);
    }
};

conv_shape random_shape(dice& d) {
    conv_shape s;
    s.groups = d.one_in(3) ? d.between(2, 5) : 1;
    s.n = d.between(1, 3);
    s.c = s.groups * d.between(1, 70 / s.groups);
    s.out_c = s.groups * d.between(1, 70 / s.groups);
    s.kernel_h = d.between(1, 4), s.kernel_w = d.between(1, 4);
    s.window.dilation_h = d.one_in(3) ? d.between(2, 3) : 1;
    s.window.dilation_w = d.one_in(3) ? d.between(2, 3) : 1;
    s.window.stride_h = d.between(1, 3), s.window.stride_w = d.between(1, 3);
    s.window.pad_top = d.between(0, 3), s.window.pad_left = d.between(0, 3);
    s.pad_bottom = d.between(0, 3), s.pad_right = d.between(0, 3);
    const auto least = [](std::int32_t taps, std::int32_t dilation, std::int32_t pads) {
        return (std::max)(1, (taps - 1) * dilation + 1 - pads);
    };
    s.h = least(s.kernel_h, s.window.dilation_h, s.window.pad_top + s.pad_bottom) + d.between(0, 5);
    s.w = least(s.kernel_w, s.window.dilation_w, s.window.pad_left + s.pad_right) + d.between(0, 5);
    // The last window has to start inside the input.
    while ((s.out_h() - 1) * s.window.stride_h - s.window.pad_top >= s.h) --s.pad_bottom;
    while ((s.out_w() - 1) * s.window.stride_w - s.window.pad_left >= s.w) --s.pad_right;
    return s;
}

// One call with everything that it points to: the way that sessions reach a kernel.
class made_call {
  public:
    // `offset` shifts the arena off its alignment.
    template <class Params>
    made_call(kernel_id id, const conv_shape& s, const dynamic_extents<4>& filter_dims,
              const Params& p, const stage_data& stage, const std::int8_t* in,
              const std::int8_t* filter, bool by_rows, std::size_t offset)
        : out_size_(s.out_size()), out_at_(2 * guarded::zone + round_up(s.in_size(), 16)),
          row_at_(out_at_ + guarded::zone + round_up(s.out_size(), 16)),
          row_size_(static_cast<std::size_t>(
              round_up(static_cast<std::uint64_t>(s.out_w() * s.out_c), 16))),
          bytes_(row_at_ + row_size_ + guarded::zone + offset, std::byte{0x5a}),
          arena_(bytes_.data() + offset) {
        const std::size_t channels = static_cast<std::size_t>(s.out_c);
        const std::size_t stages = stage.multipliers.size();
        const std::size_t filter_at = 0, bias_at = round_up(s.filter_size(), 16),
                          multipliers_at = bias_at + round_up(channels * 4, 16),
                          shifts_at = multipliers_at + round_up(stages * 4, 16);
        constants_ = aligned_buffer(shifts_at + stages);
        std::memcpy(constants_.data() + filter_at, filter, s.filter_size());
        std::memcpy(constants_.data() + bias_at, stage.bias.data(), channels * 4);
        std::memcpy(constants_.data() + multipliers_at, stage.multipliers.data(), stages * 4);
        std::memcpy(constants_.data() + shifts_at, stage.shifts.data(), stages);
        std::memcpy(arena_ + guarded::zone, in, s.in_size());

        add(dtype::i8, place::arena, guarded::zone, {s.n, s.h, s.w, s.c});
        add(dtype::i8, place::constant, filter_at,
            {filter_dims[0], filter_dims[1], filter_dims[2], filter_dims[3]});
        add(dtype::i32, stage.has_bias ? place::constant : place::absent, bias_at, {s.out_c});
        add(dtype::i32, place::constant, multipliers_at, {static_cast<std::int32_t>(stages)});
        add(dtype::i8, place::constant, shifts_at, {static_cast<std::int32_t>(stages)});
        add(dtype::i8, place::arena, out_at_, {s.n, s.out_h(), s.out_w(), s.out_c});
        op_.kernel = static_cast<std::uint16_t>(id);
        op_.flags = by_rows ? op_by_rows : 0;
        op_.inputs = 5, op_.outputs = 1;
        op_.operands_at = static_cast<std::uint32_t>(words_.size());
        for (std::uint32_t i = 0; i < 6; ++i) words_.push_back(i);
        op_.params_at = static_cast<std::uint32_t>(words_.size());
        words_.resize(words_.size() + sizeof p / 4);
        std::memcpy(words_.data() + op_.params_at, &p, sizeof p);
        op_.scratch_at = static_cast<std::uint32_t>(row_at_ / block_bytes);
        op_.scratch_bytes = static_cast<std::uint32_t>(row_size_);
        code_ = {tensors_.data(), &op_, words_.data(), constants_.data(), 6, 1};
    }
    made_call(const made_call&) = delete;

    call with(const std::byte* packed) { return call(code_, op_, arena_, packed); }
    std::vector<std::int8_t> output() const {
        const auto* at = reinterpret_cast<const std::int8_t*>(arena_ + out_at_);
        return {at, at + out_size_};
    }
    // Nothing but the output and the row buffer was written.
    bool intact(const std::int8_t* in, std::size_t n) const {
        const std::byte* b = arena_;
        const auto clean = [&](std::size_t from, std::size_t to) {
            return std::all_of(b + from, b + to, [](std::byte x) { return x == std::byte{0x5a}; });
        };
        return clean(0, guarded::zone) && std::memcmp(b + guarded::zone, in, n) == 0 &&
               clean(guarded::zone + n, out_at_) && clean(out_at_ + out_size_, row_at_) &&
               clean(row_at_ + row_size_, row_at_ + row_size_ + guarded::zone);
    }

  private:
    void add(dtype type, place where, std::size_t at, const std::vector<std::int32_t>& dims) {
        tensor_record r{};
        r.type = type, r.where = where, r.coding = encoding::dense;
        r.rank = static_cast<std::uint8_t>(dims.size());
        r.at = static_cast<std::uint32_t>(at / block_bytes);
        r.dims_at = static_cast<std::uint32_t>(words_.size());
        for (std::int32_t n : dims) words_.push_back(static_cast<std::uint32_t>(n));
        tensors_.push_back(r);
    }

    std::size_t out_size_, out_at_, row_at_, row_size_;
    std::vector<std::byte> bytes_;
    std::byte* arena_;
    aligned_buffer constants_;
    std::vector<tensor_record> tensors_;
    std::vector<std::uint32_t> words_;
    op_record op_{};
    program code_;
};

std::string said(const status& s) {
    return s.ok() ? "" : s.message();
}

bool has_avx2() {
    if (x86::avx2::supported()) return true;
    MESSAGE("this processor has no AVX2: skipped");
    return false;
}

// A call of the family with canonical and with packed weights, at once and by rows.
template <class Family, class Params>
void check_calls(const conv_shape& s, const dynamic_extents<4>& filter_dims, const Params& p,
                 const stage_data& stage, exact& in, exact& filter,
                 const std::vector<std::int8_t>& expected, std::size_t out_at) {
    for (const bool by_rows : {false, true}) {
        if (by_rows && s.n != 1) continue;
        for (const bool packed : {false, true}) {
            made_call m(Family::id, s, filter_dims, p, stage, in.data(), filter.data(), by_rows,
                        out_at);
            const std::string e = said(Family::check(m.with(nullptr)));
            REQUIRE(e == "");
            const std::size_t n = Family::pack_bytes(x86::avx2{}, m.with(nullptr));
            guarded weights(n, 0);
            auto* to = reinterpret_cast<std::byte*>(weights.data());
            if (packed && n == 0) continue;
            if (packed) Family::pack(x86::avx2{}, m.with(nullptr), to);
            CHECK(weights.intact());
            CAPTURE(by_rows);
            CAPTURE(packed);
            Family::run(x86::avx2{}, m.with(packed ? to : nullptr));
            CHECK(m.output() == expected);
            CHECK(m.intact(in.data(), in.size()));
        }
    }
}

// The portable kernel, AVX2 on canonical weights, AVX2 on packed weights, at once and by rows.
void check_conv(const conv_shape& s, filling in_filling, filling filter_filling, std::size_t in_at,
                std::size_t filter_at, std::size_t out_at, dice& d) {
    const std::string text = s.text();
    CAPTURE(text);
    exact in(s.in_size(), in_at), filter(s.filter_size(), filter_at);
    fill(in.data(), in.size(), in_filling, d);
    fill(filter.data(), filter.size(), filter_filling, d);
    const stage_data stage = random_stage(s.out_c, s.taps(), d);
    conv2d_i8_params p;
    p.window = s.window;
    p.input_zero_point = random_zero_point(d);
    p.output = stage.params;

    const dynamic_tensor<const std::int8_t, 4> x(in.data(), s.in_dims());
    const dynamic_tensor<const std::int8_t, 4> w(filter.data(), s.filter_dims());
    guarded expected(s.out_size(), 0), out(s.out_size(), out_at);
    conv2d(portable{}, portable{}, x, w, stage.view(),
           dynamic_tensor<std::int8_t, 4>(expected.data(), s.out_dims()), p);
    conv2d(x86::avx2{}, x86::avx2{}, x, w, stage.view(),
           dynamic_tensor<std::int8_t, 4>(out.data(), s.out_dims()), p);
    CHECK(out.value() == expected.value());
    CHECK(out.intact());

    check_calls<conv2d_i8>(s, s.filter_dims(), p, stage, in, filter, expected.value(), out_at);
}

// The same of a depthwise convolution, on packed weights; canonical ones are the portable kernel's.
void check_depthwise(const conv_shape& s, filling in_filling, filling filter_filling,
                     std::size_t in_at, std::size_t filter_at, std::size_t out_at, dice& d) {
    const std::string text = s.text();
    CAPTURE(text);
    exact in(s.in_size(), in_at), filter(s.filter_size(), filter_at);
    fill(in.data(), in.size(), in_filling, d);
    fill(filter.data(), filter.size(), filter_filling, d);
    const stage_data stage = random_stage(s.out_c, s.taps(), d);
    depthwise_conv2d_i8_params p;
    p.window = s.window;
    p.input_zero_point = random_zero_point(d);
    p.output = stage.params;
    guarded expected(s.out_size(), 0);
    depthwise_conv2d(
        portable{}, portable{}, dynamic_tensor<const std::int8_t, 4>(in.data(), s.in_dims()),
        dynamic_tensor<const std::int8_t, 4>(filter.data(), s.depthwise_filter_dims()),
        stage.view(), dynamic_tensor<std::int8_t, 4>(expected.data(), s.out_dims()), p);
    check_calls<depthwise_conv2d_i8>(s, s.depthwise_filter_dims(), p, stage, in, filter,
                                     expected.value(), out_at);
}

void check_fully_connected(std::int32_t n, std::int32_t k, std::int32_t o, filling in_filling,
                           filling weights_filling, std::size_t in_at, std::size_t weights_at,
                           std::size_t out_at, dice& d) {
    CAPTURE(n);
    CAPTURE(k);
    CAPTURE(o);
    exact in(static_cast<std::size_t>(n * k), in_at),
        w(static_cast<std::size_t>(o * k), weights_at);
    fill(in.data(), in.size(), in_filling, d);
    fill(w.data(), w.size(), weights_filling, d);
    const stage_data stage = random_stage(o, k, d);
    fully_connected_i8_params p;
    p.input_zero_point = random_zero_point(d);
    p.output = stage.params;
    const dynamic_tensor<const std::int8_t, 2> x(in.data(), dynamic_extents<2>(n, k));
    const dynamic_tensor<const std::int8_t, 2> weights(w.data(), dynamic_extents<2>(o, k));
    const dynamic_extents<2> dims(n, o);
    guarded expected(dims.size(), 0), out(dims.size(), out_at);
    fully_connected(portable{}, portable{}, x, weights, stage.view(),
                    dynamic_tensor<std::int8_t, 2>(expected.data(), dims), p);
    fully_connected(x86::avx2{}, x86::avx2{}, x, weights, stage.view(),
                    dynamic_tensor<std::int8_t, 2>(out.data(), dims), p);
    CHECK(out.value() == expected.value());
    CHECK(out.intact());
}

filling any_filling(dice& d) {
    return static_cast<filling>(d.between(0, 3));
}

// A port of the future, which has nothing of its own yet.
struct finer : x86::avx2 {};

} // namespace

TEST_CASE("x86: the ladder of tags, and packing is inherited") {
    static_assert(std::is_base_of_v<portable, x86::sse41>);
    static_assert(std::is_base_of_v<x86::sse41, x86::avx2>);
    static_assert(kompakt::detail::pack_traits<conv2d_i8, portable>::id == 0);
    static_assert(kompakt::detail::pack_traits<conv2d_i8, x86::sse41>::id == 0);
    static_assert(kompakt::detail::pack_traits<conv2d_i8, x86::avx2>::id != 0);
    static_assert(kompakt::detail::pack_traits<depthwise_conv2d_i8, portable>::id == 0);
    static_assert(kompakt::detail::pack_traits<depthwise_conv2d_i8, x86::avx2>::id != 0);
    static_assert(kompakt::detail::pack_traits<conv2d_i8, finer>::id ==
                  kompakt::detail::pack_traits<conv2d_i8, x86::avx2>::id);
    CHECK((!x86::avx2::supported() || x86::sse41::supported()));
}

TEST_CASE("x86: the choice is what the processor can do, and no other port can be forced") {
    const port_list ports = available_ports();
    REQUIRE(ports.size >= 1);
    CHECK(ports.tables[ports.size - 1] == &kernels_of<portable>());
    CHECK(std::string(default_kernels().port) == ports.tables[0]->port);
    CHECK(ports.find("portable") == &kernels_of<portable>());
    CHECK(ports.find(std::string("nonsense")) == nullptr);
    CHECK(ports.find("") == nullptr);
    // The compiler's library asks the processor too.
    __builtin_cpu_init();
    CHECK(x86::avx2::supported() == (__builtin_cpu_supports("avx2") != 0));
    CHECK(x86::sse41::supported() == (__builtin_cpu_supports("sse4.1") != 0));
    CHECK((ports.find("avx2") == &kernels_of<x86::avx2>()) == x86::avx2::supported());
    CHECK((ports.find("avx2") == nullptr) == !x86::avx2::supported());
    CHECK((default_kernels().port == std::string("avx2")) == x86::avx2::supported());
}

TEST_CASE("x86: conv2d on random shapes") {
    if (!has_avx2()) return;
    dice d(1);
    for (int i = 0; i < 300; ++i) {
        const conv_shape s = random_shape(d);
        const auto in = any_filling(d), filter = any_filling(d);
        check_conv(s, in, filter, static_cast<std::size_t>(d.between(0, 31)),
                   static_cast<std::size_t>(d.between(0, 31)),
                   static_cast<std::size_t>(d.between(0, 31)), d);
    }
}

TEST_CASE("x86: depthwise conv2d on random shapes, and where something ends") {
    if (!has_avx2()) return;
    dice d(11);
    for (int i = 0; i < 400; ++i) {
        conv_shape s = random_shape(d);
        s.c = s.out_c = s.groups = d.between(1, 70);
        check_depthwise(s, any_filling(d), any_filling(d),
                        static_cast<std::size_t>(d.between(0, 31)),
                        static_cast<std::size_t>(d.between(0, 31)),
                        static_cast<std::size_t>(d.between(0, 31)), d);
    }
    for (const std::int32_t c : {7, 8, 9, 15, 16, 255, 257, 1001, 2048, 2049}) {
        for (const std::int32_t kernel : {1, 3, 8, 9}) {
            conv_shape s;
            s.h = s.w = 9, s.c = s.out_c = s.groups = c, s.kernel_h = s.kernel_w = kernel;
            s.window.pad_top = s.window.pad_left = s.pad_bottom = s.pad_right = 1;
            s.window.stride_h = s.window.stride_w = 3;
            check_depthwise(s, filling::mixed, filling::lowest, 0, 0, 0, d);
        }
    }
}

TEST_CASE("x86: add, of every length, alignment and way to broadcast, in place too") {
    if (!has_avx2()) return;
    dice d(12);
    for (int i = 0; i < 2000; ++i) {
        const std::int32_t n = d.between(1, 70), step_a = d.one_in(4) ? 0 : 1,
                           step_b = d.one_in(4) ? 0 : 1;
        add_i8_params p;
        p.zero_point_a = random_zero_point(d), p.zero_point_b = random_zero_point(d);
        for (multiplier* m : {&p.a, &p.b, &p.result}) {
            m->q31 = d.one_in(16) ? d.between(0, 1) * INT32_MAX : d.between(1 << 30, INT32_MAX);
            m->shift = d.one_in(8) ? d.between(min_multiplier_shift, 0) : d.between(-2, 0);
        }
        p.result.shift = d.one_in(8) ? d.between(min_multiplier_shift, 0) : d.between(-22, -18);
        p.output = random_stage(1, 1, d).params;
        exact a(static_cast<std::size_t>(n), static_cast<std::size_t>(d.between(0, 15)));
        exact b(static_cast<std::size_t>(n), static_cast<std::size_t>(d.between(0, 15)));
        fill(a.data(), a.size(), any_filling(d), d);
        fill(b.data(), b.size(), any_filling(d), d);
        guarded expected(a.size(), 0), out(a.size(), static_cast<std::size_t>(d.between(0, 15)));
        elementwise_row(portable{}, portable{}, add_i8{}, a.data(), step_a, b.data(), step_b,
                        expected.data(), n, p);
        elementwise_row(x86::avx2{}, x86::avx2{}, add_i8{}, a.data(), step_a, b.data(), step_b,
                        out.data(), n, p);
        CHECK(out.value() == expected.value());
        CHECK(out.intact());
        if (step_a == 0) continue;
        std::memcpy(out.data(), a.data(), a.size());
        elementwise_row(x86::avx2{}, x86::avx2{}, add_i8{}, out.data(), 1, b.data(), step_b,
                        out.data(), n, p);
        CHECK(out.value() == expected.value());
        CHECK(out.intact());
    }
}

TEST_CASE("x86: conv2d at sizes where something ends") {
    if (!has_avx2()) return;
    dice d(2);
    conv_shape s;
    for (const std::int32_t c : {1, 15, 16, 17, 255, 257, 511, 512, 513, 1024, 1025}) {
        for (const std::int32_t out_c : {1, 3, 4, 5, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1001}) {
            if (c * out_c > 120000) continue;
            s.w = d.between(1, 9), s.c = c, s.out_c = out_c;
            check_conv(s, filling::random, filling::random, 0, 0, 0, d);
        }
    }
    s = {};
    s.h = 4, s.w = 5, s.c = 130, s.out_c = 72, s.kernel_h = s.kernel_w = 3;
    s.window.pad_top = s.window.pad_left = s.pad_bottom = s.pad_right = 1;
    check_conv(s, filling::random, filling::random, 1, 2, 3, d);
    s.c = 400, s.out_c = 80, s.groups = 2, s.window.dilation_h = 2, s.pad_bottom = 2;
    check_conv(s, filling::random, filling::random, 3, 2, 1, d);
}

TEST_CASE("x86: conv2d at every alignment of input, filter and output") {
    if (!has_avx2()) return;
    dice d(3);
    conv_shape s;
    s.h = 3, s.w = 5, s.c = 17, s.out_c = 11, s.kernel_h = s.kernel_w = 2;
    for (std::size_t at = 0; at < 32; ++at) {
        check_conv(s, filling::random, filling::random, at, 0, 0, d);
        check_conv(s, filling::random, filling::random, 0, at, 0, d);
        check_conv(s, filling::random, filling::random, 0, 0, at, d);
    }
}

TEST_CASE("x86: nothing saturates: -128 and 127 everywhere") {
    if (!has_avx2()) return;
    dice d(4);
    conv_shape s;
    s.h = s.w = 4, s.c = 64, s.out_c = 16, s.kernel_h = s.kernel_w = 3;
    for (int in = 0; in < 4; ++in) {
        for (int filter = 0; filter < 4; ++filter) {
            for (int i = 0; i < 4; ++i) {
                const auto a = static_cast<filling>(in), b = static_cast<filling>(filter);
                check_conv(s, a, b, 0, 0, 0, d);
                check_fully_connected(1, 300, 9, a, b, 0, 0, 0, d);
            }
        }
    }
}

TEST_CASE("x86: fully connected on random shapes and at every alignment") {
    if (!has_avx2()) return;
    dice d(5);
    for (int i = 0; i < 600; ++i) {
        const std::int32_t n = d.one_in(2) ? 1 : d.between(1, 9);
        const auto in = any_filling(d), weights = any_filling(d);
        check_fully_connected(n, d.between(1, 70), d.between(1, 70), in, weights,
                              static_cast<std::size_t>(d.between(0, 31)),
                              static_cast<std::size_t>(d.between(0, 31)),
                              static_cast<std::size_t>(d.between(0, 31)), d);
    }
    for (const std::int32_t k : {1, 255, 256, 257, 511, 512, 513, 1001, 1536}) {
        for (const std::int32_t o : {1, 64, 65, 130, 257}) {
            check_fully_connected(d.between(1, 5), k, o, filling::random, filling::random, 0, 0, 0,
                                  d);
        }
    }
    for (std::size_t at = 0; at < 32; ++at) {
        check_fully_connected(3, 37, 13, filling::random, filling::random, at, 0, 0, d);
        check_fully_connected(3, 37, 13, filling::random, filling::random, 0, at, 0, d);
        check_fully_connected(3, 37, 13, filling::random, filling::random, 0, 0, at, d);
    }
}

// Weights are zero, so that the accumulators are the biases: any accumulator with any multiplier.
TEST_CASE("x86: requantization, ties and extremes included") {
    if (!has_avx2()) return;
    dice d(6);
    const std::int32_t channels = 64;
    std::vector<std::int8_t> w(64), in(1, 1);
    for (int round = 0; round < 4000; ++round) {
        stage_data s;
        const bool per_tensor = round % 5 == 0;
        for (std::int32_t i = 0; i < channels; ++i) {
            if (i == 0 || !per_tensor) {
                const std::int32_t q[] = {0,
                                          1,
                                          1 << 30,
                                          INT32_MAX,
                                          3 << 29,
                                          d.between(0, INT32_MAX),
                                          d.between(1 << 30, INT32_MAX)};
                s.multipliers.push_back(q[d.between(0, 6)]);
                s.shifts.push_back(static_cast<std::int8_t>(
                    d.between(min_multiplier_shift, max_multiplier_shift)));
            }
            // An accumulator that gives a number of halves within int8's range, or one beside it.
            const double scale = static_cast<double>(s.multipliers.back()) / 2147483648.0 *
                                 std::ldexp(1.0, s.shifts.back());
            const double wanted = 0.5 * d.between(-260, 260) / (scale > 0 ? scale : 1.0);
            std::int32_t bias = d.between(INT32_MIN, INT32_MAX);
            if (std::fabs(wanted) < 2147483000.0) {
                bias = static_cast<std::int32_t>(std::round(wanted)) + d.between(-1, 1);
            }
            if (d.one_in(16)) bias = d.one_in(2) ? INT32_MIN : INT32_MAX;
            s.bias.push_back(bias);
        }
        const dynamic_tensor<const std::int8_t, 2> x(in.data(), dynamic_extents<2>(1, 1));
        const dynamic_tensor<const std::int8_t, 2> weights(w.data(), dynamic_extents<2>(64, 1));
        std::int8_t expected[64], out[64];
        const dynamic_extents<2> dims(1, channels);
        fully_connected(portable{}, portable{}, x, weights, s.view(),
                        dynamic_tensor<std::int8_t, 2>(expected, dims), {});
        fully_connected(x86::avx2{}, x86::avx2{}, x, weights, s.view(),
                        dynamic_tensor<std::int8_t, 2>(out, dims), {});
        if (std::memcmp(expected, out, sizeof out) == 0) continue;
        for (std::size_t i = 0; i < 64; ++i) {
            CAPTURE(s.bias[i]);
            CAPTURE(s.multipliers[s.multipliers.size() > 1 ? i : 0]);
            CAPTURE(int{s.shifts[s.shifts.size() > 1 ? i : 0]});
            CHECK(int{out[i]} == int{expected[i]});
        }
    }
}

TEST_CASE("x86: compile-time extents and mixed ones reach the port too") {
    if (!has_avx2()) return;
    dice d(7);
    std::int8_t in[5 * 5 * 8], w[16 * 9 * 8], expected[9 * 16], out[9 * 16];
    fill(in, sizeof in, filling::random, d);
    fill(w, sizeof w, filling::random, d);
    const stage_data s = random_stage(16, 72, d);
    conv2d_i8_params p;
    p.output = s.params;
    const tensor<const std::int8_t, extents<1, 5, 5, 8>> x(in);
    const tensor<const std::int8_t, extents<16, 3, 3, 8>> filter(w);
    conv2d(portable{}, portable{}, x, filter, s.view(),
           tensor<std::int8_t, extents<1, 3, 3, 16>>(expected), p);
    conv2d(x86::avx2{}, x86::avx2{}, x, filter, s.view(),
           tensor<std::int8_t, extents<1, 3, 3, 16>>(out), p);
    CHECK(std::memcmp(expected, out, sizeof out) == 0);
    const tensor<std::int8_t, extents<1, dynamic_extent, 3, 16>> rows(
        out, extents<1, dynamic_extent, 3, 16>(1, 3, 3, 16));
    std::memset(out, 0, sizeof out);
    conv2d(finer{}, finer{}, x, filter, s.view(), rows, p);
    CHECK(std::memcmp(expected, out, sizeof out) == 0);
}

namespace {
// The tables of an emitted header: a 1x1 convolution of 2x2 pixels, from 4 channels to 8.
struct emitted {
    static constexpr std::uint32_t words[] = {1, 2, 2, 4, 8, 1, 1, 4, 8,           1,
                                              1, 2, 2, 8, 0, 1, 2, 3, 4,           5,
                                              1, 1, 1, 1, 0, 0, 0, 0, 0xffffff80u, 127};
    static constexpr tensor_record tensors[] = {
        {dtype::i8, 4, place::arena, encoding::dense, 0, 16, 0},
        {dtype::i8, 4, place::constant, encoding::dense, 0, 32, 4},
        {dtype::i32, 1, place::absent, encoding::dense, 0, 0, 8},
        {dtype::i32, 1, place::constant, encoding::dense, 2, 4, 9},
        {dtype::i8, 1, place::constant, encoding::dense, 3, 1, 10},
        {dtype::i8, 4, place::arena, encoding::dense, 1, 32, 10}};
    static constexpr op_record ops[] = {
        {static_cast<std::uint16_t>(kernel_id::conv2d_i8), 0, 5, 1, 14, 20, 0, 0, 0}};
};
} // namespace

TEST_CASE("x86: calls with constant extents reach the port") {
    if (!has_avx2()) return;
    static_assert(sizeof(conv2d_i8_params) == 4 * 10);
    alignas(16) std::byte constants[64] = {}, arena[48], expected[48], packed[32];
    dice d(8);
    for (std::size_t i = 0; i < 48; ++i) {
        arena[i] = static_cast<std::byte>(d.between(0, 255));
        if (i < 32) constants[i] = static_cast<std::byte>(d.between(0, 255));
    }
    store_le(constants + 32, std::int32_t{1} << 30);
    store_le(constants + 48, std::int8_t{-6});
    const program code{emitted::tensors, emitted::ops, emitted::words, constants, 6, 1};
    std::memcpy(expected, arena, sizeof arena);
    conv2d_i8::run(portable{}, call(code, emitted::ops[0], expected));
    const call plain(code, emitted::ops[0], arena);
    REQUIRE(conv2d_i8::check(plain).ok());
    REQUIRE(conv2d_i8::pack_bytes(x86::avx2{}, plain) == 32);
    conv2d_i8::pack(x86::avx2{}, plain, packed);
    for (const std::byte* weights : {static_cast<std::byte*>(nullptr), packed}) {
        std::memset(arena + 16, 0, 32);
        conv2d_i8::run(x86::avx2{}, static_call<emitted, 0>(code, emitted::ops[0], arena, weights));
        CHECK(std::memcmp(arena, expected, sizeof arena) == 0);
    }
}

// Whole sessions on the op specs, whose expectations come from the dull references.
TEST_CASE(
    "x86: sessions, with and without a buffer for packed weights, and packed by the planner") {
    if (!has_avx2()) return;
    const kernel_table& avx2 = *available_ports().find("avx2");
    int packed_cases = 0;
    for (const auto& spec : {kompakt_test::conv2d_spec(), kompakt_test::fully_connected_spec()}) {
        for (const auto& c : spec.cases) {
            if (c.g.tensor(c.g.outputs[0]).type != dtype::i8) continue;
            CAPTURE(c.name);
            for (const auto how : kompakt_test::all_fillings) {
                const auto expected = kompakt_test::expect(spec, c, how);
                for (int way = 0; way < 3; ++way) {
                    CAPTURE(way);
                    plan_options options;
                    options.pack = way == 2;
                    if (way == 2) options.kernels = &avx2;
                    const auto planned = plan(c.g, options);
                    REQUIRE(planned.ok());
                    session s(planned->bytes(), avx2);
                    const std::string e = said(s.check());
                    REQUIRE(e == "");
                    aligned_buffer arena(s.arena_bytes()), packed(s.pack_bytes());
                    if (way == 2) CHECK(s.pack_bytes() == 0);
                    REQUIRE(
                        s.bind({arena.data(), arena.size()},
                               way == 1 ? bytes_span{packed.data(), packed.size()} : bytes_span{})
                            .ok());
                    if (way > 0) CHECK(std::string(s.port_of_op(0)) == "avx2");
                    packed_cases += way == 1 && s.pack_bytes() != 0 ? 1 : 0;
                    for (std::size_t i = 0; i < s.inputs(); ++i) {
                        const auto in = s.input_bytes(i);
                        std::memcpy(in.data(), expected.inputs[i].data(), in.size());
                    }
                    s.run();
                    const std::string difference =
                        kompakt_test::compare(dtype::i8, expected.output, s.output_bytes(0));
                    CHECK(difference == "");
                }
            }
        }
    }
    CHECK(packed_cases > 0);
}

TEST_CASE("x86: the default session runs on any processor") {
    const auto spec = kompakt_test::conv2d_spec();
    const auto& c = spec.cases[0];
    REQUIRE(c.g.tensor(c.g.outputs[0]).type == dtype::i8);
    const auto expected = kompakt_test::expect(spec, c, kompakt_test::filling::random);
    const auto planned = plan(c.g);
    REQUIRE(planned.ok());
    session s(planned->bytes());
    REQUIRE(s.check().ok());
    CHECK(std::string(s.port()) == (x86::avx2::supported() ? "avx2" : "portable"));
    aligned_buffer arena(s.arena_bytes()), packed(s.pack_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}, {packed.data(), packed.size()}).ok());
    std::memcpy(s.input_bytes(0).data(), expected.inputs[0].data(), s.input_bytes(0).size());
    s.run();
    const std::string difference =
        kompakt_test::compare(dtype::i8, expected.output, s.output_bytes(0));
    CHECK(difference == "");
}

#endif
