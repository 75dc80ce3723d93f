// What reductions over any axes share: the loops, and the check of shapes.
//
//     in of rank up to 6, out: the axes that are kept, in order
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Bit k of `axes`: axis `rank - 1 - k` is reduced, so that leading ones change nothing.
struct reduction_params {
    std::int32_t axes = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("axes");
    }
};

namespace detail {

// A tensor whose neighbouring axes of the same fate are joined: at most three that are kept and
// three that are reduced, outermost first, absent ones of extent 1.
class reduction_loops {
  public:
    // The input of a call.
    reduction_loops(const call& c, std::int32_t axes) noexcept
        : reduction_loops(c.dims_of(c.input_record(0)), c.input_record(0).rank, axes) {}
    template <class Extents>
    static reduction_loops of(const Extents& e, std::int32_t axes) noexcept {
        static_assert(Extents::rank() <= max_rank);
        std::int32_t dims[max_rank] = {};
        for (std::size_t i = 0; i < Extents::rank(); ++i) dims[i] = e[i];
        return {dims, Extents::rank(), axes};
    }

    // Elements that become one.
    std::int32_t count() const noexcept { return count_; }
    // Whether the input is rows of `outputs` elements that are added up.
    bool reduces_leading(std::int32_t outputs) const noexcept {
        return reduced_[0].extent == 1 && reduced_[1].extent == 1 && reduced_[2].extent == count_ &&
               reduced_[2].stride == outputs;
    }
    // Calls `element(offset)` for each output in order, offset that of its first input.
    template <class F>
    void for_each_output(F&& element) const noexcept {
        for_each(kept_, static_cast<F&&>(element));
    }
    // Calls `element(offset)` for each input of one output.
    template <class F>
    void for_each_input(F&& element) const noexcept {
        for_each(reduced_, static_cast<F&&>(element));
    }

  private:
    static_assert(max_rank <= 6, "more than three axes of one kind");
    struct axis {
        std::int32_t extent = 1, stride = 0;
    };

    reduction_loops(const std::int32_t* dims, std::size_t rank, std::int32_t axes) noexcept {
        axis* next[2] = {kept_ + 3, reduced_ + 3};
        axis* current = nullptr;
        bool before = false;
        std::int32_t stride = 1;
        for (std::size_t k = 0; k < rank; ++k) {
            const std::int32_t extent = dims[rank - 1 - k];
            const bool reduced = (axes >> k & 1) != 0;
            if (extent == 1) continue;
            if (current == nullptr || reduced != before) {
                current = --next[reduced ? 1 : 0];
                current->stride = stride;
            }
            before = reduced;
            current->extent *= extent;
            stride *= extent;
            if (reduced) count_ *= extent;
        }
    }

    template <class F>
    static void for_each(const axis (&a)[3], F&& element) noexcept {
        for (std::int32_t i = 0; i < a[0].extent; ++i) {
            for (std::int32_t j = 0; j < a[1].extent; ++j) {
                const std::int32_t at = i * a[0].stride + j * a[1].stride;
                for (std::int32_t k = 0; k < a[2].extent; ++k) element(at + k * a[2].stride);
            }
        }
    }

    axis kept_[3], reduced_[3];
    std::int32_t count_ = 1;
};

// One input and one output of `type`, whose elements are those of the axes that are kept.
inline status check_reduction(const call& c, std::int32_t axes, dtype type) noexcept {
    if (c.inputs() != 1 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs one input and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, max_rank));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, max_rank));
    if (axes < 0 || axes >= 1 << max_rank) return fail(errc::bad_file, "axes ", axes);
    const auto in = c.input<std::byte, max_rank>(0);
    std::size_t outputs = 1;
    for (std::size_t k = 0; k < max_rank; ++k) {
        if ((axes >> k & 1) == 0) outputs *= static_cast<std::size_t>(in.dim(max_rank - 1 - k));
    }
    if (c.elements(c.output_record(0)) != outputs) {
        return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                    " elements, needed ", outputs);
    }
    return {};
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
