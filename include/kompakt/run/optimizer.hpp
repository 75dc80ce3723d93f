// Optimizers: how parameters follow their gradients. Plain functions on arrays that the caller
// owns, for hosts and devices alike.
//
//     const std::size_t n = optimizer_floats(o, parameter.size());   // of memory between steps
//     optimizer_update(o, {rate, step}, parameter, gradient, memory); // step 1, 2, …; memory:
//     zeros
//
// Sources: PyTorch's formulas of these names, NAdam as its paper has it; LARS You 2017, LAMB You
// 2020, Lion Chen 2023.
#pragma once

#include <kompakt/core/span.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class optimizer_kind : std::int32_t {
    sgd,
    rmsprop,
    adam,
    adamw,
    adamax,
    nadam,
    radam,
    adagrad,
    adadelta,
    rprop,
    lars,
    lamb,
    lion,
    signum,
    count
};
constexpr const char* name_of(optimizer_kind k) noexcept {
    constexpr const char* names[] = {"sgd",   "rmsprop", "adam",    "adamw",    "adamax",
                                     "nadam", "radam",   "adagrad", "adadelta", "rprop",
                                     "lars",  "lamb",    "lion",    "signum"};
    static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(optimizer_kind::count));
    return k < optimizer_kind::count ? names[static_cast<std::int32_t>(k)] : "unknown";
}

struct optimizer_options {
    optimizer_kind kind = optimizer_kind::sgd;
    float momentum = 0.0f; // sgd, rmsprop, lars, signum
    float dampening = 0.0f;
    bool nesterov = false;
    float beta1 = 0.9f, beta2 = 0.999f; // the Adam family and lion
    float epsilon = 1e-8f;
    float weight_decay = 0.0f;        // added to the gradient; adamw, lamb, lion: apart from it
    bool amsgrad = false;             // adam, adamw
    float alpha = 0.99f;              // rmsprop; adadelta: rho
    bool centered = false;            // rmsprop
    float rate_decay = 0.0f;          // adagrad
    float momentum_decay = 0.004f;    // nadam
    float eta = 0.001f;               // lars: trust
    float shrink = 0.5f, grow = 1.2f; // rprop
    float least_step = 1e-6f, largest_step = 50.0f; // rprop

    // The defaults that the field uses for a kind.
    static constexpr optimizer_options of(optimizer_kind k) noexcept {
        optimizer_options o;
        o.kind = k;
        switch (k) {
        case optimizer_kind::adamw:
            o.weight_decay = 0.01f;
            break;
        case optimizer_kind::adagrad:
            o.epsilon = 1e-10f;
            break;
        case optimizer_kind::adadelta:
            o.epsilon = 1e-6f;
            o.alpha = 0.9f;
            break;
        case optimizer_kind::lamb:
            o.epsilon = 1e-6f;
            o.weight_decay = 0.01f;
            break;
        case optimizer_kind::lion:
            o.beta2 = 0.99f;
            break;
        case optimizer_kind::lars:
        case optimizer_kind::signum:
            o.momentum = 0.9f;
            break;
        default:
            break;
        }
        return o;
    }
};

// Arrays as long as the parameter that an optimizer keeps, and numbers beside them.
constexpr std::size_t optimizer_slots(const optimizer_options& o) noexcept {
    switch (o.kind) {
    case optimizer_kind::sgd:
        return o.momentum != 0.0f ? 1 : 0;
    case optimizer_kind::rmsprop:
        return 1 + (o.centered ? 1 : 0) + (o.momentum != 0.0f ? 1 : 0);
    case optimizer_kind::adam:
    case optimizer_kind::adamw:
        return o.amsgrad ? 3 : 2;
    case optimizer_kind::adagrad:
    case optimizer_kind::lars:
    case optimizer_kind::lion:
    case optimizer_kind::signum:
        return 1;
    default:
        return 2;
    }
}
constexpr std::size_t optimizer_floats(const optimizer_options& o, std::size_t n) noexcept {
    return optimizer_slots(o) * n + (o.kind == optimizer_kind::nadam ? 1 : 0);
}

