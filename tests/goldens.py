"""The golden files: `x.py` is the source, `x.smtc.py` and `x.xla.py` what it becomes, `x.notes` what is said.

A missing output means the source must come back unchanged for that target. Under `golden/<codemod>/` that codemod runs
alone; under `golden/scripts/`, `golden/shapes/` and `golden/pitfalls/` all of them run, as for a user. A folder of
`golden/projects/` is one project: its files are linked. Of both, `x.certificate` and a project's `certificate` are what
the judge says of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from codemods.kit.links import ALONE, Links
from codemods.kit.rules import Note
from codemods.kit.targets import Target
from migrate.engine.certificate import Certificate
from migrate.judging import ask, certify
from migrate.linking import Linked
from migrate.migration import Migration
from migrate.pipeline import migrate
from migrate.project import link, migrate_project
from migrate.registry import ALL, Selection, codemods
from migrate.render.certificates import kind_of, not_shown

ROOT = Path(__file__).parent.parent / "golden"
TARGETS = {"smtc": Target.parse("smtc"), "xla": Target.parse("torch-xla==2.9")}


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Case:
    """One golden source."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.relative_to(ROOT).with_suffix("").as_posix()

    @property
    def source(self) -> str:
        return read_text(self.path)

    @property
    def alone(self) -> Selection:
        """The codemod the folder is named for, or all."""
        folder = self.path.relative_to(ROOT).parts[0]
        names = {codemod.name() for codemod in codemods()}
        return Selection(select=frozenset({folder})) if folder in names else ALL

    def output(self, target: str) -> Path:
        return self.path.with_suffix(f".{target}.py")

    @property
    def notes(self) -> Path:
        return self.path.with_suffix(".notes")

    def expected(self, target: str) -> str:
        output = self.output(target)
        return read_text(output) if output.exists() else self.source

    @property
    def project(self) -> Path | None:
        """The folder of the project it is a file of."""
        parts = self.path.relative_to(ROOT).parts
        return ROOT / parts[0] / parts[1] if parts[0] == "projects" else None

    def migrated(self, target: str) -> Migration:
        return _migrated(self, target)

    def links(self, layout: Callable[[str], str] = _as_it_is) -> Links:
        """What the other files of its project say about it, all of them in a layout of theirs."""
        if self.project is None:
            return ALONE
        return _linked(self.project, layout).links(self.path.relative_to(self.project).as_posix())

    def again(self, target: str) -> Migration:
        """Its output, migrated once more."""
        first = self.migrated(target).result
        if self.project is None:
            return migrate(first, target=TARGETS[target], select=self.alone)
        name = self.path.relative_to(self.project).as_posix()
        return migrate(first, target=TARGETS[target], links=_linked_again(self.project, target).links(name))


@cache
def _migrated(case: Case, target: str) -> Migration:
    if case.project is not None:
        return migrated_project(case.project, target)[case.path.relative_to(case.project).as_posix()]
    return migrate(case.source, path=case.path.name, target=TARGETS[target], select=case.alone)


@cache
def project_sources(folder: Path) -> dict[str, str]:
    """The files of a golden project, by path relative to its folder."""
    return {case.path.relative_to(folder).as_posix(): case.source for case in cases(str(folder.relative_to(ROOT)))}


def project_outputs(folder: Path, target: str) -> dict[str, str]:
    """What its files become, as it is written down, by path relative to its folder."""
    found = cases(str(folder.relative_to(ROOT)))
    return {case.path.relative_to(folder).as_posix(): case.expected(target) for case in found}


@cache
def _linked(folder: Path, layout: Callable[[str], str]) -> Linked:
    return link({path: layout(text) for path, text in project_sources(folder).items()})


@cache
def _linked_again(folder: Path, target: str) -> Linked:
    return link({path: migration.result for path, migration in migrated_project(folder, target).items()})


@cache
def migrated_project(folder: Path, target: str) -> dict[str, Migration]:
    """Every file of a golden project, migrated, by path relative to its folder."""
    return dict(migrate_project(project_sources(folder), target=TARGETS[target]))


def parses(text: str) -> bool:
    """Whether a text is Python of today."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def read_text(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:  # line ends as they are
        return file.read()


def write_text(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)


def cases(folder: str = "") -> list[Case]:
    """Every golden source, or those under one folder."""
    found = [path for path in (ROOT / folder).rglob("*.py") if not is_output(path)]
    return [Case(path) for path in sorted(found)]


def is_output(path: Path) -> bool:
    return path.name.endswith(tuple(f".{target}.py" for target in TARGETS))


def notes_text(case: Case) -> str:
    """The `.notes` file a case should have: `targets:line: severity rule message`, one note a line."""
    said: dict[tuple[int, str, str], list[str]] = {}
    for target in TARGETS:
        migration = case.migrated(target)
        for note in migration.notes:
            said.setdefault(_key(note), []).append(target)
    return "".join(
        f"{','.join(targets)}:{line}: {rule} {message}\n" for (line, rule, message), targets in sorted(said.items())
    )


def _key(note: Note) -> tuple[int, str, str]:
    return note.line, f"{note.severity.value} {note.rule}", note.message


@dataclass(frozen=True)
class Judged:
    """A golden program that is judged: a whole script, or a project."""

    path: Path
    """The script, or the project's folder."""

    @property
    def id(self) -> str:
        return self.path.relative_to(ROOT).with_suffix("").as_posix()

    @property
    def file(self) -> Path:
        return self.path / "certificate" if self.path.is_dir() else self.path.with_suffix(".certificate")

    def migrations(self, target: str) -> dict[str, Migration]:
        if self.path.is_dir():
            return migrated_project(self.path, target)
        return {self.path.name: Case(self.path).migrated(target)}

    def certificate(self, target: str) -> Certificate | None:
        texts = ask(self.migrations(target))
        return certify(texts, TARGETS[target]) if texts else None

    @property
    def text(self) -> str:
        """`targets:place: what`, one loop or finding a line, at its line in the source."""
        said: dict[tuple[str, int, str], list[str]] = {}
        for target in TARGETS:
            certificate = self.certificate(target)
            for loop in certificate.loops if certificate else ():
                rest = not_shown(loop)
                words = f"{kind_of(loop)}: {loop.standing.value}" + (f" ({rest})" if rest else "")
                said.setdefault((loop.path, loop.source_line, words), []).append(target)
            for one in certificate.findings if certificate else ():
                words = f"{one.standing.value}: {one.message}"
                words += f" ({one.obligation})" if one.obligation != one.standing.value else ""
                said.setdefault((one.path, one.source_line, words), []).append(target)
        lone = not self.path.is_dir()
        return "".join(
            f"{','.join(targets)}:{'' if lone else f'{path}:'}{line}: {words}\n"
            for (path, line, words), targets in sorted(said.items())
        )


def judged_programs() -> list[Judged]:
    """The golden scripts and projects."""
    folders = sorted(path for path in (ROOT / "projects").iterdir() if path.is_dir())
    return [*(Judged(case.path) for case in cases("scripts")), *map(Judged, folders)]


def bless(case: Case) -> None:
    """Write what the tool does now as what it should do."""
    for target in TARGETS:
        migration = case.migrated(target)
        output = case.output(target)
        if migration.result != migration.source:
            write_text(output, migration.result)
        else:
            output.unlink(missing_ok=True)
    notes = notes_text(case)
    if notes:
        write_text(case.notes, notes)
    else:
        case.notes.unlink(missing_ok=True)
