"""kompakt train-tokenizer: outputs, options, bad input."""
import json
import unittest

from tool import ToolTest

TEXT = ("the quick brown fox jumps over the lazy dog\n" * 30 + "pack my box with five dozen jugs\n" * 20).encode()


class TrainTokenizer(ToolTest):
    def test_outputs(self):
        text = self.file("text.txt", TEXT)
        for model, name, size in [("bpe", "a.json", 300), ("bpe", "a.model", 60), ("unigram", "b.model", 60),
                                  ("unigram", "b.json", 60), ("wordpiece", "c.txt", 70), ("wordpiece", "c.json", 70),
                                  ("word", "d.json", 10), ("char", "e.json", 40), ("char", "e.model", 40)]:
            out = self.folder / name
            a = self.answer("train-tokenizer", "--model", model, "--size", size, text, "-o", out)
            self.assertEqual(a["model"], model)
            self.assertLessEqual(a["pieces"], size)
            self.assertGreater(a["pieces"], 5)
            self.assertEqual(a["bytes"], len(TEXT))
            self.assertEqual(a["files"], [str(out)])
            if name.endswith(".json"):
                json.loads(out.read_text(encoding="utf-8"))
        a = self.answer("train-tokenizer", "--model", "bpe", "--size", 300, text, text, "-o", self.folder / "vocab.json")
        self.assertEqual(len(a["files"]), 2)
        self.assertEqual(a["bytes"], 2 * len(TEXT))
        self.assertTrue((self.folder / "merges.txt").read_text().startswith("#version"))

    def test_threads_do_not_matter(self):
        text = self.file("text.txt", TEXT)
        for model in ("bpe", "unigram"):
            for n in (1, 3):
                self.good("train-tokenizer", "--model", model, "--size", 64, "--rules", "sentencepiece", "--threads", n,
                          text, "-o", self.folder / f"{n}.model")
            self.assertEqual((self.folder / "1.model").read_bytes(), (self.folder / "3.model").read_bytes())

    def test_trained_files_tokenize(self):
        text = self.file("text.txt", TEXT)
        for model, name in [("bpe", "a.json"), ("unigram", "b.model"), ("wordpiece", "c.txt")]:
            out = self.folder / name
            self.good("train-tokenizer", "--model", model, "--size", 300 if model == "bpe" else 70, text, "-o", out)
            shown = self.good("tokenize", out, "--input", text, "--pieces").out
            self.assertIn("fox", shown.replace("\u0120", "").replace("\u2581", ""))

    def test_bad_input(self):
        text, empty = self.file("text.txt", TEXT), self.file("empty.txt", b"")
        out = self.folder / "out.json"
        before = self.files()

        def bad(*arguments, says):
            self.bad("train-tokenizer", *arguments, says=says)
            self.assertEqual(self.files(), before)

        bad("--model", "bpe", "--size", 300, "-o", out, says=["FILE"])
        bad("--size", 300, text, "-o", out, says=["--model"])
        bad("--model", "bpe", text, "-o", out, says=["--size"])
        bad("--model", "bpe", "--size", 300, text, says=["-o"])
        bad("--model", "bpe", "--size", 300, text, "-o", self.folder / "x.doc", says=["x.doc", ".json"])
        bad("--model", "bpe", "--size", 300, text, "-o", text, says=["overwrite"])
        bad("--model", "bpe", "--size", 0, text, "-o", out, says=["--size 0"])
        bad("--model", "bpe", "--size", 200, text, "-o", out, says=["at least 256"])
        bad("--model", "unigram", "--size", 20, text, "-o", out, says=["at least"])
        bad("--model", "bpe", "--size", 300, empty, "-o", out, says=["empty.txt", "no text"])
        bad("--model", "bpe", "--size", 300, self.folder / "none", "-o", out, says=["none", "cannot open"])
        bad("--model", "bpe", "--size", 300, "--pattern", "(", text, "-o", out, says=["regular expression"])
        bad("--model", "bpe", "--size", 300, "--coverage", 1, text, "-o", out, says=["--coverage", "sentencepiece"])
        bad("--model", "unigram", "--size", 60, "--suffix", "x", text, "-o", out, says=["--suffix", "hf"])
        bad("--model", "wordpiece", "--size", 60, "--rules", "sentencepiece", text, "-o", out, says=["WordPiece"])
        bad("--model", "unigram", "--size", 60, text, "-o", self.folder / "x.txt", says=["vocab.txt"])


if __name__ == "__main__":
    unittest.main()
