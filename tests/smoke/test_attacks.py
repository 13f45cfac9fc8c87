"""What a script may try to get out of its run: each is tried, and did not happen. Where a kernel grants less, an attack
is shown only where what is to stop it was granted."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.smoke.backends import find_interpreter
from migrate.smoke.child import filter as seccomp
from migrate.smoke.child import gate
from migrate.smoke.enclosure import Ended
from migrate.smoke.environments import RECIPES, find
from tests.smoke.test_enclosure import refuse, shut_in

PRELUDE = """\
import ctypes, os, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)
"""

ON_A_FILE = {
    "write": "open(T, 'a').write('x')",
    "truncate": "os.truncate(T, 0)",
    "remove": "os.remove(T)",
    "rename into": "os.rename(T, 'mine')",
    "rename onto": "open('mine', 'w').close(); os.rename('mine', T)",
    "hard link into": "os.link(T, 'mine'); open('mine', 'w')",
    "hard link out": "open('mine', 'w').close(); os.link('mine', T + '2')",
    "symbolic link": "os.symlink(T, 'mine'); open('mine', 'a').write('x')",
    "make a folder": "os.mkdir(T + '2')",
    "make a pipe": "os.mkfifo(T + '2')",
    "make a device": "os.mknod(T + '2', 0o20600, os.makedev(1, 3))",
    "make a socket": "socket.socket(socket.AF_UNIX).bind(T + '2')",
    "chmod": "os.chmod(T, 0o777)",
    "chmod by number": "os.fchmod(os.open(T, os.O_RDONLY), 0o777)",
    "chmod by folder": "os.chmod(os.path.basename(T), 0o777, dir_fd=os.open(os.path.dirname(T), os.O_RDONLY))",
    "chmod by link": "os.symlink(T, 'mine'); os.chmod('mine', 0o777)",
    "chmod by links": "os.symlink(os.path.dirname(T), 'd'); os.symlink('d', 'e'); "
    "os.chmod('e/' + os.path.basename(T), 0o777)",
    "chmod by dots": "os.chmod(os.path.relpath(T), 0o777)",
    "chmod by proc": "os.symlink('/proc/self/fd/%d' % os.open(T, os.O_RDONLY), 'mine'); os.chmod('mine', 0o777)",
    "chmod by a thread's proc": "os.chmod('/proc/thread-self/fd/%d' % os.open(T, os.O_RDONLY), 0o777)",
    "chmod in a child": "os.system(f'chmod 777 {T}')",
    "chmod of its folder": "os.chmod(os.path.dirname(T), 0o777)",
    "utime": "os.utime(T, (1, 1))",
    "utime now": "os.utime(T)",
    "utime by number": "os.utime(os.open(T, os.O_RDONLY), (1, 1))",
    "utime of a link": "os.utime(T + '.link', (1, 1), follow_symlinks=False)",
    "chown": "os.chown(T, os.getuid() + 1, -1)",
    "chown of a link": "os.lchown(T + '.link', os.getuid() + 1, -1)",
    "chown by number": "os.fchown(os.open(T, os.O_RDONLY), os.getuid() + 1, -1)",
    "setxattr": "os.setxattr(T, 'user.mine', b'x')",
    "setxattr by number": "os.setxattr(os.open(T, os.O_RDONLY), 'user.mine', b'x')",
    "removexattr": "os.removexattr(T, 'user.theirs')",
    "chattr": "import fcntl; fcntl.ioctl(os.open(T, os.O_RDONLY), 0x40086602, (0x40).to_bytes(8, 'little'))",
    "the newest calls": "call('syscall', 452, -100, T.encode(), 0o777, 0); call('syscall', 463)",
    "mount over": "call('mount', b'/dev/null', T.encode(), None, 4096, None); open(T, 'w').write('x')",
}
"""By what it is called: code that does something to the user's file `T`."""
FILES = ("write", "truncate", "remove", "rename", "hard link", "symbolic link", "make", "mount")
"""How the names begin of those that Landlock stops; the others are the gate's."""


