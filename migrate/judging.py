"""The judge's word on migrations: which programs he is asked about, and how what he finds is said at its line.

The engine judges texts. Here stands what lies between it and whoever migrates: programs of several files and notebooks
go in, notes and certificates come out. Nothing of the engine is imported before a program is to be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from codemods.kit.rules import Note, Rule, Safety, Severity
from migrate.judged_text import Text, modern, parsed
from migrate.migration import Migration, Status
from migrate.notebooks.cells import is_notebook
from migrate.suppress import read_suppressions

if TYPE_CHECKING:
    from codemods.kit.targets import Target
    from migrate.engine.certificate import Certificate, Finding, LoopCertificate
    from migrate.engine.understood import Understood
    from migrate.registry import Selection

NAME = "verify"
"""What the judge's rules belong to, in the place of a codemod."""
_DOCUMENT = "docs/verify.md"
_FOLLOWED = "all that trains was followed"
VIOLATED = Rule(
    "TC971",
    "what the original's training does is not done by the result",
    Safety.NOTE,
    Severity.ERROR,
    "mend the line by hand; `tc-migrate verify` shows the calls that lead there",
    _DOCUMENT,
)
OPEN = Rule(
    "TC972",
    "not shown that the result trains as the original does",
    Safety.NOTE,
    Severity.WARNING,
    "read the line: it may well be right, but nothing shows it",
    _DOCUMENT,
)
COST = Rule("TC973", "costs time in each iteration", Safety.NOTE, Severity.INFO, "", _DOCUMENT)
COMPILED = Rule(
    "TC974",
    "compiles again and again, or one long graph",
    Safety.NOTE,
    Severity.WARNING,
    "keep shapes, slices and branches the same in each iteration, or mark inside of the loop",
    _DOCUMENT,
)
RULES = (VIOLATED, OPEN, COST, COMPILED)
Texts = Mapping[str, tuple[str, str]]
"""The files of a program by path: the original's text and the result's."""
_USES_XLA = re.compile(r"""(?:^|[;"]|\\n)[ \t]*(?:import|from)[ \t]+torch_xla\b""", re.MULTILINE)
_GRAVITY = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


def ask(migrations: Mapping[str, Migration], beside: Mapping[str, str] | None = None) -> Texts:
    """What to judge of a program's migrations; nothing of one that neither was migrated nor is on torch_xla already.

    Files that could not be migrated say so themselves: to the judge they are not there. `beside`: texts of files that
    have no part in training, and are run with it.
    """
    kept = {path: each for path, each in migrations.items() if each.status in (Status.MIGRATED, Status.UNCHANGED)}
    if not any(each.status is Status.MIGRATED or uses_xla(each.source) for each in kept.values()):
        return {}
    texts = {path: (each.source, each.result) for path, each in kept.items()}
    return {**texts, **{path: (text, text) for path, text in (beside or {}).items()}}


def uses_xla(text: str) -> bool:
    """Whether a script or notebook imports torch_xla."""
    return _USES_XLA.search(text) is not None


def wants(selection: Selection) -> bool:
    """Whether a migration by this selection is one to judge: of part of the edits no whole program comes."""
    whole = not selection.select and selection.safety is Safety.REVIEW
    return whole and any(selection.allows(rule, NAME) for rule in RULES)


def certify(texts: Texts, target: Target, *, understand: bool = False) -> Certificate:
    """Judge a program. One that was not changed is judged by itself. `understand`: tell what was understood, too."""
    changed = any(source != result for source, result in texts.values())
    before = {path: source for path, (source, _) in texts.items()} if changed else None
    certificate = judge_texts({path: result for path, (_, result) in texts.items()}, before, target)
    return replace(certificate, understood=_understood(before or {}, target)) if understand else certificate


def judge_texts(migrated: Mapping[str, str], original: Mapping[str, str] | None, target: Target) -> Certificate:
    """Judge the files of a program as they are on disk, notebooks too."""
    from migrate.pipeline import garbage_left

    with garbage_left():
        return _judge(migrated, original, target)


