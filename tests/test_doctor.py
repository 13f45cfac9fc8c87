"""`tc-migrate doctor` on whole logs: what is found, where, how often, on which ranks, in which order, at what cost."""

from __future__ import annotations

import random
import re
import time
import tracemalloc
from pathlib import Path

import pytest

from migrate.doctor.diagnosis import Diagnosis, diagnose
from migrate.doctor.failures import Certainty
from migrate.doctor.known import FAILURES
from migrate.doctor.pieces import AFTER, read_text
from migrate.doctor.scan import LONGEST, MOST, Scan
from migrate.render.doctor_text import seen_on, spell_numbers, visible

LOGS = Path(__file__).parent / "doctor" / "logs"
EXPECTED = {
    "broken_gpu.log": ["ECC001:33 x1 [2] algo-1", "OOM001:32 x1 [2] algo-1 < ECC001",
                       "NCL001:30 x2 [5] algo-1 < ECC001 OOM001", "TCL015:34 x1 < ECC001 OOM001 NCL001"],
    "cloudwatch_events.json": ["TCL001:209 x5 [0, 8] algo-1 algo-2"],
    "cloudwatch_one_line.json": ["TCL001:1 x5 [0, 8] algo-1 algo-2"],
    "cloudwatch_text.tsv": ["TCL001:30 x5 [0, 8] algo-1 algo-2"],
    "compose.log": ["TCL007:5 x1 algo-1"],
    "connected.log": [],
    "diverged.log": ["CNV001:46 x24 [0-7] algo-1"],
    "early_import_error.log": [],
    "insights.csv": ["TCL004:5 x1"],
    "model_parallel.log": ["SMP001:30 x1", "DBG002:32 x1", "TCL090:0 x1", "DBG001:31 x1"],
    "no_compiler.log": ["TCL090:0 x1"],
    "no_mp_fn.log": ["TCL002:37 x2"],
    "notebook_colours.log": ["TCL003:30 x3 [0, 9-10] algo-1 algo-2"],
    "oom_then_rendezvous.log": ["OOM001:45 x2 [3] algo-1", "TCL013:95 x7 [0-2, 4-7] algo-1 < OOM001"],
    "progress_bars.log": ["OOM002:28 x2"],
    "silent_cuda.log": ["TCL091:28 x1"],
    "stall_at_end.log": ["STL-end:131 x1"],
    "stall_at_save.log": ["STL-ckpt:27 x1", "TCL090:0 x1"],
    "stall_at_start.log": ["STL-init:77 x1"],
    "success.log": [],
    "unequal_but_running.log": [],
    "unknown.log": [],
}  # fmt: skip


def scan(data: bytes, name: str = "job.log", size: int = 1 << 16) -> Scan:
    found = Scan(name)
    for start in range(0, len(data), size):
        found.feed(data[start : start + size])
    found.close()
    return found


def told(diagnosis: Diagnosis) -> list[str]:
    """Each finding in a line: id, first line, count, ranks, hosts, and after `<` what it follows from."""
    return [
        f"{finding.failure.id}:{finding.line} x{finding.count}"
        + (f" [{spell_numbers(finding.ranks)}]" if finding.ranks else "")
        + "".join(f" {host}" for host in finding.hosts)
        + (f" < {' '.join(finding.causes)}" if finding.causes else "")
        for finding in diagnosis.findings
    ]


def ids(*lines: str) -> list[str]:
    return [finding.failure.id for finding in diagnose([scan("\n".join(lines).encode())]).findings]


# --- what a log shows ---------------------------------------------------------------------------------------------


def test_every_log_has_an_expectation() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in LOGS.iterdir())


@pytest.mark.parametrize("name", EXPECTED)
def test_log(name: str) -> None:
    assert told(diagnose([scan((LOGS / name).read_bytes(), name)])) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("size", [61, 1000, 4096])
