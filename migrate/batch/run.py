"""A run over many files: what is remembered is taken, the rest is worked on, results come in the order asked for."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from codemods.kit.meaning.libraries import own_models
from codemods.kit.targets import Target
from migrate.batch.again import LastRun
from migrate.batch.in_process import InProcess
from migrate.batch.outcomes import left_alone
from migrate.batch.scan import Linkable, Script, accompany, examine, join
from migrate.batch.tasks import Settings, Task, Whole
from migrate.batch.work import Work, chunks
from migrate.cache import Cache
from migrate.migration import Migration
from migrate.prefilter import Look
from migrate.programs import KEPT_LINES
from migrate.registry import ALL, Selection

if TYPE_CHECKING:
    from migrate.batch.pool import Pool, Start

_WORTH_A_POOL = 2_000
"""Lines of work, about half a second: less is done before workers are ready."""
_OWN_MEMORY = 1024**3
"""Bytes of memory that work in this process may take. A script of 2,500 lines may take that."""
_SMALLEST_CHUNK, _LARGEST_CHUNK = 250, 2_000


class Progress(Protocol):
    """Somebody who watches."""

    def begin(self, files: int, lines: int) -> None:
        """So much is to be done."""

    def advance(self, files: int, lines: int) -> None:
        """So much more is done."""


class Unseen:
    """Nobody watches."""

    def begin(self, files: int, lines: int) -> None:
        """Say nothing."""

    def advance(self, files: int, lines: int) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Order:
    """What is asked of a run."""

    target: Target
    select: Callable[[Script], Selection] = lambda script: ALL
    """Which edits are wanted in a file."""
    jobs: int = 1
    """Worker processes; 1: this process; 0: one for each core."""
    executor: str = ""
    """`dask://host:port`: the workers of a cluster instead."""
    prefilter: bool = True
    seconds: float = 60.0
    """Limit on the work on one file, and on judging one program; 0 for none."""
    verify: bool = False
    """Whether programs are judged when all their files are migrated."""
    cache: Cache | None = None
    progress: Progress = field(default_factory=Unseen)
    start: Start | None = None
    """How workers are started; then all work is done by such, and none in this process."""
    understand: bool = False
    """Whether certificates tell what was understood of the originals. Not with a cache, which may know others."""


def migrate_files(scripts: Iterable[Script], order: Order) -> Generator[tuple[Script, Migration], None, None]:
    """Each script with its migration, in the order given, as soon as those before it are there too."""
    found = list(scripts)
    last = LastRun(found, order, order.cache) if order.cache is not None else None
    remembered = last.results() if last is not None else None
    if remembered is not None:
        yield from remembered
        return
    examine(found, order.cache, order.prefilter)
    results: dict[int, Migration] = {}
    waiting = deque(found)
    for done in _finished(found, order, last):
        for script, migration in done:
            results[id(script)] = migration
        while waiting and id(waiting[0]) in results:
            script = waiting.popleft()
            yield script, results.pop(id(script))


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Finished = Iterable[tuple[Script, Migration]]


def _finished(scripts: list[Script], order: Order, last: LastRun | None) -> Iterator[Finished]:
    """The results, some at a time."""
    settings = Settings(order.target, order.seconds, order.verify, own_models(), order.understand)
    joined = [files for files in join(scripts, order.prefilter) if not order.prefilter or _may_change(files, order)]
    accompany(joined, scripts)
    works = [Work(number, files, order.select, settings) for number, files in enumerate(joined)]
    owned = {id(work.scripts[path]) for work in works for path in work.wanted}
    yield [(script, _left(script, order.target)) for script in scripts if id(script) not in owned]
    if len(scripts) == 1 and not any(work.linked for work in works):
        order = replace(order, cache=None)  # opening it would cost more than it saves
    todo = works
    if order.cache is not None:
        values = order.cache.get(key for work in works for key in work.result_keys())
        todo = [work for work in works if not work.recall(values)]
        yield from (work.results() for work in works if work.is_done)
    for work in _worked(todo, order, settings):
        if order.cache is not None:
            work.remember(order.cache)
        yield work.results()
    if last is not None:
        last.replace(works)


def _may_change(files: Linkable, order: Order) -> bool:
    """Whether anything asks for an accelerator. Where single codemods are selected, nobody asks whether it does."""
    scripts = files.scripts.values()
    return any(script.look is Look.ASKS or order.select(script).select for script in scripts)


def _left(script: Script, target: Target) -> Migration:
    """A file that nothing is done with. Of one that was named a person wants to hear that it cannot be parsed."""
    if script.folder is None and script.file is not None:
        from migrate.notebooks.prepared import prepare

        prepared = prepare(script.name, script.file.text)
        if prepared.reason:
            return prepared.migrate(path=str(script.path), target=target)
    return left_alone(script, target)


def _worked(works: list[Work], order: Order, settings: Settings) -> Iterator[Work]:
    """Each program when it is done."""
    if order.cache is not None and works:
        values = order.cache.get(key for work in works for _, key in work.summary_keys())
        for work in works:
            work.recall_summaries(values)
    lines = sum(work.lines for work in works)
    order.progress.begin(sum(len(work.wanted) for work in works), lines)
    by_number = {work.number: work for work in works}
    pool = _fill_pool(works, lines, order, settings)
    for task, outcome in pool.results():
        touched: list[Work] = []
        if isinstance(outcome, Exception):
            parts = task.parts()
            for smaller in parts if len(parts) > 1 else by_number[_number(task)].lose(task):
                pool.add_suspect(smaller)
            touched = [by_number[_number(task)]] if len(parts) == 1 else []
        else:
            for (number, path), done in outcome.items():
                for task_after in by_number[number].take(path, done):
                    pool.add(task_after)
            touched = [by_number[number] for number in dict.fromkeys(number for number, _ in outcome)]
        for work in touched:
            if work.is_done and by_number.pop(work.number, None) is not None:
                order.progress.advance(len(work.wanted), work.lines)
                yield work


def _fill_pool(works: list[Work], lines: int, order: Order, settings: Settings) -> Pool | InProcess:
    """Whoever does the work, with all there is to do."""
    workers = order.jobs or cores()
    is_little = workers == 1 or lines < _WORTH_A_POOL
    # What may take too much memory is not let into this process: LibCST's parser would end it.
    if order.start is None and not order.executor and is_little and all(work.memory < _OWN_MEMORY for work in works):
        alone = InProcess(settings)
        for work in works:
            alone.add(Whole((work.program,)))
        return alone
    # It takes as long to import as click: few files do without.
    from migrate.batch.pool import Pool, start_dask, start_local

    start = order.start or (start_dask(order.executor) if order.executor else start_local)
    pool = Pool(start, workers, settings)
    share = lines // (2 * workers)
    chunk = min(max(share // 4, _SMALLEST_CHUNK), _LARGEST_CHUNK)
    small = [work for work in works if work.lines <= max(KEPT_LINES, share)]
    for together in chunks(small, lambda work: work.lines, chunk):
        pool.add(Whole(tuple(work.program for work in together)))
    for work in works:
        if work.lines > max(KEPT_LINES, share):
            for task in work.split(chunk):
                pool.add(task)
    return pool


def _number(task: Task) -> int:
    return task.programs[0].number if isinstance(task, Whole) else task.number
