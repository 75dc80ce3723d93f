// The audio front end of TensorFlow Lite Micro: custom operators whose names begin with Signal.
#pragma once

#include <kompakt/graph/ops/signal_energy.hpp>
#include <kompakt/graph/ops/signal_fft_auto_scale.hpp>
#include <kompakt/graph/ops/signal_filter_bank.hpp>
#include <kompakt/graph/ops/signal_filter_bank_log.hpp>
#include <kompakt/graph/ops/signal_filter_bank_spectral_subtraction.hpp>
#include <kompakt/graph/ops/signal_filter_bank_square_root.hpp>
#include <kompakt/graph/ops/signal_pcan.hpp>
#include <kompakt/graph/ops/signal_rfft.hpp>
#include <kompakt/graph/ops/signal_window.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_signal_window(operator_reader& r) {
    ops::signal_window o;
    KOMPAKT_TRY(r.custom_option("shift", o.shift));
    return r.make(std::move(o));
}
template <class Op>
status read_signal_plain(operator_reader& r) {
    return r.make(Op());
}
inline status read_signal_rfft(operator_reader& r) {
    ops::signal_rfft o;
    std::int32_t type = 0;
    KOMPAKT_TRY(r.custom_option("T", type));
    if (type != number_of(dtype::i16)) {
        return fail(errc::unsupported, "T is type ", type, ", needed int16");
    }
    KOMPAKT_TRY(r.custom_option("fft_length", o.length));
    return r.make(std::move(o));
}
inline status read_signal_energy(operator_reader& r) {
    ops::signal_energy o;
    KOMPAKT_TRY(r.custom_option("start_index", o.first));
    KOMPAKT_TRY(r.custom_option("end_index", o.last));
    return r.make(std::move(o));
}
inline status read_signal_filter_bank(operator_reader& r) {
    ops::signal_filter_bank o;
    KOMPAKT_TRY(r.custom_option("num_channels", o.channels));
    return r.make(std::move(o));
}
inline status read_signal_spectral_subtraction(operator_reader& r) {
    ops::signal_filter_bank_spectral_subtraction o;
    std::int32_t channels = 0;
    KOMPAKT_TRY(r.custom_option("num_channels", channels));
    KOMPAKT_TRY(r.custom_option("smoothing", o.smoothing));
    KOMPAKT_TRY(r.custom_option("alternate_smoothing", o.alternate_smoothing));
    KOMPAKT_TRY(r.custom_option("one_minus_smoothing", o.one_minus_smoothing));
    KOMPAKT_TRY(r.custom_option("alternate_one_minus_smoothing", o.alternate_one_minus_smoothing));
    KOMPAKT_TRY(r.custom_option("min_signal_remaining", o.min_signal_remaining));
    KOMPAKT_TRY(r.custom_option("smoothing_bits", o.smoothing_bits));
    KOMPAKT_TRY(r.custom_option("spectral_subtraction_bits", o.bits));
    KOMPAKT_TRY(r.custom_option("clamping", o.clamping));
    if (r.inputs.size() != 1 || !r.has_input(0) || r.input(0).shape != shape{dim(channels)}) {
        return fail(errc::bad_file, "needs one input of ", channels, " channels");
    }
    graph_tensor state;
    state.name = r.input(0).name + "/noise_estimate";
    state.type = dtype::u32;
    state.shape = r.input(0).shape;
    state.state = state_start();
    r.states.push_back(std::move(state));
    return r.make(std::move(o));
}
inline status read_signal_pcan(operator_reader& r) {
    ops::signal_pcan o;
    KOMPAKT_TRY(r.custom_option("snr_shift", o.snr_shift));
    return r.make(std::move(o));
}
inline status read_signal_filter_bank_log(operator_reader& r) {
    ops::signal_filter_bank_log o;
    KOMPAKT_TRY(r.custom_option("output_scale", o.output_scale));
    KOMPAKT_TRY(r.custom_option("input_correction_bits", o.correction_bits));
    return r.make(std::move(o));
}

inline constexpr custom_entry signal_operators[] = {
    {"SignalEnergy", read_signal_energy},
    {"SignalFftAutoScale", read_signal_plain<ops::signal_fft_auto_scale>},
    {"SignalFilterBank", read_signal_filter_bank},
    {"SignalFilterBankLog", read_signal_filter_bank_log},
    {"SignalFilterBankSpectralSubtraction", read_signal_spectral_subtraction},
    {"SignalFilterBankSquareRoot", read_signal_plain<ops::signal_filter_bank_square_root>},
    {"SignalPCAN", read_signal_pcan},
    {"SignalRfft", read_signal_rfft},
    {"SignalWindow", read_signal_window},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
