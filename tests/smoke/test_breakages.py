"""What goes wrong in migrations is caught: golden outputs, broken by hand in one place each.

A breakage is caught by what a rule finds, or by a training that is not the same. The golden itself, unbroken, has
neither. Two processes run on the stand-in, one process on real torch_xla.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from migrate.smoke import environments
from migrate.smoke.compare import compare, measured_tolerance
from migrate.smoke.environments import Environment
from migrate.smoke.findings import find
from migrate.smoke.record import Backend, Run, Side
from migrate.smoke.run import Job, Launch, Limits, run

pytestmark = pytest.mark.real_xla

SCRIPTS = Path(__file__).parents[2] / "golden" / "scripts"
SIDES = {"xla": (Side.XLA, "2.9"), "smtc": (Side.SMTC, "2.1")}
LIMITS = Limits(seconds=400)


@dataclass(frozen=True)
class Breakage:
    """One thing done wrong to a golden's output."""

    golden: str
    target: str
    edits: tuple[tuple[str, str], ...]
    """Text and what takes its place; each has to be there."""
    caught: str
    """The rule that finds it, an error of that kind; "diverged": the training is another one."""
    workers: int = 1

    @property
    def text(self) -> str:
        """The broken script."""
        text = (SCRIPTS / self.golden / f"case.{self.target}.py").read_text(encoding="utf-8")
        for old, new in self.edits:
            assert text.count(old) == 1, f"{old!r} is in the golden {text.count(old)} times"
            text = text.replace(old, new)
        return text


REDUCE = "                xm.reduce_gradients(optimizer)\n"
CLIP = "                torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)\n"
UNSCALE = "                scaler.unscale_(optimizer)\n"
CLOSURE = "            xm.add_step_closure(log_step, args=(batch_idx, data, loss.detach()))"
FETCH = "            gradients = xm._fetch_gradients(optimizer)\n"
SHARD = "train_set, num_replicas=world_size, rank=rank, shuffle=True"
OPTIMIZER = "    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)\n"

BREAKAGES = {
    "no mark": Breakage(
        "epoch_functions", "xla",
        (("enumerate(train_device_loader)", "enumerate((a.to(device), b.to(device)) for a, b in train_loader)"),),
        "no-mark",
    ),
    "mark twice": Breakage(
        "epoch_functions", "xla",
        (("        loss.backward()\n", "        loss.backward()\n        torch_xla.sync()\n"),),
        "second-mark",
    ),
    "optimizer built before the move": Breakage(
        "epoch_functions", "xla",
        (("    model = Net().to(device)\n", "    model = Net()\n"), (OPTIMIZER, f"{OPTIMIZER}    model.to(device)\n")),
        "without-gradient",
    ),
    "stale print": Breakage(
        "epoch_functions", "xla",
        (
            ("    for batch_idx, (data", "    shown = []\n    for batch_idx, (data"),
            (CLOSURE, "            shown.append(loss.detach())\n" + CLOSURE.replace("loss.detach()", "shown[0]")),
        ),
        "printed",
    ),
    "missing seed": Breakage("epoch_functions", "xla", (("    torch_xla.manual_seed(args.seed)\n", ""),), "not-seeded"),
    "reduce inside accumulation": Breakage(
        "amp_clip_accumulate", "xla",
        ((REDUCE, ""), ("loss.backward()\n", "loss.backward()\n            xm.reduce_gradients(optimizer)\n")),
        "reduce-in-accumulation",
    ),
    "clip before reduce": Breakage(
        "amp_clip_accumulate", "xla", ((REDUCE, ""), (CLIP, f"{CLIP}{REDUCE}")), "clip-before-reduce"
    ),
    "autocast taken away": Breakage(
        "amp_clip_accumulate", "xla",
        (('            with torch.autocast("xla", dtype=torch.bfloat16, enabled=args.fp16):\n'
          "                loss, _", '            with torch.autocast("cuda", enabled=args.fp16):\n'
          "                loss, _"),),
        "autocast",
    ),
    "scaler order, clip first": Breakage(
        "amp_clip_accumulate", "smtc", ((UNSCALE, ""), (CLIP, f"{CLIP}{UNSCALE}")), "clip-before-unscale"
    ),
    "scaler order, unscale first": Breakage(
        "ddp_spawn", "smtc", ((FETCH, f"            scaler.unscale_(optimizer)\n{FETCH}"),), "unscale-before-reduce"
    ),
    "loader exhausted": Breakage(
        "ddp_spawn", "xla",
        (("val_loader = pl.MpDeviceLoader(val_loader, device)",
          "val_loader = pl.ParallelLoader(val_loader, [device]).per_device_loader(device)"),),
        "loader",
    ),
    "unsharded sampler": Breakage(
        "ddp_spawn", "xla", ((SHARD, SHARD.replace("world_size", "1").replace("=rank", "=0")),), "diverged", workers=2
    ),
    "no reduce": Breakage(
        "ddp_spawn", "xla",
        (("xm.optimizer_step(optimizer, barrier=True)", "optimizer.step(); torch_xla.sync()"),),
        "reduce-missing", workers=2,
    ),
}  # fmt: skip
UNBROKEN = sorted({(breakage.golden, breakage.target, breakage.workers) for breakage in BREAKAGES.values()})


