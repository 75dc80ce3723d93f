// Integers for one filter's weights, chosen so that its results change least.
//
// With rows x of inputs, H = mean of x x^T (damped), weights w and integers q with scale s, the
// error of the result is (s q - w)^T H (s q - w). Rounding to nearest takes H as the identity.
#pragma once

#include <kompakt/quant/affine.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct rounded_row {
    double scale = 1.0;
    std::vector<std::int32_t> integers;
};

namespace detail {

using square_matrix = std::vector<double>; // row-major

// Lower factor of a positive definite matrix in place; false when it is not.
inline bool cholesky(square_matrix& a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            const double *x = a.data() + i * n, *y = a.data() + j * n;
            for (std::size_t k = 0; k < j; ++k) sum -= x[k] * y[k];
            if (i != j) {
                a[i * n + j] = sum / a[j * n + j];
            } else if (sum > 0.0) {
                a[i * n + i] = std::sqrt(sum);
            } else {
                return false;
            }
        }
        for (std::size_t j = i + 1; j < n; ++j) a[i * n + j] = 0.0;
    }
    return true;
}
// x with L L^T x = b, in place.
inline void solve_cholesky(const square_matrix& l, std::size_t n, double* b) {
    for (std::size_t i = 0; i < n; ++i) {
        double sum = b[i];
        for (std::size_t k = 0; k < i; ++k) sum -= l[i * n + k] * b[k];
        b[i] = sum / l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        const double x = b[i] /= l[i * n + i];
        for (std::size_t k = 0; k < i; ++k) b[k] -= l[i * n + k] * x;
    }
}

inline std::int32_t nearest_integer(double x, integer_range r) {
    const double y = std::round(x);
    return y < r.qmin ? r.qmin : y > r.qmax ? r.qmax : static_cast<std::int32_t>(y);
}

} // namespace detail

