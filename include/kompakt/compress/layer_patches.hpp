// What a layer with weights multiplies: its weights as a matrix, and its input as rows of the same
// length. Methods that choose weights by data see every such operator this way.
#pragma once

#include <kompakt/compress/calibrate.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/passes/remove_dead.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// `groups` independent products; in each, rows of `length` inputs by outputs / groups filters.
// Dense layers are a window of one.
struct weight_layout {
    std::size_t outputs = 0, length = 0, groups = 1;
    bool channels_last = false; // filter 1HWC instead of OHWI
    ops::window_attributes window;
    std::int64_t kernel_h = 1, kernel_w = 1;
    std::size_t depth = 0; // input channels of a group
    std::int64_t out_h = 1, out_w = 1, in_h = 1, in_w = 1;
    bool rows_only = false; // a dense layer: input rows lie back to back
    activation fused = activation::none;

    std::size_t per_group() const noexcept { return outputs / groups; }
    // Position of weight k of output n in the constant.
    std::size_t at(std::size_t n, std::size_t k) const noexcept {
        return channels_last ? k * outputs + n : n * length + k;
    }
    // The input channel that weight k of output n is for.
    std::size_t channel(std::size_t n, std::size_t k) const noexcept {
        return n / per_group() * depth + k % depth;
    }
};

// None for other operators, and for shapes with symbols beyond the batch.
inline std::optional<weight_layout> layout_of(const graph& g, const node& n) {
    weight_layout l;
    const auto* conv = n.op->as<ops::conv2d>();
    const auto* depthwise = n.op->as<ops::depthwise_conv2d>();
    const auto* dense = n.op->as<ops::fully_connected>();
    if (!conv && !depthwise && !dense) return std::nullopt;
    if (n.inputs.size() < 2 || n.inputs[1] == no_tensor || n.outputs.empty()) return std::nullopt;
    const shape& w = g.tensor(n.inputs[1]).shape;
    const shape &in = g.tensor(n.inputs[0]).shape, &out = g.tensor(n.outputs[0]).shape;
    if (!is_known(w)) return std::nullopt;
    const auto extent = [](const dim& d) { return static_cast<std::size_t>(d.value()); };
    if (dense) {
        if (w.size() != 2) return std::nullopt;
        l.outputs = extent(w[0]);
        l.length = l.depth = extent(w[1]);
        l.rows_only = true;
        l.fused = dense->fused;
        return l.length != 0 && l.outputs != 0 ? std::optional<weight_layout>(l) : std::nullopt;
    }
    if (w.size() != 4 || in.size() != 4 || out.size() != 4) return std::nullopt;
    for (std::size_t i = 1; i < 4; ++i) {
        if (!in[i].known() || !out[i].known()) return std::nullopt;
    }
    l.window = conv ? conv->window : depthwise->window;
    l.fused = conv ? conv->fused : depthwise->fused;
    l.kernel_h = w[1].value();
    l.kernel_w = w[2].value();
    l.in_h = in[1].value(), l.in_w = in[2].value();
    l.out_h = out[1].value(), l.out_w = out[2].value();
    l.channels_last = depthwise != nullptr;
    l.outputs = extent(w[conv ? 0 : 3]);
    l.depth = conv ? extent(w[3]) : 1;
    if (l.depth == 0 || l.outputs == 0) return std::nullopt;
    l.groups = extent(in[3]) / l.depth;
    l.length = static_cast<std::size_t>(l.kernel_h * l.kernel_w) * l.depth;
    if (l.groups == 0 || l.length == 0 || l.outputs % l.groups != 0) return std::nullopt;
    return l;
}

// How many rows a layer's input holds.
inline std::size_t row_count(const weight_layout& l, std::size_t input_elements) noexcept {
    if (l.rows_only) return input_elements / l.length;
    const std::size_t image = static_cast<std::size_t>(l.in_h * l.in_w) * l.depth * l.groups;
    return image == 0 ? 0 : input_elements / image * static_cast<std::size_t>(l.out_h * l.out_w);
}

