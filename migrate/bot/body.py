"""The text of a pull request: what it does, what needs a person's eyes, how to try it, how to be rid of it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from codemods.kit.rules import Safety
from codemods.kit.targets import Launcher, Target
from migrate.bot.sections import Section, compose
from migrate.findings import Effort, Finding, findings
from migrate.migration import Migration, Status
from migrate.registry import rules
from migrate.render.certificates import Certificates, loop_rows
from migrate.render.markdown import clip, code, escape, prose, tame
from migrate.render.report import closing_line
from migrate.render.tally import Tally

ROWS = 200
"""Rows of a table: who reads more than that reads the diff."""
_LONGEST_NAME, _LONGEST_MESSAGE = 120, 400
_GRAVEST_FIRST = (Effort.REDESIGN, Effort.CHANGE, Effort.CHECK, Effort.REVIEW)
_WORDS = {
    Effort.REDESIGN: "design anew",
    Effort.CHANGE: "change by hand",
    Effort.CHECK: "check",
    Effort.REVIEW: "review the edit",
}
_TYPED = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,100}\.py")
"""A path that may stand in a command without a thought about the shell."""
COMMANDS = """\
### Commands

In a comment, by who may write to this repository:

| comment | what it does |
|---|---|
| `/tc-migrate run` | migrate again, even if this was closed before |
| `/tc-migrate check` | only say what would be done |
| `/tc-migrate rebase` | make the branch anew on its base; commits of yours on it are dropped |
| `/tc-migrate suggest` | suggest the edits as a review, in a pull request of yours |
| `/tc-migrate explain RULE` | what a rule does and why |
| `/tc-migrate ignore RULE` or `PATH` | leave it out here |
| `/tc-migrate close` | close this and delete its branch |
| `/tc-migrate help` | this list |
"""
_OPT_OUT = """\
### Yours to change, or not wanted?

- Once you push a commit of your own to the branch, it is yours: it is not touched any more.
- Close it: the same edits are not proposed again.
- `enabled: false` in `.github/tc-migrate.yml` ends all proposals.
- `# tc-migrate: off` in a script ends those for that script.
"""


@dataclass(frozen=True)
class Origin:
    """What is migrated: a commit of a repository on a forge."""

    repository: str
    """`owner/name`."""
    commit: str
    web: str = "https://github.com"
    """Where people read it, without a slash at the end."""

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot stand in an address."""
        named = re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository, re.ASCII)
        if not (named and re.fullmatch(r"[0-9a-f]{40}", self.commit) and re.fullmatch(r"https?://[\w.:-]+", self.web)):
            raise ValueError(f"no address of a commit can be made of {self!r}")

    def link(self, path: str, line: int) -> str:
        """The address of a line of a file as it is in the commit."""
        name = quote(os.fsencode(path.encode("utf-8", "surrogateescape")), safe="/")
        return f"{self.web}/{self.repository}/blob/{self.commit}/{name}?plain=1#L{line}"


