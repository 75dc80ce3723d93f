#!/usr/bin/env python3
"""Writes the umbrella headers and the two single headers from the headers of the rooms.

    python3 cmake/single_header.py            rewrites what is out of date
    python3 cmake/single_header.py --check    names what is out of date, exit status 1
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "include", ROOT / "ports"]

# From low to high. A room may include itself and lower rooms only.
DEVICE_ROOMS = ["core", "numeric", "quant", "kernel", "run", "token", "link"]
HOST_ROOMS = ["host", "format", "graph", "io", "plan", "train", "compress", "distill", "comm",
              "data", "emit", "report"]

# Needs something that is not on every machine: never part of an umbrella.
APART = re.compile(r"kompakt_ports/ascend/|kompakt/comm/mpi")

INCLUDE = re.compile(r"\s*#\s*include\s*<(kompakt[^>]*)>")
HAS_INCLUDE = re.compile(r"__has_include\(<(kompakt_ports/[^>]*)>\)")
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")


def find(name):
    return next((f / name for f in FOLDERS if (f / name).is_file()), None)


def headers(folder):
    """Names, as they are included, of the headers below a folder of include/ or ports/."""
    names = [p.relative_to(top).as_posix() for top in FOLDERS
             for p in sorted((top / folder).rglob("*.hpp")) if "#pragma once" in p.read_text()]
    return [n for n in names if not APART.search(n)]


def umbrella(comment, body):
    lines = [f"// {comment}", "// The list is written by cmake/single_header.py.", "// clang-format off", "#pragma once", "",
             "#include <kompakt/core/macros_push.hpp>", "",
             *body, "#include <kompakt/core/macros_pop.hpp>"]
    return "\n".join(lines) + "\n"


def of_rooms(rooms):
    lines = []
    for room in rooms:
        found = [f"#include <{n}>" for n in headers(f"kompakt/{room}")]
        lines += found + [""] if found else []
    return lines


def device_umbrella():
    """The ports come after the rooms that they may include, and before `run`, which chooses one."""
    below = DEVICE_ROOMS.index("kernel") + 1
    body = of_rooms(DEVICE_ROOMS[:below])
    for port in sorted((ROOT / "ports/kompakt_ports").glob("*/")):
        names = headers(f"kompakt_ports/{port.name}")
        if names:
            body += [f"#if __has_include(<{names[0]}>)", *(f"#include <{n}>" for n in names),
                     "#endif", ""]
    body += of_rooms(DEVICE_ROOMS[below:])
    return umbrella("Every device-grade header, and the ports if they are on the include path.", body)


def host_umbrella():
    rooms = of_rooms(HOST_ROOMS)
    return umbrella("Everything: the device headers, and the host rooms where there is a host.",
                    ["#include <kompakt/device.hpp>", "",
                     *(["#if KOMPAKT_HOSTED", *rooms[:-1], "#endif", ""] if rooms else [])])


class Inliner:
    """Replaces each include of ours by the text of the header, the first time it is reached."""

    def __init__(self):
        self.lines = []
        # What has been written: everywhere, and inside each conditional that is open. What was
        # written inside a conditional is forgotten with it, since it may have been skipped.
        self.written = [set()]

    def add(self, name):
        text = find(name).read_text()
        once = "#pragma once" in text
        if once and any(name in w for w in self.written):
            return
        # One guard a header, so that both single headers may meet in one file.
        guard = "KOMPAKT_SINGLE_" + re.sub(r"\W", "_", name).upper()
        if once:
            self.written[-1].add(name)
            self.lines += ["", f"#ifndef {guard}", f"#define {guard}", f"// {name}"]
        open_conditions = []  # whether each #if of this header is kept
        for line in text.splitlines():
            include, condition = INCLUDE.match(line), CONDITION.match(line)
            if include and find(include[1]):
                self.add(include[1])
                continue
            if line.strip() == "#pragma once" or line.startswith("// clang-format"):
                continue
            if condition and condition[1] in ("if", "ifdef", "ifndef"):
                # The ports are in this very file, so asking for them is no condition at all.
                asked = re.fullmatch(r"\s*#\s*if\s+" + HAS_INCLUDE.pattern + r"\s*", line)
                open_conditions.append(not (asked and find(asked[1])))
                if not open_conditions[-1]:
                    continue
                self.written.append(set())
            elif condition:
                if not open_conditions[-1]:
                    if condition[1] != "endif":
                        raise SystemExit(f"{name}: #{condition[1]} after __has_include of a port")
                    open_conditions.pop()
                    continue
                if condition[1] == "endif":
                    open_conditions.pop()
                    self.written.pop()
                else:
                    self.written[-1] = set()
            self.lines.append(HAS_INCLUDE.sub(lambda m: "1" if find(m[1]) else "0", line))
        if once:
            self.lines.append(f"#endif // {guard}")


def single(name):
    config = find("kompakt/core/config.hpp").read_text()
    version = ".".join(re.search(rf"KOMPAKT_VERSION_{p} (\d+)", config)[1]
                       for p in ("MAJOR", "MINOR", "PATCH"))
    inliner = Inliner()
    inliner.add(name)
    text = "\n".join([f"// kompakt {version} in one file, generated by cmake/single_header.py: edit the headers",
                      "// that it names instead. MIT licence, see LICENSE.",
                      "// clang-format off", "#pragma once", *inliner.lines])
    return re.sub(r"\n{3,}", "\n\n", text) + "\n"


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    stale = []
    for path, make in [("include/kompakt/device.hpp", device_umbrella),
                       ("include/kompakt/kompakt.hpp", host_umbrella),
                       ("single_include/kompakt_device.hpp", lambda: single("kompakt/device.hpp")),
                       ("single_include/kompakt.hpp", lambda: single("kompakt/kompakt.hpp"))]:
        text, file = make(), ROOT / path
        if not file.is_file() or file.read_text() != text:
            stale.append(path)
            if not check:
                file.parent.mkdir(exist_ok=True)
                file.write_text(text)
    for path in stale:
        print(f"{path}: " + ("out of date; run cmake/single_header.py" if check else "written"))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
