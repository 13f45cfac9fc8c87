"""The text of a pull request: what it does, what needs a person's eyes, how to try it, how to be rid of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from codemods.kit.rules import Safety
from codemods.kit.targets import Launcher, Target
from migrate.bot.origin import Origin, shown, shown_place
from migrate.bot.refused import EDIT, Known
from migrate.bot.sections import Section, compose
from migrate.bot.telling import telling_edits
from migrate.engine.certificate import Standing
from migrate.findings import MANUAL, Effort, Finding, findings
from migrate.migration import Migration, Status
from migrate.registry import rules
from migrate.render.certificates import Certificates, gravest_first, loop_rows
from migrate.render.markdown import clip, code, escape, prose, tame
from migrate.render.report import closing_line
from migrate.render.tally import Tally
from migrate.render.understood import where as places

ROWS = 200
"""Rows of a table: who reads more than that reads the diff."""
_LONGEST_MESSAGE, _MOST_OPEN, _MOST_PARTS = 400, 20, 20
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
| `/tc-migrate rebase` | make the branch anew on its base; asks before it drops commits of yours |
| `/tc-migrate suggest` | suggest the edits as a review, in a pull request of yours |
| `/tc-migrate explain RULE` | what a rule does and why |
| `/tc-migrate drop RULE`, `drop PATH` or `drop PATH:LINE` | leave a rule, a file or one edit out here |
| `/tc-migrate close` | close this and delete its branch |
| `/tc-migrate help` | this list |
"""
_OPT_OUT = """\
### Yours to change, or not wanted?

- Once you push a commit of your own to the branch, it is yours: it is not touched any more.
- Close it: its edits are not proposed again, each by itself; what is new is.
- `enabled: false` in `.github/tc-migrate.yml` ends all proposals.
- `# tc-migrate: off` in a script ends those for that script.
"""


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
    refused: Known = field(default_factory=dict)
    """What is known of edits that were proposed before."""
    held: str = ""
    """What is said of those that are held back, in Markdown. The migrations are without them already."""


def write_body(migrations: Mapping[str, Migration], proposal: Proposal, largest: int) -> str:
    """All of it but the marker, in no more than `largest` characters."""
    sections = [
        Section(_summary(migrations, proposal)),
        _understood(migrations, proposal.origin),
        _shown_of(migrations, proposal.origin),
        _not_shown(migrations, proposal.origin),
        telling_edits(migrations, proposal.origin),
        _decisions(migrations, proposal.origin),
        Section("### Evidence\n", "\n", [tame(proof) + "\n" for proof in proposal.evidence]),
        Section(_trial(migrations, proposal.target)),
        *([Section(COMMANDS)] if proposal.answers else []),
        Section(_OPT_OUT),
        *([Section(_left_out(proposal.left_out))] if proposal.left_out else []),
        *([Section(f"### Held back\n\n{proposal.held}")] if proposal.held else []),
        _files(migrations),
        _rules(migrations),
        _left(migrations, proposal.skipped),
    ]
    return compose([section for section in sections if section.rows or not section.head], largest)


def _summary(migrations: Mapping[str, Migration], proposal: Proposal) -> str:
    tally = Tally()
    for migration in migrations.values():
        tally.add(migration)
    version, is_sagemaker = ".".join(map(str, proposal.target.version)), proposal.target.launcher is Launcher.SAGEMAKER
    where = "under the SageMaker Training Compiler" if is_sagemaker else "on TPUs and whatever else PyTorch/XLA runs on"
    ran = "the scripts named under Evidence were run" if proposal.evidence else "nothing of this repository was run"
    places = {effort: tally.efforts[effort] for effort in (Effort.AUTOMATIC, Effort.REVIEW, *MANUAL)}
    by_hand = places[Effort.CHANGE] + places[Effort.REDESIGN]
    shares = (
        f"Of {sum(places.values())} places that concern CUDA {places[Effort.AUTOMATIC]} are edited and do what they "
        f"did, {places[Effort.REVIEW]} are edited and to be read, {places[Effort.CHECK]} are to be looked at, "
        f"{by_hand} are left to change by hand."
    )
    return (
        f"With this, {_subject(migrations)} can train {where}: torch_xla {version} (`{proposal.target.name}`)."
        f"{f' {shares}' if any(places.values()) else ''}\n\n"
        f"**{closing_line(tally.counts)}**\n\nThe edits were found by reading the source; {ran}.\n"
    )


