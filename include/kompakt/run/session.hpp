// session: runs an executable in a caller's arena. Nothing is allocated; `run` cannot fail.
//
//     kompakt::session s(bytes);                       // validates once
//     if (!s.check().ok()) …                            // says what is wrong with the bytes
//     if (auto e = s.bind(arena); !e.ok()) …            // s.arena_bytes() bytes, aligned to 16
//     fill(s.input<std::int8_t>(0)); s.run(); use(s.output<std::int8_t>(0));
#pragma once

#include <kompakt/core/buffer.hpp>
#include <kompakt/quant/affine.hpp>
#include <kompakt/run/default_kernels.hpp>
#include <kompakt/run/executable.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class session {
  public:
    // `bytes` are used in place and must outlive the session. Never fails: `check` says what
    // is wrong.
    explicit session(bytes_view bytes, const kernel_table& kernels = default_kernels()) noexcept
        : kernels_(&kernels) {
        status_ = validate(bytes, executable_, kernels);
        if (!status_.ok()) executable_ = {};
    }

    const status& check() const noexcept { return status_; }
    const executable& code() const noexcept { return executable_; }
    const char* port() const noexcept { return kernels_->port; }

    // Bytes of the arena; known before any allocation. 0 for an executable that is not valid.
    std::size_t arena_bytes() const noexcept {
        return executable_.header != nullptr ? executable_.header->arena_bytes : 0;
    }
    // Bytes of the second, optional buffer in which the port keeps weights in its own order.
    std::size_t pack_bytes() const noexcept {
        std::size_t table = 0, data = 0;
        for (std::uint32_t i = 0; i < executable_.code.op_count; ++i) {
            table += sizeof(std::uint32_t);
            data += packed_size(i);
        }
        return data == 0 ? 0 : static_cast<std::size_t>(round_up(table, block_bytes)) + data;
    }

    // Takes the buffers; weights are packed once, here. Tensors start as zeros, states as `reset`
    // leaves them.
    status bind(bytes_span arena, bytes_span packed = {}) noexcept {
        KOMPAKT_TRY(status_);
        KOMPAKT_TRY(check_buffer("arena", arena.data(), arena.size(), arena_bytes()));
        arena_ = nullptr;
        packed_ = nullptr;
        if (!packed.empty() && pack_bytes() != 0) {
            KOMPAKT_TRY(check_buffer("packed weights", packed.data(), packed.size(), pack_bytes()));
            pack(packed.data());
        }
        arena_ = arena.data();
        if (arena_bytes() != 0) std::memset(arena_, 0, arena_bytes());
        reset();
        return {};
    }

    // States back to what they were before the first run.
    void reset() noexcept {
        KOMPAKT_ASSERT(arena_ != nullptr || states() == 0, "session: bind comes first");
        for (std::uint32_t i = 0; i < states(); ++i) {
            const state_record s = executable_.state(i);
            const bytes_span to = memory(s.tensor);
            if (s.initial == no_initial) {
                std::memset(to.data(), static_cast<int>(s.fill), to.size());
            } else {
                std::memcpy(to.data(), tensor_bytes(s.initial).data(), to.size());
            }
        }
    }
    // How many tensors last from run to run.
    std::size_t states() const noexcept { return count(&executable_header::state_count); }
    std::uint32_t state_tensor(std::size_t i) const noexcept {
        KOMPAKT_ASSERT(i < states(), "session: no such state");
        return executable_.state(static_cast<std::uint32_t>(i)).tensor;
    }
    // May be written between runs: training does so with parameters.
    bytes_span state_bytes(std::size_t i) noexcept { return memory(state_tensor(i)); }

    std::size_t inputs() const noexcept { return count(&executable_header::input_count); }
    std::size_t outputs() const noexcept { return count(&executable_header::output_count); }
    std::uint32_t input_tensor(std::size_t i) const noexcept {
        KOMPAKT_ASSERT(i < inputs(), "session: no such input");
        return executable_.inputs[i];
    }
    std::uint32_t output_tensor(std::size_t i) const noexcept {
        KOMPAKT_ASSERT(i < outputs(), "session: no such output");
        return executable_.outputs[i];
    }
    const tensor_record& record(std::uint32_t t) const noexcept {
        return executable_.code.tensors[t];
    }

    // The bytes of an input, to be filled before every `run` (it may overwrite them), of an
    // output …
    bytes_span input_bytes(std::size_t i) noexcept { return memory(input_tensor(i)); }
    bytes_view output_bytes(std::size_t i) const noexcept { return tensor_bytes(output_tensor(i)); }
    // … and of any tensor; one in the arena holds its value only while it lives.
    bytes_view tensor_bytes(std::uint32_t t) const noexcept {
        const tensor_record& r = record(t);
        const std::byte* base = r.where == place::constant ? executable_.code.constants : arena_;
        KOMPAKT_ASSERT(base != nullptr, "session: bind comes first");
        return {base + std::size_t{r.at} * block_bytes, r.bytes};
    }
    template <class T = std::byte>
    span<T> input(std::size_t i) noexcept {
        return typed<T>(input_tensor(i), memory(input_tensor(i)));
    }
    template <class T = std::byte>
    span<const T> output(std::size_t i) const noexcept {
        return typed<const T>(output_tensor(i), tensor_bytes(output_tensor(i)));
    }

    // Between real values and the numbers of a quantized input or output; scale 0 when it has none.
    affine_quantizer input_quantizer(std::size_t i) const noexcept {
        return quantizer(input_tensor(i));
    }
    affine_quantizer output_quantizer(std::size_t i) const noexcept {
        return quantizer(output_tensor(i));
    }
    affine_quantizer quantizer(std::uint32_t t) const noexcept {
        if (executable_.notes == nullptr) return {0.0f, 0, {0, 0}};
        return {executable_.notes[t].scale, executable_.notes[t].zero_point,
                range_of_type(record(t).type)};
    }

    // Loops of a model are as long as the model makes them: a run of one may never end.
    void run() noexcept {
        for (std::uint32_t i = 0; i < executable_.code.op_count;) i = step(i);
    }
    // Runs op i and gives the number of the next one; the number of ops at the end.
    std::uint32_t step(std::uint32_t i) noexcept {
        const op_record& op = executable_.code.ops[i];
        if (is_jump(op.kernel)) return next_op(call(executable_.code, op, arena_), i);
        run_op(i);
        return i + 1;
    }
    // One op; without jumps, running all in order is `run`.
    void run_op(std::uint32_t i) noexcept {
        KOMPAKT_ASSERT(arena_ != nullptr, "session: bind comes first");
        const call c(executable_.code, executable_.code.ops[i], arena_, packed_op(i));
        entry(i, c).run(c);
    }
    // The port whose kernel runs op i: the session's, or the portable one where the port's kernel
    // needs scratch that was not planned.
    const char* port_of_op(std::uint32_t i) const noexcept {
        const call c(executable_.code, executable_.code.ops[i], arena_, packed_op(i));
        return &entry(i, c) == kernels_->find(executable_.code.ops[i].kernel) ? kernels_->port
                                                                              : portable::name;
    }
    const char* op_name(std::uint32_t i) const noexcept {
        return kernels_->find(executable_.code.ops[i].kernel)->name;
    }

  private:
    std::size_t count(std::uint32_t executable_header::*field) const noexcept {
        return executable_.header != nullptr ? executable_.header->*field : 0;
    }
    bytes_span memory(std::uint32_t t) noexcept {
        const bytes_view v = tensor_bytes(t);
        return {const_cast<std::byte*>(v.data()), v.size()};
    }
    template <class T, class Byte>
    span<T> typed(std::uint32_t t, span<Byte> bytes) const noexcept {
        KOMPAKT_ASSERT(
            (std::is_same_v<std::remove_const_t<T>, std::byte> || dtype_of<T> == record(t).type),
            "session: not the tensor's element type");
        static_cast<void>(t);
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    std::size_t packed_size(std::uint32_t i) const noexcept {
        const op_record& op = executable_.code.ops[i];
        const kernel_entry& k = *kernels_->find(op.kernel);
        if (k.pack_bytes == nullptr || op.pack_id != 0) return 0;
        return static_cast<std::size_t>(
            round_up(k.pack_bytes(call(executable_.code, op, nullptr)), block_bytes));
    }
    // The buffer starts with one offset per op (0: not packed), the packed weights follow.
    void pack(std::byte* buffer) noexcept {
        auto* offsets = reinterpret_cast<std::uint32_t*>(buffer);
        std::size_t at = static_cast<std::size_t>(
            round_up(sizeof(std::uint32_t) * executable_.code.op_count, block_bytes));
        for (std::uint32_t i = 0; i < executable_.code.op_count; ++i) {
            const std::size_t size = packed_size(i);
            offsets[i] = size != 0 ? static_cast<std::uint32_t>(at / block_bytes) : 0;
            if (size == 0) continue;
            const op_record& op = executable_.code.ops[i];
            kernels_->find(op.kernel)->pack(call(executable_.code, op, nullptr), buffer + at);
            at += size;
        }
        packed_ = buffer;
    }
    const std::byte* packed_op(std::uint32_t i) const noexcept {
        const op_record& op = executable_.code.ops[i];
        if (op.pack_id != 0) {
            return call(executable_.code, op, nullptr).input_data<std::byte>(packed_input);
        }
        if (packed_ == nullptr) return nullptr;
        const std::uint32_t block = reinterpret_cast<const std::uint32_t*>(packed_)[i];
        return block != 0 ? packed_ + std::size_t{block} * block_bytes : nullptr;
    }
    const kernel_entry& entry(std::uint32_t i, const call& c) const noexcept {
        const op_record& op = executable_.code.ops[i];
        const kernel_entry& own = *kernels_->find(op.kernel);
        if (op.pack_id != 0 || own.scratch_bytes(c) <= op.scratch_bytes) return own;
        return *portable_entry(*kernels_, op.kernel);
    }

    const kernel_table* kernels_;
    executable executable_;
    status status_;
    std::byte* arena_ = nullptr;
    const std::byte* packed_ = nullptr;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
