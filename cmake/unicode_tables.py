#!/usr/bin/env python3
"""Generates the committed Unicode tables.

    unicode_tables.py DATA --old8 UnicodeData-8.0.0.txt --old9 UnicodeData-9.0.0.txt [--check]

DATA is either a folder with the files of the Unicode Character Database (UnicodeData.txt, PropList.txt,
DerivedCoreProperties.txt, Scripts.txt, CaseFolding.txt, SpecialCasing.txt, CompositionExclusions.txt,
GraphemeBreakProperty.txt, emoji-data.txt; they may lie in subfolders), or the unpacked npm package
@unicode/unicode-VERSION. That package has no decompositions and no combining classes: they come from
node's own String.prototype.normalize, so node's Unicode must be of the same version or newer (both are
stable for assigned code points, so the characters of a newer version are just left out).

--old8 and --old9: Hugging Face's tokenizers classify BERT's characters by Unicode 8.0 (crate
unicode_categories 0.1.1) and normalize by Unicode 9.0 (crate unicode-normalization-alignments).

With --check nothing is written; the exit status says whether the committed tables are what would be
written. Needs Python 3.8, and node for the npm package.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "include/kompakt"
LAST = 0x10FFFF
SIZE = LAST + 1

CATEGORIES = "Cn Cc Cf Cs Co Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp".split()
LONG = """Unassigned Control Format Surrogate Private_Use Uppercase_Letter Lowercase_Letter Titlecase_Letter
Modifier_Letter Other_Letter Nonspacing_Mark Spacing_Mark Enclosing_Mark Decimal_Number Letter_Number Other_Number
Connector_Punctuation Dash_Punctuation Open_Punctuation Close_Punctuation Initial_Punctuation Final_Punctuation
Other_Punctuation Math_Symbol Currency_Symbol Modifier_Symbol Other_Symbol Space_Separator Line_Separator
Paragraph_Separator""".split()
BREAKS = "Other CR LF Control Extend ZWJ Regional_Indicator Prepend SpacingMark L V T LV LVT".split()
BINARY = """Alphabetic White_Space Uppercase Lowercase Ideographic Emoji Emoji_Presentation Extended_Pictographic
Join_Control Hex_Digit""".split()


def hangul(c):
    return 0xAC00 <= c < 0xAC00 + 11172


class Data:
    """What the generators need, whatever it was read from."""

    def __init__(self):
        self.gc = ["Cn"] * SIZE
        self.ccc = {}
        self.canonical = {}  # full decompositions, Hangul syllables left out
        self.compat = {}
        self.compose = {}  # (a, b) -> c
        self.lower = {}  # full, without conditions
        self.fold = {}  # simple
        self.breaks = {}
        self.incb = {}  # Linker, Consonant, Extend
        self.scripts = {}  # name -> set
        self.binary = {}
        self.version = ""


# ---- The files of the UCD.

def read_ucd(folder):
    data = Data()

    def find(name):
        found = sorted(p for p in folder.rglob("*") if p.name == name)
        if not found:
            sys.exit(f"{folder}: no {name}")
        return found[0].read_text(encoding="utf-8").splitlines()

    def fields(name):
        for line in find(name):
            line = line.split("#")[0].strip()
            if line:
                yield [f.strip() for f in line.split(";")]

    def span(text):
        a, _, b = text.partition("..")
        return range(int(a, 16), int(b or a, 16) + 1)

    one_canonical, one_compat, first = {}, {}, None
    for line in find("UnicodeData.txt"):
        f = line.split(";")
        c = int(f[0], 16)
        if f[1].endswith(", First>"):
            first = c
            continue
        for x in range(first if first is not None else c, c + 1):
            data.gc[x] = f[2]
        first = None
        if int(f[3]):
            data.ccc[c] = int(f[3])
        if f[5] and not hangul(c):
            tagged = f[5].startswith("<")
            to = [int(x, 16) for x in f[5].split() if not x.startswith("<")]
            one_compat[c] = to
            if not tagged:
                one_canonical[c] = to
        if f[13]:
            data.lower[c] = [int(f[13], 16)]
    for f in fields("SpecialCasing.txt"):
        if not f[4]:
            to = [int(x, 16) for x in f[1].split()]
            if to != [int(f[0], 16)]:
                data.lower[int(f[0], 16)] = to
    for f in fields("CaseFolding.txt"):
        if f[1] in "CS":
            data.fold[int(f[0], 16)] = int(f[2], 16)

    def full(table, c):
        return [y for x in table[c] for y in full(table, x)] if c in table else [c]

    for c in one_compat:
        data.compat[c] = full(one_compat, c)
    for c in one_canonical:
        data.canonical[c] = full(one_canonical, c)
    excluded = {int(f[0], 16) for f in fields("CompositionExclusions.txt")}
    for c, to in one_canonical.items():
        if len(to) == 2 and c not in excluded and c not in data.ccc and to[0] not in data.ccc:
            data.compose[tuple(to)] = c

    for f in fields("GraphemeBreakProperty.txt"):
        for c in span(f[0]):
            data.breaks[c] = f[1]
    for f in fields("Scripts.txt"):
        data.scripts.setdefault(f[1], set()).update(span(f[0]))
    for name in ("PropList.txt", "DerivedCoreProperties.txt", "emoji-data.txt"):
        for f in fields(name):
            if f[1] == "InCB":
                for c in span(f[0]):
                    data.incb[c] = f[2]
            elif f[1] in BINARY:
                data.binary.setdefault(f[1], set()).update(span(f[0]))
    data.version = re.search(r"(\d+\.\d+\.\d+)", find("CaseFolding.txt")[0])[1]
    return data


# ---- The npm package, through node.

NODE = r"""
const [root, ...lists] = process.argv.slice(1), classes = lists.pop();
const [gcs, gbs, bins] = lists.map(x => x.split(' '));
const get = async p => (await import(root + '/' + p)).default;
const ranges = async p => (await get(p + '/ranges.mjs')).map(r => [r.begin, r.end]);
const fs = await import('node:fs');
const all = {gc: {}, breaks: {}, scripts: {}, binary: {}, insc: {}};
for (const g of gcs) all.gc[g] = await ranges('General_Category/' + g);
for (const g of gbs) all.breaks[g] = await ranges('Grapheme_Cluster_Break/' + g);
for (const g of bins) all.binary[g] = await ranges('Binary_Property/' + g);
for (const g of fs.readdirSync(root + '/Script')) if (/^[A-Z]\w*$/.test(g)) all.scripts[g] = await ranges('Script/' + g);
for (const g of ['Virama', 'Consonant']) all.insc[g] = await ranges('Indic_Syllabic_Category/' + g);
all.incb = await ranges('Binary_Property/InCB');
all.lower = [...await get('Simple_Case_Mapping/Lowercase/code-points.mjs')];
all.special = [...await get('Special_Casing/Lowercase/code-points.mjs')];
all.fold = [...await get('Case_Folding/C/code-points.mjs'), ...await get('Case_Folding/S/code-points.mjs')];
const cps = s => [...s].map(c => c.codePointAt(0));
const assigned = [];
for (const g of gcs) if (g !== 'Unassigned' && g !== 'Surrogate') for (const [a, b] of all.gc[g]) for (let c = a; c < b; ++c) assigned.push(c);
all.nfd = []; all.nfkd = []; all.recompose = [];
for (const c of assigned) {
  if (c >= 0xac00 && c < 0xac00 + 11172) continue;
  const s = String.fromCodePoint(c), d = s.normalize('NFD'), k = s.normalize('NFKD');
  if (k !== s) all.nfkd.push([c, cps(k)]);
  if (d !== s) {
    all.nfd.push([c, cps(d)]);
    const to = cps(d), last = to.pop();
    const a = cps(String.fromCodePoint(...(to.length ? to : [last])).normalize('NFC'));
    if (to.length && d.normalize('NFC') === s && a.length === 1) all.recompose.push([a[0], last, c]);
  }
}
// Marks change places when they stand in the wrong order, which tells the class of one from those of others.
const swaps = (x, y) => { const s = 'a' + String.fromCodePoint(x, y); return s.normalize('NFD') !== s; };
const probes = Object.entries(JSON.parse(classes)).map(([k, c]) => [+k, c]);
const low = probes.find(p => p[0] === 1)[1], high = probes.find(p => p[0] === 240)[1];
all.ccc = [];
for (const c of assigned) {
  const s = String.fromCodePoint(c);
  if (!/^\p{M}$/u.test(s) || s.normalize('NFD') !== s) continue;
  if (!swaps(c, low) && !swaps(high, c)) continue;
  const same = probes.filter(p => !swaps(c, p[1]) && !swaps(p[1], c));
  if (same.length !== 1) throw new Error('class of ' + c.toString(16));
  all.ccc.push([c, same[0][0]]);
}
console.log(JSON.stringify(all));
"""


def read_npm(folder, old):
    """`old`: {code point: combining class} of an earlier version, for node tells only which marks are of one class."""
    data = Data()
    probes = {k: c for c, k in sorted(old.items(), reverse=True)}
    probes.setdefault(6, 0x16FF0)  # the only class that is younger than the old versions
    out = subprocess.run(["node", "--input-type=module", "-e", NODE, "--", str(folder.resolve()), " ".join(LONG),
                          " ".join(BREAKS[1:]), " ".join(BINARY), json.dumps(probes)], stdout=subprocess.PIPE, check=True).stdout
    all_ = json.loads(out)

    def expand(ranges):
        return {c for a, b in ranges for c in range(a, b)}

    for short, name in zip(CATEGORIES, LONG):
        for c in expand(all_["gc"][name]):
            data.gc[c] = short
    for name, ranges in all_["breaks"].items():
        for c in expand(ranges):
            data.breaks[c] = name
    data.scripts = {k: expand(v) for k, v in all_["scripts"].items() if k != "Unknown"}
    data.binary = {k: expand(v) for k, v in all_["binary"].items()}
    # The derivation that DerivedCoreProperties.txt gives for Indic_Conjunct_Break.
    six = set().union(*(data.scripts[s] for s in "Bengali Devanagari Gujarati Malayalam Oriya Telugu".split()))
    linkers = expand(all_["insc"]["Virama"]) & six
    consonants = expand(all_["insc"]["Consonant"]) & six
    for c in expand(all_["incb"]):
        data.incb[c] = "Linker" if c in linkers else "Consonant" if c in consonants else "Extend"
    data.lower = {c: [to] for c, to in all_["lower"]}
    for c, to in all_["special"]:
        if to != [c]:
            data.lower[c] = to
    data.fold = dict(map(tuple, all_["fold"]))
    data.canonical = dict(map(tuple, all_["nfd"]))
    data.compat = dict(map(tuple, all_["nfkd"]))
    data.compose = {(a, b): c for a, b, c in all_["recompose"]}
    data.ccc = dict(map(tuple, all_["ccc"]))
    data.version = re.search(r"unicode-(\d+\.\d+\.\d+)", (folder / "package.json").read_text())[1]
    return data



# ---- What is written.

def ranges_of(members):
    """[first, last] of each run."""
    out = []
    for c in sorted(members):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def trie(values):
    """Three-stage table of small numbers: the split of the code point that gives the fewest bytes."""
    best = None
    used = SIZE
    while used > 0x1000 and values[used - 1] == values[-1]:
        used -= 1
    for low in (3, 4, 5, 6):
        blocks, ids = {}, []
        for at in range(0, SIZE, 1 << low):
            block = tuple(values[at:at + (1 << low)])
            ids.append(blocks.setdefault(block, len(blocks)))
        for middle in (3, 4, 5, 6):
            tops, index = {}, []
            for at in range(0, len(ids), 1 << middle):
                part = tuple(ids[at:at + (1 << middle)])
                part += (ids[-1],) * ((1 << middle) - len(part))
                index.append(tops.setdefault(part, len(tops)))
            while len(index) > 1 and index[-1] == index[-2]:
                index.pop()  # the last entry stands for all above
            wide = 2 if len(blocks) > 256 else 1
            size = len(index) * (2 if len(tops) > 256 else 1) + (len(tops) << middle) * wide + (len(blocks) << low)
            if best is None or size < best[0]:
                best = (size, low, middle, index, [x for t in tops for x in t], [x for b in blocks for x in b], wide)
    return best


def numbers(name, values, kind):
    text, line = [], "   "
    for v in values:
        part = f" {v},"
        if len(line) + len(part) > 100:
            text.append(line)
            line = "   "
        line += part
    text.append(line)
    body = "\n".join(text).rstrip(",")
    return f"inline constexpr std::{kind} {name}[{len(values)}] = {{\n{body}}};\n"


def trie_text(name, values):
    size, low, middle, index, middles, leaves, wide = trie(values)
    kind = "std::uint16_t" if wide == 2 else "std::uint8_t"
    if max(index) > 255:
        sys.exit(f"{name}: index")
    return size, (numbers(f"{name}_index", index, "uint8_t") +
                  numbers(f"{name}_middle", middles, kind[5:]) +
                  numbers(f"{name}_leaves", leaves, "uint8_t") +
                  f"inline constexpr unicode_trie<{kind}> {name}_trie = {{\n    {name}_index, {name}_middle, "
                  f"{name}_leaves, {len(index)}, {low}, {middle}}};\n")


HEAD = """// {what}
// Generated by cmake/unicode_tables.py from Unicode {version}; {bytes} bytes of flash.
#pragma once

