"""The Cortex-M machines of QEMU: compiler flags, linker scripts, and how a firmware is linked and run."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
QEMU = ROOT / "tests" / "qemu"
CORES = {
    "m0": ("mps2-an385", "mps2.ld", ["-mcpu=cortex-m0", "-mthumb"]),
    "m4": ("mps2-an386", "mps2.ld",
           ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]),
    "m55": ("mps3-an547", "an547.ld", ["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"]),
}
FLAGS = ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-ffunction-sections",
         "-fdata-sections", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]


def run(command, echo=False, **options):
    """Standard output; what a failing command said is the exception."""
    command = [str(c) for c in command]
    if echo:
        print("$", " ".join(command), flush=True)
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(work, core, name, sources, level="-Os", echo=False):
    """An .elf of C++ `sources`, each (path, flags), and the harness."""
    _, script, cpu = CORES[core]
    elf = work / f"{name}-{core}.elf"
    objects = []
    for source in [QEMU / f for f in ("startup.c", "semihost.c", "ticks.c", "stack.c")]:
        objects.append(work / f"{source.stem}-{name}-{core}.o")
        run(["arm-none-eabi-gcc", *cpu, "-Os", "-ffunction-sections", "-fdata-sections", "-c", source,
             "-o", objects[-1]], echo)
    for source, flags in sources:
        objects.append(work / f"{source.stem}-{name}-{core}.o")
        run(["arm-none-eabi-g++", "-std=c++17", *cpu, level, *FLAGS, "-I", ROOT / "include", "-I",
             ROOT / "ports", "-I", QEMU, *flags, "-c", source, "-o", objects[-1]], echo)
    run(["arm-none-eabi-g++", *cpu, "-L", QEMU, "-T", script, "-nostartfiles", "--specs=nano.specs",
         "-Wl,--gc-sections", f"-Wl,-Map={elf}.map", "-o", elf, *objects], echo)
    return elf


def execute(core, elf, folder, **environment):
    """Runs a firmware in `folder`; variables of run.sh by name."""
    env = {k: v for k, v in os.environ.items() if k != "PLUGIN"}
    env.update(ICOUNT="off", **environment)
    return subprocess.run(["sh", QEMU / "run.sh", CORES[core][0], elf], cwd=folder, env=env, text=True,
                          capture_output=True)
