// Every case of every op spec on every port.
#include "all_specs.hpp"
#include "conv2d_spec.hpp"
#include "run.hpp"

#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/batch_matmul.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/l2_pool2d.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/transpose_conv2d.hpp>

#include <doctest/doctest.h>

using namespace kompakt;
using namespace kompakt_test;

namespace {

template <class F>
void for_each_case(F&& f) {
    for (const op_spec& spec : all_op_specs()) {
        for (const op_case& c : spec.cases) {
            CAPTURE(spec.op);
            CAPTURE(c.name);
            f(spec, c);
        }
    }
}

const op_case& case_named(const op_spec& spec, const std::string& name) {
    for (const op_case& c : spec.cases) {
        if (c.name == name) return c;
    }
    FAIL("no case " << name);
    return spec.cases[0];
}

} // namespace

TEST_CASE("ops: apart, between guard zones, on every port") {
    for_each_case([](const op_spec& spec, const op_case& c) {
        const port_list ports = all_ports();
        std::vector<guarded_run> runs;
        for (std::size_t p = 0; p < ports.size; ++p) {
            runs.emplace_back(c, *ports.tables[p], guarded_run::layout::apart);
        }
        for (const filling how : all_fillings) {
            const expectation e = expect(spec, c, how);
            for (std::size_t p = 0; p < ports.size; ++p) {
                const std::string error = runs[p].verify(e);
                CHECK_MESSAGE(error.empty(), ports.tables[p]->port, ", filling ",
                              static_cast<int>(how), ": ", error);
            }
        }
    });
}

TEST_CASE("ops: the output over the input as far as the rule allows, on every port") {
    int possible = 0;
    for_each_case([&](const op_spec& spec, const op_case& c) {
        const port_list ports = all_ports();
        const expectation e = expect(spec, c, filling::random, 2);
        for (std::size_t p = 0; p < ports.size; ++p) {
            guarded_run run(c, *ports.tables[p], guarded_run::layout::overlapping);
            if (!run.possible()) continue;
            ++possible;
            const std::string error = run.verify(e);
            CHECK_MESSAGE(error.empty(), ports.tables[p]->port, ": ", error);
        }
    });
    CHECK(possible > 1000);
}

TEST_CASE("ops: planned, through a session, on every port, packed or not") {
    for_each_case([](const op_spec& spec, const op_case& c) {
        const port_list ports = all_ports();
        const expectation e = expect(spec, c, filling::random, 3);
        for (std::size_t p = 0; p < ports.size; ++p) {
            for (const bool pack : {true, false}) {
                planned_case run(c, *ports.tables[p], pack);
                const std::string error = run.verify(e);
                CHECK_MESSAGE(error.empty(), ports.tables[p]->port, ", packed ", pack, ": ", error);
            }
        }
    });
}

TEST_CASE("ops: a session falls back to the portable kernel without packed weights or scratch") {
    const op_spec spec = conv2d_spec();
    const op_case &plain = case_named(spec, "3x3 same int8"),
                  &groups = case_named(spec, "3x3 same, two groups int8");
    const kernel_table& awkward_kernels = kernels_of<awkward>();
    const expectation e = expect(spec, plain, filling::random);
    {
        planned_case run(plain, awkward_kernels);
        REQUIRE(run.error() == "");
        CHECK(run.session().pack_bytes() > 0);
        CHECK(run.session().port_of_op(0) == std::string("awkward"));
        const int before = awkward_convolutions;
        CHECK(run.verify(e) == "");
        CHECK(awkward_convolutions == before + 1);
    }
    {
        // The port's kernel hands the call on; the counter shows that the portable one ran.
        planned_case run(plain, awkward_kernels, false);
        const int before = awkward_convolutions;
        CHECK(run.verify(e) == "");
        CHECK(awkward_convolutions == before);
    }
    {
        // Planned for the portable kernel, which needs no scratch, and run on the other port.
        const auto p = plan(plain.g);
        REQUIRE(p.ok());
        session s(p->bytes(), awkward_kernels);
        REQUIRE(s.check().ok());
        aligned_buffer arena(s.arena_bytes()), packed(s.pack_bytes());
        REQUIRE(s.bind({arena.data(), arena.size()}, {packed.data(), packed.size()}).ok());
        CHECK(s.port_of_op(0) == std::string("portable"));
        std::memcpy(s.input_bytes(0).data(), e.inputs[0].data(), e.inputs[0].size());
        s.run();
        CHECK(compare(dtype::i8, e.output, s.output_bytes(0)) == "");
    }
    {
        // Nothing to pack: the port's own kernel runs without.
        planned_case run(groups, awkward_kernels, false);
        REQUIRE(run.error() == "");
        CHECK(run.session().pack_bytes() == 0);
        CHECK(run.session().port_of_op(0) == std::string("awkward"));
        CHECK(run.verify(expect(spec, groups, filling::random)) == "");
    }
}

TEST_CASE("ops: attributes are visited, copied, and each changes the output or is refused") {
    struct counter final : attribute_visitor {
        int n = 0;
        void operator()(const char*, std::int32_t&) override { ++n; }
        void operator()(const char*, float&) override { ++n; }
        void operator()(const char*, bool&) override { ++n; }
        void operator()(const char*, activation&) override { ++n; }
        void operator()(const char*, std::vector<std::int32_t>&) override { ++n; }
        void operator()(const char*, shape&) override { ++n; }
    };
    const auto count = [](op&& o) {
        counter c;
        o.clone()->visit(c);
        return c.n;
    };
    CHECK(count(ops::conv2d()) == 10);
    CHECK(count(ops::depthwise_conv2d()) == 9);
    CHECK(count(ops::fully_connected()) == 3);
    CHECK(count(ops::average_pool2d()) == 11);
    CHECK(count(ops::max_pool2d()) == 11);
    CHECK(count(ops::l2_pool2d()) == 11);
    CHECK(count(ops::transpose_conv2d()) == 9);
    CHECK(count(ops::batch_matmul()) == 2);
    CHECK(count(ops::mean()) == 2);

    // Every 32-bit attribute of the windowed ops, changed by one.
    struct changer final : attribute_visitor {
        int which = 0, seen = 0;
        void operator()(const char*, std::int32_t& v) override {
            if (seen++ == which) ++v;
        }
        void operator()(const char*, float&) override {}
        void operator()(const char*, bool&) override {}
        void operator()(const char*, activation&) override {}
        void operator()(const char*, std::vector<std::int32_t>&) override {}
        void operator()(const char*, shape&) override {}
    };
    for (const op_spec& spec : all_op_specs()) {
        for (const op_case& original : spec.cases) {
            if (original.name != "3x3 same int8" && original.name != "3x3 same, one channel int8" &&
                original.name != "3x3 symmetric, stride 2 int8") {
                continue;
            }
            const expectation before = expect(spec, original, filling::random);
            for (int which = 0;; ++which) {
                op_case changed = original;
                changer v;
                v.which = which;
                changed.g.node_at(0).op->visit(v);
                if (which >= v.seen) break;
                CAPTURE(spec.op);
                CAPTURE(which);
                const status s = infer(changed.g);
                if (!s.ok()) continue;
                const expectation after = expect(spec, changed, filling::random);
                // Padding below may be absorbed by the stride; then nothing changes, rightly.
                if (after.output.dims == before.output.dims &&
                    after.output.data == before.output.data) {
                    CHECK((which == 5 || which == 7));
                }
                guarded_run run(changed, kernels_of<portable>(), guarded_run::layout::apart);
                CHECK(run.verify(after) == "");
            }
        }
    }
}
