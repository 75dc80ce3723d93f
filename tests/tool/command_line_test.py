"""The command line: commands, options, help, exit status, where text goes."""
from tool import ToolTest, main, run

COMMANDS = ["inspect", "run", "eval", "bench", "quantize", "train", "emit", "selftest"]


class CommandLine(ToolTest):
    def test_help(self):
        for words in (["--help"], ["-h"], ["help"]):
            p = self.good(*words)
            for command in COMMANDS:
                self.assertIn(f"kompakt {command}", p.out)
        for command in COMMANDS:
            p = self.good(command, "--help")
            self.assertIn(f"kompakt {command}", p.out)
            self.assertIn("--json", p.out)
            self.assertEqual(p.err, "")
        self.assertRegex(self.good("--version").out, r"^kompakt \d+\.\d+\.\d+\n$")

    def test_commands(self):
        self.bad(status=2, says=["needs a command", *COMMANDS])
        self.bad("explode", status=2, says=["unknown command explode", *COMMANDS])
        self.bad("prune", status=2, says="unknown command prune")
        self.bad("", status=2, says="unknown command")

    def test_options(self):
        for command in COMMANDS:
            model = [] if command == "selftest" else ["x.tflite"]
            self.bad(command, *model, "--no-such", status=2, says="unknown option --no-such")
            self.bad(command, *model, "--json", "--json", status=2, says="given twice")
            self.bad(command, *model, "--json=1", status=2, says="takes no value")
            self.bad(command, *model, "extra", status=2, says="extra")
            if model:
                self.bad(command, status=2, says="needs a MODEL")
        self.bad("run", "x", "--input", status=2, says="--input needs a value: --input F")
        self.bad("run", "x", "--input=", status=2, says="--input needs a value")
        self.bad("run", "x", "--input", "a", status=2, says="needs --output PREFIX")
        self.bad("emit", "x", status=2, says="emit: needs -o FILE.hpp or FILE.kpk\n")
        self.bad("quantize", "x", status=2, says="needs -o FILE.tflite, FILE.kpk or FILE.hpp\n")
        for name in ("a::b", "9 lives", "int", "co_await", "std", "main"):
            p = self.bad("emit", "x", "-o", "x.hpp", "--name", name, status=2,
                         says=f"emit: --name {name}: is no C++ name")
            self.assertEqual(p.err.count("emit:"), 1)
        self.bad("emit", "x", "-o", "x.onnx", status=2, says=[".hpp", ".kpk"])
        self.bad("emit", "x", "-o", "x.kpk", "--name", "n", status=2, says="--name")
        self.bad("emit", "x", "-o", "x.hpp", "--optimize", "beauty", status=2, says="speed")
        self.bad("quantize", "x", "-o", "q.tflite", status=2, says="needs --calibrate")
        self.bad("quantize", "x", "-o", "q.tflite", "--scheme", "w9a8", status=2,
                 says=["w9a8", "w8a8"])
        self.bad("quantize", "x", "-o", "q.tflite", "--algorithm", "best", status=2,
                 says=["best", "nearest"])
        self.bad("quantize", "x", "-o", "q.tflite", "--algorithm", "gptq+mse", status=2,
                 says=["gptq+mse", "second method"])
        self.bad("quantize", "x", "-o", "q.tflite", "--scheme", "mixed", status=2,
                 says=["--budget", "--average-bits"])
        self.bad("quantize", "x", "-o", "q.tflite", "--scheme", "mixed", "--budget", "20q", status=2,
                 says=["20q", "20k"])
        self.bad("quantize", "x", "-o", "q.tflite", "--budget", "20k", status=2,
                 says="--scheme mixed")
        self.bad("quantize", "x", "-o", "q.tflite", "--calibration", "luck", status=2,
                 says=["luck", "minmax", "kl"])
        self.bad("quantize", "x", "-o", "q.tflite", "--calibrate", "f", "--port", "portable",
                 status=2,
                 says="--port is for what is planned")
        self.bad("eval", "x", "--metric", "f1", status=2, says=["f1", "top1", "auc", "mse"])
        self.bad("eval", "x", "--input", "f", status=2, says="needs --labels")
        self.bad("bench", "x", "--seconds", "soon", status=2, says="--seconds soon")
        self.bad("bench", "x", "--seconds", "nan", status=2, says="needs a number")
        self.bad("bench", "x", "--threads", "0", status=2, says="--threads 0")
        self.bad("bench", "x", "--threads", "-1", status=2, says="--threads -1")
        self.bad("bench", "x", "--target", "cortex-m4", status=2, says="unknown option --target")
        self.bad("run", "x", "--input", "f", "--output", "o", "--input-type", "float64", status=2,
                 says=["float64", "float32", "uint8", "int8", "int16"])
        self.bad("run", "x", "--input", "f", "--output", "o", "--port", "z80", status=2,
                 says=["z80", "portable"])

    def test_selftest(self):
        p = self.good("selftest")
        self.assertIn("portable", p.out)
        self.assertNotIn("WRONG", p.out)
        a = self.answer("selftest")
        self.assertIn("portable", a["ports"])
        self.assertEqual(a["failures"], 0)
        self.assertGreater(len(a["checks"]), 20)
        self.assertEqual(len(a["ports"]), p.out.count("checks identical to portable"))
        self.assertIn(f"port portable: {len(a['checks'])} checks identical to portable\n", p.out)
        self.assertEqual(self.answer("selftest", "--port", "portable")["ports"], ["portable"])

    def test_standard_output_that_is_full(self):
        import subprocess
        import tool
        with open("/dev/full", "wb") as full:
            p = subprocess.run([tool.PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(p.returncode, 1)
        self.assertIn(b"standard output", p.stderr)


if __name__ == "__main__":
    main()
