// The .kpk executable: header, tables, constants, notes; and its validator.
//
//     header | tensor_record[] | op_record[] | words[] | notes[] | names | constants
//
// Little-endian in a file, in memory in the order of the machine (run/byte_order.hpp); sections at
// multiples of 16 bytes, read in place (docs/kpk.md). The validator turns hostile bytes into a
// program that kernels may run without asking again.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/run/kernels.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline constexpr std::uint32_t executable_magic = 0x314b504b; // "KPK1"
inline constexpr std::uint32_t executable_version = 1;

struct executable_header {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t file_bytes;
    std::uint32_t checksum; // CRC-32 of all bytes after this field
    std::uint32_t arena_bytes;
    std::uint32_t flags;
    std::uint32_t tensor_count, tensors_at; // *_at: bytes from the start of the file
    std::uint32_t op_count, ops_at;
    std::uint32_t word_count, words_at;
    std::uint32_t input_count, inputs_at;   // tensor numbers, in words
    std::uint32_t output_count, outputs_at; // likewise
    std::uint32_t notes_at;                 // one tensor_note per tensor; 0: stripped
    std::uint32_t names_at, name_bytes;     // NUL-terminated text
    std::uint32_t constants_at, constant_bytes;
    std::uint32_t state_count, states_at; // state_records, in words
    std::uint32_t reserved[1];            // 0
};
static_assert(sizeof(executable_header) == 96);

inline constexpr std::uint32_t executable_keeps_inputs = 1; // `run` leaves the inputs as they were
inline constexpr std::uint32_t executable_keeps_all = 2;    // no two tensors share memory

// What people and programs want to know of a tensor, and no kernel does.
struct tensor_note {
    float scale;             // 0: not quantized (or per channel)
    std::int32_t zero_point; // real value = scale * (q - zero_point)
    std::uint32_t name_at;   // in the names
    std::uint32_t source;    // number of the tensor in the model that this was made from
};
static_assert(sizeof(tensor_note) == 16);