@dataclass(frozen=True)
class Proposal:
    """What is migrated, for what, and what is known beyond the migrations."""

    origin: Origin
    target: Target
    version: str
    """Of tc-migrate."""
    evidence: Sequence[str] = ()
    """Proofs by a smoke run, in Markdown."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """By path, why a script was not read."""
    answers: bool = True
    """Whether a bot reads the comments, so that its commands are listed."""
    left_out: Sequence[str] = ()
    """Rules and paths that somebody has asked to leave out. The migrations are without them already."""


def write_body(migrations: Mapping[str, Migration], proposal: Proposal, largest: int) -> str:
    """All of it but the marker, in no more than `largest` characters."""
    sections = [
        Section(_summary(migrations, proposal)),
        _needs_eyes(migrations, proposal.origin),
        _shown_of(migrations, proposal.origin),
        _files(migrations),
        _rules(migrations),
        _left(migrations, proposal.skipped),
        *([Section(_left_out(proposal.left_out))] if proposal.left_out else []),
        Section("### Evidence\n", "\n", [tame(proof) + "\n" for proof in proposal.evidence]),
        Section(_trial(migrations, proposal.target)),
        *([Section(COMMANDS)] if proposal.answers else []),
        Section(_OPT_OUT),
    ]
    return compose([section for section in sections if section.rows or not section.head], largest)


def _summary(migrations: Mapping[str, Migration], proposal: Proposal) -> str:
    tally = Tally()
    for migration in migrations.values():
        tally.add(migration)
    version = ".".join(map(str, proposal.target.version))
    is_sagemaker = proposal.target.launcher is Launcher.SAGEMAKER
    name = (
        f"{'the SageMaker Training Compiler, ' if is_sagemaker else ''}torch_xla {version} (`{proposal.target.name}`)"
    )
    ran = "the scripts named under Evidence were run" if proposal.evidence else "nothing of this repository was run"
    automatic, review, manual = tally.shares.percents
    shares = (
        f"Of the places that concern CUDA {automatic}% are edited and do what they did, {review}% are edited and to be "
        f"read, {manual}% are left to do by hand. "
    )
    return (
        f"This moves the training scripts from CUDA to PyTorch/XLA, for {name}.\n\n"
        f"**{closing_line(tally.counts)}**\n\n"
        f"{shares if automatic + review + manual else ''}The edits were found by reading the source; {ran}.\n"
    )


def _needs_eyes(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    found = [(path, finding) for path, finding in _findings(migrations) if finding.effort in _GRAVEST_FIRST]
    found.sort(key=lambda each: _GRAVEST_FIRST.index(each[1].effort))
    rows = [_row_of(path, finding, origin) for path, finding in found[:ROWS]]
    return Section(
        "### What needs your eyes\n", "\n| where | what to do | rule | why |\n|---|---|---|---|\n", rows, len(found)
    )


def _row_of(path: str, finding: Finding, origin: Origin) -> str:
    where = f"[{code(_shown(path) + ':' + finding.where)}]({origin.link(path, finding.line)})"
    why = prose(clip(finding.message, _LONGEST_MESSAGE))
    advice = f"<br>{prose(clip(finding.advice, _LONGEST_MESSAGE))}" if finding.advice else ""
    return f"| {where} | {_WORDS[finding.effort]} | {finding.rule} | {why}{advice} |\n"


def _shown_of(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    """What was shown of the loops of each program, at their lines in the original."""
    certificates = Certificates(migration for _, migration in sorted(migrations.items()))
    rows = []
    for loop, kind, standing, rest in loop_rows(certificates.telling):
        line = loop.source_line or loop.line
        where = f"[{code(f'{_shown(loop.path)}:{line}')}]({origin.link(loop.path, line)})"
        rows.append(f"| {where} | {kind} | {standing} | {escape(clip(rest, _LONGEST_MESSAGE))} |\n")
    head = (
        "\nThe result was executed abstractly, each process and each branch of it, and compared with the original.\n"
        f"{escape(certificates.line)}\n\n| loop | kind | standing | not simply shown |\n|---|---|---|---|\n"
    )
    return Section("### What was shown\n", head, rows[:ROWS], len(rows))


def _files(migrations: Mapping[str, Migration]) -> Section:
    head = "\n| file | does what it did (`exact`) | to be read (`review`) |\n|---|---|---|\n"
    done = {path: each for path, each in sorted(migrations.items()) if each.status is Status.MIGRATED}
    rows = [_row_of_file(path, migration) for path, migration in list(done.items())[:ROWS]]
    return Section("### What was edited\n", head, rows, len(done))


def _row_of_file(path: str, migration: Migration) -> str:
    cells = []
    for safety in (Safety.EXACT, Safety.REVIEW):
        counts = Counter(finding.rule for finding in findings(migration) if finding.kind == safety.value)
        cells.append(", ".join(f"{rule} x{count}" if count > 1 else rule for rule, count in sorted(counts.items())))
    return f"| {code(_shown(path))} | {cells[0]} | {cells[1]} |\n"


def _rules(migrations: Mapping[str, Migration]) -> Section:
    counts = Counter(finding.rule for _, finding in _findings(migrations) if finding.edited)
    known = rules()
    summaries = {rule: known[rule][0].summary if rule in known else "" for rule in counts}
    rows = [f"| {rule} | {count} | {prose(summaries[rule])} |\n" for rule, count in sorted(counts.items())]
    return Section("### What the rules do\n", "\n| rule | edits | what it does |\n|---|---:|---|\n", rows)


def _left(migrations: Mapping[str, Migration], skipped: Mapping[str, str]) -> Section:
    reasons = [(path, f"{each.status.value}: {each.reason}") for path, each in migrations.items() if each.reason]
    reasons += [(path, f"not read: {reason}") for path, reason in skipped.items()]
    rows = [
        f"- {code(_shown(path))} {escape(clip(reason, _LONGEST_MESSAGE))}\n" for path, reason in sorted(reasons)[:ROWS]
    ]
    return Section("### Files left as they are\n", "\n", rows, len(reasons))


def _left_out(words: Sequence[str]) -> str:
    """Visible, so that it is no surprise for somebody else."""
    return (
        f"### Left out on request\n\n{', '.join(map(code, words))}\n\n"
        "To have one of them back, take it out of the first line of this text, which only shows when it is edited, and "
        "comment `/tc-migrate run`. What is to be left out for ever belongs in `.github/tc-migrate.yml`.\n"
    )


def _trial(migrations: Mapping[str, Migration], target: Target) -> str:
    script = next(_scripts(migrations), "SCRIPT.py")
    return (
        "### Try it before you merge\n\n"
        "In a checkout of the base branch. It runs the script as it is and as it is here, for a few steps each, and "
        "says whether they are the same training; no accelerator is needed.\n\n"
        f"```\npip install tc-migrate\ntc-migrate smoke {script} --target {target.name}\n```\n"
    )


def _scripts(migrations: Mapping[str, Migration]) -> Iterator[str]:
    """The migrated scripts that can be named in a command, those that are run by themselves first."""
    named = [
        path
        for path, each in sorted(migrations.items())
        if each.status is Status.MIGRATED and _TYPED.fullmatch(path) and ".." not in path
    ]
    yield from (path for path in named if "__main__" in migrations[path].source)
    yield from named


def _findings(migrations: Mapping[str, Migration]) -> Iterable[tuple[str, Finding]]:
    return ((path, finding) for path, each in sorted(migrations.items()) for finding in findings(each))


def _shown(path: str) -> str:
    return path if len(path) <= _LONGEST_NAME else "…" + path[1 - _LONGEST_NAME :]
