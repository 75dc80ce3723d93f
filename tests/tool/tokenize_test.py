"""kompakt tokenize: text to ids and back, vocabularies for firmware, what is refused."""
import base64
import json
import os
import pathlib
import struct
import subprocess
import unittest

from tool import PROGRAM, ToolTest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CXX = os.environ.get("KOMPAKT_TOOL_CXX", "g++")
TRAINING = ("the quick brown fox jumps over the lazy dog\n" * 30).encode()


def byte_characters():
    """The character that GPT-2's vocabularies write for each byte."""
    shown = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    table = {b: chr(b) for b in shown}
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + len(table) - len(shown))
    return [table[b] for b in range(256)]


BYTES = byte_characters()
MERGES = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), (BYTES[32], "w"), ("o", "r")]
TOKENS = BYTES + [a + b for a, b in MERGES]  # hello: 259, " w": 260, "or": 261


def byte_level():
    return {"added_tokens": [{"id": 262, "content": "<end>", "special": True, "normalized": False}],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "vocab": {t: i for i, t in enumerate(TOKENS)},
                      "merges": [f"{a} {b}" for a, b in MERGES]}}


def bert():
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world", "##s", ",", "w"]
    return {"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
            "decoder": {"type": "WordPiece"},
            "added_tokens": [{"id": i, "content": words[i], "special": True, "normalized": False}
                             for i in range(4)],
            "model": {"type": "WordPiece", "unk_token": "[UNK]",
                      "vocab": {w: i for i, w in enumerate(words)}}}


def numbers(content):
    return list(struct.unpack(f"<{len(content) // 4}I", content))


def words_of(*ids):
    return struct.pack(f"<{len(ids)}I", *ids)


class TokenizeCase(ToolTest):
    def setUp(self):
        super().setUp()
        self.vocab = self.json("tokenizer.json", byte_level())

    def json(self, name, content):
        return self.file(name, json.dumps(content).encode())

    def tokenize(self, *arguments, vocab=None):
        return self.good("tokenize", vocab or self.vocab, *arguments)


