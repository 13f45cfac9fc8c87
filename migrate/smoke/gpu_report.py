"""The whole-script goldens on a GPU: the originals natively on CUDA, their migrated twins on the stand-in over CUDA.

    python -m migrate.smoke.gpu_report [--python PYTHON] [--output docs/gpu-smoke.md] [SCRIPT ...]

Needs a checkout of this repository and an interpreter with torch and CUDA; nothing else. It says whether both train the
same on that GPU and how fast. It says nothing about XLA: the stand-in computes with torch's own kernels.

Exit status: 0 when every pair trains the same, 1 when one does not, 2 when nothing could be run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.smoke.compare import Comparison, compare
from migrate.smoke.environments import Environment
from migrate.smoke.record import Backend, Run, Side
from migrate.smoke.run import Job, Limits, run

SCRIPTS = Path(__file__).parents[2] / "golden" / "scripts"

VERSION = "2.9"
"""The torch_xla whose names the stand-in has: the golden twins `case.xla.py` are written for it."""

LIMITS = Limits(seconds=300)

LOOK = """\
import json, platform, torch
free = torch.cuda.is_available()
print(json.dumps({
    "device": torch.cuda.get_device_name(0) if free else "",
    "torch": torch.__version__,
    "cuda": torch.version.cuda or "",
    "cudnn": torch.backends.cudnn.version() if free else 0,
    "python": platform.python_version(),
}))
"""
"""Asks an interpreter for its GPU."""


@dataclass(frozen=True)
class Machine:
    """What the runs ran on."""

    device: str
    """The GPU's name; empty when there is none that torch can use."""
    torch: str
    cuda: str
    cudnn: int
    python: str


@dataclass(frozen=True)
class Row:
    """One golden script: its original on CUDA, its twin on the stand-in over CUDA, and what came of comparing them."""

    name: str
    original: Run
    migrated: Run
    comparison: Comparison

    @property
    def ratio(self) -> float:
        """Steps per second of the migrated script over those of the original; NaN when one did not run."""
        return self.migrated.first.steps_per_second / self.original.first.steps_per_second


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m migrate.smoke.gpu_report", description=__doc__.split("\n")[0])
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="an interpreter with torch and CUDA")
    parser.add_argument("--output", type=Path, help="write the page here, not to the terminal")
    parser.add_argument("scripts", nargs="*", help="names of golden scripts; all by default")
    given = parser.parse_args(arguments)
    machine = look(given.python)
    if machine is None or not machine.device:
        print(f"no GPU: {given.python} has no torch that can use CUDA", file=sys.stderr)
        return 2
    names = given.scripts or golden_scripts()
    unknown = [name for name in names if not (SCRIPTS / name / "case.xla.py").is_file()]
    if unknown or not names:
        print(f"no golden script {', '.join(unknown)} in {SCRIPTS}", file=sys.stderr)
        return 2
    rows = []
    for row in measure(names, Environment("", given.python)):
        print(f"{row.name}: {verdict(row)}", file=sys.stderr)
        rows.append(row)
    page = write_page(machine, rows, datetime.date.today())
    if given.output:
        given.output.write_text(page, encoding="utf-8")
    else:
        print(page, end="")
    return 0 if all(row.comparison.same for row in rows if row.original.ok) else 1


def look(python: Path) -> Machine | None:
    """The GPU of an interpreter's torch; None when it does not start or has no torch."""
    try:
        answer = subprocess.run([str(python), "-c", LOOK], capture_output=True, text=True, timeout=120, check=True)
        return Machine(**json.loads(answer.stdout))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def golden_scripts() -> list[str]:
    """The names of all golden scripts that have a twin for torch_xla."""
    return sorted(path.parent.name for path in SCRIPTS.glob("*/case.xla.py"))


def measure(names: Sequence[str], environment: Environment) -> Iterator[Row]:
    """Run each script and its twin, one after the other: they are timed."""
    for name in names:
        script = SCRIPTS / name / "case.py"
        text = script.with_suffix(".xla.py").read_text(encoding="utf-8")
        original = run(Job(script, Side.CUDA, environment, limits=LIMITS, accelerator="cuda"))
        migrated = run(
            Job(
                script,
                Side.XLA,
                environment,
                replaced={Path(script.name): text},
                limits=LIMITS,
                backend=Backend.STANDIN,
                version=VERSION,
                accelerator="cuda",
            )
        )
        yield Row(name, original, migrated, compare(original, migrated))


def verdict(row: Row) -> str:
    """What came of one script, in a few words."""
    if not row.original.ok:
        return f"the original does not run here: {row.original.reason}"
    if not row.migrated.ok:
        return f"the migrated script failed: {row.migrated.reason}"
    return "the same training" if row.comparison.same else f"another training: {row.comparison.reasons[0]}"


PAGE = """\
# The golden scripts on a GPU

Written by `python -m migrate.smoke.gpu_report` on {date}: {device}, CPython {python}, torch {torch}, CUDA {cuda}, \
cuDNN {cudnn}.

Each original ran natively on CUDA, its migrated twin on this project's stand-in for torch_xla {version}, whose `xla`
devices are the GPU itself. So the table says whether the migrated script trains the same on that GPU, and what the
stand-in costs. **It says nothing about XLA**: no graph was compiled, and the speed of torch_xla on this GPU is another.

Both sides compute in float32 without autocast, draw random numbers on the host, and are watched (the norm of every
gradient, each step). That costs both the same and pulls the ratio towards 1. The scripts are small, so their speed is
the host's. Steps per second are by the median time from one optimizer step to the next.

| script | steps | verdict | losses differ by | parameters by | CUDA, steps/s | stand-in, steps/s | ratio |
|---|--:|---|--:|--:|--:|--:|--:|
{rows}

{summary}
"""


def write_page(machine: Machine, rows: Sequence[Row], date: datetime.date) -> str:
    """The page, as Markdown."""
    compared = [row for row in rows if row.original.ok and row.migrated.ok]
    same = sum(row.comparison.same for row in compared)
    ratios = sorted(row.ratio for row in compared if math.isfinite(row.ratio))
    summary = f"{same} of {len(rows)} scripts train the same; {len(rows) - len(compared)} could not be compared."
    if ratios:
        summary += f" Median of the ratios: {ratios[len(ratios) // 2]:.2f}."
    return PAGE.format(
        date=date.isoformat(),
        device=machine.device,
        python=machine.python,
        torch=machine.torch,
        cuda=machine.cuda,
        cudnn=machine.cudnn,
        version=VERSION,
        rows="\n".join(write_row(row) for row in rows),
        summary=summary,
    )


def write_row(row: Row) -> str:
    """One line of the table. A bar in a reason would end its cell."""
    said = verdict(row).replace("|", "\\|")
    if not (row.original.ok and row.migrated.ok):
        return f"| {row.name} | | {said} | | | | | |"
    first, second = row.original.first, row.migrated.first
    cells = [
        row.name,
        " + ".join(map(str, first.steps)),
        said,
        f"{row.comparison.loss_difference:.1e}",
        f"{row.comparison.parameter_difference:.1e}",
        f"{first.steps_per_second:.0f}",
        f"{second.steps_per_second:.0f}",
        f"{row.ratio:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
