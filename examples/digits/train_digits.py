#!/usr/bin/env python3
"""Writes digits_data.hpp and digits_network.hpp next to this file (numpy and scikit-learn only).

The headers are checked in: nothing runs this script during a build. It takes some 15
seconds. The seed is fixed, but another numpy or BLAS may round differently and so end at slightly
different weights.
"""
import pathlib

import numpy as np
from sklearn.datasets import load_digits

TRAIN_COUNT = 1437  # the first samples train, the other 360 test: no shuffling
EPOCHS, BATCH, RATE, DECAY, SMOOTHING, SHIFTED = 100, 32, 4e-3, 1e-2, 0.05, 0.6

# ---- the data: adaptive binary arithmetic coding, then base 85 ---------------------------------


class Encoder:
    """Carry-less binary arithmetic coder; decode() in digits_data.hpp is its mirror image."""

    def __init__(self):
        self.low, self.high, self.out, self.model = 0, 0xFFFFFFFF, bytearray(), {}

    def symbol(self, context, value, bits):
        node = 1
        for shift in range(bits - 1, -1, -1):
            bit = value >> shift & 1
            one = self.model.get((context, node), 32768)
            mid = self.low + (self.high - self.low >> 16) * one
            if bit:
                self.high, one = mid, one + (65536 - one >> 5)
            else:
                self.low, one = mid + 1, one - (one >> 5)
            self.model[context, node] = one
            while (self.low ^ self.high) >> 24 == 0:
                self.out.append(self.high >> 24)
                self.low = self.low << 8 & 0xFFFFFFFF
                self.high = self.high << 8 & 0xFFFFFFFF | 255
            node = 2 * node + bit

    def finish(self):
        self.out += self.low.to_bytes(4, "big")
        self.out += bytes(-len(self.out) % 4)
        return bytes(self.out)


def level(value):
    return (value > 0) + (value > 4) + (value > 10) + (value > 15)


def encode(images, labels):
    encoder = Encoder()
    for image, label in zip(images, labels):
        encoder.symbol("label", label, 4)
        for i, value in enumerate(image):
            left = image[i - 1] if i % 8 else 0
            above = image[i - 8] if i >= 8 else 0
            encoder.symbol((i % 8, level(left), level(above)), value, 5)
    return encoder.finish()


