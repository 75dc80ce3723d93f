"""What the tests of the tool share: the program, a scratch folder, models made here."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PROGRAM = os.environ.get("KOMPAKT_TOOL", "kompakt")
DATA = os.environ.get("KOMPAKT_TEST_DATA", "")
MODELS = pathlib.Path(DATA, "data/tflite")
SETS = pathlib.Path(DATA, "data/sets")
SAMPLES = int(os.environ.get("KOMPAKT_TEST_SAMPLES") or 10)
FULL = os.environ.get("KOMPAKT_TEST_FULL", "0") == "1"

needs_data = unittest.skipUnless(DATA, "needs the folder KOMPAKT_TEST_DATA, which is not set")


def run(*arguments):
    """The finished process; a crash (a signal) is never what a test expects."""
    p = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=600)
    p.out = p.stdout.decode("utf-8", "replace")
    p.err = p.stderr.decode("utf-8", "replace")
    return p


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kompakt_tool_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def files(self):
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*")
                      if p.is_file())

    def good(self, *arguments):
        p = run(*arguments)
        self.assertEqual(p.returncode, 0, f"{arguments}: {p.err}")
        return p

    def answer(self, *arguments):
        """The answer as JSON: the whole of standard output."""
        return json.loads(self.good(*arguments, "--json").out)

    def bad(self, *arguments, says=(), status=None):
        """Fails with one line on standard error that holds all of `says`; nothing on output."""
        p = run(*arguments)
        self.assertIn(p.returncode, [1, 2] if status is None else [status], f"{arguments}: {p.err}")
        self.assertEqual(p.out, "", arguments)
        self.assertTrue(p.err.startswith("kompakt: "), p.err)
        self.assertEqual(p.err.count("\n"), 1, p.err)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, p.err)
        return p


def manifest(name):
    return json.loads((MODELS / name / "manifest.json").read_text())


def model_file(name):
    return MODELS / name / manifest(name)["model_file"]


def npy(dtype, shape, content):
    header = repr({"descr": dtype, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


def close(a, b):
    """The contract for floats: 1e-5 absolute + 1e-4 relative."""
    return len(a) == len(b) and all(abs(x - y) <= 1e-5 + 1e-4 * abs(y) for x, y in zip(a, b))


def floats(content):
    return struct.unpack(f"<{len(content) // 4}f", content)


def main():
    unittest.main(verbosity=1)
