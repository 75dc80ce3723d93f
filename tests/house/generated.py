"""The umbrella headers and the single headers are what cmake/single_header.py writes."""
import sys

from house import ROOT, run

p = run(sys.executable, "-B", ROOT / "cmake/single_header.py", "--check")
print(p.stdout or "up to date")
sys.exit(p.returncode)
