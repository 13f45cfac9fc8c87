"""Decides the system calls that a script's filter (`filter.py`) cannot: which file, which socket are they about?

A thread of the keeper is woken for each. It reads the path out of the caller's memory and lets the call go on when that
is below one of the run's own folders; else the caller is told EACCES. Another thread of the caller could change the
path in between: it keeps accidents in, not an attack.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import select
import struct
import threading
from collections.abc import Iterable

from . import filter as seccomp
from . import kernel

RECEIVE, SEND, STILL_THERE = 0xC0502100, 0xC0182101, 0x40082102
"""SECCOMP_IOCTL_NOTIF_RECV, _SEND, _ID_VALID."""
GO_ON = 1
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE."""
OPEN_PROCESS, TAKE_FILE = 434, 438
"""pidfd_open and pidfd_getfd, the same numbers on every architecture."""
HERE = -100
"""AT_FDCWD."""
NOT_FOLLOWED = 0x100
"""AT_SYMLINK_NOFOLLOW."""
UNIX = 1
"""AF_UNIX."""
NO_FILE = re.compile(r"/memfd:|\w+:\[")
"""How /proc names a file that is on no disk: "/memfd:name", "pipe:[42]", "anon_inode:[eventfd]"."""
LOOK_UPS = ("/run/nscd", "/run/systemd/resolve", "/run/systemd/userdb", "/var/lib/sss/pipes")
"""Folders with the sockets of services that only answer what a name stands for."""
OF_CUDA = ("/run/nvidia-persistenced", "/tmp/nvidia-mps")

PATHS = {
    "chmod": (None, 0, None),
    "chown": (None, 0, None),
    "lchown": (None, 0, -1),
    "utime": (None, 0, None),
    "utimes": (None, 0, None),
    "setxattr": (None, 0, None),
    "lsetxattr": (None, 0, -1),
    "removexattr": (None, 0, None),
    "lremovexattr": (None, 0, -1),
    "fchmod": (0, None, None),
    "fchown": (0, None, None),
    "fsetxattr": (0, None, None),
    "fremovexattr": (0, None, None),
    "futimesat": (0, 1, None),
    "fchmodat": (0, 1, None),
    "fchmodat2": (0, 1, 3),
    "fchownat": (0, 1, 4),
    "utimensat": (0, 1, 3),
    "setxattrat": (0, 1, 2),
    "removexattrat": (0, 1, 2),
    "file_setattr": (0, 1, 4),
}
"""Which arguments are a folder's number, a path and the flags; -1: a last link is not followed, whatever is given."""


