#!/usr/bin/env python3
"""Instructions per multiply-accumulate of the NEON ports, layer by layer, counted under QEMU.

    bench/neon_count.py DATA [--ports neon,neon_dotprod,neon_i8mm] [--models kws_int8,...] [--armv7] [--layers]

DATA is the folder KOMPAKT_TEST_DATA. Weights are packed before, outputs are checked, and the second
run is counted. Needs the cross compiler, qemu-aarch64 (or qemu-arm) and gcc for the counter. XNNPACK's
figures (August 2026, commit 75db3c093) were counted in the same way: all convolution, depthwise and
fully connected layers of a model, padding taps included.
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = {
    "kws_int8": "kws_ref_model.tflite",
    "resnet8_int8": "pretrainedResnet_quant.tflite",
    "vww_int8": "vww_96_int8.tflite",
    "ad01_int8": "ad01_int8.tflite",
}
PEER = {
    "neon": {"kws_int8": 0.507, "resnet8_int8": 0.336, "vww_int8": 0.492, "ad01_int8": 0.317},
    "neon_dotprod": {"kws_int8": 0.267, "resnet8_int8": 0.114, "vww_int8": 0.264, "ad01_int8": 0.156},
    "neon_i8mm": {"kws_int8": 0.264, "resnet8_int8": 0.093, "vww_int8": 0.256, "ad01_int8": 0.142},
    "armv7": {"kws_int8": 0.643, "resnet8_int8": 0.420, "vww_int8": 0.596, "ad01_int8": 0.595},
}
TARGETS = {
    False: (["aarch64-linux-gnu-g++"], ["qemu-aarch64", "-cpu", "max", "-L", "/usr/aarch64-linux-gnu"]),
    True: (["arm-linux-gnueabihf-g++", "-march=armv7-a", "-mfpu=neon", "-mfloat-abi=hard", "-marm", "-Wno-psabi"],
           ["qemu-arm", "-cpu", "max", "-L", "/usr/arm-linux-gnueabihf"]),
}


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"neon_count: {command[0]} failed")
    return done.stdout


def build(folder, armv7, options):
    """The program and the counter; what is built already and newer than nothing else is kept by --keep."""
    compiler = TARGETS[armv7][0] + options
    flags = ["-std=c++17", "-DKOMPAKT_COMPILED=1", f"-I{ROOT}/include", f"-I{ROOT}/ports"]
    sources = ["bench/neon_count.cpp", "cmake/compiled/kernels.cpp", "cmake/compiled/host.cpp"]
    objects = []
    for source in sources:
        made = os.path.join(folder, os.path.basename(source) + (".v7" if armv7 else ".v8") + ".o")
        # The models' files are read, not measured: one object serves all.
        if source.endswith("kernels.cpp") or not os.path.exists(made):
            run(compiler + flags + ["-c", f"{ROOT}/{source}", "-o", made])
        objects.append(made)
    program = os.path.join(folder, "neon_count")
    run(compiler + objects + ["-o", program])
    counter = os.path.join(folder, "insn_count.so")
    run(["gcc", "-O2", "-shared", "-fPIC", "-o", counter, f"{ROOT}/tests/qemu/insn_count.c"])
    return program, counter


def count(folder, program, counter, armv7, data, model, port):
    """[(name, macs, shape, instructions)] and the last line."""
    at = os.path.join(data, "data", "tflite", model)
    counts = os.path.join(folder, "counts.txt")
    text = run(TARGETS[armv7][1] + ["-plugin", f"{counter},out={counts}", program, os.path.join(at, MODELS[model]),
                                    os.path.join(at, "in0.bin"), os.path.join(at, "out0.bin"), port])
    with open(counts) as file:
        regions = [int(line.split()[2]) for line in file if line.startswith("region")]
    layers, sizes = [], ""
    for line in text.splitlines():
        if line.startswith("op "):
            _, name, macs, shape = line.split()
            layers.append((name, int(macs), shape, regions[len(layers)]))
        else:
            sizes = line
    return layers, sizes


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data")
    arguments.add_argument("--ports", default="neon,neon_dotprod,neon_i8mm")
    arguments.add_argument("--models", default=",".join(MODELS))
    arguments.add_argument("--armv7", action="store_true", help="the neon port on ARMv7")
    arguments.add_argument("--layers", action="store_true", help="each layer, too")
    arguments.add_argument("--options", default="-O2", help="the compiler's, separated by spaces")
    arguments.add_argument("--keep", metavar="FOLDER", help="builds there")
    given = arguments.parse_args()
    ports = ["neon"] if given.armv7 else given.ports.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or temporary
        os.makedirs(folder, exist_ok=True)
        program, counter = build(folder, given.armv7, given.options.split())
        print("| model | port | instructions a MAC | XNNPACK | all instructions |")
        print("|---|---|---|---|---|")
        for model in given.models.split(","):
            for port in ports:
                layers, sizes = count(folder, program, counter, given.armv7, given.data, model, port)
                if given.layers:
                    for name, macs, shape, n in layers:
                        each = f"{n / macs:.3f} a MAC" if macs else ""
                        print(f"    {name:34} {shape:42} {n:9} {each}")
                    print(f"    {sizes} bytes")
                macs = sum(layer[1] for layer in layers)
                n = sum(layer[3] for layer in layers if layer[1])
                peer = PEER["armv7" if given.armv7 else port][model] if port in PEER else 0
                print(f"| {model} | {port} | {n / macs:.3f} | {peer:.3f} | {sum(layer[3] for layer in layers)} |",
                      flush=True)


if __name__ == "__main__":
    main()
