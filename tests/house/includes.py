"""Which header may include which.

A room includes itself and lower rooms; device never includes host; a port includes the kernel room
and lower ones, and intrinsics. Nothing but the standard library and kompakt, always in angle
brackets. Device headers use only standard headers that are there without an operating system.
"""
import re

from house import DEVICE_ROOMS, HOST_ROOMS, fail, finish, code_lines, headers, is_device, room_of

ROOMS = DEVICE_ROOMS + HOST_ROOMS
DEVICE_STD = set("cstddef cstdint cstring type_traits utility new limits".split())
HOSTED_STD = set("cassert string string_view".split())  # under #if KOMPAKT_HOSTED
PORT_STD = set("immintrin.h arm_neon.h arm_mve.h arm_acle.h cpuid.h sys/auxv.h".split())
HOST_STD = set("""
algorithm any array atomic bitset cassert cctype cerrno charconv chrono cinttypes climits clocale cmath
condition_variable cstdio cstdlib cstring ctime deque exception filesystem fstream functional future
initializer_list iomanip ios iosfwd istream iterator list locale map memory mutex numeric optional
ostream queue random ratio set shared_mutex sstream stack stdexcept string string_view system_error
thread tuple typeinfo unordered_map unordered_set variant vector iostream
""".split()) | DEVICE_STD
# Room host may ask the operating system, under a condition that names it.
SYSTEM = set("fcntl.h poll.h sys/mman.h sys/stat.h termios.h unistd.h windows.h".split())
CHOOSES_PORTS = "kompakt/run/default_kernels.hpp"

names = {name for name, _ in headers()}


def check_include(name, where, target, conditions):
    room, hosted = room_of(name), any("KOMPAKT_HOSTED" in c and "not (" not in c for c in conditions)
    if target == "kompakt_config.hpp":
        return  # the user's
    if target.startswith("kompakt"):
        to = room_of(target)
        if target not in names and to != "ports":  # a checkout may lack a port
            fail(f"{where}: no such header: {target}")
        elif room is None or (name == CHOOSES_PORTS and to == "ports"):
            pass
        elif to is None:
            fail(f"{where}: a header includes what it needs, not everything")
        elif room == "ports":
            if to != "ports" and ROOMS.index(to) > ROOMS.index("kernel"):
                fail(f"{where}: a port includes room kernel and lower, not {to}")
        elif to == "ports":
            fail(f"{where}: only {CHOOSES_PORTS} includes ports")
        elif ROOMS.index(to) > ROOMS.index(room):
            fail(f"{where}: room {room} is below {to}")
        return
    allowed = HOST_STD
    if is_device(name):
        allowed = DEVICE_STD | (HOSTED_STD if hosted else set())
        allowed |= PORT_STD if room == "ports" else set()
    elif room == "host" and conditions:
        allowed = HOST_STD | SYSTEM
    if target not in allowed:
        fail(f"{where}: <{target}> is not for {'device' if is_device(name) else 'host'} headers")


for name, path in headers():
    room = room_of(name)
    if room not in ROOMS + ["ports", None]:
        fail(f"{name}: unknown room {room}; DEVICE_ROOMS and HOST_ROOMS are in cmake/single_header.py")
        continue
    if "#pragma once" not in path.read_text() and "macros_p" not in name:
        fail(f"{name}: no #pragma once")
    for number, line, conditions in code_lines(path):
        where = f"{name}:{number}"
        include = re.match(r"\s*#\s*include\s*(\S+)", line)
        if include and not re.fullmatch(r"<[^>]+>", include[1]):
            fail(f"{where}: includes are in angle brackets")
        elif include:
            check_include(name, where, include[1][1:-1], conditions)
        # Names of the implementation; system headers make macros of them (newlib: _N, _C, _U).
        reserved = re.search(r"(?<!\w)_[A-Z]\w*", line)
        if reserved and not re.match(r"_Float16|_MSC_|_WIN|_Pragma|_M_|_mm", reserved[0]):
            fail(f"{where}: {reserved[0]} is a reserved name")
finish(f"{len(names)} headers")
