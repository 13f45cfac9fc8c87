"""What a proof is made of, and what it says: pure values, judged without running anything.

The verdict of a proof is its worst pair's. A divergence counts for more than a run that is missing: it is known to be
wrong, where the other is only not known to be right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from codemods.kit.rules import Note, Severity
from migrate.migration import Migration, Status
from migrate.smoke.compare import Comparison, same_on_all_ranks
from migrate.smoke.findings import Finding
from migrate.smoke.record import Ending, Run
from migrate.smoke.steadiness import Steadiness

NO_ORIGINAL = "there is no original to compare with"


class Verdict(Enum):
    """What came of a proof."""

    PROVED = "proved"
    """It runs and trains the same, and nothing that was seen needs a person."""
    TROUBLE = "trouble"
    """It trains the same in these steps, but a finding or a note says what will not do on XLA."""
    DIVERGED = "diverged"
    """It runs, and it is another training."""
    UNPROVED = "not proved"
    """Nothing differs, but too little could be compared to say so."""
    COULD_NOT_RUN = "could not run"
    """One of the two did not run, so there is nothing to compare; or there was nothing to run."""

    @property
    def exit_code(self) -> int:
        """0 proved, 1 diverged, trouble or not proved, 2 could not run."""
        return {Verdict.PROVED: 0, Verdict.COULD_NOT_RUN: 2}.get(self, 1)


@dataclass(frozen=True)
class Pair:
    """An original and its migrated twin, run alike."""

    workers: int
    """Training processes of the migrated script."""
    backend: str
    """What served torch_xla, as a sentence."""
    original: Run | None
    """None where there is no original."""
    migrated: Run
    comparison: Comparison | None
    """None unless both ran."""
    findings: tuple[Finding, ...] = ()
    ranks_only: bool = False
    """The original is one process by nature, which trains on other batches than several do: the processes of the
    migrated script have only to agree with each other."""
    steadiness: Steadiness = field(default_factory=Steadiness)
    """What two undisturbed runs of the original showed."""
    settled: str = ""
    """What float64 settled, where float32 could not tell, or why it could not either."""
    resume: str = ""
    """What came of going on from a checkpoint, a sentence; empty where that was not asked."""
    alone: str = ""
    """Why there is no pair of several processes although the script is made for them."""
    cut: str = ""
    """Why only the first steps were compared: the time of a run was over."""

    @property
    def verdict(self) -> Verdict:
        """What this pair shows."""
        if self.migrated.ending is Ending.APART:
            return Verdict.DIVERGED
        if self.ranks_only and self.migrated.ok:
            apart = Verdict.DIVERGED if same_on_all_ranks(self.migrated) else self.found
            return Verdict.UNPROVED if self.lacks else apart
        ran = self.cut or (self.original is not None and self.original.ok and self.migrated.ok)
        if self.comparison is None or self.original is None or not ran:
            return Verdict.COULD_NOT_RUN
        # A native run that was ended measured no noise: a late difference may be rounding then.
        measured = not self.cut or self.comparison.tolerance.noise is not None or self.comparison.plain
        if not self.comparison.same and measured:
            return Verdict.DIVERGED
        return Verdict.UNPROVED if self.lacks else self.found

    @property
    def lacks(self) -> tuple[str, ...]:
        """Why what was compared proves nothing."""
        if self.ranks_only:
            return () if self.migrated.first.parameters else ("nothing was compared: no optimizer holds parameters",)
        cut = (self.cut,) if self.cut else ()
        return (*cut, *self.steadiness.lacks, *self.comparison.evidence.lacks) if self.comparison is not None else ()

    @property
    def doubtful(self) -> bool:
        """Whether float32 cannot tell if it is the same training."""
        return self.comparison is not None and self.comparison.doubtful and not self.ranks_only and not self.cut

    @property
    def found(self) -> Verdict:
        """What the findings alone say."""
        return Verdict.TROUBLE if any(finding.error for finding in self.findings) else Verdict.PROVED

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not proved, one sentence each."""
        where = f" ({self.workers} processes)" if self.workers > 1 else ""
        if self.verdict is Verdict.COULD_NOT_RUN:
            failed = tuple(f"{name} {tell_end(run)}{where}" for name, run in self.failures)
            return failed or (NO_ORIGINAL,)
        if self.migrated.ending is Ending.APART:
            return (f"{self.migrated.reason}{where}",)
        if self.verdict is Verdict.DIVERGED:
            reasons = list(self.comparison.reasons if self.comparison else same_on_all_ranks(self.migrated))
            step = self.comparison.divergent_step if self.comparison else None
            # What came first is nearest to the cause.
            reasons.sort(key=lambda reason: f" step {step}:" not in reason)
            return tuple(f"{reason}{where}" for reason in reasons)
        lacks = self.lacks if self.verdict is Verdict.UNPROVED else ()
        found = (finding.text for finding in self.findings if finding.error)
        return tuple(f"{reason}{where}" for reason in (*lacks, *found))

    @property
    def failures(self) -> tuple[tuple[str, Run], ...]:
        """The runs that are of no use, each with its name; one for both when they failed alike."""
        failed = [(name, run) for name, run in self.runs if not run.ok]
        if len({tell_end(run) for _, run in failed}) == 1 and len(failed) == 2:
            return (("the original and the migrated script", failed[0][1]),)
        return tuple(failed)

    @property
    def runs(self) -> tuple[tuple[str, Run], ...]:
        """The runs, each with its name in a sentence."""
        migrated = ("the migrated script", self.migrated)
        return (migrated,) if self.original is None else (("the original", self.original), migrated)