def test_the_size_of_a_block_does_not_matter(name: str, size: int) -> None:
    assert told(diagnose([scan((LOGS / name).read_bytes(), name, size)])) == EXPECTED[name]


def test_the_first_line_is_a_line_of_the_file() -> None:
    for name in ("no_mp_fn.log", "oom_then_rendezvous.log", "cloudwatch_events.json", "broken_gpu.log"):
        lines = (LOGS / name).read_text(encoding="utf-8").split("\n")
        for finding in diagnose([scan((LOGS / name).read_bytes(), name)]).findings:
            assert any(clue.regex.search(lines[finding.line - 1]) for clue in finding.failure.clues)


def test_the_message_is_shown_without_what_stands_before_it() -> None:
    for name in ("oom_then_rendezvous.log", "notebook_colours.log", "cloudwatch_one_line.json", "cloudwatch_text.tsv"):
        first = diagnose([scan((LOGS / name).read_bytes(), name)]).findings[0]
        assert re.match(r"(?:RuntimeError|TypeError|Exception in)", first.text), first.text
        assert not first.text.endswith(('",', "1678363230000"))


def test_several_logs_are_one_job() -> None:
    text = b"RuntimeError: CUDA out of memory. Tried to allocate 1 GiB\n"
    scans = [scan(b"epoch 1\n" + text, f"job-algo-{number}-1678363199/000000") for number in (10, 2)]
    assert told(diagnose(scans)) == ["OOM001:2 x2 algo-2 algo-10"]


def test_a_last_error_that_is_not_known() -> None:
    error = diagnose([scan((LOGS / "unknown.log").read_bytes())]).last_error
    assert error is not None
    assert (error.line, error.text) == (38, "mypkg.config.BadConfig: no hidden_size in \x1b]0;owned\x07config.yaml")


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        ("a\nb\nRuntimeError: what a pity\nc\n", 3, "RuntimeError: what a pity"),
        ("usage: x\ntrain.py: error: the following arguments are required: --data", 2,
         "train.py: error: the following arguments are required: --data"),
        ('{\n"FailureReason": "AlgorithmError: UserError:\\nExitCode 1\\nErrorMessage \\"KeyError: 1\\""\n}', 2,
         'ErrorMessage "KeyError: 1'),
        ("Validation Error: 0.13\nerror rate 3\n", 0, ""),
    ],
)  # fmt: skip
def test_a_last_error_without_a_traceback(text: str, line: int, shown: str) -> None:
    error = diagnose([scan(text.encode())]).last_error
    assert (error and (error.line, error.text, error.traceback)) == ((line, shown, False) if line else None)


@pytest.mark.parametrize("known", [False, True])
def test_no_last_error_beside_what_explains_it(known: bool) -> None:
    text = "Traceback (most recent call last):\n  File 'x', line 3\nTypeError: str expected, not " + "int" * known
    assert (diagnose([scan(text.encode())]).last_error is None) is known


def test_a_harmless_finding_does_not_hide_the_last_error() -> None:
    text = "SMDebug Does Not Currently Support Distributed Training Jobs With Checkpointing Enabled\n"
    text += "Traceback (most recent call last):\n  File 'x', line 3\nKeyError: 'a'\n"
    found = diagnose([scan(text.encode())])
    assert [finding.failure.id for finding in found.findings] == ["DBG001"]
    assert found.last_error is not None
    assert found.last_error.text == "KeyError: 'a'"


@pytest.mark.parametrize("size", [61, 1 << 16])
def test_a_traceback_longer_than_a_block(size: int) -> None:
    frames = "".join(f'  File "x.py", line {number}\n    f()\n' for number in range(200))
    text = f"Traceback (most recent call last):\n{frames}KeyError: 'a'\nlater\n"
    error = diagnose([scan(text.encode(), size=size)]).last_error
    assert error is not None
    assert error.text == "KeyError: 'a'"


