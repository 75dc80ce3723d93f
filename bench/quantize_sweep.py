#!/usr/bin/env python3
"""The table of docs/quantization.md: the tool's weight schemes and rounding algorithms on a real model.

    bench/quantize_sweep.py --tool build/host-release/examples/kompakt --data ../shared/data [--model kws|resnet8] [--schemes w4a8,w3a8]

Keyword spotting is calibrated on its first 500 samples and measured on all 1,000 and on the other 500; ResNet8 is
calibrated on 500 training images and measured on the 10,000 test images (packed int4 kernels are slow on hosts:
minutes each).
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ALGORITHMS = ["nearest", "mse", "gptq", "gptq+bias", "adaround", "adaround+bias", "descent", "descent+inputs+bias"]


def answer(*words):
    p = subprocess.run([*map(str, words), "--json"], capture_output=True, text=True)
    if p.returncode != 0:
        raise SystemExit(p.stderr.strip())
    return json.loads(p.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--model", choices=["kws", "resnet8"], default="kws")
    parser.add_argument("--schemes", default="w8a8,w4a8,w3a8")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--first-last-8", action="store_true")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "q.tflite")
        if a.model == "kws":
            model = a.data / "tflite/kws_fp32/kws_ref_model_float32_dequant.tflite"
            inputs, labels = a.data / "tflite/kws_fp32/in0.bin", a.data / "sets/kws01_labels.bin"
            calibration, kind = inputs, []
            half = pathlib.Path(folder, "half.bin"), pathlib.Path(folder, "half_labels.bin")
            content, numbers = inputs.read_bytes(), labels.read_bytes()
            half[0].write_bytes(content[len(content) // 2:])
            half[1].write_bytes(numbers[len(numbers) // 2:])
            tests, kind_of_test = [half, (inputs, labels)], ["--input-type", "float32"]
        else:
            model = a.data / "tflite/resnet8_fp32/pretrainedResnet.tflite"
            calibration, kind = a.data / "cifar10_train/cifar10_train10k_jpeg.bin", ["--input-type", "uint8"]
            tests = [(a.data / "sets/cifar10_test_jpeg.bin", a.data / "sets/cifar10_test_labels.bin")]
            kind_of_test = kind
        print("| weights | algorithm | top-1, % | constants, bytes | seconds |\n|---|---|---|---|---|", flush=True)
        for scheme in a.schemes.split(","):
            for algorithm in a.algorithms.split(",") if scheme != "w8a8" else ["nearest"]:
                start = time.monotonic()
                words = ["quantize", model, "--calibrate", calibration, "--samples", 500, *kind, "--scheme", scheme,
                         "--algorithm", algorithm, "-o", out]
                if a.first_last_8 and scheme != "w8a8":
                    words.append("--first-last-8")
                q = answer(a.tool, *words)
                seconds = time.monotonic() - start
                right = [answer(a.tool, "eval", out, "--input", x, "--labels", y, *kind_of_test)["top1"]
                         for x, y in tests]
                print(f"| {scheme} | `{algorithm}` | {' / '.join(f'{100 * r:.2f}' for r in right)} "
                      f"| {q['constant_bytes_after']:,} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
