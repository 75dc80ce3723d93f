// static_call: a call whose tables are compile-time constants, so that its tensors have constant
// extents. Emitted headers use it for `--optimize speed`; families that take any `Call` then get an
// instance per layer, the others see a plain `call`.
#pragma once

#include <kompakt/kernel/call.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// `Tables` has static constexpr arrays `tensors`, `ops` and `words`.
template <class Tables, std::size_t Op>
class static_call : public call {
    static constexpr const tensor_record& operand(std::size_t i) noexcept {
        return Tables::tensors[Tables::words[Tables::ops[Op].operands_at + i]];
    }
    // Dimension `axis` of operand `i` seen with `rank` dimensions.
    static constexpr std::int32_t dim_of(std::size_t i, std::size_t rank,
                                         std::size_t axis) noexcept {
        const tensor_record& t = operand(i);
        const std::size_t lead = rank - t.rank;
        return axis < lead ? 1 : static_cast<std::int32_t>(Tables::words[t.dims_at + axis - lead]);
    }
    template <std::size_t Operand, std::size_t Rank, class Axes = std::make_index_sequence<Rank>>
    struct shape_of;
    template <std::size_t Operand, std::size_t Rank, std::size_t... Axis>
    struct shape_of<Operand, Rank, std::index_sequence<Axis...>> {
        using type = extents<dim_of(Operand, Rank, Axis)...>;
    };

  public:
    using call::call;

    template <class T, std::size_t Rank, std::size_t Index>
    auto input(std::integral_constant<std::size_t, Index> i) const noexcept {
        using shape = typename shape_of<Index, Rank>::type;
        return tensor<const T, shape>(this->template input_data<T>(i));
    }
    template <class T, std::size_t Rank, std::size_t Index>
    auto output(std::integral_constant<std::size_t, Index> i) const noexcept {
        using shape = typename shape_of<Tables::ops[Op].inputs + Index, Rank>::type;
        return tensor<T, shape>(this->template output_data<T>(i));
    }
    static constexpr bool by_rows() noexcept { return (Tables::ops[Op].flags & op_by_rows) != 0; }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