class Theirs:
    """A file of the user's, and the sockets that they listen on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o755)
        self.file = folder / "theirs.txt"
        self.file.write_text("theirs")
        self.file.chmod(0o644)
        (folder / "theirs.txt.link").symlink_to(self.file)
        with contextlib.suppress(OSError):
            os.setxattr(self.file, "user.theirs", b"1")

    def state(self) -> object:
        """All that an attack could have changed."""
        found: list[object] = [sorted(os.listdir(self.folder)), self.file.read_text()]
        for place in (self.folder, self.file, self.folder / "theirs.txt.link"):
            about = place.lstat()
            found.append((about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns, about.st_nlink))
        with contextlib.suppress(OSError):
            found.append([(name, os.getxattr(self.file, name)) for name in sorted(os.listxattr(self.file))])
        return found


@pytest.fixture
def theirs(tmp_path: Path) -> Theirs:
    return Theirs(tmp_path / "theirs")


def own(tmp_path: Path) -> dict[str, str]:
    """The caller's variables, with the run's folder for temporary files."""
    return {**os.environ, "TMPDIR": str(tmp_path / "run")}


def attack(tmp_path: Path, code: str, needs: str = "", **limits: float | bool) -> Ended:
    """Run it, shut in; skipped where the kernel does not grant what it `needs`."""
    ended = shut_in(tmp_path / "run", PRELUDE + code, **limits)
    if needs and needs not in ended.held:
        pytest.skip(f"the kernel does not grant: {needs}")
    return ended


@pytest.mark.parametrize("name", ON_A_FILE)
def test_the_users_file_stays_what_it_is(name: str, theirs: Theirs, tmp_path: Path) -> None:
    before = theirs.state()
    needs = "files" if name.startswith(FILES) else "attributes"
    ended = attack(tmp_path, f"T = {str(theirs.file)!r}\n{ON_A_FILE[name]}", needs)
    assert theirs.state() == before, ended.output
    assert name == "chmod in a child" or ended.status == 1, "it was told so"


@pytest.mark.parametrize("name", ["chmod", "utime", "chown", "setxattr", "utime by number", "chmod by link"])
def test_the_attacks_would_succeed(name: str, theirs: Theirs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is granted: so it is the gate that stops them."""
    if "chown" in name and os.getuid():
        pytest.skip("only root may")
    refuse(monkeypatch, "gate.works = refuse")
    before = theirs.state()
    ended = attack(tmp_path, f"T = {str(theirs.file)!r}\n{ON_A_FILE[name]}")
    assert "attributes" in ended.refused
    if "Operation not supported" not in ended.output:
        assert theirs.state() != before, ended.output


INSIDE = """\
import shutil, stat, tempfile
open('a', 'w').write('x')
os.chmod('a', 0o600); os.chmod(os.path.abspath('a'), 0o640); os.fchmod(os.open('a', os.O_RDONLY), 0o750)
assert stat.S_IMODE(os.stat('a').st_mode) == 0o750
os.utime('a', (5, 5)); os.utime('a'); os.utime(os.open('a', os.O_RDONLY), (7, 7))
assert os.stat('a').st_mtime == 7
shutil.copy2('a', 'b'); os.chown('b', os.getuid(), os.getgid())
os.mkdir('d'); shutil.copytree('d', 'e')
os.chdir('d'); os.chmod('../a', 0o600); os.chmod('a', 0o600, dir_fd=os.open('..', os.O_RDONLY))
os.chmod('/proc/self/cwd/../a', 0o611); assert stat.S_IMODE(os.stat('../a').st_mode) == 0o611
os.symlink('../a', 'link'); os.chmod('link', 0o622); assert stat.S_IMODE(os.stat('../a').st_mode) == 0o622
os.fchmod(os.memfd_create('x'), 0o600)
with tempfile.TemporaryDirectory(dir='.') as place: shutil.copy('../a', place)
try:
    os.chmod('none', 0o600)
except FileNotFoundError:
    print('all of it')
"""


def test_its_own_files_are_its_own(tmp_path: Path) -> None:
    assert attack(tmp_path, INSIDE).output == "all of it\n"


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Path]:
    """A socket that the user listens on, outside of the run's folder; what comes is added to the file beside it."""
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as stream, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        stream.bind(str(place))
        stream.listen()
        datagrams.bind(f"{place}d")
        stream.settimeout(0)
        datagrams.settimeout(0)
        yield place
        with pytest.raises(BlockingIOError):
            stream.accept()
        with pytest.raises(BlockingIOError):
            datagrams.recv(10)


