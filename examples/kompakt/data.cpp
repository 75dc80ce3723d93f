#include "data.hpp"

#include <kompakt/core/byte_order.hpp>
#include <kompakt/format/npy.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/report/model.hpp>

#include <cmath>
#include <cstring>

namespace tool {

using namespace kompakt;

namespace {

// Dimensions of one say nothing about the order of elements.
std::vector<std::int64_t> without_ones(const std::vector<std::int64_t>& dims) {
    std::vector<std::int64_t> out;
    for (std::int64_t d : dims) {
        if (d != 1) out.push_back(d);
    }
    return out;
}

std::string shape_text(const std::vector<std::int64_t>& dims) {
    std::string s = "[";
    for (std::size_t i = 0; i < dims.size(); ++i)
        s += (i != 0 ? ", " : "") + std::to_string(dims[i]);
    return s + "]";
}

// An array of the right number of elements may still hold them in another order (channels first).
status check_shape(const std::vector<std::int64_t>& given, const port_tensor& t) {
    std::vector<std::int64_t> sample(t.dims.begin(), t.dims.end());
    std::vector<std::int64_t> needed = without_ones(sample);
    std::vector<std::int64_t> rest = given;
    std::int64_t product = 1;
    for (std::int64_t d : given) product *= d; // fits: the file holds as many elements
    const auto elements = static_cast<std::int64_t>(t.elements);
    const auto fits = [&](const std::vector<std::int64_t>& dims) {
        const std::vector<std::int64_t> plain = without_ones(dims);
        return plain == needed || plain == without_ones({elements});
    };
    if (fits(rest)) return {}; // one sample
    if (!rest.empty()) rest.erase(rest.begin());
    if (fits(rest) && product % elements == 0) return {};
    return fail(errc::bad_data, "has the shape ", shape_text(given), ", needs samples of ",
                shape_text(sample), " or of ", elements, " elements");
}

} // namespace

result<std::optional<dtype>> input_type(const arguments& a) {
    if (!a.has("--input-type")) return std::optional<dtype>();
    const auto name = a.choice("--input-type", {"float32", "uint8", "int8", "int16"});
    if (!name) return name.error();
    for (dtype t : {dtype::f32, dtype::u8, dtype::i8, dtype::i16}) {
        if (*name == name_of(t)) return std::optional<dtype>(t);
    }
    return std::optional<dtype>();
}

result<samples> samples::open(const std::string& path, const port_tensor& tensor,
                              std::optional<dtype> type) {
    samples s;
    s.path_ = path;
    s.tensor_ = tensor;
    s.convert_ = type.has_value();
    s.type_ = type.value_or(tensor.type);
    if (s.convert_ && tensor.type != dtype::f32 &&
        !((tensor.type == dtype::i8 || tensor.type == dtype::u8 || tensor.type == dtype::i16) &&
          tensor.scale > 0)) {
        return fail(errc::bad_argument, "--input-type: ", tensor.text(),
                    " has no scale that real values could be quantized with");
    }
    auto file = read_file(path);
    if (!file.ok()) return file.error();
    s.file_ = std::move(*file);
    std::uint64_t bytes = s.file_.size();
    if (npy::has_magic(s.file_)) {
        const auto array = npy::read(s.file_);
        if (!array.ok()) return in_file(path, array.error());
        if (array->type != s.type_) {
            return in_file(path, fail(errc::bad_data, "has elements of ", name_of(array->type),
                                      ", needs ", name_of(s.type_), " for ", tensor.text(),
                                      s.convert_ ? ""
                                                 : "; --input-type says that they are real "
                                                   "values to be converted"));
        }
        s.at_ = s.file_.size() - array->data.size();
        bytes = array->data.size();
        if (bytes != 0) {
            const status shape = check_shape(array->shape, tensor);
            if (!shape.ok()) return in_file(path, shape);
        }
    }
    const std::uint64_t one = std::uint64_t{tensor.elements} * bits_of(s.type_) / 8;
    if (bytes == 0 || bytes % one != 0) {
        return in_file(path, fail(errc::bad_data, bytes == 0 ? "is empty" : "has ",
                                  bytes == 0 ? "" : std::to_string(bytes) + " bytes",
                                  ", needs a multiple of ", one, " (", name_of(s.type_),
                                  " samples for ", tensor.text(), ")"));
    }
    s.count_ = static_cast<std::size_t>(bytes / one);
    return s;
}

float samples::value(std::size_t sample, std::size_t i) const noexcept {
    const std::byte* at =
        file_.data() + at_ + (sample * tensor_.elements + i) * (bits_of(type_) / 8);
    switch (type_) {
    case dtype::f32:
        return load_le<float>(at);
    case dtype::u8:
        return static_cast<float>(load_le<std::uint8_t>(at));
    case dtype::i8:
        return static_cast<float>(load_le<std::int8_t>(at));
    case dtype::i16:
        return static_cast<float>(load_le<std::int16_t>(at));
    case dtype::i32:
        return static_cast<float>(load_le<std::int32_t>(at));
    default:
        return 0;
    }
}

status samples::not_a_number(std::size_t sample, std::size_t i, float x) const {
    return in_file(path_, fail(errc::bad_data, "sample ", sample, ", value ", i, " is ",
                               std::isnan(x) ? "NaN" : "infinite", "; ", tensor_.text(),
                               " needs finite values"));
}

status samples::fill(std::size_t sample, bytes_span to) const {
    const std::size_t size = tensor_.bytes;
    if (!convert_) {
        std::memcpy(to.data(), file_.data() + at_ + sample * size, size);
        convert_little_endian(to, tensor_.type);
        return {};
    }
    for (std::size_t i = 0; i < tensor_.elements; ++i) {
        const float x = value(sample, i);
        if (tensor_.type == dtype::f32) {
            store_le(to.data() + i * 4, x);
            continue;
        }
        if (!std::isfinite(x)) return not_a_number(sample, i, x);
        // As the quantize operator: half away from zero, then into the range of the type.
        const float q = (std::round)(x / tensor_.scale) + static_cast<float>(tensor_.zero_point);
        const auto limited = [&](float low, float high) {
            return static_cast<std::int32_t>(q < low ? low : q > high ? high : q);
        };
        if (tensor_.type == dtype::i8) {
            store_le(to.data() + i, static_cast<std::int8_t>(limited(-128, 127)));
        } else if (tensor_.type == dtype::u8) {
            store_le(to.data() + i, static_cast<std::uint8_t>(limited(0, 255)));
        } else {
            store_le(to.data() + i * 2, static_cast<std::int16_t>(limited(-32768, 32767)));
        }
    }
    convert_little_endian(to, tensor_.type);
    return {};
}

result<std::vector<float>> samples::real(std::size_t sample) const {
    std::vector<float> out;
    if (convert_) {
        out.resize(tensor_.elements);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(sample, i);
    } else {
        std::vector<std::byte> one(tensor_.bytes);
        KOMPAKT_TRY(fill(sample, {one.data(), one.size()}));
        out = real_values(tensor_, {one.data(), one.size()});
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!std::isfinite(out[i])) return not_a_number(sample, i, out[i]);
    }
    return out;
}