def _judge(migrated: Mapping[str, str], original: Mapping[str, str] | None, target: Target) -> Certificate:
    from migrate.engine.judge import judge

    every = {path: Text(path, text).code for path, text in migrated.items()}
    after = _without_what_is_off(every)
    if original is None:
        return judge(after, target=target)
    off = every.keys() - after.keys()
    before = {path: modern(Text(path, text).code) for path, text in original.items() if path not in off}
    return judge(after, before, target=target)


def _understood(original: Mapping[str, str], target: Target) -> Understood:
    from migrate.engine.originals import execute_original
    from migrate.engine.understanding import understood

    codes = {path: modern(Text(path, text).code) for path, text in original.items()}
    return understood(execute_original(codes, legacy=target.version < (2, 0)), codes)


def _without_what_is_off(codes: dict[str, str]) -> dict[str, str]:
    """A program without the scripts that a comment keeps out of it. What they share with others stays in it."""
    off = {path for path, code in codes.items() if read_suppressions(code).file_off}
    if not off:
        return codes
    from migrate.engine.correspondence import entries

    trees = {path: tree for path, code in codes.items() if (tree := parsed(code)) is not None}
    return {path: code for path, code in codes.items() if path not in off or path not in entries(trees)}


def unjudged(reason: str) -> Certificate:
    """The certificate of a program that the judge did not come to the end of."""
    from migrate.engine.certificate import Certificate, Finding, Standing

    return Certificate(findings=(Finding(_FOLLOWED, Standing.OPEN, "", 0, reason, hides=True),))


def judged(
    migrations: Mapping[str, Migration], target: Target, selection: Selection, beside: Mapping[str, str] | None = None
) -> dict[str, Migration]:
    """The migrations of a program, with its certificate when it is one to judge. `beside` as for `ask`."""
    texts = ask(migrations, beside) if wants(selection) else {}
    return attach(migrations, certify(texts, target), lambda path: selection) if texts else dict(migrations)


def attach(
    migrations: Mapping[str, Migration],
    certificate: Certificate,
    select: Callable[[str], Selection],
    names: Mapping[str, str] | None = None,
) -> dict[str, Migration]:
    """A program's migrations with their certificate, and with notes on what it finds.

    `select`: which notes are wanted, by path. `names`: what files are called in what is said, in place of their paths.
    """
    shown = Shown(migrations, names or {})
    told = shown.certificate(certificate)
    first = next(iter(migrations))
    found: dict[str, Migration] = {}
    for path, migration in migrations.items():
        mine = [one for one in certificate.findings if (one.path if one.path in migrations else first) == path]
        notes = list(_notes(shown, path, mine, certificate, select(path))) if mine else []
        both = tuple(sorted((*migration.notes, *notes), key=_order)) if notes else migration.notes
        found[path] = replace(migration, notes=both, certificate=told)
    return found


