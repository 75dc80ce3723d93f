// Constants and quantization parameters. Contract: constants (docs/contracts.md).
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/dtype.hpp>
#include <kompakt/graph/shape.hpp>
#include <kompakt/kernel/program.hpp>
#include <kompakt/quant/packing.hpp>
#include <kompakt/quant/scheme.hpp>

#include <memory>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// real value = scale * (q - zero_point). One scale for the tensor (axis -1), one per slice along
// `axis`, or one per run of `group` elements along it.
struct quantization {
    kompakt::scheme scheme = kompakt::scheme::affine;
    int bits = 8;
    int axis = -1;
    int group = 0;
    std::vector<float> scales;
    std::vector<std::int32_t> zero_points;

    bool per_tensor() const noexcept { return scales.size() == 1; }
    float scale() const noexcept { return scales.empty() ? 0.0f : scales[0]; }
    std::int32_t zero_point() const noexcept { return zero_points.empty() ? 0 : zero_points[0]; }

    static quantization per_tensor_affine(float scale, std::int32_t zero_point, int bits = 8) {
        quantization q;
        q.bits = bits;
        q.scales = {scale};
        q.zero_points = {zero_point};
        return q;
    }
    friend bool operator==(const quantization& a, const quantization& b) {
        return a.scheme == b.scheme && a.bits == b.bits && a.axis == b.axis && a.group == b.group &&
               a.scales == b.scales && a.zero_points == b.zero_points;
    }
    friend bool operator!=(const quantization& a, const quantization& b) { return !(a == b); }
};

// How a payload is stored, with the numbers that its decoder needs.
struct coding {
    encoding kind = encoding::dense;
    int bits = 0;                     // packed, codebook
    int n = 0, m = 0;                 // n_of_m
    int rows = 0, cols = 0;           // block
    encoding inner = encoding::dense; // huffman
};

constexpr const char* name_of(encoding e) noexcept {
    switch (e) {
    case encoding::dense:
        return "dense";
    case encoding::packed:
        return "packed";
    case encoding::codebook:
        return "codebook";
    case encoding::bitmask:
        return "bitmask";
    case encoding::n_of_m:
        return "n_of_m";
    case encoding::csr_delta:
        return "csr_delta";
    case encoding::block:
        return "block";
    case encoding::huffman:
        return "huffman";
    case encoding::port:
        return "port";
    }
    return "unknown";
}

// Elements in row-major order, little-endian. The payload is shared: copies of a graph are cheap.
struct constant {
    dtype type = dtype::none;
    kompakt::shape shape;
    kompakt::coding coding;
    std::shared_ptr<const std::vector<std::byte>> payload;

    bytes_view bytes() const noexcept {
        return payload ? bytes_view(payload->data(), payload->size()) : bytes_view();
    }
    template <class T>
    std::vector<T> values() const {
        KOMPAKT_ASSERT(dtype_of<T> == type && coding.kind == encoding::dense,
                       "constant: another element type, or not dense");
        std::vector<T> out(bytes().size() / sizeof(T));
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = load_le<T>(bytes().data() + i * sizeof(T));
        }
        return out;
    }
};

template <class T>
constant make_constant(kompakt::shape dims, const std::vector<T>& values) {
    auto payload = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        store_le(payload->data() + i * sizeof(T), static_cast<T>(values[i]));
    }
    return {dtype_of<T>, std::move(dims), {}, std::move(payload)};
}

inline constant make_constant_bytes(dtype type, kompakt::shape dims, bytes_view bytes) {
    return {type,
            std::move(dims),
            {},
            std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end())};
}

namespace detail {
template <unsigned Bits>
constant unpacked_constant(const constant& c, std::size_t n) {
    std::vector<std::int8_t> out(n);
    unpack_signed_values<Bits>(c.bytes(), span<std::int8_t>(out.data(), n));
    // One bit is the sign of 1.
    if (Bits == 1) {
        for (std::int8_t& x : out) x = static_cast<std::int8_t>(x | 1);
    }
    return make_constant(c.shape, out);
}
} // namespace detail

// The one decoder of every encoding: a dense constant of the same elements.
inline result<constant> decode(const constant& c) {
    if (c.coding.kind == encoding::dense) return c;
    const int bits = c.coding.bits;
    if (c.coding.kind == encoding::packed && (bits == 1 || bits == 2 || bits == 4)) {
        if (bits != 4 && c.type != dtype::i8) {
            return fail(errc::unsupported, "packed of ", bits, " bits as ", name_of(c.type),
                        ", needed int8");
        }
        const auto n = element_count(c.shape);
        if (!n.ok()) return n.error();
        const std::size_t per_byte = static_cast<std::size_t>(8 / bits);
        const std::size_t needed = *n / per_byte + (*n % per_byte != 0 ? 1 : 0);
        if (needed != c.bytes().size()) {
            return fail(errc::bad_file, "packed int", bits, ": needs ", needed, " bytes, has ",
                        c.bytes().size());
        }
        if (bits == 1) return detail::unpacked_constant<1>(c, *n);
        return bits == 2 ? detail::unpacked_constant<2>(c, *n)
                         : detail::unpacked_constant<4>(c, *n);
    }
    return fail(errc::unsupported, "no decoder for the encoding ", name_of(c.coding.kind), " of ",
                c.coding.bits, " bits");
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