ON_A_SOCKET = {
    "connect": "socket.socket(socket.AF_UNIX).connect(S)",
    "connect by link": "os.symlink(S, 'mine'); socket.socket(socket.AF_UNIX).connect('mine')",
    "connect by dots": "socket.socket(socket.AF_UNIX).connect(os.path.relpath(S))",
    "send": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', S + 'd')",
    "send a message": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, S + 'd')",
    "log": "import logging.handlers as l; l.SysLogHandler(S + 'd').emit(__import__('logging').makeLogRecord({}))",
    "io_uring": "assert libc.syscall(425, 8, ctypes.create_string_buffer(120)) == -1; raise OSError",
}


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("name", ON_A_SOCKET)
def test_no_socket_of_the_users_is_reached(name: str, network: bool, listener: Path, tmp_path: Path) -> None:
    ended = attack(tmp_path, f"S = {str(listener)!r}\n{ON_A_SOCKET[name]}", "sockets", network=network)
    assert name == "log" or ended.status == 1, ended.output


@pytest.mark.parametrize("network", [False, True])
def test_no_abstract_socket_is_reached(network: bool, tmp_path: Path) -> None:
    """Their names are on no disk; with the network they are those of the machine."""
    name = f"\0tc-migrate-{os.getpid()}-{network}"
    with socket.socket(socket.AF_UNIX) as stream:
        stream.bind(name)
        stream.listen()
        stream.settimeout(0)
        ended = attack(tmp_path, f"socket.socket(socket.AF_UNIX).connect({name!r})", "sockets", network=network)
        assert ended.status == 1
        with pytest.raises(BlockingIOError):
            stream.accept()


MEETS = """\
import multiprocessing as mp
from multiprocessing.connection import Client, Listener
def work(queue, address):
    with Client(address) as client: client.send('by ' + ('name' if address[0] == chr(0) else 'path'))
    queue.put(os.getpid())
if __name__ == '__main__':
    for address in (os.path.abspath('socket'), chr(0) + 'of-its-own'):
        context = mp.get_context('fork')
        queue = context.Queue()
        with Listener(address, 'AF_UNIX') as listener:
            process = context.Process(target=work, args=(queue, address)); process.start()
            with listener.accept() as one: print(one.recv())
        assert queue.get() == process.pid; process.join()
    left, right = socket.socketpair()
    socket.send_fds(left, [b'x'], [0]); print(len(socket.recv_fds(right, 1, 1)[1]))
    with mp.get_context('fork').Manager() as manager: print(manager.dict(a=1)['a'])
    tcp = socket.create_server(('127.0.0.1', 0)); socket.create_connection(tcp.getsockname()).sendall(b'x')
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(('127.0.0.1', 0))
    udp.sendto(b'x', udp.getsockname()); print(udp.recv(1))
"""


def test_its_own_processes_meet(tmp_path: Path) -> None:
    assert attack(tmp_path, MEETS, variables=own(tmp_path)).output == "by path\nby name\n1\n1\nb'x'\n"


TRAINS = """\
import torch, torch.distributed as dist, torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset
def train(rank, store):
    dist.init_process_group('gloo', init_method='file://' + store, rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    data = TensorDataset(torch.ones(8, 4))
    for (x,) in DataLoader(data, 4, num_workers=1, multiprocessing_context='fork'):
        model(x).sum().backward()
    print('trained', flush=True)
    dist.destroy_process_group()
if __name__ == '__main__':
    mp.spawn(train, (os.path.abspath('store'),), 2)
"""


def test_real_training_goes_on(tmp_path: Path) -> None:
    """gloo over the loopback, loaders whose workers hand on tensors by sockets."""
    found = find_interpreter(None)
    python = found.python if found else next((each.python for name in RECIPES if (each := find(name))), None)
    if python is None:
        pytest.skip("no torch here")
    code = f"open('t.py', 'w').write({PRELUDE + TRAINS!r}); os.execv({str(python)!r}, [{str(python)!r}, 't.py'])"
    ended = attack(tmp_path, code, seconds=240, bytes=8 << 30, processes=200, variables=own(tmp_path))
    assert ended.output.count("trained") == 2, ended.output


