#!/usr/bin/env python3
"""One-operator models through emitted headers on a Cortex-M under QEMU, against the outputs of TensorFlow
Lite Micro: from each group of FOLDER (operator and type: NAME_NN/{model.tflite, manifest.json, in0.bin …})
the first EACH models, or all with --each 0. Several share one firmware image.

    operators_fw.py --tool build/…/kompakt --operators FOLDER [--each 1] [--core m4] [--groups ADD_int8 …]
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "qemu"))
import cortex_m  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--tool", type=pathlib.Path, required=True)
parser.add_argument("--operators", type=pathlib.Path, required=True)
parser.add_argument("--groups", nargs="+")
parser.add_argument("--each", type=int, default=1)
parser.add_argument("--core", default="m4", choices=list(cortex_m.CORES))
parser.add_argument("--optimize", default="size")
parser.add_argument("--image", type=int, default=24, help="models an image")
args = parser.parse_args()


def data_of(folder, manifest):
    """For every sample its inputs, then its outputs."""
    parts = [(folder / f"{kind}{i}.bin", t["bytes"])
             for kind, tensors in (("in", manifest["inputs"]), ("out", manifest["outputs"]))
             for i, t in enumerate(tensors)]
    files = [(path.read_bytes(), size) for path, size in parts]
    return b"".join(data[n * size:(n + 1) * size]
                    for n in range(manifest["num_samples"]) for data, size in files)


def image(work, number, models):
    """Emits, builds and runs some models; their results by name."""
    folder = work / str(number)
    folder.mkdir()
    results, lines, calls = {}, [], []
    for model in models:
        name = "m_" + re.sub(r"\W", "_", model.name)
        manifest = json.loads((model / "manifest.json").read_text())
        emitted = subprocess.run(
            [args.tool, "emit", model / "model.tflite", "-o", folder / f"{name}.hpp", "--name", name,
             "--optimize", args.optimize], text=True, capture_output=True)
        if emitted.returncode != 0:
            results[model.name] = ("refused", emitted.stderr.strip().split(": ", 2)[-1])
            continue
        (folder / f"{name}.bin").write_bytes(data_of(model, manifest))
        lines.append(f'#include "{name}.hpp"\n')
        calls.append(f'    check<{name}::model, {len(manifest["inputs"])}, {len(manifest["outputs"])}>'
                     f'("{model.name}", "{name}.bin", {name}::arena_bytes);\n')
    if not lines:
        return results
    (folder / "models.hpp").write_text("".join(lines) + "static void check_all() {\n" + "".join(calls) +
                                       "}\n")
    elf = cortex_m.build(folder, args.core, "models", [(HERE / "operators_fw.cpp", ["-I", folder])])
    done = cortex_m.execute(args.core, elf, folder, LIMIT="600")
    said = dict(re.findall(r"^(\S+) (\d+)$", done.stdout, re.M))
    for model in models:
        if model.name not in results:
            different = said.get(model.name)
            results[model.name] = ("identical", "") if different == "0" else (
                "different", f"{different or 'no'} elements {done.stderr[-200:]}")
    return results


groups = {}
for folder in sorted(p for p in args.operators.iterdir() if (p / "model.tflite").exists()):
    groups.setdefault(folder.name.rsplit("_", 1)[0], []).append(folder)
chosen = [m for g, models in groups.items() if not args.groups or g in args.groups
          for m in (models[:args.each] if args.each else models)]
if not chosen:
    sys.exit(f"operators_fw: no models in {args.operators}")
tally = {"identical": 0, "refused": 0, "different": 0}
with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
    jobs = [pool.submit(image, pathlib.Path(work), n, chosen[n:n + args.image])
            for n in range(0, len(chosen), args.image)]
    for done, job in enumerate(jobs):
        for name, (how, why) in job.result().items():
            tally[how] += 1
            if how != "identical":
                print(f"{how}: {name}: {why}", flush=True)
        print(f"{done + 1} of {len(jobs)} images", file=sys.stderr, flush=True)
print(f"{args.core}: {tally['identical']} identical, {tally['refused']} refused, "
      f"{tally['different']} different")
sys.exit(1 if tally["different"] else 0)
