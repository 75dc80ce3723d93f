// A writer of FlatBuffers that needs no schema.
//
// Children come before their parents, in any order; the file grows from its end to its front:
//
//     flatbuffer::writer out;
//     const flatbuffer::offset name = out.string("x");
//     const flatbuffer::offset shape = out.vector<std::int32_t>({1, 49, 10, 1});
//     const flatbuffer::offset tensor = out.table(flatbuffer::fields()
//                                                     .reference(0, shape)
//                                                     .scalar<std::int8_t>(1, 9, 0)
//                                                     .reference(3, name));
//     result<std::vector<std::byte>> file = out.finish(tensor, "TFL3");
//
// The same calls give the same bytes. Like the reader, the writer remembers its first failure (the
// file would exceed 2 GiB, a table 64 KiB, a field was set twice), and `finish` reports it.
// Source: https://flatbuffers.dev/internals, "FlatBuffers internals".
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace flatbuffer {

// Names something that was written already, by its distance from the end of the file.
struct offset {
    std::uint32_t from_end = 0; // 0: nothing

    explicit operator bool() const noexcept { return from_end != 0; }
};

// What a table is going to hold. Fields may be set in any order, each once.
class fields {
  public:
    // T, the type in the schema, must be named, hence the parameter that cannot be deduced.
    template <class T>
    fields& scalar(std::uint16_t id, typename std::common_type<T>::type value) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "flatbuffer: not a scalar");
        return add(id, sizeof(T), bits_of_value<T>(value), false);
    }
    // Leaves the field out when the value is the schema's default, bit for bit.
    template <class T>
    fields& scalar(std::uint16_t id, typename std::common_type<T>::type value,
                   typename std::common_type<T>::type otherwise) {
        if (bits_of_value<T>(value) == bits_of_value<T>(otherwise)) return *this;
        return scalar<T>(id, value);
    }
    // A table, string or vector; left out when there is nothing.
    fields& reference(std::uint16_t id, offset to) {
        return to ? add(id, 4, to.from_end, true) : *this;
    }
    // A union: its type at `type_id`, its value at the next id. Type 0 is none.
    fields& variant(std::uint16_t type_id, std::uint8_t type, offset value) {
        scalar<std::uint8_t>(type_id, type, 0);
        return reference(static_cast<std::uint16_t>(type_id + 1), value);
    }

  private:
    friend class writer;
    struct field {
        std::uint64_t bits;
        std::uint16_t id;
        std::uint8_t size;
        bool is_reference;
    };

    template <class T>
    static std::uint64_t bits_of_value(T value) noexcept {
        std::byte b[8] = {};
        store_le(b, value);
        return load_le<std::uint64_t>(b);
    }
    fields& add(std::uint16_t id, std::size_t size, std::uint64_t bits, bool is_reference) {
        list_.push_back({bits, id, static_cast<std::uint8_t>(size), is_reference});
        return *this;
    }

    std::vector<field> list_;
};

class writer {
  public:
    // A smaller limit than the format's is for those who must not exceed it (and for tests).
    explicit writer(std::uint64_t limit_bytes = 0x7fffffff) noexcept
        : limit_(limit_bytes < 0x7fffffff ? limit_bytes : 0x7fffffff) {}

    offset string(std::string_view text) {
        align(text.size() + 1, 4);
        zeros(1);
        push(text.data(), text.size());
        return push_count(text.size());
    }