class Gate:
    """Between a process that is to become the script and this one."""

    def __init__(self, folders: Iterable[str], sockets: Iterable[str] = ()) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.sockets = [*self.folders, *sockets]
        self.number, self.go = os.pipe(), os.pipe()
        self.names = {number: name for name, number in seccomp.this_machine().asked.items()}
        self.names[seccomp.this_machine().send_to] = "sendto"

    def close_behind(self) -> None:
        """In the process itself, which was forked: go behind the filter, when the other side is ready.

        Raises OSError where the kernel cannot.
        """
        listener = seccomp.install()
        os.write(self.number[1], struct.pack("=i", listener))
        if not os.read(self.go[0], 1):
            raise OSError(errno.ESRCH, "no gate")
        os.close(listener)

    def watch(self, process: int) -> None:
        """In the parent of `process`: from now on, decide for it.

        Raises OSError when the kernel does not hand over what that needs, and when `process` has ended.
        """
        os.close(self.number[1])
        os.close(self.go[0])
        try:
            told = os.read(self.number[0], 4)
            if len(told) < 4:
                raise OSError(errno.ESRCH, "it went behind no filter")
            handle = kernel.call("syscall", OPEN_PROCESS, process, 0)
            listener = kernel.call("syscall", TAKE_FILE, handle, struct.unpack("=i", told)[0], 0)
            os.close(handle)
            threading.Thread(target=self.decide, args=(listener,), daemon=True).start()
            os.write(self.go[1], b"x")
        finally:
            os.close(self.number[0])
            os.close(self.go[1])

    def decide(self, listener: int) -> None:
        """Answer until the last process behind the filter has ended."""
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while any(event & select.POLLIN for _, event in poll.poll()):
            asked = bytearray(80)
            try:
                fcntl.ioctl(listener, RECEIVE, asked)
            except OSError:  # it was interrupted, and is not asking any more
                continue
            identity, caller = struct.unpack_from("=QI", asked)
            call = struct.unpack_from("=i", asked, 16)[0]
            arguments = struct.unpack_from("=6Q", asked, 32)
            try:
                may = self.allows(caller, self.names[call], arguments)
                fcntl.ioctl(listener, STILL_THERE, struct.pack("=Q", identity))
            except (OSError, ValueError, KeyError, struct.error):
                may = False
            reply = (identity, 0, 0, GO_ON) if may else (identity, 0, -errno.EACCES, 0)
            with contextlib.suppress(OSError):
                fcntl.ioctl(listener, SEND, struct.pack("=QqiI", *reply))

    def allows(self, caller: int, name: str, arguments: tuple[int, ...]) -> bool:
        """Whether a call may go on. Raises OSError when the caller's memory or its files cannot be read."""
        if name in PATHS:
            folder, path, flags = PATHS[name]
            follow = flags is None or (flags >= 0 and not arguments[flags] & NOT_FOLLOWED)
            base = HERE if folder is None else ctypes.c_int(arguments[folder]).value
            text = b"" if path is None or not arguments[path] else read_text(caller, arguments[path])
            return self.inside(caller, base, os.fsdecode(text), follow)
        if name in ("connect", "sendto"):
            place, size = arguments[1:3] if name == "connect" else arguments[4:6]
            return self.reaches(caller, place, size)
        count = arguments[2] & 0xFFFFFFFF if name == "sendmmsg" else 1
        heads = read(caller, arguments[1], 64 * (min(count, 1024) - 1) + 16)
        return all(self.reaches(caller, *struct.unpack_from("=QI", heads, at)) for at in range(0, len(heads), 64))

    def inside(self, caller: int, base: int, path: str, follow: bool) -> bool:
        """Whether a path, or without one the file `base` itself, is the script's to change."""
        if path:
            return below(resolve(caller, base, path, follow), self.folders)
        own = f"/proc/{caller}/cwd" if base == HERE else f"/proc/{caller}/fd/{base}"
        place = os.readlink(own)
        return NO_FILE.match(place) is not None or below(place, self.folders)

    def reaches(self, caller: int, place: int, size: int) -> bool:
        """Whether a message may go to the address at `place`. A name without a path is Landlock's or the network's."""
        size = min(size & 0xFFFFFFFF, 128)
        if not place or size < 3:
            return True
        address = read(caller, place, size)
        name = address[2:].partition(b"\0")[0]
        if struct.unpack_from("=H", address)[0] != UNIX or not name:
            return True
        return below(resolve(caller, HERE, os.fsdecode(name), follow=True), self.sockets)


def read(process: int, place: int, size: int) -> bytes:
    """Bytes of a process's memory: as many as there are."""
    memory = os.open(f"/proc/{process}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, size, place)
    finally:
        os.close(memory)


def read_text(process: int, place: int) -> bytes:
    """A string of a process's memory."""
    return read(process, place, 4096).partition(b"\0")[0]


def resolve(caller: int, base: int, path: str, follow: bool) -> str:
    """The path without links, as the caller would find it. Raises OSError for too many of them."""
    place = "/"
    if not path.startswith("/"):
        place = os.readlink(f"/proc/{caller}/cwd" if base == HERE else f"/proc/{caller}/fd/{base}")
    parts = path.split("/")[::-1]
    links = 0
    while parts:
        part = parts.pop()
        if part in ("", "."):
            continue
        if part == "..":
            place = os.path.dirname(place)
            continue
        step = os.path.join(place, part)
        # These two are other links to each who reads them.
        if step in ("/proc/self", "/proc/thread-self"):
            step = f"/proc/{caller}"
        if (follow or parts) and os.path.islink(step):
            links += 1
            if links > 40:
                raise OSError(errno.ELOOP, path)
            target = os.readlink(step)
            parts += target.split("/")[::-1]
            place = "/" if target.startswith("/") else place
        else:
            place = step
    return place


def below(place: str, folders: Iterable[str]) -> bool:
    """Whether a place is one of these folders, or in one."""
    return any(place == folder or place.startswith(f"{folder}/") for folder in folders)


def works() -> None:
    """Raises OSError unless a forked process can be stopped by a gate. To be called in a process that ends then."""
    gate = Gate([])
    process = os.fork()
    if process == 0:
        status = 1
        try:
            gate.close_behind()
            os.chmod("/no-such-file-for-a-smoke-run", 0o600)  # there is none, so an open gate does no harm
        except OSError as error:
            status = int(error.errno != errno.EACCES)
        finally:
            os._exit(status)
    try:
        gate.watch(process)
    finally:
        status = os.waitpid(process, 0)[1]
    if status:
        raise OSError(errno.ENOSYS, "no gate")
