// Schedules: the learning rate at each step, a function of the step alone, so that a resumed run
// needs nothing but its number. All lengths are in steps.
//
//     schedule s;
//     s.kind = schedule_kind::cosine, s.rate = 0.1, s.total = 1000, s.warmup = 50;
//     s.at(0)
#pragma once

#include <kompakt/core/status.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class schedule_kind : std::uint8_t {
    constant,        // factor * rate for the first `total` steps, if factor is not 1
    step,            // * gamma every `period` steps
    multistep,       // * gamma at each of `milestones`
    exponential,     // * gamma each step
    cosine,          // from rate to least over `total` steps
    cosine_restarts, // the same over `period` steps, again and again, each time `grow` times longer
    polynomial,      // rate * (1 - t / total)^power
    one_cycle,       // up to rate over the part `up` of `total`, then down
    cyclic,          // between least and rate, `period` steps up and as many down
    linear,          // rate * (1 - t / total): the budgeted schedule, which stretches to the budget
    noam,            // width^-0.5 * min(t^-0.5, t * warmup^-1.5), t from 1
    warmup_stable_decay, // up over `warmup`, constant, down over the last `period` steps
    count
};
constexpr const char* name_of(schedule_kind k) noexcept {
    constexpr const char* names[] = {
        "constant",   "step",      "multistep", "exponential", "cosine", "cosine_restarts",
        "polynomial", "one_cycle", "cyclic",    "linear",      "noam",   "warmup_stable_decay"};
    static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(schedule_kind::count));
    return k < schedule_kind::count ? names[static_cast<std::size_t>(k)] : "unknown";
}

// Whether it needs to know the number of steps.
constexpr bool needs_total(schedule_kind k) noexcept {
    return k == schedule_kind::cosine || k == schedule_kind::polynomial ||
           k == schedule_kind::one_cycle || k == schedule_kind::linear ||
           k == schedule_kind::warmup_stable_decay;
}

struct schedule {
    schedule_kind kind = schedule_kind::constant;
    double rate = 0.01;
    double least = 0.0; // that cosines and cycles come down to
    std::int64_t total = 0, period = 1;
    std::int64_t warmup = 0;  // linear, before anything else
    double warmup_from = 0.0; // the part of the rate at step 0
    double gamma = 0.1, power = 1.0, factor = 1.0;
    std::int64_t grow = 1; // cosine_restarts
    std::vector<std::int64_t> milestones;
    // one_cycle
    double up = 0.3, first_divisor = 25.0, last_divisor = 1e4;
    bool straight = false, three_phases = false;
    double least_momentum = 0.85, most_momentum = 0.95;
    // cyclic: halves the height each cycle, or multiplies it by gamma each step
    bool halves = false, fades = false;
    std::int64_t width = 64; // noam

    // Of step t, counted from 0.
    double at(std::int64_t t) const {
        if (kind != schedule_kind::noam && kind != schedule_kind::warmup_stable_decay) {
            if (t < warmup) {
                return rate * (warmup_from + (1.0 - warmup_from) * static_cast<double>(t) /
                                                 static_cast<double>(warmup));
            }
            t -= warmup;
        }
        const double x = static_cast<double>(t), n = static_cast<double>(total > 0 ? total : 1);
        switch (kind) {
        case schedule_kind::step:
            return rate * std::pow(gamma, static_cast<double>(t / (period > 0 ? period : 1)));
        case schedule_kind::multistep: {
            double r = rate;
            for (std::int64_t m : milestones) r *= t >= m ? gamma : 1.0;
            return r;
        }
        case schedule_kind::exponential:
            return rate * std::pow(gamma, x);
        case schedule_kind::cosine:
            return wave(x / n);
        case schedule_kind::cosine_restarts: {
            std::int64_t length = period > 0 ? period : 1;
            while (t >= length) {
                t -= length;
                if (grow > 1 && length < (std::int64_t{1} << 40)) length *= grow;
            }
            return wave(static_cast<double>(t) / static_cast<double>(length));
        }
        case schedule_kind::polynomial:
            return t >= total ? 0.0 : rate * std::pow(1.0 - x / n, power);
        case schedule_kind::one_cycle:
            return one_cycle(t, rate / first_divisor, rate, rate / first_divisor / last_divisor);
        case schedule_kind::cyclic: {
            const double half = static_cast<double>(period > 0 ? period : 1);
            const double cycle = std::floor(1.0 + x / (2.0 * half));
            const double place = 1.0 + x / (2.0 * half) - cycle;
            const double height = (rate - least) * (place <= 0.5 ? 2.0 * place : 2.0 - 2.0 * place);
            return least + height * (halves  ? std::pow(0.5, cycle - 1.0)
                                     : fades ? std::pow(gamma, x)
                                             : 1.0);
        }
        case schedule_kind::linear:
            return t >= total ? 0.0 : rate * (1.0 - x / n);
        case schedule_kind::noam:
            return rate / std::sqrt(static_cast<double>(width)) *
                   (std::fmin)(1.0 / std::sqrt(x + 1.0),
                               (x + 1.0) * std::pow(static_cast<double>(warmup), -1.5));
        case schedule_kind::warmup_stable_decay:
            if (t < warmup) return rate * (x + 1.0) / static_cast<double>(warmup);
            if (t < total - period) return rate;
            return t >= total ? 0.0 : rate * (n - x) / static_cast<double>(period);
        default:
            return t < total ? rate * factor : rate;
        }
    }
    // What one_cycle asks of the optimizer's momentum; 0 for other kinds.
    double momentum_at(std::int64_t t) const {
        if (kind != schedule_kind::one_cycle) return 0.0;
        return three_phases && static_cast<double>(t) > 2.0 * phase_end()
                   ? most_momentum
                   : one_cycle(t, most_momentum, least_momentum, most_momentum);
    }

