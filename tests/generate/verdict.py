"""What came of the migration of a program: its faults, in layers, and whether the migration said that there are.

Silent and wrong is what nobody may find in the wild; said and wrong is honest; accused and right costs a reader's time.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from codemods.kit.rules import Severity
from codemods.kit.targets import Target
from migrate import migrate_project
from migrate.migration import Migration, Status
from migrate.smoke.compare import compare, last_line
from migrate.smoke.findings import find_in_comparison
from migrate.smoke.order import REDUCE_MISSING, RULES, find_in_worker
from migrate.smoke.printed import NUMBER, near
from migrate.smoke.record import Backend, Ending, Run, Side, read_worker
from tests.generate.compose import compose
from tests.generate.grammar import Vector
from tests.generate.running import Runner

_LEFT = re.compile(
    r"""\.cuda\(|torch\.cuda\.|device\(\s*f?["']cuda|\.to\(\s*f?["']cuda|autocast\(\s*["']cuda|["']nccl["']"""
    r"""|(?<!_xla\.amp\.)(?<=amp\.)GradScaler"""
)
"""CUDA that no migrated program may still use."""
STATIC = ("failed", "does not compile", "nothing is", "CUDA left", "a second run")
CRASH = "crash"
"""How the names of those faults begin that can be seen without running, or without the original."""
_LAUNCHED = re.compile(r"\b(?:launch|spawn)\(|_mp_fn\(|xr\.world_size|global_ordinal")
_ADDRESS = re.compile(r"0x[0-9a-f]+|\d+")
_NOISE = re.compile(r"\[Gloo\]|\[rank|\[W")
"""Lines that libraries print, not the program."""


@dataclass(frozen=True)
class Migrated:
    """A program and what the migration made of it."""

    original: Mapping[str, str]
    migrations: Mapping[str, Migration]

    @property
    def sources(self) -> dict[str, str]:
        """The migrated files."""
        return {path: migration.result for path, migration in self.migrations.items()}

    @property
    def said(self) -> tuple[str, ...]:
        """The rules of the notes of severity `error`, in any file; and what no file of the author's can miss."""
        notes = (note for migration in self.migrations.values() for note in migration.notes)
        rules = {note.rule for note in notes if note.severity is Severity.ERROR}
        refused = [
            status.value for status in (Status.REFUSED, Status.SKIPPED, Status.FAILED) if status in self.statuses
        ]
        return tuple(sorted(rules)) + tuple(refused)

    @property
    def keeps_a_scaler(self) -> bool:
        """Whether a scaler is said to stay where it is kept and nothing scales with it."""
        return any(note.rule == "TC323" for migration in self.migrations.values() for note in migration.notes)

    @property
    def statuses(self) -> set[Status]:
        """How the files ended."""
        return {migration.status for migration in self.migrations.values()}


@dataclass(frozen=True)
class Judgement:
    """One program, judged."""

    vector: Vector
    faults: tuple[str, ...] = ()
    """What went wrong, the gravest first, as a class: a kind and its particulars without numbers."""
    said: tuple[str, ...] = ()
    invalid: str = ""
    """Why the original itself does not run: a fault of the grammar."""
    ran: bool = False
    executions: float = 0.0
    """Graphs executed at a step, late in the training."""
    details: tuple[str, ...] = field(default=(), compare=False)

    @property
    def outcome(self) -> str:
        """In a word or two."""
        if self.invalid:
            return "invalid"
        if self.faults:
            return "said, wrong" if self.said else "silent, wrong"
        return "said, right" if self.said else "right"


def migrate(sources: Mapping[str, str], target: Target) -> Migrated:
    """Migrate a program."""
    return Migrated(sources, migrate_project(sources, target=target.name))


def judge(vector: Vector, target: Target, runner: Runner | None, wanted: str = "") -> Judgement:
    """Compose, migrate, and judge by all that there is; without a runner what can be seen without running.

    Where one fault is `wanted`, only what can show it is run.
    """
    migrated = migrate(compose(vector), target)
    static = tuple(find_static(migrated, target))
    if runner is None or wanted.startswith(STATIC):
        return Judgement(vector, static, migrated.said, details=static)
    if wanted.startswith(CRASH):
        answer = runner.migrated.run(migrated.sources)
        faults = (crash(answer),) if answer["status"] != 0 else ()
        return Judgement(vector, faults, migrated.said, ran=True, details=(reason(answer),))
    first = runner.original.run(migrated.original)
    original = as_run(first, Side.CUDA)
    if not original.ok or not original.first.steps:
        return Judgement(vector, said=migrated.said, invalid=reason(first))
    answer = runner.migrated.run(migrated.sources)
    seen = as_run(answer, Side.XLA)
    found = list(find_running(vector, migrated, first, answer, original, seen))
    if runner.replicas is not None and not found:
        found += runner.replicas(migrated.sources)
    late = [graphs.executed for graphs in seen.first.late_graphs]
    return Judgement(
        vector, (*(kind for kind, _ in found), *static), migrated.said, ran=True,
        executions=sum(late) / len(late) if late else 0.0, details=tuple(detail for _, detail in found),
    )  # fmt: skip


def find_static(migrated: Migrated, target: Target) -> Iterator[str]:
    """What is wrong without running it."""
    for path, migration in migrated.migrations.items():
        if migration.status is Status.FAILED:
            yield f"failed: {migration.reason.splitlines()[0]}"
        try:
            compile(migration.result, path, "exec", dont_inherit=True)
        except SyntaxError:
            yield "does not compile"
    if not any("torch_xla" in text for text in migrated.sources.values()):
        yield "nothing is migrated"
    left = {found[0] for text in migrated.sources.values() for found in _LEFT.finditer(text)}
    if migrated.keeps_a_scaler:
        left = {word for word in left if not word.endswith("GradScaler") and word != "torch.cuda."}
    if left:
        yield "CUDA left: " + " ".join(sorted(re.sub(r"\s", "", word) for word in left))
    again = migrate(migrated.sources, target)
    if again.sources != migrated.sources:
        yield "a second run changes it"


def as_run(answer: Mapping[str, Any], side: Side) -> Run:
    """What a server answered, as the record that the comparison knows."""
    ending = Ending.ENDED if answer["status"] == 0 else Ending.TIMED_OUT if answer["status"] is None else Ending.FAILED
    workers = tuple(read_worker(seen) for seen in answer["observed"])
    backend = None if side is Side.CUDA else Backend.TORCH_XLA
    return Run(side, ending, answer["seconds"], answer.get("out", ""), workers, backend, reason(answer))


def reason(answer: Mapping[str, Any]) -> str:
    """Why a program failed."""
    if answer["status"] == 0:
        return ""
    # The time is over (None), or that of the processor (a signal).
    return "hangs" if answer["status"] in (None, -signal.SIGXCPU) else last_line(answer.get("err", ""))


def crash(answer: Mapping[str, Any]) -> str:
    """The class of a crash."""
    text = reason(answer)
    return CRASH + (": CUDA where there is none" if "CUDA" in text else ": " + _ADDRESS.sub("#", text)[:90])


def find_running(
    vector: Vector, migrated: Migrated, first: Mapping[str, Any], answer: Mapping[str, Any], original: Run, seen: Run
) -> Iterator[tuple[str, str]]:
    """What is wrong with a run: classes, each with a sentence. After a crash the rest says nothing."""
    if not seen.ok:
        yield crash(answer), reason(answer)
        return
    comparison = compare(original, seen)
    for text in comparison.reasons:
        yield "trains differently: " + text.split(":")[0].split(" differ ")[0].rstrip(" 0123456789"), text
    for finding in find_in_comparison(original, seen):
        if finding.error:
            yield f"run: {finding.kind}", finding.text
    # `xm.optimizer_step` with a closure reduces the gradients of the step before; the closure zeroes them.
    own = {"reduce-in-accumulation"} if vector["reach"] == "closure" else set()
    several = any(_LAUNCHED.search(text) for text in migrated.sources.values())
    rules = [rule for rule in ((REDUCE_MISSING, *RULES) if several else RULES) if rule.kind not in own]
    for finding in find_in_worker(seen.first, rules, several=several):
        if finding.error:
            yield f"run: {finding.kind}", finding.text
    yield from compare_printed(original.output, seen.output)
    yield from compare_files(first["files"], answer["files"])


def compare_printed(native: str, other: str) -> Iterator[tuple[str, str]]:
    """The lines that both print, in their order; a migrated program may print no fewer."""
    lines, printed = ([line for line in text.splitlines() if not _NOISE.match(line)] for text in (native, other))
    if sorted(map(template, lines)) != sorted(map(template, printed)):
        missing = [line for line in lines if lines.count(line) > printed.count(line)]
        kind = "lost" if len(printed) < len(lines) else "added" if len(printed) > len(lines) else "others"
        yield (
            f"printed lines: {kind}",
            f"{len(lines)} lines, {len(printed)} migrated; the first that differs: {missing[:1]}",
        )
        return
    by_template: dict[str, list[str]] = {}
    for line in printed:
        by_template.setdefault(template(line), []).append(line)
    for line in lines:
        theirs = by_template[template(line)].pop(0)
        figures = zip(NUMBER.findall(line), NUMBER.findall(theirs), strict=True)
        if not all(near(mine, another) for mine, another in figures):
            yield "printed values", f"{theirs!r} where the original prints {line!r}"
            return


def template(line: str) -> str:
    """A line without its numbers."""
    return NUMBER.sub("#", line)


def compare_files(native: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The checkpoints: the same files, with the same keys and the same sizes of tensors."""
    if set(native) != set(other):
        yield "checkpoints: other files", f"{sorted(native)}, {sorted(other)} migrated"
        return
    for name, tensors in native.items():
        if set(tensors) != set(other[name]):
            apart = sorted(set(tensors) ^ set(other[name]))
            yield "checkpoints: other keys", f"{name}: {apart[:3]}"
        elif any(abs(value - other[name][key]) > 1e-2 * max(1e-2, abs(value)) for key, value in tensors.items()):
            yield "checkpoints: other values", name
