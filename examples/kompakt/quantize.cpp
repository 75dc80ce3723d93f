// kompakt quantize: a float32 model to int8, with samples to find the ranges.
#include "evaluate.hpp"
#include "files.hpp"
#include "outputs.hpp"

#include <kompakt/compress/mixed_precision.hpp>
#include <kompakt/compress/quantize.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/report/progress.hpp>
#include <kompakt/report/quantization.hpp>

#include <cmath>
#include <cstdlib>

namespace tool {

using namespace kompakt;

namespace {

// The first `limit` samples of the files, as real values.
class file_samples : public sample_source {
  public:
    file_samples(const std::vector<samples>& files, std::size_t limit)
        : files_(&files), limit_(limit) {}

    result<bool> next(const std::vector<span<float>>& inputs) override {
        if (at_ == limit_) return false;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto values = (*files_)[i].real(at_);
            if (!values.ok()) return failed_ = values.error();
            std::copy(values->begin(), values->end(), inputs[i].begin());
        }
        ++at_;
        return true;
    }
    status rewind() override {
        at_ = 0;
        return {};
    }
    std::size_t size() const override { return limit_; }
    // What was wrong with a file: it says file and sample by itself.
    const status& failed() const noexcept { return failed_; }

  private:
    const std::vector<samples>* files_;
    std::size_t limit_, at_ = 0;
    status failed_;
};

// Top-1 accuracy of the first output; files that hold the float32 model's inputs serve the
// int8 one.
result<double> accuracy(const model& m, const std::vector<std::string>& paths,
                        std::optional<dtype> type, const std::vector<std::int32_t>& labels) {
    const auto e = engine::make(m, default_kernels());
    if (!e) return e.error();
    const session& s = (*e)->session;
    const bool integer = s.record(s.input_tensor(0)).type != dtype::f32;
    if (integer && !type) type = dtype::f32;
    const auto inputs = open_inputs(s, paths, type);
    if (!inputs) return inputs.error();
    const auto right = count_right(m, default_kernels(), *inputs, labels, labels.size(), 2);
    if (!right) return right.error();
    return static_cast<double>(*right) / static_cast<double>(labels.size());
}

// "cle+gptq+bias": a way to round, with what comes before and after, in any order.
status read_algorithm(const std::string& text, rounding_options& o) {
    bool chosen = false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = (std::min)(text.find('+', at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end + 1;
        bool method = false;
        for (auto m : {rounding_method::nearest, rounding_method::mse, rounding_method::gptq,
                       rounding_method::adaround, rounding_method::descent}) {
            if (word != name_of(m)) continue;
            o.method = m;
            method = true;
        }
        if (method && !chosen) {
            chosen = true;
        } else if (word == "cle") {
            o.equalize = true;
        } else if (word == "bias") {
            o.correct_bias = true;
        } else if (word == "inputs") {
            o.correct_inputs = true;
        } else {
            return fail(errc::bad_argument, "--algorithm ", text, ": ", word,
                        method ? " is a second method"
                               : " is none of nearest, mse, gptq, adaround, descent, cle, bias, "
                                 "inputs");
        }
    }
    return {};
}

// "20k", "1.5M" or a plain number of bytes; k is 1024.
result<std::size_t> read_budget(const std::string& text) {
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    const std::string unit = end;
    const double times = unit.empty()                 ? 1.0
                         : unit == "k" || unit == "K" ? 1024.0
                         : unit == "M"                ? 1048576.0
                                                      : 0.0;
    if (end == text.c_str() || !(x * times >= 1.0) || !(x * times < 1e12)) {
        return fail(errc::bad_argument, "--budget ", text,
                    ": needed bytes of weights and biases, as in 20480, 20k or 1.5M");
    }
    return static_cast<std::size_t>(x * times);
}

status quantize_model(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const auto to = given.required("-o", "FILE.tflite, FILE.kpk or FILE.hpp");
    if (!to) return to.error();
    const auto format = output_format(*to, {".tflite", ".kpk", ".hpp"});
    if (!format) return format.error();
    std::vector<named_output> targets = {{"-o", *to}};
    if (given.has("--report")) targets.push_back({"--report", given.value("--report")});
    KOMPAKT_TRY(check_outputs(given, targets));
    const auto scheme =
        given.choice("--scheme", {"w8a8", "w7a8", "w6a8", "w5a8", "w4a8", "w3a8", "w2a8", "mixed"});
    if (!scheme) return scheme.error();
    quantize_options how;
    const std::string algorithm =
        given.has("--algorithm") ? given.value("--algorithm") : std::string("nearest");
    KOMPAKT_TRY(read_algorithm(algorithm, how.rounding));
    const bool mixed = *scheme == "mixed";
    if (!mixed) how.assign.weight_bits = (*scheme)[1] - '0';
    if (given.has("--first-last-8")) how.assign.first_last_bits = 8;
    mixed_options budget;
    if (given.has("--budget")) {
        const auto bytes = read_budget(given.value("--budget"));
        if (!bytes) return bytes.error();
        budget.budget_bytes = *bytes;
    }
    if (given.has("--average-bits")) {
        const auto bits = given.real("--average-bits", 8.0, 2.0, 8.0);
        if (!bits) return bits.error();
        budget.average_bits = *bits;
        budget.bits = {8, 7, 6, 5, 4, 3, 2};
    }
    if (mixed != (given.has("--budget") != given.has("--average-bits"))) {
        return fail(errc::bad_argument,
                    mixed ? "--scheme mixed needs one of --budget and --average-bits"
                          : "--budget and --average-bits need --scheme mixed");
    }
    if (!mixed && (given.has("--budget") || given.has("--average-bits"))) {
        return fail(errc::bad_argument, "--budget and --average-bits need --scheme mixed");
    }
    const std::vector<std::string> names = {"percentile", "minmax", "moving-average", "mse", "kl"};
    const auto calibration = given.choice("--calibration", names);
    if (!calibration) return calibration.error();
    output_options output;
    KOMPAKT_TRY(read_output_options(given, *format, *to, output));
    if (!given.has("--calibrate")) {
        return fail(errc::bad_argument,
                    "needs --calibrate F: samples to find the ranges of values");
    }
    const auto type = input_type(given);
    if (!type) return type.error();

    auto g = load_graph(path);
    if (!g) return g.error();
    for (tensor_id t : g->inputs) {
        if (g->tensor(t).type == dtype::f32) continue;
        return in_file(path, fail(errc::bad_data, "input ", report::short_name(g->tensor(t).name),
                                  " is ", name_of(g->tensor(t).type),
                                  ": needs a float32 model, this one is quantized already"));
    }
    plan_options options;
    options.kernels = &default_kernels();
    const auto before = plan_model(path, *g, options);
    if (!before) return before.error();
    const auto float_engine = engine::make(*before, default_kernels());
    if (!float_engine) return float_engine.error();
    const std::vector<std::string> files = given.all("--calibrate");
    if (files.size() != g->inputs.size()) {
        return fail(errc::bad_argument, "the model has ", g->inputs.size(), " inputs, given ",
                    files.size(), " --calibrate");
    }
    const auto inputs = open_inputs((*float_engine)->session, files, *type);
    if (!inputs) return inputs.error();
    const auto count = sample_count(given, "--samples", *inputs);
    if (!count) return count.error();
    std::vector<std::int32_t> labels;
    if (given.has("--labels")) {
        auto l = read_labels(given.value("--labels"), (*inputs)[0].count());
        if (!l) return l.error();
        labels = std::move(*l);
        if ((*float_engine)->session.outputs() == 0) {
            return in_file(path, fail(errc::bad_data, "has no output to compare with labels"));
        }
        const port_tensor out = output_of((*float_engine)->session, 0);
        KOMPAKT_TRY(check_labels(given.value("--labels"), labels, labels.size(), out.elements,
                                 "for " + out.text()));
    }

    const calibration_method methods[] = {
        calibration_method::percentile, calibration_method::min_max,
        calibration_method::moving_average, calibration_method::mse, calibration_method::kl};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (*calibration == names[i]) how.observer.method = methods[i];
    }
    how.convert.float_io = given.has("--float-io");
    std::unique_ptr<report::progress> shown;
    std::string stage;
    how.progress = [&](const char* what, std::size_t done, std::size_t total) {
        if (stage != what) {
            stage = what;
            shown = std::make_unique<report::progress>(stage, total);
            if (done > 1) shown->step(done - 1);
        }
        shown->step();
    };
    file_samples source(*inputs, *count);
    if (mixed) {
        const auto chosen = choose_weight_bits(*g, source, budget, how.progress);
        if (!chosen) return source.failed().ok() ? in_file(path, chosen.error()) : source.failed();
        how.assign.layer_bits = chosen->layer_bits();
        stage.clear();
    }
    auto q = kompakt::quantize(*g, source, how);
    shown.reset();
    if (!q) return source.failed().ok() ? in_file(path, q.error()) : source.failed();
    report::quantization_summary summary;
    summary.scheme = *scheme;
    summary.calibration = *calibration;
    summary.algorithm = algorithm;
    summary.result = std::move(q->report);

    std::vector<std::byte> content;
    if (*format == ".tflite") {
        auto bytes = write_tflite(*q);
        if (!bytes) return in_file(*to, bytes.error());
        content = std::move(*bytes);
    }
    const auto after = plan_model(path, std::move(static_cast<graph&>(*q)), output.plan);
    if (!after) return after.error();
    const auto costs = report::summarize(*after->graph, after->plan);
    if (!costs) return in_file(*to, costs.error());
    if (!labels.empty()) {
        const auto with_float = accuracy(*before, files, *type, labels);
        if (!with_float) return with_float.error();
        const auto with_integers = accuracy(*after, files, *type, labels);
        if (!with_integers) return with_integers.error();
        summary.accuracy_before = *with_float;
        summary.accuracy_after = *with_integers;
    }

    a.json.member("model", path);
    report::write_quantization(a.json, summary);
    const quantization_report& r = summary.result;
    std::size_t in_float = 0;
    for (const layer_report& l : r.layers) in_float += l.integer ? 0 : 1;
    a.say("Quantized ", path, " to int8 (", *scheme,
          algorithm == "nearest" ? std::string() : ", " + algorithm, "), ranges by ", *calibration,
          " over ", r.samples, " samples");
    a.say("Constants: ", r.bytes_before, " bytes before, ", r.bytes_after, " after");
    if (!labels.empty()) {
        a.say("Accuracy on ", labels.size(),
              " samples: ", report::fixed(*summary.accuracy_before * 100, 2), " % before, ",
              report::fixed(*summary.accuracy_after * 100, 2), " % after");
    }
    if (in_float != 0) a.say(in_float, " of ", r.layers.size(), " layers stay float32");
    a.say("");
    for (const layer_report& l : r.layers) {
        // Neither signal nor noise.
        if (l.op != "input" || r.compared == 0 || !std::isnan(l.sqnr)) continue;
        a.say("Warning: ", report::short_name(l.tensor),
              " is 0 in all samples; they do not show its range");
    }
    std::vector<std::vector<std::string>> rows;
    for (const layer_report& l : r.layers) rows.push_back(report::layer_cells(l));
    a.table(report::layer_columns(), rows);
    a.say(
        "SQNR: noise of each result against float32 in dB; weights: of the weights by themselves");
    for (const layer_report& l : r.layers) {
        if (!l.float_because.empty() && l.float_because != "-") {
            a.say(report::short_name(l.tensor), " stays float32: ", l.float_because);
        }
    }
    a.say("");

    if (*format == ".tflite") {
        a.say("Wrote ", *to, ": ", content.size(), " bytes; it runs in an arena of ",
              costs->arena_bytes, " bytes");
        a.json.member("file", *to).member("file_bytes", content.size());
        a.json.member("arena_bytes", costs->arena_bytes);
    } else {
        auto planned = planned_file(*after, *format, *to, output, a);
        if (!planned) return planned.error();
        content = std::move(*planned);
    }
    // Model and report appear together or not at all.
    std::vector<file_to_write> written = {{*to, content}};
    std::string page;
    if (given.has("--report")) {
        page = report::quantization_html(file_name(path) + ", quantized", summary, *costs);
        written.push_back(
            {given.value("--report"), as_bytes(span<const char>(page.data(), page.size()))});
        a.say("Wrote ", written[1].path);
        a.json.member("report", written[1].path);
    }
    return write_files_atomic(written);
}

} // namespace

