"""Proves a migration: runs the original and the migrated script, and compares what they did.

Four or five runs. The original; the original once more, disturbed, which measures how far rounding alone carries; the
migrated script. For a script that starts several processes both once more with as many workers as were asked for: on
real replicas where there is a torch_xla for them and the script allows it, else on the stand-in. Two runs go on at a
time: the original's and the migrated's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from codemods.kit.targets import SMTC, Launcher, Target
from migrate.migration import Migration, Status
from migrate.project import migrate_project
from migrate.reach import reach
from migrate.registry import ALL, Selection
from migrate.smoke.accelerator import find_accelerator
from migrate.smoke.backends import Choice, choose, parse
from migrate.smoke.compare import Tolerance, compare, measured_tolerance
from migrate.smoke.enclosure import end_all
from migrate.smoke.findings import find
from migrate.smoke.judgement import Pair, Proof, tell_end, why_not_run
from migrate.smoke.record import Backend, Run, Side
from migrate.smoke.replicas import why_not
from migrate.smoke.run import Job, Launch, Limits, run
from migrate.smoke.sources import read_module, read_script
from migrate.smoke.workspace import path_in_root

DISTURBANCE, STRICT_DISTURBANCE = 1e-7, 1e-15
"""Relative change of each parameter at each step of the disturbed run: a rounding of float32, of float64."""
STRICT = Tolerance(loss=1e-8, gradient=1e-7, parameters=1e-6)
"""The floor in float64: 2.6e-14 was measured for a loss after 20 steps, and single sums in float32 remain in places."""

STARTS_PROCESSES = re.compile(
    r"^def _mp_fn\(|\bxmp\.spawn\(|\btorch_xla\.launch\(|\bxla_multiprocessing\b", re.MULTILINE
)
"""A migrated script that is meant for several processes."""
JOINS_PROCESSES = re.compile(r"\binit_process_group\b|\bsmdistributed\b|\bhorovod\b")
"""An original that trains in several processes, each with its share of the data."""
ENTRY_POINT = re.compile(r"^def _mp_fn\(", re.MULTILINE)
"""What the Training Compiler's launcher calls."""
USES_XLA = re.compile(r"^\s*(?:import|from)\s+torch_xla\b", re.MULTILINE)

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How a proof is made. The defaults are the command's."""

    target: Target = SMTC
    selection: Selection = ALL
    steps: int = 20
    """Optimizer steps of each run, at most."""
    backend: str | None = None
    """"torch_xla", "oracle" or "standin"; None: the best there is."""
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


def prove(
    script: Path, arguments: Sequence[str] = (), options: Options | None = None, tell: Tell = lambda said: None
) -> Proof:
    """Migrate a script, run it and its twin, and judge. `tell` hears what is being done, a few words at a time.

    Raises MigrateError when the script cannot be read or nothing can run it, and OSError when no process can be
    started. Whatever the scripts do is in the result.
    """
    options = options or Options()
    proof = Proof(str(script), options.target.name, None, options.steps, (), options.strict, options.fake_data)
    migrations = migrate_files(script, options) if options.twin is None else {}
    if migrations:
        proof = describe_migrations(proof, list(migrations.values()))
        if proof.reason and not proof.migrated_before:
            return proof
    text = read_script(options.twin) if options.twin else "\n".join(each.result for each in migrations.values())
    replaced = {path: each.result for path, each in migrations.items() if each.status is Status.MIGRATED}
    choice = choose(options.target, options.backend, options.python, text)
    before = "\n".join(each.source for each in migrations.values()) or read_script(script)
    plan = make_plan(script, before, text, replaced, arguments, options, choice)
    if proof.migrated_before:
        plan = replace(plan, original=None, several_original=None)
    return replace(proof, pairs=run_plan(plan, choice, options, tell))


def describe_migrations(proof: Proof, migrations: Sequence[Migration]) -> Proof:
    """A proof that knows what was migrated, and if that is nothing, why."""
    migration, *others = migrations
    modules = tuple(each for each in others if each.status is Status.MIGRATED)
    before = migration.status is Status.UNCHANGED and not modules and bool(USES_XLA.search(migration.result))
    # What is to be migrated may all be in the modules that an unchanged script imports.
    fine = migration.status is Status.UNCHANGED and modules
    reason = "" if fine else why_not_run(migration, before)
    return replace(proof, migration=migration, modules=modules, migrated_before=before, reason=reason)