struct optimizer_step {
    float rate = 0.0f;
    std::int32_t number = 1; // from 1 on
};

namespace detail {

// 1 - b^t without losing what is left of it for small t.
inline float one_minus_power(float b, std::int32_t t) noexcept {
    return -expm1_f32(static_cast<float>(t) * log_f32(b));
}
// Square root of a sum of squares, in blocks so that long sums stay exact enough.
inline float norm_of(const float* x, std::size_t n) noexcept {
    float sum = 0.0f;
    for (std::size_t i = 0; i < n;) {
        float block = 0.0f;
        const std::size_t end = n - i < 256 ? n : i + 256;
        for (; i < end; ++i) block += x[i] * x[i];
        sum += block;
    }
    return sqrt_f32(sum);
}
inline float sign_of(float x) noexcept {
    return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f;
}

} // namespace detail

inline void optimizer_update(const optimizer_options& o, const optimizer_step& step,
                             span<float> parameter, span<const float> gradient,
                             float* memory) noexcept {
    const std::size_t n = parameter.size();
    float* p = parameter.data();
    const float* g = gradient.data();
    // Without slots there may be no memory.
    float *a = memory, *b = memory != nullptr ? memory + n : nullptr,
          *c = memory != nullptr ? memory + 2 * n : nullptr;
    const float rate = step.rate, decay = o.weight_decay;
    const bool first = step.number <= 1;
    const float rest1 = 1.0f - o.beta1, rest2 = 1.0f - o.beta2;
    using detail::one_minus_power;
    switch (o.kind) {
    case optimizer_kind::sgd:
        for (std::size_t i = 0; i < n; ++i) {
            float d = g[i] + decay * p[i];
            if (o.momentum != 0.0f) {
                a[i] = first ? d : o.momentum * a[i] + (1.0f - o.dampening) * d;
                d = o.nesterov ? d + o.momentum * a[i] : a[i];
            }
            p[i] -= rate * d;
        }
        return;
    case optimizer_kind::rmsprop: {
        float* mean = o.centered ? b : nullptr;
        float* velocity = o.momentum == 0.0f ? nullptr : o.centered ? c : b;
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] = o.alpha * a[i] + (1.0f - o.alpha) * d * d;
            float variance = a[i];
            if (mean != nullptr) {
                mean[i] = o.alpha * mean[i] + (1.0f - o.alpha) * d;
                variance -= mean[i] * mean[i];
            }
            float move = d / (sqrt_f32(variance > 0.0f ? variance : 0.0f) + o.epsilon);
            if (velocity != nullptr) move = velocity[i] = o.momentum * velocity[i] + move;
            p[i] -= rate * move;
        }
        return;
    }
    case optimizer_kind::adam:
    case optimizer_kind::adamw: {
        const bool apart = o.kind == optimizer_kind::adamw;
        const float pace = rate / one_minus_power(o.beta1, step.number);
        const float root = 1.0f / sqrt_f32(one_minus_power(o.beta2, step.number));
        const float keep = apart ? 1.0f - rate * decay : 1.0f, couple = apart ? 0.0f : decay;
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + couple * p[i];
            a[i] += rest1 * (d - a[i]);
            b[i] = o.beta2 * b[i] + rest2 * d * d;
            float v = b[i];
            if (o.amsgrad) v = c[i] = c[i] > v ? c[i] : v;
            p[i] = p[i] * keep - pace * a[i] / (sqrt_f32(v) * root + o.epsilon);
        }
        return;
    }
    case optimizer_kind::adamax: {
        const float pace = rate / one_minus_power(o.beta1, step.number);
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] += rest1 * (d - a[i]);
            const float old = o.beta2 * b[i], now = abs_f32(d) + o.epsilon;
            b[i] = old > now ? old : now;
            p[i] -= pace * a[i] / b[i];
        }
        return;
    }
    case optimizer_kind::nadam: {
        // The product of all momenta so far is the number behind the slots, 0 before the first.
        float& product = memory[2 * n];
        const auto momentum_at = [&](std::int32_t t) {
            const float log_096 = -0.0408219945f;
            return o.beta1 *
                   (1.0f - 0.5f * exp_f32(log_096 * static_cast<float>(t) * o.momentum_decay));
        };
        const float now = momentum_at(step.number), next = momentum_at(step.number + 1);
        product = (first ? 1.0f : product) * now;
        const float pace_m = rate * next / (1.0f - product * next);
        const float pace_g = rate * (1.0f - now) / (1.0f - product);
        const float root = 1.0f / sqrt_f32(one_minus_power(o.beta2, step.number));
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] += rest1 * (d - a[i]);
            b[i] = o.beta2 * b[i] + rest2 * d * d;
            p[i] -= (pace_m * a[i] + pace_g * d) / (sqrt_f32(b[i]) * root + o.epsilon);
        }
        return;
    }
    case optimizer_kind::radam: {
        const float pace = rate / one_minus_power(o.beta1, step.number);
        const float rest = one_minus_power(o.beta2, step.number);
        const float most = 2.0f / rest2 - 1.0f;
        const float length = most - 2.0f * static_cast<float>(step.number) * (1.0f - rest) / rest;
        const bool rectified = length > 5.0f;
        float scale = 1.0f;
        if (rectified) {
            scale = sqrt_f32(rest) * sqrt_f32((length - 4.0f) * (length - 2.0f) * most /
                                              ((most - 4.0f) * (most - 2.0f) * length));
        }
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] += rest1 * (d - a[i]);
            b[i] = o.beta2 * b[i] + rest2 * d * d;
            p[i] -= pace * a[i] * (rectified ? scale / (sqrt_f32(b[i]) + o.epsilon) : 1.0f);
        }
        return;
    }
    case optimizer_kind::adagrad: {
        const float pace = rate / (1.0f + static_cast<float>(step.number - 1) * o.rate_decay);
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] += d * d;
            p[i] -= pace * d / (sqrt_f32(a[i]) + o.epsilon);
        }
        return;
    }
    case optimizer_kind::adadelta:
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] = o.alpha * a[i] + (1.0f - o.alpha) * d * d;
            const float move = sqrt_f32(b[i] + o.epsilon) / sqrt_f32(a[i] + o.epsilon) * d;
            b[i] = o.alpha * b[i] + (1.0f - o.alpha) * move * move;
            p[i] -= rate * move;
        }
        return;
    case optimizer_kind::rprop:
        for (std::size_t i = 0; i < n; ++i) {
            if (first) b[i] = rate;
            const float same = g[i] * a[i];
            float d = g[i];
            if (same > 0.0f) {
                b[i] = b[i] * o.grow < o.largest_step ? b[i] * o.grow : o.largest_step;
            } else if (same < 0.0f) {
                b[i] = b[i] * o.shrink > o.least_step ? b[i] * o.shrink : o.least_step;
                d = 0.0f;
            }
            p[i] -= detail::sign_of(d) * b[i];
            a[i] = d;
        }
        return;
    case optimizer_kind::lars: {
        const float weights = detail::norm_of(p, n), gradients = detail::norm_of(g, n);
        const float pull = gradients + decay * weights;
        const float trust = weights > 0.0f && gradients > 0.0f ? o.eta * weights / pull : 1.0f;
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = o.momentum * a[i] + rate * trust * (g[i] + decay * p[i]);
            p[i] -= a[i];
        }
        return;
    }
    case optimizer_kind::lamb: {
        const float pace = 1.0f / one_minus_power(o.beta1, step.number);
        const float root = 1.0f / sqrt_f32(one_minus_power(o.beta2, step.number));
        const float weights = detail::norm_of(p, n);
        const auto move = [&](std::size_t i) {
            return pace * a[i] / (sqrt_f32(b[i]) * root + o.epsilon) + decay * p[i];
        };
        float sum = 0.0f;
        for (std::size_t i = 0; i < n;) {
            float block = 0.0f;
            const std::size_t end = n - i < 256 ? n : i + 256;
            for (; i < end; ++i) {
                a[i] += rest1 * (g[i] - a[i]);
                b[i] = o.beta2 * b[i] + rest2 * g[i] * g[i];
                const float u = move(i);
                block += u * u;
            }
            sum += block;
        }
        const float moves = sqrt_f32(sum);
        const float trust = weights > 0.0f && moves > 0.0f ? weights / moves : 1.0f;
        for (std::size_t i = 0; i < n; ++i) p[i] -= rate * trust * move(i);
        return;
    }
    case optimizer_kind::lion:
        for (std::size_t i = 0; i < n; ++i) {
            const float u = detail::sign_of(o.beta1 * a[i] + rest1 * g[i]);
            p[i] -= rate * (u + decay * p[i]);
            a[i] = o.beta2 * a[i] + rest2 * g[i];
        }
        return;
    case optimizer_kind::signum:
        for (std::size_t i = 0; i < n; ++i) {
            const float d = g[i] + decay * p[i];
            a[i] = o.momentum * a[i] + (1.0f - o.momentum) * d;
            p[i] -= rate * detail::sign_of(a[i]);
        }
        return;
    case optimizer_kind::count:
        return;
    }
}

