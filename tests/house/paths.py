"""No file of the project names a place on somebody's machine."""
import os
import re

from house import ROOT, fail, finish, run

# Written apart, so that this file does not name them itself.
PLACES = re.compile(rb"(?<![\w.}/-])/(?:" + b"|".join([b"home", b"root", b"work", b"Users", b"mnt"]) + rb")/\w")

listed = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
if listed.returncode == 0:
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
else:  # a copy without its history
    files = [ROOT / folder / name for folder, subfolders, names in os.walk(ROOT) for name in names
             if "/build" not in folder and "/.git" not in folder]
for file in sorted(f for f in files if f.is_file()):
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if PLACES.search(line):
            fail(f"{file.relative_to(ROOT)}:{number}: {line[:120].decode(errors='replace').strip()}")
finish(f"{len(files)} files")
