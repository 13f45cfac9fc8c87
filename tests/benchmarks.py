"""Where the time of one migration goes: `python -m tests.benchmarks [FILES]...` (default: the whole-script goldens).

CPU milliseconds, medians over rounds, and the ratio of a whole migration to what LibCST needs to parse the script and
write it back, both measured in turn in the same run. `whole` is a migration that nobody judges, `judged` one with its
certificate: the execution of the result and the obligations more. Figures of one run can be compared with each other,
not with another machine's.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import libcst as cst

from codemods.kit.edits import Edits
from codemods.kit.script import Script, read
from codemods.kit.targets import Target
from migrate.engine import originals
from migrate.engine.judge import _executed
from migrate.judging import ask, judged
from migrate.pipeline import _compile, _gate, migrate
from migrate.registry import ALL, codemods
from tests.goldens import cases, read_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--target", default="smtc")
    options = parser.parse_args()
    target = Target.parse(options.target)
    files = options.files or [case.path for case in cases("scripts")]
    print("start-up, whole process, CPU ms")
    for label, code in _STARTS:
        print(f"  {label:32} {_start_up(code):7.0f}")
    columns = (*_PHASES, "whole", "judged", "floor")
    print(f"\n{'script':44} {'lines':>5} " + " ".join(f"{one:>8}" for one in (*columns, "ratio", "judged")))
    rows = []
    for file in files:
        source = read_text(file)
        if _gate(source)[1]:
            continue
        row = _measure(source, target, options.rounds)
        rows.append(row)
        cells = " ".join(f"{row[one]:8.1f}" for one in (*columns, "ratio", "judged ratio"))
        print(f"{'/'.join(file.parts[-3:])[-44:]:44} {source.count(chr(10)):5} {cells}")
    floor = sum(row["floor"] for row in rows)
    sums = {one: sum(row[one] for row in rows) for one in columns}
    print("\nin floors, all scripts: " + ", ".join(f"{one} {each / floor:.2f}" for one, each in sums.items()))
    for label in ("ratio", "judged ratio"):
        ratios = [row[label] for row in rows]
        print(f"median {label} {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, over {len(ratios)} scripts")


_STARTS = (
    ("python", "pass"),
    ("--help", "import migrate.cli\ntry:\n    migrate.cli.main(['--help'])\nexcept SystemExit:\n    pass"),
    ("import libcst", "import libcst"),
    ("import migrate.pipeline + codemods", "import migrate.pipeline, migrate.registry; migrate.registry.codemods()"),
)
_PHASES = ("gate", "original", "parse", "facts", "codemods", "rebuild", "codegen", "compile", "result", "duties")


def _start_up(code: str) -> float:
    """With compiled modules, as an installed package has them, wherever this runs."""
    times = []
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": _compiled()}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    script = f"import time\n{code}\nprint(time.process_time() * 1000)"
    for _ in range(8):
        words = [sys.executable, "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
        times.append(float(done.stdout.splitlines()[-1]))
    return statistics.median(times[1:])


@cache
def _compiled() -> str:
    """A folder for compiled modules that is gone when this ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def _measure(source: str, target: Target, rounds: int) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for _ in range(rounds + 1):
        gc.collect()
        for phase, milliseconds in _round(source, target).items():
            found.setdefault(phase, []).append(milliseconds)
    row = {phase: statistics.median(times[1:]) for phase, times in found.items()}
    floors = found["floor"][1:]
    row["ratio"] = statistics.median(w / f for w, f in zip(found["whole"][1:], floors, strict=True))
    row["judged ratio"] = statistics.median(w / f for w, f in zip(found["judged"][1:], floors, strict=True))
    return row


def _round(source: str, target: Target) -> dict[str, float]:
    times: dict[str, float] = {}

    def timed(phase: str, work: Callable[[], Any]) -> Any:
        begin = time.process_time()
        result = work()
        times[phase] = (time.process_time() - begin) * 1000
        return result

    timed("floor", lambda: cst.parse_module(source).code)
    originals._execute.cache_clear()
    done = timed("whole", lambda: migrate(source, target=target))
    timed("judged", lambda: judged({"-": done}, target, ALL))
    trees = {"-": ast.parse(done.result)}
    legacy = target.version < (2, 0)
    timed("result", lambda: _executed(trees, several=False, legacy=legacy) if ask({"-": done}) else None)
    times["duties"] = max(times["judged"] - times["result"], 0)
    times["judged"] += times["whole"]
    originals._execute.cache_clear()
    links = timed("original", lambda: originals.by_itself(source))
    begins, _ = timed("gate", lambda: _gate(source))
    module = timed("parse", lambda: cst.parse_module(source))
    script = timed("facts", lambda: _facts(read(module, source, begins).linked(links)))
    edits = Edits(script, target)
    timed("codemods", lambda: [c(script, edits).rewrite() for c in codemods() if c.serves(target) and c.suits(script)])
    result = timed("rebuild", edits.apply)
    text = timed("codegen", lambda: result.code)
    timed("compile", lambda: _compile(text, script))
    return times


def _facts(script: Script) -> Script:
    _ = script.names.calls("torch"), script.loops, script.launch
    return script


if __name__ == "__main__":
    main()
