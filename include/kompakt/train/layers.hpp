// Networks by hand, with shapes that are checked when they are compiled:
//
//     using net = layers::sequence<layers::image<28, 28, 1>, layers::conv2d<16, 3>, layers::relu,
//                                  layers::max_pool<2>, layers::dense<10>>;
//     graph g = net::make(seed);
//     static_assert(net::parameters == …);
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/dropout.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/tanh.hpp>
#include <kompakt/train/initializers.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace layers {

// What a network takes: height, width, channels; or a row of numbers.
template <std::int64_t H, std::int64_t W, std::int64_t C>
struct image {
    static constexpr std::int64_t height = H, width = W, channels = C, size = H * W * C;
    static constexpr bool flat = false;
    static kompakt::shape shape() { return {dim::named("batch"), dim(H), dim(W), dim(C)}; }
};
template <std::int64_t N>
struct row {
    static constexpr std::int64_t height = 1, width = 1, channels = N, size = N;
    static constexpr bool flat = true;
    static kompakt::shape shape() { return {dim::named("batch"), dim(N)}; }
};

// A graph under construction: every layer appends to `last`.
struct builder {
    kompakt::graph graph;
    tensor_id last = no_tensor;
    std::uint32_t seed = 0, stream = 0; // each set of weights has a stream of its own

    std::string next_name(const char* kind) { return std::string(kind) + std::to_string(number++); }
    tensor_id tensor(const std::string& name) {
        graph_tensor t;
        t.name = name;
        return graph.add_tensor(std::move(t));
    }
    template <class Op>
    void append(const std::string& name, Op o, std::vector<tensor_id> in) {
        const tensor_id out = tensor(name);
        graph.add_node(name, std::move(o), std::move(in), {out});
        last = out;
    }
    tensor_id weights(const std::string& name, kompakt::shape s, std::size_t outputs,
                      std::size_t inputs, initializer how) {
        return graph.add_constant(
            name,
            make_constant(std::move(s), initial_weights(how, outputs, inputs, seed, stream++)));
    }
    tensor_id filled(const std::string& name, std::int64_t n, float value) {
        return graph.add_constant(
            name, make_constant({dim(n)}, std::vector<float>(static_cast<std::size_t>(n), value)));
    }

  private:
    int number = 0;
};

enum class padding : std::uint8_t { same, valid };

namespace detail {
constexpr std::int64_t extent(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                              padding p) noexcept {
    return p == padding::same ? (in + stride - 1) / stride : (in - kernel) / stride + 1;
}
template <class In>
ops::window_attributes window(std::int64_t kernel, std::int64_t stride, padding p) {
    ops::window_attributes w;
    w.stride_h = w.stride_w = static_cast<std::int32_t>(stride);
    if (p == padding::same) w.pad_same(In::height, In::width, kernel, kernel);
    return w;
}
} // namespace detail

// Each layer: `out<In>`, what comes of an input; `parameters<In>`; `add<In>(builder&)`.
template <std::int64_t Out, std::int64_t Kernel, std::int64_t Stride = 1,
          padding Padding = padding::same, initializer How = initializer::kaiming_normal>
struct conv2d {
    template <class In>
    using out = image<detail::extent(In::height, Kernel, Stride, Padding),
                      detail::extent(In::width, Kernel, Stride, Padding), Out>;
    template <class In>
    static constexpr std::int64_t parameters = Out*(Kernel* Kernel* In::channels + 1);

    template <class In>
    static void add(builder& b) {
        static_assert(!In::flat, "conv2d: needs an image");
        static_assert(Padding == padding::same || (In::height >= Kernel && In::width >= Kernel),
                      "conv2d: the filter does not fit the input");
        const std::string name = b.next_name("conv");
        ops::conv2d o;
        o.window = detail::window<In>(Kernel, Stride, Padding);
        const tensor_id w =
            b.weights(name + "/weights", {dim(Out), dim(Kernel), dim(Kernel), dim(In::channels)},
                      Out, static_cast<std::size_t>(Kernel * Kernel * In::channels), How);
        b.append(name, o, {b.last, w, b.filled(name + "/bias", Out, 0.0f)});
    }
};

template <std::int64_t Kernel, std::int64_t Stride = 1, padding Padding = padding::same,
          initializer How = initializer::kaiming_normal>
struct depthwise_conv2d {
    template <class In>
    using out = image<detail::extent(In::height, Kernel, Stride, Padding),
                      detail::extent(In::width, Kernel, Stride, Padding), In::channels>;
    template <class In>
    static constexpr std::int64_t parameters = In::channels*(Kernel* Kernel + 1);

    template <class In>
    static void add(builder& b) {
        static_assert(!In::flat, "depthwise_conv2d: needs an image");
        const std::string name = b.next_name("depthwise");
        ops::depthwise_conv2d o;
        o.window = detail::window<In>(Kernel, Stride, Padding);
        // Kernel * Kernel inputs make one output; the layout 1HWC does not matter to noise.
        const tensor_id w = b.weights(
            name + "/weights", {dim(1), dim(Kernel), dim(Kernel), dim(In::channels)},
            static_cast<std::size_t>(In::channels), static_cast<std::size_t>(Kernel * Kernel), How);
        b.append(name, o, {b.last, w, b.filled(name + "/bias", In::channels, 0.0f)});
    }
};

// Takes images too, in the order of their elements.
template <std::int64_t Out, initializer How = initializer::kaiming_normal>
struct dense {
    template <class In>
    using out = row<Out>;
    template <class In>
    static constexpr std::int64_t parameters = Out*(In::size + 1);

