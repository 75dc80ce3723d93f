// The audio front end: numbers that TensorFlow Lite Micro's kernels give, and dull references.
#include <kompakt/graph/ops/signal_energy.hpp>
#include <kompakt/graph/ops/signal_fft_auto_scale.hpp>
#include <kompakt/graph/ops/signal_filter_bank.hpp>
#include <kompakt/graph/ops/signal_filter_bank_log.hpp>
#include <kompakt/graph/ops/signal_filter_bank_spectral_subtraction.hpp>
#include <kompakt/graph/ops/signal_filter_bank_square_root.hpp>
#include <kompakt/graph/ops/signal_pcan.hpp>
#include <kompakt/graph/ops/signal_rfft.hpp>
#include <kompakt/graph/ops/signal_window.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <doctest/doctest.h>
#include <random>

using namespace kompakt;

namespace {

using i16s = std::vector<std::int16_t>;
using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;

template <class T>
struct signal_operand {
    std::vector<T> values;
    bool constant = false;
    shape dims = {}; // [values] where empty
};

// A graph of one node, planned and bound.
class signal_node {
  public:
    template <class Op, class... T>
    explicit signal_node(Op op, std::size_t outputs, bool state, const signal_operand<T>&... in) {
        (add(in), ...);
        if (state) {
            graph_tensor t;
            t.type = dtype::u32, t.shape = g_.tensor(inputs_[0]).shape, t.state = state_start();
            inputs_.push_back(g_.add_tensor(t));
        }
        for (std::size_t i = 0; i < outputs; ++i) {
            g_.outputs.push_back(g_.add_tensor(graph_tensor()));
        }
        g_.add_node("", std::move(op), inputs_, g_.outputs);
        const status inferred = infer(g_);
        if (!inferred.ok()) {
            error = inferred.message();
            return;
        }
        auto p = plan(g_);
        if (!p.ok()) {
            error = p.error().message();
            return;
        }
        plan_ = std::move(*p);
        session_ = std::make_unique<session>(plan_.bytes());
        REQUIRE_MESSAGE(session_->check().ok(), session_->check().message());
        arena_ = aligned_buffer(session_->arena_bytes());
        std::memset(arena_.data(), 0xaa, arena_.size());
        REQUIRE(session_->bind({arena_.data(), arena_.size()}).ok());
    }
    std::string error;

    void run() {
        for (std::size_t i = 0; i < given_.size(); ++i) {
            std::memcpy(session_->input_bytes(i).data(), given_[i].data(), given_[i].size());
        }
        session_->run();
    }
    template <class T>
    std::vector<T> output(std::size_t i = 0) {
        std::vector<T> v(session_->output_bytes(i).size() / sizeof(T));
        std::memcpy(v.data(), session_->output_bytes(i).data(), v.size() * sizeof(T));
        return v;
    }
    session& get() { return *session_; }

  private:
    template <class T>
    void add(const signal_operand<T>& x) {
        shape dims = x.dims;
        if (dims.empty() && dtype_of<T> != dtype::i32) {
            dims = {dim(static_cast<std::int64_t>(x.values.size()))};
        }
        if (x.constant) {
            inputs_.push_back(g_.add_constant("c", make_constant(dims, x.values)));
            return;
        }
        graph_tensor t;
        t.type = dtype_of<T>, t.shape = dims;
        inputs_.push_back(g_.add_tensor(t));
        g_.inputs.push_back(inputs_.back());
        const auto* bytes = reinterpret_cast<const std::byte*>(x.values.data());
        given_.emplace_back(bytes, bytes + x.values.size() * sizeof(T));
    }

    graph g_;
    std::vector<tensor_id> inputs_;
    std::vector<std::vector<std::byte>> given_;
    planned plan_;
    std::unique_ptr<session> session_;
    aligned_buffer arena_;
};

template <class Out, class Op, class... T>
std::vector<Out> run(Op op, const signal_operand<T>&... in) {
    signal_node n(std::move(op), 1, false, in...);
    REQUIRE_MESSAGE(n.error.empty(), n.error);
    n.run();
    return n.output<Out>();
}

} // namespace

