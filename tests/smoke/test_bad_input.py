"""A script that misbehaves gets a verdict within its limits, and leaves nothing running and nothing on disk.

These need no torch: what is asked is how a script ends, not how it trains.
"""

from __future__ import annotations

import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.record import Ending, Run, Side
from migrate.smoke.run import Job, Limits, run

LIMITS = Limits(seconds=60, bytes=1 << 30, file_bytes=1 << 20, processes=40)

Smoke = Callable[..., Run]


@pytest.fixture
def smoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Smoke]:
    """Runs the text of a script; afterwards nothing of it may be left."""
    marker = uuid.uuid4().hex
    temporary, folder = tmp_path / "temporary", tmp_path / "project"
    temporary.mkdir()
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def run_text(text: str, *arguments: str, limits: Limits = LIMITS) -> Run:
        (folder / "train.py").write_text(text)
        job = Job(
            folder / "train.py",
            Side.CUDA,
            Environment("", Path(sys.executable)),
            arguments,
            variables={"MARKER": marker},
            limits=limits,
        )
        return run(job)

    yield run_text
    assert running_with(marker) == []
    assert list(temporary.iterdir()) == []
    assert [path.name for path in folder.iterdir()] == ["train.py"]


def running_with(marker: str) -> list[str]:
    """Command lines of the processes that have `marker` among their environment variables."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_bytes().decode())
        except OSError:
            continue
    return found


def test_needs_arguments(smoke: Smoke) -> None:
    ran = smoke(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--data', required=True)\np.parse_args()"
    )
    assert ran.ending is Ending.FAILED
    assert ran.reason == (
        "needs arguments: the following arguments are required: --data; "
        "pass them after -- (usage: train.py [-h] --data DATA)"
    )


def test_never_steps(smoke: Smoke) -> None:
    ran = smoke("print('nothing to train')")
    assert ran.ending is Ending.FAILED
    assert ran.reason.startswith("ended without an optimizer step")


def test_loops_for_ever(smoke: Smoke) -> None:
    ran = smoke("def wait():\n    while True:\n        pass\nprint('begun')\nwait()", limits=Limits(seconds=4))
    assert ran.ending is Ending.TIMED_OUT
    assert ran.seconds < LIMITS.seconds
    assert ran.reason.startswith("had not ended after 4 s, with no optimizer step done, at train.py:")
    assert "in wait" in ran.reason
    assert "begun" in ran.output


def test_ignores_every_signal(smoke: Smoke) -> None:
    text = """\
import signal
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True:
    pass
