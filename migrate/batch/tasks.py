"""What a worker does: pieces of work that carry all they need and give back plain values. No disk, no trees.

A task is some programs, each indexed, linked and rewritten in one go; or, of a program that is too large for one
worker, some files to index, or some to rewrite with the links that the parent has found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codemods.kit.links import Links
from codemods.kit.meaning.libraries import OwnModels, use_models
from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.batch.digests import digest_of
from migrate.batch.limits import Overtime, limited, mortal, tidy
from migrate.batch.weight import work_of
from migrate.judging import Texts, certify, unjudged
from migrate.migration import Migration, Status
from migrate.programs import View
from migrate.registry import Selection

if TYPE_CHECKING:  # LibCST is imported with it, by who has work to do: a run that finds nothing changed does without
    from migrate.engine.certificate import Certificate
    from migrate.project import Shelf

_JUDGING = 3
"""Times a file's limit that the judge of a program has: its work is bounded, and lasts longer on a slow machine."""
NO_MEMORY = "takes too much memory: left as it is"


@dataclass(frozen=True)
class Job:
    """One file that a task works on."""

    text: str
    select: Selection
    summary: Summary | None = None
    """As remembered from an earlier run."""
    links: bytes = b""
    """The digest of the links that its remembered migration was made with; empty: none is remembered."""

    @property
    def lines(self) -> int:
        """How much work it is."""
        return work_of(self.text)


@dataclass(frozen=True)
class Done:
    """What a task has found out about one file."""

    summary: Summary | None = None
    """When it was not remembered."""
    links: bytes = b""
    """The digest of the links it was migrated with."""
    migration: Migration | None = None
    """Bare, see `bare`. None: the remembered one holds, or it was indexed only."""
    certificate: Certificate | None = None
    """Of a view that was judged."""


Results = dict[tuple[int, str], Done]
"""By the number of the program and the path of the file in it; of a view that was judged, its first file."""


@dataclass(frozen=True)
class Program:
    """Files that have to be known together, and which of them are migrated."""

    number: int
    jobs: Mapping[str, Job]
    views: tuple[View, ...]
    beside: Mapping[str, Mapping[str, str]]
    """By the first file of a view the texts of files that have no part in training and are run with it, by path."""

    @property
    def lines(self) -> int:
        """How much work it is."""
        return sum(job.lines for job in self.jobs.values())

    @property
    def linked(self) -> bool:
        """Whether any of its files has to be indexed."""
        return any(len(view.members) > 1 or self.beside.get(view.members[0]) for view in self.views)


@dataclass(frozen=True)
class Settings:
    """What all tasks of a run have in common."""

    target: Target
    seconds: float
    """Limit on the work on one file; 0 for none."""
    verify: bool = False
    """Whether programs are judged when all their files are migrated."""
    models: OwnModels | None = None
    understand: bool = False
    """Whether what was understood of the originals is told."""


@dataclass(frozen=True)
class Whole:
    """Programs, from index to result."""

    programs: tuple[Program, ...]

    @property
    def lines(self) -> int:
        """How much work it is."""
        return sum(program.lines for program in self.programs)

    def parts(self) -> list[Whole]:
        """The same work in smaller tasks."""
        return [Whole((program,)) for program in self.programs]

    def run(self, settings: Settings) -> Iterator[tuple[int, str, Done, int]]:
        """Do it, file by file; with the lines that are garbage afterwards."""
        from migrate.project import Shelf, links_of

        for program in self.programs:
            shelf = Shelf({path: job.text for path, job in program.jobs.items()})
            summaries: dict[str, Summary] = {}
            late: dict[str, Done] = {}
            for path, job in program.jobs.items() if program.linked else ():
                done = _index(shelf, path, job, settings)
                if done.migration is not None:
                    late[path] = done
                elif done.summary is not None:
                    yield program.number, path, done, 0 if path in shelf else job.lines
                summary = done.summary or job.summary
                if summary is not None:
                    summaries[path] = summary
            for view in program.views:
                for path, links in links_of(view, summaries, shelf.texts, program.beside.get(view.members[0], {})):
                    job = program.jobs[path]
                    done = late.get(path) or _rewrite(shelf, path, job, links, settings)
                    yield program.number, path, done, job.lines


