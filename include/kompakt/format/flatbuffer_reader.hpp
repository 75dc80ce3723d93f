// A reader of FlatBuffers that needs no schema: the caller gives ids and types of fields.
//
//     flatbuffer::reader in(bytes);
//     const flatbuffer::table_ref model = in.root("TFL3");
//     const auto version = model.scalar<std::uint32_t>(0, 0);
//     for (flatbuffer::table_ref graph : model.tables(2)) { ... graph.string(4) ... }
//     KOMPAKT_TRY(in.check()); // one check after all of it, or after each group
//
// How errors work: the reader remembers the first failure. The access that fails, and every later
// one that would open something new, gives the absent table, the empty vector or string, or the
// default; so loops end, nothing is read outside the bytes, and what was read is to be thrown away
// if `check()` is not ok. An absent field is no failure: it gives the same empty things or the
// default, as the format wants it. Handles point into the reader, which must outlive them; a reader
// serves one thread.
//
// A hostile file cannot make a walk long. Offsets only point forward (they are unsigned, and a sum
// beyond the file is refused, not wrapped), so there are no cycles; chains are limited by the depth
// that tables know; and the sum of all that is opened is limited in proportion to the file (think
// of a thousand references to a table that has a thousand references to one large vector).
//
// Positions and sizes are in bytes from the start of the file. Nothing needs alignment.
// Source: https://flatbuffers.dev/internals, "FlatBuffers internals".
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/checked.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>

#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace flatbuffer {

// Offsets are signed 32-bit numbers in part, so no more than this much of a file is a FlatBuffer.
// What follows (TFLite keeps large weights there) must be fetched by other means.
inline constexpr std::uint64_t max_bytes = 0x7fffffff;

struct reader_limits {
    // Tables below tables, the root counted as one.
    std::uint32_t depth = 64;
    // Bytes opened in all: 32 for each table; 8 for each vector or string, plus its scalars or
    // characters. 0 means 1 MiB + 64 times the file.
    std::uint64_t work = 0;
};

class reader;
template <class T>
class vector_ref;
struct union_ref;

namespace detail {
// A bool that is neither 0 nor 1 must not exist even for a moment.
template <class T>
T load_scalar(const std::byte* from) noexcept {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "flatbuffer: not a scalar");
    if constexpr (std::is_same_v<T, bool>) {
        return *from != std::byte{0};
    } else {
        return load_le<T>(from);
    }
}
} // namespace detail

// A table, or no table: then all fields are absent.
class table_ref {
  public:
    table_ref() noexcept = default;

    explicit operator bool() const noexcept { return reader_ != nullptr; }
    // Where it starts.
    std::uint64_t position() const noexcept { return at_; }
    // The root is at depth 1.
    std::uint32_t depth() const noexcept { return depth_; }
    // Ids at or above this are absent.
    std::size_t field_count() const noexcept { return fields_; }
    bool has(std::size_t id) const noexcept { return locate(id, 0) != 0; }

    // An integer, float, bool or enum.
    template <class T>
    T scalar(std::size_t id, T otherwise = T{}) const noexcept;
    table_ref table(std::size_t id) const noexcept;
    // Without a promise of a NUL behind it.
    std::string_view string(std::size_t id) const noexcept;
    // Of scalars, table_ref or std::string_view.
    template <class T>
    vector_ref<T> vector(std::size_t id) const noexcept;
    vector_ref<table_ref> tables(std::size_t id) const noexcept;
    vector_ref<std::string_view> strings(std::size_t id) const noexcept;
    // A union of tables takes two fields, the type at `type_id` and the value at the next id.
    union_ref variant(std::size_t type_id) const noexcept;

  private:
    friend class reader;
    // Where a field of `size` bytes starts; 0 when it is absent or wrong.
    std::uint64_t locate(std::size_t id, std::uint64_t size) const noexcept;