TEST_CASE("signal_window: product, shift, saturation, rows") {
    ops::signal_window op;
    op.shift = 12;
    i16s in, window,
        expected = {0, 224, 416, 576, 704, 800, 864, 896, 896, 864, 800, 704, 576, 416, 224, 0};
    for (int i = 0; i < 16; ++i) {
        in.push_back(static_cast<std::int16_t>(i * 256));
        window.push_back(static_cast<std::int16_t>((15 - i) * 256));
    }
    CHECK(run<std::int16_t>(op, signal_operand<std::int16_t>{in},
                            signal_operand<std::int16_t>{window, true}) == expected);
    op.shift = 0;
    const i16s rows = {3, -30000, INT16_MIN, 4}, two = {INT16_MIN, 2};
    CHECK(run<std::int16_t>(op, signal_operand<std::int16_t>{rows, false, {2, 2}},
                            signal_operand<std::int16_t>{two, true}) ==
          i16s{INT16_MIN, INT16_MIN, INT16_MAX, 8});
    const signal_node bad(op, 1, false, signal_operand<std::int16_t>{rows},
                          signal_operand<std::int16_t>{{1, 2, 3}, true});
    CHECK(bad.error.find("window of 3") != std::string::npos);
}

TEST_CASE("signal_fft_auto_scale: as far left as the greatest allows") {
    const auto scaled = [](const i16s& in) {
        signal_node n(ops::signal_fft_auto_scale(), 2, false, signal_operand<std::int16_t>{in});
        REQUIRE_MESSAGE(n.error.empty(), n.error);
        n.run();
        return std::pair(n.output<std::int16_t>(0), n.output<std::int32_t>(1)[0]);
    };
    CHECK(scaled({1, -3, 100}) == std::pair(i16s{256, -768, 25600}, 8));
    CHECK(scaled({0, 0}) == std::pair(i16s{0, 0}, 0));
    CHECK(scaled({16384, 5}) == std::pair(i16s{16384, 5}, 0));
    CHECK(scaled({-32768, 5}) == std::pair(i16s{-32768 + 32768, 20480}, 12)); // wraps, as there
    CHECK(scaled({5, -32768}) == std::pair(i16s{5, -32768}, 0));
}

