"""Files that are missing, broken or do not fit: one line says what; nothing is written."""
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest

from tool import MODELS, PROGRAM, SETS, ToolTest, main, model_file, needs_data, npy, run


class NoModel(ToolTest):
    def test_files_that_are_no_model(self):
        self.bad("inspect", self.folder / "none", says=["none", "No such file"])
        self.bad("inspect", self.folder, says="Is a directory")
        for content in (b"", b"x", b"KPK", b"KPK1", b"KPK1" + b"\0" * 200, b"\x1c\0\0\0TFL3",
                        b"\xff" * 8 + b"TFL3", b"#!/bin/sh\necho hello\n"):
            path = self.file("model", content)
            for command in (["inspect"], ["bench"], ["emit", "-o", self.folder / "x.hpp"],
                            ["run", "--input", path, "--output", self.folder / "o"],
                            ["quantize", "--calibrate", path, "-o", self.folder / "q.tflite"]):
                self.bad(command[0], path, *command[1:], says=str(path))
        self.assertEqual(self.files(), ["model"])

    def test_memory_runs_out(self):
        def limited(kilobytes, *arguments):
            return subprocess.run(
                ["sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh", PROGRAM, *arguments],
                capture_output=True, text=True)
        # Sanitizers want more address space than there is.
        if limited(300000, "--version").returncode != 0:
            self.skipTest("the program does not start in 300 MB")
        large = self.file("large", b"")
        with open(large, "wb") as f:
            f.truncate(1500 << 20) # a hole
        for kilobytes in (100000, 300000, 1000000):
            p = limited(kilobytes, "inspect", str(large))
            self.assertEqual(p.returncode, 1, p.stderr)
            self.assertEqual(p.stderr.count("\n"), 1, p.stderr)
            self.assertIn("not enough memory", p.stderr)

    @needs_data
    def test_threads_run_out(self):
        # The stack of a thread is 8 MB of address space; the results are those of fewer threads.
        samples = self.file("in.bin", (MODELS / "kws_int8/in0.bin").read_bytes()[:490] * 3200)
        labels = self.file("labels", bytes(3200))
        arguments = ["eval", model_file("kws_int8"), "--input", samples, "--labels", labels,
                     "--threads", "100"]
        p = subprocess.run(["sh", "-c", 'ulimit -v 300000; exec "$@"', "sh", PROGRAM,
                            *map(str, arguments), "--json"],
                           capture_output=True, text=True)
        if "Sanitizer" in p.stderr:
            self.skipTest("the program does not start in 300 MB")
        if p.returncode != 0: # what the threads left is too little for their sessions
            self.assertEqual(p.returncode, 1, p.stderr)
            self.assertEqual(p.stderr.count("\n"), 1, p.stderr)
            self.assertIn("not enough memory", p.stderr)
            return
        self.assertEqual(json.loads(p.stdout)["right"], self.answer(*arguments)["right"])

    def test_devices(self):
        self.bad("inspect", "/dev/zero", says="/dev/zero: has more than the limit of 1048576 bytes")


@needs_data
class Planned(ToolTest):
    def test_a_plan_keeps_its_target(self):
        kpk = self.folder / "x.kpk"
        self.good("emit", model_file("kws_int8"), "-o", kpk)
        for option in (["--target", "cortex_m_dsp"], ["--keep-inputs"]):
            self.bad("emit", kpk, "-o", self.folder / "x.hpp", *option,
                     says=["x.kpk", option[0], "planned already"])
        self.assertEqual(self.files(), ["x.kpk"])


