// Losses over float32 predictions [rows, depth], with their gradients.
//
//     loss_sum s = loss(p, x, rows, depth, labels, targets, weights, gradient);
//     mean = s.loss / s.weight, gradient of the mean = gradient / s.weight
//
// Sums and not means: pieces of a batch add up to exactly the batch, whatever rows they leave out.
// Sources: PyTorch's definitions of these names; focal loss: Lin et al. 2017.
//
// | kind                 | target                  | a row's loss |
// |----------------------|-------------------------|------------------------------------------------|
// | cross_entropy        | label, class weights    | -log softmax, smoothed | | focal | label,
// class weights    | (1 - p)^parameter * -log p                     | | soft_cross_entropy   |
// probabilities           | -sum(t * log softmax)                          | | kl_divergence |
// probabilities           | sum(t * (log t - log softmax))                 | | binary_cross_entropy
// | 0 to 1, positive weights| of logits, each element                        | | mse, mae | values
// | squared, absolute difference of each element   | | smooth_l1, huber     | values | parameter:
// beta, delta                         | | hinge                | -1 or 1                 | max(0,
// parameter - t * x) of each element      | | cosine               | values                  | 1 -
// cosine of the angle between x and t        |
#pragma once

#include <kompakt/core/span.hpp>
#include <kompakt/kernel/batch_norm_training.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class loss_kind : std::int32_t {
    cross_entropy,
    focal,
    soft_cross_entropy,
    kl_divergence,
    binary_cross_entropy,
    mse,
    mae,
    smooth_l1,
    huber,
    hinge,
    cosine,
    count
};

constexpr const char* name_of(loss_kind k) noexcept {
    constexpr const char* names[] = {
        "cross_entropy", "focal", "soft_cross_entropy", "kl_divergence", "binary_cross_entropy",
        "mse",           "mae",   "smooth_l1",          "huber",         "hinge",
        "cosine"};
    static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(loss_kind::count));
    return k < loss_kind::count ? names[static_cast<std::int32_t>(k)] : "unknown";
}
// Whether targets are one label a row.
constexpr bool takes_labels(loss_kind k) noexcept {
    return k == loss_kind::cross_entropy || k == loss_kind::focal;
}

struct loss_params {
    loss_kind kind = loss_kind::cross_entropy;
    float smoothing = 0.0f; // of cross_entropy: the part of the target spread over all classes
    float parameter = 1.0f; // beta, delta, gamma (focal) or margin (hinge)

    template <class F>
    static constexpr void fields(F&& f) {
        f("loss"), f("smoothing"), f("parameter");
    }
};

struct loss_sum {
    float loss = 0.0f;
    float weight =
        0.0f; // rows, elements, or the class weights of the labels: what a mean divides by
};

