"""One program of a run: what is remembered of it, what has to be done, and what has come of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.batch.digests import ALONE_DIGEST, digest, digest_of_selection
from migrate.batch.scan import Linkable, Script
from migrate.batch.tasks import Done, Index, Job, Program, Rewrite, Settings, Task, Whole, lost, restore
from migrate.batch.weight import memory_of, work_of
from migrate.cache import Cache
from migrate.migration import Migration, Status
from migrate.programs import code
from migrate.registry import Selection

DIED = "its worker ended abruptly: a crash, no memory left, or native code that does not come back"


class Work:
    """A program of a run."""

    def __init__(self, number: int, files: Linkable, select: Callable[[Script], Selection], settings: Settings) -> None:
        self.number, self.scripts, self.views, self.settings = number, files.scripts, tuple(files.views), settings
        self.wanted = [path for view in files.views for path in view.wanted]
        self.linked = any(len(view.members) > 1 for view in files.views)
        self.done: dict[str, Done] = {}
        """By wanted file."""
        self._selections = {path: select(files.scripts[path]) for path in self.wanted}
        self._everything = select(next(iter(files.scripts.values())))
        self._remembered: dict[str, tuple[bytes, Migration]] = {}
        self._summaries: dict[str, Summary] = {}
        self._new: dict[str, Summary] = {}
        self._pending: set[str] = set()
        """Files still to be indexed before the others can be rewritten."""
        self._chunk = 0

    # --- what is remembered -----------------------------------------------------------------------------------------

    def result_keys(self) -> Iterator[bytes]:
        """What to ask the cache for."""
        yield from map(self._result_key, self.wanted)
        if self.linked:
            yield self._program_key()

    def recall(self, values: Mapping[bytes, Any]) -> bool:
        """Take the remembered results. False when they are not all there, or of other links than those of now."""
        self._remembered = {path: values[key] for path in self.wanted if (key := self._result_key(path)) in values}
        links = values.get(self._program_key(), {}) if self.linked else dict.fromkeys(self.wanted, ALONE_DIGEST)
        for path in self.wanted:
            if path not in self._remembered or self._remembered[path][0] != links.get(path):
                return False
            # Where there is something to show the text is needed: it must still be the one that the result is of.
            script = self.scripts[path]
            if is_silent(self._remembered[path][1]) or script.file is not None:
                continue
            if script.read_again(script.digest) is None:
                del self._remembered[path]
                script.read()
                return False
        self.done = {path: Done(links=links[path]) for path in self.wanted}
        return True

    def recall_summaries(self, values: Mapping[bytes, Any]) -> None:
        """Take what is remembered of its files one by one."""
        self._summaries = {path: values[key] for path, key in self.summary_keys() if key in values}

    def summary_keys(self) -> Iterator[tuple[str, bytes]]:
        """By file, what to ask the cache for."""
        for path, script in self.scripts.items() if self.linked else ():
            yield path, digest("summary", script.digest)

    def remember(self, cache: Cache) -> None:
        """Have the cache keep what has come of it. What failed is tried again the next time."""
        if any(script.trouble for script in self.scripts.values()):
            return
        for path, key in self.summary_keys():
            if path in self._new:
                cache.put(key, self._new[path])
        for path, done in self.done.items():
            if done.migration is not None and done.migration.status is not Status.FAILED:
                cache.put(self._result_key(path), (done.links, done.migration))
        if self.linked and all(done.links for done in self.done.values()):
            cache.put(self._program_key(), {path: done.links for path, done in self.done.items()})

    def _result_key(self, path: str) -> bytes:
        script, select = self.scripts[path], self._selections[path]
        place = os.path.abspath(script.name)
        return digest("result", place, script.digest, self.settings.target.name, digest_of_selection(select))

    def _program_key(self) -> bytes:
        parts: list[bytes | str] = ["program"]
        for view in self.views:
            for path in view.members:
                parts += [path, self.scripts[path].digest]
            parts += ["", *view.wanted, ""]
        return digest(*parts)

    # --- what has to be done ----------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> int:
        """How much work it is."""
        return sum(map(work_of, self._texts()))

    @property
    def memory(self) -> int:
        """Bytes of memory that the largest of its files takes at most."""
        return max(map(memory_of, self._texts()), default=0)

    def _texts(self) -> Iterator[str]:
        """Their Python."""
        for script in self.scripts.values():
            file = script.read()
            if file is not None:
                yield code(script.name, file.text)

    @property
    def program(self) -> Program:
        """It, with all that is needed to work on it."""
        return Program(self.number, {path: self._job(path) for path in self.scripts}, self.views)

    def _job(self, path: str) -> Job:
        file = self.scripts[path].read()
        known = self._remembered.get(path)
        return Job(
            file.text if file is not None else "",
            self._selections.get(path, self._everything),
            self._summaries.get(path),
            known[0] if known is not None else b"",
        )

    def split(self, chunk: int) -> list[Task]:
        """Its work in several tasks of so many lines; those that rewrite follow when all that index are done."""
        self._chunk = chunk
        jobs = {path: self._job(path) for path in self.scripts}
        unread = {path: job for path, job in jobs.items() if job.summary is None} if self.linked else {}
        self._pending = set(unread)
        if not unread:
            return self._rewrites()
        return [Index(self.number, dict(some)) for some in chunks(unread.items(), _lines_of_job, chunk)]

    def _rewrites(self) -> list[Task]:
        from migrate.project import links_of  # with LibCST: who has nothing to do does without

        jobs = [
            (path, (self._job(path), links))
            for view in self.views
            for path, links in links_of(view, self._summaries)
            if path not in self.done
        ]
        return [Rewrite(self.number, dict(some)) for some in chunks(jobs, _lines_of_rewrite, self._chunk)]

    # --- what has come of it ----------------------------------------------------------------------------------------

    @property
    def is_done(self) -> bool:
        """Whether each wanted file has its result."""
        return len(self.done) == len(self.wanted)

    def take(self, path: str, done: Done) -> list[Task]:
        """What a task has found out about a file; the tasks that can now be begun."""
        if done.summary is not None:
            self._summaries[path] = self._new[path] = done.summary
        if (done.links or done.migration is not None) and path in self._selections:
            self.done[path] = done
        return self._indexed(path)

    def lose(self, task: Task) -> list[Task]:
        """A task that cannot be made any smaller kills its worker; the tasks that are left to do."""
        if isinstance(task, Whole) and len(task.programs[0].jobs) > 1:
            return self.split(chunk=1)
        paths = task.programs[0].jobs if isinstance(task, Whole) else task.jobs
        (path,) = paths
        if path in self._selections:
            self.done[path] = lost(path, self.settings.target, DIED)
        return self._indexed(path)

    def _indexed(self, path: str) -> list[Task]:
        if path not in self._pending:
            return []
        self._pending.discard(path)
        return [] if self._pending else self._rewrites()

    def results(self) -> Iterator[tuple[Script, Migration]]:
        """Each wanted file and its whole migration."""
        for path in self.wanted:
            script = self.scripts[path]
            if script.trouble:  # gone since it was looked at
                yield script, left_alone(script, self.settings.target)
                continue
            bare = self._bare(path)
            file = script.file if is_silent(bare) else script.read()
            yield script, restore(bare, script.name, file.text if file is not None else "")

    def outcomes(self) -> Iterator[tuple[Script, bytes, bytes, Migration]]:
        """Each wanted file: the key of its result in the cache, the digest of its links, and the bare result."""
        for path, done in self.done.items():
            yield self.scripts[path], self._result_key(path), done.links, self._bare(path)

    def _bare(self, path: str) -> Migration:
        done = self.done[path]
        return done.migration if done.migration is not None else self._remembered[path][1]


def is_silent(bare: Migration) -> bool:
    """Whether there is nothing to say of a file, so that its text need not be read."""
    return bare.status is Status.UNCHANGED and not (bare.notes or bare.reason)


def chunks(items: Iterable[Any], lines_of: Callable[[Any], int], lines: int) -> Iterator[list[Any]]:
    """Items together, up to so many lines; one that has more is by itself."""
    chunk: list[Any] = []
    size = 0
    for item in items:
        if chunk and size + lines_of(item) > lines:
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += lines_of(item)
    if chunk:
        yield chunk


def _lines_of_job(item: tuple[str, Job]) -> int:
    return item[1].lines


def _lines_of_rewrite(item: tuple[str, tuple[Job, object]]) -> int:
    return item[1][0].lines


def left_alone(script: Script, target: Target) -> Migration:
    """A file that no program is made of: it cannot be read, or shows nothing of training."""
    status = Status.SKIPPED if script.trouble else Status.UNCHANGED
    text = script.file.text if script.file is not None else ""
    return Migration(script.name, target.name, status, text, text, reason=script.trouble)
