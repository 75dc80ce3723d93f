"""Every C++ snippet of README.md and docs/*.md compiles.

A fenced block marked `cpp` is a whole file if it has a main or an #include; else the body of a
function in a program that includes <kompakt/kompakt.hpp> and uses namespace kompakt.

    snippets.py COMPILER [FLAGS...]
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BODY = """#include <kompakt/kompakt.hpp>
using namespace kompakt;
[[maybe_unused]] static status snippet() {
%s
return {};
}
"""


def snippets():
    for page in PAGES:
        text = page.read_text()
        for m in re.finditer(r"^```cpp\n(.*?)^```", text, re.M | re.S):
            line = text.count("\n", 0, m.start()) + 2
            code = m[1]
            whole = "#include" in code or re.search(r"\bmain\(", code)
            yield f"{page.relative_to(ROOT)}:{line}", code if whole else BODY % code


def compile_one(item):
    where, code = item
    command = [*sys.argv[1:], "-std=c++17", "-Wall", "-Wextra", "-fsyntax-only", "-I", ROOT / "include",
               "-I", ROOT / "ports", "-x", "c++", "-"]
    done = subprocess.run(command, input=code, text=True, capture_output=True, cwd=ROOT)
    return where, done.returncode, done.stderr


found = list(snippets())
if not found:
    sys.exit("snippets: none found, so this test would check nothing")
failed = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for where, code, errors in pool.map(compile_one, found):
        print(where, "ok" if code == 0 else "does not compile")
        if code != 0:
            failed += 1
            print(errors)
sys.exit(1 if failed else 0)