// The length of all gradients together: by the sum of squares, of absolute values, or the largest.
enum class norm_kind : std::uint8_t { two, one, infinity };
inline float gradient_norm(span<const span<float>> all, norm_kind kind = norm_kind::two) noexcept {
    float total = 0.0f;
    for (const span<float>& g : all) {
        float own = 0.0f;
        if (kind == norm_kind::two) {
            own = detail::norm_of(g.data(), g.size());
            total += own * own;
            continue;
        }
        for (float x : g) {
            const float size = abs_f32(x);
            own = kind == norm_kind::one ? own + size : size > own ? size : own;
        }
        total = kind == norm_kind::one ? total + own : own > total ? own : total;
    }
    return kind == norm_kind::two ? sqrt_f32(total) : total;
}
// Gradients longer than `most` become that long. Gives the length that they had.
inline float clip_by_norm(span<const span<float>> all, float most,
                          norm_kind kind = norm_kind::two) noexcept {
    const float total = gradient_norm(all, kind);
    const float scale = most / (total + 1e-6f);
    if (scale >= 1.0f) return total;
    for (const span<float>& g : all)
        for (float& x : g) x *= scale;
    return total;
}
inline void clip_by_value(span<float> gradient, float most) noexcept {
    for (float& x : gradient) x = x > most ? most : x < -most ? -most : x;
}

