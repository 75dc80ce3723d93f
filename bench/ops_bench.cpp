// The layers of real networks in the list of op specs, on every port of this machine: each is
// verified against its reference before it is timed.
#include <benchmark/benchmark.h>
#include <ops/all_specs.hpp>
#include <ops/run.hpp>

using namespace kompakt_test;

namespace {

void time_case(benchmark::State& state, const op_spec& spec, const op_case& c,
               const kompakt::kernel_table& port) {
    planned_case run(c, port);
    if (const std::string wrong = run.verify(expect(spec, c, filling::random)); !wrong.empty()) {
        state.SkipWithError(("not timed: " + wrong).c_str());
        return;
    }
    for (auto _ : state) {
        run.session().run();
        benchmark::ClobberMemory();
    }
    kompakt::graph g = c.g;
    if (const auto macs = kompakt::macs(g); macs != 0) {
        state.counters["MAC/s"] = benchmark::Counter(static_cast<double>(macs),
                                                     benchmark::Counter::kIsIterationInvariantRate);
    }
    state.SetLabel(run.session().port_of_op(0));
}

[[maybe_unused]] const bool registered = [] {
    const kompakt::port_list ports = kompakt::available_ports();
    for (const op_spec& spec : all_op_specs()) {
        for (const op_case& c : spec.cases) {
            if (!c.bench) continue;
            for (std::size_t p = 0; p < ports.size; ++p) {
                const std::string name = spec.op + "/" + c.name + "/" + ports.tables[p]->port;
                benchmark::RegisterBenchmark(
                    name.c_str(), [&spec, &c, table = ports.tables[p]](benchmark::State& state) {
                        time_case(state, spec, c, *table);
                    });
            }
        }
    }
    return true;
}();

} // namespace