    template <class In>
    static void add(builder& b) {
        const std::string name = b.next_name("dense");
        const tensor_id w = b.weights(name + "/weights", {dim(Out), dim(In::size)}, Out,
                                      static_cast<std::size_t>(In::size), How);
        b.append(name, ops::fully_connected(), {b.last, w, b.filled(name + "/bias", Out, 0.0f)});
    }
};

// Layers without parameters that keep the shape.
template <class Layer>
struct same_shape {
    template <class In>
    using out = In;
    template <class In>
    static constexpr std::int64_t parameters = 0;
    template <class In>
    static void add(builder& b) {
        Layer::append_to(b);
    }
};
struct relu : same_shape<relu> {
    static void append_to(builder& b) { b.append(b.next_name("relu"), ops::relu(), {b.last}); }
};
struct relu6 : same_shape<relu6> {
    static void append_to(builder& b) {
        ops::relu o;
        o.kind = ops::relu_kind::relu6;
        b.append(b.next_name("relu6_"), o, {b.last});
    }
};
struct tanh : same_shape<tanh> {
    static void append_to(builder& b) { b.append(b.next_name("tanh"), ops::tanh(), {b.last}); }
};
struct softmax : same_shape<softmax> {
    static void append_to(builder& b) {
        b.append(b.next_name("softmax"), ops::softmax(), {b.last});
    }
};
template <int Percent>
struct dropout : same_shape<dropout<Percent>> {
    static_assert(Percent >= 0 && Percent < 100, "dropout: a rate of 0 to 99 percent");
    static void append_to(builder& b) {
        ops::dropout o;
        o.rate = static_cast<float>(Percent) / 100.0f;
        o.seed = static_cast<std::int32_t>(b.seed);
        o.stream = static_cast<std::int32_t>(b.stream++);
        b.append(b.next_name("dropout"), o, {b.last});
    }
};

struct batch_norm {
    template <class In>
    using out = In;
    template <class In>
    static constexpr std::int64_t parameters = 2 * In::channels;
    template <class In>
    static void add(builder& b) {
        const std::string name = b.next_name("norm");
        const auto fill = [&](const char* what, float v) {
            return b.filled(name + what, In::channels, v);
        };
        b.append(name, ops::batch_norm(),
                 {b.last, fill("/gamma", 1.0f), fill("/beta", 0.0f), fill("/mean", 0.0f),
                  fill("/variance", 1.0f)});
    }
};

template <class Pool, std::int64_t Kernel, std::int64_t Stride>
struct pool2d {
    template <class In>
    using out = image<detail::extent(In::height, Kernel, Stride, padding::valid),
                      detail::extent(In::width, Kernel, Stride, padding::valid), In::channels>;
    template <class In>
    static constexpr std::int64_t parameters = 0;
    template <class In>
    static void add(builder& b) {
        static_assert(!In::flat && In::height >= Kernel && In::width >= Kernel,
                      "pooling: the window does not fit the input");
        Pool o;
        o.kernel_h = o.kernel_w = static_cast<std::int32_t>(Kernel);
        o.window.stride_h = o.window.stride_w = static_cast<std::int32_t>(Stride);
        b.append(b.next_name("pool"), o, {b.last});
    }
};
template <std::int64_t Kernel, std::int64_t Stride = Kernel>
using max_pool = pool2d<ops::max_pool2d, Kernel, Stride>;
template <std::int64_t Kernel, std::int64_t Stride = Kernel>
using average_pool = pool2d<ops::average_pool2d, Kernel, Stride>;

struct global_average {
    template <class In>
    using out = row<In::channels>;
    template <class In>
    static constexpr std::int64_t parameters = 0;
    template <class In>
    static void add(builder& b) {
        static_assert(!In::flat, "global_average: needs an image");
        ops::mean o;
        o.axes = {1, 2};
        b.append(b.next_name("average"), o, {b.last});
    }
};

// input + layers(input), of layers that keep the shape. A last layer that starts from zeros makes
// the block start as the identity.
template <class... Layers>
struct residual;

namespace detail {

template <class In, class... Layers>
struct chain {
    using out = In;
    static constexpr std::int64_t parameters = 0;
    static void add(builder&) {}
};
template <class In, class First, class... Rest>
struct chain<In, First, Rest...> {
    using next = chain<typename First::template out<In>, Rest...>;
    using out = typename next::out;
    static constexpr std::int64_t parameters = First::template parameters<In> + next::parameters;
    static void add(builder& b) {
        First::template add<In>(b);
        next::add(b);
    }
};

} // namespace detail

template <class... Layers>
struct residual {
    template <class In>
    using out = In;
    template <class In>
    static constexpr std::int64_t parameters = detail::chain<In, Layers...>::parameters;
    template <class In>
    static void add(builder& b) {
        using inside = detail::chain<In, Layers...>;
        static_assert(std::is_same_v<typename inside::out, In>,
                      "residual: the layers inside must keep the shape");
        const tensor_id before = b.last;
        inside::add(b);
        b.append(b.next_name("residual"), ops::add(), {before, b.last});
    }
};

template <class Input, class... Layers>
struct sequence {
    using input = Input;
    using output = typename detail::chain<Input, Layers...>::out;
    static constexpr std::int64_t parameters = detail::chain<Input, Layers...>::parameters;

    // With a batch that has no number yet.
    static graph make(std::uint32_t seed = 0) {
        builder b;
        b.seed = seed;
        graph_tensor in;
        in.name = "input";
        in.type = dtype::f32;
        in.shape = Input::shape();
        b.last = b.graph.add_tensor(std::move(in));
        b.graph.inputs = {b.last};
        detail::chain<Input, Layers...>::add(b);
        b.graph.outputs = {b.last};
        return std::move(b.graph);
    }
};

} // namespace layers
} // namespace KOMPAKT_ABI
} // namespace kompakt
