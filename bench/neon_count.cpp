// One model on one port, for bench/neon_count.py: verifies the first sample's output, then runs
// each op between the markers of tests/qemu/insn_count.c and prints what the regions are.
//
//     neon_count MODEL INPUT OUTPUT PORT
//
// Output: lines `op NAME MACS SHAPE`, in the order of the regions.
#include "../tests/qemu/marker.h"

#include <kompakt/host/file.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <cstdio>

using namespace kompakt;

namespace {

int fail(const char* what) {
    std::fprintf(stderr, "neon_count: %s\n", what);
    return 1;
}

std::int64_t elements(const session& s, std::uint32_t t) {
    const tensor_record& r = s.record(t);
    std::int64_t n = 1;
    for (std::size_t i = 0; i < r.rank; ++i) n *= s.code().code.words[r.dims_at + i];
    return n;
}
std::int64_t dim(const session& s, std::uint32_t t, std::size_t i) {
    return s.code().code.words[s.record(t).dims_at + i];
}

__attribute__((noinline)) void measured(session& s, std::uint32_t i) {
    MARK_BEGIN();
    s.run_op(i);
    MARK_END();
}

void describe(const session& s, std::uint32_t i) {
    const program& code = s.code().code;
    const op_record& op = code.ops[i];
    const std::uint32_t* operands = code.words + op.operands_at;
    const std::string name = s.op_name(i);
    const std::uint32_t out = operands[op.inputs];
    std::int64_t macs = 0;
    if (name.find("depthwise") == 0) {
        macs = elements(s, out) * dim(s, operands[1], 1) * dim(s, operands[1], 2);
    } else if (name.find("conv2d") == 0 || name.find("fully_connected") == 0) {
        macs = elements(s, out) * elements(s, operands[1]) / dim(s, operands[1], 0);
    }
    std::printf("op %s/%s %lld ", name.c_str(), s.port_of_op(i), static_cast<long long>(macs));
    for (const std::uint32_t t : {operands[0], operands[op.inputs > 1 ? 1 : 0], out}) {
        const tensor_record& r = s.record(t);
        std::printf("[");
        for (std::size_t k = 0; k < r.rank; ++k) {
            std::printf(k == 0 ? "%lld" : "x%lld", static_cast<long long>(dim(s, t, k)));
        }
        std::printf("]");
    }
    std::printf("\n");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 5) return fail("needs MODEL INPUT OUTPUT PORT");
    const auto file = read_file(argv[1], std::size_t{64} << 20);
    const auto in = read_file(argv[2], std::size_t{64} << 20);
    const auto wanted = read_file(argv[3], std::size_t{64} << 20);
    if (!file || !in || !wanted) return fail("no such file");
    const kernel_table* port = available_ports().find(argv[4]);
    if (port == nullptr) return fail("no such port here");
    const auto g = read_tflite(*file);
    if (!g) return fail(g.error().message());
    plan_options options;
    options.kernels = port;
    const auto p = plan(*g, options);
    if (!p) return fail(p.error().message());
    session s(p->bytes(), *port);
    aligned_buffer arena(s.arena_bytes()), packed(s.pack_bytes());
    if (const status e = s.bind({arena.data(), arena.size()}, {packed.data(), packed.size()}); !e) {
        return fail(e.message());
    }
    const auto fill = [&] {
        std::memcpy(s.input_bytes(0).data(), in->data(), s.input_bytes(0).size());
    };
    fill();
    s.run();
    if (s.record(s.output_tensor(0)).type != dtype::f32 &&
        std::memcmp(s.output_bytes(0).data(), wanted->data(), s.output_bytes(0).size()) != 0) {
        return fail("not counted: outputs differ");
    }
    fill();
    const std::uint32_t ops = s.code().code.op_count;
    for (std::uint32_t i = 0; i < ops; ++i) measured(s, i);
    for (std::uint32_t i = 0; i < ops; ++i) describe(s, i);
    std::printf("arena %zu packed %zu\n", s.arena_bytes(), s.pack_bytes());
    return 0;
}
