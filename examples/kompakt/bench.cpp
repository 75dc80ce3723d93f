// kompakt bench: how long a model takes, and where.
#include "model.hpp"

#include <kompakt/core/random.hpp>
#include <kompakt/host/thread_pool.hpp>
#include <kompakt/report/model.hpp>

#include <chrono>
#include <cstring>

namespace tool {

using namespace kompakt;

namespace {

using clock = std::chrono::steady_clock;

double microseconds(clock::duration d) {
    return std::chrono::duration<double, std::micro>(d).count();
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

// What the preprocessor knows of how this program was built.
std::string compiler_text() {
#if defined(__clang__)
    std::string s = "clang++ " __clang_version__;
#elif defined(__GNUC__)
    std::string s = "g++ " __VERSION__;
#else
    std::string s = "unknown compiler";
#endif
    s.erase(s.find_last_not_of(' ') + 1);
    return s;
}
std::string flags_text() {
#if defined(KOMPAKT_BUILD_FLAGS)
    return KOMPAKT_BUILD_FLAGS;
#else
    std::string s;
#if defined(__OPTIMIZE__)
    s += "optimized";
#else
    s += "not optimized";
#endif
#if defined(NDEBUG)
    s += ", NDEBUG";
#endif
#if defined(__AVX2__)
    s += ", AVX2 for all code";
#endif
#if defined(__SANITIZE_ADDRESS__)
    s += ", address sanitizer";
#endif
    return s;
#endif
}

// Any bits will do for integers; floats are kept in -1 … 1, as subnormals would be slow.
std::vector<std::vector<std::byte>> random_inputs(session& s) {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < s.inputs(); ++i) {
        const philox random(1, i);
        std::vector<std::byte> bytes(s.input_bytes(i).size());
        if (s.record(s.input_tensor(i)).type == dtype::f32) {
            for (std::size_t k = 0; k + 4 <= bytes.size(); k += 4) {
                const auto u = static_cast<float>(random.bits(0, k) >> 8) / 16777216.0f;
                store_le(bytes.data() + k, 2 * u - 1);
            }
        } else {
            for (std::size_t k = 0; k < bytes.size(); ++k) {
                bytes[k] = static_cast<std::byte>(random.bits(0, k) & 0xff);
            }
        }
        all.push_back(std::move(bytes));
    }
    return all;
}

void set_inputs(session& s, const std::vector<std::vector<std::byte>>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::memcpy(s.input_bytes(i).data(), inputs[i].data(), inputs[i].size());
    }
}

// The port gives what the portable kernels give: integers exactly, floats nearly.
status verify(const model& m, session& s, const std::vector<std::vector<std::byte>>& inputs) {
    if (std::strcmp(s.port(), portable::name) == 0) return {};
    for (std::uint32_t i = 0; i < s.code().code.op_count; ++i) {
        if (s.code().code.ops[i].pack_id != 0) return {}; // no other port can run it
    }
    auto other = engine::make(m, kernels_of<portable>());
    if (!other) return other.error();
    KOMPAKT_TRY((*other)->allocate());
    set_inputs(s, inputs);
    set_inputs((*other)->session, inputs);
    s.run();
    (*other)->session.run();
    for (std::size_t o = 0; o < s.outputs(); ++o) {
        const port_tensor t = output_of(s, o);
        const bytes_view a = s.output_bytes(o), b = (*other)->session.output_bytes(o);
        bool same = std::memcmp(a.data(), b.data(), a.size()) == 0;
        if (!same && t.type == dtype::f32) {
            const std::vector<float> x = real_values(t, a), y = real_values(t, b);
            same = true;
            for (std::size_t i = 0; i < x.size(); ++i) {
                same = same && nearly_same(x[i], y[i]);
            }
        }
        if (!same) {
            return in_file(m.path, fail(errc::bad_data, "output ", o, " on ", s.port(),
                                        " differs from the portable kernels': not timed"));
        }
    }
    return {};
}

status bench(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const auto kernels = chosen_port(given);
    if (!kernels) return kernels.error();
    const auto threads = given.number("--threads", 1, 1, 256);
    if (!threads) return threads.error();
    const auto seconds = given.real("--seconds", 2, 0.01, 3600);
    if (!seconds) return seconds.error();
    plan_options options;
    options.kernels = *kernels;
    const auto m = load_model(path, options);
    if (!m) return m.error();
    report::model_summary summary;
    if (m->graph) {
        auto of_graph = report::summarize(*m->graph, m->plan);
        if (!of_graph) return in_file(path, of_graph.error());
        summary = std::move(*of_graph);
    }
    std::vector<std::unique_ptr<engine>> engines;
    for (std::uint64_t i = 0; i < *threads; ++i) {
        auto e = engine::make(*m, **kernels);
        if (!e) return e.error();
        KOMPAKT_TRY((*e)->allocate());
        engines.push_back(std::move(*e));
    }
    session& s = engines[0]->session;
    const auto inputs = random_inputs(s);
    KOMPAKT_TRY(verify(*m, s, inputs));

    // Whole runs, then runs op by op, half of the time each.
    const auto half =
        std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(*seconds / 2));
    constexpr std::size_t most = 1000000;
    std::vector<double> times;
    for (int warm = 0; warm < 2; ++warm) {
        set_inputs(s, inputs);
        s.run();
    }
    const auto start = clock::now();
    do {
        set_inputs(s, inputs);
        const auto from = clock::now();
        s.run();
        times.push_back(microseconds(clock::now() - from));
    } while (clock::now() - start < half && times.size() < most);
    const std::uint32_t ops = s.code().code.op_count;
    std::vector<std::vector<double>> op_times(ops);
    const auto ops_start = clock::now();
    std::size_t rounds = 0;
    do {
        set_inputs(s, inputs);
        for (std::uint32_t i = 0; i < ops; ++i) {
            const auto from = clock::now();
            s.run_op(i);
            op_times[i].push_back(microseconds(clock::now() - from));
        }
    } while (clock::now() - ops_start < half && ++rounds < most / (ops + 1) + 1);