    reader* reader_ = nullptr;
    std::uint64_t at_ = 0;
    std::uint64_t vtable_ = 0;
    std::uint32_t depth_ = 0;
    std::uint16_t fields_ = 0;
    std::uint16_t size_ = 0;
};

struct union_ref {
    std::uint8_t type = 0; // 0: none
    table_ref value;
};

class reader {
  public:
    explicit reader(bytes_view bytes, reader_limits limits = {}) noexcept
        : bytes_(bytes), limits_(limits),
          size_(bytes.size() < max_bytes ? bytes.size() : max_bytes) {
        if (limits_.work == 0) limits_.work = (std::uint64_t{1} << 20) + 64 * size_;
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    // The root table. Fails unless the file has the four-character identifier; "" asks for none.
    table_ref root(std::string_view identifier) noexcept {
        const std::uint64_t header = identifier.empty() ? 4 : 8;
        if (!need(0, header, "the header")) return {};
        if (!identifier.empty() && identifier != id_text()) {
            fail(errc::bad_file, "flatbuffer: byte 4: needs the identifier \"", identifier,
                 "\", has \"", id_text(), "\"");
            return {};
        }
        return open_table(follow(0), 0);
    }

    bool ok() const noexcept { return first_.ok(); }
    // The first failure, with the byte where it showed.
    const status& check() const noexcept { return first_; }
    // For callers' own findings; only the first failure of all is kept.
    template <class... Parts>
    void fail(errc code, const Parts&... parts) noexcept {
        if (first_.ok()) first_ = status::failure(code, parts...);
    }
    // Forgets the failure, for probes that guess at types. The work done stays counted.
    void clear() noexcept { first_ = status(); }

    // All bytes, those behind the FlatBuffer too.
    bytes_view bytes() const noexcept { return bytes_; }

  private:
    friend class table_ref;
    template <class T>
    friend class vector_ref;

    std::string_view id_text() const noexcept {
        return {reinterpret_cast<const char*>(bytes_.data()) + 4, 4};
    }
    const std::byte* data(std::uint64_t at) const noexcept {
        return bytes_.data() + static_cast<std::size_t>(at);
    }
    bool need(std::uint64_t at, std::uint64_t n, const char* what) noexcept {
        if (inside(at, n, size_)) return true;
        fail(errc::bad_file, "flatbuffer: byte ", at, ": ", what, " needs ", n, " bytes, has ",
             at < size_ ? size_ - at : 0);
        return false;
    }
    bool spend(std::uint64_t at, std::uint64_t n) noexcept {
        if (n <= limits_.work - work_) {
            work_ += n;
            return true;
        }
        fail(errc::limit, "flatbuffer: byte ", at, ": opening ", n,
             " bytes more exceeds the limit ", limits_.work, ": references share too much");
        return false;
    }
    // The target of the offset at `at`, whose four bytes are known to be inside. 0 after a failure.
    std::uint64_t follow(std::uint64_t at) noexcept {
        const auto offset = load_le<std::uint32_t>(data(at));
        if (offset == 0) fail(errc::bad_file, "flatbuffer: byte ", at, ": an offset is zero");
        return offset == 0 ? 0 : at + offset;
    }

    table_ref open_table(std::uint64_t at, std::uint32_t parent_depth) noexcept {
        if (!ok()) return {};
        if (parent_depth >= limits_.depth) {
            fail(errc::limit, "flatbuffer: byte ", at, ": a table at depth ",
                 std::uint64_t{parent_depth} + 1, ", the limit is ", limits_.depth);
            return {};
        }
        if (!spend(at, 32) || !need(at, 4, "a table")) return {};
        const std::int64_t vtable = static_cast<std::int64_t>(at) - load_le<std::int32_t>(data(at));
        if (vtable < 0) {
            fail(errc::bad_file, "flatbuffer: byte ", at, ": the vtable of a table is at ", vtable);
            return {};
        }
        const auto v = static_cast<std::uint64_t>(vtable);
        if (!need(v, 4, "a vtable")) return {};
        const auto vtable_size = load_le<std::uint16_t>(data(v));
        const auto table_size = load_le<std::uint16_t>(data(v + 2));
        if (vtable_size < 4 || vtable_size % 2 != 0 || table_size < 4) {
            fail(errc::bad_file, "flatbuffer: byte ", v, ": a vtable of ", vtable_size,
                 " bytes for a table of ", table_size, ", needs an even number and at least 4");
            return {};
        }
        if (!need(v, vtable_size, "a vtable") || !need(at, table_size, "a table")) return {};
        table_ref t;
        t.reader_ = this;
        t.at_ = at;
        t.vtable_ = v;
        t.depth_ = parent_depth + 1;
        t.fields_ = static_cast<std::uint16_t>((vtable_size - 4) / 2);
        t.size_ = table_size;
        return t;
    }

    // Where the elements start and how many there are; {0, 0} after a failure.
    struct extent {
        std::uint64_t at = 0;
        std::uint64_t count = 0;
    };
    extent open_vector(std::uint64_t at, std::uint64_t element_size, bool scalars,
                       const char* what) noexcept {
        if (!ok() || !need(at, 4, what)) return {};
        const std::uint64_t count = load_le<std::uint32_t>(data(at));
        const std::uint64_t size = count * element_size;
        if (!need(at + 4, size, what) || !spend(at, 8 + (scalars ? size : 0))) return {};
        return {at + 4, count};
    }
    std::string_view open_string(std::uint64_t at) noexcept {
        const extent e = open_vector(at, 1, true, "a string");
        if (e.count == 0) return {};
        return {reinterpret_cast<const char*>(data(e.at)), static_cast<std::size_t>(e.count)};
    }

    bytes_view bytes_;
    reader_limits limits_;
    std::uint64_t size_;
    std::uint64_t work_ = 0;
    status first_;
};

// A vector of scalars (by value, of any alignment), tables or strings. An index outside is a
// failure of the reader and gives T{}: indices often come from the same file.
template <class T>
class vector_ref {
    static constexpr bool scalars =
        !std::is_same_v<T, table_ref> && !std::is_same_v<T, std::string_view>;

