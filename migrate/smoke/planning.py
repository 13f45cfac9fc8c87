"""Which runs a proof needs: the original and the migrated script, each in one process and perhaps in several."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from codemods.kit.targets import SMTC, Launcher, Target
from migrate.registry import ALL, Selection
from migrate.smoke.accelerator import find_accelerator
from migrate.smoke.backends import Choice, parse
from migrate.smoke.record import Backend, Side
from migrate.smoke.replicas import why_not
from migrate.smoke.run import Job, Launch, Limits

STARTS_PROCESSES = re.compile(
    r"^def _mp_fn\(|\bxmp\.spawn\(|\btorch_xla\.launch\(|\bxla_multiprocessing\b", re.MULTILINE
)
"""A migrated script that is meant for several processes."""
JOINS_PROCESSES = re.compile(r"\binit_process_group\b|\bsmdistributed\b|\bhorovod\b")
"""An original that trains in several processes, each with its share of the data."""
ENTRY_POINT = re.compile(r"^def _mp_fn\(", re.MULTILINE)
"""What the Training Compiler's launcher calls."""


@dataclass(frozen=True)
class Options:
    """How a proof is made. The defaults are the command's."""

    target: Target = SMTC
    selection: Selection = ALL
    steps: int = 20
    """Optimizer steps of each run, at most."""
    backend: str | None = None
    """"torch_xla", "oracle" or "standin"; None: the best there is."""
    accelerator: str = "auto"
    """"cuda": both on the GPU, or nothing; "cpu": neither; "auto": the stand-in on the GPU where there is one."""
    python: Path | None = None
    """The user's interpreter; None: found."""
    workers: int = 2
    """Processes of the second pair; 1: there is none."""
    launch: Launch | None = None
    """How the migrated script is started; None: as the target's launcher does."""
    root: Path | None = None
    """The folder the scripts may read; None: the script's."""
    limits: Limits = field(default_factory=lambda: Limits(seconds=300.0))
    """Of each run. Its `steps` are of no account."""
    strict: bool = False
    """Compute in float64, and allow little."""
    fake_data: bool = False
    network: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for the scripts."""
    keep: Path | None = None
    """Where runs of originals are kept for the next proof; None: nowhere."""
    twin: Path | None = None
    """A script that was migrated by hand, to take the place of ours."""


@dataclass(frozen=True)
class Plan:
    """The runs that a proof needs; the several are None where one process is all there is."""

    original: Job | None
    migrated: Job
    several_original: Job | None = None
    several_migrated: Job | None = None
    no_replicas: str = ""
    """Why the several are not real replicas, to follow "since"; empty where they are, or no torch_xla is real."""

    def in_double(self) -> Plan:
        """The same runs in float64."""
        double = [job and replace(job, double=True) for job in (self.original, self.several_original)]
        several = self.several_migrated and replace(self.several_migrated, double=True)
        return Plan(double[0], replace(self.migrated, double=True), double[1], several, self.no_replicas)


def make_plan(
    script: Path,
    before: str,
    text: str,
    replaced: Mapping[Path, str],
    arguments: Sequence[str],
    options: Options,
    choice: Choice,
) -> Plan:
    """The jobs for an original at `script` and what it was migrated to: `replaced` files. `before` and `text` are all
    that was migrated, and what it became."""
    # Beside a real torch_xla on the CPU an original on a GPU would be measured by another device's rounding.
    standin = choice.backend is Backend.STANDIN

    def found() -> str:
        return find_accelerator(choice.environment)

    original = Job(
        script,
        Side.CUDA,
        choice.environment,
        tuple(arguments),
        limits=replace(options.limits, steps=options.steps),
        accelerator=choice.accelerator or ("cpu" if options.accelerator == "cpu" or not standin else found()),
        root=options.root,
        network=options.network,
        variables=options.variables,
        double=options.strict,
        fake_data=options.fake_data,
    )
    smtc = options.target.launcher is Launcher.SAGEMAKER
    launched = Launch.MP_FN if smtc and ENTRY_POINT.search(text) else Launch.MAIN
    migrated = replace(
        original,
        script=options.twin or script,
        side=Side.SMTC if smtc else Side.XLA,
        launch=options.launch or launched,
        backend=choice.backend,
        version=choice.version,
        runtime=choice.runtime,
        predict=standin,
        replaced=replaced,
    )
    plan = Plan(original, migrated)
    if options.workers < 2 or not STARTS_PROCESSES.search(text):
        return plan
    joins = JOINS_PROCESSES.search(before) is not None
    several_original = replace(original, workers=options.workers) if joins else None
    return plan_several(replace(plan, several_original=several_original), text, options)


def plan_several(plan: Plan, text: str, options: Options) -> Plan:
    """A plan with the migrated script, whose `text` this is, in several processes: real replicas where they can be."""
    one = plan.migrated
    standin = one.backend is Backend.STANDIN
    why = "" if standin else why_not(text, parse(one.version), one.launch is Launch.MP_FN)
    if not standin and one.accelerator == "cuda":
        why = "these are devices of the CPU"
    several = replace(one, backend=Backend.REPLICAS, workers=options.workers)
    if standin or why:
        several = on_standin(several, options.target)
    return replace(plan, several_migrated=several, no_replicas=why)


def on_standin(several: Job, target: Target) -> Job:
    """The same job, of several processes, on the stand-in."""
    return replace(several, backend=Backend.STANDIN, version=names_of(target), runtime={}, predict=False)


def names_of(target: Target) -> str:
    """The torch_xla version of a target, as the stand-in takes it: "1.13"."""
    return ".".join(map(str, target.version))