@needs_data
class Overwriting(ToolTest):
    """An output is never one of the inputs, nor another output; every other file may be replaced."""
    def setUp(self):
        super().setUp()
        self.model = self.file("a.tflite", model_file("hello_world_float").read_bytes())
        self.input = self.file("in0.bin", (MODELS / "hello_world_float/in0.bin").read_bytes()[:40])
        self.labels = self.file("labels", bytes(10))
        self.contents = {p: p.read_bytes() for p in self.folder.iterdir()}

    def refused(self, *arguments, says):
        self.bad(*arguments, status=2, says=says)
        self.assertEqual({p: p.read_bytes() for p in self.folder.iterdir() if not p.is_symlink()},
                         self.contents)

    def test_inputs_stay(self):
        link = self.folder / "link"
        link.symlink_to(self.model)
        os.link(self.model, self.folder / "hard.hpp")
        self.contents[self.folder / "hard.hpp"] = self.model.read_bytes()
        for path in (self.model, link, self.folder / "hard.hpp", f"{self.folder}/./a.tflite"):
            self.refused("inspect", self.model, "--report", path, says=[str(path), "the model"])
        self.refused("emit", self.model, "-o", self.folder / "hard.hpp", says="the model")
        quantize = ["quantize", self.model, "--calibrate", self.input, "--labels", self.labels,
                    "-o", self.folder / "q.kpk", "--report"]
        self.refused(*quantize, self.model, says="the model")
        self.refused(*quantize, self.input, says="--calibrate")
        self.refused(*quantize, self.labels, says="--labels")
        self.refused("quantize", self.model, "--calibrate", self.input, "-o", self.model,
                     says="the model")
        # in0.bin is the input, and what the prefix "in" makes for output 0.
        self.refused("run", self.model, "--input", self.input, "--output", self.folder / "in",
                     says=["in0.bin", "--input"])

    def test_outputs_are_apart(self):
        quantize = ["quantize", self.model, "--calibrate", self.input, "-o"]
        self.refused(*quantize, self.folder / "q.tflite", "--report", self.folder / "q.tflite",
                     says=["--report", "-o", "a file of its own"])
        self.refused(*quantize, self.folder / "q.tflite", "--report",
                     self.folder / "none/../q.tflite", says="a file of its own")
        old = self.file("q.tflite", b"old")
        self.contents[old] = b"old"
        self.refused(*quantize, old, "--report", f"{self.folder}//q.tflite",
                     says="a file of its own")
        # Tensor 0 is the model's input; "l/t" makes l/t0.bin too.
        self.bad("run", self.model, "--input", self.input, "--output", self.folder / "l/t",
                 "--dump-layers", self.folder / "l", status=2, says="a file of its own")
        self.assertFalse((self.folder / "l").exists())

    def test_other_files_are_replaced(self):
        old = self.file("old.html", b"old")
        self.good("inspect", self.model, "--report", old)
        self.assertIn(b"<!DOCTYPE", old.read_bytes())
        self.good("emit", self.model, "-o", self.file("x.hpp", b"old"))
        self.good("inspect", self.model, "--report", "/dev/null")


@needs_data
class NotANumber(ToolTest):
    def test_eval(self):
        model = model_file("ad01_fp32")
        values = list(struct.unpack("<640f", (MODELS / "ad01_fp32/in0.bin").read_bytes()[:2560]))
        values[7] = float("nan")
        good = (MODELS / "ad01_fp32/in0.bin").read_bytes()[:2560]
        path = self.file("in.bin", good + struct.pack("<640f", *values))
        labels = self.file("labels", bytes([0, 1]))
        targets = self.file("targets", good * 2)
        for metric in (["--labels", labels], ["--metric", "auc", "--labels", labels],
                       ["--metric", "mse"], ["--metric", "mse", "--labels", targets]):
            self.bad("eval", model, "--input", path, *metric, status=1,
                     says=[str(model), "output ", " of sample 1 is NaN"])


