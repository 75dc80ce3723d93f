// Progress of long work on one line of a terminal, or as sparse lines elsewhere.
//
//     report::progress p("evaluating", samples);
//     for (…) p.step();        // from one thread at a time
//     p.finish();
#pragma once

#include <kompakt/host/file.hpp>
#include <kompakt/report/text.hpp>

#include <chrono>
#include <cstdio>
#include <string>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace report {

// "1:02:03", "2:03", "3 s"
inline std::string duration_text(double seconds) {
    const auto s = static_cast<std::uint64_t>(seconds > 0 ? (std::min)(seconds, 1e9) : 0);
    const auto two = [](std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    if (s < 60) return std::to_string(s) + " s";
    if (s < 3600) return std::to_string(s / 60) + ":" + two(s % 60);
    return std::to_string(s / 3600) + ":" + two(s / 60 % 60) + ":" + two(s % 60);
}

class progress {
  public:
    using clock = std::chrono::steady_clock;

    // Nothing is written in the first second, so that short work stays quiet. `stream` null: never.
    progress(std::string what, std::uint64_t total, std::FILE* stream = stderr)
        : what_(std::move(what)), total_(total), stream_(stream),
          terminal_(stream != nullptr && is_terminal(stream)), start_(clock::now()), last_(start_) {
    }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { finish(); }

    void step(std::uint64_t n = 1) {
        done_ += n;
        if (stream_ == nullptr) return;
        const auto now = clock::now();
        // A terminal ten times a second; a log file a line for each half minute.
        const auto pause =
            terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(30000);
        if (now - last_ < pause || (terminal_ && now - start_ < std::chrono::seconds(1))) return;
        last_ = now;
        const std::string line = text(std::chrono::duration<double>(now - start_).count());
        if (terminal_) {
            std::fprintf(stream_, "\r%s\x1b[K", line.c_str());
            std::fflush(stream_);
            shown_ = true;
        } else {
            std::fprintf(stream_, "%s\n", line.c_str());
        }
    }
    // What the line says besides: "loss 0.031".
    void note(std::string text) { note_ = std::move(text); }
    // Takes the line away.
    void finish() {
        if (shown_) {
            std::fprintf(stream_, "\r\x1b[K");
            std::fflush(stream_);
        }
        shown_ = false;
        stream_ = nullptr;
    }

    // "evaluating 250 of 1,000 (25 %), 120/s, 6 s left"
    std::string text(double seconds) const {
        std::string s = what_ + " " + grouped(done_);
        if (total_ != 0) {
            s += " of " + grouped(total_) + " (" + std::to_string(done_ * 100 / total_) + " %)";
        }
        if (seconds > 0 && done_ != 0) {
            const double rate = static_cast<double>(done_) / seconds;
            s += ", " + significant_rate(rate) + "/s";
            if (total_ > done_) {
                s += ", " + duration_text(static_cast<double>(total_ - done_) / rate) + " left";
            }
        }
        if (!note_.empty()) s += ", " + note_;
        return s;
    }

  private:
    static std::string significant_rate(double rate) {
        return rate < 100 ? fixed(rate, 1) : grouped(static_cast<std::uint64_t>(rate));
    }

    std::string what_, note_;
    std::uint64_t total_ = 0, done_ = 0;
    std::FILE* stream_;
    bool terminal_, shown_ = false;
    clock::time_point start_, last_;
};

} // namespace report
} // namespace KOMPAKT_ABI
} // namespace kompakt
