"""The whole-script goldens on a GPU: the originals natively on CUDA, their migrated twins on XLA:CUDA.

    python -m migrate.smoke.gpu_report [--python PYTHON] [--backend standin] [--output PAGE] [SCRIPT ...]

Needs a checkout of this repository and an interpreter with a torch and a torch_xla that use the GPU. Each script is
proved as `tc-migrate smoke --accelerator cuda` does it. With `--backend standin` no torch_xla is needed, and it says
nothing about XLA: the stand-in computes with torch's own kernels.

Exit status: 0 when every pair trains the same, 1 when one does not, 2 when nothing could be run.
"""

from __future__ import annotations

import argparse
import datetime
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codemods.kit.targets import Target
from migrate.migration import MigrateError
from migrate.smoke.accelerator import Machine, look
from migrate.smoke.backends import find_interpreter, parse
from migrate.smoke.compare import Comparison
from migrate.smoke.proof import Options, prove
from migrate.smoke.record import Backend, Run
from migrate.smoke.run import Limits

SCRIPTS = Path(__file__).parents[2] / "golden" / "scripts"

TARGETS = {"xla": "torch-xla==2.9", "smtc": "smtc"}
"""What the golden twins `case.xla.py` and `case.smtc.py` are written for."""

LIMITS = Limits(seconds=300)


@dataclass(frozen=True)
class Row:
    """One golden script: its original on CUDA, its twin on XLA:CUDA or the stand-in, and how they compare."""

    name: str
    original: Run
    migrated: Run
    comparison: Comparison | None
    served: str = ""
    """What served torch_xla, and on which device."""

    @property
    def ratio(self) -> float:
        """Steps per second of the migrated script over those of the original; NaN when one did not run."""
        return self.migrated.first.steps_per_second / self.original.first.steps_per_second


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m migrate.smoke.gpu_report", description=__doc__.split("\n")[0])
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="an interpreter with torch and CUDA")
    parser.add_argument("--backend", choices=["torch_xla", "standin"], help="what serves torch_xla (torch_xla)")
    parser.add_argument("--output", type=Path, help="write the page here, not to the terminal")
    parser.add_argument("scripts", nargs="*", help="names of golden scripts; all by default")
    given = parser.parse_args(arguments)
    try:
        machine = look(given.python)
        if machine is None or not machine.device:
            raise MigrateError(f"no GPU: {given.python} has no torch that can use CUDA")
        rows = []
        for row in measure(given.scripts or golden_scripts(), given.python, given.backend):
            print(f"{row.name}: {verdict(row)}", file=sys.stderr)
            rows.append(row)
    except MigrateError as error:
        print(error, file=sys.stderr)
        return 2
    page = write_page(machine, rows, datetime.date.today())
    if given.output:
        given.output.write_text(page, encoding="utf-8")
    else:
        print(page, end="")
    return 0 if all(row.comparison is not None and row.comparison.same for row in rows if row.original.ok) else 1


def golden_scripts() -> list[str]:
    """The names of all golden scripts that have a twin for torch_xla."""
    return sorted(path.parent.name for path in SCRIPTS.glob("*/case.xla.py"))


def measure(names: Sequence[str], python: Path, backend: str | None = None) -> Iterator[Row]:
    """Prove each script by its twin, one after the other: they are timed.

    Raises MigrateError for a script that there is not, and where the interpreter's torch_xla does not run on the GPU.
    """
    found = find_interpreter(python)
    version = parse(found.torch_xla or "") if found is not None and backend != "standin" else None
    kind = "smtc" if version is not None and version < (2, 0) else "xla"
    twins = {name: SCRIPTS / name / f"case.{kind}.py" for name in names}
    unknown = [name for name, twin in twins.items() if not twin.is_file()]
    if unknown or not names:
        raise MigrateError(f"no golden script {', '.join(unknown)} in {SCRIPTS}")
    for name, twin in twins.items():
        options = Options(
            target=Target.parse(TARGETS[kind]),
            backend=backend,
            accelerator="cuda",
            python=python,
            workers=1,
            limits=LIMITS,
            twin=twin,
        )
        (pair,) = prove(SCRIPTS / name / "case.py", (), options).pairs
        assert pair.original is not None
        yield Row(name, pair.original, pair.migrated, pair.comparison, pair.backend)


def verdict(row: Row) -> str:
    """What came of one script, in a few words."""
    if not row.original.ok:
        return f"the original does not run here: {row.original.reason}"
    if not row.migrated.ok:
        return f"the migrated script failed: {row.migrated.reason}"
    if row.comparison is None:
        return "nothing could be compared"
    return "the same training" if row.comparison.same else f"another training: {row.comparison.reasons[0]}"


STANDIN = """\
**It says nothing about XLA**: the stand-in's `xla` devices are the GPU itself, no graph was compiled, and the speed of
torch_xla on this GPU is another."""
REAL = "XLA compiled its graphs; compilation is in the first steps, which the median leaves out."

PAGE = """\
# The golden scripts on a GPU

Written by `python -m migrate.smoke.gpu_report` on {date}: {device}, CPython {python}, torch {torch}, CUDA {cuda}, \
cuDNN {cudnn}.

Each original ran natively on CUDA, its migrated twin on {served}. {about}

Both sides compute in float32 without autocast, draw random numbers on the host, and are watched (the norm of every
gradient, each step). That costs both the same and pulls the ratio towards 1. The scripts are small, so their speed is
the host's. Steps per second are by the median time from one optimizer step to the next.

| script | steps | verdict | losses differ by | parameters by | CUDA, steps/s | migrated, steps/s | ratio | MiB, both |
|---|--:|---|--:|--:|--:|--:|--:|--:|
{rows}

{summary}
"""


def write_page(machine: Machine, rows: Sequence[Row], date: datetime.date) -> str:
    """The page, as Markdown."""
    compared = [row for row in rows if row.comparison is not None and row.original.ok and row.migrated.ok]
    same = sum(row.comparison is not None and row.comparison.same for row in compared)
    standin = any(row.migrated.backend is Backend.STANDIN for row in rows)
    served = sorted({row.served for row in rows if row.served})
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
        served=" and on ".join(served) or "nothing",
        about=STANDIN if standin else REAL,
        rows="\n".join(write_row(row) for row in rows),
        summary=summary,
    )


def write_row(row: Row) -> str:
    """One line of the table. A bar in a reason would end its cell."""
    said = verdict(row).replace("|", "\\|")
    if row.comparison is None or not (row.original.ok and row.migrated.ok):
        return f"| {row.name} | | {said} | | | | | | |"
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
        " / ".join(f"{worker.memory / 2**20:.0f}" if worker.memory else "-" for worker in (first, second)),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
