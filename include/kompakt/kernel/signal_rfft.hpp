// The Fourier transform of real int16 samples, of a length that is a power of two.
//
//     in [..., n] with n <= length, which zeros fill up; out [..., length + 2]: real and imaginary
//     parts of length / 2 + 1 numbers, divided by the length
//
// Decimation in time by stages of 4, then one of 2, on half the length: even samples are the real
// parts, odd ones the imaginary. Every stage divides before it adds, and every product is rounded:
// kissfft in 16-bit fixed point, which TensorFlow Lite Micro uses, has these roundings.
#pragma once

#include <kompakt/kernel/signal.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct complex_i16 {
    std::int16_t re, im;
};

// Arithmetic of 16-bit complex numbers; sums wrap.
namespace fft_i16 {

constexpr std::int16_t round_q15(std::int32_t x) noexcept {
    return static_cast<std::int16_t>(wrap_add(x, 1 << 14) >> 15);
}
constexpr complex_i16 times(complex_i16 a, complex_i16 b) noexcept {
    return {round_q15(wrap_sub(a.re * b.re, a.im * b.im)),
            round_q15(wrap_add(a.re * b.im, a.im * b.re))};
}
constexpr complex_i16 divided(complex_i16 a, std::int32_t by) noexcept {
    return {round_q15(a.re * (32767 / by)), round_q15(a.im * (32767 / by))};
}
constexpr complex_i16 sum(complex_i16 a, complex_i16 b) noexcept {
    return {static_cast<std::int16_t>(a.re + b.re), static_cast<std::int16_t>(a.im + b.im)};
}
constexpr complex_i16 difference(complex_i16 a, complex_i16 b) noexcept {
    return {static_cast<std::int16_t>(a.re - b.re), static_cast<std::int16_t>(a.im - b.im)};
}
// The stages of a length: 4 as long as they go, then 2.
constexpr std::int32_t radix_of(std::int32_t length) noexcept {
    return length % 4 == 0 ? 4 : 2;
}

} // namespace fft_i16

struct signal_rfft {
    struct params {
        std::int32_t length = 0;
        template <class F>
        static constexpr void fields(F&& f) {
            f("length");
        }
    };
    static constexpr kernel_id id = kernel_id::signal_rfft;
    static constexpr const char* name = "signal_rfft";

