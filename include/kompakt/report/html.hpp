// One self-contained HTML page: text, tables, charts as inline SVG. No scripts, nothing loaded from
// elsewhere, readable on light and dark screens. The same calls give the same bytes.
//
//     report::html_page page("kws.tflite, quantized");
//     page.section("Layers").table({"layer", "SQNR"}, rows).bars("SQNR in dB", values);
//     write_file_atomic("report.html", page.take());
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/report/text.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

// Text that cannot become markup, in element content and in quoted attributes.
inline std::string escape(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

struct bar {
    std::string label;
    double value = 0; // not finite: no bar, only the text
    std::string text; // shown behind the bar; empty: the value
};

struct curve {
    std::string label;
    std::vector<double> values;
};

// A rectangle of a memory map: bytes against time.
struct memory_box {
    std::string label;
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t first = 0, last = 0; // steps, both included
    bool scratch = false;
};

class html_page {
  public:
    explicit html_page(std::string_view title) : title_(escape(title)) {}

    html_page& section(std::string_view heading) {
        body_ += "<h2>" + escape(heading) + "</h2>\n";
        return *this;
    }
    html_page& paragraph(std::string_view text) {
        body_ += "<p>" + escape(text) + "</p>\n";
        return *this;
    }
    // Few large numbers side by side.
    html_page& figures(const std::vector<std::pair<std::string, std::string>>& all) {
        body_ += "<div class=\"figures\">";
        for (const auto& [label, value] : all) {
            body_ += "<div><b>" + escape(value) + "</b><span>" + escape(label) + "</span></div>";
        }
        body_ += "</div>\n";
        return *this;
    }
    // Columns of numbers stand to the right; "-" and nothing stand for numbers, too. A wide table
    // scrolls sideways by itself.
    html_page& table(const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
        std::vector<bool> numbers(columns.size(), !rows.empty());
        for (const auto& row : rows) {
            for (std::size_t c = 0; c < row.size() && c < numbers.size(); ++c) {
                if (!is_number(row[c])) numbers[c] = false;
            }
        }
        const auto line = [&](const char* tag, const std::vector<std::string>& cells) {
            body_ += "<tr>";
            for (std::size_t c = 0; c < cells.size(); ++c) {
                body_ += std::string("<") + tag +
                         (c < numbers.size() && numbers[c] ? " class=\"n\">" : ">") +
                         escape(cells[c]) + "</" + tag + ">";
            }
            body_ += "</tr>\n";
        };
        body_ += "<div class=\"wide\"><table><thead>";
        line("th", columns);
        body_ += "</thead><tbody>\n";
        for (const auto& row : rows) line("td", row);
        body_ += "</tbody></table></div>\n";
        return *this;
    }

    // Horizontal bars from zero, one a line.
    html_page& bars(std::string_view title, const std::vector<bar>& all) {
        constexpr int label_width = 300, bar_width = 480, row = 20;
        double low = 0, high = 0;
        for (const bar& b : all) {
            if (!std::isfinite(b.value)) continue;
            low = (std::min)(low, b.value);
            high = (std::max)(high, b.value);
        }
        const double range = high > low ? high - low : 1;
        const int height = row * static_cast<int>(all.size()) + 4;
        open_figure(title, label_width + bar_width + 120, height);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bar& b = all[i];
            const int y = row * static_cast<int>(i) + 2;
            const double zero = label_width + (0 - low) / range * bar_width;
            const double length = std::isfinite(b.value) ? b.value / range * bar_width : 0;
            const double x = length < 0 ? zero + length : zero;
            svg_text(label_width - 8, y + 14, short_name(b.label), "end");
            body_ += "<rect class=\"bar\" x=\"" + fixed(x, 1) + "\" y=\"" + std::to_string(y + 2) +
                     "\" width=\"" + fixed(std::fabs(length), 1) + "\" height=\"" +
                     std::to_string(row - 5) + "\"><title>" + escape(b.label) + "</title></rect>\n";
            svg_text(x + std::fabs(length) + 6, y + 14,
                     b.text.empty() ? significant(b.value) : b.text, "start");
        }
        close_figure();
        return *this;
    }

    // Counts of equal bins between `low` and `high`; what lies outside `clip_low` … `clip_high` is
    // drawn in another colour.
    html_page& histogram(std::string_view title, double low, double high,
                         const std::vector<double>& counts, double clip_low, double clip_high) {
        constexpr int width = 600, height = 120;
        const double most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
        open_figure(title, width, height + 20);
        const double bin = counts.empty() ? 0 : (high - low) / static_cast<double>(counts.size());
        const double step = counts.empty() ? 0 : width / static_cast<double>(counts.size());
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const double middle = low + (static_cast<double>(i) + 0.5) * bin;
            const double h = most > 0 ? counts[i] / most * height : 0;
            body_ += middle < clip_low || middle > clip_high ? "<rect class=\"clipped\""
                                                             : "<rect class=\"bar\"";
            body_ += " x=\"" + fixed(static_cast<double>(i) * step, 1) + "\" y=\"" +
                     fixed(height - h, 1) + "\" width=\"" + fixed((std::max)(step - 0.5, 0.5), 1) +
                     "\" height=\"" + fixed(h, 1) + "\"/>\n";
        }
        svg_text(0, height + 15, significant(low), "start");
        svg_text(width, height + 15, significant(high), "end");
        close_figure();
        return *this;
    }

    // Lines over 1, 2, …: up to six series, a point each; what is not finite leaves a gap.
    html_page& curves(std::string_view title, std::string_view axis,
                      const std::vector<curve>& series) {
        constexpr int left = 60, width = 640, height = 220;
        std::size_t points = 1;
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (const curve& c : series) {
            points = (std::max)(points, c.values.size());
            for (double v : c.values) {
                if (!std::isfinite(v)) continue;
                low = (std::min)(low, v), high = (std::max)(high, v);
            }
        }
        if (!(low < high)) {
            low = std::isfinite(low) ? low - 0.5 : 0;
            high = low + 1;
        }
        open_figure(title, left + width + 10, height + 60);
        body_ += "<polyline class=\"axis\" points=\"" + std::to_string(left) + ",10 " +
                 std::to_string(left) + "," + std::to_string(height + 10) + " " +
                 std::to_string(left + width) + "," + std::to_string(height + 10) + "\"/>\n";
        svg_text(left - 6, 18, significant(high), "end");
        svg_text(left - 6, height + 10, significant(low), "end");
        svg_text(left, height + 28, "1", "middle");
        svg_text(left + width, height + 28, std::to_string(points) + " " + std::string(axis),
                 "end");
        const double step =
            points > 1 ? static_cast<double>(width) / static_cast<double>(points - 1) : 0;
        for (std::size_t k = 0; k < series.size(); ++k) {
            const std::string kind = std::to_string(k % 6);
            std::string line;
            const auto finish = [&] {
                if (!line.empty()) {
                    body_ += "<polyline class=\"c" + kind + "\" points=\"" + line + "\"/>\n";
                }
                line.clear();
            };
            for (std::size_t i = 0; i < series[k].values.size(); ++i) {
                const double v = series[k].values[i];
                if (!std::isfinite(v)) {
                    finish();
                    continue;
                }
                line += (line.empty() ? "" : " ") + fixed(left + step * static_cast<double>(i), 1) +
                        "," + fixed(10 + height - (v - low) / (high - low) * height, 1);
            }
            finish();
            const double x = left + 160.0 * static_cast<double>(k);
            body_ += "<rect class=\"m" + kind + "\" x=\"" + fixed(x, 1) + "\" y=\"" +
                     std::to_string(height + 40) + "\" width=\"12\" height=\"12\"/>\n";
            svg_text(x + 18, height + 51, short_name(series[k].label), "start");
        }
        close_figure();
        return *this;
    }

    // Time to the right, addresses upwards. `bound`: a line at what no layout can go
    // below; 0: none.
    html_page& memory_map(std::string_view title, const std::vector<memory_box>& boxes,
                          std::uint64_t bytes, std::uint64_t bound) {
        constexpr int left = 80, width = 800, height = 360;
        std::uint32_t steps = 1;
        for (const memory_box& b : boxes) steps = (std::max)(steps, b.last + 1);
        const double per_step = static_cast<double>(width) / steps;
        const double per_byte =
            bytes != 0 ? static_cast<double>(height) / static_cast<double>(bytes) : 0;
        open_figure(title, left + width + 10, height + 40);
        std::size_t number = 0;
        struct label {
            double x, y;
            std::string text;
        };
        std::vector<label> labels;
        for (const memory_box& b : boxes) {
            const double x = left + b.first * per_step;
            const double w = (b.last - b.first + 1) * per_step;
            const double h = static_cast<double>(b.bytes) * per_byte;
            const double y = 10 + height - static_cast<double>(b.offset) * per_byte - h;
            body_ += "<rect class=\"" +
                     (b.scratch ? std::string("scratch") : "m" + std::to_string(number++ % 6)) +
                     "\" x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" width=\"" +
                     fixed(w, 1) + "\" height=\"" + fixed(h, 1) + "\"><title>" + escape(b.label) +
                     ": " + grouped(b.bytes) + " bytes at " + grouped(b.offset) + ", steps " +
                     std::to_string(b.first) + " to " + std::to_string(b.last) +
                     "</title></rect>\n";
            // Boxes that share memory overlap: labels come on top of all boxes, those of
            // neighbours at three heights.
            const auto room = static_cast<std::size_t>(w / 7.5);
            if (h >= 14 && room >= 6) {
                const double shift = h >= 80 ? static_cast<double>(number % 3) * 18 - 18 : 0;
                labels.push_back({x + w / 2, y + h / 2 + 4 + shift, short_name(b.label, room)});
            }
        }
        for (const label& l : labels) svg_text(l.x, l.y, l.text, "middle");
        if (bound != 0 && bound <= bytes) {
            const std::string y = fixed(10 + height - static_cast<double>(bound) * per_byte, 1);
            body_ += "<line class=\"bound\" x1=\"" + std::to_string(left) + "\" x2=\"" +
                     std::to_string(left + width) + "\" y1=\"" + y + "\" y2=\"" + y +
                     "\"><title>lower bound: " + grouped(bound) + " bytes</title></line>\n";
        }
        body_ += "<path class=\"axis\" d=\"M" + std::to_string(left) + " 10V" +
                 std::to_string(10 + height) + "H" + std::to_string(left + width) + "\"/>\n";
        svg_text(left - 6, 20, grouped(bytes), "end");
        svg_text(left - 6, 10 + height, "0", "end");
        // At most some sixteen marks.
        for (std::uint32_t s = 0; s < steps; s += (steps + 15) / 16) {
            svg_text(left + (s + 0.5) * per_step, height + 26, std::to_string(s), "middle");
        }
        close_figure();
        return *this;
    }

    // The whole page; this is empty afterwards.
    std::string take() {
        std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width, "
                           "initial-scale=1\">\n<title>" +
                           title_ + "</title>\n<style>\n" + style() +
                           "</style>\n</head>\n<body>\n<h1>" + title_ + "</h1>\n" + body_ +
                           "</body>\n</html>\n";
        body_.clear();
        return page;
    }

  private:
    static const char* style() noexcept {
        return ":root{color-scheme:light dark;--back:#fff;--text:#1d2126;--soft:#5c6670;"
               "--line:#d9dee3;--bar:#3f7fbf;--bad:#d1663b}\n"
               "@media(prefers-color-scheme:dark){:root{--back:#15181c;--text:#e4e8ec;"
               "--soft:#98a2ad;--line:#343b43;--bar:#5b9bd9;--bad:#e58358}}\n"
               "body{background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;"
               "max-width:1120px;margin:32px auto;padding:0 16px}\n"
               "h1{font-size:24px;overflow-wrap:anywhere}h2{font-size:18px;margin-top:36px}\n"
               ".figures{display:flex;flex-wrap:wrap;gap:12px 36px}"
               ".figures div{display:flex;flex-direction:column}.figures b{font-size:22px}"
               ".figures span{color:var(--soft)}\n"
               ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}"
               "th,td{padding:3px 12px 3px 0;border-bottom:1px solid var(--line);text-align:left;"
               "vertical-align:top;white-space:nowrap}th{color:var(--soft);font-weight:600}"
               ".n{text-align:right;font-variant-numeric:tabular-nums}\n"
               "figure{margin:16px 0}figcaption{color:var(--soft);font-size:13px;margin-bottom:6px}"
               "svg{width:100%;height:auto;font:12px system-ui,sans-serif}"
               "svg text{fill:var(--text)}\n"
               ".bar{fill:var(--bar)}.clipped{fill:var(--bad)}"
               ".axis{fill:none;stroke:var(--soft)}"
               ".bound{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:5 4}\n"
               ".m0,.m1,.m2,.m3,.m4,.m5{stroke:var(--back);fill-opacity:.55}"
               ".c0,.c1,.c2,.c3,.c4,.c5{fill:none;stroke-width:1.8}"
               ".c0{stroke:#4c8fd0}.c1{stroke:#53a875}.c2{stroke:#c98f3c}.c3{stroke:#a177c9}"
               ".c4{stroke:#cf6a79}.c5{stroke:#4aa7ac}\n"
               ".m0{fill:#4c8fd0}.m1{fill:#53a875}.m2{fill:#c98f3c}.m3{fill:#a177c9}"
               ".m4{fill:#cf6a79}.m5{fill:#4aa7ac}"
               ".scratch{fill:var(--soft);fill-opacity:.35;stroke:var(--back)}\n";
    }
    static bool is_number(std::string_view s) noexcept {
        return s.find_first_not_of("0123456789.,-+e% ") == std::string_view::npos;
    }
    void open_figure(std::string_view title, int width, int height) {
        body_ += "<figure><figcaption>" + escape(title) +
                 "</figcaption>\n<svg role=\"img\" viewBox=\"0 0 " + std::to_string(width) + " " +
                 std::to_string(height) + "\" style=\"max-width:" + std::to_string(width) +
                 "px\">\n";
    }
    void close_figure() { body_ += "</svg></figure>\n"; }
    void svg_text(double x, double y, std::string_view text, const char* anchor) {
        body_ += "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" text-anchor=\"" +
                 anchor + "\">" + escape(text) + "</text>\n";
    }

    std::string title_, body_;
};

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
