"""Real replicas, measured: goldens against ranks of their originals, and scripts whose ranks hang.

`python -m tests.replicas --write` runs all of them with two replicas and writes the tables of `docs/smoke.md`; names
select goldens or hangs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.smoke.compare import Comparison, compare
from migrate.smoke.environments import Environment, provision
from migrate.smoke.record import Backend, Run, Side
from migrate.smoke.report_words import number
from migrate.smoke.run import Job, Limits, run

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "golden" / "scripts"
PAGE = ROOT / "docs" / "smoke.md"
BEGIN, END = "<!-- replicas: begin -->", "<!-- replicas: end -->"
LIMITS = Limits(seconds=200)

GOLDENS = (
    "amp_apex", "data_parallel", "ddp_accumulate_clip", "ddp_no_sampler_args_gpu", "ddp_spawn", "ddp_torchrun",
    "legacy_py2", "placement_tree", "smddp",
)  # fmt: skip
ONE_PROCESS = {"data_parallel", "legacy_py2"}
"""Goldens whose original no second rank runs: their replicas only have to agree."""
ARGUMENTS = {"placement_tree": ("--multiprocessing-distributed", "--world-size", "1", "--rank", "0")}
"""Goldens whose original joins several processes only when it is told to."""

TRAIN = """\
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr

def _mp_fn(index):
    device = torch_xla.device()
    model = torch.nn.Linear(3, 1).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        loss = model(torch.full((4, 3), 1.0 + index).to(device)).square().mean()
        # total
        loss.backward()
        xm.optimizer_step(optimizer)
        # before
        torch_xla.sync()
        # after
    # end

if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
"""
READ = "if index == 0: print(loss.item())"
HANGS = {
    "rank 0 reads a loss that is reduced": (
        {"total": "xm.all_reduce(xm.REDUCE_SUM, [loss])", "before": READ},
        "rank 0 waits at train.py:14 (item), rank 1 waits at train.py:15 (mark)",
    ),
    "one rank has a batch more": (
        {"total": "if step == 3 and index == 1: break"},
        "rank 0 waits at train.py:15 (mark), rank 1 has ended",
    ),
    "one rank has a smaller batch": (
        {"total": "if step == 2: loss = model(torch.ones(4 - index, 3).to(device)).square().mean()"},
        "rank 0 waits at train.py:15 (mark), rank 1 waits at train.py:15 (mark): on one line",
    ),
    "one rank saves while gradients are pending": (
        {"before": "if index == 0: xm.save(model.state_dict(), 'model.pt')"},
        "rank 0 waits at train.py:14 (sync), rank 1 waits at train.py:15 (mark)",
    ),
    "one rank comes to a rendezvous": (
        {"after": "if index == 0: xm.rendezvous('saved')"},
        "rank 0 waits at train.py:16",
    ),
}
"""Scripts with a fault that makes their ranks wait for each other, each with what is to be said."""


@dataclass(frozen=True)
class Outcome:
    """A golden with two replicas, and its original with two ranks where it has that."""

    name: str
    migrated: Run
    comparison: Comparison | None

    @property
    def ranks_equal(self) -> bool:
        """Whether all replicas ended with the same parameters, to the bit."""
        return len({tuple(each.elements for each in worker.parameters) for worker in self.migrated.workers}) == 1

    @property
    def row(self) -> str:
        """Its line in the table."""
        apart = ("ranks agree", "", "")
        if self.comparison is not None:
            found = self.comparison
            apart = tuple(map(number, (found.loss_difference, found.gradient_difference, found.parameter_difference)))
        cells = (self.name, *apart, "equal" if self.ranks_equal else "differ")
        return f"| {' | '.join(cells)} |"


def measure(name: str, environment: Environment) -> Outcome:
    """Run a golden with two replicas, and its original with two ranks."""
    source = SCRIPTS / name / "case.py"
    text = source.with_suffix(".xla.py").read_text(encoding="utf-8")
    original = Job(source, Side.CUDA, environment, ARGUMENTS.get(name, ()), limits=LIMITS, workers=2)
    twin = replace(original, side=Side.XLA, replaced={Path("case.py"): text}, backend=Backend.REPLICAS, version="2.9")
    migrated = run(twin)
    if name in ONE_PROCESS or not migrated.ok:
        return Outcome(name, migrated, None)
    return Outcome(name, migrated, compare(run(original), migrated))


def plant(folder: Path, environment: Environment, edits: dict[str, str], workers: int = 2) -> Run:
    """Run the small script with lines in the places of comments."""
    text = TRAIN
    for place, line in edits.items():
        assert f"# {place}\n" in text
        text = text.replace(f"# {place}\n", f"{line}\n")
    (folder / "train.py").write_text(text)
    job = Job(folder / "train.py", Side.XLA, environment, backend=Backend.REPLICAS, version="2.9")
    return run(replace(job, workers=workers, limits=LIMITS))


def tables(names: list[str], environment: Environment) -> Iterator[str]:
    """Line by line, as they are measured."""
    yield "| golden | losses | gradient norms | parameters (median) | parameters of the ranks |"
    yield "|---|---|---|---|---|"
    for name in GOLDENS:
        if not names or name in names:
            yield measure(name, environment).row
    yield ""
    yield "| planted | said |"
    yield "|---|---|"
    for name, (edits, _) in HANGS.items():
        if not names or name in names:
            with tempfile.TemporaryDirectory() as folder:
                ran = plant(Path(folder), environment, edits)
            yield f"| {name} | {ran.reason} |"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    for line in tables(arguments.names, provision("2.9")):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        table = "\n".join(lines)
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