@dataclass(frozen=True)
class Index:
    """Some files of a large program, to be indexed."""

    number: int
    jobs: Mapping[str, Job]

    @property
    def lines(self) -> int:
        """How much work it is."""
        return sum(job.lines for job in self.jobs.values())

    def parts(self) -> list[Index]:
        """The same work in smaller tasks."""
        return [Index(self.number, {path: job}) for path, job in self.jobs.items()]

    def run(self, settings: Settings) -> Iterator[tuple[int, str, Done, int]]:
        """Do it, file by file, with its lines."""
        from migrate.project import Shelf

        for path, job in self.jobs.items():
            yield self.number, path, _index(Shelf({path: job.text}, room=0), path, job, settings), job.lines


@dataclass(frozen=True)
class Rewrite:
    """Some files of a large program, to be rewritten."""

    number: int
    jobs: Mapping[str, tuple[Job, Links]]

    @property
    def lines(self) -> int:
        """How much work it is."""
        return sum(job.lines for job, _ in self.jobs.values())

    def parts(self) -> list[Rewrite]:
        """The same work in smaller tasks."""
        return [Rewrite(self.number, {path: job}) for path, job in self.jobs.items()]

    def run(self, settings: Settings) -> Iterator[tuple[int, str, Done, int]]:
        """Do it, file by file, with its lines."""
        from migrate.project import Shelf

        for path, (job, links) in self.jobs.items():
            yield self.number, path, _rewrite(Shelf({path: job.text}), path, job, links, settings), job.lines


@dataclass(frozen=True)
class Judging:
    """Views of a program whose files are all migrated, to be judged."""

    number: int
    views: Mapping[str, Texts]
    """By the first file of each."""

    @property
    def lines(self) -> int:
        """How much work it is."""
        return sum(work_of(result) for texts in self.views.values() for _, result in texts.values())

    def parts(self) -> list[Judging]:
        """The same work in smaller tasks."""
        return [Judging(self.number, {first: texts}) for first, texts in self.views.items()]

    def run(self, settings: Settings) -> Iterator[tuple[int, str, Done, int]]:
        """Do it, view by view, with its lines."""
        for first, texts in self.views.items():
            yield self.number, first, _judge(texts, settings), sum(work_of(result) for _, result in texts.values())


Task = Whole | Index | Rewrite | Judging


def run(task: Task, settings: Settings) -> Results:
    """What a worker is asked to do."""
    found: Results = {}
    use_models(settings.models)
    with tidy() as collect:
        for number, path, done, lines in task.run(settings):
            before = found.get((number, path))
            found[number, path] = replace(done, summary=before.summary) if before is not None else done
            collect(lines)
    return found


def lost(path: str, target: Target, reason: str) -> Done:
    """A file that could not be worked on to the end."""
    return Done(migration=Migration(path, target.name, Status.FAILED, "", "", reason=reason))


def bare(migration: Migration) -> Migration:
    """Without its source, and without a result that equals it: whoever asked has the text."""
    return replace(migration, path="", source="", result=migration.result if is_new(migration) else "")


def restore(migration: Migration, path: str, source: str) -> Migration:
    """The whole migration again."""
    return replace(migration, path=path, source=source, result=migration.result if is_new(migration) else source)


def is_new(migration: Migration) -> bool:
    """Whether the result is another text than the source."""
    return migration.status is Status.MIGRATED


def _index(shelf: Shelf, path: str, job: Job, settings: Settings) -> Done:
    if job.summary is not None:
        return Done()
    try:
        with mortal(settings.seconds), limited(settings.seconds):
            return Done(summary=shelf.summarise(path))
    except Overtime:
        return _overtime(path, settings)
    except MemoryError:
        return lost(path, settings.target, NO_MEMORY)


def _rewrite(shelf: Shelf, path: str, job: Job, links: Links, settings: Settings) -> Done:
    digest = digest_of(links)
    if digest == job.links:
        return Done(links=digest)
    try:
        with mortal(settings.seconds), limited(settings.seconds):
            prepared = shelf.take(path)
            migration = prepared.migrate(path=path, target=settings.target, select=job.select, links=links)
    except Overtime:
        return _overtime(path, settings)
    except MemoryError:
        return lost(path, settings.target, NO_MEMORY)
    return Done(links=digest, migration=bare(migration))


def _judge(texts: Texts, settings: Settings) -> Done:
    seconds = settings.seconds * _JUDGING
    try:
        with mortal(seconds), limited(seconds):
            return Done(certificate=certify(texts, settings.target, understand=settings.understand))
    except Overtime:
        return Done(certificate=unjudged(f"the judge takes longer than {seconds:g} seconds"))
    except MemoryError:
        return Done(certificate=unjudged("the judge takes too much memory"))


def _overtime(path: str, settings: Settings) -> Done:
    return lost(path, settings.target, f"takes longer than {settings.seconds:g} seconds: left as it is")
