// What training did, epoch by epoch: CSV, JSON, and a page with its curves.
#pragma once

#include <kompakt/format/json.hpp>
#include <kompakt/report/html.hpp>
#include <kompakt/train/trainer.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

struct training_summary {
    std::string model, recipe; // recipe: one line for people
    std::vector<epoch_record> epochs;
    bool validated = false, labelled = false;
    std::size_t parameters = 0, pieces = 1, arena_bytes = 0;
};

inline std::vector<std::string> training_columns(const training_summary& s) {
    std::vector<std::string> c = {"epoch", "step", "rate", "loss"};
    if (s.labelled) c.push_back("accuracy");
    if (s.validated) c.push_back("validation loss");
    if (s.validated && s.labelled) c.push_back("validation accuracy");
    c.push_back("seconds");
    return c;
}
inline std::vector<std::string> training_cells(const training_summary& s, const epoch_record& r) {
    std::vector<std::string> c = {std::to_string(r.epoch + 1), std::to_string(r.step),
                                  significant(r.rate), significant(r.loss)};
    if (s.labelled) c.push_back(fixed(r.accuracy * 100, 2));
    if (s.validated) c.push_back(significant(r.validation_loss));
    if (s.validated && s.labelled) c.push_back(fixed(r.validation_accuracy * 100, 2));
    c.push_back(fixed(r.seconds, 1));
    return c;
}

inline std::string training_csv(const training_summary& s) {
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text;
        for (const std::string& c : cells) text += (text.empty() ? "" : ",") + c;
        return text + "\n";
    };
    std::string text = line(training_columns(s));
    for (const epoch_record& r : s.epochs) text += line(training_cells(s, r));
    return text;
}

// Adds the members of an object to `out`.
inline void write_training(json::writer& out, const training_summary& s) {
    out.member("parameters", s.parameters).member("pieces", s.pieces);
    out.member("arena_bytes", s.arena_bytes);
    out.key("epochs").begin_array();
    for (const epoch_record& r : s.epochs) {
        out.begin_object().member("epoch", r.epoch + 1).member("step", r.step);
        out.member("rate", r.rate).member("loss", r.loss);
        if (s.labelled) out.member("accuracy", r.accuracy);
        if (s.validated) out.member("validation_loss", r.validation_loss);
        if (s.validated && s.labelled) out.member("validation_accuracy", r.validation_accuracy);
        out.member("seconds", r.seconds).end();
    }
    out.end();
}

inline std::string training_html(const training_summary& s) {
    html_page page(s.model + ", trained");
    page.paragraph(s.recipe);
    curve loss{"training", {}}, validation{"validation", {}}, rate{"learning rate", {}},
        accuracy{"training", {}}, checked{"validation", {}};
    for (const epoch_record& r : s.epochs) {
        loss.values.push_back(r.loss);
        validation.values.push_back(r.validation_loss);
        accuracy.values.push_back(100 * r.accuracy);
        checked.values.push_back(100 * r.validation_accuracy);
        rate.values.push_back(r.rate);
    }
    const auto pair = [&](const curve& a, const curve& b) {
        return s.validated ? std::vector<curve>{a, b} : std::vector<curve>{a};
    };
    page.section("Curves").curves("loss", "epochs", pair(loss, validation));
    if (s.labelled) page.curves("accuracy in percent", "epochs", pair(accuracy, checked));
    page.curves("learning rate", "epochs", {rate});
    std::vector<std::vector<std::string>> rows;
    for (const epoch_record& r : s.epochs) rows.push_back(training_cells(s, r));
    page.section("Epochs").table(training_columns(s), rows);
    return page.take();
}

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