TEST_CASE("signal_energy: a range of numbers, the others 0") {
    ops::signal_energy op;
    const signal_operand<std::int16_t> in{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
    op.first = 2, op.last = 4;
    CHECK(run<std::uint32_t>(op, in) == u32s{0, 0, 61, 113, 0, 0, 0, 0});
    op.first = 4, op.last = 8;
    CHECK(run<std::uint32_t>(op, in) == u32s{0, 0, 0, 0, 181, 265, 365, 481});
    op.first = 0, op.last = 1;
    CHECK(run<std::uint32_t>(op, signal_operand<std::int16_t>{{INT16_MIN, INT16_MIN}}) ==
          u32s{2147483648u});
    op.last = 2;
    CHECK(signal_node(op, 1, false, signal_operand<std::int16_t>{{1, 2}})
              .error.find("numbers 0 to 2") != std::string::npos);
}

TEST_CASE("signal_rfft: close to the transform for every length, rows and zeros") {
    std::mt19937 random(5);
    for (std::int32_t length = 8; length <= 2048; length *= 2) {
        ops::signal_rfft op;
        op.length = length;
        const std::int32_t samples = length - length / 8; // zeros fill up
        i16s in;
        for (std::int32_t i = 0; i < 2 * samples; ++i) {
            in.push_back(static_cast<std::int16_t>(static_cast<int>(random() % 65536) - 32768));
        }
        const i16s out =
            run<std::int16_t>(op, signal_operand<std::int16_t>{in, false, {2, dim(samples)}});
        REQUIRE(out.size() == 2 * (static_cast<std::size_t>(length) + 2));
        double worst = 0;
        for (std::int32_t row = 0; row < 2; ++row) {
            for (std::int32_t k = 0; k <= length / 2; k += 1 + length / 64) {
                double re = 0, im = 0;
                for (std::int32_t i = 0; i < samples; ++i) {
                    const double x = in[static_cast<std::size_t>(row * samples + i)];
                    const double phase = -2 * 3.14159265358979324 * k * i / length;
                    re += x * std::cos(phase), im += x * std::sin(phase);
                }
                const auto at = static_cast<std::size_t>(row * (length + 2) + 2 * k);
                worst = (std::max)(worst, std::fabs(out[at] - re / length));
                worst = (std::max)(worst, std::fabs(out[at + 1] - im / length));
            }
        }
        CAPTURE(length);
        CHECK(worst < 8); // of a range of thousands: the rounding of ten stages
    }
    ops::signal_rfft op;
    op.length = 64;
    i16s impulse(64), flat;
    impulse[0] = 16384;
    for (int i = 0; i <= 32; ++i) flat.push_back(256), flat.push_back(0);
    CHECK(run<std::int16_t>(op, signal_operand<std::int16_t>{impulse}) == flat);
    op.length = 60;
    CHECK(signal_node(op, 1, false, signal_operand<std::int16_t>{i16s(60)})
              .error.find("power of two") != std::string::npos);
}

TEST_CASE("signal_filter_bank: two neighbouring channels share an energy") {
    ops::signal_filter_bank op;
    op.channels = 2;
    const signal_operand<std::uint32_t> in{{10, 20, 30, 4000000000u, 50}};
    const signal_operand<std::int16_t> weights{{100, 200, 300, -1}, true},
        unweights{{4, 3, 2, 7}, true}, energies{{0, 1, 3}, true}, firsts{{0, 1, 2}, true},
        widths{{1, 2, 2}, true};
    // Channel 0 is 4 · 10 and its own weights, channel 1 what is left of channel 0's.
    const u64s expected = {4 * 10 + 200 * 20 + 300 * 30,
                           3 * 20 + 2 * 30 + 300 * std::uint64_t{4000000000u} - 50};
    CHECK(run<std::uint64_t>(op, in, weights, unweights, energies, firsts, widths) == expected);
    for (const std::int16_t wrong : {-1, 4, INT16_MAX}) {
        const signal_node n(op, 1, false, in, weights, unweights,
                            signal_operand<std::int16_t>{{0, 1, wrong}, true}, firsts, widths);
        CHECK(n.error.find("channel 2") != std::string::npos);
    }
}

TEST_CASE("signal_filter_bank_square_root: rounded, shifted by an input") {
    const signal_operand<std::uint64_t> in{{13051415151, 14932650877, 18954728418, 8730126017,
                                            6529665275, 12952546517, 10314975609, 8919697835,
                                            8053663348, 17231208421, 7366899760, 1372112200,
                                            19953434807, 17012385332, 4710443222, 17765594053}};
    CHECK(run<std::uint32_t>(ops::signal_filter_bank_square_root(), in,
                             signal_operand<std::int32_t>{{5}}) ==
          u32s{3570, 3818, 4302, 2919, 2525, 3556, 3173, 2951, 2804, 4102, 2682, 1157, 4414, 4076,
               2144, 4165});
    CHECK(run<std::uint32_t>(
              ops::signal_filter_bank_square_root(),
              signal_operand<std::uint64_t>{{0, 1, 2, 3, 0xffffffff, 0x100000000, UINT64_MAX}},
              signal_operand<std::int32_t>{{0}}) == u32s{0, 1, 1, 2, 0xffff, 0x10000, 0xffffffff});
    // Whatever the graph computes as a shift.
    CHECK(run<std::uint32_t>(ops::signal_filter_bank_square_root(),
                             signal_operand<std::uint64_t>{{100}},
                             signal_operand<std::int32_t>{{-7}}) == u32s{10});
}

TEST_CASE("signal_filter_bank_spectral_subtraction: the estimate lasts from run to run") {
    ops::signal_filter_bank_spectral_subtraction op;
    op.smoothing = 4, op.one_minus_smoothing = 12;
    op.alternate_smoothing = 8, op.alternate_one_minus_smoothing = 8;
    op.smoothing_bits = 2, op.bits = 4, op.min_signal_remaining = 1;
    const u32s in = {100, 100, 16, 4000000000u};
    signal_node n(op, 2, true, signal_operand<std::uint32_t>{in});
    REQUIRE_MESSAGE(n.error.empty(), n.error);
    u32s noise(4);
    for (int step = 0; step < 5; ++step) {
        if (step == 3) {
            n.get().reset();
            noise.assign(4, 0);
        }
        n.run();
        u32s rest;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint64_t a = i % 2 == 0 ? 4 : 8, b = 16 - a;
            const std::uint32_t signal = in[i] << 2;
            noise[i] = static_cast<std::uint32_t>((a * signal + b * noise[i]) / 16);
            const std::uint32_t left = (signal - (std::min)(noise[i], signal)) >> 2;
            rest.push_back((std::max)(left, static_cast<std::uint32_t>(in[i] / 16)));
        }
        CHECK(n.output<std::uint32_t>(0) == rest);
        CHECK(n.output<std::uint32_t>(1) == noise);
    }
}

