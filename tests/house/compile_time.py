"""An empty file that includes a single header compiles in the time promised (processor time, so that
a busy machine does not matter)."""
import resource

from house import CXX, SINGLE, expect, fail, finish

LIMITS = {"kompakt_device.hpp": 5, "kompakt.hpp": 20}


def seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


report = []
for name, limit in LIMITS.items():
    start = seconds()
    expect(True, name, CXX, "-std=c++17", *SINGLE, "-include", name, "-xc++", "-c", "/dev/null", "-o", "/dev/null")
    took = seconds() - start
    report.append(f"{name} {took:.1f} s of {limit}")
    if took > limit:
        fail(report[-1])
finish(", ".join(report))
