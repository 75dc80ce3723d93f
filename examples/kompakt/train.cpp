// kompakt train: fits a float32 model to labelled samples.
#include "evaluate.hpp"
#include "files.hpp"
#include "outputs.hpp"

#include <kompakt/host/thread_pool.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/report/progress.hpp>
#include <kompakt/report/training.hpp>

namespace tool {

using namespace kompakt;

namespace {

// Names as the command line has them: with dashes.
template <class Kind>
std::vector<std::string> names_of() {
    std::vector<std::string> all;
    for (int i = 0; i < static_cast<int>(Kind::count); ++i) {
        std::string s = name_of(static_cast<Kind>(i));
        for (char& c : s) c = c == '_' ? '-' : c;
        all.push_back(std::move(s));
    }
    return all;
}
template <class Kind>
result<Kind> chosen(const arguments& given, const char* option, Kind otherwise) {
    if (!given.has(option)) return otherwise;
    const std::vector<std::string> names = names_of<Kind>();
    const auto name = given.choice(option, names);
    if (!name) return name.error();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == *name) return static_cast<Kind>(i);
    }
    return otherwise;
}

// All samples of one input with what belongs to them.
result<data_set> load(const session& s, const std::string& input, const std::string& truth,
                      std::optional<dtype> type, bool labelled) {
    const auto files = open_inputs(s, {input}, type);
    if (!files) return files.error();
    const samples& file = (*files)[0];
    const port_tensor in = input_of(s, 0), out = output_of(s, 0);
    std::vector<float> values;
    values.reserve(file.count() * in.elements);
    for (std::size_t i = 0; i < file.count(); ++i) {
        const auto one = file.real(i);
        if (!one) return one.error();
        values.insert(values.end(), one->begin(), one->end());
    }
    data_set d = data_set::of(std::move(values), in.elements);
    if (!labelled) {
        auto targets = read_targets(truth, d.samples, out.elements);
        if (!targets) return targets.error();
        d.targets = std::move(*targets);
        return d;
    }
    auto labels = read_labels(truth, d.samples);
    if (!labels) return labels.error();
    KOMPAKT_TRY(check_labels(truth, *labels, labels->size(), out.elements, "for " + out.text()));
    d.labels = std::move(*labels);
    return d;
}

// The last `count` samples of `d`, which it loses.
data_set split(data_set& d, std::size_t count) {
    const std::size_t first = d.samples - count;
    data_set tail;
    tail.samples = count;
    tail.input_elements = d.input_elements;
    tail.fill = [fill = d.fill, first](std::size_t s, std::uint64_t epoch, float* to) {
        fill(first + s, epoch, to);
    };
    const auto move = [&](auto& from, auto& to) {
        if (from.empty()) return;
        const std::size_t each = from.size() / d.samples;
        to.assign(from.begin() + static_cast<std::ptrdiff_t>(first * each), from.end());
        from.resize(first * each);
    };
    move(d.labels, tail.labels);
    move(d.targets, tail.targets);
    d.samples = first;
    return tail;
}

status read_recipe(const arguments& given, trainer_options& o) {
    const auto whole = [&](const char* name, std::size_t& to, std::uint64_t least) -> status {
        const auto n = given.number(name, to, least, std::uint64_t{1} << 31);
        if (!n) return n.error();
        to = static_cast<std::size_t>(*n);
        return {};
    };
    const auto real = [&](const char* name, auto& to, double least, double most) -> status {
        const auto x = given.real(name, static_cast<double>(to), least, most);
        if (!x) return x.error();
        to = static_cast<std::decay_t<decltype(to)>>(*x);
        return {};
    };
    KOMPAKT_TRY(whole("--epochs", o.epochs, 1));
    KOMPAKT_TRY(whole("--batch", o.batch, 1));
    KOMPAKT_TRY(whole("--accumulate", o.accumulate, 1));
    KOMPAKT_TRY(whole("--patience", o.patience, 0));
    KOMPAKT_TRY(whole("--checkpoint-steps", o.checkpoint_steps, 0));
    std::size_t seed = 0, warmup = 0;
    KOMPAKT_TRY(whole("--seed", seed, 0));
    KOMPAKT_TRY(whole("--warmup", warmup, 0));
    o.seed = static_cast<std::uint32_t>(seed);
    o.schedule.warmup = static_cast<std::int64_t>(warmup);
    const auto optimizer = chosen(given, "--optimizer", optimizer_kind::adam);
    if (!optimizer) return optimizer.error();
    o.optimizer = optimizer_options::of(*optimizer);
    const auto schedule = chosen(given, "--schedule", schedule_kind::cosine);
    if (!schedule) return schedule.error();
    o.schedule.kind = *schedule;
    const auto loss = chosen(given, "--loss", loss_kind::cross_entropy);
    if (!loss) return loss.error();
    o.differentiate.loss.kind = *loss;
    if (*loss == loss_kind::focal) o.differentiate.loss.parameter = 2.0f;
    o.schedule.rate = 0.001;
    KOMPAKT_TRY(real("--lr", o.schedule.rate, 1e-12, 1e6));
    KOMPAKT_TRY(real("--momentum", o.optimizer.momentum, 0, 0.9999));
    KOMPAKT_TRY(real("--weight-decay", o.optimizer.weight_decay, 0, 1e6));
    KOMPAKT_TRY(real("--smoothing", o.differentiate.loss.smoothing, 0, 0.9999));
    KOMPAKT_TRY(real("--clip-norm", o.clip_norm, 0, 1e30));
    KOMPAKT_TRY(real("--average", o.average, 0, 0.999999));
    o.differentiate.freeze_batch_norm = given.has("--freeze-batch-norm");
    const std::vector<std::string> only = given.all("--only");
    if (!only.empty()) {
        o.differentiate.trains = [only](const std::string& name) {
            for (const std::string& part : only) {
                if (name.find(part) != std::string::npos) return true;
            }
            return false;
        };
    }
    o.checkpoint = given.value("--checkpoint", given.value("--resume"));
    return {};
}