"""
    ran = smoke(text, limits=Limits(seconds=1))
    assert ran.ending is Ending.TIMED_OUT
    assert ran.seconds < LIMITS.seconds


def test_leaves_a_daemon(smoke: Smoke) -> None:
    text = """\
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()
"""
    ran = smoke(text)
    assert ran.reason.startswith("ended without an optimizer step")
    assert ran.seconds < LIMITS.seconds, "it is not waited for"


def test_forks_on_and_on(smoke: Smoke) -> None:
    ran = smoke("import os, time\nwhile os.fork() or not time.sleep(0.2):\n    time.sleep(0.1)")
    assert ran.ending is Ending.FAILED
    assert ran.reason == "ran more than 40 processes at a time"


def test_eats_memory(smoke: Smoke) -> None:
    text = "import time\nheld = []\nwhile True:\n    held.append(b'x' * (8 << 20))\n    time.sleep(0.01)"
    ran = smoke(text, limits=Limits(bytes=128 << 20))
    assert ran.ending is Ending.OUT_OF_MEMORY
    assert ran.reason.startswith("held more than 128 MiB of memory")


def test_eats_memory_in_many_processes(smoke: Smoke) -> None:
    """No one of them has much; what they inherited is counted once."""
    shared = "import os, time\nheld = b'x' * (48 << 20)\nfor _ in range(4):\n    if not os.fork():\n        break\n{}"
    small = smoke(shared.format("time.sleep(0.5)"), limits=Limits(bytes=150 << 20))
    assert small.reason.startswith("ended without an optimizer step"), small.reason
    large = smoke(shared.format("mine = bytearray(held)\ntime.sleep(30)"), limits=Limits(bytes=150 << 20))
    assert large.ending is Ending.OUT_OF_MEMORY


def test_crashes_in_compiled_code(smoke: Smoke) -> None:
    ran = smoke("import ctypes\ndef crash():\n    ctypes.string_at(0)\ncrash()")
    assert ran.ending is Ending.FAILED
    assert ran.reason == ("was killed by SIGSEGV, at train.py:3 in crash: a crash in compiled code, not an exception")
    assert "Fatal Python error: Segmentation fault" in ran.output


def test_writes_outside_its_folder(smoke: Smoke, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    ran = smoke(f"open({str(outside)!r}, 'w').write('mine now')")
    if "files" not in ran.enclosure:
        pytest.skip("the kernel has no Landlock to hold it in")
    assert ran.reason == f"was refused {outside}: a smoke run may write only in its own folder"
    assert not outside.exists()


def test_changes_its_folder(smoke: Smoke) -> None:
    """It may; the folder is a mirror."""
    ran = smoke("import os\nos.mkdir('out')\nopen('out/log.txt', 'w').write('x')\nos.remove(__file__)")
    assert ran.reason.startswith("ended without an optimizer step"), ran.output


def test_closes_its_folder(smoke: Smoke) -> None:
    """Root removes it all the same; for everyone else it has to be opened first."""
    ran = smoke("import os\nos.makedirs('a/b/c')\nopen('a/b/c/x', 'w')\nos.chmod('a/b', 0o500)\nos.chmod('a', 0)")
    assert ran.reason.startswith("ended without an optimizer step"), ran.output


def test_writes_a_file_without_end(smoke: Smoke) -> None:
    ran = smoke("with open('log.txt', 'wb') as file:\n    while True:\n        file.write(bytes(1 << 16))")
    assert ran.reason == "wrote a file of more than 1 MiB, the limit of a smoke run"


def test_prints_a_gigabyte(smoke: Smoke) -> None:
    text = (
        "import os\nprint('first', flush=True)\nfor _ in range(1024):\n    os.write(1, b'x' * (1 << 20))\nprint('last')"
    )
    ran = smoke(text)
    assert ran.output.startswith("first\n")
    assert ran.output.endswith("last\n")
    assert "bytes left out" in ran.output
    assert len(ran.output) < 200_000


def test_reads_standard_input(smoke: Smoke) -> None:
    ran = smoke("input('Continue? ')")
    assert ran.reason == "reads standard input, which is empty in a smoke run"


def test_needs_a_package(smoke: Smoke) -> None:
    ran = smoke("import no_such_package.layers")
    assert ran.reason.startswith(f"needs the module no_such_package, which {sys.executable} does not have")


def test_needs_data(smoke: Smoke) -> None:
    ran = smoke("open('data/train.bin', 'rb')")
    assert ran.reason.startswith("needs data/train.bin, which is not there")
    assert "--fake-data" in ran.reason


def test_needs_data_of_its_home(smoke: Smoke) -> None:
    ran = smoke("import os\nopen(os.path.expanduser('~/data.bin'), 'rb')")
    assert ran.reason == "looks for ~/data.bin, and its home folder is an empty one; --env HOME gives yours"


def test_wants_the_network(smoke: Smoke) -> None:
    ran = smoke("import urllib.request\nurllib.request.urlopen('http://192.0.2.1/data.zip', timeout=1)")
    if "network" not in ran.enclosure:
        pytest.skip("the kernel grants no network of its own")
    assert ran.reason.startswith("wants the network")


def test_reads_a_variable_that_is_not_set(smoke: Smoke) -> None:
    ran = smoke("import os\nos.environ['DATA_BUCKET']")
    assert ran.reason.startswith("reads the environment variable DATA_BUCKET, which is not set in a smoke run")


def test_exits_with_a_message(smoke: Smoke) -> None:
    ran = smoke("import sys\nsys.exit('no GPU with 80 GB found')")
    assert ran.reason == "ended with exit status 1: no GPU with 80 GB found"


def test_raises(smoke: Smoke) -> None:
    ran = smoke("def step():\n    raise ValueError('expected 3 channels')\nstep()")
    assert ran.reason == "raised ValueError: expected 3 channels, at train.py:2 in step"


def test_kills_what_is_above_it(smoke: Smoke) -> None:
    ran = smoke("import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1)")
    assert not ran.ok


def test_closes_its_output(smoke: Smoke) -> None:
    ran = smoke("import os\nos.close(1)\nos.close(2)")
    assert not ran.ok
