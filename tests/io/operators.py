"""The one-operator models of DATA/operators through test_io: unpacks them into WORK, the first EACH of a group
(0: all), and runs the test on them.

    operators.py TEST_IO DATA WORK EACH [EMULATOR…]
"""
import json
import os
import pathlib
import subprocess
import sys
import tarfile

TEST, DATA, WORK, EACH = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4])
ARCHIVE = DATA / "operators" / "operators.tar.xz"


def unpack():
    """ARCHIVE holds GROUP.json and GROUP.bin: the files of all cases back to back."""
    with tarfile.open(ARCHIVE) as archive:
        blobs = {}
        for member in archive:
            if member.name.endswith(".bin"):
                blobs[pathlib.Path(member.name).stem] = archive.extractfile(member).read()
            elif member.name.endswith(".json"):
                blobs[pathlib.Path(member.name).stem + ".json"] = archive.extractfile(member).read()
    for name, text in blobs.items():
        if not name.endswith(".json"):
            continue
        group = json.loads(text)
        blob = blobs[name[:-5]]
        for case in group["cases"][:EACH or None]:
            folder = WORK / case["name"]
            folder.mkdir(parents=True, exist_ok=True)
            for file, (at, size) in case.pop("blob").items():
                (folder / file).write_bytes(blob[at:at + size])
            (folder / "manifest.json").write_text(json.dumps({**case, **group["common"]}))


if not ARCHIVE.exists():
    print(f"skipped: no {ARCHIVE}")
    sys.exit(0)
done = WORK / f"unpacked-{EACH}-{ARCHIVE.stat().st_size}"
if not done.exists():
    unpack()
    done.write_text("")
environment = dict(os.environ, KOMPAKT_TEST_OPERATORS=str(WORK))
sys.exit(subprocess.run([*sys.argv[5:], TEST, "--no-version", "--test-case=operators give*"],
                        env=environment).returncode)