    // Of scalars, or of offsets (tables, strings), from any contiguous container.
    template <class Container, class T = typename Container::value_type>
    offset vector(const Container& elements) {
        return vector_of(span<const T>(elements));
    }
    template <class T>
    offset vector(std::initializer_list<T> elements) {
        return vector_of(span<const T>(elements.begin(), elements.size()));
    }
    template <class Container>
    offset strings(const Container& texts) {
        std::vector<offset> offsets;
        for (const auto& text : texts) offsets.push_back(string(text));
        return vector(offsets);
    }
    // A vector of bytes whose first byte is at a multiple of `alignment`, a power of two, in the
    // file. TFLite wants 16 for the data of its buffers.
    offset bytes(bytes_view data, std::size_t alignment = 16) {
        KOMPAKT_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= 4096,
                       "flatbuffer: alignment");
        align(data.size(), 4);
        align(data.size(), alignment);
        push(data.data(), data.size());
        return push_count(data.size());
    }

    offset table(const fields& f) {
        // Large fields go to the end of the table, so that little is lost to alignment.
        std::vector<fields::field> list = f.list_;
        std::sort(list.begin(), list.end(), [](const fields::field& a, const fields::field& b) {
            return a.size != b.size ? a.size > b.size : a.id > b.id;
        });
        std::size_t count = 0;
        for (const auto& field : list) count = (std::max)(count, std::size_t{field.id} + 1);

        const std::uint64_t start = used_;
        std::vector<std::uint64_t> place(count, 0);
        for (const auto& field : list) {
            if (place[field.id] != 0) {
                fail(errc::bad_argument, "flatbuffer: field ", field.id, " is set twice");
            }
            align(0, field.size);
            if (field.is_reference) {
                push_reference({static_cast<std::uint32_t>(field.bits)});
            } else {
                std::byte b[8];
                store_le(b, field.bits);
                push(b, field.size);
            }
            place[field.id] = used_;
        }
        align(0, 4);
        zeros(4); // for the offset of the vtable
        const std::uint64_t table_at = used_;
        if (table_at - start > 0xffff || 4 + 2 * count > 0xffff) {
            fail(errc::limit, "flatbuffer: a table of ", table_at - start, " bytes and ", count,
                 " field ids, the limits are 65535 and 32765");
        }
        if (!ok()) return {};

        std::vector<std::byte> vtable(4 + 2 * count);
        store_le(vtable.data(), static_cast<std::uint16_t>(vtable.size()));
        store_le(vtable.data() + 2, static_cast<std::uint16_t>(table_at - start));
        for (std::size_t id = 0; id < count; ++id) {
            store_le(vtable.data() + 4 + 2 * id,
                     static_cast<std::uint16_t>(place[id] == 0 ? 0 : table_at - place[id]));
        }
        const std::uint64_t vtable_at = place_vtable(vtable);
        if (!ok()) return {};
        store_le(from_end(table_at),
                 static_cast<std::int32_t>(static_cast<std::int64_t>(vtable_at) -
                                           static_cast<std::int64_t>(table_at)));
        return {static_cast<std::uint32_t>(table_at)};
    }

    bool ok() const noexcept { return first_.ok(); }

    // The file, which must be kept at an address that is a multiple of 16, or of the largest
    // alignment asked for. The identifier has four characters, or none ("" leaves it out). The
    // writer is empty afterwards.
    result<std::vector<std::byte>> finish(offset root, std::string_view identifier) {
        if (!root) fail(errc::bad_argument, "flatbuffer: no root");
        if (!identifier.empty() && identifier.size() != 4) {
            fail(errc::bad_argument, "flatbuffer: an identifier has 4 characters, not ",
                 identifier.size());
        }
        align(4 + identifier.size(), alignment_);
        push(identifier.data(), identifier.size());
        push_reference(root);

        const status s = first_;
        std::vector<std::byte> file = std::move(buffer_);
        file.erase(file.begin(), file.end() - static_cast<std::ptrdiff_t>(s.ok() ? used_ : 0));
        *this = writer(limit_);
        if (!s.ok()) return s;
        return file;
    }

  private:
    template <class... Parts>
    void fail(errc code, const Parts&... parts) noexcept {
        if (first_.ok()) first_ = status::failure(code, parts...);
    }
    std::byte* from_end(std::uint64_t n) noexcept {
        return buffer_.data() + (buffer_.size() - static_cast<std::size_t>(n));
    }

    // Room for n bytes more in front, zeroed or not; false when the limit does not allow it.
    bool grow(std::uint64_t n) {
        if (!ok()) return false;
        if (n > limit_ - used_) {
            fail(errc::limit, "flatbuffer: the file needs ", used_, " + ", n,
                 " bytes, the limit is ", limit_);
            return false;
        }
        if (n > buffer_.size() - used_) {
            const std::uint64_t wanted =
                (std::max)(used_ + n, (std::max)(std::uint64_t{1024}, 2 * used_));
            std::vector<std::byte> larger(static_cast<std::size_t>(wanted));
            if (used_ != 0) {
                std::memcpy(larger.data() + (larger.size() - static_cast<std::size_t>(used_)),
                            from_end(used_), static_cast<std::size_t>(used_));
            }
            buffer_ = std::move(larger);
        }
        used_ += n;
        return true;
    }
    void push(const void* from, std::size_t n) {
        if (n != 0 && grow(n)) std::memcpy(from_end(used_), from, n);
    }
    void zeros(std::size_t n) {
        if (n != 0 && grow(n)) std::memset(from_end(used_), 0, n);
    }
    // Pads so that what starts after `next` bytes more is aligned. Distances from the end count:
    // `finish` makes the whole a multiple of the largest alignment.
    void align(std::uint64_t next, std::size_t alignment) {
        alignment_ = (std::max)(alignment_, alignment);
        zeros(static_cast<std::size_t>((0 - (used_ + next)) & (alignment - 1)));
    }
    void push_reference(offset to) {
        align(0, 4);
        KOMPAKT_ASSERT(!ok() || to.from_end <= used_, "flatbuffer: an offset of another writer");
        std::byte b[4];
        store_le(b, static_cast<std::uint32_t>(used_ + 4 - to.from_end));
        push(b, 4);
    }
    offset push_count(std::size_t n) {
        std::byte b[4];
        store_le(b, static_cast<std::uint32_t>(n));
        push(b, 4);
        return ok() ? offset{static_cast<std::uint32_t>(used_)} : offset{};
    }

    template <class T>
    offset vector_of(span<const T> elements) {
        if constexpr (std::is_same_v<T, offset>) {
            align(4 * std::uint64_t{elements.size()}, 4);
            for (std::size_t i = elements.size(); i > 0; --i) {
                if (!elements[i - 1]) fail(errc::bad_argument, "flatbuffer: no element ", i - 1);
                push_reference(elements[i - 1]);
            }
        } else {
            static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>,
                          "flatbuffer: a vector of scalars or offsets");
            align(elements.size_bytes(), 4);
            align(elements.size_bytes(), sizeof(T));
            if (KOMPAKT_BIG_ENDIAN && sizeof(T) > 1) {
                for (std::size_t i = elements.size(); i > 0; --i) {
                    std::byte b[sizeof(T)];
                    store_le(b, elements[i - 1]);
                    push(b, sizeof(T));
                }
            } else {
                push(elements.data(), elements.size_bytes());
            }
        }
        return push_count(elements.size());
    }

    // Tables of the same layout share a vtable.
    std::uint64_t place_vtable(const std::vector<std::byte>& vtable) {
        for (const std::uint64_t at : vtables_) {
            const std::byte* old = from_end(at);
            if (load_le<std::uint16_t>(old) == vtable.size() &&
                std::memcmp(old, vtable.data(), vtable.size()) == 0) {
                return at;
            }
        }
        push(vtable.data(), vtable.size());
        vtables_.push_back(used_);
        return used_;
    }

    std::uint64_t limit_;
    std::vector<std::byte> buffer_; // its last used_ bytes are the file so far
    std::uint64_t used_ = 0;
    std::size_t alignment_ = 4;
    std::vector<std::uint64_t> vtables_;
    status first_;
};

} // namespace flatbuffer
} // namespace KOMPAKT_ABI
} // namespace kompakt
