// Fully connected layers: one column of int8 inputs times panels of weights, in place; as columns
// of a convolution where the inputs are no multiple of four.
#pragma once

#include <kompakt_ports/cortex_m/conv2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

struct connection {
    std::int32_t batches, depth, outputs;
    fully_connected_i8_params params;

    constexpr panel_shape panels() const noexcept { return {outputs, 1, depth}; }
    constexpr bool by_words() const noexcept { return depth % 4 == 0; }
};
inline connection connection_of(const call& c) noexcept {
    const auto weights = c.input<std::int8_t, 2>(packed_input);
    const auto inputs = static_cast<std::int32_t>(c.elements(c.input_record(0)));
    return {inputs / weights.dim(1), weights.dim(1), weights.dim(0),
            c.params<fully_connected_i8_params>()};
}

KOMPAKT_NOINLINE inline void connect(const call& c) noexcept {
    const connection f = connection_of(c);
    const auto* in = c.input_data<std::int8_t>(0);
    auto* out = c.output_data<std::int8_t>(0);
    const output_stage_params& stage = f.params.output;
    if (f.by_words()) {
        one_column m{};
        m.panels = c.packed();
        m.panel_count = f.panels().panels();
        m.z2 = 2 * stage.zero_point + 1;
        m.last_channels = f.panels().last_channels();
        for (std::int32_t n = 0; n < f.batches; ++n) {
            m.x = in + n * f.depth, m.end = m.x + f.depth;
            m.out = out + n * f.outputs;
            multiply(&m);
        }
    } else {
        auto* const columns = reinterpret_cast<std::uint32_t*>(c.scratch().data());
        two_columns m{};
        m.panels = c.packed();
        m.x = columns, m.end = columns + 2 * f.panels().pairs();
        m.panel_count = f.panels().panels();
        m.z2 = 2 * stage.zero_point + 1;
        m.last_channels = f.panels().last_channels();
        for (std::int32_t n = 0; n < f.batches; n += 2) {
            const std::int32_t next = n + 1 < f.batches ? n + 1 : n;
            widen_run(columns, in + n * f.depth, f.depth);
            widen_run(columns + 1, in + next * f.depth, f.depth);
            m.first = out + n * f.outputs, m.second = out + next * f.outputs;
            multiply(&m);
        }
    }
    if (limits_outputs(stage)) limit_outputs(out, f.batches * f.outputs, 1, stage);
}

constexpr std::uint32_t kernel_pack_id(dsp, fully_connected_i8) noexcept {
    return 0xc3080402;
}
constexpr std::uint32_t kernel_pack_absorbs(dsp, fully_connected_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(dsp, fully_connected_i8, const call& c) noexcept {
    const connection f = connection_of(c);
    const plain_weights w{c.input_data<std::int8_t>(packed_input), f.depth, 1};
    if (!is_packed(c) && !panels_are_exact(f.panels(), w, output_stage_of(c, 2, f.params.output),
                                           f.params.input_zero_point)) {
        return 0;
    }
    return f.panels().bytes();
}
inline void kernel_pack(dsp, fully_connected_i8, const call& c, std::byte* to) noexcept {
    const connection f = connection_of(c);
    const plain_weights w{c.input_data<std::int8_t>(packed_input), f.depth, 1};
    pack_panels(f.panels(), w, output_stage_of(c, 2, f.params.output), f.params.input_zero_point,
                to);
}
inline std::size_t kernel_scratch_bytes(dsp, fully_connected_i8, const call& c) noexcept {
    const connection f = connection_of(c);
    return f.by_words() ? 0 : static_cast<std::size_t>(f.panels().pairs()) * 8;
}
template <class Port, class Call>
void run_kernel(dsp, fully_connected_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return fully_connected_i8::run_portable(port, c);
    }
    connect(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
