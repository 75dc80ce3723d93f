"""What the house tests share: where things are, which rooms there are, how to run a command."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/house"
CXX = os.environ.get("CXX", "g++")
STRICT = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]
INCLUDES = ["-I", str(ROOT / "include"), "-I", str(ROOT / "ports")]
SINGLE = ["-I", str(ROOT / "single_include")]

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "cmake"))
from single_header import APART, DEVICE_ROOMS, HOST_ROOMS  # noqa: E402,F401

failures = []


def fail(text):
    failures.append(text)


def finish(done):
    """Ends the test: prints the failures, or what was done."""
    shown = failures[:20] + ([f"and {len(failures) - 20} more"] if len(failures) > 20 else [])
    print("\n".join(shown) if failures else done)
    sys.exit(1 if failures else 0)


def headers():
    """(name as included, path) of every header of the rooms and the ports."""
    return [(p.relative_to(top).as_posix(), p) for top in (ROOT / "include", ROOT / "ports")
            for p in sorted(top.rglob("*.hpp"))]


def room_of(name):
    """core, numeric, ...; "ports" for a port; None for the umbrella headers."""
    parts = name.split("/")
    if parts[0] == "kompakt_ports":
        return "ports"
    return parts[1] if len(parts) > 2 else None


def is_device(name):
    return room_of(name) in DEVICE_ROOMS + ["ports"] or name == "kompakt/device.hpp"


def run(*command, **options):
    """The completed process; output and errors together as text in .stdout."""
    command = [str(c) for c in command]
    try:
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              **options)
    except OSError as e:  # not built, not installed
        return subprocess.CompletedProcess(command, 127, str(e))


def start_of(output, lines=12):
    parts = output.strip().splitlines()
    return "\n".join(parts[:lines] + (["..."] if len(parts) > lines else []))


def expect(ok, what, *command, **options):
    """Runs a command that has to succeed, or to fail."""
    p = run(*command, **options)
    if (p.returncode == 0) != ok:
        fail(f"{what}: " + (start_of(p.stdout) if ok else "succeeded, and should not"))
    return p


def parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def scratch():
    return tempfile.TemporaryDirectory(prefix="kompakt_house_")


def code_lines(path):
    """(number, line without comments and text, the conditions that it is under) of a header."""
    conditions = []
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(), flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]
        m = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if m and m[1].startswith("if"):
            conditions.append(m[2])
        elif m and m[1] == "endif":
            conditions.pop()
        elif m:
            conditions[-1] = m[2] if m[1] == "elif" else f" not ({conditions[-1]})"
        yield number, line, list(conditions)
