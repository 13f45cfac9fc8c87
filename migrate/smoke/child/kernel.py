"""What the Linux kernel offers to hold a process in: namespaces, Landlock, and the ties between parent and child.

Called through ctypes, since Python has none of it before 3.12 and most of it in no version. Every function raises
OSError where the kernel refuses or does not know the call, and on every other system.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

NEW_MOUNTS, NEW_USER, NEW_PROCESSES, NEW_NETWORK = 0x00020000, 0x10000000, 0x20000000, 0x40000000
"""Flags of unshare(2)."""
PRIVATE_BELOW = 0x4000 | 0x40000
"""MS_REC | MS_PRIVATE: what is mounted here is not seen outside."""
PARENT_DEATH_SIGNAL, CHILD_SUBREAPER, NO_NEW_PRIVILEGES = 1, 36, 38
"""Options of prctl(2)."""
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Landlock's system calls, the same numbers on every architecture."""

WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
"""Landlock's rights: open for writing, cut off, move from one folder to another."""
CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))
"""Landlock's rights to make and remove entries of every kind."""
ABSTRACT_SOCKETS, SIGNALS = 1 << 0, 1 << 1
"""What Landlock can keep among those that it holds in: abstract Unix sockets and signals, since Linux 6.12."""
DROP_CAPABILITY = 24
"""An option of prctl(2)."""
MACHINE_WIDE = (9, 12, 16, 17, 18, 21, 22, 25, 26, 27, 33, 34, 38, 39)
"""Capabilities of root that no training needs: LINUX_IMMUTABLE, NET_ADMIN, SYS_MODULE, SYS_RAWIO, SYS_CHROOT,
SYS_ADMIN, SYS_BOOT, SYS_TIME, SYS_TTY_CONFIG, MKNOD (a device file is a way to the disk), MAC_ADMIN, SYSLOG, PERFMON
(reads the memory of every process, whatever Landlock says), BPF."""


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library. Raises OSError when it says -1 or does not exist."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, name)
    library = ctypes.CDLL(None, use_errno=True)
    result = getattr(library, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return int(result)


def works(attempt: Callable[[], None]) -> bool:
    """Whether `attempt` can be done: tried in a forked process, which takes its effects with it."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            attempt()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(process, 0)[1] == 0


def go_before_others() -> None:
    """Let this process run whenever it wants to, where it may: a script that forks on and on would starve it. What it
    forks is ordinary again."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def die_with_parent(signal: int) -> None:
    """Have `signal` sent to this process when its parent ends."""
    call("prctl", PARENT_DEATH_SIGNAL, signal, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent has ended."""
    call("prctl", CHILD_SUBREAPER, 1, 0, 0, 0)


def enter_namespaces(processes: bool, network: bool) -> None:
    """Give this process's later children process numbers of their own, and it and them a network of only a loopback.

    An ordinary user needs a user namespace for it, in which they stay who they are.
    """
    flags = (NEW_PROCESSES if processes else 0) | (NEW_NETWORK if network else 0)
    if not flags:
        return
    user, group = os.getuid(), os.getgid()
    try:
        call("unshare", flags)
    except PermissionError:
        call("unshare", flags | NEW_USER)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    if network:
        raise_loopback()


def raise_loopback() -> None:
    """Bring up the `lo` of a new network, which is down at first."""
    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        answer = fcntl.ioctl(probe, get_flags, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", answer)[1]
        fcntl.ioctl(probe, set_flags, struct.pack("16sH14x", b"lo", flags | up))


def mount_own_proc() -> None:
    """As the first process of a new process namespace: show its processes in /proc, to it and its children only."""
    call("unshare", NEW_MOUNTS)
    call("mount", None, b"/", None, PRIVATE_BELOW, None)
    call("mount", b"proc", b"/proc", b"proc", 0, None)


def mount_own_shared_memory(size: int) -> None:
    """After `mount_own_proc`: an empty /dev/shm of at most `size` bytes, which goes with the last process."""
    call("mount", b"tmpfs", b"/dev/shm", b"tmpfs", 0, f"size={size},mode=1777".encode())


def forbid_writes(folders: Iterable[str], files: Iterable[str]) -> None:
    """Let this process and its children write only below `folders` and to `files`, for good.

    Landlock's first version (Linux 5.13 to 5.18) is not taken: it forbids to move a file between two folders, too.
    """
    version = landlock_version()
    if version < 2:
        raise OSError(errno.ENOSYS, "landlock cannot allow a move between folders")
    on_file = WRITE_FILE | (TRUNCATE if version >= 3 else 0)
    handled = on_file | CHANGE_FOLDER | REFER
    attributes = struct.pack("=QQQ", handled, 0, ABSTRACT_SOCKETS | SIGNALS)[: 24 if version >= 6 else 8]
    ruleset = call("syscall", CREATE_RULESET, ctypes.c_char_p(attributes), ctypes.c_size_t(len(attributes)), 0)
    for path in folders:
        allow(ruleset, path, handled)
    for path in files:
        allow(ruleset, path, on_file)
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("syscall", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def landlock_version() -> int:
    """Of the kernel's Landlock. Raises OSError where there is none."""
    return call("syscall", CREATE_RULESET, None, ctypes.c_size_t(0), 1)


def drop_capabilities() -> None:
    """Have what this process executes next not rule the machine, where it would."""
    for capability in MACHINE_WIDE:
        with contextlib.suppress(OSError):  # an ordinary user has none to drop
            call("prctl", DROP_CAPABILITY, capability, 0, 0, 0)


def allow(ruleset: int, path: str, rights: int) -> None:
    """Add a rule: what is at and below `path` may be written to. A path that does not exist needs none."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place))
        call("syscall", ADD_RULE, ruleset, 1, rule, 0)
    finally:
        os.close(place)
