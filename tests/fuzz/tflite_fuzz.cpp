// The whole import: read, written and read again, planned, bound, run once where that is cheap.
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const kompakt::bytes_view bytes(reinterpret_cast<const std::byte*>(data), size);
    auto g = kompakt::read_tflite(bytes);
    if (!g.ok()) return 0;
    const auto written = kompakt::write_tflite(*g);
    if (written.ok() && !kompakt::read_tflite(*written).ok()) __builtin_trap();
    auto bound = kompakt::bind(*g, {{"batch", 1}, {"dim1", 1}, {"dim2", 8}, {"dim3", 8}});
    if (!bound.ok()) return 0;
    // A hostile model may ask for more work than anybody has time for.
    const std::uint64_t macs = kompakt::macs(*bound);
    std::uint64_t elements = 0;
    for (kompakt::tensor_id t = 0; t < bound->tensor_count(); ++t) {
        const auto n = kompakt::element_count(bound->tensor(t).shape);
        if (n.ok()) elements += *n;
    }
    if (macs > 10000000 || elements > 10000000) return 0;
    auto p = kompakt::plan(*bound);
    if (!p.ok()) return 0;
    kompakt::session s(p->bytes());
    // What the planner writes is valid.
    if (!s.check().ok()) __builtin_trap();
    if (s.arena_bytes() > 64 << 20) return 0;
    const kompakt::aligned_buffer arena(s.arena_bytes());
    if (!s.bind({arena.data(), arena.size()}).ok()) __builtin_trap();
    // Hostile loops never end.
    std::uint32_t at = 0;
    for (int steps = 0; steps < 20000 && at < s.code().code.op_count; ++steps) at = s.step(at);
    s.reset();
    return 0;
}
