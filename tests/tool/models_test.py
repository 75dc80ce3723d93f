"""All real models: outputs, layers, executables, accuracy, quantization, the emitted header."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import unittest

from tool import (FULL, MODELS, SAMPLES, SETS, ToolTest, close, floats, main, manifest, model_file,
                  needs_data)

NAMES = sorted(p.name for p in MODELS.glob("*") if p.is_dir()) if MODELS.is_dir() else []
CXX = os.environ.get("KOMPAKT_TOOL_CXX", "g++")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@needs_data
class Models(ToolTest):
    def samples_of(self, m):
        return m["num_samples"] if FULL else min(SAMPLES, m["num_samples"])

    def same(self, m, given, name):
        output = m["outputs"][0]
        expected = (MODELS / name / "out0.bin").read_bytes()[:output["bytes"] * self.samples_of(m)]
        if output["dtype"] == "FLOAT32":
            self.assertTrue(close(floats(given), floats(expected)), name)
        else:
            self.assertEqual(given, expected, name)

    def test_outputs_on_every_port(self):
        self.assertGreaterEqual(len(NAMES), 11)
        ports = self.answer("selftest")["ports"]
        for name in NAMES:
            m = manifest(name)
            for port in ports:
                with self.subTest(model=name, port=port):
                    a = self.answer("run", model_file(name), "--input", MODELS / name / "in0.bin",
                                    "--output", self.folder / name, "--samples", self.samples_of(m),
                                    "--port", port)
                    self.assertEqual(a["port"], port)
                    self.assertEqual(a["samples"], self.samples_of(m))
                    self.same(m, (self.folder / f"{name}0.bin").read_bytes(), name)

    def test_executables(self):
        for name in NAMES:
            with self.subTest(model=name):
                m = manifest(name)
                kpk = self.folder / f"{name}.kpk"
                self.good("emit", model_file(name), "-o", kpk)
                self.good("run", kpk, "--input", MODELS / name / "in0.bin", "--output",
                          self.folder / name, "--samples", self.samples_of(m))
                self.same(m, (self.folder / f"{name}0.bin").read_bytes(), name)
                self.assertIn("Memory map", self.good("inspect", kpk).out)

    def test_layers(self):
        for name in NAMES:
            with self.subTest(model=name):
                golden = MODELS / name / "layers"
                layers = self.folder / name
                self.good("run", model_file(name), "--input", MODELS / name / "in0.bin",
                          "--samples", 1, "--dump-layers", layers)
                expected = json.loads((golden / "tensors.json").read_text())
                given = json.loads((layers / "tensors.json").read_text())
                self.assertEqual([t["index"] for t in given], [t["index"] for t in expected])
                for g, e in zip(given, expected):
                    single = struct.unpack("<f", struct.pack("<f", e["scale"]))[0]
                    self.assertEqual(struct.unpack("<f", struct.pack("<f", g["scale"]))[0], single)
                    for key in ("name", "dtype", "shape", "zero_point", "file"):
                        self.assertEqual(g[key], e[key])
                    a = (layers / g["file"]).read_bytes()
                    b = (golden / e["file"]).read_bytes()
                    if e["dtype"] == "FLOAT32":
                        self.assertTrue(close(floats(a), floats(b)), f"{name} {e['file']}")
                    else:
                        self.assertEqual(a, b, f"{name} {e['file']}")

    def test_inspect(self):
        for name in NAMES:
            with self.subTest(model=name):
                m = manifest(name)
                report = self.folder / "r.html"
                a = self.answer("inspect", model_file(name), "--report", report)
                self.assertLess(a["arena_bytes"], m["arena_used_bytes"])
                self.assertGreaterEqual(a["arena_bytes"], a["arena_lower_bound"])
                self.assertGreater(a["macs"], 0)
                by_number = {t["index"]: t for t in a["tensors"]}
                self.assertEqual(by_number[a["inputs"][0]]["shape"], m["inputs"][0]["shape"])
                text = self.good("inspect", model_file(name)).out
                expected = json.loads((MODELS / name / "layers/tensors.json").read_text())
                # The same numbers in the model file, in the answer and in the text.
                for t in expected:
                    self.assertEqual(by_number[t["index"]]["name"], t["name"])
                    self.assertRegex(text, rf"(?m)^ *{t['index']}  {t['dtype'].lower()} ")
                for op in a["ops"]:
                    for t in op["inputs"] + op["outputs"]:
                        self.assertIn(t, by_number)
                page = report.read_text()
                self.assertTrue(page.startswith("<!DOCTYPE html>"))
                for outside in ("<script", "http://", "https://", "<link", "url("):
                    self.assertNotIn(outside, page)

    def test_attributes(self):
        a = self.answer("inspect", model_file("kws_int8"))
        first = a["ops"][0]["attributes"]
        self.assertEqual([first[k] for k in ("stride_h", "stride_w", "activation")], [2, 2, "relu"])
        self.assertEqual([first["pad_" + k] for k in ("top", "bottom", "left", "right")],
                         [4, 5, 1, 1])
        text = self.good("inspect", model_file("kws_int8")).out
        self.assertIn("stride 2x2, dilation 1x1, padding 4 5 1 1, activation relu", text)
        self.assertNotIn("Hybrid", text)

    def test_hybrid_models_say_so(self):
        hybrid = MODELS / "kws_fp32/kws_ref_model_float32_ORIGINAL_hybrid.tflite"
        self.assertIn("Hybrid model: the int8 weights of ", self.good("inspect", hybrid).out)
        ops = self.answer("inspect", hybrid)["ops"]
        self.assertGreater(sum(op.get("decoded_weights", False) for op in ops), 0)

    def test_bench(self):
        a = self.answer("bench", model_file("hello_world_int8"), "--seconds", "0.05", "--threads",
                        "2")
        self.assertGreater(a["median_us"], 0)
        self.assertLessEqual(a["min_us"], a["median_us"])
        self.assertAlmostEqual(sum(op["share"] for op in a["ops"]), 1)
        self.assertGreater(a["runs_per_second"], 0)

    def test_eval(self):
        limit = [] if FULL else ["--limit", "300"]
        kws = ["--input", SETS / "kws01_inputs_int8.bin", "--labels", SETS / "kws01_labels.bin"]
        a = self.answer("eval", model_file("kws_int8"), *kws, "--threads", "1")
        self.assertEqual(a["right"], 901)
        self.assertEqual(self.answer("eval", model_file("kws_int8"), *kws)["right"], 901)
        images = ["--input", SETS / "cifar10_test_jpeg.bin", "--input-type", "uint8", "--labels",
                  SETS / "cifar10_test_labels.bin", *limit]
        a = self.answer("eval", model_file("resnet8_int8"), *images)
        b = self.answer("eval", model_file("resnet8_fp32"), *images)
        if FULL:
            self.assertEqual(a["right"], 7556)
            self.assertEqual(b["right"], 7548)
        self.assertLess(abs(a["right"] - b["right"]), 0.02 * a["samples"])

    def test_other_metrics(self):
        inputs = MODELS / "ad01_int8/in0.bin"
        labels = self.file("labels", bytes([0, 1] * 8))
        a = self.answer("eval", model_file("ad01_int8"), "--input", inputs, "--labels", labels,
                        "--metric", "auc")
        self.assertTrue(0 <= a["auc"] <= 1)
        self.assertGreater(self.answer("eval", model_file("ad01_int8"), "--input", inputs,
                                       "--metric", "mse")["mse"], 0)
        # Against its own outputs the error is nothing.
        self.good("run", model_file("ad01_fp32"), "--input", MODELS / "ad01_fp32/in0.bin",
                  "--output", self.folder / "o")
        a = self.answer("eval", model_file("ad01_fp32"), "--input", MODELS / "ad01_fp32/in0.bin",
                        "--metric", "mse", "--labels", self.folder / "o0.bin")
        self.assertEqual(a["mse"], 0)

    def test_quantize(self):
        out, report = self.folder / "q.tflite", self.folder / "r.html"
        a = self.answer("quantize", model_file("kws_fp32"), "--calibrate",
                        MODELS / "kws_fp32/in0.bin",
                        "--samples", "100", "--labels", SETS / "kws01_labels.bin", "-o", out,
                        "--report", report)
        self.assertGreaterEqual(a["accuracy_after"], 0.898)
        self.assertLess(a["constant_bytes_after"], a["constant_bytes_before"] / 2)
        self.assertIn("<svg", report.read_text())
        b = self.answer("eval", out, "--input", MODELS / "kws_fp32/in0.bin", "--input-type",
                        "float32",
                        "--labels", SETS / "kws01_labels.bin")
        self.assertEqual(b["top1"], a["accuracy_after"])
        i = self.answer("inspect", out)
        self.assertEqual({t["index"]: t["dtype"] for t in i["tensors"]}[i["inputs"][0]], "int8")
        for method in ("moving-average", "percentile", "mse", "kl"):
            self.good("quantize", model_file("hello_world_float"), "--calibrate",
                      MODELS / "hello_world_float/in0.bin", "--calibration", method, "-o",
                      self.folder / "h.kpk")
        self.good("quantize", model_file("hello_world_float"), "--calibrate",
                  MODELS / "hello_world_float/in0.bin", "--float-io", "-o", out)
        a = self.answer("inspect", out)
        self.assertEqual({t["index"]: t["dtype"] for t in a["tensors"]}[a["inputs"][0]], "float32")

    def test_names_of_emitted_headers(self):
        for file, name in (("int", "int_model"), ("a--b", "a_b"), ("_x", "x"), ("9", "model_9"),
                           ("-", "model"), ("kws.v2", "kws_v2"), ("std", "std_model")):
            path = self.folder / f"{file}.hpp"
            self.good("emit", model_file("hello_world_int8"), "-o", path)
            self.assertIn(f"namespace {name} {{", path.read_text())

    @unittest.skipUnless(shutil.which(CXX), "needs a compiler")
    def test_emitted_header(self):
        """The header in a program of its own gives the golden outputs."""
        for form in ("size", "speed", "balanced"):
            self.good("emit", model_file("kws_int8"), "-o", self.folder / "kws-model.hpp",
                      "--optimize", form, "--name", "kws")
            source = self.file("main.cpp", b"""
#include "kws-model.hpp"
#include <cstdio>
alignas(16) std::byte arena[kws::arena_bytes];
int main() {
    kws::model m(arena);
    while (std::fread(m.input().data(), 1, m.input().size(), stdin) == m.input().size()) {
        m.run();
        std::fwrite(m.output().data(), 1, m.output().size(), stdout);
    }
}
""")
            program = self.folder / "a.out"
            subprocess.run([CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror",
                            f"-I{ROOT}/include", f"-I{ROOT}/ports", str(source), "-o",
                            str(program)], check=True)
            samples = (MODELS / "kws_int8/in0.bin").read_bytes()[:490 * 10]
            given = subprocess.run([str(program)], input=samples, stdout=subprocess.PIPE,
                                   check=True)
            self.assertEqual(given.stdout, (MODELS / "kws_int8/out0.bin").read_bytes()[:120])
        self.good("emit", model_file("kws_int8"), "-o", self.folder / "kws-model.hpp")
        self.assertIn("namespace kws_model {", (self.folder / "kws-model.hpp").read_text())


if __name__ == "__main__":
    main()
