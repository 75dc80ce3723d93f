// resize_bilinear: each output pixel is a weighted mean of up to four of the input's; NHWC, rank 4,
// float32 or int8.
#pragma once

#include <kompakt/graph/ops/resize_nearest_neighbor.hpp>
#include <kompakt/kernel/resize_bilinear.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct resize_bilinear : op_of<resize_bilinear> {
    static constexpr const char* op_name = "resize_bilinear";

    resize_attributes size;

    template <class V>
    void fields(V&& v) {
        size.fields(v);
    }

    status infer(inference& c) const override {
        if (size.align_corners && size.half_pixel_centers) {
            return fail(errc::unsupported, "align_corners and half_pixel_centers at once");
        }
        return size.infer(c);
    }

    status lower(lowering& c) const override {
        const shape &in = c.input(0).shape, &out = c.output().shape;
        std::vector<std::uint32_t> operands = {c.in(0)};
        for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
            const auto from = static_cast<std::int32_t>(in[axis].value());
            const auto to = static_cast<std::int32_t>(out[axis].value());
            if (c.input(0).type == dtype::i8) {
                add_tables(c, integer_axis(from, to), operands);
            } else if (c.input(0).type == dtype::f32) {
                add_tables(c, float_axis(from, to), operands);
            } else {
                return fail(errc::unsupported, name_of(c.input(0).type),
                            ", needed float32 or int8");
            }
        }
        if (c.input(0).type == dtype::i8) {
            c.emit<resize_bilinear_i8>({}, std::move(operands), {c.out()});
        } else {
            c.emit<resize_bilinear_f32>({}, std::move(operands), {c.out()});
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    template <class Weight>
    struct axis_table {
        std::vector<std::int32_t> first;
        std::vector<Weight> weights;

        // A neighbour outside is the first element again, so its weight does not matter; one of
        // its own outside, which TensorFlow Lite Micro reads for some sizes, is the last.
        void add(std::int32_t at, Weight weight, std::int32_t size) {
            const bool alone = weight <= Weight{} || at + 1 >= size;
            first.push_back(at < size ? at : size - 1);
            weights.push_back(alone ? Weight{} : weight);
        }
    };
    template <class Weight>
    static void add_tables(lowering& c, const axis_table<Weight>& t,
                           std::vector<std::uint32_t>& operands) {
        const std::vector<std::int32_t> dims = {static_cast<std::int32_t>(t.first.size())};
        operands.push_back(c.constant_operand(dims, t.first));
        operands.push_back(c.constant_operand(dims, t.weights));
    }

    // In 1/1024 of a pixel, with divisions that truncate, as TensorFlow Lite computes it.
    axis_table<std::int32_t> integer_axis(std::int32_t in, std::int32_t out) const {
        const bool corners = size.align_corners && out > 1;
        const std::int64_t parts = corners ? out - 1 : out;
        const std::int64_t scale =
            (std::int64_t{bilinear_one} * (corners ? in - 1 : in) + parts / 2) / parts;
        axis_table<std::int32_t> t;
        for (std::int64_t i = 0; i < out; ++i) {
            const std::int64_t at =
                i * scale + (size.half_pixel_centers ? scale / 2 - bilinear_one / 2 : 0);
            const std::int64_t first = at > 0 ? at / bilinear_one : 0;
            t.add(static_cast<std::int32_t>(first),
                  static_cast<std::int32_t>(at - first * bilinear_one), in);
        }
        return t;
    }
    // In float32, likewise.
    axis_table<float> float_axis(std::int32_t in, std::int32_t out) const {
        const float scale = size.align_corners && out > 1
                                ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                : static_cast<float>(in) / static_cast<float>(out);
        axis_table<float> t;
        for (std::int32_t i = 0; i < out; ++i) {
            const float at = size.half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                                                     : static_cast<float>(i) * scale;
            const float first = at > 0.0f ? std::floor(at) : 0.0f;
            t.add(static_cast<std::int32_t>(first), at - first, in);
        }
        return t;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
