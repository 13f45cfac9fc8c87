"""The files of a run: found, looked at, and those that concern the migration joined to programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from migrate.batch.digests import digest
from migrate.cache import Cache, Seen
from migrate.discover import leads_out, project_folder
from migrate.files import SourceFile, Unreadable, decode, read_bytes, read_text
from migrate.prefilter import Look, look, matters
from migrate.programs import View, code, companions, group, imported_names
from migrate.reach import imported, reach

STDIN = "-"
"""The name of what comes from standard input without one."""


@dataclass
class Script:
    """One file of a run."""

    name: str
    """Its path, as the user named it or the folder that it is in."""
    root: Path
    """The folder that writing to it must stay in."""
    folder: Path | None
    """The folder that was given, which makes it part of a project; None for a script given by itself."""
    piped: bool = False
    """Whether its text comes from standard input; `name` is then what the user calls it."""
    status: os.stat_result | None = None
    """As the system told it before the file was read; None when it did not."""
    look: Look = field(init=False, default=Look.ASKS)
    digest: bytes = field(init=False, default=b"")
    """Of its bytes; empty as long as its text is of no interest."""
    imports: tuple[str, ...] = field(init=False, default=())
    trouble: str = field(init=False, default="")
    """Why it could not be read."""
    file: SourceFile | None = field(init=False, default=None)
    """None when it cannot be read, or has not yet been needed."""

    @classmethod
    def held(cls, name: str, folder: Path, data: bytes, file: SourceFile) -> Script:
        """A script of a project whose text is at hand: no disk is asked. `name` is its path below `folder`."""
        script = cls(name, folder, folder)
        script.digest, script.look, script.file = digest(data), look(name, data), file
        return script

    @cached_property
    def path(self) -> Path:
        """Where it is. Made when it is needed: most files of a run are never touched."""
        return Path(self.name)

    def read(self, *, whole: bool = True) -> SourceFile | None:
        """The file as it is on disk. None when it cannot be read: `trouble` says why. Not `whole`: its text is of no
        interest when it shows nothing."""
        if self.file is None and not self.trouble:
            try:
                data = sys.stdin.buffer.read() if self.piped else self._read()
                self.look = look(self.name, data)
                if whole or self.look is not Look.NOTHING:
                    self.digest, self.file = digest(data), decode(data, self.path)
            except Unreadable as error:
                self.trouble = str(error)
        return self.file

    def read_again(self, digest_of_then: bytes) -> SourceFile | None:
        """Read a file of which an earlier run knows all but the text. None when it is no longer that of then."""
        with suppress(Unreadable):
            data = self._read()
            if digest(data) == digest_of_then:
                self.digest, self.file = digest_of_then, decode(data, self.path)
                return self.file
        return None

    def _read(self) -> bytes:
        if self.folder is not None and leads_out(self.name, self.folder):
            raise Unreadable("a link that leads out of the project: name it, and it is read")
        return read_bytes(self.name)


@dataclass
class Linkable:
    """Files that have to be known together to migrate some of them."""

    scripts: dict[str, Script]
    """By path relative to the project, `/` between the parts."""
    views: list[View] = field(default_factory=list)
    beside: dict[str, dict[str, str]] = field(default_factory=dict)
    """By the first file of a view the texts of files that have no part in training and are run with it, by path."""


def examine(scripts: Sequence[Script], seen: Cache | None, filtered: bool) -> None:
    """Find out what each file is like. What has not changed since an earlier run is not read. `filtered`: the text of
    files that show nothing of training is of no interest."""
    known: dict[str, Seen] = {}
    for folder in dict.fromkeys(script.folder for script in scripts):
        if folder is not None and seen is not None:
            known |= seen.seen_below(os.path.abspath(folder))
    for script in scripts:
        if script.folder is None or script.status is None or seen is None:
            script.read(whole=script.folder is None or not filtered)
        else:
            _examine(script, script.status, seen, known, filtered)


def _examine(script: Script, now: os.stat_result, seen: Cache, known: dict[str, Seen], filtered: bool) -> None:
    path = os.path.abspath(script.name)
    before = known.get(path)
    if before is not None and before.is_still(now) and (before.digest or filtered):
        script.look, script.digest, script.imports = Look(before.look), before.digest, before.imports
        return
    script.read(whole=not filtered)
    if script.file is not None:
        script.imports = imported_names(code(script.name, script.file.text))
    if not script.trouble:
        times = now.st_size, now.st_mtime_ns, now.st_ctime_ns
        seen.see(path, Seen(*times, script.digest, script.look, script.imports))


def join(scripts: Iterable[Script], filtered: bool) -> Iterator[Linkable]:
    """The programs among the files of a run. `filtered`: without the files that show nothing of training."""
    folders: dict[Path | None, list[Script]] = {}
    for script in scripts:
        if not script.trouble and not (filtered and script.look is Look.NOTHING):
            folders.setdefault(script.folder, []).append(script)
    for folder, together in folders.items():
        yield from _join_named(together) if folder is None else _join_folder(folder, together)


def _join_folder(folder: Path, scripts: list[Script]) -> Iterator[Linkable]:
    by_name = {script.path.relative_to(folder).as_posix(): script for script in scripts}
    imports = {}
    for name, script in by_name.items():
        if script.look is Look.NOTHING:
            yield Linkable({name: script}, [View((name,), (name,))])
            continue
        if script.file is not None and not script.imports:
            script.imports = imported_names(code(script.name, script.file.text))
        imports[name] = script.imports
    for files in group(imports):
        yield Linkable({name: by_name[name] for name in files}, [View(tuple(files), tuple(files))])


def accompany(joined: Iterable[Linkable], scripts: Iterable[Script]) -> None:
    """Find for the programs of folders the files that are run with them and have no part in training."""
    folders: dict[Path, list[Linkable]] = {}
    for files in joined:
        first = next(iter(files.scripts.values()))
        if first.folder is not None and first.look is not Look.NOTHING:  # such are by themselves, where nothing filters
            folders.setdefault(first.folder, []).append(files)
    idle: dict[Path, dict[str, str]] = {folder: {} for folder in folders}
    for script in scripts:
        if script.folder in folders and script.look is Look.NOTHING and not script.trouble:
            file = script.read()
            text = file.text if file is not None else None
            if text is not None:
                idle[script.folder][script.path.relative_to(script.folder).as_posix()] = text
    for folder, programs in folders.items():
        texts = idle[folder]
        imports = {path: imported_names(code(path, text)) for path, text in texts.items()}
        imports |= {path: script.imports for files in programs for path, script in files.scripts.items()}
        for files, paths in zip(programs, companions([list(each.scripts) for each in programs], imports), strict=True):
            files.beside = {files.views[0].members[0]: {path: texts[path] for path in paths if path in texts}}


def _join_named(scripts: list[Script]) -> Iterator[Linkable]:
    """Scripts given by themselves, each with the files it imports. Those that share files are worked on together."""
    tops: dict[Path, dict[str, Script]] = {}
    for script in scripts:
        path = script.path.resolve()
        top = project_folder(path)
        named = tops.setdefault(top, {})
        name = path.relative_to(top).as_posix()
        is_nowhere = script.piped and script.name == STDIN
        if is_nowhere or name in named:  # it has no imports to follow; it is the same file by another path
            yield Linkable({name: script}, [View((name,), (name,))])
        else:
            named[name] = script
    for top, named in tops.items():
        yield from _join_closures(top, named)


def _join_closures(top: Path, named: dict[str, Script]) -> Iterator[Linkable]:
    text_of = cache(_reader(top, named))
    imports_of = cache(lambda path, text: list(imported(path, code(path, text))))
    programs: list[Linkable] = []
    for name, script in named.items():
        texts = reach(name, text_of, imports_of)
        members = tuple(path for path, text in texts.items() if path == name or matters(path, text))
        idle = {members[0]: {path: text for path, text in texts.items() if path not in members}}
        scripts = {path: named.get(path) or _member(top / path) for path in members}
        found = Linkable(scripts, [View(members, (name,))], idle)
        shared = [other for other in programs if not other.scripts.keys().isdisjoint(members)]
        programs = [other for other in programs if all(other is not each for each in shared)]
        for other in shared:
            found = Linkable(found.scripts | other.scripts, other.views + found.views, found.beside | other.beside)
        found.scripts[name] = script
        programs.append(found)
    yield from programs


def _reader(top: Path, named: dict[str, Script]) -> Callable[[str], str | None]:
    def text(path: str) -> str | None:
        script = named.get(path)
        if script is not None and script.file is not None:
            return script.file.text
        return None if leads_out(top / path, top) else read_text(top / path)

    return text


def _member(path: Path) -> Script:
    script = Script(str(path), path.parent, None)
    script.read()
    return script
