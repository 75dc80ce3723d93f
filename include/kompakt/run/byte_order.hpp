// An executable of a machine with the other byte order becomes one of this machine, and back.
#pragma once

#include <kompakt/core/byte_order.hpp>
#include <kompakt/run/executable.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Turns round every number of the executable in `bytes` (of any alignment), in place: from the
// order that its header is in to the other one. What it turns is checked as far as that needs, and
// its checksum made anew; `validate` judges the rest. After a failure the bytes are as before.
//
// Constants lie in the order of their tensors, and those that share one have numbers of the same
// size, as the planner writes them; a file that breaks this has other values then. Weights in the
// order of a port are refused: only that port knows their numbers.
inline status swap_byte_order(bytes_span bytes) noexcept {
    if (bytes.size() < sizeof(executable_header)) {
        return fail(errc::bad_file, "executable: needs at least ", sizeof(executable_header),
                    " bytes, has ", bytes.size());
    }
    executable_header h; // in the machine's order, whichever the file's is
    std::memcpy(&h, bytes.data(), sizeof h);
    const bool native = h.magic == executable_magic;
    const bytes_span header(reinterpret_cast<std::byte*>(&h), sizeof h);
    if (!native) swap_numbers(header, 4);
    if (h.magic != executable_magic) {
        return fail(errc::bad_file, "executable: no KPK1 at the start, in either byte order");
    }
    if (h.file_bytes != bytes.size()) {
        return fail(errc::bad_file, "executable: needs ", h.file_bytes, " bytes, has ",
                    bytes.size());
    }
    if (crc32(bytes.subspan(16)) != h.checksum) {
        return fail(errc::bad_file, "executable: checksum does not match");
    }
    const std::uint64_t file = h.file_bytes;
    struct section {
        const char* name;
        std::uint64_t at, bytes;
    };
    const section sections[] = {
        {"header", 0, sizeof h},
        {"tensors", h.tensors_at, std::uint64_t{h.tensor_count} * sizeof(tensor_record)},
        {"ops", h.ops_at, std::uint64_t{h.op_count} * sizeof(op_record)},
        {"words", h.words_at, std::uint64_t{h.word_count} * 4},
        {"constants", h.constants_at, h.constant_bytes},
        {"notes", h.notes_at,
         h.notes_at != 0 ? std::uint64_t{h.tensor_count} * sizeof(tensor_note) : 0}};
    for (const section& a : sections) {
        KOMPAKT_TRY(detail::check_section(a.name, a.at, a.bytes, 1, file));
        for (const section& b : sections) {
            if (&a != &b && a.bytes != 0 && b.bytes != 0 && a.at < b.at + b.bytes &&
                b.at < a.at + a.bytes) {
                return fail(errc::bad_file, "executable: ", a.name, " and ", b.name, " overlap");
            }
        }
    }
    const auto tensor = [&](std::uint32_t i) {
        tensor_record t;
        std::memcpy(&t, bytes.data() + h.tensors_at + i * sizeof t, sizeof t);
        if (!native) swap_numbers({reinterpret_cast<std::byte*>(&t) + 4, sizeof t - 4}, 4);
        return t;
    };
    for (std::uint32_t i = 0; i < h.tensor_count; ++i) {
        const tensor_record t = tensor(i);
        if (t.where != place::constant) continue;
        if (t.coding != encoding::dense || static_cast<unsigned>(t.type) >= dtype_count) {
            return fail(errc::unsupported, "executable: tensor ", i, ": encoding ",
                        static_cast<unsigned>(t.coding), ", dtype ", static_cast<unsigned>(t.type),
                        ": needs dense weights of a known type to change the byte order");
        }
        if (!inside(std::uint64_t{t.at} * block_bytes, t.bytes, h.constant_bytes)) {
            return fail(errc::bad_file, "executable: tensor ", i, ": block ", t.at, " and ",
                        t.bytes, " bytes, beyond ", h.constant_bytes);
        }
    }
    std::uint64_t turned = 0; // constants before it are done
    for (std::uint32_t i = 0; i < h.tensor_count; ++i) {
        const tensor_record t = tensor(i);
        const std::uint64_t at = std::uint64_t{t.at} * block_bytes;
        if (t.where != place::constant || at < turned) continue;
        swap_numbers(bytes.subspan(static_cast<std::size_t>(h.constants_at + at), t.bytes),
                     number_bytes(t.type));
        turned = at + t.bytes;
    }
    for (std::uint32_t i = 0; i < h.tensor_count; ++i) {
        const std::size_t at = h.tensors_at + i * sizeof(tensor_record);
        swap_numbers(bytes.subspan(at + 4, sizeof(tensor_record) - 4), 4);
    }
    for (std::uint32_t i = 0; i < h.op_count; ++i) {
        const std::size_t at = h.ops_at + i * sizeof(op_record);
        swap_numbers(bytes.subspan(at, 8), 2);
        swap_numbers(bytes.subspan(at + 8, sizeof(op_record) - 8), 4);
    }
    swap_numbers(bytes.subspan(h.words_at, std::size_t{h.word_count} * 4), 4);
    if (h.notes_at != 0) {
        swap_numbers(bytes.subspan(h.notes_at, h.tensor_count * sizeof(tensor_note)), 4);
    }
    // The checksum covers the rest of the header, which is turned before it is taken.
    if (native) swap_numbers(header, 4);
    std::memcpy(bytes.data() + 16, reinterpret_cast<const std::byte*>(&h) + 16, sizeof h - 16);
    std::uint32_t checksum = crc32(bytes.subspan(16));
    if (native) swap_numbers({reinterpret_cast<std::byte*>(&checksum), 4}, 4);
    h.checksum = checksum;
    std::memcpy(bytes.data(), &h, sizeof h);
    return {};
}

// A .kpk file, which is little-endian, as an executable of this machine, and back.
inline status convert_executable(bytes_span bytes) noexcept {
#if KOMPAKT_BIG_ENDIAN
    return swap_byte_order(bytes);
#else
    static_cast<void>(bytes);
    return {};
#endif
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
