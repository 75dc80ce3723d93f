"""Every header compiles as the only one: for the host, and device headers for Cortex-M too."""
import shutil

from house import CXX, INCLUDES, STRICT, fail, finish, headers, is_device, parallel, run, start_of

BARE = ["-mthumb", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]
CORES = {"cortex-m0": ["-mcpu=cortex-m0"],
         "cortex-m4": ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
         "cortex-m55": ["-mcpu=cortex-m55", "-mfloat-abi=hard"]}
ARM = shutil.which("arm-none-eabi-g++")
if not ARM:
    fail("arm-none-eabi-g++ is not there")

jobs = []
for name, _ in headers():
    if name.startswith("kompakt_ports/ascend"):
        continue  # needs its own compiler
    jobs.append(("host", name, [CXX]))
    if is_device(name) and ARM:
        jobs += [(core, name, [ARM, *BARE, *flags]) for core, flags in CORES.items()]


def compile(job):
    target, name, compiler = job
    # Not as the main file, where the compiler warns of #pragma once.
    p = run(*compiler, *STRICT, *INCLUDES, "-fsyntax-only", "-include", name, "-xc++", "/dev/null")
    if p.returncode:
        fail(f"{name} for {target}:\n{start_of(p.stdout)}")


parallel(compile, jobs)
finish(f"{len(jobs)} compilations")
