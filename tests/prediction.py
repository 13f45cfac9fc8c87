"""How well the stand-in predicts real torch_xla: `python -m tests.prediction [NAME ...] [--version 2.9] [--write]`.

Runs scripts twice in the same environment, on real torch_xla and on the stand-in that predicts, and compares graphs
compiled and graphs executed, after every optimizer step and at the end, and the operators left to the host. Prints a
Markdown table; `--write` puts it into docs/smoke.md. Takes about 20 s for each script.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from migrate.smoke.environments import Environment, provision
from migrate.smoke.record import Backend, Run, Side, Worker
from migrate.smoke.run import Job, Launch, Limits, run

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "tests" / "smoke" / "scripts"
GOLDENS = ROOT / "golden" / "scripts"
PAGE = ROOT / "docs" / "smoke.md"
BEGIN, END = "<!-- prediction: begin -->", "<!-- prediction: end -->"
SIDES = {"2.9": Side.XLA, "2.1": Side.SMTC}
FORMS = {"2.9": "xla", "2.1": "smtc"}

NOT_RUN = {"hf_trainer": "needs transformers and a data set from the network"}
"""Goldens that do not run here, with the reason."""

THIRD_PARTY = {"third_party", "third_party_scripts"}
"""Modules of other tests in the scripts' folder."""


@dataclass(frozen=True)
class Case:
    """One script and the torch_xla that it runs on."""

    name: str
    version: str
    script: Path

    def job(self, environment: Environment, backend: Backend) -> Job:
        """The job that runs it on a backend."""
        side = SIDES[self.version]
        text = self.script.read_text(encoding="utf-8")
        mp_fn = side is Side.SMTC and "def _mp_fn" in text
        return Job(
            self.script,
            side,
            environment,
            launch=Launch.MP_FN if mp_fn else Launch.MAIN,
            limits=Limits(seconds=400),
            backend=backend,
            # 2.1 has another autocast than the Training Compiler's scripts are written for.
            version="1.13" if side is Side.SMTC and "torch_xla.amp" in text else self.version,
            predict=backend is Backend.STANDIN,
        )


@dataclass(frozen=True)
class Outcome:
    """A case's real run and its prediction."""

    case: Case
    real: Run
    predicted: Run

    @property
    def equal(self) -> bool:
        """Whether all that is compared is equal."""
        return self.ran and self.steps_equal and totals(self.real.first) == totals(self.predicted.first)

    @property
    def ran(self) -> bool:
        """Whether both runs came to their end."""
        return self.real.ok and self.predicted.ok

    @property
    def steps_equal(self) -> bool:
        """Whether the same number of graphs was compiled and executed after every step of the optimizer."""
        return self.real.first.graphs == self.predicted.first.graphs

    @property
    def row(self) -> str:
        """The case's line in the table."""
        if not self.ran:
            failed = self.predicted if self.real.ok else self.real
            reason = next(iter(reversed(failed.output.strip().splitlines())), failed.reason)
            cells = ("did not run", "real" if failed is self.real else "predicted", reason.replace("|", "/")[:80], "")
        else:
            real, predicted = totals(self.real.first), totals(self.predicted.first)
            hosts = real[2:] == predicted[2:]
            cells = (
                f"{real[0]} / {real[1]}",
                f"{predicted[0]} / {predicted[1]}",
                f"{agreeing(self.real.first, self.predicted.first)} of {len(self.real.first.graphs)}",
                "equal" if hosts else f"{show(self.real.first)} / {show(self.predicted.first)}",
            )
        return f"| {self.case.name} | {self.case.version} | {' | '.join(cells)} |"


def totals(worker: Worker) -> tuple[int, int, tuple[tuple[str, int], ...]]:
    """Graphs compiled, graphs executed, and operators left to the host, at the end."""
    compiled = worker.counters.get("UncachedCompile", 0)
    fallbacks = sorted((name, count) for name, count in worker.counters.items() if name.startswith("aten::"))
    return compiled, compiled + worker.counters.get("CachedCompile", 0), tuple(fallbacks)


def show(worker: Worker) -> str:
    """The operators left to the host, in short."""
    return ", ".join(f"{name.removeprefix('aten::')} {count}" for name, count in totals(worker)[2]) or "none"


def agreeing(real: Worker, predicted: Worker) -> int:
    """Steps in which as many graphs were compiled, and as many executed, as predicted."""
    pairs = [
        [(b.compiled - a.compiled, b.executed - a.executed) for a, b in pairwise(worker.graphs)]
        for worker in (real, predicted)
    ]
    first = real.graphs[:1] == predicted.graphs[:1]
    return int(first) + sum(a == b for a, b in zip(*pairs, strict=False))


def cases(names: Iterable[str] = (), versions: Iterable[str] = ("2.9", "2.1")) -> list[Case]:
    """The scripts of this folder and the whole-script goldens in the form of each version, by name."""
    wanted, found = set(names), []
    for version in versions:
        for path in sorted(SCRIPTS.glob("*.py")):
            found.append(Case(path.stem, version, path))
        for path in sorted(GOLDENS.glob(f"*/case.{FORMS[version]}.py")):
            if path.parent.name not in NOT_RUN:
                found.append(Case(f"golden/{path.parent.name}", version, path))
    return [case for case in found if not wanted or case.name in wanted]


def measure(case: Case) -> Outcome:
    """Run a case both ways."""
    environment = provision(case.version)
    return Outcome(
        case,
        run(case.job(environment, Backend.TORCH_XLA)),
        run(case.job(environment, Backend.STANDIN)),
    )


def render(outcomes: list[Outcome]) -> str:
    """The table, and how many are equal."""
    head = (
        "| script | torch_xla | compiled / executed, real | predicted | steps that agree | operators on the host |",
        "|---|---|---|---|---|---|",
    )
    equal = sum(outcome.equal for outcome in outcomes)
    return "\n".join(
        (*head, *(outcome.row for outcome in outcomes), "", f"Equal in everything: {equal} of {len(outcomes)}.")
    )


def write(table: str) -> None:
    """Put the table between its markers in the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--version", choices=sorted(SIDES), action="append")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    outcomes = []
    for case in cases(arguments.names, arguments.version or ("2.9", "2.1")):
        outcomes.append(measure(case))
        print(outcomes[-1].row, file=sys.stderr, flush=True)
    table = render(outcomes)
    print(table)
    if arguments.write:
        write(table)
    return 0 if all(outcome.equal for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