    status check() const {
        const auto bad = [&](const char* what) {
            return fail(errc::bad_argument, "schedule ", name_of(kind), ": ", what);
        };
        if (!(rate > 0.0) || !std::isfinite(rate)) return bad("needs a positive rate");
        if (warmup < 0 || total < 0 || period < 1) return bad("lengths must be positive");
        if (needs_total(kind) && total < 1) return bad("needs its number of steps");
        if (kind == schedule_kind::noam && (warmup < 1 || width < 1)) {
            return bad("needs a warm-up and a width");
        }
        return {};
    }

  private:
    static constexpr double pi = 3.14159265358979323846;
    double wave(double part) const {
        return least + (rate - least) * (1.0 + std::cos(pi * part)) / 2.0;
    }
    double phase_end() const { return up * static_cast<double>(total) - 1.0; }
    double blend(double from, double to, double part) const {
        if (straight) return from + (to - from) * part;
        return to + (from - to) / 2.0 * (1.0 + std::cos(pi * part));
    }
    double one_cycle(std::int64_t t, double start, double top, double end) const {
        const double x = static_cast<double>(t), last = static_cast<double>(total) - 1.0;
        const double first_end = phase_end();
        if (x <= first_end) return blend(start, top, x / first_end);
        if (three_phases) {
            const double second_end = 2.0 * up * static_cast<double>(total) - 2.0;
            if (x <= second_end)
                return blend(top, start, (x - first_end) / (second_end - first_end));
            return blend(start, end, x < last ? (x - second_end) / (last - second_end) : 1.0);
        }
        return blend(top, end, x < last ? (x - first_end) / (last - first_end) : 1.0);
    }
};

// Lowers the rate when a metric no longer falls. The state is two numbers and the best so far.
struct plateau {
    double rate = 0.1, factor = 0.1, least = 0.0, threshold = 1e-4;
    std::int32_t patience = 10, cooldown = 0;
    double best = HUGE_VAL;
    std::int32_t bad = 0, resting = 0;

    // The rate after an epoch that ended with this metric; smaller is better.
    double update(double metric) {
        if (metric < best * (1.0 - threshold)) {
            best = metric;
            bad = 0;
        } else {
            ++bad;
        }
        if (resting > 0) {
            --resting;
            bad = 0;
        }
        if (bad > patience) {
            rate = (std::fmax)(rate * factor, least);
            resting = cooldown;
            bad = 0;
        }
        return rate;
    }
};

// Rates for other batches than the one that a rate was found with (Goyal 2017: linear; Krizhevsky
// 2014: square root).
inline double scaled_rate(double rate, double batch, double other_batch) {
    return rate * other_batch / batch;
}
inline double root_scaled_rate(double rate, double batch, double other_batch) {
    return rate * std::sqrt(other_batch / batch);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
