"""Two files of one program: they link, also from a static library with hidden visibility; files that
disagree on a macro of the ABI do not."""
import pathlib

from house import CXX, HERE, INCLUDES, SINGLE, STRICT, expect, finish, parallel, scratch

HEADERS = {"headers": INCLUDES,
           "single header": [*SINGLE, "-DKOMPAKT_HEADER=<kompakt.hpp>"],
           "single device header": [*SINGLE, "-DKOMPAKT_HEADER=<kompakt_device.hpp>"],
           # A model emitted against one single header, in a program that uses the other.
           "both single headers": [*SINGLE, "-include", "kompakt_device.hpp",
                                   "-DKOMPAKT_HEADER=<kompakt.hpp>"]}
MISMATCHES = ["-DKOMPAKT_MESSAGES=0", "-DKOMPAKT_MESSAGE_BYTES=64"]


def check(case):
    what, flags = case
    with scratch() as folder:
        def compile(source, *more):
            to = pathlib.Path(folder, f"{source}{len(list(pathlib.Path(folder).iterdir()))}.o")
            expect(True, f"{what}: {source}", CXX, *STRICT, *flags, *more, "-c",
                   HERE / "consumer" / source, "-o", to)
            return to

        program = pathlib.Path(folder, "program")
        main, second = compile("main.cpp"), compile("second.cpp")
        expect(True, f"{what}: two files", CXX, main, second, "-pthread", "-o", program)
        expect(True, f"{what}: runs", program)

        hidden, library = compile("second.cpp", "-fvisibility=hidden"), pathlib.Path(folder, "lib.a")
        expect(True, f"{what}: ar", "ar", "rcs", library, hidden)
        expect(True, f"{what}: static library", CXX, main, library, "-pthread", "-o", program)
        expect(True, f"{what}: runs", program)

        for mismatch in MISMATCHES if what == "headers" else []:
            expect(False, f"{what}: {mismatch} in one file of two", CXX, main,
                   compile("second.cpp", mismatch), "-pthread", "-o", program)


parallel(check, HEADERS.items())
finish("linked: " + ", ".join(HEADERS))