def run_migrated(script: Path, target: str, workers: int, environment: Environment) -> Run:
    side = SIDES[target][0]
    launched = side is Side.SMTC and "\ndef _mp_fn(" in script.read_text(encoding="utf-8")
    backend = Backend.TORCH_XLA if workers == 1 else Backend.STANDIN
    launch = Launch.MP_FN if launched else Launch.MAIN
    version = SIDES[target][1]
    return run(
        Job(script, side, environment, launch=launch, limits=LIMITS, backend=backend, version=version, workers=workers)
    )


@functools.cache
def run_original(golden: str, version: str, workers: int, perturb: float = 0.0) -> Run:
    environment = environments.find(version)
    assert environment is not None
    script = SCRIPTS / golden / "case.py"
    return run(Job(script, Side.CUDA, environment, limits=LIMITS, workers=workers, perturb=perturb))


def judge(golden: str, target: str, workers: int, migrated: Run) -> tuple[list[str], set[str]]:
    """Why it is not the same training, and the kinds of the errors that were found."""
    version = SIDES[target][1]
    original = run_original(golden, version, workers)
    disturbed = run_original(golden, version, workers, perturb=1e-7)
    comparison = compare(original, migrated, measured_tolerance(original, disturbed))
    found = find(original, migrated, disturbed)
    return list(comparison.reasons), {finding.kind for finding in found if finding.error}


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
def test_is_caught(breakage: Breakage, environment: Callable[[str], Environment], tmp_path: Path) -> None:
    script = tmp_path / "case.py"
    script.write_text(breakage.text, encoding="utf-8")
    migrated = run_migrated(script, breakage.target, breakage.workers, environment(SIDES[breakage.target][1]))
    assert migrated.ok, (migrated.reason, migrated.output[-2000:])
    reasons, kinds = judge(breakage.golden, breakage.target, breakage.workers, migrated)
    if breakage.caught == "diverged":
        assert reasons
    else:
        assert breakage.caught in kinds, (kinds, reasons)


@pytest.mark.parametrize(("golden", "target", "workers"), UNBROKEN)
def test_the_golden_itself_is_not(
    golden: str, target: str, workers: int, environment: Callable[[str], Environment]
) -> None:
    script = SCRIPTS / golden / f"case.{target}.py"
    migrated = run_migrated(script, target, workers, environment(SIDES[target][1]))
    assert migrated.ok, (migrated.reason, migrated.output[-2000:])
    assert judge(golden, target, workers, migrated) == ([], set())