TEST_CASE("signal_pcan: gain by the noise") {
    i16s table(125);
    table[0] = 32636, table[1] = 32633, table[2] = 32630; // noise 0, 1, 2
    for (std::size_t bits = 2; bits <= 32; ++bits) {
        const std::size_t at = 4 * bits - 6;
        table[at] = static_cast<std::int16_t>(32000 - 900 * static_cast<int>(bits));
        table[at + 1] = -300, table[at + 2] = 60;
    }
    ops::signal_pcan op;
    op.snr_shift = 6;
    const u32s in = {286, 298, 5, 70000}, noise = {7310, 1, 0, 0xffffffff};
    const u32s out = run<std::uint32_t>(op, signal_operand<std::uint32_t>{in},
                                        signal_operand<std::uint32_t>{noise},
                                        signal_operand<std::int16_t>{table, true});
    for (std::size_t i = 0; i < 4; ++i) {
        double gain = noise[i] <= 2 ? table[noise[i]] : 0;
        if (noise[i] > 2) {
            const int bits = static_cast<int>(std::floor(std::log2(noise[i]))) + 1;
            const double x = std::ldexp(noise[i], 1 - bits) - 1; // from 0 to 1
            const std::size_t at = 4 * static_cast<std::size_t>(bits) - 6;
            gain = table[at] + table[at + 1] * x + table[at + 2] * x * x;
        }
        const double snr = in[i] * gain / 64 / 4096;
        const double expected = snr < 2 ? snr * snr / 4 : snr - 1;
        CHECK(std::fabs(out[i] / 64.0 - expected) < 0.02 + 1e-3 * expected);
    }
    CHECK(!signal_node(op, 1, false, signal_operand<std::uint32_t>{{1}},
                       signal_operand<std::uint32_t>{{1}},
                       signal_operand<std::int16_t>{i16s(124), true})
               .error.empty());
}

TEST_CASE("signal_filter_bank_log: the numbers of TensorFlow Lite Micro, and the function") {
    ops::signal_filter_bank_log op;
    op.output_scale = 1600, op.correction_bits = 3;
    CHECK(run<std::int16_t>(
              op, signal_operand<std::uint32_t>{{29, 21, 40, 19, 11, 13, 23, 5, 4, 46, 2}}) ==
          i16s{8715, 8198, 9229, 8038, 7164, 7431, 8344, 5902, 5545, 9453, 4436});
    op.output_scale = 32768, op.correction_bits = 5;
    CHECK(run<std::int16_t>(op, signal_operand<std::uint32_t>{{48, 20, 19, 14}}) ==
          i16s{32767, 15121, 13440, 3434});
    op.output_scale = 1000, op.correction_bits = 0;
    CHECK(run<std::int16_t>(op, signal_operand<std::uint32_t>{{0, 1}}) == i16s{0, 0});
    u32s in;
    for (std::uint64_t x = 2; x <= UINT32_MAX; x = x * 5 / 4 + 1) {
        in.push_back(static_cast<std::uint32_t>(x));
    }
    in.push_back(UINT32_MAX);
    const i16s out = run<std::int16_t>(op, signal_operand<std::uint32_t>{in});
    for (std::size_t i = 0; i < in.size(); ++i) {
        CHECK(std::fabs(out[i] - 1000 * std::log(static_cast<double>(in[i]))) < 2);
    }
}