    // Inputs: samples, twiddles [length / 2, 2] and those that split the halves [length / 4, 2].
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_signal(c, 3, 1));
        const std::int32_t length = c.params<params>().length;
        if (length < 8 || length > 32768 || (length & (length - 1)) != 0) {
            return fail(errc::unsupported, "length ", length,
                        ", needed a power of two from 8 to 32768");
        }
        const auto n = static_cast<std::size_t>(length);
        const tensor_record &in = c.input_record(0), &out = c.output_record(0);
        KOMPAKT_TRY(check_operand(in, "input", dtype::i16, max_rank));
        KOMPAKT_TRY(detail::check_elements(c, c.input_record(1), "twiddles", dtype::i16, n));
        KOMPAKT_TRY(detail::check_elements(c, c.input_record(2), "twiddles", dtype::i16, n / 2));
        const std::size_t samples = last(c, in), numbers = last(c, out);
        if (samples > n || numbers != n + 2) {
            return fail(errc::bad_file, samples, " samples to ", numbers, ", needed at most ", n,
                        " to ", n + 2);
        }
        return detail::check_elements(c, out, "output", dtype::i16,
                                      c.elements(in) / samples * numbers);
    }
    template <class Port>
    static std::size_t scratch_bytes(Port, const call& c) noexcept {
        return static_cast<std::size_t>(c.params<params>().length) * sizeof(std::int16_t);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const std::int32_t length = c.params<params>().length;
        const tensor_record& t = c.input_record(0);
        const std::size_t samples = last(c, t), rows = c.elements(t) / samples;
        const auto* in = c.input_data<std::int16_t>(0);
        auto* out = reinterpret_cast<complex_i16*>(c.output_data<std::int16_t>(0));
        for (std::size_t row = 0; row < rows; ++row, in += samples, out += length / 2 + 1) {
            transform(in, static_cast<std::int32_t>(samples), length / 2,
                      reinterpret_cast<const complex_i16*>(c.input_data<std::int16_t>(1)),
                      reinterpret_cast<const complex_i16*>(c.input_data<std::int16_t>(2)),
                      reinterpret_cast<complex_i16*>(c.scratch().data()), out);
        }
    }

  private:
    static std::size_t last(const call& c, const tensor_record& t) noexcept {
        return t.rank > 0 ? static_cast<std::size_t>(c.dims_of(t)[t.rank - 1]) : 1;
    }
    // `half` complex numbers in `work`.
    static void transform(const std::int16_t* in, std::int32_t samples, std::int32_t half,
                          const complex_i16* twiddles, const complex_i16* split, complex_i16* work,
                          complex_i16* out) noexcept {
        // The order in which the stages want the input: digits of the index reversed.
        for (std::int32_t i = 0; i < half; ++i) {
            std::int32_t from = 0, step = 1, rest = i;
            for (std::int32_t m = half; m > 1;) {
                const std::int32_t radix = fft_i16::radix_of(m);
                m /= radix;
                from += rest / m * step;
                rest %= m;
                step *= radix;
            }
            work[i] = {2 * from < samples ? in[2 * from] : std::int16_t{0},
                       2 * from + 1 < samples ? in[2 * from + 1] : std::int16_t{0}};
        }
        // From the last stage, the smallest blocks, to the first. A stage of 2 is the last.
        std::int32_t block = 1, fours = half;
        while (fours % 4 == 0) fours /= 4;
        if (fours == 2) {
            for (std::int32_t at = 0; at < half; at += 2) butterfly_2(work + at, twiddles[0]);
            block = 2;
        }
        while (block < half) {
            const std::int32_t stride = half / (4 * block);
            for (std::int32_t at = 0; at < half; at += 4 * block) {
                for (std::int32_t k = 0; k < block; ++k) {
                    butterfly_4(work + at + k, block, twiddles, stride * k);
                }
            }
            block *= 4;
        }
        // Two transforms of real numbers in one: their sum and difference.
        const complex_i16 first = fft_i16::divided(work[0], 2);
        out[0] = {static_cast<std::int16_t>(first.re + first.im), 0};
        out[half] = {static_cast<std::int16_t>(first.re - first.im), 0};
        for (std::int32_t k = 1; k <= half / 2; ++k) {
            const complex_i16 a = fft_i16::divided(work[k], 2);
            const complex_i16 b = fft_i16::divided(
                {work[half - k].re, static_cast<std::int16_t>(-work[half - k].im)}, 2);
            const complex_i16 even = fft_i16::sum(a, b);
            const complex_i16 odd = fft_i16::times(fft_i16::difference(a, b), split[k - 1]);
            out[k] = {static_cast<std::int16_t>((even.re + odd.re) >> 1),
                      static_cast<std::int16_t>((even.im + odd.im) >> 1)};
            out[half - k] = {static_cast<std::int16_t>((even.re - odd.re) >> 1),
                             static_cast<std::int16_t>((odd.im - even.im) >> 1)};
        }
    }
    static void butterfly_2(complex_i16* x, complex_i16 one) noexcept {
        const complex_i16 a = fft_i16::divided(x[0], 2),
                          b = fft_i16::times(fft_i16::divided(x[1], 2), one);
        x[0] = fft_i16::sum(a, b);
        x[1] = fft_i16::difference(a, b);
    }
    static void butterfly_4(complex_i16* x, std::int32_t m, const complex_i16* twiddles,
                            std::int32_t at) noexcept {
        const complex_i16 a = fft_i16::divided(x[0], 4);
        const complex_i16 b = fft_i16::times(fft_i16::divided(x[m], 4), twiddles[at]);
        const complex_i16 c = fft_i16::times(fft_i16::divided(x[2 * m], 4), twiddles[2 * at]);
        const complex_i16 d = fft_i16::times(fft_i16::divided(x[3 * m], 4), twiddles[3 * at]);
        const complex_i16 ac = fft_i16::sum(a, c), ca = fft_i16::difference(a, c);
        const complex_i16 bd = fft_i16::sum(b, d), db = fft_i16::difference(b, d);
        x[0] = fft_i16::sum(ac, bd);
        x[2 * m] = fft_i16::difference(ac, bd);
        x[m] = {static_cast<std::int16_t>(ca.re + db.im), static_cast<std::int16_t>(ca.im - db.re)};
        x[3 * m] = {static_cast<std::int16_t>(ca.re - db.im),
                    static_cast<std::int16_t>(ca.im + db.re)};
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