class Shown:
    """Where in a program's files something is, as its user sees them."""

    def __init__(self, migrations: Mapping[str, Migration], names: Mapping[str, str]) -> None:
        self.migrations, self._names = migrations, names
        self._texts: dict[tuple[str, bool], Text] = {}

    def text(self, path: str, *, original: bool = False) -> Text:
        """A file as the judge has read it."""
        known = self._texts.get((path, original))
        if known is None:
            each = self.migrations[path]
            known = self._texts[path, original] = Text(path, each.source if original else each.result)
        return known

    def where(self, spot: str) -> str:
        """`path:line` of a result, with the file's name; of a notebook `name:cell 3 [In 7]:2`."""
        path, _, line = spot.rpartition(":")
        place = self.text(path).place(int(line)) if path in self.migrations else None
        return f"{self._names.get(path, path)}:{place or line}"

    def line(self, spot: str) -> str:
        """The line that stands at `path:line` of a result; empty where nothing does."""
        path, _, line = spot.rpartition(":")
        lines = self.text(path).code.splitlines() if path in self.migrations else []
        return lines[int(line) - 1].strip() if lines and 0 < int(line) <= len(lines) else ""

    def certificate(self, certificate: Certificate) -> Certificate:
        """A certificate with names for paths, and in notebooks with lines of the file."""
        if not self._names and not any(map(is_notebook, self.migrations)):
            return certificate
        where = self.where
        findings = tuple(
            replace(one, **self._moved(one), cause=one.cause and where(one.cause), chain=tuple(map(where, one.chain)))
            for one in certificate.findings
        )
        loops = tuple(replace(one, **self._moved(one)) for one in certificate.loops)
        followed = tuple(self._names.get(path, path) for path in certificate.followed)
        told = certificate.understood.moved(self._name, self._source_line) if certificate.understood else None
        return replace(certificate, findings=findings, loops=loops, followed=followed, understood=told)

    def _name(self, path: str) -> str:
        return self._names.get(path, path)

    def _source_line(self, path: str, line: int) -> int:
        return self.text(path, original=True).line(line) if path in self.migrations else line

    def _moved(self, one: Finding | LoopCertificate) -> dict[str, Any]:
        if one.path not in self.migrations:
            return {"path": self._names.get(one.path, one.path)}
        line, source = self.text(one.path).line(one.line), self.text(one.path, original=True).line(one.source_line)
        return {"path": self._names.get(one.path, one.path), "line": line, "source_line": source}


def _notes(
    shown: Shown, path: str, findings: Iterable[Finding], certificate: Certificate, selection: Selection
) -> Iterator[Note]:
    """What is found in a file, but for what its migration says of the same line already."""
    migration, text = shown.migrations[path], shown.text(path, original=True)
    suppressions = read_suppressions(text.code)
    is_itself = migration.result == migration.source
    said: dict[int, Severity] = {}
    for note in migration.notes:
        said[note.line] = max(said.get(note.line, note.severity), note.severity, key=_GRAVITY.__getitem__)
    for one in sorted(findings, key=lambda one: (-_GRAVITY[_severity(one, certificate)], _rule(one) is not VIOLATED)):
        rule, severity = _rule(one), _severity(one, certificate)
        mine = one.path == path
        inside = max(1, one.source_line or (one.line if is_itself else 1)) if mine else 1
        line = text.line(inside)
        known = said.get(line)
        if not selection.allows(rule, NAME) or suppressions.covers(rule.id, inside):
            continue
        if known is not None and _GRAVITY[known] >= _GRAVITY[severity]:
            continue
        said[line] = severity
        evidence: tuple[str, ...] = (f"not shown: {one.obligation}" if rule is OPEN else one.obligation,)
        evidence += (f"made at {shown.where(one.cause)} of the result",) if one.cause else ()
        evidence += (f"reached by {', '.join(map(shown.where, one.chain))} of the result",) if one.chain else ()
        words = one.noted or one.message
        message = words if mine or not one.path else f"{shown.where(f'{one.path}:{one.line}')}: {words}"
        yield Note(rule.id, line, severity, message, rule.advice, rule.document, NAME, evidence, text.place(inside))


def _rule(finding: Finding) -> Rule:
    from codemods.kit.meaning.record import COMPILED as RECOMPILED
    from migrate.engine.certificate import Standing

    cost = COMPILED if finding.obligation == RECOMPILED else COST
    return {Standing.VIOLATED: VIOLATED, Standing.OPEN: OPEN}.get(finding.standing, cost)


def _severity(finding: Finding, certificate: Certificate) -> Severity:
    """That of its rule; what is not shown of a loop that trains is grave, and so is what may hide such a loop. That the
    judge did not follow something, or saw nothing of it, claims nothing of the program."""
    rule = _rule(finding)
    followed = finding.obligation != _FOLLOWED and not finding.message.startswith("not shown that")
    trains = followed and any(
        one.trains and one.path == finding.path and (finding.obligation, finding.standing) in one.obligations
        for one in certificate.loops
    )
    return Severity.ERROR if rule is OPEN and (trains or finding.hides) else rule.severity


def _order(note: Note) -> tuple[int, int, int, str]:
    place = note.place
    return (place.cell if place else 0, place.line if place else 0, note.line, note.rule)
