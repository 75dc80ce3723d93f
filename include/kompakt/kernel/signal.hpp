// Audio front end: from windowed samples to the logarithm of filter bank channels, as the signal
// library of TensorFlow Lite Micro defines it (tensorflow/tflite-micro, signal/).
#pragma once

#include <kompakt/kernel/state.hpp>
#include <kompakt/kernel/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

inline status check_signal(const call& c, std::size_t inputs, std::size_t outputs) noexcept {
    if (c.inputs() == inputs && c.outputs() == outputs) return {};
    return fail(errc::bad_file, "needs ", inputs, " inputs and ", outputs, " outputs");
}
inline status check_elements(const call& c, const tensor_record& t, const char* what, dtype type,
                             std::size_t n) noexcept {
    KOMPAKT_TRY(check_operand(t, what, type, max_rank));
    if (c.elements(t) == n) return {};
    return fail(errc::bad_file, what, ": needed ", n, " elements, given ", c.elements(t));
}
inline status check_range(const char* what, std::int32_t v, std::int32_t most) noexcept {
    if (v >= 0 && v <= most) return {};
    return fail(errc::bad_file, what, " is ", v, ", needed 0 to ", most);
}
// The number of the highest bit that is set, from 1 on; 32 for 0, which is what the library's
// built-in gives.
constexpr int highest_bit(std::uint32_t x) noexcept {
    int n = 32;
    while (n > 1 && x != 0 && (x >> (n - 1)) == 0) --n;
    return n;
}

} // namespace detail

// in [..., n] times window [n], shifted down and saturated.
struct signal_window {
    struct params {
        std::int32_t shift = 0;
        template <class F>
        static constexpr void fields(F&& f) {
            f("shift");
        }
    };
    static constexpr kernel_id id = kernel_id::signal_window;
    static constexpr const char* name = "signal_window";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 2, 1));
        const std::size_t n = c.elements(c.input_record(0)), w = c.elements(c.input_record(1));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::i16, max_rank));
        KOMPAKT_TRY(check_operand(c.input_record(1), "window", dtype::i16, 1));
        if (n % w != 0) return fail(errc::bad_file, "window of ", w, " for ", n, " samples");
        KOMPAKT_TRY(detail::check_elements(c, c.output_record(0), "output", dtype::i16, n));
        return detail::check_range("shift", c.params<params>().shift, 31);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const std::size_t n = c.elements(c.input_record(0)), w = c.elements(c.input_record(1));
        const auto *in = c.input_data<std::int16_t>(0), *window = c.input_data<std::int16_t>(1);
        auto* out = c.output_data<std::int16_t>(0);
        const std::int32_t shift = c.params<params>().shift;
        std::size_t k = 0;
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = static_cast<std::int16_t>(clamp((in[i] * window[k]) >> shift, -32768, 32767));
            if (++k == w) k = 0;
        }
    }
};

// Shifts left as far as the greatest sample allows. Outputs: samples, and the shift (int32).
struct signal_fft_auto_scale {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::signal_fft_auto_scale;
    static constexpr const char* name = "signal_fft_auto_scale";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 1, 2));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::i16, max_rank));
        KOMPAKT_TRY(detail::check_elements(c, c.output_record(0), "output", dtype::i16,
                                           c.elements(c.input_record(0))));
        return detail::check_elements(c, c.output_record(1), "shift", dtype::i32, 1);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const std::size_t n = c.elements(c.input_record(0));
        const auto* in = c.input_data<std::int16_t>(0);
        auto* out = c.output_data<std::int16_t>(0);
        // In 16 bits, so that -32768 counts as less than everything: as the library has it.
        std::int16_t most = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (in[i] > most) {
                most = in[i];
            } else if (-in[i] > most) {
                most = static_cast<std::int16_t>(-in[i]);
            }
        }
        const int bits = 15 - detail::highest_bit(static_cast<std::uint32_t>(std::int32_t{most}));
        const std::int32_t shift = bits > 0 ? bits : 0;
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = static_cast<std::int16_t>(in[i] * (std::int32_t{1} << shift));
        }
        *c.output_data<std::int32_t>(1) = shift;
    }
};