@needs_data
class BadInput(ToolTest):
    def setUp(self):
        super().setUp()
        self.kws, self.kws_float = model_file("kws_int8"), model_file("kws_fp32")
        self.samples = (MODELS / "kws_int8/in0.bin").read_bytes()[:490 * 4]
        self.out = self.folder / "o"

    def run_bad(self, content, *options, says, name="in.bin", model=None):
        path = self.file(name, content)
        before = self.files()
        self.bad("run", model or self.kws, "--input", path, "--output", self.out, *options,
                 says=[str(path), *([says] if isinstance(says, str) else says)])
        self.assertEqual(self.files(), before)

    def test_inputs(self):
        self.run_bad(b"", says=["empty", "multiple of 490"])
        self.run_bad(self.samples[:-1], says=["has 1959 bytes", "multiple of 490"])
        self.run_bad(self.samples, "--samples", "5", says=["4 samples", "--samples asks for 5"])
        self.run_bad(self.samples[:491], "--input-type", "float32", says="multiple of 1960")
        values = [0.5] * 490
        values[17] = float("nan")
        self.run_bad(struct.pack("<490f", *values), "--input-type", "float32",
                     says=["sample 0", "value 17", "NaN"])
        values[17] = float("-inf")
        self.run_bad(struct.pack("<490f", *values), "--input-type", "float32",
                     says=["sample 0", "value 17", "infinite"])
        self.bad("run", self.kws, "--output", self.out, status=2, says=["1 input", "given 0"])
        path = self.file("in.bin", self.samples)
        self.bad("run", self.kws, "--input", path, "--input", path, "--output", self.out, status=2,
                 says=["1 input", "given 2"])
        self.bad("run", self.kws, "--input", path, "--output", self.out, "--samples", "0",
                 status=2, says="--samples 0: needs a whole number, at least 1\n")
        self.bad("eval", self.kws, "--input", path, "--labels", self.file("l", bytes(4)), "--limit",
                 "5", says=["4 samples", "--limit asks for 5"])
        self.bad("run", self.kws, "--input", path, "--dump-layers", "/dev/null",
                 says="/dev/null: is not a folder\n")
        self.bad("run", self.kws, "--input", self.folder / "none", "--output", self.out,
                 says=["none", "No such file"])

    def test_npy(self):
        one = self.samples[:490]
        self.run_bad(npy("|u1", [1, 49, 10, 1], one), says=["uint8", "int8"], name="in.npy")
        self.run_bad(npy("|i1", [1, 1, 10, 49], one), says=["[1, 1, 10, 49]", "[1, 49, 10, 1]"],
                     name="in.npy")
        self.run_bad(npy("|i1", [490], one)[:-1], says="npy", name="in.npy")
        self.run_bad(npy("|i1", [0, 490], b""), says="empty", name="in.npy")
        path = self.file("good.npy", npy("|i1", [4, 49, 10], self.samples))
        raw = self.file("good.bin", self.samples)
        self.good("run", self.kws, "--input", path, "--output", self.folder / "a")
        self.good("run", self.kws, "--input", raw, "--output", self.folder / "b")
        self.assertEqual((self.folder / "a0.bin").read_bytes(),
                         (self.folder / "b0.bin").read_bytes())

    def test_real_values_are_quantized_as_the_input_is(self):
        scale, zero = 0.584702909, 83
        signed = struct.unpack("<490b", self.samples[:490])
        real = self.file("real.bin", struct.pack("<490f", *[scale * (q - zero) for q in signed]))
        raw = self.file("raw.bin", self.samples[:490])
        self.good("run", self.kws, "--input", real, "--input-type", "float32", "--output",
                  self.folder / "a")
        self.good("run", self.kws, "--input", raw, "--output", self.folder / "b")
        self.assertEqual((self.folder / "a0.bin").read_bytes(),
                         (self.folder / "b0.bin").read_bytes())

    def test_outputs_that_cannot_be_written(self):
        path = self.file("in.bin", self.samples)
        self.bad("run", self.kws, "--input", path, "--output", self.folder / "none/o",
                 says="none/o0.bin")
        self.bad("run", self.kws, "--input", path, "--dump-layers", self.folder / "none/layers",
                 says=["none/layers", "cannot create"])
        blocked = self.folder / "blocked"
        (blocked / "tensors.json").mkdir(parents=True)
        self.bad("run", self.kws, "--input", path, "--output", self.out, "--dump-layers", blocked,
                 says="tensors.json")
        self.bad("emit", self.kws, "-o", self.folder / "none/x.hpp", says="none/x.hpp")
        self.bad("emit", self.kws, "-o", self.folder / "x.hpp", "--name", "9 lives", says="9 lives")
        for include in ('a"b', "a>b", '"a"b"', "a\nb"):
            self.bad("emit", self.kws, "-o", self.folder / "x.hpp", "--include", include,
                     says="cannot be included: needed <file>")
        self.bad("inspect", self.kws, "--report", self.folder / "none/r.html", says="none/r.html")
        self.assertEqual(self.files(), ["in.bin"])
        # An output that was there stays as it was.
        q = self.file("q.tflite", b"old")
        calibration = self.file("cal.bin", (MODELS / "kws_fp32/in0.bin").read_bytes()[:1960 * 2])
        self.bad("quantize", self.kws_float, "--calibrate", calibration, "-o", q,
                 "--report", self.folder / "none/r.html", says="none/r.html")
        self.assertEqual(q.read_bytes(), b"old")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_folder_without_permission(self):
        path = self.file("in.bin", self.samples)
        locked = self.folder / "locked"
        locked.mkdir(mode=0o500)
        self.bad("run", self.kws, "--input", path, "--output", locked / "o",
                 says="Permission denied")

    def test_labels(self):
        path = self.file("in.bin", self.samples)

        def bad(content, *options, says):
            labels = self.file("labels", content)
            self.bad("eval", self.kws, "--input", path, "--labels", labels, *options,
                     says=[str(labels), *says])
        bad(b"\0" * 3, says=["has 3 bytes", "4 samples", "16"])
        bad(b"\0" * 5, "--limit", "2", says=["has 5 bytes"])
        bad(b"\0\0\0\x0c", says=["label 3 is 12", "0 to 11"])
        bad(struct.pack("<4i", 0, 0, -1, 0), says=["label 2 is -1"])
        bad(npy("<f4", [4], b"\0" * 16), says=["float32"])
        self.bad("eval", self.kws, "--input", path, "--labels", self.folder / "none", says="none")
        self.bad("eval", self.kws, "--input", path, "--labels", path, "--metric", "auc", says="auc")
        small = struct.pack("<4i", 1, 2, 3, 4)
        a = self.answer("eval", self.kws, "--input", path, "--labels", self.file("l4", small))
        b = self.answer("eval", self.kws, "--input", path, "--labels",
                        self.file("l1", bytes([1, 2, 3, 4])))
        self.assertEqual(a["right"], b["right"])

    def test_calibration(self):
        out = self.folder / "q.tflite"
        good = (MODELS / "kws_fp32/in0.bin").read_bytes()[:1960 * 3]

        def bad(content, *options, says, model=None):
            path = self.file("cal.bin", content)
            self.bad("quantize", model or self.kws_float, "--calibrate", path, "-o", out, *options,
                     says=says)
            self.assertEqual(self.files(), ["cal.bin"])
        self.bad("quantize", self.kws_float, "--calibrate", self.folder / "none", "-o", out,
                 says=["none", "No such file"])
        bad(b"", says=["cal.bin", "empty"])
        bad(good[:-4], says=["cal.bin", "multiple of 1960"])
        for value, text in ((float("nan"), "NaN"), (float("inf"), "infinite")):
            broken = bytearray(good)
            struct.pack_into("<f", broken, 1960 + 4 * 5, value)
            bad(bytes(broken), says=["cal.bin", "sample 1", "value 5", text])
        bad(good, "--samples", "4", says=["3 samples", "4"])
        with tempfile.NamedTemporaryFile() as labels:
            labels.write(bytes([0, 1, 12]))
            labels.flush()
            bad(good, "--labels", labels.name, says=["label 2 is 12", "0 to 11"])
        bad(good, says="quantized already", model=self.kws)
        zeros = self.file("cal.bin", bytes(1960 * 2))
        self.assertIn("Warning: input_1 is 0 in all samples",
                      self.good("quantize", self.kws_float, "--calibrate", zeros, "-o", out).out)
        self.assertNotIn("Warning", self.good("quantize", self.kws_float, "--calibrate",
                                              self.file("cal.bin", good), "-o", out).out)

    def test_broken_models(self):
        model = self.kws.read_bytes()
        sample = self.file("in.bin", self.samples[:490])
        random.seed(1)
        cuts = sorted(random.sample(range(len(model)), 40))
        kpk = self.folder / "good.kpk"
        self.good("emit", self.kws, "-o", kpk)
        program = kpk.read_bytes()
        before = self.files() + ["broken"]
        for n in cuts:
            path = self.file("broken", model[:n])
            self.bad("run", path, "--input", sample, "--output", self.out, says=str(path))
            path = self.file("broken", program[:n * len(program) // len(model)])
            self.bad("run", path, "--input", sample, "--output", self.out, says=str(path))
        # A flipped bit may leave a model that is right in form; it must never crash or half-write.
        for _ in range(40):
            content = bytearray(model)
            content[random.randrange(len(model))] ^= 1 << random.randrange(8)
            p = run("inspect", self.file("broken", bytes(content)))
            self.assertIn(p.returncode, (0, 1))
            content = bytearray(program)
            content[random.randrange(len(program))] ^= 1 << random.randrange(8)
            self.bad("run", self.file("broken", bytes(content)), "--input", sample, "--output",
                     self.out,
                     says="broken")
        self.assertEqual(self.files(), sorted(before))

    def test_executables(self):
        kpk = self.folder / "x.kpk"
        path = self.file("in.bin", self.samples)
        self.good("emit", self.kws, "-o", kpk)
        self.bad("run", kpk, "--input", path, "--dump-layers", self.folder / "l",
                 says="--dump-layers")
        self.bad("quantize", kpk, "--calibrate", path, "-o", self.folder / "q.tflite",
                 says="executable")
        self.bad("emit", kpk, "-o", self.folder / "y.kpk", says="already")
        self.assertEqual(self.files(), ["in.bin", "x.kpk"])


if __name__ == "__main__":
    main()