#include <kompakt/{include}>

// clang-format off
namespace kompakt {{
inline namespace KOMPAKT_ABI {{
namespace token {{
namespace detail {{

{body}
}} // namespace detail
}} // namespace token
}} // namespace KOMPAKT_ABI
}} // namespace kompakt
"""


def category_header(data):
    size, text = trie_text("category", [CATEGORIES.index(g) for g in data.gc])
    return size, "General categories of all code points.", text, "token/unicode/trie.hpp"


def bert_header(old):
    """Hugging Face's BERT classes: 1 control, 2 punctuation, 3 nonspacing mark."""
    kind = {"Cc": 1, "Cf": 1, "Co": 1, "Mn": 3}
    kind.update({p: 2 for p in "Pc Pd Ps Pe Pi Pf Po".split()})
    size, text = trie_text("bert", [kind.get(g, 0) for g in old.gc])
    return size, "BERT's character classes, by Unicode 8.0.", text, "token/unicode/trie.hpp"


def breaks_header(data):
    """Break property, and for GB9c and GB11 what else counts."""
    values = [BREAKS.index(data.breaks.get(c, "Other")) for c in range(SIZE)]
    for c, kind in data.incb.items():
        if kind == "Consonant":
            assert values[c] == 0
            values[c] = 14
        elif kind == "Linker":
            assert values[c] == BREAKS.index("Extend")
            values[c] = 15
        else:
            assert values[c] in (BREAKS.index("Extend"), BREAKS.index("ZWJ")), hex(c)
    for c in data.binary["Extended_Pictographic"]:
        assert values[c] == 0
        values[c] = 16
    # Extend that is not InCB=Extend (U+200C) interrupts a conjunct.
    for c, b in data.breaks.items():
        if b == "Extend" and c not in data.incb:
            values[c] = 17
    size, text = trie_text("grapheme", values)
    return size, "Grapheme cluster break classes.", text, "token/unicode/trie.hpp"


