"""Every model, and the first of each group of operators with one input and one output if the environment
names their folder (KOMPAKT_TEST_OPERATORS), through its emitted header (size and speed) and its .kpk, on the host: all samples, int8
byte for byte, float32 within 1e-5 + 1e-4 relative.

    emitted.py TOOL COMPILER DATA [SAMPLES]
"""
import array
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL, COMPILER, DATA = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SAMPLES = int(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else 0
ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent


def run(command):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def differences(is_float, got, wanted):
    if len(got) != len(wanted):
        return f"{len(got)} bytes, needed {len(wanted)}"
    if not is_float:
        return sum(a != b for a, b in zip(got, wanted))
    a, b = array.array("f", got), array.array("f", wanted)
    return sum(not abs(x - y) <= 1e-5 + 1e-4 * abs(y) for x, y in zip(a, b))


def check(folder, model, work):
    manifest = json.loads((folder / "manifest.json").read_text())
    is_float = manifest["outputs"][0]["dtype"] == "FLOAT32"
    sample, result = manifest["inputs"][0]["bytes"], manifest["outputs"][0]["bytes"]
    count = min(manifest["num_samples"], SAMPLES or manifest["num_samples"])
    name = folder.name
    data = work / f"{name}.in"
    data.write_bytes((folder / "in0.bin").read_bytes()[:sample * count])
    wanted = (folder / "out0.bin").read_bytes()[:result * count]
    said = []
    for form in ("size", "speed"):
        header = work / f"{name}-{form}.hpp"
        program = work / f"{name}-{form}"
        run([TOOL, "emit", model, "-o", header, "--name", f"model_{name}", "--optimize", form])
        run([COMPILER, "-std=c++17", "-O2", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti", "-Wall",
             "-Wextra", "-Werror", "-I", ROOT / "include", "-I", ROOT / "ports",
             f"-DKOMPAKT_MODEL_HEADER=\"{header}\"", f"-DKOMPAKT_MODEL=model_{name}",
             HERE / "emitted.cpp", "-o", program])
        run([program, data, work / f"{name}-{form}.out"])
        said.append((form, differences(is_float, (work / f"{name}-{form}.out").read_bytes(), wanted)))
    kpk = work / f"{name}.kpk"
    run([TOOL, "emit", model, "-o", kpk])
    run([TOOL, "run", kpk, "--input", data, "--output", work / f"{name}-kpk"])
    said.append(("kpk", differences(is_float, (work / f"{name}-kpk0.bin").read_bytes(), wanted)))
    return name, count, said


models = [(m.parent, m) for m in sorted((DATA / "tflite").glob("*/*.tflite"))
          if "ORIGINAL_hybrid" not in m.name]
groups = {}
for folder in sorted(pathlib.Path(os.environ.get("KOMPAKT_TEST_OPERATORS") or "/nonexistent").glob("*/")):
    manifest = json.loads((folder / "manifest.json").read_text())
    if len(manifest["inputs"]) == len(manifest["outputs"]) == 1:
        groups.setdefault(folder.name.rsplit("_", 1)[0], (folder, folder / "model.tflite"))
models += groups.values()
if not models:
    sys.exit(f"emitted: no models in {DATA}")
bad = 0
with tempfile.TemporaryDirectory() as work, \
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    jobs = [pool.submit(check, folder, model, pathlib.Path(work)) for folder, model in models]
    for job in jobs:
        name, count, said = job.result()
        print(name, count, "samples:", ", ".join(f"{form} {'identical' if n == 0 else f'{n} DIFFERENT'}"
                                                 for form, n in said), flush=True)
        bad += sum(n != 0 for _, n in said)
sys.exit(1 if bad else 0)
