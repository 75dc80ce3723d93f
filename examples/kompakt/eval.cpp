// kompakt eval: how good a model is on labelled samples.
#include "evaluate.hpp"

#include <chrono>
#include <cmath>

namespace tool {

using namespace kompakt;

namespace {

double mean_square(const std::vector<float>& a, const float* b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += d * d;
    }
    return sum / static_cast<double>(a.size());
}

// The chance that a positive sample scores above a negative one, equal scores counted half.
double area_under_curve(const std::vector<double>& scores, const std::vector<std::int32_t>& labels,
                        std::size_t positives) {
    std::vector<std::size_t> order(scores.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
        return scores[l] != scores[r] ? scores[l] < scores[r] : l < r;
    });
    double rank_sum = 0;
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && scores[order[end]] == scores[order[i]]) ++end;
        const double rank = (static_cast<double>(i + 1) + static_cast<double>(end)) / 2;
        for (; i < end; ++i) rank_sum += labels[order[i]] != 0 ? rank : 0;
    }
    const auto p = static_cast<double>(positives);
    return (rank_sum - p * (p + 1) / 2) / (p * static_cast<double>(scores.size() - positives));
}

status eval(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const auto metric = given.choice("--metric", {"top1", "auc", "mse"});
    if (!metric) return metric.error();
    const bool top1 = *metric == "top1", auc = *metric == "auc", mse = *metric == "mse";
    if (!mse && !given.has("--labels")) {
        return fail(errc::bad_argument, "--metric ", *metric, " needs --labels");
    }
    const auto kernels = chosen_port(given);
    if (!kernels) return kernels.error();
    const auto type = input_type(given);
    if (!type) return type.error();
    const auto threads = given.number("--threads", 2, 1, 256);
    if (!threads) return threads.error();
    plan_options options;
    options.kernels = *kernels;
    const auto m = load_model(path, options);
    if (!m) return m.error();
    const auto first = engine::make(*m, **kernels);
    if (!first) return first.error();
    const session& s = (*first)->session;
    if (s.outputs() == 0) return in_file(path, fail(errc::bad_data, "has no output"));
    const auto inputs = open_inputs(s, given.all("--input"), *type);
    if (!inputs) return inputs.error();
    if (inputs->empty()) return in_file(path, fail(errc::bad_data, "has no input"));
    const port_tensor out = output_of(s, 0), in = input_of(s, 0);

    const std::size_t available = (*inputs)[0].count();
    const auto limit = sample_count(given, "--limit", *inputs);
    if (!limit) return limit.error();
    const std::size_t count = *limit;
    const bool rebuilds = out.elements == in.elements && out.elements > 2; // an autoencoder
    if (mse && !given.has("--labels") && out.elements != in.elements) {
        return fail(errc::bad_argument,
                    "--metric mse without --labels compares output and input: ", out.text(),
                    " and ", in.text(), " differ in size");
    }
    if (auc && out.elements > 2 && !rebuilds) {
        return fail(errc::bad_argument,
                    "--metric auc needs one output value, two (the second is the "
                    "score) or as many as inputs (an autoencoder), not ",
                    out.text());
    }

    std::vector<std::int32_t> labels;
    std::vector<float> targets;
    if (mse && given.has("--labels")) {
        auto t = read_targets(given.value("--labels"), available, out.elements);
        if (!t) return t.error();
        targets = std::move(*t);
    } else if (!mse) {
        auto l = read_labels(given.value("--labels"), available);
        if (!l) return l.error();
        labels = std::move(*l);
        KOMPAKT_TRY(check_labels(given.value("--labels"), labels, count, auc ? 2 : out.elements,
                                 auc ? "(1: anomaly)" : "for " + out.text()));
    }
    const auto positives = static_cast<std::size_t>(std::count(
        labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(auc ? count : 0), 1));
    if (auc && (positives == 0 || positives == count)) {
        return in_file(given.value("--labels"), fail(errc::bad_data, "all ", count, " labels are ",
                                                     labels[0], "; auc needs both 0 and 1"));
    }

    std::size_t right = 0;
    std::vector<double> figures;
    const auto figure = [&](std::size_t n, const std::vector<float>& values) -> result<double> {
        double x = 0;
        if (mse && !targets.empty()) {
            x = mean_square(values, targets.data() + n * out.elements);
        } else if (mse || rebuilds) {
            const auto original = (*inputs)[0].real(n);
            if (!original) return original.error();
            x = mean_square(values, original->data());
        } else {
            x = static_cast<double>(values.back());
        }
        if (std::isfinite(x)) return x;
        return in_file(path, fail(errc::bad_data, "the output for sample ", n, " is not finite"));
    };
    const auto start = std::chrono::steady_clock::now();
    if (top1) {
        const auto n = count_right(*m, **kernels, *inputs, labels, count, *threads);
        if (!n) return n.error();
        right = *n;
    } else {
        auto all = evaluate(*m, **kernels, *inputs, count, *threads, figure);
        if (!all) return all.error();
        figures = std::move(*all);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    a.json.member("model", path).member("port", (*kernels)->port).member("samples", count);
    a.json.member("metric", *metric).member("seconds", seconds);
    const std::string over = report::grouped(count) + (count == 1 ? " sample" : " samples") +
                             (count < available ? " of " + report::grouped(available) : "");
    if (top1) {
        const double accuracy = static_cast<double>(right) / static_cast<double>(count);
        a.say("top-1 accuracy ", report::fixed(accuracy * 100, 2), " %: ", right, " right of ",
              over);
        a.json.member("top1", accuracy).member("right", right);
    } else if (auc) {
        const double area = area_under_curve(figures, labels, positives);
        a.say("AUC ", report::fixed(area, 4), " over ", over, ", ", positives,
              " of them positive; score: ",
              rebuilds            ? "mean squared error between output and input"
              : out.elements == 2 ? "the second output value"
                                  : "the output value");
        a.json.member("auc", area).member("positives", positives);
    } else {
        double sum = 0;
        for (double f : figures) sum += f;
        const double mean = sum / static_cast<double>(count);
        a.say("mean squared error ", report::significant(mean), " between output and ",
              targets.empty() ? "input" : "labels", " over ", over);
        a.json.member("mse", mean);
    }
    a.say(path, " on ", (*kernels)->port, ", ", report::significant(seconds), " s on ", *threads,
          *threads == 1 ? " thread" : " threads");
    return {};
}

} // namespace

command eval_command() {
    return {
        "eval",
        "MODEL --input F --labels F [--metric top1|auc|mse]",
        "Measures a model on labelled samples: accuracy, area under the curve, mean squared error.",
        "top1  the first largest output value is the class; labels are one byte or one int32 a\n"
        "      sample, told apart by the size of the file\n"
        "auc   labels 0 and 1 (1: anomaly); the score is the one output value, the second of two,\n"
        "      or for an autoencoder the mean squared error between output and input\n"
        "mse   between output and --labels, float32 values; without --labels between output and\n"
        "      input, as real values\n"
        "Only the first output counts. Results do not depend on the number of threads.\n",
        {{"--input", "F", "samples; one for each input, in their order", true},
         {"--labels", "F", "one label a sample of the whole input file"},
         {"--metric", "M", "top1 (default), auc or mse"},
         {"--input-type", "TYPE", "the files hold real values: float32, uint8, int8, int16"},
         {"--limit", "N", "only the first N samples"},
         {"--port", "P", "kernels to use: one of those that selftest shows"},
         {"--threads", "N", "2 by default"}},
        eval};
}

} // namespace tool
