// The logistic function 1 / (1 + exp(-x)) of float32. That of int8 is a table (lookup_i8), that of
// int16 is in unary_i16.hpp.
#pragma once

#include <kompakt/kernel/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct logistic_f32 : unary_kernel<logistic_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::logistic_f32;
    static constexpr const char* name = "logistic_f32";
    static float apply(float x, const no_params&) noexcept { return sigmoid_f32(x); }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
