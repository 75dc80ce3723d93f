// Dropout: elements are dropped at the given rate and the others scaled by 1 / (1 - rate). Which
// ones follows from (seed, stream) and (step, element) alone, so the backward pass asks again
// instead of keeping a mask: it is this kernel on the gradient.
//
//     in float32, step int32 [1] -> out float32
#pragma once

#include <kompakt/core/random.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct dropout_params {
    float rate = 0.0f; // from 0 up to, not including, 1
    std::int32_t seed = 0, stream = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("rate"), f("seed"), f("stream");
    }
};

template <class Port>
void dropout(portable, Port, const float* in, std::int32_t step, float* out, std::int32_t n,
             const dropout_params& p) noexcept {
    const philox random(static_cast<std::uint32_t>(p.seed), static_cast<std::uint32_t>(p.stream));
    const float scale = 1.0f / (1.0f - p.rate);
    for (std::int32_t i = 0; i < n; i += 4) {
        const philox_block b =
            random.block(static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(i) / 4);
        for (std::int32_t k = 0; k < 4 && i + k < n; ++k) {
            const float u = static_cast<float>(b.word[k] >> 8) * (1.0f / 16777216.0f);
            out[i + k] = u < p.rate ? 0.0f : in[i + k] * scale;
        }
    }
}

struct dropout_f32 {
    using params = dropout_params;
    static constexpr kernel_id id = kernel_id::dropout_f32;
    static constexpr const char* name = "dropout_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        if (c.inputs() != 2 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs an input, a step and one output");
        }
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::f32, max_rank));
        KOMPAKT_TRY(check_operand(c.input_record(1), "step", dtype::i32, 1));
        KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::f32, max_rank));
        const float rate = c.params<params>().rate;
        if (!(rate >= 0.0f && rate < 1.0f)) {
            return fail(errc::bad_file, "rate is not from 0 to below 1");
        }
        if (c.elements(c.input_record(1)) != 1 ||
            c.elements(c.input_record(0)) != c.elements(c.output_record(0))) {
            return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                        " elements, input ", c.elements(c.input_record(0)), "; step ",
                        c.elements(c.input_record(1)), ", needed 1");
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        dropout(port, port, c.input_data<float>(0), *c.input_data<std::int32_t>(1),
                c.output_data<float>(0), static_cast<std::int32_t>(c.elements(c.output_record(0))),
                c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
