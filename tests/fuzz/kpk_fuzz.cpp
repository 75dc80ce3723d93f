// The validator of executables. Size and checksum are put right first, or nothing would get past
// them. What is valid runs once, where that is cheap.
#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/run/session.hpp>

namespace {

// An upper bound that knows no kernel: the product of the largest operands of each op.
bool cheap(const kompakt::session& s) {
    const kompakt::program& code = s.code().code;
    double work = 0;
    for (std::uint32_t i = 0; i < code.op_count; ++i) {
        const kompakt::op_record& op = code.ops[i];
        const kompakt::call c(code, op, nullptr);
        double out = 0, weights = 1, in = 1;
        for (std::size_t k = 0; k < op.outputs; ++k) {
            out += static_cast<double>(c.elements(c.output_record(k)));
        }
        if (op.inputs > 0 && c.has_input(0)) {
            in = static_cast<double>(c.elements(c.input_record(0)));
        }
        if (op.inputs > 1 && c.has_input(1)) {
            weights = static_cast<double>(c.elements(c.input_record(1)));
        }
        // A window of a pool is a parameter; no window does more than look at all of the input.
        work += out * (op.inputs > 1 ? weights : in);
    }
    return work < 1e8;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < sizeof(kompakt::executable_header) || size > UINT32_MAX) return 0;
    const kompakt::aligned_buffer bytes(size);
    std::memcpy(bytes.data(), data, size);
    auto* h = reinterpret_cast<kompakt::executable_header*>(bytes.data());
    h->file_bytes = static_cast<std::uint32_t>(size);
    const kompakt::bytes_view view(bytes.data(), size);
    h->checksum = kompakt::crc32(view.subspan(16));
    kompakt::session s(view);
    if (!s.check().ok()) return 0;
    if (s.arena_bytes() > 16 << 20 || !cheap(s)) return 0;
    const kompakt::aligned_buffer arena(s.arena_bytes());
    if (!s.bind({arena.data(), arena.size()}).ok()) __builtin_trap();
    // Hostile loops never end.
    std::uint32_t at = 0;
    for (int steps = 0; steps < 20000 && at < s.code().code.op_count; ++steps) at = s.step(at);
    s.reset();
    return 0;
}
