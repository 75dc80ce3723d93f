#include "evaluate.hpp"

#include <kompakt/host/thread_pool.hpp>
#include <kompakt/report/progress.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace tool {

using namespace kompakt;

namespace {

// Sessions for pieces that run at the same time.
class engine_pool {
  public:
    void add(std::unique_ptr<engine> e) { free_.push_back(std::move(e)); }
    std::unique_ptr<engine> take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::unique_ptr<engine> e = std::move(free_.back());
        free_.pop_back();
        return e;
    }
    void give(std::unique_ptr<engine> e) {
        const std::lock_guard<std::mutex> lock(mutex_);
        free_.push_back(std::move(e));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<engine>> free_;
};

} // namespace

result<std::vector<double>> evaluate(const model& m, const kernel_table& kernels,
                                     const std::vector<samples>& inputs, std::size_t count,
                                     std::size_t threads, const figure_of_sample& figure) {
    // Pieces of fixed size on any number of threads: each sample's figure lands in its own place.
    constexpr std::size_t piece = 32;
    const std::size_t pieces = (count + piece - 1) / piece;
    thread_pool pool((std::min)(threads, pieces));
    engine_pool engines;
    port_tensor out;
    for (std::size_t i = 0; i < pool.threads(); ++i) {
        auto e = engine::make(m, kernels);
        if (!e) return e.error();
        KOMPAKT_TRY((*e)->allocate());
        out = output_of((*e)->session, 0);
        engines.add(std::move(*e));
    }
    std::vector<double> figures(count);
    std::vector<status> failures(pieces);
    report::progress progress("evaluating", count);
    std::mutex progress_lock;
    const auto one = [&](session& run, std::size_t n) -> status {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            KOMPAKT_TRY(inputs[i].fill(n, run.input_bytes(i)));
        }
        run.run();
        const std::vector<float> values = real_values(out, run.output_bytes(0));
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isnan(values[i])) continue;
            return in_file(m.path, fail(errc::bad_data, "output ", i, " of sample ", n, " is NaN"));
        }
        const auto x = figure(n, values);
        if (!x) return x.error();
        figures[n] = *x;
        return {};
    };
    pool.parallel_for(pieces, [&](std::size_t p) {
        std::unique_ptr<engine> e = engines.take();
        const std::size_t end = (std::min)(count, (p + 1) * piece);
        for (std::size_t n = p * piece; n < end && failures[p].ok(); ++n) {
            failures[p] = one(e->session, n);
        }
        engines.give(std::move(e));
        const std::lock_guard<std::mutex> lock(progress_lock);
        progress.step(end - p * piece);
    });
    progress.finish();
    for (const status& f : failures) KOMPAKT_TRY(f);
    return figures;
}

status check_labels(const std::string& path, const std::vector<std::int32_t>& labels,
                    std::size_t count, std::size_t classes, const std::string& why) {
    for (std::size_t i = 0; i < count; ++i) {
        if (static_cast<std::size_t>(labels[i]) < classes) continue;
        return in_file(path, fail(errc::bad_data, "label ", i, " is ", labels[i], ", needs 0 to ",
                                  classes - 1, " ", why));
    }
    return {};
}

result<std::size_t> count_right(const model& m, const kernel_table& kernels,
                                const std::vector<samples>& inputs,
                                const std::vector<std::int32_t>& labels, std::size_t count,
                                std::size_t threads) {
    const auto right = evaluate(
        m, kernels, inputs, count, threads,
        [&](std::size_t n, const std::vector<float>& v) -> result<double> {
            return std::max_element(v.begin(), v.end()) - v.begin() == labels[n] ? 1.0 : 0.0;
        });
    if (!right) return right.error();
    return static_cast<std::size_t>(std::count(right->begin(), right->end(), 1.0));
}

} // namespace tool
