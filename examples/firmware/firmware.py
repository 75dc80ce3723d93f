#!/usr/bin/env python3
"""Emits models, builds them as firmware for Cortex-M cores, runs them under QEMU against reference
outputs, and prints instructions, flash, arena and stack.

    firmware.py [--digits build/…/digits] [--tool build/…/kompakt --data FOLDER]
                [--models kws_int8 …] [--cores m0 m4 m55] [--samples 10] [--optimize size]
                [--target PORT] [--level=-Os] [--limits limits.json] [--commands]

FOLDER holds tflite/NAME/{*.tflite, in0.bin, out0.bin}. With --digits the network of that demo comes
too, checked against the host. With --limits the figures are tests. --target is a port to emit for, by
default all that a core has. The digits, which call kernels themselves, use it too (KOMPAKT_PORT).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "qemu"))
import cortex_m  # noqa: E402
from cortex_m import CORES, QEMU  # noqa: E402

HEAP = re.compile(r"malloc|calloc|realloc|^_?free(_r)?$|^_Z(nw|na|dl|da)|__cxa_(throw|allocate|guard"
                  r"|atexit)|_Unwind_|printf")

parser = argparse.ArgumentParser()
parser.add_argument("--tool")
parser.add_argument("--data", type=pathlib.Path)
parser.add_argument("--digits", type=pathlib.Path)
parser.add_argument("--models", nargs="+")
parser.add_argument("--cores", nargs="+", default=list(CORES), choices=list(CORES))
parser.add_argument("--samples", type=int, default=10)
parser.add_argument("--optimize", default="size")
parser.add_argument("--target", choices=["portable", "cortex_m_v6m", "cortex_m_dsp", "cortex_m_mve"])
parser.add_argument("--level", default="-Os")
parser.add_argument("--limits", type=pathlib.Path)
parser.add_argument("--commands", action="store_true", help="print every command")
parser.add_argument("--work", type=pathlib.Path, help="keep the files there")
parser.add_argument("--jobs", type=int, default=os.cpu_count())
args = parser.parse_args()


PORTS = {"m0": ["portable", "cortex_m_v6m"], "m4": ["portable", "cortex_m_dsp"],
         "m55": ["portable", "cortex_m_mve"]}


def ports_of(core):
    return [args.target] if args.target else PORTS[core]


def families():
    """What kernels compute, by name without the element type."""
    text = (ROOT / "include" / "kompakt" / "run" / "kernels.hpp").read_text()
    names = re.search(r"kernel_list = type_list<(.*?)>;", text, re.S)[1]
    return {re.sub(r"(_(i4|i8|i16|i32|i64|u8|f16|f32|integers|b1))+$", "", n)
            for n in re.findall(r"\w+", names)}


def run(command, **options):
    return cortex_m.run(command, args.commands, **options)


def build(work, core, name, sources):
    return cortex_m.build(work, core, name, sources, args.level, args.commands)


def sections(elf):
    text = run(["arm-none-eabi-size", "-A", elf])
    return {m[1]: int(m[2]) for m in re.finditer(r"^\.(\S+)\s+(\d+)\s", text, re.M)}


def measure(work, plugin, core, port, name, model):
    header = work / (f"{name}.hpp" if name == "digits" else f"{name}-{port}.hpp")
    elf = build(work, core, f"{name}-{port}", [(HERE / "firmware.cpp", [
        f"-DKOMPAKT_MODEL_HEADER=\"{header}\"", f"-DKOMPAKT_MODEL=model_{name}",
        f"-DKOMPAKT_PORT={port}"])])
    counts = work / f"{name}-{port}-{core}.txt"
    first = cortex_m.execute(core, elf, model, PLUGIN=f"{plugin},out={counts}", ARG="1", LIMIT="1200")
    manifest = model / "manifest.json"
    there = json.loads(manifest.read_text())["num_samples"] if manifest.exists() else 360
    samples = min(args.samples, there)
    done = cortex_m.execute(core, elf, model, ARG=str(samples), LIMIT="7200")
    said = dict(re.findall(r"^(\w+) (\d+)$", done.stdout, re.M))
    region = re.search(r"^region 0 (\d+)", counts.read_text(), re.M) if counts.exists() else None
    symbols = [line.split()[-1] for line in run(["arm-none-eabi-nm", elf]).splitlines()]
    size = sections(elf)
    base = HARNESS[core]
    called = set(re.findall(r"kompakt::(\w+)::run\(", header.read_text()))
    others = {f for f in families() if not any(c == f or c.startswith(f + "_") for c in called)}
    linked = set(re.findall(r"\b(\w+)(?:::run)?[<(]", run(["arm-none-eabi-nm", "-C", elf])))
    return {
        "model": name, "core": core, "port": port, "optimize": args.optimize, "level": args.level,
        "ok": first.returncode == 0 and done.returncode == 0 and said.get("different") == "0",
        "said": done.stdout + done.stderr + first.stderr,
        "samples": int(said.get("samples", 0)),
        "instructions": int(region[1]) if region else 0,
        "text": size.get("text", 0) - base.get("text", 0),
        "rodata": size.get("rodata", 0) - base.get("rodata", 0),
        "weights": size.get("model", 0),
        "data": size.get("data", 0) - base.get("data", 0),
        "bss": size.get("bss", 0) - base.get("bss", 0),
        "arena": int(said.get("arena", 0)), "stack": int(said.get("stack", 0)),
        "heap": [s for s in symbols if HEAP.search(s)],
        "foreign": sorted(others & linked),
    }


work = args.work.resolve() if args.work else pathlib.Path(tempfile.mkdtemp(prefix="kompakt-firmware-"))
work.mkdir(parents=True, exist_ok=True)
plugin = work / "insn_count.so"
run(["cc", "-O2", "-shared", "-fPIC", "-o", plugin, QEMU / "insn_count.c"])
folders = {}  # name: where in0.bin and out0.bin are
if args.digits:
    folders["digits"] = work / "digits"
    folders["digits"].mkdir(exist_ok=True)
    run([args.digits.resolve()], cwd=work / "digits")
    run(["c++", "-std=c++17", "-O1", "-I", ROOT / "include", "-I", ROOT / "ports", "-I", work / "digits",
         HERE / "digits_samples.cpp", "-o", work / "digits_samples"])
    run([work / "digits_samples"], cwd=work / "digits")
    text = (work / "digits" / "digits_int8.hpp").read_text()
    (work / "digits.hpp").write_text(text.replace("namespace digits_int8", "namespace model_digits"))
if args.data:
    for model in sorted((args.data / "tflite").glob("*/*.tflite")):
        name = model.parent.name
        if "ORIGINAL_hybrid" in model.name or (args.models and name not in args.models):
            continue
        folders[name] = model.parent
        for port in {p for c in args.cores for p in ports_of(c)}:
            run([args.tool, "emit", model, "-o", work / f"{name}-{port}.hpp", "--name",
                 f"model_{name}", "--optimize", args.optimize,
                 *(["--target", port] if port != "portable" else [])])
names = list(folders)
if not names:
    sys.exit("firmware: nothing to build; give --data and --tool, or --digits")

# The harness alone, with a model that does nothing: what is ours is the rest.
empty = work / "empty.hpp"
empty.write_text("""#include <kompakt/core/buffer.hpp>
#include <kompakt/core/dtype.hpp>
namespace model_empty {
inline constexpr std::size_t arena_bytes = 16;
struct model {
    static constexpr kompakt::status check(kompakt::span<const std::byte>) { return {}; }
    explicit model(kompakt::span<std::byte> a) : a_(a) {}
    auto input() { return kompakt::span<std::int8_t>(reinterpret_cast<std::int8_t*>(a_.data()), 1); }
    auto output() const {
        return kompakt::span<const std::int8_t>(reinterpret_cast<std::int8_t*>(a_.data()), 1);
    }
    void run() {}
    kompakt::span<std::byte> a_;
};
}
""")
HARNESS = {c: sections(build(work, c, "empty", [(HERE / "firmware.cpp", [
    f"-DKOMPAKT_MODEL_HEADER=\"{empty}\"", "-DKOMPAKT_MODEL=model_empty"])])) for c in args.cores}

limits = json.loads(args.limits.read_text()) if args.limits else {}
failures = []
print(f"{'model':18} {'core':4} {'port':12} {'instructions':>13} {'.text':>7} {'.rodata':>8} {'weights':>8} "
      f"{'.data':>5} {'.bss':>5} {'arena':>7} {'stack':>6} {'samples':>7}  result")
with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
    jobs = [pool.submit(measure, work, plugin, c, p, n, folders[n])
            for n in names for c in args.cores for p in ports_of(c)]
    for job in jobs:
        r = job.result()
        print(f"{r['model']:18} {r['core']:4} {r['port']:12} {r['instructions']:13,} {r['text']:7,} {r['rodata']:8,} "
              f"{r['weights']:8,} {r['data']:5} {r['bss']:5} {r['arena']:7,} {r['stack']:6,} "
              f"{r['samples']:7}  {'identical' if r['ok'] else 'DIFFERENT'}", flush=True)
        where = f"{r['model']} on {r['core']}"
        # Limits of other ports than the portable one are named "m4 cortex_m_dsp".
        key_of_core = r["core"] if r["port"] == "portable" else f"{r['core']} {r['port']}"
        if not r["instructions"]:
            failures.append(f"{where}: instructions were not counted")
        if not r["ok"]:
            failures.append(f"{where}: outputs differ or the firmware stopped: {r['said'][-300:]}")
        if r["heap"]:
            failures.append(f"{where}: heap symbols {r['heap']}")
        if r["foreign"]:
            failures.append(f"{where}: code of kernels that the model does not call: {r['foreign']}")
        if r["data"] or r["bss"]:
            failures.append(f"{where}: {r['data']} bytes of .data, {r['bss']} of .bss are ours")
        for key, most in limits.get(r["model"], {}).get(key_of_core, {}).items():
            if r[key] > most:
                failures.append(f"{where}: {key} {r[key]}, at most {most}")
for f in failures:
    print("failed:", f)
sys.exit(1 if failures else 0)