def test_what_a_message_tells_beyond_the_diagnosis() -> None:
    lines = ['\tMissing key(s) in state_dict: "a.weight".', '\tUnexpected key(s) in state_dict: "module.a.weight".']
    (finding,) = diagnose([scan("\n".join(lines).encode())]).findings
    assert (finding.line, finding.count, finding.hint) == (1, 2, "the checkpoint has the prefix, the model has not")


# --- order and certainty ------------------------------------------------------------------------------------------


def test_a_cause_comes_before_what_it_brings_about() -> None:
    assert ids("Failed to meet rendezvous", "unhandled cuda error", "CUDA out of memory. Tried to allocate 1") == [
        "OOM001", "NCL002", "TCL013"
    ]  # fmt: skip


def test_what_does_not_hang_together_is_in_the_order_of_the_log() -> None:
    assert ids("str expected, not int", "Missing XLA configuration") == ["TCL007", "TCL001"]


def test_two_messages_of_one_cause_are_one_finding() -> None:
    state = '  File "/x/smdebug/core/state_store.py", line 1'
    upload = "FileNotFoundError: [Errno 2] No such file or directory: 'a.sagemaker-uploading'"
    assert ids(state, upload) == ["DBG002"]
    assert ids(state) == ["DBG003"]


def test_stalls_are_heuristic() -> None:
    for id in ("STL-init", "STL-end", "STL-ckpt"):
        assert FAILURES[id].certainty is Certainty.HEURISTIC


def test_a_stall_is_not_guessed_where_something_else_is_known() -> None:
    data = (LOGS / "stall_at_start.log").read_bytes()
    assert told(diagnose([scan(b"CUDA out of memory. Tried to allocate 1\n" + data)])) == ["OOM001:1 x1"]


def test_a_recursion_without_model_parallelism_is_not_its_fault() -> None:
    assert ids("RecursionError: maximum recursion depth exceeded") == []


def test_a_compiler_that_was_not_wanted_is_not_missed() -> None:
    assert told(diagnose([scan((LOGS / "no_compiler.log").read_bytes())], compiled=False)) == []


# --- size and hostility -------------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_log() -> None:
    line = b"[1,mpirank:3,algo-1]<stdout>:epoch 1 step 17 loss 2.3456 and some more text of a line\n"
    peaks = []
    for lines in (20_000, 200_000):
        found = Scan("job.log")
        tracemalloc.start()
        for _ in range(lines // 2_000):
            found.feed(line * 2_000)
        found.close()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.lines == lines
    assert peaks[1] < 1.2 * peaks[0]


def test_a_line_without_end_costs_no_memory() -> None:
    found = Scan("job.log")
    tracemalloc.start()
    for number in range(40):
        found.feed(b"x y z " * 40_000)
        if number == 20:
            found.feed(b" RuntimeError: CUDA out of memory. Tried to allocate 1 GiB ")
    found.close()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * LONGEST
    assert told(diagnose([found])) == ["OOM001:1 x1"]


@pytest.mark.parametrize("message", ["RuntimeError: CUDA out of memory.", "TypeError: str expected, not int"])
@pytest.mark.parametrize("offset", range(-40, 5))
def test_a_message_where_a_long_line_is_cut(message: str, offset: int) -> None:
    """Whatever lies on the cut is found, and once."""
    cut = LONGEST + 1 - AFTER
    data = b"." * (cut + offset) + message.encode() + b"." * LONGEST
    (finding,) = told(diagnose([scan(data, size=LONGEST + 1)]))
    assert finding.endswith(":1 x1")


HOSTILE = [
    "_mp_fn() missing " * 8_000,
    "module '" + "a" * 100_000 + "' has no attribute '_mp_fn",
    "xla_spawn.py: error: " + "required " * 10_000,
    "error: unrecognized arguments: " + "a " * 50_000,
    "error: unrecognized arguments:" + " " * 100_000 + "Tru",
    "at least two devices" + " xl" * 50_000,
    "SMDebug" + " " * 100_000 + "Does Not Currently Support Distributed Training Jobs",
    "smdistributed.dataparallel " + "deprecat " * 20_000,
    "deprecat smdistributed." * 10_000,
    "FileNotFoundError: [Errno 2] " * 5_000 + ".sagemaker-uploadin",
    "loss" * 50_000 + " nan",
    "loss" + " " * 100_000 + "nan",
    "loss nan " * 20_000,
    "Xid (PCI" * 20_000,
    "[1,mpirank:" * 20_000 + "CUDA out of memory",
    "\x1b[" * 50_000 + "CUDA out of memory",
    '"message": "' * 10_000 + "CUDA out of memory",
    'logStreamName":"' * 10_000 + '"message": CUDA out of memory',
    "Traceback (most recent call last)" * 5_000,
    "algo-" * 30_000 + "CUDA out of memory",
    "2023-03-09 12:00:00.000," * 10_000 + "CUDA out of memory",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:30]))