// CRC-32 (ISO 3309, as in zlib), four bits at a time: a table of 64 bytes.
inline std::uint32_t crc32(bytes_view bytes, std::uint32_t seed = 0) noexcept {
    constexpr std::uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                         0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                         0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                         0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    std::uint32_t crc = ~seed;
    for (const std::byte b : bytes) {
        crc ^= static_cast<std::uint32_t>(b);
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}

struct executable {
    const executable_header* header = nullptr;
    program code;
    const std::uint32_t* inputs = nullptr;
    const std::uint32_t* outputs = nullptr;
    const std::uint32_t* states = nullptr; // see `state`
    const tensor_note* notes = nullptr;    // null when stripped
    const char* names = nullptr;

    state_record state(std::uint32_t i) const noexcept {
        return {states[3 * i], states[3 * i + 1], states[3 * i + 2]};
    }
    const char* name_of_tensor(std::uint32_t t) const noexcept {
        return notes != nullptr ? names + notes[t].name_at : "";
    }
};

namespace detail {

inline status check_section(const char* what, std::uint64_t at, std::uint64_t count,
                            std::uint64_t size, std::uint64_t file) noexcept {
    std::uint64_t bytes = 0;
    if (at % block_bytes != 0 || !checked_mul(count, size, bytes) || !inside(at, bytes, file)) {
        return fail(errc::bad_file, "executable: ", what, ": ", count, " entries at byte ", at,
                    " of ", file);
    }
    return {};
}

inline status check_tensor(const executable& x, std::uint32_t number) noexcept {
    const tensor_record& t = x.code.tensors[number];
    const auto bad = [&](const auto&... parts) {
        return fail(errc::bad_file, "executable: tensor ", number, ": ", parts...);
    };
    // Kernels ask for the shape of operands before they ask whether they are there.
    if (t.where == place::absent) {
        if (t.rank == 0 && t.bytes == 0 && t.type == dtype::none && t.coding == encoding::dense) {
            return {};
        }
        return bad("absent, but with a type or a shape");
    }
    if (static_cast<unsigned>(t.type) >= dtype_count || t.type == dtype::none) {
        return bad("unknown dtype ", static_cast<unsigned>(t.type));
    }
    if (t.where != place::arena && t.where != place::constant && t.where != place::state) {
        return bad("unknown place ", static_cast<unsigned>(t.where));
    }
    if (t.coding != encoding::dense && (t.coding != encoding::port || t.where != place::constant)) {
        return fail(errc::unsupported, "executable: tensor ", number, ": encoding ",
                    static_cast<unsigned>(t.coding));
    }
    if (t.rank > max_rank || !inside(t.dims_at, t.rank, x.header->word_count)) {
        return bad("rank ", t.rank, " with dimensions at word ", t.dims_at);
    }
    std::uint64_t elements = 1;
    for (unsigned i = 0; i < t.rank; ++i) {
        const auto d = static_cast<std::int32_t>(x.code.words[t.dims_at + i]);
        if (d < 1 || !checked_mul(elements, static_cast<std::uint64_t>(d), elements) ||
            elements > INT32_MAX) {
            return bad("dimension ", i, " is ", d);
        }
    }
    // The size of what a port packed is checked with the op that reads it.
    if (t.coding == encoding::dense && (elements * bits_of(t.type) + 7) / 8 != t.bytes) {
        return bad("needs ", (elements * bits_of(t.type) + 7) / 8, " bytes, has ", t.bytes);
    }
    const std::uint64_t limit =
        t.where == place::constant ? x.header->constant_bytes : x.header->arena_bytes;
    if (!inside(std::uint64_t{t.at} * block_bytes, t.bytes, limit)) {
        return bad("block ", t.at, " and ", t.bytes, " bytes, beyond ", limit);
    }
    return {};
}

// Numbers that users of the notes compute with.
inline status check_note(const executable& x, std::uint32_t number) noexcept {
    const tensor_note& n = x.notes[number];
    const auto bad = [&](const char* what) {
        return fail(errc::bad_file, "executable: tensor ", number, ": ", what);
    };
    if (n.name_at >= x.header->name_bytes) return bad("name outside the names");
    if (!(n.scale >= 0.0f && n.scale <= (std::numeric_limits<float>::max)())) {
        return bad("scale is not a number from 0 on");
    }
    const dtype type = x.code.tensors[number].type;
    const std::int64_t z = n.zero_point;
    const bool fits = type == dtype::i8    ? z >= -128 && z <= 127
                      : type == dtype::u8  ? z >= 0 && z <= 255
                      : type == dtype::u16 ? z >= 0 && z <= 65535
                                           : z >= -32768 && z <= 32767;
    return fits ? status() : bad("zero point outside its type");
}

// Every tensor whose place is `state` has one record, in the order of their numbers.
inline status check_states(const executable& x) noexcept {
    const auto bad = [](std::uint32_t i, const char* what) {
        return fail(errc::bad_file, "executable: state ", i, ": ", what);
    };
    std::uint32_t i = 0;
    for (std::uint32_t t = 0; t < x.code.tensor_count; ++t) {
        if (x.code.tensors[t].where != place::state) continue;
        if (i == x.header->state_count || x.state(i).tensor != t) {
            return fail(errc::bad_file, "executable: tensor ", t, " is a state without a start");
        }
        const state_record s = x.state(i);
        if (s.fill > 255) return bad(i, "starts with more than a byte");
        if (s.initial != no_initial) {
            if (s.initial >= x.code.tensor_count) return bad(i, "starts with no tensor");
            const tensor_record& from = x.code.tensors[s.initial];
            if (from.where != place::constant || from.coding != encoding::dense ||
                from.type != x.code.tensors[t].type || from.bytes != x.code.tensors[t].bytes) {
                return bad(i, "starts with another type or size, or no constant");
            }
        }
        ++i;
    }
    return i == x.header->state_count ? status() : bad(i, "its tensor is none");
}

// Scratch apart from all operands, outputs apart from each other, and from inputs unless the kernel
// works in place: a kernel may rely on it.
inline status check_memory(const executable& x, const op_record& op, bool in_place) noexcept {
    struct range {
        std::uint64_t from, size;
    };
    const auto range_of_operand = [&](std::uint32_t i) -> range {
        const tensor_record& t = x.code.tensors[x.code.words[op.operands_at + i]];
        return {std::uint64_t{t.at} * block_bytes, t.where == place::constant ? 0u : t.bytes};
    };
    const auto share = [](const range& a, const range& b) {
        return a.size != 0 && b.size != 0 && a.from < b.from + b.size && b.from < a.from + a.size;
    };
    const range scratch{std::uint64_t{op.scratch_at} * block_bytes, op.scratch_bytes};
    const std::uint32_t operands = std::uint32_t{op.inputs} + op.outputs;
    const bool may_share = in_place || (op.flags & op_by_rows) != 0;
    for (std::uint32_t i = 0; i < operands; ++i) {
        if (share(range_of_operand(i), scratch)) {
            return fail(errc::bad_file, "scratch overlaps operand ", i);
        }
        for (std::uint32_t o = op.inputs; o < operands; ++o) {
            if (o == i || (i < op.inputs && may_share)) continue;
            if (share(range_of_operand(i), range_of_operand(o))) {
                return fail(errc::bad_file, "operand ", o, " overlaps operand ", i);
            }
        }
    }
    return {};
}

inline status check_op(const executable& x, const kernel_table& table,
                       std::uint32_t number) noexcept {
    const op_record& op = x.code.ops[number];
    const kernel_entry* kernel = table.find(op.kernel);
    if (kernel == nullptr) {
        return fail(errc::unsupported, "executable: op ", number, ": kernel ", op.kernel,
                    " is not in this build");
    }
    const auto bad = [&](const auto&... parts) {
        return fail(errc::bad_file, "executable: op ", number, " ", kernel->name, ": ", parts...);
    };
    const std::uint32_t operands = std::uint32_t{op.inputs} + op.outputs;
    const bool jumps = is_jump(op.kernel);
    if (operands > max_operands || (op.outputs < 1) != jumps ||
        !inside(op.operands_at, operands, x.header->word_count)) {
        return bad(operands, " operands at word ", op.operands_at);
    }
    for (std::uint32_t i = 0; i < operands; ++i) {
        const std::uint32_t t = x.code.words[op.operands_at + i];
        if (t >= x.code.tensor_count) {
            return bad("operand ", i, " is tensor ", t, " of ", x.code.tensor_count);
        }
        const place where = x.code.tensors[t].where;
        if (i >= op.inputs && where != place::arena && where != place::state) {
            return bad("writes tensor ", t, ", which is not in the arena");
        }
        const bool packs = i == packed_input && op.inputs > packed_input;
        const bool absorbed = i < op.inputs && kernel->absorbed(i);
        if (x.code.tensors[t].coding == encoding::port &&
            (op.pack_id == 0 || (!packs && !absorbed))) {
            return bad("operand ", i, " is in the order of a port, needed canonical weights");
        }
    }
    if (op.pack_id != 0 && op.pack_id != kernel->pack_id) {
        return fail(errc::unsupported, "executable: op ", number, " ", kernel->name,
                    ": weights are packed for another port (", op.pack_id, "), this one is ",
                    table.port);
    }
    if (!inside(op.params_at, kernel->params_bytes / 4, x.header->word_count)) {
        return bad("parameters at word ", op.params_at);
    }
    if (jumps && x.code.words[op.params_at] > x.code.op_count) {
        return bad("to op ", x.code.words[op.params_at], " of ", x.code.op_count);
    }
    if ((op.flags & ~op_by_rows) != 0) return bad("unknown flags ", op.flags);
    if ((op.flags & op_by_rows) != 0 && !kernel->by_rows) return bad("cannot run by rows");
    if (!inside(std::uint64_t{op.scratch_at} * block_bytes, op.scratch_bytes,
                x.header->arena_bytes)) {
        return bad("scratch of ", op.scratch_bytes, " bytes beyond the arena");
    }
    KOMPAKT_TRY(check_memory(x, op, kernel->in_place)
                    .within("executable: op ", number, " ", kernel->name, ": "));
    const call c(x.code, op, nullptr);
    KOMPAKT_TRY(kernel->check(c).within("executable: op ", number, " ", kernel->name, ": "));
    // The portable kernel must be able to run every op whose weights it can read.
    const bool own_order = op.pack_id != 0;
    const kernel_entry* runs = own_order ? kernel : portable_entry(table, op.kernel);
    const std::size_t scratch = runs->scratch_bytes(c);
    if (scratch > op.scratch_bytes) {
        return bad("needs ", scratch, " bytes of scratch, has ", op.scratch_bytes);
    }
    if (own_order) {
        const tensor_record& weights = c.input_record(packed_input);
        const std::size_t needed = kernel->pack_bytes(c); // 0: the port reads these canonical
        if (weights.coding != encoding::port || weights.bytes != needed || needed == 0) {
            return bad("packed weights of ", weights.bytes, " bytes, needed ", needed);
        }
    }
    return {};
}

// Up to the end of the last tensor or scratch, in whole blocks.
inline std::uint64_t used_arena_bytes(const program& code) noexcept {
    std::uint64_t end = 0;
    const auto take = [&](std::uint64_t at, std::uint64_t bytes) {
        const std::uint64_t last = round_up(at * block_bytes + bytes, block_bytes);
        if (bytes != 0 && last > end) end = last;
    };
    for (std::uint32_t i = 0; i < code.tensor_count; ++i) {
        const tensor_record& t = code.tensors[i];
        if (t.where == place::arena || t.where == place::state) take(t.at, t.bytes);
    }
    for (std::uint32_t i = 0; i < code.op_count; ++i) {
        take(code.ops[i].scratch_at, code.ops[i].scratch_bytes);
    }
    return end;
}

} // namespace detail

// Checks everything once. `bytes` must be aligned to 16 and stay where they are. `table` is the
// port that will run it; without weights in a port's own order, every other port can run it too.
inline status validate(bytes_view bytes, executable& out,
                       const kernel_table& table = kernels_of<portable>()) noexcept {
    if (bytes.data() == nullptr && bytes.size() != 0)
        return fail(errc::bad_arena, "executable: null");
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % buffer_alignment != 0) {
        return fail(errc::bad_arena, "executable: address must be a multiple of ",
                    buffer_alignment);
    }
    if (bytes.size() < sizeof(executable_header)) {
        return fail(errc::bad_file, "executable: needs at least ", sizeof(executable_header),
                    " bytes, has ", bytes.size());
    }
    const auto& h = *reinterpret_cast<const executable_header*>(bytes.data());
    if (h.magic == detail::swap_bytes(executable_magic)) {
        return fail(errc::unsupported, "executable: is ",
                    KOMPAKT_BIG_ENDIAN ? "little-endian, this machine is big-endian"
                                       : "big-endian, this machine is little-endian",
                    "; swap_byte_order turns it round");
    }
    if (h.magic != executable_magic)
        return fail(errc::bad_file, "executable: no KPK1 at the start");
    if (h.version != executable_version) {
        return fail(errc::unsupported, "executable: version ", h.version, ", needed ",
                    executable_version);
    }
    if ((h.flags & ~(executable_keeps_inputs | executable_keeps_all)) != 0 || h.reserved[0] != 0) {
        return fail(errc::unsupported, "executable: flags ", h.flags, " and reserved word ",
                    h.reserved[0]);
    }
    if (h.file_bytes != bytes.size()) {
        return fail(errc::bad_file, "executable: needs ", h.file_bytes, " bytes, has ",
                    bytes.size());
    }
    if (crc32(bytes.subspan(16)) != h.checksum) {
        return fail(errc::bad_file, "executable: checksum does not match");
    }
    const std::uint64_t file = h.file_bytes;
    KOMPAKT_TRY(detail::check_section("tensors", h.tensors_at, h.tensor_count,
                                      sizeof(tensor_record), file));
    KOMPAKT_TRY(detail::check_section("ops", h.ops_at, h.op_count, sizeof(op_record), file));
    KOMPAKT_TRY(detail::check_section("words", h.words_at, h.word_count, 4, file));
    KOMPAKT_TRY(detail::check_section("constants", h.constants_at, h.constant_bytes, 1, file));
    if (h.notes_at != 0) {
        KOMPAKT_TRY(
            detail::check_section("notes", h.notes_at, h.tensor_count, sizeof(tensor_note), file));
        KOMPAKT_TRY(detail::check_section("names", h.names_at, h.name_bytes, 1, file));
    }
    if (!inside(h.inputs_at, h.input_count, h.word_count) ||
        !inside(h.outputs_at, h.output_count, h.word_count) ||
        !inside(h.states_at, std::uint64_t{3} * h.state_count, h.word_count)) {
        return fail(errc::bad_file, "executable: inputs, outputs or states outside the words");
    }
    if (h.input_count > max_model_tensors || h.output_count > max_model_tensors) {
        return fail(errc::limit, "executable: ", h.input_count, " inputs and ", h.output_count,
                    " outputs, needed at most ", max_model_tensors);
    }
    if (h.arena_bytes % block_bytes != 0) {
        return fail(errc::bad_file, "executable: arena of ", h.arena_bytes, " bytes");
    }

    executable x;
    const std::byte* base = bytes.data();
    x.header = &h;
    x.code.tensors = reinterpret_cast<const tensor_record*>(base + h.tensors_at);
    x.code.ops = reinterpret_cast<const op_record*>(base + h.ops_at);
    x.code.words = reinterpret_cast<const std::uint32_t*>(base + h.words_at);
    x.code.constants = base + h.constants_at;
    x.code.tensor_count = h.tensor_count;
    x.code.op_count = h.op_count;
    x.inputs = x.code.words + h.inputs_at;
    x.outputs = x.code.words + h.outputs_at;
    x.states = x.code.words + h.states_at;
    if (h.notes_at != 0) {
        x.notes = reinterpret_cast<const tensor_note*>(base + h.notes_at);
        x.names = reinterpret_cast<const char*>(base + h.names_at);
        if (h.name_bytes == 0 || x.names[h.name_bytes - 1] != '\0') {
            return fail(errc::bad_file, "executable: names do not end");
        }
    }
    for (std::uint32_t i = 0; i < h.tensor_count; ++i) {
        KOMPAKT_TRY(detail::check_tensor(x, i));
        if (x.notes != nullptr) KOMPAKT_TRY(detail::check_note(x, i));
    }
    KOMPAKT_TRY(detail::check_states(x));
    for (std::uint32_t i = 0; i < h.input_count + h.output_count; ++i) {
        const std::uint32_t t = i < h.input_count ? x.inputs[i] : x.outputs[i - h.input_count];
        if (t >= h.tensor_count || x.code.tensors[t].where == place::absent ||
            (i < h.input_count && x.code.tensors[t].where != place::arena)) {
            return fail(errc::bad_file, "executable: input or output ", i, " is tensor ", t);
        }
    }
    for (std::uint32_t i = 0; i < h.op_count; ++i) KOMPAKT_TRY(detail::check_op(x, table, i));
    // Whoever allocates the arena trusts its size.
    const std::uint64_t used = detail::used_arena_bytes(x.code);
    if (h.arena_bytes > used) {
        return fail(errc::bad_file, "executable: arena of ", h.arena_bytes, " bytes, used are ",
                    used);
    }
    out = x;
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
