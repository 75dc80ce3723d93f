"""kompakt train: a small regression network learns a sine anew, is killed, resumed, and refused."""
import math
import random
import struct

from tool import MODELS, ToolTest, needs_data, unittest


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


@needs_data
class Train(ToolTest):
    def setUp(self):
        super().setUp()
        random.seed(1)
        x = [random.uniform(0, 2 * math.pi) for _ in range(512)]
        self.x = self.file("x.bin", floats(x))
        self.y = self.file("y.bin", floats([0.5 * math.sin(2 * v) for v in x]))
        self.model = next((MODELS / "hello_world_float").glob("*.tflite"))
        self.base = ["train", self.model, "--input", self.x, "--targets", self.y, "--loss", "mse",
                     "--batch", "32", "--lr", "0.01", "--split", "0.125"]

    def test_learns(self):
        out = self.folder / "out.tflite"
        a = self.answer(*self.base, "--epochs", "60", "-o", out, "--log", self.folder / "l.csv",
                        "--report", self.folder / "r.html")
        self.assertEqual(len(a["epochs"]), 60)
        self.assertLess(a["epochs"][-1]["validation_loss"], 0.02)
        self.assertGreater(a["epochs"][0]["loss"], 5 * a["epochs"][-1]["loss"])
        self.assertEqual(a["parameters"], 321)
        self.assertEqual((self.folder / "l.csv").read_text().count("\n"), 61)
        self.assertIn("<polyline", (self.folder / "r.html").read_text())
        mse = self.answer("eval", out, "--input", self.x, "--labels", self.y, "--metric", "mse")
        self.assertLess(mse["mse"], 0.02)

    def test_threads_and_resume(self):
        def weights(name, *more):
            out = self.folder / name
            self.good(*self.base, "-o", out, *more)
            return out.read_bytes()

        whole = weights("a.tflite", "--epochs", "6", "--threads", "1", "--schedule", "constant")
        self.assertEqual(
            weights("b.tflite", "--epochs", "6", "--threads", "3", "--schedule", "constant"), whole)
        c = self.folder / "c"
        weights("d.tflite", "--epochs", "4", "--schedule", "constant", "--checkpoint", c)
        self.assertEqual(
            weights("e.tflite", "--epochs", "6", "--schedule", "constant", "--resume", c), whole)
        c.write_bytes(c.read_bytes()[:-9])
        self.bad(*self.base, "-o", self.folder / "f.tflite", "--schedule", "constant", "--resume", c,
                 says=["c: is damaged or cut"])

    def test_refused(self):
        out = ["-o", self.folder / "out.tflite"]
        self.bad(*self.base[:4], "--labels", self.y, says=["-o"])
        self.bad("train", self.model, "--input", self.x, "--loss", "mse", *out, says=["--targets"])
        self.bad(*(a if a != "32" else "500" for a in self.base), *out, says=["448 samples", "batch of 500"])
        self.bad(*self.base, *out, "--optimizer", "best", says=["--optimizer", "adam"])
        self.bad(*self.base, *out, "--only", "nothing like it", says=["nothing to train"])
        int8 = next((MODELS / "kws_int8").glob("*.tflite"))
        self.bad("train", int8, "--input", self.x, "--labels", self.y, *out)
        self.assertEqual(self.files(), ["x.bin", "y.bin"])


if __name__ == "__main__":
    unittest.main()
