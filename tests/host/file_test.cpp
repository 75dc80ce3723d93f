// Files: read with a limit, written whole or not at all.
#include <kompakt/host/file.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace kompakt;

namespace {
struct folder {
    std::string path;
    folder() {
        char name[] = "/tmp/kompakt_file_XXXXXX";
        REQUIRE(mkdtemp(name) != nullptr);
        path = name;
    }
    ~folder() { CHECK(std::system(("rm -rf " + path).c_str()) == 0); }
    std::string operator/(const char* name) const { return path + "/" + name; }
    int files() const {
        std::FILE* p = popen(("ls -A " + path + " | wc -l").c_str(), "r");
        int n = -1;
        CHECK(std::fscanf(p, "%d", &n) == 1);
        pclose(p);
        return n;
    }
};
bytes_view view(const std::string& s) {
    return as_bytes(span<const char>(s.data(), s.size()));
}
std::string text(bytes_view b) {
    return std::string(reinterpret_cast<const char*>(b.data()), b.size());
}
std::string message(const status& s) {
    return s.message();
}
} // namespace

TEST_CASE("file: what was written is read") {
    const folder f;
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65536},
                             std::size_t{65537}, std::size_t{300000}}) {
        std::string content(size, 'x');
        for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7);
        REQUIRE(write_file_atomic(f / "a", view(content)).ok());
        const auto back = read_file(f / "a");
        REQUIRE(back.ok());
        CHECK(text(*back) == content);
        const auto aligned = read_file_aligned(f / "a");
        REQUIRE(aligned.ok());
        CHECK(text({aligned->data(), aligned->size()}) == content);
        CHECK(reinterpret_cast<std::uintptr_t>(aligned->data()) % buffer_alignment == 0);
        CHECK(read_file(f / "a", size).ok());
        if (size > 0) {
            const auto s = read_file(f / "a", size - 1).error();
            CHECK(s.code() == errc::limit);
            CHECK(message(s).find("the limit is " + std::to_string(size - 1)) != std::string::npos);
        }
    }
    CHECK(f.files() == 1);
}

TEST_CASE("file: a pipe, and one that is longer than the limit") {
    const folder f;
    const std::string fifo = f / "fifo";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    CHECK(std::system(("head -c 200000 /dev/zero > " + fifo + " &").c_str()) == 0);
    const auto all = read_file(fifo);
    REQUIRE(all.ok());
    CHECK(all->size() == 200000);
    REQUIRE(mkfifo((f / "long").c_str(), 0600) == 0);
    CHECK(std::system(("head -c 200000 /dev/zero > " + (f / "long") + " 2> /dev/null &").c_str()) ==
          0);
    CHECK(read_file(f / "long", 100000).error().code() == errc::limit);
}

TEST_CASE("file: a device without an end is left soon") {
    CHECK(message(read_file("/dev/zero").error()) ==
          "/dev/zero: has more than the limit of 1048576 bytes");
    const auto none = read_file("/dev/null");
    REQUIRE(none.ok());
    CHECK(none->empty());
}

TEST_CASE("file: one that is protected is not replaced") {
    const folder f;
    REQUIRE(write_file_atomic(f / "a", view("old")).ok());
    REQUIRE(chmod((f / "a").c_str(), 0400) == 0);
    if (access((f / "a").c_str(), W_OK) == 0) return; // root writes everywhere
    CHECK(message(write_file_atomic(f / "a", view("new"))) ==
          (f / "a") + ": cannot write: Permission denied");
    CHECK(text(*read_file(f / "a")) == "old");
    CHECK(f.files() == 1);
}

TEST_CASE("file: failures say path and reason and leave nothing") {
    const folder f;
    const auto missing = read_file(f / "none").error();
    CHECK(missing.code() == errc::io);
    CHECK(message(missing) == (f / "none") + ": cannot open: No such file or directory");
    CHECK(message(read_file(f.path).error()) == f.path + ": cannot read: Is a directory");
    CHECK(message(write_file_atomic(f.path, view("x"))) ==
          f.path + ": cannot write: Is a directory");
    CHECK(message(write_file_atomic(f / "no/x", view("x"))) ==
          (f / "no/x") + ": cannot create: No such file or directory");
    CHECK(f.files() == 0);

    // The second of two cannot be written: the first is not replaced either.
    REQUIRE(write_file_atomic(f / "a", view("old")).ok());
    const std::string content = "new";
    const file_to_write both[] = {{f / "a", view(content)}, {f / "no/b", view(content)}};
    CHECK_FALSE(write_files_atomic(both).ok());
    CHECK(text(*read_file(f / "a")) == "old");
    CHECK(f.files() == 1);

    CHECK(write_file_atomic("/dev/full", view(std::string(100000, 'x'))).code() == errc::io);
    const std::string longer(300, 'p');
    const auto shown = message(read_file("/" + longer + "/x").error());
    CHECK(shown.find("cannot open") != std::string::npos);
}

TEST_CASE("file: replaces content, keeps mode and links, writes devices in place") {
    const folder f;
    REQUIRE(write_file_atomic(f / "a", view("one")).ok());
    REQUIRE(chmod((f / "a").c_str(), 0640) == 0);
    REQUIRE(symlink((f / "a").c_str(), (f / "link").c_str()) == 0);
    REQUIRE(write_file_atomic(f / "link", view("two"), {true}).ok());
    CHECK(text(*read_file(f / "a")) == "two");
    struct stat info;
    REQUIRE(lstat((f / "link").c_str(), &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
    REQUIRE(stat((f / "a").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0640);
    CHECK(f.files() == 2);
    // A link to what is not there yet, by way of another, and a circle.
    REQUIRE(symlink("made", (f / "near").c_str()) == 0);
    REQUIRE(symlink((f / "near").c_str(), (f / "far").c_str()) == 0);
    REQUIRE(write_file_atomic(f / "far", view("new")).ok());
    CHECK(text(*read_file(f / "made")) == "new");
    REQUIRE(lstat((f / "far").c_str(), &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
    REQUIRE(symlink("circle", (f / "circle").c_str()) == 0);
    CHECK(write_file_atomic(f / "circle", view("x")).code() == errc::io);
    REQUIRE(lstat((f / "circle").c_str(), &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
    CHECK(f.files() == 6);
    CHECK(write_file_atomic("/dev/null", view("x")).ok());
    REQUIRE(stat("/dev/null", &info) == 0);
    CHECK(S_ISCHR(info.st_mode));
}
