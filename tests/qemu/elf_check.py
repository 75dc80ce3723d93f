"""What a firmware's ELF holds, with limits.

    elf_check.py ELF [--no-heap] [--max WHAT BYTES]...

WHAT is flash (code and constants, without weights), model (weights), data, bss or arena. --no-heap:
no symbol of an allocator, of exceptions or of stdio.
"""
import argparse
import re
import subprocess
import sys

HEAP = re.compile(r"malloc|calloc|realloc|^_?free(_r)?$|_sbrk|^_Z(nw|na|dl|da)|__cxa_(throw|allocate)|"
                  r"_Unwind_|printf|fwrite|__cxa_guard|__cxa_atexit")

parser = argparse.ArgumentParser()
parser.add_argument("elf")
parser.add_argument("--no-heap", action="store_true")
parser.add_argument("--max", nargs=2, action="append", default=[], metavar=("WHAT", "BYTES"))
args = parser.parse_args()


def tool(name, *options):
    command = ["arm-none-eabi-" + name, *options, args.elf]
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


section = {m[1]: int(m[2]) for m in re.finditer(r"^\.(\S+)\s+(\d+)\s", tool("size", "-A"), re.M)}
size = {w: section.get(w, 0) for w in ("model", "data", "bss", "arena")}
size["flash"] = sum(section.get(s, 0) for s in ("text", "rodata", "data", "ARM.extab", "ARM.exidx"))
print(", ".join(f"{what} {n}" for what, n in sorted(size.items())))

failures = [f"{what}: {size[what]} bytes, at most {limit}" for what, limit in args.max
            if size[what] > int(limit)]
if args.no_heap:
    names = {line.split()[-1] for line in tool("nm").splitlines()}
    failures += [f"symbol {n}" for n in sorted(names) if HEAP.search(n)]
for failure in failures:
    print("failed:", failure)
sys.exit(1 if failures else 0)