def case_header(data):
    """Runs of code points whose lowercase is a constant away, each or every second one."""
    runs = []
    for c in sorted(data.lower):
        if len(data.lower[c]) != 1:
            continue
        delta = data.lower[c][0] - c
        if runs:
            a, b, step, d = runs[-1]
            if d == delta and (c - b == step or (a == b and c - b in (1, 2))):
                runs[-1] = [a, c, c - b, d]
                continue
        runs.append([c, c, 1, delta])
    special = {c: to for c, to in data.lower.items() if len(to) > 1}
    if special != {0x130: [0x69, 0x307]}:
        sys.exit(f"lowercase of several characters: {special}")
    lines = ",\n".join(f"    {{0x{a:x}, {b - a}, {s}, {d}}}" for a, b, s, d in runs)
    text = f"inline constexpr case_run lower_runs[{len(runs)}] = {{\n{lines}}};\n"
    return 12 * len(runs), "Lowercase mappings of one character to one.", text, "token/unicode/case_run.hpp"


def normalize_headers(data, old9):
    back = {b for _, b in data.compose} | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
    ccc = lambda c: data.ccc.get(c, 0)
    composites = {c: p for p, c in data.compose.items()}

    def recompose(to):
        """The text's NFC, by the algorithm's letter."""
        to, out, starter, last = list(to), [], None, 0
        for c in to:
            k = ccc(c)
            if starter is not None and (last == 0 and len(out) == starter + 1 or last != 0 and last < k):
                if (out[starter], c) in data.compose:
                    out[starter] = data.compose[out[starter], c]
                    continue
            out.append(c)
            if k == 0:
                starter, last = len(out) - 1, 0
            else:
                last = k
        return out

    records, values = {}, []
    old_newer = lambda c: old9.gc[c] == "Cn" and data.gc[c] != "Cn"
    for c in range(SIZE):
        if hangul(c):
            key = (0, 1 | 2)
        else:
            d, k = data.canonical.get(c), data.compat.get(c)
            dd, kk = d or [c], k or [c]
            flags = (1 if d else 0) | (2 if k else 0)
            # A composite may also begin with what joins the character before it (Kirat Rai).
            if (d and recompose(d) != [c]) or dd[0] in back:
                flags |= 4
            if (k and recompose(k) != [c]) or kk[0] in back:
                flags |= 8
            # What may change together with a character before it.
            if ccc(dd[0]) or dd[0] in back:
                flags |= 16
            if ccc(kk[0]) or kk[0] in back:
                flags |= 32
            key = (ccc(c), flags | (64 if old_newer(c) and (flags or ccc(c)) else 0))
        values.append(records.setdefault(key, len(records)))
    size, text = trie_text("norm", values)
    text += numbers("norm_class", [k for k, _ in records], "uint8_t")
    text += numbers("norm_flags", [f for _, f in records], "uint8_t")
    size += 2 * len(records)
    out = {"normalize_table": (size, "What normalization does with each code point: class and quick checks.", text,
                               "token/unicode/trie.hpp")}

    # Decompositions: a bit for each code point that has one, in blocks of 32 with the number of those before;
    # then offsets into text in UTF-16, a pool that holds each sequence once.
    for name, table, what in (("canonical", data.canonical, "Canonical decompositions, complete ones."),
                              ("compat", {c: t for c, t in data.compat.items() if data.canonical.get(c) != t},
                               "Compatibility decompositions where they differ from the canonical ones.")):
        units = lambda to: [u for c in to for u in
                            ([c] if c < 0x10000 else [0xD800 + ((c - 0x10000) >> 10), 0xDC00 + (c & 0x3FF)])]
        pool, where = [], {}
        text_of = lambda u: "".join(map(chr, u))
        joined = ""
        for to in sorted({tuple(units(t)) for t in table.values()}, key=lambda t: (-len(t), t)):
            at = joined.find(text_of(to))
            if at < 0:
                at = len(joined)
                joined += text_of(to)
            where[to] = (at, len(to))
        pool = [ord(x) for x in joined]
        used = sorted(table)
        entries = []
        for c in used:
            at, n = where[tuple(units(table[c]))]
            # 13 bits of offset do not do for the compatibility pool: lengths have a list of their own.
            entries.append((at, n))
        blocks = {}
        for c in used:
            blocks.setdefault(c >> 5, 0)
            blocks[c >> 5] |= 1 << (c & 31)
        order = sorted(blocks)
        index = [0] * ((used[-1] >> 5) + 1)
        for i, b in enumerate(order):
            index[b] = i + 1
        # Two stages over the blocks; blocks are below 256 * 2.
        leaf, tops, top = 16, {}, []
        for at in range(0, len(index), leaf):
            part = tuple((index[at:at + leaf] + [0] * leaf)[:leaf])
            top.append(tops.setdefault(part, len(tops)))
        rank, ranks = 0, [0]
        bits = [0]
        for b in order:
            bits.append(blocks[b])
            ranks.append(rank)
            rank += bin(blocks[b]).count("1")
        kind = "uint8_t" if len(order) < 256 else "uint16_t"
        if len(tops) > 255 or max(n for _, n in entries) > 31 or len(pool) > 65535:
            sys.exit("decompositions")
        body = (numbers(f"{name}_top", top, "uint8_t") +
                numbers(f"{name}_block", [x for t in tops for x in t], kind) +
                numbers(f"{name}_bits", bits, "uint32_t") + numbers(f"{name}_rank", ranks, "uint16_t") +
                numbers(f"{name}_offset", [a for a, _ in entries], "uint16_t") +
                numbers(f"{name}_length", [n for _, n in entries], "uint8_t") +
                numbers(f"{name}_pool", pool, "uint16_t"))
        size = (len(top) + len(tops) * leaf * (1 if kind == "uint8_t" else 2) + len(bits) * 6 + len(entries) * 3 +
                2 * len(pool))
        out[f"{name}_table"] = (size, what, body, "core/config.hpp")

    small = sorted((a, b, c) for (a, b), c in data.compose.items() if max(a, b, c) < 0x10000)
    large = sorted((a, b, c) for (a, b), c in data.compose.items() if max(a, b, c) >= 0x10000)
    # By the second character first: there are few of them.
    seconds = sorted({b for _, b, _ in small})
    firsts = []
    starts = [0]
    for s in seconds:
        firsts += sorted((a, c) for a, b, c in small if b == s)
        starts.append(len(firsts))
    body = (numbers("compose_second", seconds, "uint16_t") + numbers("compose_start", starts, "uint16_t") +
            numbers("compose_first", [a for a, _ in firsts], "uint16_t") +
            numbers("compose_to", [c for _, c in firsts], "uint16_t") +
            numbers("compose_large", [x for t in large for x in t], "uint32_t"))
    size = 2 * (len(seconds) + len(starts) + 2 * len(firsts)) + 12 * len(large)
    out["compose_table"] = (size, "Primary composites.", body, "core/config.hpp")
    return out


