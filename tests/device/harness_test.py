"""harness_test.py RUN.SH MACHINE ELF PLUGIN: exact counts, and weights in a section of their own."""
import os
import re
import subprocess
import sys

run, machine, elf, plugin = sys.argv[1:]
counts = elf + ".counts"
subprocess.run([run, machine, elf], check=True, env={**os.environ, "PLUGIN": f"{plugin},out={counts}"})
regions = [int(n) for n in re.findall(r"^region \d+ (\d+)", open(counts).read(), re.M)]
assert len(regions) == 4 and regions[0] == 0 and regions[1] == 0, regions
assert regions[3] - regions[2] == 2 * (1000000 - 10000), regions
sizes = subprocess.run(["arm-none-eabi-size", "-A", elf], check=True, text=True, capture_output=True)
assert re.search(r"^\.model\s+64\s", sizes.stdout, re.M), sizes.stdout