status train(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const auto to = given.required("-o", "FILE.tflite, FILE.kpk or FILE.hpp");
    if (!to) return to.error();
    const auto format = output_format(*to, {".tflite", ".kpk", ".hpp"});
    if (!format) return format.error();
    std::vector<named_output> targets = {{"-o", *to}};
    for (const char* o : {"--report", "--log", "--checkpoint"}) {
        if (given.has(o)) targets.push_back({o, given.value(o)});
    }
    KOMPAKT_TRY(check_outputs(given, targets));
    std::string log;
    if (given.has("--log")) {
        log = given.value("--log");
        const auto ending = output_format(log, {".csv", ".json"});
        if (!ending) {
            return fail(errc::bad_argument, "--log ", log, ": needs the ending .csv or .json");
        }
    }
    trainer_options o;
    KOMPAKT_TRY(read_recipe(given, o));
    output_options output;
    KOMPAKT_TRY(read_output_options(given, *format, *to, output));
    const bool labelled = takes_labels(o.differentiate.loss.kind);
    const char* truth = labelled ? "--labels" : "--targets";
    for (const char* needed : {"--input", truth}) {
        if (!given.has(needed)) {
            return fail(errc::bad_argument, "needs ", needed, " F with --loss ",
                        given.value("--loss", "cross-entropy"));
        }
    }
    if (given.has("--validation-input") != given.has("--validation-labels")) {
        return fail(errc::bad_argument, "--validation-input and --validation-labels: both or none");
    }
    const auto part = given.real("--split", 0, 0, 0.9);
    if (!part) return part.error();
    const auto type = input_type(given);
    if (!type) return type.error();
    const auto threads = given.number("--threads", 2, 1, 256);
    if (!threads) return threads.error();

    auto g = load_graph(path);
    if (!g) return g.error();
    plan_options planning;
    planning.kernels = &default_kernels();
    const auto before = plan_model(path, *g, planning);
    if (!before) return before.error();
    const auto first = engine::make(*before, default_kernels());
    if (!first) return first.error();
    const session& s = (*first)->session;
    if (s.inputs() != 1 || s.outputs() == 0) {
        return in_file(path, fail(errc::bad_data, "has ", s.inputs(), " inputs and ", s.outputs(),
                                  " outputs, needed one input and an output"));
    }
    auto data = load(s, given.value("--input"), given.value(truth), *type, labelled);
    if (!data) return data.error();
    std::optional<data_set> validation;
    if (given.has("--validation-input")) {
        auto v = load(s, given.value("--validation-input"), given.value("--validation-labels"),
                      *type, labelled);
        if (!v) return v.error();
        validation = std::move(*v);
    } else if (*part > 0) {
        const auto n = static_cast<std::size_t>(*part * static_cast<double>(data->samples));
        if (n > 0 && n < data->samples) validation = split(*data, n);
    }
    auto made = trainer::make(*g, o);
    if (!made) return in_file(path, made.error());
    trainer& t = **made;
    if (given.has("--resume")) KOMPAKT_TRY(t.resume(given.value("--resume")));

    const std::uint64_t steps = data->samples / o.batch * o.epochs;
    report::progress line("training", steps);
    line.step(t.step());
    thread_pool pool(static_cast<std::size_t>(*threads));
    std::uint64_t seen = t.step();
    const status trained =
        t.fit(pool, *data, validation ? &*validation : nullptr, [&](const train_progress& p) {
            std::string note =
                "epoch " + std::to_string(p.epoch + 1) + ", loss " + report::significant(p.loss);
            if (labelled) note += ", " + report::fixed(p.accuracy * 100, 1) + " % right";
            line.note(std::move(note));
            line.step(p.step - seen);
            seen = p.step;
            return true;
        });
    line.finish();
    if (!trained.ok()) return in_file(path, trained);

    report::training_summary summary;
    summary.model = file_name(path);
    summary.recipe = std::to_string(o.epochs) + " epochs of " + std::to_string(data->samples) +
                     " samples, batches of " + std::to_string(o.batch) + ", " +
                     name_of(o.optimizer.kind) + " at " + report::significant(o.schedule.rate) +
                     ", " + name_of(o.schedule.kind) + ", " + name_of(o.differentiate.loss.kind);
    summary.epochs = t.history();
    summary.validated = validation.has_value(), summary.labelled = labelled;
    summary.parameters = t.parameters(), summary.pieces = t.pieces();
    summary.arena_bytes = t.arena_bytes();
    a.say("Trained ", path, ": ", summary.recipe);
    a.say(t.parameters(), " parameters; ", t.pieces(), t.pieces() == 1 ? " run" : " runs",
          " a batch, each in an arena of ", t.arena_bytes(), " bytes");
    a.say("");
    std::vector<std::vector<std::string>> rows;
    for (const epoch_record& r : summary.epochs) rows.push_back(report::training_cells(summary, r));
    a.table(report::training_columns(summary), rows);
    a.say("");
    a.json.member("model", path).member("samples", data->samples);
    report::write_training(a.json, summary);

    graph best = t.trained();
    std::vector<std::byte> content;
    if (*format == ".tflite") {
        auto bytes = write_tflite(best);
        if (!bytes) return in_file(*to, bytes.error());
        content = std::move(*bytes);
        a.say("Wrote ", *to, ": ", content.size(), " bytes");
        a.json.member("file", *to).member("file_bytes", content.size());
    } else {
        const auto after = plan_model(path, std::move(best), output.plan);
        if (!after) return after.error();
        auto planned = planned_file(*after, *format, *to, output, a);
        if (!planned) return planned.error();
        content = std::move(*planned);
    }
    std::vector<file_to_write> written = {{*to, content}};
    std::string page, lines;
    const auto text = [&](const std::string& where, const std::string& what, const char* key) {
        written.push_back({where, as_bytes(span<const char>(what.data(), what.size()))});
        a.say("Wrote ", where);
        a.json.member(key, where);
    };
    if (given.has("--report")) {
        page = report::training_html(summary);
        text(given.value("--report"), page, "report");
    }
    if (!log.empty()) {
        if (log.compare(log.size() - 4, 4, ".csv") == 0) {
            lines = report::training_csv(summary);
        } else {
            json::writer w(2);
            w.begin_object();
            report::write_training(w, summary);
            w.end();
            lines = w.take() + "\n";
        }
        text(log, lines, "log");
    }
    return write_files_atomic(written);
}