// What all filters of a group share.
class rounding_problem {
  public:
    // `h`: length by length. `damping`, of the mean of the diagonal, is added to it. `ordered`: the
    // weights of large inputs are rounded first (act-order).
    rounding_problem(detail::square_matrix h, std::size_t length, double damping, bool ordered)
        : h_(std::move(h)), n_(length), order_(length) {
        double mean = 0.0;
        for (std::size_t i = 0; i < n_; ++i) mean += h_[i * n_ + i];
        mean /= static_cast<double>(n_);
        // Of nothing but zeros any choice is as good: nearest.
        const double added = mean > 0.0 ? (std::max)(damping, 1e-6) * mean : 1.0;
        for (std::size_t i = 0; i < n_; ++i) h_[i * n_ + i] += added;
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (ordered) {
            std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
                return h_[a * n_ + a] > h_[b * n_ + b];
            });
        }
        factor_ = h_;
        valid_ = detail::cholesky(factor_, n_);
        if (valid_) find_feedback();
    }

    bool valid() const noexcept { return valid_; }
    double diagonal(std::size_t i) const noexcept { return h_[i * n_ + i]; }
    // x with H x = b, in place.
    void solve(double* b) const { detail::solve_cholesky(factor_, n_, b); }

    double error(const std::vector<double>& w, const rounded_row& row) const {
        std::vector<double> d(n_);
        for (std::size_t i = 0; i < n_; ++i) d[i] = row.scale * row.integers[i] - w[i];
        double sum = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            double line = 0.0;
            for (std::size_t j = 0; j < n_; ++j) line += h_[i * n_ + j] * d[j];
            sum += d[i] * line;
        }
        return sum;
    }

    // GPTQ (Frantar et al., ICLR 2023): each rounding error is made up for by the weights that are
    // still to be rounded.
    rounded_row gptq(std::vector<double> w, double scale, integer_range r) const {
        rounded_row row;
        row.scale = scale;
        row.integers.resize(n_);
        std::vector<double> x(n_);
        for (std::size_t i = 0; i < n_; ++i) x[i] = w[order_[i]];
        for (std::size_t i = 0; i < n_; ++i) {
            const std::int32_t q = detail::nearest_integer(x[i] / scale, r);
            row.integers[order_[i]] = q;
            const double* u = feedback_.data() + i * n_;
            const double e = (x[i] - q * scale) / u[i];
            for (std::size_t j = i + 1; j < n_; ++j) x[j] -= e * u[j];
        }
        return row;
    }

    // Coordinate descent from a solution: as long as one integer by itself can be improved, and
    // then the scale (not below `least`), `rounds` times.
    void descend(const std::vector<double>& w, rounded_row& row, integer_range r, double least,
                 int rounds = 4) const {
        std::vector<double> gradient(n_);
        for (int round = 0; round < rounds; ++round) {
            std::fill(gradient.begin(), gradient.end(), 0.0);
            for (std::size_t j = 0; j < n_; ++j) {
                add_column(j, row.scale * row.integers[j] - w[j], gradient);
            }
            bool changed = false;
            for (int sweep = 0; sweep < 30; ++sweep) {
                bool moved = false;
                for (std::size_t j = 0; j < n_; ++j) {
                    const double best =
                        row.integers[j] - gradient[j] / (h_[j * n_ + j] * row.scale);
                    const std::int32_t q = detail::nearest_integer(best, r);
                    if (q == row.integers[j]) continue;
                    add_column(j, row.scale * (q - row.integers[j]), gradient);
                    row.integers[j] = q;
                    moved = changed = true;
                }
                if (!moved) break;
            }
            if (round > 0 && !changed) return;
            // The best scale of these integers: q^T H w / q^T H q.
            double with_w = 0.0, with_q = 0.0;
            for (std::size_t i = 0; i < n_; ++i) {
                if (row.integers[i] == 0) continue;
                double line_w = 0.0, line_q = 0.0;
                for (std::size_t j = 0; j < n_; ++j) {
                    line_w += h_[i * n_ + j] * w[j];
                    line_q += h_[i * n_ + j] * row.integers[j];
                }
                with_w += row.integers[i] * line_w;
                with_q += row.integers[i] * line_q;
            }
            const double s = with_q > 0.0 ? with_w / with_q : 0.0;
            if (s > least) row.scale = s;
        }
    }

    // AdaRound (Nagel et al., ICML 2020): each weight goes up or down, by a rectified sigmoid that
    // an annealed regularizer drives to 0 or 1. Adam on the error above, in units of the scale.
    rounded_row adaround(const std::vector<double>& w, double scale, integer_range r,
                         int iterations) const {
        constexpr float low = -0.1f, high = 1.1f; // "stretched": zeta, gamma
        double trace = 0.0;
        for (std::size_t i = 0; i < n_; ++i) trace += h_[i * n_ + i];
        const double unit = static_cast<double>(n_) / trace;
        std::vector<float> h(n_ * n_), v(n_), up(n_), d(n_), m(n_, 0.0f), s(n_, 0.0f), g(n_);
        std::vector<double> down(n_);
        for (std::size_t i = 0; i < n_ * n_; ++i) h[i] = static_cast<float>(h_[i] * unit);
        for (std::size_t i = 0; i < n_; ++i) {
            down[i] = std::floor(w[i] / scale);
            const double part = w[i] / scale - down[i];
            v[i] = static_cast<float>(-std::log(1.2 / (part + 0.1) - 1.0));
        }
        const auto limits = [&](std::size_t i, float h_of) {
            const double x = down[i] + static_cast<double>(h_of);
            return x < r.qmin ? r.qmin : x > r.qmax ? static_cast<double>(r.qmax) : x;
        };
        float power1 = 1.0f, power2 = 1.0f;
        for (int t = 0; t < iterations; ++t) {
            const float done = static_cast<float>(t) / static_cast<float>(iterations);
            const bool regular = done > 0.2f;
            const float beta = 2.0f + 18.0f * (regular ? 1.0f - (done - 0.2f) / 0.8f : 1.0f);
            for (std::size_t i = 0; i < n_; ++i) {
                const float sigmoid = 1.0f / (1.0f + std::exp(-v[i]));
                up[i] = (std::min)(1.0f, (std::max)(0.0f, sigmoid * (high - low) + low));
                d[i] = static_cast<float>(limits(i, up[i]) - w[i] / scale);
            }
            std::fill(g.begin(), g.end(), 0.0f);
            for (std::size_t j = 0; j < n_; ++j) {
                const float x = 2.0f * d[j], *line = h.data() + j * n_;
                for (std::size_t i = 0; i < n_; ++i) g[i] += x * line[i];
            }
            power1 *= 0.9f;
            power2 *= 0.999f;
            for (std::size_t i = 0; i < n_; ++i) {
                float slope = g[i];
                if (regular) {
                    const float c = 2.0f * up[i] - 1.0f, a = std::fabs(c);
                    slope -= 0.05f * 2.0f * beta * std::pow(a, beta - 1.0f) * (c < 0 ? -1.f : 1.f);
                }
                const float sigmoid = 1.0f / (1.0f + std::exp(-v[i]));
                const float raw = sigmoid * (high - low) + low;
                slope *=
                    raw > 0.0f && raw < 1.0f ? sigmoid * (1.0f - sigmoid) * (high - low) : 0.0f;
                m[i] = 0.9f * m[i] + 0.1f * slope;
                s[i] = 0.999f * s[i] + 0.001f * slope * slope;
                v[i] -=
                    0.02f * (m[i] / (1.0f - power1)) / (std::sqrt(s[i] / (1.0f - power2)) + 1e-8f);
            }
        }
        rounded_row row;
        row.scale = scale;
        row.integers.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            row.integers[i] = detail::nearest_integer(down[i] + (v[i] >= 0.0f ? 1.0 : 0.0), r);
        }
        return row;
    }

  private:
    void add_column(std::size_t j, double x, std::vector<double>& to) const noexcept {
        if (x == 0.0) return;
        const double* column = h_.data() + j * n_; // symmetric
        for (std::size_t i = 0; i < n_; ++i) to[i] += x * column[i];
    }

    // The upper factor U of the inverse, U^T U = H^-1, in the order of rounding. With J the
    // reversal and L L^T = J H J, U = J L^-1 J.
    void find_feedback() {
        detail::square_matrix l(n_ * n_);
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                l[i * n_ + j] = h_[order_[n_ - 1 - i] * n_ + order_[n_ - 1 - j]];
            }
        }
        valid_ = detail::cholesky(l, n_);
        if (!valid_) return;
        feedback_.assign(n_ * n_, 0.0);
        std::vector<double> line(n_);
        // Row i of L^-1, by x L = e_i from the right.
        for (std::size_t i = 0; i < n_; ++i) {
            std::fill(line.begin(), line.end(), 0.0);
            line[i] = 1.0;
            for (std::size_t j = i + 1; j-- > 0;) {
                const double x = line[j] /= l[j * n_ + j];
                for (std::size_t k = 0; k < j; ++k) line[k] -= x * l[j * n_ + k];
            }
            for (std::size_t j = 0; j <= i; ++j) {
                feedback_[(n_ - 1 - i) * n_ + (n_ - 1 - j)] = line[j];
            }
        }
    }

    detail::square_matrix h_, factor_, feedback_;
    std::size_t n_;
    std::vector<std::size_t> order_;
    bool valid_ = false;
};

// The scale, of `steps` from a quarter of the largest magnitude to all of it, with the smallest
// squared error of rounding to nearest; an error at weight i counts `importance[i]`, or 1.
inline double search_scale(const std::vector<double>& w, integer_range r, double least,
                           const std::vector<double>& importance = {}, int steps = 80) {
    double largest = 0.0;
    for (double x : w) largest = (std::max)(largest, std::fabs(x));
    double best = -1.0, chosen = (std::max)(least, largest / r.qmax);
    for (int k = steps; k >= 1; --k) {
        const double part = 0.25 + 0.75 * k / steps;
        const double s = (std::max)(least, part * largest / r.qmax);
        if (!(s > 0.0)) return 1.0 / r.qmax;
        double e = 0.0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double d = w[i] - s * detail::nearest_integer(w[i] / s, r);
            e += d * d * (importance.empty() ? 1.0 : importance[i]);
        }
        if (best < 0.0 || e < best) {
            best = e;
            chosen = s;
        }
    }
    return chosen;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
