"""Measures how torch_xla treats operators: `python -m tests.measure_operators [--version 2.9] [--only FROM TO]`.

Runs `operator_facts` in the environments with a real torch_xla and writes what the stand-in's prediction goes by,
`migrate/smoke/child/standin/facts.json`. An operator that crashes torch_xla is passed over. Takes half an hour.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from migrate.smoke.environments import provision

ROOT = Path(__file__).parents[1]
FACTS = ROOT / "migrate" / "smoke" / "child" / "standin" / "facts.json"
OPERATORS = 680
"""More than torch has samples for."""
PART = 40
"""Operators that one process goes over."""
SECONDS = 600

Counts = dict[str, collections.Counter[str]]


@contextlib.contextmanager
def samples_environment() -> Iterator[str]:
    """A folder with `packaging`, which torch's samples need and its environment may lack."""
    with tempfile.TemporaryDirectory() as folder:
        packaging = importlib.util.find_spec("packaging")
        assert packaging is not None
        assert packaging.origin is not None
        (Path(folder) / "packaging").symlink_to(Path(packaging.origin).parent)
        yield folder


def measure(python: Path, first: int, last: int) -> Iterator[Counts]:
    """What each process found, one after the other."""
    with samples_environment() as folder:
        variables = {**os.environ, "PJRT_DEVICE": "CPU", "OMP_NUM_THREADS": "1", "PYTHONPATH": folder}
        while first < last:
            output = Path(folder) / "facts.json"
            end = min(last, first + PART)
            command = [str(python), str(ROOT / "tests" / "operator_facts.py"), str(output), str(first), str(end)]
            try:
                done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=SECONDS)
                text, status = done.stdout, done.returncode
            except subprocess.TimeoutExpired as late:
                text, status = (late.stdout or b"").decode(), -1
            if output.exists():
                yield {name: collections.Counter(counts) for name, counts in json.loads(output.read_text()).items()}
                output.unlink()
            reached = [int(number) for number in re.findall(r"^#(\d+) ", text, re.MULTILINE)]
            if status and not reached:
                raise RuntimeError(f"{command}: {text[-500:]}")
            print(f"{first} to {end}: status {status}, reached {reached[-1:]}", file=sys.stderr, flush=True)
            first = reached[-1] + 1 if status else end


def conclude(counts: Counts) -> dict[str, list[str]]:
    """The facts as they are kept: an operator that was tried and never compiled, an argument that was accepted."""
    seen = collections.Counter()
    for name, count in counts["seen"].items():
        seen[name] += count
        seen[name.split(".")[0]] += count if "." in name else 0
    fallbacks = [
        name
        for name in counts["fallbacks"]
        if (seen[name] or seen[name.split(".")[0]]) and name != "aten::_local_scalar_dense"
    ]
    takes_host = [name for name in counts["takes_host"] if name.split()[0] not in fallbacks]
    return {
        "fallbacks": sorted(fallbacks),
        "built_in": sorted(counts["built_in"]),
        "takes_host": sorted(takes_host),
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="append", choices=("2.1", "2.9"))
    parser.add_argument("--only", nargs=2, type=int, help="add the operators with these numbers to what is known")
    arguments = parser.parse_args()
    for version in arguments.version or ("2.1", "2.9"):
        total: Counts = collections.defaultdict(collections.Counter)
        for part in measure(provision(version).python, *(arguments.only or (0, OPERATORS))):
            for name, counts in part.items():
                total[name].update(counts)
        found, facts = conclude(total), json.loads(FACTS.read_text(encoding="utf-8"))
        if arguments.only:
            found = {name: sorted({*facts.get(version, {}).get(name, ()), *values}) for name, values in found.items()}
        facts[version] = found
        FACTS.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
