"""Hostile macros, defined before each umbrella and single header, do no harm and are back after."""
import pathlib
import platform
import re

from house import CXX, INCLUDES, ROOT, SINGLE, STRICT, expect, fail, finish, headers, parallel, run, scratch

push = (ROOT / "include/kompakt/core/macros_push.hpp").read_text()
pop = (ROOT / "include/kompakt/core/macros_pop.hpp").read_text()
pushed = re.findall(r'push_macro\("(\w+)"\)', push)
if pushed != re.findall(r'pop_macro\("(\w+)"\)', pop) or pushed != re.findall(r"#undef (\w+)", push):
    fail("macros_push.hpp and macros_pop.hpp differ")

# A name that some header of the system defines would be undefined again by the pop.
system = sorted({i for _, p in headers() for i in re.findall(r"#\s*include <([^>]+)>", p.read_text())
                 if not i.startswith("kompakt")})
lines = "".join(f"#if __has_include(<{i}>)\n#include <{i}>\n#endif\n" for i in system
                if i not in ("arm_mve.h", "arm_acle.h"))
dump = run(CXX, "-std=c++17", "-E", "-dM", "-xc++", "-", input=lines).stdout
for name in sorted(set(re.findall(r"#define (\w+)", dump)) & set(pushed)):
    fail(f"{name} is defined by a system header and cannot be put aside")

# Not put aside, since nothing here uses such names: newlib's <ctype.h>, Arduino's pins and bits.
others = "_U _L _N _S _P _C _X _B A0 A1 SS SCK MOSI MISO SDA SCL B10 B11 B100 TWO_PI HALF_PI EULER " \
         "RISING FALLING CHANGE SERIAL DISPLAY bitRead bitSet bitClear lowByte highByte interrupts".split()
function_like = {"min": "(a,b) ((a)<(b)?(a):(b))", "max": "(a,b) ((a)>(b)?(a):(b))",
                 "abs": "(x) ((x)>0?(x):-(x))", "round": "(x) ((x)>=0?(long)((x)+0.5):(long)((x)-0.5))",
                 "F": "(text) (text)", "emit": ""}
hostile = "".join(f"#define {n}{function_like.get(n, ' hostile ( macro')}\n" for n in pushed)
hostile += "".join(f"#define {n} 0x10\n" for n in others)
back = "".join(f"#ifndef {n}\n#error {n} is lost\n#endif\n" for n in pushed + others)
back += 'static_assert(min(1, 2) == 1 && abs(-1) == 1 && sizeof(F("abc")) == 4, "");\n'


def compile(case):
    includes, name = case
    with scratch() as folder:
        source = pathlib.Path(folder, "hostile.cpp")
        source.write_text(f"{hostile}#include <{name}>\n{back}int main() {{}}\n")
        expect(True, name, CXX, *STRICT, *includes, "-fsyntax-only", source)


# KOMPAKT_PORT takes the name of any port of this processor.
if platform.machine() == "x86_64":
    for port, tag in (("portable", "portable"), ("avx2", "x86::avx2")):
        with scratch() as folder:
            source = pathlib.Path(folder, "port.cpp")
            source.write_text("#include <kompakt/device.hpp>\nstatic_assert(std::is_same_v<"
                              f"kompakt::default_port, kompakt::{tag}>);\nint main() {{}}\n")
            expect(True, f"KOMPAKT_PORT={port}", CXX, *STRICT, *INCLUDES, f"-DKOMPAKT_PORT={port}",
                   "-fsyntax-only", source)

parallel(compile, [(INCLUDES, "kompakt/device.hpp"), (INCLUDES, "kompakt/kompakt.hpp"),
                   (SINGLE, "kompakt_device.hpp"), (SINGLE, "kompakt.hpp")])
finish(f"{len(pushed) + len(others)} macros")