    const double typical = median(times);
    const double best = *std::min_element(times.begin(), times.end());
    a.json.member("model", path).member("compiler", compiler_text()).member("flags", flags_text());
    a.json.member("port", s.port()).member("runs", times.size());
    a.json.member("median_us", typical).member("min_us", best);
    a.say("Built with ", compiler_text(), ", ", flags_text());
    a.say(path, " with the kernels of port ", s.port(), ": ", report::significant(typical),
          " us a run (median of ", times.size(), "), at best ", report::significant(best), " us",
          summary.has_graph && summary.macs != 0
              ? ", " + report::significant(static_cast<double>(summary.macs) / typical * 1e-3) +
                    " GMAC/s"
              : "");
    if (summary.has_graph) a.json.member("macs", summary.macs);

    if (*threads > 1) {
        // Each thread has a session of its own; what counts is how many runs end in the time.
        std::vector<std::uint64_t> runs(engines.size(), 0);
        thread_pool pool(engines.size());
        const auto until = clock::now() + 2 * half;
        const auto from = clock::now();
        pool.parallel_for(engines.size(), [&](std::size_t t) {
            do {
                set_inputs(engines[t]->session, inputs);
                engines[t]->session.run();
                ++runs[t];
            } while (clock::now() < until);
        });
        std::uint64_t sum = 0;
        for (std::uint64_t r : runs) sum += r;
        const double rate = static_cast<double>(sum) / (microseconds(clock::now() - from) * 1e-6);
        a.say("On ", pool.threads(), " threads, a session each: ", report::significant(rate),
              " runs a second in total");
        a.json.member("threads", pool.threads()).member("runs_per_second", rate);
    }

    double total = 0;
    std::vector<double> medians;
    for (const auto& t : op_times) {
        medians.push_back(median(t));
        total += medians.back();
    }
    a.json.key("ops").begin_array();
    // A port's table holds portable kernels too, where the port has none of its own; which those
    // are it does not say. What differs op by op is a table passed over for want of scratch.
    std::vector<std::string> columns = {"op", "kernel", "us", "share", "MACs", "GMAC/s"};
    bool differs = false;
    for (std::uint32_t i = 0; i < ops; ++i) {
        differs = differs || std::strcmp(s.port_of_op(i), s.port()) != 0;
    }
    if (differs) columns.insert(columns.begin() + 2, "port");
    std::vector<std::vector<std::string>> rows;
    for (std::uint32_t i = 0; i < ops; ++i) {
        const std::uint64_t macs = summary.has_graph ? summary.ops[i].macs : 0;
        const double rate = medians[i] > 0 ? static_cast<double>(macs) / medians[i] : 0; // MMAC/s
        rows.push_back({std::to_string(i), s.op_name(i), report::fixed(medians[i], 2),
                        report::fixed(medians[i] / total * 100, 1) + " %",
                        macs != 0 ? report::grouped(macs) : "-",
                        macs != 0 ? report::fixed(rate * 1e-3, 2) : "-"});
        if (differs) rows.back().insert(rows.back().begin() + 2, s.port_of_op(i));
        a.json.begin_object().member("kernel", s.op_name(i));
        if (differs) a.json.member("port", s.port_of_op(i));
        a.json.member("us", medians[i]).member("share", medians[i] / total);
        if (summary.has_graph) a.json.member("macs", macs).member("macs_per_second", rate * 1e6);
        a.json.end();
    }
    a.json.end();
    a.say("");
    a.table(columns, rows);
    return {};
}

} // namespace

command bench_command() {
    return {
        "bench",
        "MODEL [--port P] [--threads N] [--seconds S]",
        "Times a model on this machine, as a whole and op by op.",
        "Inputs are random. Before it is timed, a port is checked against the portable kernels.\n"
        "A port has kernels of its own for some ops; the others of its table are portable.\n",
        {{"--port", "P", "kernels to use: one of those that selftest shows"},
         {"--threads", "N", "also run N sessions at once and count runs a second"},
         {"--seconds", "S", "how long to measure, 2 by default"}},
        bench};
}

} // namespace tool