// Row `position` of one group; what lies outside of the input is 0. `row` has `length` elements.
inline void copy_row(const weight_layout& l, span<const float> input, std::size_t position,
                     std::size_t group, float* row) noexcept {
    if (l.rows_only) {
        std::memcpy(row, input.data() + position * l.length, l.length * sizeof(float));
        return;
    }
    const std::size_t all = l.depth * l.groups, plane = static_cast<std::size_t>(l.out_h * l.out_w);
    const float* image =
        input.data() + position / plane * static_cast<std::size_t>(l.in_h * l.in_w) * all;
    const auto p = static_cast<std::int64_t>(position % plane);
    const std::int64_t top = p / l.out_w * l.window.stride_h - l.window.pad_top;
    const std::int64_t left = p % l.out_w * l.window.stride_w - l.window.pad_left;
    for (std::int64_t y = 0; y < l.kernel_h; ++y) {
        for (std::int64_t x = 0; x < l.kernel_w; ++x, row += l.depth) {
            const std::int64_t iy = top + y * l.window.dilation_h;
            const std::int64_t ix = left + x * l.window.dilation_w;
            if (iy < 0 || iy >= l.in_h || ix < 0 || ix >= l.in_w) {
                std::memset(row, 0, l.depth * sizeof(float));
                continue;
            }
            std::memcpy(row,
                        image + static_cast<std::size_t>(iy * l.in_w + ix) * all + group * l.depth,
                        l.depth * sizeof(float));
        }
    }
}

// Sums over the rows x of a layer's input in the changed graph and x' in the exact one.
struct input_moments {
    struct group {
        std::vector<double> changed, mixed;   // sum x x^T, sum x' x^T: length by length
        std::vector<double> mean, exact_mean; // of x and x'
    };
    std::vector<group> groups;
    std::size_t rows = 0;
};

struct collect_options {
    std::size_t samples = 512;   // at most
    std::size_t positions = 128; // of one sample, spread over its rows
};