namespace detail {

// log(sum(exp(x))) without overflow.
inline float log_sum_exp(const float* x, std::int32_t n) noexcept {
    float largest = x[0];
    for (std::int32_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
    float sum = 0.0f;
    for (std::int32_t i = 0; i < n; ++i) sum += exp_f32(x[i] - largest);
    return largest + log_f32(sum);
}
// q^e for q from 0 to 1.
inline float power_of_unit(float q, float e) noexcept {
    if (e == 0.0f) return 1.0f;
    return q > 0.0f ? exp_f32(e * log_f32(q)) : 0.0f;
}

// A label below 0 or beyond the classes is left out: its row costs nothing and learns nothing.
inline loss_sum label_loss(const loss_params& p, const float* x, std::int32_t depth,
                           std::int32_t label, const float* weights, float* g) noexcept {
    for (std::int32_t i = 0; i < depth; ++i) g[i] = 0.0f;
    if (label < 0 || label >= depth) return {};
    const float log_sum = log_sum_exp(x, depth);
    const float weight = weights != nullptr ? weights[label] : 1.0f;
    const float log_p = x[label] - log_sum;
    if (p.kind == loss_kind::focal) {
        const float prob = exp_f32(log_p), rest = 1.0f - prob;
        const float pull = power_of_unit(rest, p.parameter);
        // d loss / d log p
        const float slope =
            -weight * (pull - p.parameter * (rest > 0.0f ? pull / rest : 0.0f) * prob * log_p);
        for (std::int32_t i = 0; i < depth; ++i) g[i] = -slope * exp_f32(x[i] - log_sum);
        g[label] += slope;
        return {-weight * pull * log_p, weight};
    }
    const float spread = p.smoothing / static_cast<float>(depth);
    float loss = -(1.0f - p.smoothing) * weight * log_p, total = (1.0f - p.smoothing) * weight;
    if (p.smoothing > 0.0f) {
        for (std::int32_t i = 0; i < depth; ++i) {
            const float w = spread * (weights != nullptr ? weights[i] : 1.0f);
            loss -= w * (x[i] - log_sum);
            total += w;
            g[i] = -w;
        }
    }
    for (std::int32_t i = 0; i < depth; ++i) g[i] += total * exp_f32(x[i] - log_sum);
    g[label] -= (1.0f - p.smoothing) * weight;
    return {loss, weight};
}

inline loss_sum distribution_loss(const loss_params& p, const float* x, std::int32_t depth,
                                  const float* t, float* g) noexcept {
    const float log_sum = log_sum_exp(x, depth);
    float loss = 0.0f, mass = 0.0f;
    for (std::int32_t i = 0; i < depth; ++i) {
        float entropy = 0.0f;
        if (p.kind == loss_kind::kl_divergence && t[i] > 0.0f) entropy = log_f32(t[i]);
        loss += t[i] * (entropy - (x[i] - log_sum));
        mass += t[i];
    }
    for (std::int32_t i = 0; i < depth; ++i) g[i] = mass * exp_f32(x[i] - log_sum) - t[i];
    return {loss, 1.0f};
}

inline loss_sum cosine_loss(const float* x, std::int32_t depth, const float* t, float* g) noexcept {
    float xt = 0.0f, xx = 0.0f, tt = 0.0f;
    for (std::int32_t i = 0; i < depth; ++i)
        xt += x[i] * t[i], xx += x[i] * x[i], tt += t[i] * t[i];
    const float tiny = 1e-12f; // of a zero vector no angle is known
    const float inverse = 1.0f / sqrt_f32((xx + tiny) * (tt + tiny));
    for (std::int32_t i = 0; i < depth; ++i) {
        g[i] = -inverse * (t[i] - x[i] * xt / (xx + tiny));
    }
    return {1.0f - xt * inverse, 1.0f};
}

// One element of the losses that treat all alike; `weight` is that of positive targets.
inline float element_loss(const loss_params& p, float x, float t, float weight, float& g) noexcept {
    const float d = x - t, size = abs_f32(d), sign = d > 0.0f ? 1.0f : d < 0.0f ? -1.0f : 0.0f;
    switch (p.kind) {
    case loss_kind::mse:
        g = 2.0f * d;
        return d * d;
    case loss_kind::mae:
        g = sign;
        return size;
    case loss_kind::smooth_l1:
        g = size < p.parameter ? d / p.parameter : sign;
        return size < p.parameter ? 0.5f * d * d / p.parameter : size - 0.5f * p.parameter;
    case loss_kind::huber:
        g = size <= p.parameter ? d : p.parameter * sign;
        return size <= p.parameter ? 0.5f * d * d : p.parameter * (size - 0.5f * p.parameter);
    case loss_kind::hinge: {
        const float lack = p.parameter - t * x;
        g = lack > 0.0f ? -t : 0.0f;
        return lack > 0.0f ? lack : 0.0f;
    }
    default: {
        // Of logits: t * w * softplus(-x) + (1 - t) * softplus(x), where nothing overflows.
        const float tail = log_f32(1.0f + exp_f32(-abs_f32(x)));
        const float up = (x > 0.0f ? x : 0.0f) + tail, down = (x < 0.0f ? -x : 0.0f) + tail;
        const float s = sigmoid_f32(x);
        g = (1.0f - t) * s - t * weight * (1.0f - s);
        return t * weight * down + (1.0f - t) * up;
    }
    }
}

} // namespace detail

// `labels` for kinds that take them, else `targets` [rows, depth]. `weights` [depth] or null.
// `gradient` [rows, depth] is that of the sum. `each`, if not null, gets the loss of every row.
inline loss_sum loss(const loss_params& p, const float* x, std::int32_t rows, std::int32_t depth,
                     const std::int32_t* labels, const float* targets, const float* weights,
                     float* gradient, float* each = nullptr) noexcept {
    loss_sum sum;
    for (std::int32_t r = 0; r < rows; ++r) {
        loss_sum row;
        const float* t = targets != nullptr ? targets + r * depth : nullptr;
        if (takes_labels(p.kind)) {
            row = detail::label_loss(p, x, depth, labels[r], weights, gradient);
        } else if (p.kind == loss_kind::soft_cross_entropy || p.kind == loss_kind::kl_divergence) {
            row = detail::distribution_loss(p, x, depth, t, gradient);
        } else if (p.kind == loss_kind::cosine) {
            row = detail::cosine_loss(x, depth, t, gradient);
        } else {
            for (std::int32_t i = 0; i < depth; ++i) {
                row.loss += detail::element_loss(
                    p, x[i], t[i], weights != nullptr ? weights[i] : 1.0f, gradient[i]);
            }
            row.weight = static_cast<float>(depth);
        }
        if (each != nullptr) each[r] = row.loss;
        sum.loss += row.loss;
        sum.weight += row.weight;
        x += depth;
        gradient += depth;
    }
    return sum;
}

// Inputs: prediction, labels int32 or targets, weights or absent. Outputs: {loss, weight} [2], and
// the gradient of the summed loss by the prediction.
struct loss_f32 {
    using params = loss_params;
    static constexpr kernel_id id = kernel_id::loss_f32;
    static constexpr const char* name = "loss_f32";