def property_header(data):
    lists, names = [], []
    for kind, table in (("script", data.scripts), ("binary", data.binary)):
        for name in sorted(table):
            names.append((kind, name, len(lists)))
            lists += ranges_of(table[name])
    names.append(("end", "", len(lists)))
    body = numbers("property_range", [x for r in lists for x in r], "uint32_t")
    rows = ",\n".join(f'    {{"{n}", {str(k == "script").lower()}, {at}}}' for k, n, at in names)
    body += f"inline constexpr property_name property_names[{len(names)}] = {{\n{rows}}};\n"
    return 8 * len(lists), "Scripts and binary properties (host).", body, "io/token/regex/property_name.hpp"


def fold_header(data):
    runs = []
    for c in sorted(data.fold):
        delta = data.fold[c] - c
        if runs:
            a, b, step, d = runs[-1]
            if d == delta and (c - b == step or (a == b and c - b in (1, 2))):
                runs[-1] = [a, c, c - b, d]
                continue
        runs.append([c, c, 1, delta])
    lines = ",\n".join(f"    {{0x{a:x}, {b - a}, {s}, {d}}}" for a, b, s, d in runs)
    text = f"inline constexpr case_run fold_runs[{len(runs)}] = {{\n{lines}}};\n"
    return 12 * len(runs), "Simple case folding (host).", text, "token/unicode/case_run.hpp"


