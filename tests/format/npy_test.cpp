#include <kompakt/format/npy.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

namespace npy = kompakt::npy;
using kompakt::dtype;
using kompakt::errc;

namespace {

std::vector<std::byte> file_of(int version, std::string header, std::size_t data_bytes) {
    const std::size_t prefix = version == 1 ? 10 : 12;
    std::vector<std::byte> f(prefix + header.size() + data_bytes);
    std::memcpy(f.data(), "\x93NUMPY", 6);
    f[6] = static_cast<std::byte>(version);
    if (version == 1) {
        kompakt::store_le(f.data() + 8, static_cast<std::uint16_t>(header.size()));
    } else {
        kompakt::store_le(f.data() + 8, static_cast<std::uint32_t>(header.size()));
    }
    std::memcpy(f.data() + prefix, header.data(), header.size());
    for (std::size_t i = 0; i < data_bytes; ++i) {
        f[prefix + header.size() + i] = static_cast<std::byte>(i);
    }
    return f;
}

std::string header_of(const std::string& type, const std::string& shape,
                      const std::string& order = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape +
           ", }   \n";
}

// In a heap block of exactly the file's size; only the answer, as the data would dangle.
kompakt::status check(const std::vector<std::byte>& f) {
    const std::unique_ptr<std::byte[]> copy(new std::byte[f.size()]);
    if (!f.empty()) std::memcpy(copy.get(), f.data(), f.size());
    const auto a = npy::read(kompakt::bytes_view(copy.get(), f.size()));
    if (!a.ok()) return a.error();
    unsigned sum = 0;
    for (const std::byte b : a->data) sum += static_cast<unsigned>(b);
    return sum < 0xffffffffu ? kompakt::status() : kompakt::fail(errc::bad_data, "");
}

} // namespace

TEST_CASE("npy: what was written is read") {
    const dtype types[] = {dtype::f32, dtype::f64, dtype::f16,    dtype::i8,
                           dtype::u8,  dtype::i16, dtype::u16,    dtype::i32,
                           dtype::u32, dtype::i64, dtype::boolean};
    const std::vector<std::vector<std::int64_t>> shapes = {{}, {3}, {2, 0, 5}, {1, 49, 10, 1}};
    for (const dtype t : types) {
        for (const auto& shape : shapes) {
            std::size_t n = kompakt::bits_of(t) / 8;
            for (const auto d : shape) n *= static_cast<std::size_t>(d);
            std::vector<std::byte> data(n);
            for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<std::byte>(7 * i);
            const auto f = npy::write(t, shape, data);
            REQUIRE(f.ok());
            CHECK((f->size() - n) % 64 == 0);
            const auto a = npy::read(*f);
            REQUIRE(a.ok());
            CHECK(a->type == t);
            CHECK(a->shape == shape);
            CHECK(std::vector<std::byte>(a->data.begin(), a->data.end()) == data);
        }
    }
    const float x[] = {1.5f, -2.0f};
    const std::int64_t shape[] = {2};
    const auto f = npy::write(dtype::f32, shape, kompakt::as_bytes(kompakt::span<const float>(x)));
    // Byte for byte what numpy.save writes.
    const std::string head(reinterpret_cast<const char*>(f->data()), 128);
    CHECK(head == std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }" +
                      std::string(60, ' ') + "\n");
    const auto a = npy::read(*f);
    CHECK(*a->copy<float>() == std::vector<float>{1.5f, -2.0f});
    CHECK(a->at<float>(1) == -2.0f);
    CHECK(a->copy<std::int32_t>().error().code() == errc::bad_file);
}