    static status check(const call& c) noexcept {
        if (c.inputs() != 3 || c.outputs() != 2) {
            return fail(errc::bad_file, "needs three inputs and two outputs");
        }
        const auto p = c.params<params>();
        if (p.kind < loss_kind{} || p.kind >= loss_kind::count) {
            return fail(errc::bad_file, "unknown loss ", static_cast<std::int32_t>(p.kind));
        }
        const tensor_record &x = c.input_record(0), &t = c.input_record(1);
        KOMPAKT_TRY(check_operand(x, "prediction", dtype::f32, max_rank));
        const bool labels = takes_labels(p.kind);
        KOMPAKT_TRY(check_operand(t, labels ? "labels" : "targets",
                                  labels ? dtype::i32 : dtype::f32, max_rank));
        const auto e = detail::channel_rows_of(c, x);
        const std::size_t needed = labels ? static_cast<std::size_t>(e.rows) : c.elements(x);
        if (c.elements(t) != needed) {
            return fail(errc::bad_file, labels ? "labels: " : "targets: ", c.elements(t),
                        " elements, needed ", needed);
        }
        if (c.has_input(2)) {
            KOMPAKT_TRY(detail::check_channels(c, c.input_record(2), "weights", e.channels));
        }
        KOMPAKT_TRY(detail::check_channels(c, c.output_record(0), "loss", 2));
        KOMPAKT_TRY(check_operand(c.output_record(1), "gradient", dtype::f32, max_rank));
        if (c.elements(c.output_record(1)) == c.elements(x)) return {};
        return fail(errc::bad_file, "gradient: ", c.elements(c.output_record(1)),
                    " elements, needed ", c.elements(x));
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const auto e = detail::channel_rows_of(c, c.input_record(0));
        const bool labels = takes_labels(p.kind);
        const loss_sum s = loss(p, c.input_data<float>(0), e.rows, e.channels,
                                labels ? c.input_data<std::int32_t>(1) : nullptr,
                                labels ? nullptr : c.input_data<float>(1), c.input_data<float>(2),
                                c.output_data<float>(1));
        c.output_data<float>(0)[0] = s.loss;
        c.output_data<float>(0)[1] = s.weight;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