def migrate_files(script: Path, options: Options) -> dict[Path, Migration]:
    """The script and the modules of the user it imports, as one project, by path in the root; the script first."""
    top = options.root or script.parent
    name = path_in_root(script, top).as_posix()
    read_script(script)  # says why, where it cannot be read
    texts = reach(name, lambda path: read_module(top / path))
    migrated = dict(migrate_project(texts, target=options.target, select=options.selection))
    migrated[name] = replace(migrated[name], path=str(script))
    return {Path(path): migration for path, migration in migrated.items()}


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
    original = Job(
        script,
        Side.CUDA,
        choice.environment,
        tuple(arguments),
        limits=replace(options.limits, steps=options.steps),
        accelerator=find_accelerator(choice.environment) if standin else "cpu",
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
    several = replace(one, backend=Backend.REPLICAS, workers=options.workers)
    if standin or why:
        several = on_standin(several, options.target)
    return replace(plan, several_migrated=several, no_replicas=why)


def on_standin(several: Job, target: Target) -> Job:
    """The same job, of several processes, on the stand-in."""
    return replace(several, backend=Backend.STANDIN, version=names_of(target), predict=False)


def names_of(target: Target) -> str:
    """The torch_xla version of a target, as the stand-in takes it: "1.13"."""
    return ".".join(map(str, target.version))


def run_plan(plan: Plan, choice: Choice, options: Options, tell: Tell) -> tuple[Pair, ...]:
    """Run all that a plan holds, and judge each pair."""
    pool = ThreadPoolExecutor(max_workers=2)
    try:
        natives = pool.submit(run_natives, plan, tell)
        others = pool.submit(run_migrated, plan, options.target, tell)
        (original, disturbed, several_original), (migrated, several, why) = natives.result(), others.result()
    except KeyboardInterrupt:
        end_all()  # who interrupts does not want to wait for runs
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    floor = STRICT if options.strict else None
    allowed = floor or Tolerance()
    if original is not None and disturbed is not None:
        allowed = measured_tolerance(original, disturbed, floor)
    on_gpu = plan.migrated.accelerator == "cuda"
    backend = f"{choice.sentence} ({'GPU' if on_gpu else 'CPU'})"
    pairs = [judge_pair(1, backend, original, migrated, disturbed, allowed)]
    if several is not None:
        backend = describe_several(several, choice, options, on_gpu, why)
        if several_original is not None and several_original.alone:
            several_original = None  # with these arguments it trains in one process
        pair = judge_pair(options.workers, backend, several_original, several, disturbed, allowed)
        pairs.append(replace(pair, ranks_only=plan.original is not None and several_original is None))
    return tuple(pairs)


def describe_several(several: Run, choice: Choice, options: Options, on_gpu: bool, why: str) -> str:
    """What served torch_xla to several processes, and `why` that were no real replicas."""
    if several.backend is Backend.REPLICAS:
        return (
            f"real torch_xla {choice.version}, {options.workers} devices of the CPU as {options.workers} replicas: XLA "
            "itself ran what they exchange"
        )
    where = "NCCL on GPUs" if on_gpu else "gloo on the CPU"
    return (
        f"the stand-in for torch_xla {names_of(options.target)}, processes joined by {where}: "
        f"same training, no graphs; nothing of XLA ran{f'; no real replicas, since {why}' if why else ''}"
    )


def run_natives(plan: Plan, tell: Tell) -> tuple[Run | None, Run | None, Run | None]:
    """The original: as it is, disturbed, and in several processes. What has no use any more is not run."""
    if plan.original is None:
        return None, None, None
    tell("the original")
    original = run(plan.original)
    if not original.ok:
        return original, None, None
    tell("the original, disturbed")
    disturbance = STRICT_DISTURBANCE if plan.original.double else DISTURBANCE
    disturbed = run(replace(plan.original, perturb=disturbance, threads=2))
    if plan.several_original is None:
        return original, disturbed, None
    tell(f"the original, {plan.several_original.workers} processes")
    return original, disturbed, run(plan.several_original)


def run_migrated(plan: Plan, target: Target, tell: Tell) -> tuple[Run, Run | None, str]:
    """The migrated script: in one process, then in several where it is made for that and runs at all; and why the
    several were no real replicas."""
    tell("the migrated script")
    migrated = run(plan.migrated)
    several = plan.several_migrated
    if several is None or not migrated.ok:
        return migrated, None, ""
    tell(f"the migrated script, {several.workers} processes")
    ran = run(several)
    if not ran.beyond:
        return migrated, ran, plan.no_replicas
    tell(f"the migrated script, {several.workers} processes, on the stand-in")
    return migrated, run(on_standin(several, target)), f"there the script {tell_end(ran)}"


def judge_pair(
    workers: int, backend: str, original: Run | None, migrated: Run, disturbed: Run | None, tolerance: Tolerance
) -> Pair:
    """Compare two runs and look for trouble. The disturbed run is one process's: it says nothing of several."""
    alone = disturbed if workers == 1 else None
    if not migrated.ok:
        # What it did before it failed says nothing: a missing step may be the one that raised.
        return Pair(workers, backend, original, migrated, None)
    usable = original if original is not None and original.ok else None
    comparison = compare(usable, migrated, tolerance) if usable is not None else None
    return Pair(workers, backend, original, migrated, comparison, find(usable, migrated, alone))