def base85(data):
    text = []
    for start in range(0, len(data), 4):
        word = int.from_bytes(data[start : start + 4], "big")
        text += [chr(35 + word // 85**k % 85) for k in (4, 3, 2, 1, 0)]
    return "".join(text).replace("\\", "x").replace("?", "y")


# ---- the network: forward and backward, NHWC ---------------------------------------------------

SHAPES = {  # conv OHWI, depthwise 1HWC, dense OI
    "conv1": (8, 3, 3, 1),
    "conv2": (16, 3, 3, 8),
    "depthwise": (1, 3, 3, 16),
    "pointwise": (32, 1, 1, 16),
    "dense": (10, 128),
}


def initial_parameters(rng):
    parameters = {}
    for name, shape in SHAPES.items():
        fan_in = 9 if name == "depthwise" else np.prod(shape[1:])
        weights = rng.standard_normal(shape) * np.sqrt(2 / fan_in)
        parameters[name + "_weights"] = weights.astype(np.float32)
        outputs = shape[3] if name == "depthwise" else shape[0]
        parameters[name + "_bias"] = np.zeros(outputs, np.float32)
    return parameters


def patches(x, stride):
    """The 3x3 windows of SAME padding, as TensorFlow pads: the odd row or column goes last."""
    before = 1 if stride == 1 else 0
    padded = np.pad(x, ((0, 0), (before, 1), (before, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    return windows[:, ::stride, ::stride].transpose(0, 1, 2, 4, 5, 3)


def unpatch(grad, size, stride):
    """The transpose of patches(): adds the windows' gradients up."""
    before, count = (1 if stride == 1 else 0), grad.shape[1]
    out = np.zeros((len(grad), size + before + 1, size + before + 1, grad.shape[-1]), np.float32)
    for i in range(3):
        for j in range(3):
            rows, columns = (slice(k, k + (count - 1) * stride + 1, stride) for k in (i, j))
            out[:, rows, columns] += grad[:, :, :, i, j]
    return out[:, before : before + size, before : before + size]


def forward(p, x):
    flat = {name: p[name + "_weights"].reshape(shape[0], -1) for name, shape in SHAPES.items()}
    n = len(x)
    in1 = patches(x, 1).reshape(n, 8, 8, 9)
    out1 = np.maximum(in1 @ flat["conv1"].T + p["conv1_bias"], 0)
    in2 = patches(out1, 2).reshape(n, 4, 4, 72)
    out2 = np.maximum(in2 @ flat["conv2"].T + p["conv2_bias"], 0)
    in3 = patches(out2, 1)
    out3 = np.maximum((in3 * p["depthwise_weights"][0]).sum((3, 4)) + p["depthwise_bias"], 0)
    out4 = np.maximum(out3 @ flat["pointwise"].T + p["pointwise_bias"], 0)
    pooled = out4.reshape(n, 2, 2, 2, 2, 32).mean((2, 4)).reshape(n, 128)
    logits = pooled @ flat["dense"].T + p["dense_bias"]
    return logits, (in1, out1, in2, out2, in3, out3, out4, pooled)


def gradients(p, x, labels):
    """The gradients of the mean cross-entropy, with smoothed labels."""
    n = len(x)
    logits, (in1, out1, in2, out2, in3, out3, out4, pooled) = forward(p, x)
    softmax = np.exp(logits - logits.max(1, keepdims=True))
    softmax /= softmax.sum(1, keepdims=True)
    target = np.eye(10, dtype=np.float32)[labels] * (1 - SMOOTHING) + SMOOTHING / 10
    result = {}

    def linear(name, inputs, grad):
        """Stores the gradients of outputs = inputs @ weights.T + bias, returns the inputs'."""
        shape = SHAPES[name]
        rows = grad.reshape(-1, shape[0])
        result[name + "_weights"] = (rows.T @ inputs.reshape(len(rows), -1)).reshape(shape)
        result[name + "_bias"] = rows.sum(0)
        return grad @ p[name + "_weights"].reshape(shape[0], -1)

    grad = linear("dense", pooled, (softmax - target) / n)
    grad = grad.reshape(n, 2, 1, 2, 1, 32) / 4 * (out4.reshape(n, 2, 2, 2, 2, 32) > 0)
    grad = linear("pointwise", out3, grad.reshape(n, 4, 4, 32)) * (out3 > 0)
    result["depthwise_weights"] = np.einsum("nhwc,nhwijc->ijc", grad, in3)[None]
    result["depthwise_bias"] = grad.sum((0, 1, 2))
    grad = unpatch(grad[:, :, :, None, None] * p["depthwise_weights"][0], 4, 1) * (out2 > 0)
    grad = linear("conv2", in2, grad).reshape(n, 4, 4, 3, 3, 8)
    linear("conv1", in1, unpatch(grad, 8, 2) * (out1 > 0))
    return result


def shifted(x, rng):
    """Moves a part of the images by up to one pixel each way: 1,437 images alone overfit."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    offsets = rng.integers(0, 3, (len(x), 2))
    offsets[rng.random(len(x)) >= SHIFTED] = 1
    return np.stack([image[i : i + 8, j : j + 8] for image, (i, j) in zip(padded, offsets)])


def train(x, labels, seed=0):
    """Adam with decoupled weight decay, a short warm-up and a cosine to zero."""
    rng = np.random.default_rng(seed)
    p = initial_parameters(rng)
    first = {name: np.zeros_like(value) for name, value in p.items()}
    second = {name: np.zeros_like(value) for name, value in p.items()}
    batches, step = len(x) // BATCH, 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for chosen in np.split(order[: batches * BATCH], batches):
            step += 1
            rate = RATE / 2 * (1 + np.cos(np.pi * step / (EPOCHS * batches))) * min(1, step / 100)
            for name, grad in gradients(p, shifted(x[chosen], rng), labels[chosen]).items():
                first[name] += 0.1 * (grad - first[name])
                second[name] += 0.01 * (grad * grad - second[name])
                moved = first[name] / (1 - 0.9**step)
                moved /= np.sqrt(second[name] / (1 - 0.99**step)) + 1e-8
                if name.endswith("_weights"):
                    moved += DECAY * p[name]
                p[name] = (p[name] - rate * moved).astype(np.float32)
    return p


def accuracy(p, x, labels):
    return (forward(p, x)[0].argmax(1) == labels).mean()


# ---- the headers -------------------------------------------------------------------------------


def wrapped(items, separator=" ", width=100):
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(separator) + len(item) + 4 > width:
            lines.append("")
        lines[-1] += (separator if lines[-1] else "    ") + item
    return "\n".join(lines)


def number(value):
    text = f"{value:.3f}".rstrip("0").replace("-0.", "-.").removeprefix("0")
    return {".": "0.f", "-.": "0.f"}.get(text, text + "f") + ","


def main():
    here = pathlib.Path(__file__).resolve().parent
    digits = load_digits()
    images, labels = digits.data.astype(int).tolist(), digits.target.tolist()
    text = base85(encode(images, labels))
    lines = "\n".join(f'    "{text[i : i + 90]}"' for i in range(0, len(text), 90))
    (here / "digits_data.hpp").write_text(DATA_HEADER.replace("@TEXT@", lines))

    x, y = (digits.images / 16).astype(np.float32)[..., None], digits.target
    p = train(x[:TRAIN_COUNT], y[:TRAIN_COUNT])
    # The header holds three decimals, so that is the network whose accuracy counts.
    p = {name: np.round(value, 3) for name, value in p.items()}
    scores = [accuracy(p, x[s], y[s]) for s in (slice(TRAIN_COUNT), slice(TRAIN_COUNT, None))]
    arrays = []
    for name, value in p.items():
        extent = " * ".join(map(str, value.shape))
        numbers = wrapped(number(v) for v in value.ravel())
        arrays.append(f"inline constexpr float {name}[{extent}] = {{\n{numbers}\n}};\n")
    header = NETWORK_HEADER.replace("@ARRAYS@", "\n".join(arrays))
    header = header.replace("@TRAIN@", f"{scores[0]:.2%}").replace("@TEST@", f"{scores[1]:.2%}")
    header = header.replace("@COUNT@", f"{sum(value.size for value in p.values()):,}")
    (here / "digits_network.hpp").write_text(header)
    print(f"train {scores[0]:.4f}, test {scores[1]:.4f}")


DATA_HEADER = r"""// The 8x8 hand-written digits. Written by train_digits.py: do not edit.
//
// Data: "Optical Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak (UCI Machine
// Learning Repository, 1998, https://doi.org/10.24432/C50P49), licensed under CC BY 4.0
// (https://creativecommons.org/licenses/by/4.0/). These are the 1,797 samples that scikit-learn
// ships as load_digits(), in its order; only the encoding is ours, no value is changed.
//
// Coding: each label (4 bits), then its 64 pixels (5 bits each, 0..16), go most significant bit
// first through an adaptive binary arithmetic coder. A pixel's probabilities depend on its column
// and on how dark its left and upper neighbours are (5 levels each); they start at 1/2 and move
// 1/32 of the way towards each bit seen. The bytes are written in base 85, big-endian groups of 4
// as 5 characters from '#' on, with 'x' for the backslash and 'y' for the question mark: neither
// then needs an escape. This is 2.4 bits a pixel, less than half of 5-bit packing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace digits {

inline constexpr std::size_t sample_count = 1797;
inline constexpr std::size_t pixel_count = 64;   // 8 rows of 8
inline constexpr std::size_t train_count = 1437; // the first samples train ...
inline constexpr std::size_t test_count = 360;   // ... and the last test, unshuffled

struct data_set {
    std::uint8_t pixels[sample_count][pixel_count]; // row by row, 0 (paper) .. 16 (ink)
    std::uint8_t labels[sample_count];              // 0..9
};

namespace detail {

inline constexpr char text[] =
@TEXT@;

// Reads the bytes behind `text`.
class byte_reader {
public:
    std::uint32_t next() {
        if (left_ == 0) {
            word_ = 0;
            for (int i = 0; i < 5; ++i) {
                const char c = *at_++;
                const char plain = c == 'x' ? '\\' : c == 'y' ? '?' : c;
                word_ = word_ * 85 + static_cast<std::uint32_t>(plain - '#');
            }
            left_ = 4;
        }
        --left_;
        return (word_ >> (8 * left_)) & 255;
    }

private:
    const char* at_ = text;
    std::uint32_t word_ = 0;
    int left_ = 0;
};

// A carry-less binary arithmetic decoder: [low, high] narrows with each bit, and its leading bytes
// leave as soon as both ends agree on them.
class decoder {
public:
    decoder() {
        for (int i = 0; i < 4; ++i) {
            code_ = (code_ << 8) | bytes_.next();
        }
    }

    // One value of `bits` bits. `ones` holds 1 << bits probabilities of a one, in 1/65536, one for
    // each prefix of the value.
    std::uint8_t symbol(std::uint16_t* ones, int bits) {
        std::uint32_t node = 1;
        for (int i = 0; i < bits; ++i) {
            std::uint32_t one = ones[node];
            const std::uint32_t mid = low_ + ((high_ - low_) >> 16) * one;
            const bool bit = code_ <= mid;
            if (bit) {
                high_ = mid;
                one += (65536 - one) >> 5;
            } else {
                low_ = mid + 1;
                one -= one >> 5;
            }
            ones[node] = static_cast<std::uint16_t>(one);
            while (((low_ ^ high_) >> 24) == 0) {
                low_ <<= 8;
                high_ = (high_ << 8) | 255;
                code_ = (code_ << 8) | bytes_.next();
            }
            node = 2 * node + (bit ? 1 : 0);
        }
        return static_cast<std::uint8_t>(node - (1U << bits));
    }

private:
    byte_reader bytes_;
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0xFFFFFFFF;
    std::uint32_t code_ = 0;
};

inline int level(int pixel) {
    return (pixel > 0) + (pixel > 4) + (pixel > 10) + (pixel > 15);
}

} // namespace detail

inline void decode(data_set& out) {
    std::uint16_t label_ones[16];
    std::uint16_t pixel_ones[8][5][5][32]; // column, left, above, prefix
    for (std::uint16_t& one : label_ones) {
        one = 32768;
    }
    for (auto& column : pixel_ones) {
        for (auto& left : column) {
            for (auto& above : left) {
                for (std::uint16_t& one : above) {
                    one = 32768;
                }
            }
        }
    }
    detail::decoder in;
    for (std::size_t n = 0; n < sample_count; ++n) {
        out.labels[n] = in.symbol(label_ones, 4);
        std::uint8_t* image = out.pixels[n];
        for (std::size_t i = 0; i < pixel_count; ++i) {
            const int left = detail::level(i % 8 != 0 ? image[i - 1] : 0);
            const int above = detail::level(i >= 8 ? image[i - 8] : 0);
            image[i] = in.symbol(pixel_ones[i % 8][left][above], 5);
        }
    }
}

// The whole set, decoded at the first call (a few milliseconds).
inline const data_set& data() {
    static const data_set set = [] {
        data_set decoded;
        decode(decoded);
        return decoded;
    }();
    return set;
}

} // namespace digits
"""

NETWORK_HEADER = r"""// The float network of the demo. Written by train_digits.py: do not edit.
//
//   input      8x8x1   pixel / 16, NHWC
//   conv1      8x8x8   3x3, SAME, stride 1, relu
//   conv2      4x4x16  3x3, SAME, stride 2, relu (pads only below and to the right)
//   depthwise  4x4x16  3x3, SAME, stride 1, relu
//   pointwise  4x4x32  1x1, relu
//   pool       2x2x32  average, 2x2, stride 2; then flattened (row, column, channel) to 128
//   dense      10      logits; a softmax, where wanted, comes after
//
// @COUNT@ parameters, rounded to three decimals. Trained from scratch on the first 1,437 samples
// of digits_data.hpp, in its order, shifted by up to a pixel. Accuracy of this float network:
// @TRAIN@ there, @TEST@ on the last 360 samples, which training never saw.
#pragma once

// Row-major. Weights: convolutions OHWI (output, row, column, input), depthwise 1HWC, dense OI.
namespace digits::network {

@ARRAYS@
} // namespace digits::network
"""

if __name__ == "__main__":
    main()
