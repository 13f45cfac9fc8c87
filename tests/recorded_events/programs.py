"""The programs that are run: goldens, and folders that are named."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codemods.kit.targets import Target
from migrate.engine.correspondence import entries
from migrate.project import migrate_project
from tests.goldens import ROOT, is_output, read_text
from tests.smoke.test_projects import ENTRIES

TARGET = Target.parse("torch-xla==2.9")


@dataclass(frozen=True)
class Program:
    """A program in a folder of its own."""

    name: str
    folder: Path
    entry: str
    sources: dict[str, str]

    @property
    def trains(self) -> bool:
        """Whether there is a backward in it at all."""
        return any("backward(" in text for text in self.sources.values())

    def migrated(self) -> dict[str, str]:
        """Its files, migrated."""
        return {path: one.result for path, one in migrate_project(self.sources, target=TARGET)}


def programs(names: Iterable[str]) -> Iterator[Program]:
    """The programs of that name, or in that folder; without names all goldens that are programs."""
    names = list(names)
    folders = [Path(name) for name in names if Path(name).is_dir()]
    wanted = [name for name in names if not Path(name).is_dir()]
    if wanted or not folders:
        for program in goldens():
            if program.trains and (not wanted or any(name in program.name for name in wanted)):
                yield program
    for folder in folders:
        yield from (one for one in below(folder) if one.trains)


def goldens() -> Iterator[Program]:
    """The goldens that all codemods rewrite."""
    for kind in ("scripts", "projects"):
        yield from below(ROOT / kind)
    for kind in ("shapes", "pitfalls"):
        for path in sorted((ROOT / kind).glob("*.py")):
            if not is_output(path):
                yield alone(f"{kind}/{path.stem}", path)


def below(folder: Path) -> Iterator[Program]:
    """Each folder in a folder, as one program; a folder of files is one itself."""
    inner = [folder] if any(folder.glob("*.py")) else sorted(one for one in folder.iterdir() if one.is_dir())
    for each in inner:
        paths = [path for path in sorted(each.rglob("*.py")) if not is_output(path)]
        sources = {path.relative_to(each).as_posix(): read_text(path) for path in paths}
        if sources:
            yield Program(f"{folder.name}/{each.name}", each, entry_of(sources), sources)


def alone(name: str, path: Path) -> Program:
    """A program of one file."""
    return Program(name, path.parent, path.name, {path.name: read_text(path)})


def entry_of(sources: dict[str, str]) -> str:
    """The file that is run."""
    usual = [path for path in ENTRIES if path in sources]
    if usual:
        return usual[0]
    trees = {}
    for path, text in sources.items():
        try:
            trees[path] = ast.parse(text)
        except SyntaxError:
            continue
    return next((path for path in entries(trees) if "backward(" in sources[path]), next(iter(sources)))