ON_THE_PARENT = {
    "kill": "os.kill({tool}, signal.SIGTERM)",
    "stop its parent": "os.kill(os.getppid(), signal.SIGSTOP); os.kill(os.getppid(), signal.SIGKILL)",
    "kill all": "os.kill(-1, signal.SIGTERM)",
    "trace": "call('ptrace', 16, {tool}, None, None)",
    "read its memory": "open('/proc/{tool}/mem', 'rb').read(1)",
    "read its variables": "print(open('/proc/{tool}/environ', 'rb').read())",
    "read its parent's variables": "print(open('/proc/%d/environ' % os.getppid(), 'rb').read())",
    "enter its network": "call('setns', os.open('/proc/{tool}/ns/net', os.O_RDONLY), 0)",
    "its root": "os.chroot('/proc/{tool}/root')",
    "take its files": "call('syscall', 438, libc.syscall(434, {tool}, 0), 0, 0)",
}


@pytest.mark.parametrize("granted", ["all", "no processes"])
@pytest.mark.parametrize("name", ON_THE_PARENT)
def test_the_tool_is_left_alone(name: str, granted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the tool is a process of its own, with a secret among its variables."""
    if granted != "all":
        if name == "kill all":
            pytest.skip("were it not stopped, it would end all that the user runs")
        refuse(monkeypatch, "kernel.enter_namespaces = refuse")
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"],
        stdin=subprocess.PIPE,
        env=dict(os.environ, SECRET="s3cr3t"),
    ) as tool:
        ended = attack(tmp_path, ON_THE_PARENT[name].format(tool=tool.pid), "files")
        assert tool.poll() is None
        assert "s3cr3t" not in ended.output
        assert ended.output, "it was told so, or said what it saw"
        tool.kill()


MACHINE_WIDE = {
    "a device of the disk": "os.mknod('disk', 0o60600, os.makedev(254, 0)); os.open('disk', os.O_RDWR)",
    "the clock": "import time; time.clock_settime(time.CLOCK_REALTIME, time.time())",
    "the name": "socket.sethostname(socket.gethostname())",
    "leave the folder": "os.chroot('.')",
    "a kernel's switch": "open('/proc/sys/vm/drop_caches', 'w').write('0')",
    "more processes": "call('syscall', 321, 0, None, 0)",
}


@pytest.mark.parametrize("name", MACHINE_WIDE)
def test_root_does_not_rule_the_machine(name: str, tmp_path: Path) -> None:
    ended = attack(tmp_path, MACHINE_WIDE[name], "files")
    assert ended.status == 1, ended.output


def test_it_sees_no_variable_of_the_tools(tmp_path: Path) -> None:
    """Whatever it looks into: its own, and those of all processes that it finds."""
    look = "import glob\nfor path in glob.glob('/proc/[0-9]*/environ'):\n"
    look += "    try: print(open(path, 'rb').read())\n    except OSError: pass"
    ended = attack(tmp_path, look, "processes", variables={"PATH": os.environ["PATH"]})
    assert "PYTEST_CURRENT_TEST" not in ended.output
    assert "PATH=" in ended.output


def test_a_filter_for_each_machine() -> None:
    """All of a machine's calls are decided, and each jump stays in the program."""
    for machine in seccomp.MACHINES.values():
        code = seccomp.program(machine)
        assert len(code) % 8 == 0
        assert set(machine.asked) <= set(gate.PATHS) | {"connect", "sendmsg", "sendmmsg"}
        for at in range(0, len(code), 8):
            if code[at] in (seccomp.EQUAL, seccomp.NOT_LESS):
                assert at // 8 + 1 + max(code[at + 2 : at + 4]) < len(code) // 8


def test_no_filter_for_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(OSError, match="riscv64"):
        seccomp.this_machine()


def test_a_listener_is_not_needed_for_a_program_that_ended() -> None:
    guard = gate.Gate([])
    process = os.fork()
    if process == 0:
        os._exit(0)
    with pytest.raises(OSError, match="no filter"):
        guard.watch(process)
    os.waitpid(process, 0)
