"""What reading a log costs: `python -m tests.doctor_benchmark [--megabytes 1000]`.

Rates are bytes per second of CPU time of this process, over logs of several kinds that are made here; `rate` is what
docs/doctor.md states. Beside it stands what Python's own lower-case copy of the same bytes costs, as a measure of the
machine. `memory` is the peak of whole `tc-migrate doctor` processes over a small and a large log.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from migrate.doctor.diagnosis import diagnose
from migrate.doctor.scan import Scan
from migrate.logs import BLOCK

PART = 4_000_000
"""Bytes of a log that are made; a longer one is made of repetitions."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1_000, help="of the large log of `memory` and `whole`")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for kind, make in KINDS.items():
        part = make(random.Random(1))
        rates = [rate(part) for _ in range(options.rounds)]
        copied = max(lower(part) for _ in range(3))
        print(f"rate    {kind:22} {max(rates):6.0f} MB/s   lower() of it {copied:6.0f} MB/s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        whole(Path(folder), options.megabytes)


def rate(part: bytes, times: int = 5) -> float:
    """Megabytes of a log for a second of CPU time."""
    before = time.process_time()
    scan = Scan("job.log")
    for _ in range(times):
        for start in range(0, len(part), BLOCK):
            scan.feed(part[start : start + BLOCK])
    scan.close()
    diagnose([scan])
    return len(part) * times / 1e6 / (time.process_time() - before)


def lower(part: bytes) -> float:
    """The same for a lower-case copy."""
    before = time.process_time()
    for start in range(0, len(part), BLOCK):
        part[start : start + BLOCK].lower()
    return len(part) / 1e6 / (time.process_time() - before)


def whole(folder: Path, megabytes: int) -> None:
    """Whole commands: time, and peak memory, which must not depend on the size."""
    part = training(random.Random(1))
    end = b"[1,mpirank:3,algo-1]<stderr>:RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    for size in (megabytes // 10, megabytes):
        log = folder / f"{size}.log"
        with log.open("wb") as file:
            for _ in range(size * 1_000_000 // len(part)):
                file.write(part)
            file.write(end)
        report(f"{size} MB", log, size)
    packed = folder / "log.gz"
    with gzip.open(packed, "wb", compresslevel=1) as file:
        for _ in range(megabytes // 10 * 1_000_000 // len(part)):
            file.write(part)
        file.write(end)
    report(f"{megabytes // 10} MB, gz", packed, megabytes // 10)


def report(name: str, log: Path, megabytes: int) -> None:
    """One command in a process of its own."""
    words = [sys.executable, "-c", _PEAK, "doctor", str(log), "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = [finding["id"] for finding in json.loads(done.stdout)["findings"]]
    peak = int(done.stderr.split()[-1]) / 1024
    print(f"command {name:22} {megabytes / seconds:6.0f} MB/s   {seconds:.1f} s, {peak:.0f} MiB, {found}", flush=True)


_PEAK = """
import atexit, resource, sys
atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr))
from migrate.cli import main
main()
"""


def _filled(dice: random.Random, line: Callable[[int], str]) -> bytes:
    lines: list[str] = []
    size = number = 0
    while size < PART:
        lines.append(line(number))
        size += len(lines[-1]) + 1
        number += 1
    return ("\n".join(lines) + "\n").encode()


def training(dice: random.Random) -> bytes:
    """Eight ranks that report their steps, a Trainer that reports its loss, NCCL, a warning now and then."""

    def line(number: int) -> str:
        prefix = f"[1,mpirank:{number % 8},algo-1]<stdout>:"
        if number % 97 == 0:
            return f"{prefix}{{'loss': {dice.random():.4f}, 'learning_rate': 4.9e-05, 'epoch': {number / 1e5:.2f}}}"
        if number % 50 == 0:
            return (
                f"algo-1:{number}:{number + 3} [{number % 8}] NCCL INFO Channel {number % 32:02}/0 : 3[1d0] -> 0[170]"
            )
        if number % 5_000 == 0:
            return f"{prefix}UserWarning: this overload of add_ is deprecated: add_(Number alpha, Tensor other)"
        return (f"{prefix}2023-03-09 12:00:{number % 60:02} INFO step {number} epoch {number // 1000} "
                f"loss={dice.random() * 3:.6f} lr 5e-5 throughput {dice.random() * 100:.2f} samples/s")  # fmt: skip

    return _filled(dice, line)


def prose(dice: random.Random) -> bytes:
    """Words only, so that nothing falls away when numbers and blanks do."""
    words = (
        "model tensor batch loader device training gradient optimizer memory process started waiting for the".split()
    )
    return _filled(dice, lambda number: " ".join(dice.choice(words) for _ in range(14)))


def bars(dice: random.Random) -> bytes:
    """Progress bars that return the carriage: lines of megabytes."""
    return "".join(f"\r {n % 100:3}%|{'█' * (n % 10):<10}| {n}/90000 [01:{n % 60:02}<09:10,  9.{n % 10}it/s]"
                   for n in range(60_000)).encode()  # fmt: skip


def export(dice: random.Random) -> bytes:
    """One line of JSON, as an export without line breaks."""
    messages = training(dice).decode().splitlines()
    events = [{"logStreamName": "job/algo-1-1678363199", "timestamp": 1678363200000 + n, "message": message}
              for n, message in enumerate(messages)]  # fmt: skip
    return json.dumps({"events": events}, separators=(",", ":")).encode()


def errors(dice: random.Random) -> bytes:
    """A job that prints a traceback in every twentieth line, of a failure that is none of the known ones."""

    def line(number: int) -> str:
        texts = ("Traceback (most recent call last):", '  File "train.py", line 3, in main', "KeyError: 'a'")
        return texts[number % 20] if number % 20 < 3 else f"step {number} mean squared error: {dice.random():.6f} of 12"

    return _filled(dice, line)


def diverged(dice: random.Random) -> bytes:
    """A loss that is NaN in every line: the worst a real job does."""
    return _filled(dice, lambda number: f"[1,mpirank:{number % 8},algo-1]<stdout>:step {number} loss: nan lr 5e-5 xyz")


KINDS = {
    "training": training,
    "words without numbers": prose,
    "progress bars": bars,
    "JSON in one line": export,
    "tracebacks": errors,
    "diverged": diverged,
}

if __name__ == "__main__":
    main()