// The squared magnitude of complex numbers `first` to `last`; the others, which the library leaves
// as they are, become 0.
struct signal_energy {
    struct params {
        std::int32_t first = 0, last = 0;
        template <class F>
        static constexpr void fields(F&& f) {
            f("first"), f("last");
        }
    };
    static constexpr kernel_id id = kernel_id::signal_energy;
    static constexpr const char* name = "signal_energy";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 1, 1));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::i16, max_rank));
        const std::size_t n = c.elements(c.output_record(0));
        KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::u32, max_rank));
        const auto p = c.params<params>();
        if (c.elements(c.input_record(0)) != 2 * n || p.first < 0 || p.last < p.first ||
            static_cast<std::size_t>(p.last) > n) {
            return fail(errc::bad_file, "numbers ", p.first, " to ", p.last, " of ", n,
                        " from an input of ", c.elements(c.input_record(0)));
        }
        return {};
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const auto* in = c.input_data<std::int16_t>(0);
        auto* out = c.output_data<std::uint32_t>(0);
        const auto n = static_cast<std::int32_t>(c.elements(c.output_record(0)));
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t real = in[2 * i], imaginary = in[2 * i + 1];
            out[i] = i < p.first || i >= p.last
                         ? 0
                         : static_cast<std::uint32_t>(real * real) +
                               static_cast<std::uint32_t>(imaginary * imaginary);
        }
    }
};

// Triangular filters: every energy belongs to two neighbouring channels, by a weight and by what is
// left of it. Inputs: energies [n], weights and unweights [w], and of channels + 1 each the first
// energy, the first weight and the width. The first of the channels is only the lower half of the
// next. Output: uint64 [channels].
struct signal_filter_bank {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::signal_filter_bank;
    static constexpr const char* name = "signal_filter_bank";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 6, 1));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::u32, max_rank));
        KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::u64, max_rank));
        const std::size_t n = c.elements(c.input_record(0)), w = c.elements(c.input_record(1)),
                          channels = c.elements(c.output_record(0)) + 1;
        for (std::size_t i = 1; i < 6; ++i) {
            const tensor_record& t = c.input_record(i);
            KOMPAKT_TRY(detail::check_elements(c, t, "filters", dtype::i16, i < 3 ? w : channels));
            if (t.where != place::constant) return fail(errc::bad_file, "filters not constant");
        }
        for (std::size_t i = 0; i < channels; ++i) {
            const std::int32_t energy = c.input_data<std::int16_t>(3)[i],
                               weight = c.input_data<std::int16_t>(4)[i],
                               width = c.input_data<std::int16_t>(5)[i];
            if (width > 0 &&
                (energy < 0 || weight < 0 || static_cast<std::size_t>(energy + width) > n ||
                 static_cast<std::size_t>(weight + width) > w)) {
                return fail(errc::bad_file, "channel ", i, ": ", width, " energies from ", energy,
                            ", weights from ", weight, ", of ", n, " and ", w);
            }
        }
        return {};
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto* in = c.input_data<std::uint32_t>(0);
        const auto *weights = c.input_data<std::int16_t>(1),
                   *unweights = c.input_data<std::int16_t>(2),
                   *energies = c.input_data<std::int16_t>(3),
                   *firsts = c.input_data<std::int16_t>(4), *widths = c.input_data<std::int16_t>(5);
        auto* out = c.output_data<std::uint64_t>(0);
        const std::size_t channels = c.elements(c.output_record(0)) + 1;
        std::uint64_t carried = 0;
        for (std::size_t i = 0; i < channels; ++i) {
            std::uint64_t sum = carried;
            carried = 0;
            for (std::int32_t k = 0; k < widths[i]; ++k) {
                const std::uint64_t x = in[energies[i] + k];
                sum += static_cast<std::uint64_t>(std::int64_t{weights[firsts[i] + k]}) * x;
                carried += static_cast<std::uint64_t>(std::int64_t{unweights[firsts[i] + k]}) * x;
            }
            if (i > 0) out[i - 1] = sum;
        }
    }
};