def _subject(migrations: Mapping[str, Migration]) -> str:
    done = [path for path, each in sorted(migrations.items()) if each.status is Status.MIGRATED]
    if not done:
        return "the training scripts"
    first = next((path for path in done if "__main__" in migrations[path].source), done[0])
    more = len(done) - 1
    return code(shown(first)) + (f" with {more} more file{'s' * (more != 1)}" if more else "")


def _decisions(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    found = [(path, finding) for path, finding in _findings(migrations) if finding.effort in _GRAVEST_FIRST]
    found.sort(key=lambda each: _GRAVEST_FIRST.index(each[1].effort))
    rows = [_decision(path, finding, origin) for path, finding in found[:ROWS]]
    return Section("### What a person decides\n", "\n", rows, len(found))


def _decision(path: str, finding: Finding, origin: Origin) -> str:
    why = prose(clip(finding.message, _LONGEST_MESSAGE))
    advice = f" {prose(clip(finding.advice, _LONGEST_MESSAGE))}" if finding.advice else ""
    return f"- [ ] {shown_place(path, finding, origin)} {_WORDS[finding.effort]} ({finding.rule}): {why}{advice}\n"


def _understood(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    """Each script that runs and each loop, with all that is known of it."""
    found = [one.understood for one in Certificates(each for _, each in sorted(migrations.items())).telling]
    parts = [part for one in found if one is not None for part in one.parts]
    rows = []
    for part in parts:
        line = part.line or 1
        where = f"[{code(shown(part.path) + (f':{line}' if part.line else ''))}]({origin.link(part.path, line)})"
        told = [
            f"  - {fact.name}: {escape(clip(fact.text, _LONGEST_MESSAGE) + places(fact, part.path))}\n"
            for fact in part.facts
        ]
        rows.append(f"- {part.kind} {where}{f' {code(part.text)}' if part.text else ''}\n{''.join(told)}")
    return Section("### What was understood\n", "\n", rows[:_MOST_PARTS], len(rows))


def _shown_of(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    """What was shown of the loops of each program, at their lines in the original."""
    certificates = Certificates(migration for _, migration in sorted(migrations.items()))
    rows = []
    for loop, kind, standing, rest in loop_rows(certificates.telling):
        line = loop.source_line or loop.line
        where = f"[{code(f'{shown(loop.path)}:{line}')}]({origin.link(loop.path, line)})"
        held = f"{sum(one is Standing.SHOWN for _, one in loop.obligations)} of {len(loop.obligations)} shown"
        said = f"{held}. {rest}" if rest else held
        rows.append(f"| {where} | {kind} | {standing} | {escape(clip(said, _LONGEST_MESSAGE))} |\n")
    head = (
        "\nThe result was executed abstractly, each process and each branch of it, and compared with the original.\n"
        f"{escape(certificates.line)}\n\n| loop | kind | standing | obligations |\n|---|---|---|---|\n"
    )
    return Section("### What was shown\n", head, rows[:ROWS], len(rows))


def _not_shown(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    """Each obligation that is not simply shown, at its line in the original."""
    certificates = Certificates(migration for _, migration in sorted(migrations.items()))
    found = gravest_first(finding for one in certificates.telling for finding in one.findings)
    rows = []
    for each in found[:_MOST_OPEN]:
        line = each.source_line or each.line
        where = f"[{code(f'{shown(each.path)}:{line}')}]({origin.link(each.path, line)}) " if each.path and line else ""
        rows.append(f"- {where}{each.standing.value}: {prose(clip(each.message, _LONGEST_MESSAGE))}\n")
    return Section("### What was not simply shown\n", "\n", rows, len(found))


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
    return f"| {code(shown(path))} | {cells[0]} | {cells[1]} |\n"


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
        f"- {code(shown(path))} {escape(clip(reason, _LONGEST_MESSAGE))}\n" for path, reason in sorted(reasons)[:ROWS]
    ]
    return Section("### Files left as they are\n", "\n", rows, len(reasons))


def _left_out(words: Sequence[str]) -> str:
    """Visible, so that it is no surprise for somebody else."""
    edits = sum(word.startswith(EDIT) for word in words)
    named = [code(word) for word in words if not word.startswith(EDIT)]
    named += [f"{edits} edit{'s' * (edits != 1)} by {'themselves' if edits != 1 else 'itself'}"] if edits else []
    return (
        f"### Left out on request\n\n{', '.join(named)}\n\n"
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
