// resize_nearest_neighbor: each output pixel is one of the input's; NHWC, rank 4.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/resize_nearest_neighbor.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// What both ways to resize say. `align_corners`: the corners' centres meet, else the corners;
// `half_pixel_centers`: coordinates are of centres of pixels.
struct resize_attributes {
    std::int32_t height = 1, width = 1;
    bool align_corners = false, half_pixel_centers = false;

    template <class V>
    void fields(V&& v) {
        v("height", height), v("width", width);
        v("align_corners", align_corners), v("half_pixel_centers", half_pixel_centers);
    }
    status infer(inference& c) const {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        KOMPAKT_TRY(c.expect_rank(0, 4));
        const shape& in = c.input_shape(0);
        KOMPAKT_TRY(expect_known(in[1]));
        KOMPAKT_TRY(expect_known(in[2]));
        // Coordinates are computed in 1/1024 of a pixel.
        constexpr std::int64_t most = INT32_MAX >> 11;
        for (const std::int64_t n :
             {in[1].value(), in[2].value(), std::int64_t{height}, std::int64_t{width}}) {
            if (n < 1 || n > most) {
                return fail(errc::unsupported, "from ", text_of(in), " to ", height, " by ", width,
                            ", needed sides of 1 to ", most);
            }
        }
        c.set_output(0, c.input(0).type, {in[0], dim(height), dim(width), in[3]});
        return {};
    }
};

struct resize_nearest_neighbor : op_of<resize_nearest_neighbor> {
    static constexpr const char* op_name = "resize_nearest_neighbor";

    resize_attributes size;

    template <class V>
    void fields(V&& v) {
        size.fields(v);
    }

    status infer(inference& c) const override { return size.infer(c); }

    status lower(lowering& c) const override {
        const shape &in = c.input(0).shape, &out = c.output().shape;
        if (in == out) return emit_strided(c, strided_map::of(in));
        const auto operand = [&](std::size_t axis) {
            return c.constant_operand(dims_of({out[axis]}), table(in[axis], out[axis]));
        };
        const std::uint32_t rows = operand(1), columns = operand(2);
        c.emit<kompakt::resize_nearest_neighbor>({}, {c.in(0), rows, columns}, {c.out()});
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    // In float32, as TensorFlow Lite computes it.
    std::vector<std::int32_t> table(const dim& from, const dim& to) const {
        const auto in = static_cast<std::int32_t>(from.value());
        const auto out = static_cast<std::int32_t>(to.value());
        const float scale = size.align_corners && out > 1
                                ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                : static_cast<float>(in) / static_cast<float>(out);
        const float offset = size.half_pixel_centers ? 0.5f : 0.0f;
        std::vector<std::int32_t> all;
        for (std::int32_t i = 0; i < out; ++i) {
            const float at = (static_cast<float>(i) + offset) * scale;
            const float whole = size.align_corners ? std::round(at) : std::floor(at);
            all.push_back((std::clamp)(static_cast<std::int32_t>(whole), 0, in - 1));
        }
        return all;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