  public:
    using value_type = T;

    vector_ref() noexcept = default;

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // Where its elements start.
    std::uint64_t position() const noexcept { return at_; }

    T operator[](std::uint64_t i) const noexcept {
        if (i >= size_) {
            if (reader_ != nullptr) {
                reader_->fail(errc::bad_file, "flatbuffer: byte ", at_, ": index ", i,
                              " in a vector of ", size_);
            }
            return T{};
        }
        const std::uint64_t at = at_ + i * element_size();
        if constexpr (scalars) {
            return detail::load_scalar<T>(reader_->data(at));
        } else {
            if (!reader_->ok()) return T{};
            const std::uint64_t target = reader_->follow(at);
            if constexpr (std::is_same_v<T, table_ref>) {
                return reader_->open_table(target, depth_);
            } else {
                return reader_->open_string(target);
            }
        }
    }

    // The elements of a vector of scalars as they lie in the file: little endian, of any alignment.
    bytes_view raw() const noexcept {
        static_assert(scalars, "flatbuffer: raw() is for scalars");
        if (size_ == 0) return {};
        return {reader_->data(at_), size_ * sizeof(T)};
    }
    // The elements in place; empty when the address is not aligned for T, or the machine is big
    // endian (use operator[] or copy() then).
    span<const T> aligned() const noexcept {
        static_assert(scalars && !std::is_same_v<T, bool>, "flatbuffer: aligned() is for numbers");
        const bytes_view r = raw();
        if ((KOMPAKT_BIG_ENDIAN && sizeof(T) > 1) ||
            reinterpret_cast<std::uintptr_t>(r.data()) % alignof(T) != 0) {
            return {};
        }
        return {reinterpret_cast<const T*>(r.data()), size_};
    }
    std::vector<T> copy() const {
        static_assert(scalars, "flatbuffer: copy() is for scalars");
        std::vector<T> out(size_);
        for (std::size_t i = 0; i < size_; ++i) out[i] = (*this)[i];
        return out;
    }

