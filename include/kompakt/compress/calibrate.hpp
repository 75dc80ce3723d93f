// Calibration: runs a float32 graph on samples and observes every tensor on the way, in one pass.
#pragma once

#include <kompakt/compress/observers.hpp>
#include <kompakt/compress/samples.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <functional>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Called with what is being done, how many are done and how many there are (0: not known).
using progress_callback =
    std::function<void(const char* stage, std::size_t done, std::size_t total)>;

// Ranges by tensor id; none where nothing was observed (constants, integers, dead tensors).
struct range_table {
    std::vector<std::optional<value_range>> tensors;
    std::size_t samples = 0;
};

// A graph with its session: all intermediate results can be read, symbols of dimensions are 1.
class kept_session {
  public:
    static result<std::unique_ptr<kept_session>> make(const graph& g) {
        std::map<std::string, std::int64_t> ones;
        for (tensor_id t : g.inputs) {
            for (const dim& d : g.tensor(t).shape) {
                if (!d.known()) ones[d.symbol()] = 1;
            }
        }
        auto bound = kompakt::bind(g, ones);
        if (!bound.ok()) return bound.error();
        plan_options options;
        options.keep_all = true;
        options.kernels = &default_kernels();
        auto code = plan(*bound, options);
        if (!code.ok()) return code.error();
        std::unique_ptr<kept_session> k(new kept_session(std::move(*code), g.tensor_count()));
        KOMPAKT_TRY(k->session_.check());
        KOMPAKT_TRY(k->session_.bind({k->arena_.data(), k->arena_.size()},
                                     {k->packed_.data(), k->packed_.size()}));
        return k;
    }

    session& run_of() noexcept { return session_; }
    // The session's number of a graph's tensor; UINT32_MAX for one that it does not have.
    std::uint32_t number(tensor_id t) const noexcept {
        return t < numbers_.size() ? numbers_[t] : UINT32_MAX;
    }
    // A float32 tensor's values after a run.
    span<const float> floats(tensor_id t) const noexcept {
        const bytes_view b = session_.tensor_bytes(number(t));
        return {reinterpret_cast<const float*>(b.data()), b.size() / sizeof(float)};
    }

  private:
    kept_session(planned code, std::size_t tensors)
        : code_(std::move(code)), session_(code_.bytes()), arena_(session_.arena_bytes()),
          packed_(session_.pack_bytes()), numbers_(tensors, UINT32_MAX) {
        for (std::uint32_t i = 0; i < code_.lowered.tensors.size(); ++i) {
            const std::uint32_t source = code_.lowered.tensors[i].source;
            if (source < numbers_.size()) numbers_[source] = i;
        }
    }

    planned code_;
    session session_;
    aligned_buffer arena_, packed_;
    std::vector<std::uint32_t> numbers_;
};

// "input 0 (name)": how messages name an input of a graph.
inline std::string input_text(const graph& g, std::size_t i) {
    return "input " + std::to_string(i) + " (" + g.tensor(g.inputs[i]).name.substr(0, 60) + ")";
}

inline status expect_float_inputs(const graph& g) {
    for (std::size_t i = 0; i < g.inputs.size(); ++i) {
        const graph_tensor& t = g.tensor(g.inputs[i]);
        if (t.type != dtype::f32) {
            return fail(errc::unsupported, input_text(g, i), ": ", name_of(t.type),
                        ", needed float32");
        }
    }
    return {};
}

// Pulls the next sample, checked, into buffers of the right lengths.
class sample_reader {
  public:
    sample_reader(const graph& g, const kept_session& s, sample_source& source)
        : graph_(&g), source_(&source) {
        auto& run = const_cast<kept_session&>(s).run_of();
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            buffers_.emplace_back(run.record(run.input_tensor(i)).bytes / sizeof(float));
        }
        for (auto& b : buffers_) views_.push_back({b.data(), b.size()});
    }

    result<bool> next() {
        auto more = source_->next(views_);
        if (!more.ok()) return more.error().within("calibration data, sample ", count_, ": ");
        if (!*more) return false;
        for (std::size_t i = 0; i < views_.size(); ++i) {
            KOMPAKT_TRY(check_finite(views_[i]).within("calibration data, sample ", count_, ", ",
                                                       input_text(*graph_, i), ": "));
        }
        ++count_;
        return true;
    }
    const std::vector<span<float>>& inputs() const noexcept { return views_; }
    std::size_t count() const noexcept { return count_; }

  private:
    const graph* graph_;
    sample_source* source_;
    std::vector<std::vector<float>> buffers_;
    std::vector<span<float>> views_;
    std::size_t count_ = 0;
};

// Needs a float32 graph with inferred shapes. Observes inputs and results of nodes.
inline result<range_table> calibrate(const graph& g, sample_source& samples,
                                     const observer_options& options,
                                     const progress_callback& progress = {}) {
    KOMPAKT_TRY(expect_float_inputs(g));
    auto kept = kept_session::make(g);
    if (!kept.ok()) return kept.error();
    session& run = (*kept)->run_of();
    struct watched {
        tensor_id tensor;
        std::unique_ptr<observer> by;
    };
    std::vector<watched> all;
    const auto watch = [&](tensor_id t) {
        if (g.tensor(t).type == dtype::f32 && !g.tensor(t).value &&
            (*kept)->number(t) != UINT32_MAX) {
            all.push_back({t, make_observer(options)});
        }
    };
    for (tensor_id t : g.inputs) watch(t);
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (g.tensor(t).state) watch(t);
    }
    for (node_id n : g.order()) {
        for (tensor_id t : g.node_at(n).outputs) watch(t);
    }
    KOMPAKT_TRY(samples.rewind());
    sample_reader reader(g, **kept, samples);
    for (;;) {
        const auto more = reader.next();
        if (!more.ok()) return more.error();
        if (!*more) break;
        for (std::size_t i = 0; i < run.inputs(); ++i) {
            std::memcpy(run.input_bytes(i).data(), reader.inputs()[i].data(),
                        reader.inputs()[i].size_bytes());
        }
        run.run();
        for (watched& w : all) {
            KOMPAKT_TRY(w.by->observe((*kept)->floats(w.tensor))
                            .within("tensor ", g.tensor(w.tensor).name.substr(0, 60), ", sample ",
                                    reader.count() - 1, ": "));
        }
        if (progress) progress("calibrate", reader.count(), samples.size());
    }
    if (reader.count() == 0) return fail(errc::bad_data, "calibration data: no samples");
    range_table ranges;
    ranges.tensors.resize(g.tensor_count());
    ranges.samples = reader.count();
    for (std::size_t i = 0; i < all.size(); ++i) {
        ranges.tensors[all[i].tensor] = all[i].by->range();
        if (progress) progress("choose ranges", i + 1, all.size());
    }
    return ranges;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
