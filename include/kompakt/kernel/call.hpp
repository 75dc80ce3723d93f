// call: one op with its operands resolved to memory, as a kernel's entry sees it.
//
// A kernel family is a struct like
//
//     struct conv2d_i8 {
//         using params = conv2d_i8_params;              // 32-bit words only
//         static constexpr kernel_id id = …;
//         static status check(const call&);              // all that `run` relies on
//         template <class Port> static void run(Port, const call&);
//     };
//
// A family whose output may share memory with an input says `static constexpr bool in_place =
// true`; windowed families do it row by row instead (window.hpp). `check` runs once when a model is
// loaded and is the only judge of shapes, types and parameters; `run` asks nothing again. Families
// that want scratch add `template <class Port> static std::size_t scratch_bytes(Port, const
// call&)`, those that pack weights (input 1) pack_id, pack_bytes and pack.
//
// A family with state has it among its outputs, which it then reads as well (`output_data`); its
// `check` asks for place::state.
#pragma once

#include <kompakt/core/checked.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/tensor.hpp>
#include <kompakt/kernel/program.hpp>

#include <cstring>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The number of an operand as a constant: `c.template input<float, 4>(arg<0>)`.
template <std::size_t N>
inline constexpr std::integral_constant<std::size_t, N> arg{};

inline constexpr std::size_t packed_input = 1; // the operand that ports may keep in their own order

class call {
  public:
    call(const program& p, const op_record& op, std::byte* arena,
         const std::byte* packed = nullptr) noexcept
        : program_(&p), op_(&op), arena_(arena), packed_(packed) {}
    call(const program&&, const op_record&, std::byte*, const std::byte* = nullptr) = delete;

    const op_record& op() const noexcept { return *op_; }
    std::size_t inputs() const noexcept { return op_->inputs; }
    std::size_t outputs() const noexcept { return op_->outputs; }
    bool by_rows() const noexcept { return (op_->flags & op_by_rows) != 0; }
    bytes_span scratch() const noexcept {
        return {arena_ + std::size_t{op_->scratch_at} * block_bytes, op_->scratch_bytes};
    }
    // Weights in a port's own order, made by its `pack`; null when they are canonical.
    const std::byte* packed() const noexcept { return packed_; }

    // Copied, since the words have no type of their own. Params structs are 32-bit words only.
    template <class Params>
    Params params() const noexcept {
        static_assert(sizeof(Params) % 4 == 0 && std::is_trivially_copyable_v<Params>);
        Params p;
        std::memcpy(static_cast<void*>(&p), program_->words + op_->params_at, sizeof p);
        return p;
    }

    const tensor_record& input_record(std::size_t i) const noexcept { return record(i); }
    const tensor_record& output_record(std::size_t i) const noexcept {
        return record(op_->inputs + i);
    }
    const std::int32_t* dims_of(const tensor_record& t) const noexcept {
        return reinterpret_cast<const std::int32_t*>(program_->words + t.dims_at);
    }
    bool has_input(std::size_t i) const noexcept {
        return i < op_->inputs && record(i).where != place::absent;
    }

    // Null for an absent operand, and for one in the arena where there is no arena yet.
    template <class T>
    const T* input_data(std::size_t i) const noexcept {
        const tensor_record& t = record(i);
        if (t.where == place::absent) return nullptr;
        const std::byte* base = t.where == place::constant ? program_->constants : arena_;
        if (base == nullptr) return nullptr;
        return reinterpret_cast<const T*>(base + std::size_t{t.at} * block_bytes);
    }
    template <class T>
    T* output_data(std::size_t i) const noexcept {
        if (arena_ == nullptr) return nullptr;
        return reinterpret_cast<T*>(arena_ + std::size_t{output_record(i).at} * block_bytes);
    }

    // A tensor of a lower rank is seen with leading dimensions of one.
    template <class T, std::size_t Rank>
    dynamic_tensor<const T, Rank> input(std::size_t i) const noexcept {
        return {input_data<T>(i), shape<Rank>(record(i))};
    }
    template <class T, std::size_t Rank>
    dynamic_tensor<T, Rank> output(std::size_t i) const noexcept {
        return {output_data<T>(i), shape<Rank>(output_record(i))};
    }
    template <class T>
    dynamic_tensor<const T, 1> flat_input(std::size_t i) const noexcept {
        return {input_data<T>(i), dynamic_extents<1>(elements(record(i)))};
    }
    template <class T>
    dynamic_tensor<T, 1> flat_output(std::size_t i) const noexcept {
        return {output_data<T>(i), dynamic_extents<1>(elements(output_record(i)))};
    }
    std::size_t elements(const tensor_record& t) const noexcept {
        std::size_t n = 1;
        for (std::size_t i = 0; i < t.rank; ++i) n *= static_cast<std::size_t>(dims_of(t)[i]);
        return n;
    }

  private:
    const tensor_record& record(std::size_t operand) const noexcept {
        return program_->tensors[program_->words[op_->operands_at + operand]];
    }
    template <std::size_t Rank>
    dynamic_extents<Rank> shape(const tensor_record& t) const noexcept {
        std::int32_t dims[Rank];
        const std::size_t lead = Rank - t.rank;
        for (std::size_t i = 0; i < Rank; ++i) dims[i] = i < lead ? 1 : dims_of(t)[i - lead];
        return dynamic_extents<Rank>::from(dims);
    }

    const program* program_;
    const op_record* op_;
    std::byte* arena_;
    const std::byte* packed_;
};

// A call whose weights are known to be packed when it is compiled. Emitted headers use it, so that
// the kernel for canonical weights is not linked.
template <class Call>
class packed_call : public Call {
  public:
    using Call::Call;
};
template <class Call>
inline constexpr bool always_packed = false;
template <class Call>
inline constexpr bool always_packed<packed_call<Call>> = true;

} // namespace KOMPAKT_ABI
} // namespace kompakt
