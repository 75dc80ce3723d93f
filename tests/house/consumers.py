"""The ways to use the library from a project: add_subdirectory, find_package, plain include path."""
import pathlib

from house import CXX, HERE, INCLUDES, ROOT, expect, finish, run, scratch

with scratch() as folder:
    folder = pathlib.Path(folder)
    consumer = HERE / "consumer"
    compiler = f"-DCMAKE_CXX_COMPILER={CXX}"

    def build(what, *options):
        where = folder / what
        # Empty files would do for this test, so it compiles without optimization.
        steps = [["-S", consumer, "-B", where, compiler, *options], ["--build", where]]
        if all(expect(True, what, "cmake", *step).returncode == 0 for step in steps):
            expect(True, what, where / "consumer")
        return where

    sub = build("add_subdirectory", f"-DKOMPAKT_SOURCE={ROOT}")
    cache = run("cmake", "-LA", "-N", sub).stdout
    for option in ("TESTS", "BENCH", "EXAMPLES", "INSTALL"):
        if f"KOMPAKT_{option}:BOOL=OFF" not in cache.replace("=0", "=OFF"):
            expect(True, f"KOMPAKT_{option} is on in a subdirectory", "false")

    expect(True, "configure", "cmake", "-S", ROOT, "-B", folder / "self", compiler, "-DKOMPAKT_TESTS=OFF",
           "-DKOMPAKT_BENCH=OFF", "-DKOMPAKT_EXAMPLES=OFF", f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}")
    expect(True, "install", "cmake", "--install", folder / "self")
    config = (ROOT / "include/kompakt/core/config.hpp").read_text()
    version = config.split("VERSION_MAJOR ")[1].split()[0] + "." + config.split("VERSION_MINOR ")[1].split()[0]
    build("find_package", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", f"-DKOMPAKT_VERSION={version}")

    program = folder / "plain"
    expect(True, "plain include path", CXX, "-std=c++17", *INCLUDES, consumer / "main.cpp",
           consumer / "second.cpp", "-o", program, "-pthread")
    expect(True, "plain include path", program)
finish("add_subdirectory, find_package, plain include path")