def old_data(path):
    data, first = Data(), None
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        f = line.split(";")
        c = int(f[0], 16)
        if f[1].endswith(", First>"):
            first = c
            continue
        for x in range(first if first is not None else c, c + 1):
            data.gc[x] = f[2]
        first = None
        if int(f[3]):
            data.ccc[c] = int(f[3])
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--old8", required=True)
    parser.add_argument("--old9", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    old9 = old_data(options.old9)
    if (options.data / "package.json").exists():
        data = read_npm(options.data, old9.ccc)
    else:
        data = read_ucd(options.data)
    unicode, regex = "token/unicode/", "io/token/regex/"
    tables = {unicode + "category_table": category_header(data), unicode + "bert_table": bert_header(old_data(options.old8)),
              unicode + "grapheme_table": breaks_header(data), unicode + "lower_table": case_header(data),
              regex + "property_table": property_header(data), regex + "fold_table": fold_header(data)}
    for name, table in normalize_headers(data, old9).items():
        tables[unicode + name] = table
    wrong = False
    for name, (size, what, body, include) in tables.items():
        text = HEAD.format(what=what, version=data.version, bytes=size, body=body, include=include)
        path = ROOT / f"{name}.hpp"
        print(f"{name:32} {size:7} bytes")
        if options.check:
            if not path.exists() or path.read_text() != text:
                print(f"{name}: differs")
                wrong = True
        else:
            path.write_text(text)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