command quantize_command() {
    std::vector<option> options = {
        {"--calibrate", "F", "samples to find ranges with; one file for each input", true},
        {"-o", "OUT", "x.tflite, x.kpk or x.hpp"},
        {"--scheme", "S",
         "w8a8 (default), w4a8 and so on: bits of weights, 2 to 8, activations int8; or mixed"},
        {"--first-last-8", nullptr, "the first and the last layer keep weights of 8 bits"},
        {"--budget", "BYTES", "mixed: weights and biases take at most so much, as in 20k"},
        {"--average-bits", "B", "mixed: so many bits a weight on average instead"},
        {"--calibration", "M", "percentile (99.999, default), minmax, moving-average, mse or kl"},
        {"--algorithm", "A",
         "how weights are rounded: nearest (default), mse, gptq, adaround or descent; with cle+ "
         "before and +bias, +inputs after it"},
        {"--samples", "N", "only the first N samples"},
        {"--input-type", "TYPE", "the files hold uint8, int8 or int16 values instead of float32"},
        {"--labels", "F", "classes of the samples in the files: accuracy before and after"},
        {"--float-io", nullptr, "inputs and outputs stay float32"},
        {"--report", "R.html", "one self-contained page: noise of each layer, ranges, memory map"}};
    for (const option& o : output_option_list()) options.push_back(o);
    return {
        "quantize",
        "MODEL --calibrate F -o OUT",
        "Quantizes a float32 model to int8, with samples that show the ranges of its values.",
        "By the quantization specification of TensorFlow Lite: weights symmetric per channel,\n"
        "activations asymmetric per tensor, biases int32. Weights of 4 bits are stored as such,\n"
        "those of 2, 3, 5, 6 and 7 as int8.\n",
        options,
        quantize_model};
}

} // namespace tool