// The square root, rounded, of uint64, shifted down by input 1 (int32), to uint32.
struct signal_filter_bank_square_root {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::signal_filter_bank_square_root;
    static constexpr const char* name = "signal_filter_bank_square_root";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 2, 1));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::u64, max_rank));
        KOMPAKT_TRY(detail::check_elements(c, c.input_record(1), "shift", dtype::i32, 1));
        return detail::check_elements(c, c.output_record(0), "output", dtype::u32,
                                      c.elements(c.input_record(0)));
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto* in = c.input_data<std::uint64_t>(0);
        auto* out = c.output_data<std::uint32_t>(0);
        const std::int32_t given = *c.input_data<std::int32_t>(1);
        const std::int32_t shift = clamp(given, 0, 31); // whatever the graph computes
        const std::size_t n = c.elements(c.output_record(0));
        for (std::size_t i = 0; i < n; ++i) out[i] = root_of(in[i]) >> shift;
    }
    // Rounding stops at 16 bits for numbers of 32 bits, as the library has it.
    static std::uint32_t root_of(std::uint64_t x) noexcept {
        const std::uint64_t most = x >> 32 == 0 ? 0xffff : 0xffffffff;
        std::uint64_t root = 0, bit = std::uint64_t{1} << 62;
        while (bit > x) bit >>= 2;
        for (; bit != 0; bit >>= 2) {
            const std::uint64_t sum = root + bit;
            root >>= 1;
            if (x >= sum) {
                x -= sum;
                root += bit;
            }
        }
        if (x > root && root != most) ++root;
        return static_cast<std::uint32_t>(root);
    }
};

// Subtracts a smoothed estimate of the noise. Outputs: the rest, the estimate, and the state that
// keeps it; all uint32 [channels].
struct signal_filter_bank_spectral_subtraction {
    struct params {
        std::int32_t smoothing[2] = {}, one_minus_smoothing[2] = {}; // even and odd channels
        std::int32_t min_signal_remaining = 0, smoothing_bits = 0, bits = 0, clamping = 0;
        template <class F>
        static constexpr void fields(F&& f) {
            f("smoothing"), f("alternate_smoothing");
            f("one_minus_smoothing"), f("alternate_one_minus_smoothing");
            f("min_signal_remaining"), f("smoothing_bits"), f("bits"), f("clamping");
        }
    };
    static constexpr kernel_id id = kernel_id::signal_filter_bank_spectral_subtraction;
    static constexpr const char* name = "signal_filter_bank_spectral_subtraction";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 1, 3));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::u32, max_rank));
        const std::size_t n = c.elements(c.input_record(0));
        KOMPAKT_TRY(detail::check_elements(c, c.output_record(0), "output", dtype::u32, n));
        KOMPAKT_TRY(detail::check_elements(c, c.output_record(1), "estimate", dtype::u32, n));
        KOMPAKT_TRY(check_state_operand(c, 2, "state", dtype::u32, static_cast<std::int64_t>(n)));
        const auto p = c.params<params>();
        KOMPAKT_TRY(detail::check_range("smoothing_bits", p.smoothing_bits, 31));
        return detail::check_range("bits", p.bits, 63);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const auto* in = c.input_data<std::uint32_t>(0);
        auto *out = c.output_data<std::uint32_t>(0), *copy = c.output_data<std::uint32_t>(1),
             *noise = c.output_data<std::uint32_t>(2);
        const auto times = [](std::uint32_t x, std::int32_t y) {
            return std::uint64_t{x} * static_cast<std::uint32_t>(y);
        };
        const std::size_t n = c.elements(c.input_record(0));
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t signal = in[i] << p.smoothing_bits;
            std::uint32_t estimate =
                static_cast<std::uint32_t>((times(signal, p.smoothing[i & 1]) +
                                            times(noise[i], p.one_minus_smoothing[i & 1])) >>
                                           p.bits);
            noise[i] = estimate;
            if (estimate > signal) {
                estimate = signal;
                if (p.clamping != 0) noise[i] = estimate;
            }
            const auto least =
                static_cast<std::uint32_t>(times(in[i], p.min_signal_remaining) >> p.bits);
            const std::uint32_t rest = (signal - estimate) >> p.smoothing_bits;
            out[i] = rest > least ? rest : least;
            copy[i] = noise[i];
        }
    }
};

