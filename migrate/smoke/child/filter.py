"""A seccomp filter that stops a process where Landlock does not look: modes, times, owners, attributes, Unix sockets.

A filter sees the numbers that a system call is given and not the text they point to. So it decides alone only where
these tell enough, and has the rest decided by another process, which is woken for each such call (`gate.py`).
"""

from __future__ import annotations

import ctypes
import platform
import struct
from dataclasses import dataclass

from . import kernel

LOAD, EQUAL, NOT_LESS, RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions: BPF_LD | W | ABS, BPF_JMP | JEQ | K, BPF_JMP | JGE | K, BPF_RET | K."""
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Where the call's number, the machine's and the arguments of 8 bytes lie."""
ALLOW, ASK, REFUSE, UNKNOWN = 0x7FFF0000, 0x7FC00000, 0x00050000 | 1, 0x00050000 | 38
"""Answers: SECCOMP_RET_ALLOW, _USER_NOTIF, and _ERRNO with EPERM or ENOSYS."""
OTHER_TABLE = 0x40000000
"""Numbers from here on are those of x86's x32."""
FILTER, NEW_LISTENER = 1, 1 << 3
"""SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER."""
REFUSED_CONTROLS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x5412)
"""FS_IOC_SETFLAGS in 64 and 32 bits, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, TIOCSTI (types into a terminal)."""
NEWEST = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469}
RINGS = 425
"""io_uring_setup: what a ring is told to do passes no filter. Programs go on without, as on older kernels."""


@dataclass(frozen=True)
class Machine:
    """System calls of one kind of processor."""

    identity: int
    """As the kernel calls it (AUDIT_ARCH_...)."""
    seccomp: int
    control: int
    """ioctl."""
    send_to: int
    asked: dict[str, int]
    """Those that the gate decides."""


MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        317,
        16,
        44,
        {
            "connect": 42,
            "sendmsg": 46,
            "sendmmsg": 307,
            "chmod": 90,
            "fchmod": 91,
            "chown": 92,
            "fchown": 93,
            "lchown": 94,
            "utime": 132,
            "utimes": 235,
            "futimesat": 261,
            "setxattr": 188,
            "lsetxattr": 189,
            "fsetxattr": 190,
            "removexattr": 197,
            "lremovexattr": 198,
            "fremovexattr": 199,
            "fchownat": 260,
            "fchmodat": 268,
            "utimensat": 280,
            **NEWEST,
        },
    ),
    "aarch64": Machine(
        0xC00000B7,
        277,
        29,
        206,
        {
            "connect": 203,
            "sendmsg": 211,
            "sendmmsg": 269,
            "fchmod": 52,
            "fchmodat": 53,
            "fchownat": 54,
            "fchown": 55,
            "utimensat": 88,
            "setxattr": 5,
            "lsetxattr": 6,
            "fsetxattr": 7,
            "removexattr": 14,
            "lremovexattr": 15,
            "fremovexattr": 16,
            **NEWEST,
        },
    ),
}
"""By the name that `platform.machine` gives them."""


def this_machine() -> Machine:
    """Raises OSError where the calls of this machine are not known here."""
    if platform.machine() not in MACHINES or struct.calcsize("P") != 8:
        raise OSError(f"no filter for {platform.machine()}")
    return MACHINES[platform.machine()]


def program(machine: Machine) -> bytes:
    """The filter for a machine: each instruction of 8 bytes, with how many to skip when it holds and when not."""
    code = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, machine.identity), (RETURN, 0, 0, UNKNOWN)]
    code += [(LOAD, 0, 0, NUMBER), (NOT_LESS, 0, 1, OTHER_TABLE), (RETURN, 0, 0, UNKNOWN)]
    code += answer(RINGS, UNKNOWN)
    for number in machine.asked.values():
        code += answer(number, ASK)
    # A send without an address goes where its socket is connected to, which was asked for then.
    high, low = ARGUMENTS + 4 * 8 + 4, ARGUMENTS + 4 * 8
    code += [(EQUAL, 0, 6, machine.send_to), (LOAD, 0, 0, low), (EQUAL, 0, 2, 0), (LOAD, 0, 0, high), (EQUAL, 1, 0, 0)]
    code += [(RETURN, 0, 0, ASK), (RETURN, 0, 0, ALLOW)]
    code += [(EQUAL, 0, 2 * len(REFUSED_CONTROLS) + 2, machine.control), (LOAD, 0, 0, ARGUMENTS + 8)]
    for control in REFUSED_CONTROLS:
        code += answer(control, REFUSE)
    code += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *each) for each in code)


def answer(value: int, what: int) -> list[tuple[int, int, int, int]]:
    """Return `what` where the loaded value is this one."""
    return [(EQUAL, 0, 1, value), (RETURN, 0, 0, what)]


def install() -> int:
    """Put this process and all that it starts behind the filter, for good. The file by which the gate is asked.

    Raises OSError where the kernel cannot.
    """
    machine = this_machine()
    code = program(machine)
    held = ctypes.create_string_buffer(code, len(code))
    told = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    kernel.call("prctl", kernel.NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return kernel.call("syscall", machine.seccomp, FILTER, NEW_LISTENER, ctypes.c_char_p(told))