def test_no_line_takes_long(text: str) -> None:
    """Each is at most some 500 kB; at the slowest that is looked at in half a second. A regex that backtracks hangs."""
    before = time.process_time()
    diagnose([scan(text.encode())])
    diagnose([scan(("\n" + text).encode() * 2)])
    assert time.process_time() - before < 10


def test_counting_stops() -> None:
    found = scan(b"CUDA out of memory\n" * (3 * MOST))
    (finding,) = diagnose([found]).findings
    assert finding.is_counted_out
    assert finding.count < 2 * MOST
    assert seen_on(finding).endswith("times or more")


def test_the_sieve_loses_nothing() -> None:
    """Samples in any order, among lines of any shapes: what is found is what the patterns find line by line."""
    paths = sorted(LOGS.parent.glob("*shown/*.txt"))
    pool = [line for path in paths for line in path.read_text("utf-8").splitlines()]
    dice = random.Random(7)
    for _ in range(60):
        lines = [
            dice.choice(pool) if dice.random() < 0.2 else f"step {dice.random()} of {'abc' * dice.randint(0, 3)}"
            for _ in range(dice.randint(1, 400))
        ]
        found = scan("\n".join(lines).encode(), size=dice.choice([100, 1_000, 1 << 16]))
        expected: dict[str, list[int]] = {}
        for number, line in enumerate(lines, 1):
            text = read_text(line.encode())
            for failure in FAILURES.values():
                if any(clue.regex.search(text) for clue in failure.clues):
                    expected.setdefault(failure.id, []).append(number)
        assert {id: (seen.line, seen.count) for id, seen in found.sightings.items()} == {
            id: (numbers[0], len(numbers)) for id, numbers in expected.items()
        }


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\0" * 1_000, bytes(range(256)) * 50, b"\xff\xfe" * 1_000, b"\r" * 9_999]
)
def test_anything_is_a_log(data: bytes) -> None:
    assert told(diagnose([scan(data)])) == []


def test_control_characters_are_spelled() -> None:
    assert visible("a\x1b[31m\x07\x9b\u202eb\tü") == "a\\x1b[31m\\x07\\x9b\\u202eb\\tü"


def test_what_a_job_survives_is_harmless() -> None:
    """Above the success that its log ends with; not below it, nor in another machine's log."""
    failed, well = b"RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n", b"Reporting training SUCCESS\n"
    for logs, harmless in (([failed + well], True), ([well + failed], False), ([failed, well], False)):
        scans = [scan(log, f"{number}.log") for number, log in enumerate(logs)]
        (finding,) = diagnose(scans, compiled=False).findings
        assert finding.failure.harmless == harmless
        assert ("ended well" in finding.hint) == harmless


def test_an_exception_that_was_caught_is_no_last_error() -> None:
    caught = b"Traceback (most recent call last):\n  File 'a.py', line 1, in <module>\nValueError: no\n"
    assert diagnose([scan(caught + b"epoch 1\nReporting training SUCCESS\n")]).last_error is None
    assert diagnose([scan(b"epoch 1\n" + caught)]).last_error is not None