// Averages of parameters over steps: exponential, and plain (SWA; `count`: how many came before).
inline void average_exponentially(span<float> average, span<const float> p, float decay) noexcept {
    for (std::size_t i = 0; i < average.size(); ++i) {
        average[i] = decay * average[i] + (1.0f - decay) * p[i];
    }
}
inline void average_evenly(span<float> average, span<const float> p, std::int32_t count) noexcept {
    const float share = 1.0f / static_cast<float>(count + 1);
    for (std::size_t i = 0; i < average.size(); ++i) average[i] += (p[i] - average[i]) * share;
}
// Lookahead: every few steps the slow weights follow the fast ones, which then start from there.
inline void look_ahead(span<float> slow, span<float> fast, float alpha) noexcept {
    for (std::size_t i = 0; i < slow.size(); ++i) {
        slow[i] += alpha * (fast[i] - slow[i]);
        fast[i] = slow[i];
    }
}
// SAM: where the loss is worst nearby. `norm` is that of all gradients; `kept` gets the parameter,
// which the update with the gradient found there starts from.
inline void sam_ascend(span<float> p, span<const float> g, float norm, float rho,
                       span<float> kept) noexcept {
    const float scale = rho / (norm + 1e-12f);
    for (std::size_t i = 0; i < p.size(); ++i) {
        kept[i] = p[i];
        p[i] += scale * g[i];
    }
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
