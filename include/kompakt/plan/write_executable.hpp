// write_executable: the tables as .kpk bytes.
#pragma once

#include <kompakt/plan/planned.hpp>
#include <kompakt/plan/program_builder.hpp>
#include <kompakt/run/executable.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

inline status write_executable(planned& out, const program_builder& tables,
                               const std::vector<tensor_note>& notes, const std::string& names,
                               std::uint32_t flags) {
    executable_header h{};
    std::uint64_t at = round_up(sizeof h, block_bytes);
    const auto section = [&](std::uint64_t bytes) {
        const std::uint64_t start = at;
        at = round_up(at + bytes, block_bytes);
        return static_cast<std::uint32_t>(start);
    };
    h.magic = executable_magic;
    h.version = executable_version;
    h.arena_bytes = static_cast<std::uint32_t>(out.arena_bytes);
    h.flags = flags;
    h.tensor_count = static_cast<std::uint32_t>(tables.tensors.size());
    h.op_count = static_cast<std::uint32_t>(tables.ops.size());
    h.word_count = static_cast<std::uint32_t>(tables.words.size());
    h.input_count = static_cast<std::uint32_t>(out.lowered.inputs.size());
    h.inputs_at = tables.inputs_at;
    h.output_count = static_cast<std::uint32_t>(out.lowered.outputs.size());
    h.outputs_at = tables.outputs_at;
    h.state_count = static_cast<std::uint32_t>(out.lowered.states.size());
    h.states_at = tables.states_at;
    h.tensors_at = section(tables.tensors.size() * sizeof(tensor_record));
    h.ops_at = section(tables.ops.size() * sizeof(op_record));
    h.words_at = section(tables.words.size() * 4);
    if (!notes.empty()) {
        h.notes_at = section(notes.size() * sizeof(tensor_note));
        h.names_at = section(names.size());
        h.name_bytes = static_cast<std::uint32_t>(names.size());
    }
    h.constants_at = section(tables.constants.size());
    h.constant_bytes = static_cast<std::uint32_t>(tables.constants.size());
    h.file_bytes = static_cast<std::uint32_t>(at);

    out.storage = aligned_buffer(at);
    if (out.storage.size() != at) return fail(errc::limit, "not enough memory for ", at, " bytes");
    std::byte* to = out.storage.data();
    const auto put = [&](std::uint32_t where, const void* from, std::size_t bytes) {
        if (bytes != 0) std::memcpy(to + where, from, bytes);
    };
    put(h.tensors_at, tables.tensors.data(), tables.tensors.size() * sizeof(tensor_record));
    put(h.ops_at, tables.ops.data(), tables.ops.size() * sizeof(op_record));
    put(h.words_at, tables.words.data(), tables.words.size() * 4);
    put(h.notes_at, notes.data(), notes.size() * sizeof(tensor_note));
    put(h.names_at, names.data(), notes.empty() ? 0 : names.size());
    put(h.constants_at, tables.constants.data(), tables.constants.size());
    put(0, &h, sizeof h);
    h.checksum = crc32(out.bytes().subspan(16));
    put(0, &h, sizeof h);
    return {};
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