@dataclass(frozen=True)
class Proof:
    """Everything that one call of `prove` found out."""

    script: str
    """The original, as the user named it."""
    target: str
    migration: Migration | None
    """None when the user migrated by hand."""
    steps: int
    """Optimizer steps that were asked for."""
    pairs: tuple[Pair, ...] = ()
    """One process first; then, for a script that starts several, as many as were asked for."""
    strict: bool = False
    """Whether both sides computed in float64."""
    fake_data: bool = False
    reason: str = ""
    """Why nothing was run, in one sentence."""
    modules: tuple[Migration, ...] = ()
    """The user's own modules that the script imports and that were migrated with it."""
    migrated_before: bool = False
    """Whether the script is a migrated one already, so that there is no original."""

    @property
    def verdict(self) -> Verdict:
        """What is to be said first."""
        verdicts = {pair.verdict for pair in self.pairs}
        for worst in (Verdict.DIVERGED, Verdict.COULD_NOT_RUN, Verdict.UNPROVED, Verdict.TROUBLE):
            if worst in verdicts:
                return worst
        if not self.pairs:
            return Verdict.COULD_NOT_RUN
        return Verdict.TROUBLE if self.error_notes else Verdict.PROVED

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not proved, the verdict's own reasons first."""
        pairs = sorted(self.pairs, key=lambda pair: pair.verdict is not self.verdict)
        notes = [f"{path}:{note.line}: {note.rule}: {note.message}" for path, note in self.error_notes]
        found = [reason for pair in pairs for reason in pair.reasons]
        if self.reason:
            found = [reason for reason in found if reason != NO_ORIGINAL]
        return tuple(dict.fromkeys([*([self.reason] if self.reason else []), *found, *notes]))

    @property
    def error_notes(self) -> tuple[tuple[str, Note], ...]:
        """What the migration itself says will not run or not train the same until a person acts, each with its file."""
        migrations = (self.migration, *self.modules) if self.migration is not None else ()
        notes = ((migration.path, note) for migration in migrations for note in migration.notes)
        return tuple((path, note) for path, note in notes if note.severity is Severity.ERROR)

    @property
    def name(self) -> str:
        """The script's own name, without folders."""
        return Path(self.script).name


def tell_end(run: Run) -> str:
    """How a run that is of no use ended, to follow its name: "failed: exit status 1"."""
    return f"{run.ending.value}: {run.reason}" if run.reason else run.ending.value


def why_not_run(migration: Migration, migrated_before: bool) -> str:
    """Why a migration leaves nothing to compare, in one sentence; empty when it changed the script."""
    if migration.status is Status.MIGRATED:
        return ""
    if migration.status is Status.REFUSED:
        return f"the script was not migrated: {migration.reason}"
    if migration.status in (Status.SKIPPED, Status.FAILED):
        return f"the script could not be migrated: {migration.reason}"
    if migrated_before:
        return "the script is migrated already; name what it was migrated from with --original"
    return f"there is nothing to migrate{f': {migration.reason}' if migration.reason else ''}"