// Automatic gain control: the gain for a noise estimate is read from a table of parabolas, one for
// each power of two. Inputs: signal and noise uint32 [channels], table int16 of at least 125.
struct signal_pcan {
    struct params {
        std::int32_t snr_shift = 0;
        template <class F>
        static constexpr void fields(F&& f) {
            f("snr_shift");
        }
    };
    static constexpr kernel_id id = kernel_id::signal_pcan;
    static constexpr const char* name = "signal_pcan";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 3, 1));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::u32, max_rank));
        const std::size_t n = c.elements(c.input_record(0));
        KOMPAKT_TRY(detail::check_elements(c, c.input_record(1), "noise", dtype::u32, n));
        KOMPAKT_TRY(check_operand(c.input_record(2), "table", dtype::i16, 1));
        if (c.elements(c.input_record(2)) < 125) {
            return fail(errc::bad_file, "table: needed 125 elements, given ",
                        c.elements(c.input_record(2)));
        }
        KOMPAKT_TRY(detail::check_elements(c, c.output_record(0), "output", dtype::u32, n));
        return detail::check_range("snr_shift", c.params<params>().snr_shift, 63);
    }
    static std::int16_t gain_of(std::uint32_t x, const std::int16_t* table) noexcept {
        if (x <= 2) return table[x];
        const int bits = detail::highest_bit(x); // 2 to 32
        table += 4 * bits - 6;
        const auto rest =
            static_cast<std::int32_t>((bits < 11 ? x << (11 - bits) : x >> (bits - 11)) & 0x3ffu);
        std::int32_t y = wrap_add((table[2] * rest) >> 5, wrap_shl(table[1], 5));
        y = wrap_add(wrap_mul(y, rest), 1 << 14) >> 15;
        return static_cast<std::int16_t>(y + table[0]);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto *in = c.input_data<std::uint32_t>(0), *noise = c.input_data<std::uint32_t>(1);
        const auto* table = c.input_data<std::int16_t>(2);
        auto* out = c.output_data<std::uint32_t>(0);
        const std::int32_t shift = c.params<params>().snr_shift;
        const std::size_t n = c.elements(c.input_record(0));
        for (std::size_t i = 0; i < n; ++i) {
            const auto gain = static_cast<std::uint32_t>(std::int32_t{gain_of(noise[i], table)});
            const auto snr = static_cast<std::uint32_t>((std::uint64_t{in[i]} * gain) >> shift);
            // x^2 / 4 below 2, x - 1 above, from 12 to 6 fractional bits.
            out[i] = snr < 2u << 12 ? (snr * snr) >> 20 : (snr >> 6) - (1u << 6);
        }
    }
};

// The natural logarithm of uint32, scaled, as int16. Input 1: 65536 (log2(1 + i / 128) - i / 128).
struct signal_filter_bank_log {
    struct params {
        std::int32_t output_scale = 0, correction_bits = 0;
        template <class F>
        static constexpr void fields(F&& f) {
            f("output_scale"), f("correction_bits");
        }
    };
    static constexpr kernel_id id = kernel_id::signal_filter_bank_log;
    static constexpr const char* name = "signal_filter_bank_log";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 2, 1));
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::u32, max_rank));
        KOMPAKT_TRY(detail::check_elements(c, c.input_record(1), "table", dtype::i16, 130));
        if (c.input_record(1).where != place::constant) {
            return fail(errc::bad_file, "table: not constant");
        }
        KOMPAKT_TRY(detail::check_elements(c, c.output_record(0), "output", dtype::i16,
                                           c.elements(c.input_record(0))));
        return detail::check_range("correction_bits", c.params<params>().correction_bits, 31);
    }
    // x of at least 2.
    static std::uint32_t log_of(std::uint32_t x, const std::int16_t* table,
                                std::uint32_t scale) noexcept {
        const int whole = detail::highest_bit(x) - 1;
        const std::uint32_t rest = x - (std::uint32_t{1} << whole);
        const auto fraction =
            static_cast<std::int32_t>(whole < 16 ? rest << (16 - whole) : rest >> (whole - 16));
        const std::int32_t at = fraction >> 9, low = table[at], high = table[at + 1];
        const std::int32_t curve = low + ((high - low) * (fraction - 512 * at) >> 16);
        const std::uint32_t log2 = (static_cast<std::uint32_t>(whole) << 16) +
                                   static_cast<std::uint32_t>(fraction + curve);
        constexpr std::uint32_t half = 32768, ln_2 = 45426;
        const auto natural = static_cast<std::uint32_t>((std::uint64_t{ln_2} * log2 + half) >> 16);
        return (scale * natural + half) >> 16;
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const auto* in = c.input_data<std::uint32_t>(0);
        const auto* table = c.input_data<std::int16_t>(1);
        auto* out = c.output_data<std::int16_t>(0);
        const std::size_t n = c.elements(c.output_record(0));
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t x = in[i] << p.correction_bits;
            const std::uint32_t y =
                x > 1 ? log_of(x, table, static_cast<std::uint32_t>(p.output_scale)) : 0;
            out[i] = static_cast<std::int16_t>(y < 32767 ? y : 32767);
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
