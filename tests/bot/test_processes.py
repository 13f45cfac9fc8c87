"""Processes that belong together: pauses before one that dies again and again, and an end for one that does not end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="they are forked")
ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import logging, os, signal, sys, time
from migrate.bot.processes import Pauses, Task, keep_running

def note(name):
    os.write(1, f"{name} {time.monotonic()} {os.getpid()}\\n".encode())

def crash():
    note("crash")
    raise ValueError("bad token ghs_hunter2hunter2hunter2")

def stay():
    note("stay")
    time.sleep(600)

def be_deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note("deaf")
    while True:
        time.sleep(600)

from migrate.bot.redaction import LogLines
lines = logging.StreamHandler(sys.stdout)
lines.setFormatter(LogLines())
logging.basicConfig(handlers=[lines])
tasks = [Task(each.__name__, each) for each in (crash, stay, be_deaf) if each.__name__ in sys.argv[1:]]
keep_running(tasks, Pauses(pause=0.1, longest=0.4, grace=1))
print("over")
"""


def start(*tasks: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *tasks], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> list[str]:
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert said.splitlines()[-1] == "over"
    return said.splitlines()


def test_one_that_dies_again_and_again_is_started_after_longer_and_longer_pauses() -> None:
    process = start("crash", "stay")
    assert process.stdout is not None
    lines: list[str] = []
    times: list[float] = []
    while len(times) < 6 and (line := process.stdout.readline()):
        lines.append(line.rstrip("\n"))
        if line.startswith("crash"):
            times.append(float(line.split()[1]))
    lines += end(process)
    pauses = [later - sooner for sooner, later in pairwise(times)]
    assert [pause >= least for pause, least in zip(pauses, (0.1, 0.2, 0.4, 0.4, 0.4), strict=True)] == [True] * 5
    assert len([line for line in lines if line.startswith("stay")]) == 1
    assert any(line.endswith("crash ended; started again in 0.1 s") for line in lines)
    assert "    ValueError: bad token ***" in lines
    assert not any("hunter2" in line for line in lines)


def test_one_that_does_not_end_is_killed() -> None:
    process = start("be_deaf", "stay")
    assert process.stdout is not None
    first = [process.stdout.readline(), process.stdout.readline()]
    begun = time.monotonic()
    lines = end(process)
    assert time.monotonic() - begun >= 1
    assert any("be_deaf does not end and is killed" in line for line in lines)
    for line in first:
        with pytest.raises(ProcessLookupError):
            os.kill(int(line.split()[2]), 0)


def test_ctrl_c_on_a_terminal_reaches_all_of_them_at_once() -> None:
    """Those that end before the first process has seen it are not started again."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, "stay"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                               start_new_session=True)  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert "started again" not in said
    assert (process.returncode, said.splitlines()[-1]) == (0, "over")
