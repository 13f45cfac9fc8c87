"""Proves a migration: runs the original and the migrated script, and compares what they did.

The original runs twice, which shows whether it is the same training each time, and once more, disturbed, which measures
how far rounding alone carries; then the migrated script. For a script that starts several processes both once more with
as many workers as were asked for: on real replicas where there is a torch_xla for them and the script allows it, else
on the stand-in. Two runs go on at a time: the original's and the migrated's. Where float32 cannot tell, all run again
in float64, which decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from codemods.kit.targets import Target
from migrate.migration import Migration, Status
from migrate.project import migrate_project
from migrate.reach import reach
from migrate.smoke.accelerator import choose_for
from migrate.smoke.backends import Choice
from migrate.smoke.compare import Tolerance, compare, measured_tolerance, noise_of_ends
from migrate.smoke.cut import cut, finished_steps, say_cut
from migrate.smoke.enclosure import end_all
from migrate.smoke.evidence import Share
from migrate.smoke.files import find_in_files
from migrate.smoke.finding import Finding
from migrate.smoke.findings import find
from migrate.smoke.judgement import Pair, Proof, tell_end, why_not_run
from migrate.smoke.keeping import recall
from migrate.smoke.planning import Options, Plan, make_plan, names_of, on_standin
from migrate.smoke.printed import count_compared
from migrate.smoke.record import Backend, Ending, Run, Side
from migrate.smoke.resume import try_resume
from migrate.smoke.run import Job, run
from migrate.smoke.sources import read_module, read_script
from migrate.smoke.steadiness import Steadiness, judge_steadiness
from migrate.smoke.workspace import path_in_root

__all__ = ["Options", "Tell", "prove"]

DISTURBANCE, STRICT_DISTURBANCE = 1e-7, 1e-15
"""Relative change of each parameter at each step of the disturbed run: a rounding of float32, of float64."""
STRICT = Tolerance(loss=1e-8, gradient=1e-7, parameters=1e-6, ends=1e-6, copies=1e-7, option=1e-9)
"""The floor in float64: 2.6e-14 was measured for a loss after 20 steps, and single sums in float32 remain in places."""

USES_XLA = re.compile(r"^\s*(?:import|from)\s+torch_xla\b", re.MULTILINE)

Tell = Callable[[str], None]


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
    choice = choose_for(options, text)
    before = "\n".join(each.source for each in migrations.values()) or read_script(script)
    plan = make_plan(script, before, text, replaced, arguments, options, choice)
    if proof.migrated_before:
        plan = replace(plan, original=None, several_original=None)
    pairs = run_plan(plan, choice, options, tell)
    if any(pair.doubtful for pair in pairs) and not options.strict:
        tell("float64, to decide")
        strict = run_plan(plan.in_double(), choice, replace(options, strict=True), tell)
        pairs = tuple(settle(*each) for each in zip(pairs, strict, strict=False)) + pairs[len(strict) :]
    return replace(proof, pairs=(go_on(pairs[0], plan, before, options, tell), *pairs[1:]))


def go_on(pair: Pair, plan: Plan, text: str, options: Options, tell: Tell) -> Pair:
    """A pair of one process with what came of going on from a checkpoint."""
    if plan.original is None or pair.comparison is None:
        return pair
    jobs = (plan, plan.in_double())[pair.comparison.tolerance.loss == STRICT.loss]
    assert jobs.original is not None
    tell("both, from a checkpoint")

    def execute(job: Job) -> Run:
        return run_original(options, job) if job.side is Side.CUDA else run(job)

    said, error = try_resume(pair, jobs.original, jobs.migrated, [text], execute)
    found = (*pair.findings, Finding("resume", True, said.partition(": ")[2])) if error else pair.findings
    return replace(pair, resume=said, findings=tuple(sorted(found, key=lambda finding: not finding.error)))


def settle(pair: Pair, strict: Pair) -> Pair:
    """What float64 says of a pair of which float32 could not tell. It decides where it ran and could compare."""
    if not pair.doubtful:
        return pair
    found = pair.comparison
    assert found is not None
    seen = found.reasons[0] if found.reasons else f"rounding alone decides from step {found.tolerance.chaotic_step} on"
    if strict.comparison is None:
        why = "; ".join(f"{name} {tell_end(run)}" for name, run in strict.failures)
        return replace(pair, settled=f"float32 alone says so, for float64 could not decide: {why}")
    verdict = "it is rounding" if strict.comparison.same else "it is another training there too"
    return replace(
        strict,
        findings=tuple(finding for finding in pair.findings if not finding.error or finding in strict.findings),
        settled=f"in float32 {seen}; float64 decided: {verdict}. The figures are those of float64",
    )


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


def run_plan(plan: Plan, choice: Choice, options: Options, tell: Tell) -> tuple[Pair, ...]:
    """Run all that a plan holds, and judge each pair."""
    on_gpu = plan.migrated.accelerator == "cuda"
    pool = ThreadPoolExecutor(max_workers=1 if on_gpu else 2)  # on one GPU they would be timed against each other
    try:
        natives = pool.submit(run_natives, plan, options, tell)
        others = pool.submit(run_migrated, plan, options.target, tell)
        native, (migrated, several, why) = natives.result(), others.result()
    except KeyboardInterrupt:
        end_all()  # who interrupts does not want to wait for runs
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    where = what_ran(migrated) or ("GPU" if on_gpu else "CPU")
    if on_gpu and native.original is not None and native.original.workers:
        where += f"; the original on {what_ran(native.original)}"
    backend = f"{choice.sentence} ({where})"
    pairs = [judge_pair(1, backend, native, migrated, options.strict)]
    if several is not None and several.alone and native.several is not None and native.several.alone:
        said = "with these arguments both train in one process: that several do the same was not tried"
        pairs[0] = replace(pairs[0], alone=said)
    elif several is not None:
        backend = describe_several(several, choice, options, why)
        several_original = native.several
        if several_original is not None and several_original.alone:
            several_original = None  # with these arguments it trains in one process
        pair = judge_pair(options.workers, backend, replace(native, several=several_original), several, options.strict)
        pairs.append(replace(pair, ranks_only=plan.original is not None and several_original is None))
    return tuple(pairs)


def what_ran(run: Run) -> str:
    """The devices that computed, as the processes themselves say; empty where none came so far."""
    devices = sorted({worker.device for worker in run.workers if worker.device})
    return " and ".join("CPU" if device == "cpu" else f"GPU: {device}" for device in devices)


def describe_several(several: Run, choice: Choice, options: Options, why: str) -> str:
    """What served torch_xla to several processes, and `why` that were no real replicas."""
    if several.backend is Backend.REPLICAS:
        return (
            f"real torch_xla {choice.version}, {options.workers} devices of the CPU as {options.workers} replicas: XLA "
            "itself ran what they exchange"
        )
    # There may be fewer GPUs than processes: then they fall back on the CPU, and say so.
    on_gpus = bool(several.workers) and all(worker.on_gpu for worker in several.workers)
    where = "NCCL on GPUs" if on_gpus else "gloo on the CPU"
    return (
        f"the stand-in for torch_xla {names_of(options.target)}, processes joined by {where}: "
        f"same training, no graphs; nothing of XLA ran{f'; no real replicas, since {why}' if why else ''}"
    )


@dataclass(frozen=True)
class Natives:
    """The runs of the original."""

    original: Run | None = None
    again: Run | None = None
    disturbed: Run | None = None
    several: Run | None = None

    def tolerance(self, strict: bool) -> tuple[Tolerance, Steadiness]:
        """What a migration may differ by, as far as the original is the same training each time."""
        floor = STRICT if strict else Tolerance()
        if self.original is None or self.disturbed is None:
            return floor, Steadiness()
        steadiness = judge_steadiness(self.original, self.again, floor)
        each = noise_of_ends(self.original.first, self.disturbed.first)
        allowed = measured_tolerance(self.original, self.disturbed, floor, each)
        return steadiness.limit(allowed, self.original), steadiness


def run_original(options: Options, job: Job, number: int = 0) -> Run:
    """A run of the original, or what is kept of it. The second run is another one: not the first one, recalled."""
    folder = options.keep / str(number) if options.keep else None
    return run(job) if folder is None else recall(job, folder, options.twin, run)


def run_natives(plan: Plan, options: Options, tell: Tell) -> Natives:
    """The original: as it is, again, disturbed, and in several processes. What has no use any more is not run."""
    if plan.original is None:
        return Natives()

    execute = partial(run_original, options)
    tell("the original")
    original = execute(plan.original)
    if not original.ok:
        # Of one whose time was over the steps that it finished are compared.
        several = plan.several_original if original.ending is Ending.TIMED_OUT and original.workers else None
        return Natives(original, several=execute(several) if several is not None else None)
    tell("the original, again")
    again = execute(plan.original, 1)
    tell("the original, disturbed")
    disturbance = STRICT_DISTURBANCE if plan.original.double else DISTURBANCE
    disturbed = execute(replace(plan.original, perturb=disturbance, threads=2))
    if plan.several_original is None:
        return Natives(original, again, disturbed)
    tell(f"the original, {plan.several_original.workers} processes")
    return Natives(original, again, disturbed, execute(plan.several_original))


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


def judge_pair(workers: int, backend: str, native: Natives, migrated: Run, strict: bool) -> Pair:
    """Compare two runs and look for trouble. The disturbed run is one process's: it says nothing of several."""
    alone = native.disturbed if workers == 1 else None
    original = native.original if workers == 1 else native.several
    tolerance, steadiness = native.tolerance(strict)
    steps = finished_steps(original, migrated) if original is not None else 0
    if original is not None and steps:
        comparison = compare(cut(original, steps), cut(migrated, steps), replace(tolerance, each=None))
        why = say_cut(original, migrated, steps, comparison.same)
        return Pair(workers, backend, original, migrated, comparison, steadiness=steadiness, cut=why)
    if not migrated.ok:
        # What it did before it failed says nothing: a missing step may be the one that raised.
        return Pair(workers, backend, original, migrated, None, steadiness=steadiness)
    usable = original if original is not None and original.ok else None
    found = find(usable, migrated, alone)
    if usable is None:
        return Pair(workers, backend, original, migrated, None, found, steadiness=steadiness)
    comparison = compare(usable, migrated, tolerance)
    outputs = ("", "", "") if alone is None else (usable.output, alone.output, migrated.output)
    in_files, files = find_in_files(usable, alone, migrated, tolerance) if alone is not None else ([], Share())
    evidence = replace(comparison.evidence, files=files, printed=Share(*count_compared(*outputs)))
    found = tuple(sorted((*found, *in_files), key=lambda finding: not finding.error))
    comparison = replace(comparison, evidence=evidence)
    return Pair(workers, backend, original, migrated, comparison, found, steadiness=steadiness)