    class iterator {
      public:
        iterator(const vector_ref& v, std::size_t i) noexcept : vector_(v), i_(i) {}
        T operator*() const noexcept { return vector_[i_]; }
        iterator& operator++() noexcept {
            ++i_;
            return *this;
        }
        bool operator!=(const iterator& other) const noexcept { return i_ != other.i_; }

      private:
        vector_ref vector_; // a copy, so that it may outlive the vector_ref that it came from
        std::size_t i_;
    };
    iterator begin() const noexcept { return {*this, 0}; }
    iterator end() const noexcept { return {*this, size_}; }

  private:
    friend class table_ref;
    static constexpr std::uint64_t element_size() noexcept {
        if constexpr (scalars) {
            return sizeof(T);
        } else {
            return 4;
        }
    }

    reader* reader_ = nullptr;
    std::uint64_t at_ = 0;
    std::size_t size_ = 0;
    std::uint32_t depth_ = 0;
};

inline std::uint64_t table_ref::locate(std::size_t id, std::uint64_t size) const noexcept {
    if (id >= fields_) return 0;
    const std::uint64_t entry = vtable_ + 4 + 2 * static_cast<std::uint64_t>(id);
    const auto offset = load_le<std::uint16_t>(reader_->data(entry));
    if (offset == 0) return 0;
    if (offset < 4 || !inside(offset, size, size_)) {
        reader_->fail(errc::bad_file, "flatbuffer: byte ", entry, ": field ", id, " of ", size,
                      " bytes is at ", offset, " in a table of ", size_);
        return 0;
    }
    return at_ + offset;
}

template <class T>
T table_ref::scalar(std::size_t id, T otherwise) const noexcept {
    const std::uint64_t at = locate(id, sizeof(T));
    return at == 0 ? otherwise : detail::load_scalar<T>(reader_->data(at));
}

inline table_ref table_ref::table(std::size_t id) const noexcept {
    const std::uint64_t at = locate(id, 4);
    return at == 0 ? table_ref() : reader_->open_table(reader_->follow(at), depth_);
}

inline std::string_view table_ref::string(std::size_t id) const noexcept {
    const std::uint64_t at = locate(id, 4);
    return at == 0 ? std::string_view() : reader_->open_string(reader_->follow(at));
}

template <class T>
vector_ref<T> table_ref::vector(std::size_t id) const noexcept {
    vector_ref<T> v;
    const std::uint64_t at = locate(id, 4);
    if (at == 0) return v;
    const auto e =
        reader_->open_vector(reader_->follow(at), v.element_size(), v.scalars, "a vector");
    v.reader_ = reader_;
    v.at_ = e.at;
    v.size_ = static_cast<std::size_t>(e.count);
    v.depth_ = depth_;
    return v;
}

inline vector_ref<table_ref> table_ref::tables(std::size_t id) const noexcept {
    return vector<table_ref>(id);
}

inline vector_ref<std::string_view> table_ref::strings(std::size_t id) const noexcept {
    return vector<std::string_view>(id);
}

inline union_ref table_ref::variant(std::size_t type_id) const noexcept {
    union_ref u;
    u.type = scalar<std::uint8_t>(type_id, 0);
    if (u.type != 0) u.value = table(type_id + 1);
    return u;
}

// Whether the bytes say that they are a FlatBuffer of this kind; no more is looked at.
inline bool has_identifier(bytes_view bytes, std::string_view identifier) noexcept {
    if (bytes.size() < 8 || identifier.size() != 4) return false;
    return std::memcmp(bytes.data() + 4, identifier.data(), 4) == 0;
}

} // namespace flatbuffer
} // namespace KOMPAKT_ABI
} // namespace kompakt