result<std::vector<samples>> open_inputs(const session& s, const std::vector<std::string>& paths,
                                         std::optional<dtype> type) {
    if (paths.size() != s.inputs()) {
        std::string names;
        for (std::size_t i = 0; i < s.inputs(); ++i)
            names += (i != 0 ? "; " : "") + input_of(s, i).text();
        return fail(errc::bad_argument, "the model has ", s.inputs(),
                    s.inputs() == 1 ? " input (" : " inputs (", names, "), given ", paths.size(),
                    " --input");
    }
    std::vector<samples> all;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        auto one = samples::open(paths[i], input_of(s, i), type);
        if (!one.ok()) return one.error();
        all.push_back(std::move(*one));
        if (all[i].count() != all[0].count()) {
            return in_file(paths[i],
                           fail(errc::bad_data, "has ", all[i].count(), " samples, ",
                                kompakt::detail::shown_path(paths[0]), " has ", all[0].count()));
        }
    }
    return all;
}

result<std::size_t> sample_count(const arguments& given, const char* option,
                                 const std::vector<samples>& inputs) {
    // A model without inputs computes the same each time.
    const std::size_t available = inputs.empty() ? 1 : inputs[0].count();
    const auto count = given.number(option, available, 1, UINT64_MAX);
    if (!count) return count.error();
    if (*count <= available) return static_cast<std::size_t>(*count);
    if (inputs.empty()) {
        return fail(errc::bad_argument, option, " ", *count, ": the model has no inputs, needs 1");
    }
    return in_file(inputs[0].path(), fail(errc::bad_data, "has ", available, " samples, ", option,
                                          " asks for ", *count));
}

result<std::vector<std::int32_t>> read_labels(const std::string& path, std::size_t count) {
    const auto file = read_file(path);
    if (!file.ok()) return file.error();
    bytes_view data = *file;
    dtype type = data.size() == count ? dtype::u8 : dtype::i32;
    if (npy::has_magic(data)) {
        const auto array = npy::read(data);
        if (!array.ok()) return in_file(path, array.error());
        type = array->type;
        data = array->data;
        if (type != dtype::u8 && type != dtype::i32 && type != dtype::i64) {
            return in_file(path, fail(errc::bad_data, "has labels of ", name_of(type),
                                      ", needs uint8, int32 or int64"));
        }
    }
    const std::size_t each = bits_of(type) / 8;
    if (data.size() != count * each) {
        return in_file(path, fail(errc::bad_data, "has ", data.size(), " bytes; ", count,
                                  " samples need ", count, " bytes (one each) or ", count * 4,
                                  " (int32)"));
    }
    std::vector<std::int32_t> labels(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* at = data.data() + i * each;
        const std::int64_t label = type == dtype::u8    ? load_le<std::uint8_t>(at)
                                   : type == dtype::i32 ? load_le<std::int32_t>(at)
                                                        : load_le<std::int64_t>(at);
        if (label < 0 || label > INT32_MAX) {
            return in_file(path, fail(errc::bad_data, "label ", i, " is ", label));
        }
        labels[i] = static_cast<std::int32_t>(label);
    }
    return labels;
}

result<std::vector<float>> read_targets(const std::string& path, std::size_t count,
                                        std::size_t each) {
    const auto file = read_file(path);
    if (!file.ok()) return file.error();
    bytes_view data = *file;
    if (npy::has_magic(data)) {
        const auto array = npy::read(data);
        if (!array.ok()) return in_file(path, array.error());
        if (array->type != dtype::f32) {
            return in_file(path, fail(errc::bad_data, "has elements of ", name_of(array->type),
                                      ", needs float32"));
        }
        data = array->data;
    }
    if (data.size() != count * each * 4) {
        return in_file(path, fail(errc::bad_data, "has ", data.size(), " bytes; ", count,
                                  " samples of ", each, " float32 values need ", count * each * 4));
    }
    std::vector<float> out(count * each);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = load_le<float>(data.data() + i * 4);
        if (!std::isfinite(out[i])) {
            return in_file(path, fail(errc::bad_data, "value ", i, " is not finite"));
        }
    }
    return out;
}

} // namespace tool
