"""What holds a script in, and that nothing is left when the tool itself is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from migrate.smoke import enclosure
from migrate.smoke.child import processes
from migrate.smoke.enclosure import KEPT_OUTPUT, Bounds, Cause, Ended, Excerpt, enclose

REFUSED = "from migrate.smoke.child import gate, kernel; exec('def refuse(*a, **k): raise OSError'); {}; "
EVERYTHING = "kernel.enter_namespaces = kernel.forbid_writes = gate.works = refuse"
"""A kernel that grants nothing."""

DAEMON = """\
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
print(os.getpid(), flush=True)
"""


def shut_in(folder: Path, code: str, variables: Mapping[str, str] | None = None, **limits: float | bool) -> Ended:
    """Run Python `code` in a folder, with these variables or the caller's."""
    folder.mkdir()
    (folder / "results").mkdir()
    bounds = {"seconds": 60, "bytes": 1 << 30, "file_bytes": 1 << 20, "processes": 50} | limits
    return enclose(
        [sys.executable, "-c", code],
        os.environ if variables is None else variables,
        folder,
        Bounds(folder, folder / "results", **bounds),  # type: ignore[arg-type]
    )


def refuse(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Run the keeper as on a kernel that refuses."""
    start = enclosure.START
    first, _, rest = start.partition("; from ")
    monkeypatch.setattr(enclosure, "START", f"{first}; {REFUSED.format(what)}from {rest}")


def test_says_only_what_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, EVERYTHING)
    ended = shut_in(tmp_path / "run", f"open({str(tmp_path / 'outside')!r}, 'w')")
    assert (ended.cause, ended.status, ended.held) == (Cause.ITSELF, 0, ())
    assert ended.refused == ("processes", "network", "files", "attributes", "sockets")
    assert (tmp_path / "outside").exists()


def test_a_network_that_was_asked_for_is_not_taken(tmp_path: Path) -> None:
    interfaces = "import socket; print(sorted(name for _, name in socket.if_nameindex()))"
    here = subprocess.run([sys.executable, "-c", interfaces], capture_output=True, text=True, check=True).stdout
    ended = shut_in(tmp_path / "with", interfaces, network=True)
    assert "network" not in ended.held
    assert ended.output == here
    alone = shut_in(tmp_path / "without", interfaces)
    if "network" in alone.held:
        assert alone.output == "['lo']\n"


def test_leaves_some_of_the_disk_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a disk of 1 MiB."""
    sizes = "sum(os.path.getsize(entry) for entry in os.scandir(folder) if entry.is_file())"
    refuse(
        monkeypatch,
        f"import os; from migrate.smoke.child import keeper; keeper.free_disk = lambda folder: 2**20 - {sizes}",
    )
    code = "import time; open('a', 'wb').write(bytes({})); time.sleep({})"
    assert shut_in(tmp_path / "some", code.format(900_000, 0.5)).cause is Cause.ITSELF
    assert shut_in(tmp_path / "most", code.format(980_000, 50)).cause is Cause.DISK


def test_the_loopback_works(tmp_path: Path) -> None:
    """gloo joins the workers of a script over it."""
    code = (
        "from socket import *; s = create_server(('127.0.0.1', 0)); create_connection(s.getsockname()); print('joined')"
    )
    assert shut_in(tmp_path / "run", code).output == "joined\n"


def test_memory_files_of_shared_memory_go_too(tmp_path: Path) -> None:
    name = f"tc-migrate-test-{os.getpid()}"
    ended = shut_in(tmp_path / "run", f"open('/dev/shm/{name}', 'w').write('x')")
    assert ended.status == 0
    if "processes" in ended.held:
        assert not Path("/dev/shm", name).exists()


@pytest.mark.parametrize("granted", ["all", "nothing"])
def test_a_daemon_ends_with_the_run(granted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there is no namespace: orphans are adopted and found."""
    if granted == "nothing":
        refuse(monkeypatch, EVERYTHING)
    marker = f"h{time.time_ns()}"
    ended = shut_in(tmp_path / "run", f"{DAEMON}# {marker}")
    assert (ended.cause, ended.status) == (Cause.ITSELF, 0), "it is not waited for"
    assert commands_with(marker) == []


@pytest.mark.parametrize("granted", ["all", "nothing"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_tool_is_ended(number: signal.Signals, granted: str, tmp_path: Path) -> None:
    marker = f"h{time.time_ns()}"
    (tmp_path / "train.py").write_text(f"{DAEMON}time.sleep(600)")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    tool = f"""\
import sys
from pathlib import Path
from migrate.smoke import enclosure
from migrate.smoke.environments import Environment
from migrate.smoke.record import Side
from migrate.smoke.run import Job, run
if {granted == "nothing"}:
    first, _, rest = enclosure.START.partition("; from ")
    enclosure.START = first + "; " + {REFUSED.format(EVERYTHING)!r} + "from " + rest
run(Job(Path("train.py"), Side.CUDA, Environment("", Path(sys.executable)), ({marker!r},)))
"""
    variables = os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": str(enclosure.TOOL)}
    process = subprocess.Popen([sys.executable, "-c", tool], cwd=tmp_path, env=variables, stderr=subprocess.DEVNULL)
    # The script and its daemon run; the tool's own command line has the marker, too.
    assert eventually(lambda: len(commands_with(f"train.py\0{marker}")) == 2)
    process.send_signal(number)
    process.wait(60)
    assert eventually(lambda: commands_with(f"train.py\0{marker}") == [])
    assert eventually(lambda: list(temporary.iterdir()) == [])


def test_an_interrupt_ends_what_runs_in_other_threads(tmp_path: Path) -> None:
    """Ctrl-C reaches the main thread only, and the others are waited for."""
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(shut_in, tmp_path / name, "import time; time.sleep(600)", seconds=120) for name in "ab"]
        assert eventually(lambda: len(enclosure.keepers) == 2)
        enclosure.end_all()
        assert {each.result(60).status for each in runs} == {None}
    assert enclosure.keepers == set()


def commands_with(marker: str) -> list[str]:
    """Command lines of the running processes that have `marker`."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if marker in command and int(place.name) != os.getpid():
            found.append(command)
    return found


def eventually(holds: object, seconds: float = 60) -> bool:
    """Whether `holds()` comes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def test_keeps_the_beginning_and_the_end() -> None:
    excerpt = Excerpt()
    for part in (b"a" * 10, b"b" * KEPT_OUTPUT, b"c" * KEPT_OUTPUT, b"d" * 10):
        excerpt.add(part)
    beginning, between, end = excerpt.text.split("\n")
    assert beginning == "a" * 10 + "b" * (KEPT_OUTPUT - 10)
    assert between == "[... 20 bytes left out ...]"
    assert end == "c" * (KEPT_OUTPUT - 10) + "d" * 10


def test_short_output_is_kept_whole() -> None:
    excerpt = Excerpt()
    excerpt.add(b"x" * 2 * KEPT_OUTPUT)
    assert excerpt.text == "x" * 2 * KEPT_OUTPUT


def test_memory_is_summed_over_processes() -> None:
    own = processes.resident_set(os.getpid())
    assert 1 << 20 < own < 1 << 36
    assert processes.memory([os.getpid()] * 3, 1 << 40) >= 2 * own
    assert processes.proportional_set(os.getpid()) <= own * 1.1