class Tokenize(TokenizeCase):
    def test_text_to_ids(self):
        text = self.file("a.txt", b"hello world<end>")
        ids = [259, 260, 261, ord("l"), ord("d"), 262]
        self.assertEqual(self.tokenize("--input", text).out, " ".join(map(str, ids)) + "\n")
        self.assertEqual(self.tokenize("--input", text, "--ids").out, " ".join(map(str, ids)) + "\n")
        out = self.folder / "ids.bin"
        shown = self.tokenize("--input", text, "-o", out).out
        self.assertIn("16 bytes, 6 tokens", shown)
        self.assertEqual(numbers(out.read_bytes()), ids)
        self.tokenize("--input", text, "-o", out, "--ids")
        self.assertEqual(out.read_text(), " ".join(map(str, ids)) + "\n")
        plain = self.tokenize("--input", text, "--no-added").out.split()
        self.assertNotIn("262", plain)
        self.assertEqual(len(plain), 5 + len("<end>"))
        self.assertEqual(self.tokenize("--input", self.file("empty", b"")).out, "\n")

    def test_pieces(self):
        text = self.file("a.txt", "hello wö\n".encode())
        shown = self.tokenize("--input", text, "--pieces").out.splitlines()
        self.assertEqual([json.loads(x) for x in shown][:2], ["hello", " w"])
        self.assertEqual(len(shown), 5)  # two bytes of ö, a line feed

    def test_json_says_all(self):
        text = self.file("a.txt", "hello ö<end>".encode())
        a = self.answer("tokenize", self.vocab, "--input", text)
        self.assertEqual(a["ids"], [259, 32, 0xc3, 0xb6, 262])
        self.assertEqual(a["pieces"][0], "hello")
        self.assertEqual(a["offsets"], [[0, 5], [5, 6], [6, 8], [6, 8], [8, 13]])
        self.assertEqual((a["bytes"], a["tokens"]), (13, 5))

    def test_template(self):
        vocab = self.json("bert.json", bert())
        text = self.file("a.txt", b"Hello worlds, [SEP]")
        self.assertEqual(self.tokenize("--input", text, vocab=vocab).out, "4 5 6 7 3\n")
        self.assertEqual(self.tokenize("--input", text, "--special", vocab=vocab).out, "2 4 5 6 7 3 3\n")
        a = self.answer("tokenize", vocab, "--input", text, "--special")
        self.assertEqual(a["ids"], [2, 4, 5, 6, 7, 3, 3])
        self.assertEqual(a["offsets"], [[0, 0], [0, 5], [6, 11], [11, 12], [12, 13], [14, 19], [0, 0]])

    def test_array_of_texts(self):
        texts = self.json("texts.json", ["hello", "", "hello<end>", "\u00f6"])
        want = [[259], [], [259, 262], [0xc3, 0xb6]]
        for threads in ([], ["--threads", 1], ["--threads", 3]):
            self.assertEqual(json.loads(self.tokenize("--input", texts, *threads).out), want)
        self.assertEqual(self.answer("tokenize", self.vocab, "--input", texts)["ids"], want)
        out = self.folder / "ids.json"
        self.assertIn("4 texts, 5 tokens", self.tokenize("--input", texts, "-o", out).out)
        self.assertEqual(json.loads(out.read_text()), want)
        back = self.tokenize("--input", out, "--decode").out
        self.assertEqual(json.loads(back), ["hello", "", "hello<end>", "\u00f6"])
        self.assertEqual(json.loads(self.tokenize("--input", out, "--decode", "--skip-special").out)[2], "hello")

    def test_decode_is_byte_for_byte(self):
        content = "hello\tw\u00f6rld\r\n\x1b[0m\u0085 \U0001f44d<end>".encode()
        text, ids, back = self.file("a.txt", content), self.folder / "ids.bin", self.folder / "back.txt"
        self.tokenize("--input", text, "-o", ids)
        self.tokenize("--input", ids, "--decode", "-o", back)
        self.assertEqual(back.read_bytes(), content)
        # Standard output that is a pipe gets the bytes, too.
        self.assertEqual(self.tokenize("--input", ids, "--decode").stdout, content)
        self.assertEqual(self.tokenize("--input", ids, "--decode", "--skip-special").stdout, content[:-5])
        a = self.answer("tokenize", self.vocab, "--input", ids, "--decode")
        self.assertEqual(a["text"], content.decode())
        self.assertEqual(a["bytes"], len(content))

    def test_standard_input(self):
        for name in ("-", "/dev/stdin"):
            p = subprocess.run([PROGRAM, "tokenize", str(self.vocab), "--input", name], input=b"hello w",
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual((p.returncode, p.stdout, p.stderr), (0, b"259 260\n", b""))
        p = subprocess.run([PROGRAM, "tokenize", str(self.vocab), "--input", "-", "--decode"], input=words_of(259),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((p.returncode, p.stdout), (0, b"hello"))

    def test_every_kind_of_file(self):
        text = self.file("a.txt", b"hello world")
        ids = self.tokenize("--input", text).out
        self.json("vocab.json", {t: i for i, t in enumerate(TOKENS)})
        merges = self.file("merges.txt", ("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in MERGES)).encode())
        self.assertEqual(self.tokenize("--input", text, vocab=self.folder / "vocab.json").out, ids)
        other = self.file("other.json", (self.folder / "vocab.json").read_bytes())
        self.assertEqual(self.tokenize("--input", text, "--merges", merges, vocab=other).out, ids)
        character = {c: b for b, c in enumerate(BYTES)}
        ranks = self.file("a.tiktoken", b"".join(
            base64.b64encode(bytes(character[c] for c in t)) + f" {i}\n".encode() for i, t in enumerate(TOKENS)))
        with_end = self.file("b.txt", b"hello world<end>")
        for pattern in ("gpt2", "cl100k", "o200k", r"\s?\w+|[^\w]+"):
            got = self.tokenize("--input", with_end, "--pattern", pattern, "--special-token", "<end>=300", vocab=ranks)
            self.assertEqual(got.out.split()[-1], "300")
            if pattern == "gpt2":
                self.assertEqual(got.out, ids[:-1] + " 300\n")
        lines = self.file("vocab.txt", b"[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\nhello\nworld\nHello\n")
        capital = self.file("c.txt", b"Hello world")
        self.assertEqual(self.tokenize("--input", capital, vocab=lines).out, "5 6\n")
        self.assertEqual(self.tokenize("--input", capital, "--cased", vocab=lines).out, "7 6\n")
        for model in ("bpe", "unigram"):
            trained = self.folder / f"{model}.model"
            self.good("train-tokenizer", "--model", model, "--size", 60, self.file("t.txt", TRAINING), "-o", trained)
            self.tokenize("--input", text, "-o", self.folder / "x.bin", vocab=trained)
            self.assertEqual(self.tokenize("--input", self.folder / "x.bin", "--decode", vocab=trained).stdout,
                             b"hello world")

    def test_emit_ktok(self):
        text = self.file("a.txt", "hello wörld <end>".encode())
        want = self.tokenize("--input", text).out
        ktok, small = self.folder / "a.ktok", self.folder / "b.ktok"
        shown = self.tokenize("--emit", ktok).out
        self.assertIn(f"{ktok.stat().st_size:,}", shown)
        self.tokenize("--emit", small, "--optimize", "size")
        self.assertLess(small.stat().st_size, ktok.stat().st_size)
        for path in (ktok, small):
            self.assertEqual(self.tokenize("--input", text, vocab=path).out, want)
        again = self.folder / "c.ktok"
        self.tokenize("--emit", again, vocab=ktok)
        self.assertEqual(again.read_bytes(), ktok.read_bytes())
        # Both at once.
        out = self.folder / "ids.bin"
        self.tokenize("--emit", again, "--input", text, "-o", out)
        self.assertEqual(len(out.read_bytes()) // 4, len(want.split()))

    def test_emit_header_runs(self):
        header = self.folder / "vocab.hpp"
        self.tokenize("--emit", header, "--name", "words")
        program = self.file("p.cpp", b'''#include "vocab.hpp"
#include <cstdio>
alignas(8) static std::byte memory[words::memory_bytes(64)];
int main() {
    words::encoder e(words::tables(), memory);
    std::uint32_t ids[64];
    std::size_t n = 0;
    if (!e.encode({"hello world", 11}, ids, n).ok()) return 1;
    for (std::size_t i = 0; i < n; ++i) std::printf("%s%u", i != 0 ? " " : "", static_cast<unsigned>(ids[i]));
    std::puts("");
}
''')
        binary = self.folder / "p"
        subprocess.run([CXX, "-std=c++17", "-O0", f"-I{ROOT / 'include'}", str(program), "-o", str(binary)], check=True,
                       timeout=300)
        got = subprocess.run([str(binary)], stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()
        self.assertEqual(got, self.tokenize("--input", self.file("a.txt", b"hello world")).out)

    def test_shows_what_it_is(self):
        self.assertIn("byte-pair encoding, 263 ids", self.tokenize().out)
        a = self.answer("tokenize", self.json("bert.json", bert()))
        self.assertEqual((a["model"], a["ids"]), ("WordPiece", 9))


class BadInput(TokenizeCase):
    """One line on standard error; no file is made or changed."""

    def refused(self, *arguments, says, vocab=None, status=None):
        before = {p: p.read_bytes() for p in self.folder.iterdir()}
        self.bad("tokenize", vocab or self.vocab, *arguments, says=says, status=status)
        self.assertEqual({p: p.read_bytes() for p in self.folder.iterdir()}, before)

    def test_vocabularies(self):
        out = self.folder / "x.ktok"
        for content, says in [(b"", ""), (b"{", ""), (b"\xff\xfe", ""), (b"{}", "merges"),
                              (b'{"model":{"type":"Magic","vocab":{}}}', "Magic"), (b'{"a":0}', "merges"),
                              (b"KTOK", ""), (b'{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}', '"b"'),
                              (b"\n\n\n", "")]:
            path = self.file("bad", content)
            self.refused("--emit", out, vocab=path, says=[str(path), says], status=1 if says != "merges" else 2)
        self.refused(vocab=self.folder / "none", says=["none", "No such file"])
        self.refused(vocab=self.folder, says="Is a directory")
        ktok = self.folder / "a.ktok"
        self.tokenize("--emit", ktok)
        whole = ktok.read_bytes()
        for n in (3, 4, 100, len(whole) // 2, len(whole) - 16):
            cut = self.file("cut.ktok", whole[:n])
            self.refused("--input", self.vocab, vocab=cut, says="cut.ktok")

    def test_options_that_do_not_fit(self):
        text = self.file("a.txt", b"hello")
        ids = self.file("ids.bin", words_of(259))
        x = self.folder / "x"
        for arguments, says in [
                (["-o", x], "--input"), (["--decode"], "--input"),
                (["--emit", f"{x}.doc"], ["--emit", "x.doc", ".hpp, .ktok"]),
                (["--emit", f"{x}.hpp", "--name", "a b"], ["--name a b"]),
                (["--emit", f"{x}.hpp", "--optimize", "fun"], ["--optimize", "fun"]),
                (["--emit", f"{x}.ktok", "--name", "n"], ["--name", ".hpp"]),
                (["--emit", f"{x}.ktok", "--include", "n"], ["--include", ".hpp"]),
                (["--emit", f"{x}.ktok", "--offsets"], ["--offsets", ".hpp"]),
                (["--input", text, "--optimize", "size"], ["--optimize", "--emit"]),
                (["--input", text, "--skip-special"], ["--skip-special", "--decode"]),
                (["--input", ids, "--decode", "--pieces"], ["--pieces", "--decode"]),
                (["--input", ids, "--decode", "--ids"], ["--ids", "--decode"]),
                (["--input", ids, "--decode", "--special"], ["--special", "--decode"]),
                (["--input", ids, "--decode", "--no-added"], ["--no-added", "--decode"]),
                (["--input", text, "--ids", "--pieces"], ["--ids", "--pieces"]),
                (["--input", text, "--threads", 2], ["--threads", ".json"]),
                (["--special"], ["--special", "--input"]),
                (["--input", text, "--pattern", "gpt2"], ["--pattern", "tiktoken"]),
                (["--input", text, "--cased"], ["--cased", "vocab.txt"]),
                (["--input", text, "--merges", text], ["--merges", "vocab.json"]),
                (["--input", text, "--special-token", "a=1"], ["--special-token"]),
                (["--input", text, "more"], ["more"]), (["--nonsense"], ["--nonsense"])]:
            with self.subTest(arguments=arguments):
                self.refused(*arguments, says=says, status=2)
        ranks = self.file("a.tiktoken", b"YQ== 0\n")
        for special in ("<end>", "<end>=", "<end>=x", "<end>=-1", "<end>=99999999999", "=5"):
            self.refused("--pattern", "gpt2", "--special-token", special, vocab=ranks, says=["--special-token"],
                         status=2)
        self.refused(vocab=ranks, says=["a.tiktoken", "pattern"])
        self.refused("--pattern", "(", vocab=ranks, says=["a.tiktoken"])

    def test_inputs(self):
        out = self.folder / "x.bin"
        emit = ["--emit", self.folder / "x.ktok"]  # nor is this written
        self.refused("--input", self.folder / "none", "-o", out, *emit, says=["none", "No such file"])
        self.refused("--input", self.folder, says="Is a directory")
        for content in (b"\0", b"\0\0\0\0\0"):
            self.refused("--input", self.file("odd.bin", content), "--decode", "-o", out, *emit,
                         says=["odd.bin", "4 bytes"])
        self.refused("--input", self.file("ids.bin", words_of(0, 263)), "--decode", "-o", out, *emit,
                     says=["ids.bin", "token 1", "263"])
        for content, says in [("{}", "array"), ("[1]", "element 0"), ("[", "line 1"), ('["a",null]', "element 1"),
                              ('["\\ud800"]', "")]:
            self.refused("--input", self.file("t.json", content.encode()), *emit, says=["t.json", says])
        for content, says in [("[1]", "element 0"), ("[[],[-1]]", "element 1"), ("[[1.5]]", "element 0"),
                              ("[[263]]", "263"), ("[[4294967296]]", "no id"), ('[["a"]]', "no id")]:
            self.refused("--input", self.file("i.json", content.encode()), "--decode", *emit, says=["i.json", says])

    def test_outputs(self):
        text = self.file("a.txt", b"hello")
        link = self.folder / "link.ktok"
        link.symlink_to(self.vocab)
        self.refused("--input", text, "-o", text, says=["overwrite", "--input"], status=2)
        self.refused("--input", text, "-o", self.vocab, says=["overwrite", "the vocab"], status=2)
        self.refused("--emit", link, says=["--emit", "overwrite"], status=2)
        same = self.folder / "x.ktok"
        self.refused("--input", text, "-o", same, "--emit", same, says="a file of its own", status=2)
        self.json("vocab.json", {t: i for i, t in enumerate(TOKENS)})
        merges = self.file("merges.txt", "".join(f"{a} {b}\n" for a, b in MERGES).encode())
        vocab = self.folder / "vocab.json"
        self.refused("--input", text, "-o", merges, vocab=vocab, says=["overwrite", "merges"], status=2)
        self.refused("--input", text, "--merges", merges, "-o", merges, vocab=vocab, says=["overwrite", "merges"],
                     status=2)
        merges.unlink()
        self.refused("--input", text, vocab=vocab, says=["--merges", "vocab.json"], status=2)
        missing = self.folder / "no/such/folder"
        self.refused("--input", text, "-o", missing / "x.bin", "--emit", self.folder / "y.ktok", says="no/such/folder",
                     status=1)
        self.refused("--input", text, "-o", self.folder / "y.bin", "--emit", missing / "x.ktok", says="no/such/folder",
                     status=1)


if __name__ == "__main__":
    unittest.main()