std::string list(const std::vector<std::string>& names) {
    std::string s;
    for (const std::string& n : names) s += (s.empty() ? "" : ", ") + n;
    return s;
}

} // namespace

command train_command() {
    static const std::string details = "Losses: " + list(names_of<loss_kind>()) +
                                       ".\nOptimizers: " + list(names_of<optimizer_kind>()) +
                                       ".\nSchedules: " + list(names_of<schedule_kind>()) +
                                       ".\nThe result is the same whatever the number of threads, "
                                       "and after a kill and --resume.\n";
    std::vector<option> options = {
        {"--input", "F", "samples"},
        {"--labels", "F", "their classes: one byte or one int32 each"},
        {"--targets", "F", "float32 values instead, for losses that compare values"},
        {"-o", "OUT", "x.tflite, x.kpk or x.hpp"},
        {"--validation-input", "F", "samples that choose the best epoch"},
        {"--validation-labels", "F", "their classes or targets"},
        {"--split", "PART", "or the last part of the samples: 0.1"},
        {"--input-type", "TYPE", "the files hold uint8, int8 or int16 values instead of float32"},
        {"--epochs", "N", "10 by default"},
        {"--batch", "N", "samples a step, 32"},
        {"--optimizer", "O", "adam by default"},
        {"--lr", "X", "learning rate, 0.001"},
        {"--schedule", "S", "of the rate over all steps: cosine by default"},
        {"--warmup", "N", "steps in which the rate rises from zero"},
        {"--momentum", "X", "of sgd, rmsprop, lars, signum"},
        {"--weight-decay", "X", "of matrices and filters"},
        {"--loss", "L", "cross-entropy by default"},
        {"--smoothing", "X", "of labels: 0.1"},
        {"--clip-norm", "X", "gradients are no longer than this"},
        {"--accumulate", "N", "batches whose gradients make one step"},
        {"--average", "X", "the result is a moving average of the weights with this decay: 0.999"},
        {"--freeze-batch-norm", nullptr, "batch normalization keeps its statistics"},
        {"--only", "TEXT", "train parameters with this in their names only", true},
        {"--patience", "N", "stop after N epochs without a better one"},
        {"--seed", "N", "of the order of samples and of dropout"},
        {"--threads", "N", "2 by default"},
        {"--checkpoint", "C", "written after each epoch"},
        {"--checkpoint-steps", "N", "and every N steps"},
        {"--resume", "C", "goes on from a checkpoint, which it also writes on"},
        {"--log", "F", "epochs as .csv or .json"},
        {"--report", "R.html", "one self-contained page with the curves"}};
    for (const option& o : output_option_list()) options.push_back(o);
    return {"train",
            "MODEL --input F --labels F -o OUT",
            "Fits a float32 model to samples.",
            details.c_str(),
            options,
            train};
}

} // namespace tool