TEST_CASE("npy: versions, spellings") {
    CHECK(check(file_of(1, header_of("<f4", "(2, 3)"), 24)).ok());
    CHECK(check(file_of(2, header_of("<f4", "(2, 3)"), 24)).ok());
    CHECK(check(file_of(3, header_of("|u1", "(2,3,)"), 6)).ok());
    CHECK(check(file_of(1, header_of("<u1", "(6L,)"), 6)).ok());
    CHECK(check(file_of(1, header_of("<i8", "()"), 8)).ok());
    CHECK(check(file_of(1, "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"|b1\"}", 1)).ok());
}

TEST_CASE("npy: what is refused") {
    const auto code = [](const std::string& header, std::size_t n) {
        return check(file_of(1, header, n)).code();
    };
    CHECK(code(header_of(">f4", "(1,)"), 4) == errc::unsupported);
    CHECK(code(header_of("<c8", "(1,)"), 8) == errc::unsupported);
    CHECK(code(header_of("|O", "(1,)"), 8) == errc::unsupported);
    CHECK(code(header_of("<U3", "(1,)"), 12) == errc::unsupported);
    CHECK(code(header_of("|f4", "(1,)"), 4) == errc::unsupported);
    CHECK(code(header_of("<f4", "(1,)", "True"), 4) == errc::unsupported);
    CHECK(code("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4) ==
          errc::unsupported);
    CHECK(std::string(check(file_of(1, header_of(">f4", "(1,)"), 4)).message()).find("\">f4\"") !=
          std::string::npos);

    CHECK(code(header_of("<f4", "(2,)"), 7) == errc::bad_file);
    CHECK(code(header_of("<f4", "(2,)"), 9) == errc::bad_file);
    CHECK(code(header_of("<f4", "(2)"), 8) == errc::bad_file);
    CHECK(code(header_of("<f4", "(-2,)"), 8) == errc::bad_file);
    CHECK(code(header_of("<f4", "(,)"), 8) == errc::bad_file);
    CHECK(code(header_of("<f4", "(2,", "False"), 8) == errc::bad_file);
    CHECK(code(header_of("<f4", "(4611686018427387904, 4)"), 0) == errc::limit);
    CHECK(code(header_of("<f4", "(4611686018427387905,)"), 4) == errc::limit);
    CHECK(code(header_of("<f4", "(99999999999999999999,)"), 4) == errc::limit);
    CHECK(code(header_of("<f4", "(4611686018427387904, 4, 0)"), 0) == errc::ok);
    std::string wide = "(";
    for (int i = 0; i < 33; ++i) wide += "1,";
    CHECK(code(header_of("<f4", wide + ")"), 4) == errc::limit);
    CHECK(code("{'descr': '<f4', 'shape': (1,)}", 4) == errc::bad_file);
    CHECK(code("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4) ==
          errc::bad_file);
    CHECK(code("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4) ==
          errc::bad_file);
    CHECK(code(header_of("<f4", "(1,)") + "x", 4) == errc::bad_file);
    CHECK(check(file_of(4, header_of("<f4", "(1,)"), 4)).code() == errc::unsupported);

    const std::int64_t shape[] = {2};
    const std::vector<std::byte> data(7);
    CHECK(npy::write(dtype::f32, shape, data).error().code() == errc::bad_argument);
    CHECK(npy::write(dtype::i4, shape, data).error().code() == errc::unsupported);
    const std::int64_t negative[] = {-1};
    CHECK(npy::write(dtype::f32, negative, data).error().code() == errc::bad_argument);
}

TEST_CASE("npy: every truncation is refused, every flipped bit survived") {
    for (const int version : {1, 2}) {
        auto f = file_of(version, header_of("<f4", "(2, 3)"), 24);
        REQUIRE(check(f).ok());
        for (std::size_t n = 0; n < f.size(); ++n) {
            CHECK_FALSE(check({f.begin(), f.begin() + static_cast<std::ptrdiff_t>(n)}).ok());
        }
        for (std::size_t bit = 0; bit < 8 * f.size(); ++bit) {
            f[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
            if (!check(f).ok()) CHECK(check(f).message()[0] != '\0');
            f[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        }
    }
}