namespace detail {

// to[i][j] += sum over r of a[r][i] b[r][j]; rows back to back.
inline void add_products(const float* a, const float* b, std::size_t rows, std::size_t length,
                         std::vector<float>& line, double* to) {
    line.resize(length);
    for (std::size_t i = 0; i < length; ++i) {
        std::fill(line.begin(), line.end(), 0.0f);
        float* out = line.data();
        std::size_t r = 0;
        for (; r + 4 <= rows; r += 4) {
            const float a0 = a[r * length + i], a1 = a[(r + 1) * length + i];
            const float a2 = a[(r + 2) * length + i], a3 = a[(r + 3) * length + i];
            if (a0 == 0.0f && a1 == 0.0f && a2 == 0.0f && a3 == 0.0f) continue;
            const float *b0 = b + r * length, *b1 = b0 + length, *b2 = b1 + length,
                        *b3 = b2 + length;
            for (std::size_t j = 0; j < length; ++j) {
                out[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
            }
        }
        for (; r < rows; ++r) {
            const float x = a[r * length + i];
            for (std::size_t j = 0; j < length; ++j) out[j] += x * b[r * length + j];
        }
        for (std::size_t j = 0; j < length; ++j) {
            to[i * length + j] += static_cast<double>(out[j]);
        }
    }
}

// The part of a graph that one tensor needs, with a session that keeps it.
class prefix {
  public:
    static result<std::unique_ptr<prefix>> make(const graph& g, tensor_id t) {
        std::unique_ptr<prefix> p(new prefix(g, t));
        if (p->is_input_) return p;
        p->graph_.outputs = {t};
        KOMPAKT_TRY(passes::remove_dead(p->graph_));
        auto kept = kept_session::make(p->graph_);
        if (!kept.ok()) return kept.error();
        p->kept_ = std::move(*kept);
        return p;
    }
    span<const float> run(const std::vector<span<float>>& inputs) {
        if (is_input_) {
            const auto i = static_cast<std::size_t>(
                std::find(graph_.inputs.begin(), graph_.inputs.end(), tensor_) -
                graph_.inputs.begin());
            return {inputs[i].data(), inputs[i].size()};
        }
        session& s = kept_->run_of();
        for (std::size_t i = 0; i < s.inputs(); ++i) {
            std::memcpy(s.input_bytes(i).data(), inputs[i].data(), inputs[i].size_bytes());
        }
        s.run();
        return kept_->floats(tensor_);
    }

  private:
    prefix(const graph& g, tensor_id t) : graph_(g), tensor_(t), is_input_(g.is_input(t)) {}

    graph graph_;
    tensor_id tensor_;
    bool is_input_;
    std::unique_ptr<kept_session> kept_;
};

} // namespace detail

// Moments of what node `id` reads, in `exact` and in `changed`, graphs with the same ids. `whole`
// is a session of a graph with the same inputs. Fails beyond 4096 inputs of an output, whose
// moments would take 256 MiB.
inline result<input_moments> collect_moments(const graph& exact, const graph& changed,
                                             const kept_session& whole, node_id id,
                                             const weight_layout& l, sample_source& samples,
                                             const collect_options& o) {
    if (l.length > 4096 || l.groups * l.length * l.length > std::size_t{1} << 24) {
        return fail(errc::limit, exact.node_text(id), ": ", l.length,
                    " weights an output, needed at most 4096 for a method that looks at data");
    }
    const tensor_id t = exact.node_at(id).inputs[0];
    auto a = detail::prefix::make(exact, t);
    if (!a.ok()) return a.error();
    auto b = detail::prefix::make(changed, t);
    if (!b.ok()) return b.error();
    input_moments m;
    const std::size_t square = l.length * l.length;
    m.groups.resize(l.groups);
    for (auto& x : m.groups) {
        x.changed.assign(square, 0.0), x.mixed.assign(square, 0.0);
        x.mean.assign(l.length, 0.0), x.exact_mean.assign(l.length, 0.0);
    }
    KOMPAKT_TRY(samples.rewind());
    sample_reader reader(exact, whole, samples);
    std::vector<float> x, y, line;
    std::uint32_t random = 1;
    while (reader.count() < o.samples) {
        const auto more = reader.next();
        if (!more.ok()) return more.error();
        if (!*more) break;
        const span<const float> from = (*a)->run(reader.inputs()), to = (*b)->run(reader.inputs());
        const std::size_t count = row_count(l, from.size());
        const std::size_t taken = (std::min)(count, o.positions);
        if (taken == 0) continue;
        std::vector<std::size_t> positions(taken);
        for (std::size_t i = 0; i < taken; ++i) {
            // One in each of equal parts, at a place that changes from sample to sample.
            const std::size_t first = i * count / taken, end = (i + 1) * count / taken;
            random = random * 1664525u + 1013904223u;
            positions[i] = first + (random >> 8) % (end - first);
        }
        x.resize(taken * l.length);
        y.resize(taken * l.length);
        for (std::size_t k = 0; k < l.groups; ++k) {
            auto& to_group = m.groups[k];
            for (std::size_t i = 0; i < taken; ++i) {
                copy_row(l, to, positions[i], k, x.data() + i * l.length);
                copy_row(l, from, positions[i], k, y.data() + i * l.length);
            }
            detail::add_products(x.data(), x.data(), taken, l.length, line,
                                 to_group.changed.data());
            detail::add_products(y.data(), x.data(), taken, l.length, line, to_group.mixed.data());
            for (std::size_t i = 0; i < taken; ++i) {
                for (std::size_t j = 0; j < l.length; ++j) {
                    to_group.mean[j] += static_cast<double>(x[i * l.length + j]);
                    to_group.exact_mean[j] += static_cast<double>(y[i * l.length + j]);
                }
            }
        }
        m.rows += taken;
    }
    if (m.rows == 0) return fail(errc::bad_data, "calibration data: no samples");
    const double n = static_cast<double>(m.rows);
    for (auto& k : m.groups) {
        for (double& v : k.mean) v /= n;
        for (double& v : k.exact_mean) v /= n;
        for (double& v : k.changed) v /= n;
        for (double& v : k.mixed) v /= n;
    }
    return m;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
